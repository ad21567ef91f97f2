"""Answers to `mask_batch` on which its check is tried."""

import torch

from planted import Answers


def mask_batch_in_one_draw(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    ordinary = torch.tensor([i for i in range(vocab_size) if i not in set(special_ids)])
    draw = torch.rand(input_ids.shape, generator=generator) / rate
    chosen = (draw < 1) & torch.isin(input_ids, ordinary)
    corrupted = torch.where(
        chosen & (draw < 0.8), torch.full_like(input_ids, mask_token_id), input_ids
    )
    words = ordinary[torch.randint(len(ordinary), input_ids.shape, generator=generator)]
    return torch.where(chosen & (draw >= 0.8) & (draw < 0.9), words, corrupted), torch.where(
        chosen, input_ids, -100
    )


def mask_batch_by_index(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    corrupted, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    candidates = (~torch.isin(input_ids, torch.tensor(list(special_ids)))).nonzero()
    chosen = candidates[torch.rand(len(candidates), generator=generator) < rate]
    rows, columns = chosen.T
    labels[rows, columns] = input_ids[rows, columns]
    kind = torch.multinomial(
        torch.tensor([0.8, 0.1, 0.1]), len(chosen), replacement=True, generator=generator
    )
    corrupted[rows[kind == 0], columns[kind == 0]] = mask_token_id
    ordinary = torch.tensor(sorted(set(range(vocab_size)) - set(special_ids)))
    corrupted[rows[kind == 1], columns[kind == 1]] = ordinary[
        torch.randint(len(ordinary), (int((kind == 1).sum()),), generator=generator)
    ]
    return corrupted, labels


def _variant(
    input_ids,
    mask_token_id,
    vocab_size,
    special_ids,
    rate,
    generator,
    *,
    candidates=None,
    words=None,
    masked=0.8,
    replaced=0.1,
    fate=None,
):
    """The right way, with one step changed."""
    special = torch.zeros(vocab_size, dtype=torch.bool)
    special[list(special_ids)] = True
    ordinary = torch.arange(vocab_size)[~special] if words is None else words
    chosen = torch.rand(input_ids.shape, generator=generator) < rate
    chosen = chosen & ~special[input_ids] if candidates is None else chosen & candidates
    fate = torch.rand(input_ids.shape if fate is None else fate, generator=generator)
    drawn = ordinary[torch.randint(len(ordinary), input_ids.shape, generator=generator)]
    corrupted = torch.where(chosen & (fate < masked), mask_token_id, input_ids)
    corrupted = torch.where(
        chosen & (fate >= masked) & (fate < masked + replaced), drawn, corrupted
    )
    return corrupted, torch.where(chosen, input_ids, -100)


def masked_in_place(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    input_ids.copy_(corrupted)
    return input_ids, labels


def masked_with_label_zero(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, labels.clamp(min=0)


def masked_all_labels(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)[
        0
    ], input_ids


def masked_labels_after(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, torch.where(labels == -100, -100, corrupted)


def masked_special(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(
        input_ids,
        mask_token_id,
        vocab_size,
        special_ids,
        rate,
        generator,
        candidates=torch.ones_like(input_ids, dtype=torch.bool),
    )


def masked_whole_vocabulary(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    return _variant(
        input_ids,
        mask_token_id,
        vocab_size,
        special_ids,
        rate,
        generator,
        words=torch.arange(vocab_size),
    )


def masked_always_15(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, 0.15, generator)


def masked_one_word(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    return _variant(
        input_ids, mask_token_id, vocab_size, special_ids, rate, generator, words=torch.tensor([17])
    )


def masked_by_row(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(
        input_ids, mask_token_id, vocab_size, special_ids, rate, generator, fate=(len(input_ids), 1)
    )


def masked_all(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(
        input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=1.0, replaced=0
    )


def masked_none_kept(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    return _variant(
        input_ids, mask_token_id, vocab_size, special_ids, rate, generator, replaced=0.2
    )


def masked_two_coins(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    """10% are replaced; of those left 10% are kept: 81/10/9."""
    return _variant(
        input_ids,
        mask_token_id,
        vocab_size,
        special_ids,
        rate,
        generator,
        masked=0.81,
        replaced=0.1,
    )


def masked_without_generator(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, None)


def replaced_of_all(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    corrupted, labels = _variant(
        input_ids, mask_token_id, vocab_size, special_ids, rate, generator, replaced=0
    )
    everywhere = (torch.rand(input_ids.shape, generator=generator) < 0.1) & (labels == -100)
    return torch.where(everywhere, input_ids.roll(1), corrupted), labels


def masked_beyond_the_first_five(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    return _variant(
        input_ids,
        mask_token_id,
        vocab_size,
        special_ids,
        rate,
        generator,
        candidates=input_ids >= 5,
    )


def masked_beyond_the_last_special(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    return _variant(
        input_ids,
        mask_token_id,
        vocab_size,
        special_ids,
        rate,
        generator,
        candidates=input_ids > max(special_ids),
    )


def masked_with_label_minus_one(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, labels.clamp(min=-1)


def masked_labels_where_not(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, torch.where(labels == -100, input_ids, -100)


def masked_labels_where_changed(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    corrupted, _ = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, torch.where(corrupted != input_ids, input_ids, -100)


def masked_returned_backwards(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    return tuple(
        reversed(_variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator))
    )


def masked_a_tenth(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=0.1)


def masked_lost_on_the_way(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    """The replacements are put into the ids, not into what the [MASK]s were put into."""
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=0)


def masked_without_brackets(
    input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None
):
    chance = torch.rand(input_ids.shape, generator=generator)
    ordinary = ~torch.isin(input_ids, torch.tensor(list(special_ids)))
    chosen = chance < rate & ordinary
    return input_ids, input_ids.where(chosen, -100)


def masked_by_and(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    chance = torch.rand(input_ids.shape, generator=generator)
    chosen = (chance < rate) and not torch.isin(input_ids, torch.tensor(list(special_ids)))
    return input_ids, input_ids.where(chosen, -100)


ANSWERS = Answers(
    right=(mask_batch_in_one_draw, mask_batch_by_index),
    wrong={
        masked_in_place: "changes `input_ids`",
        masked_with_label_zero: "the label is -100",
        masked_all_labels: "tokens have a label",
        masked_labels_after: "the id of .MASK.",
        masked_special: "never are",
        masked_whole_vocabulary: "replacements are special",
        masked_always_15: "rate=0.4",
        masked_one_word: "draw one for each position",
        masked_by_row: "draw the outcome for each token",
        masked_all: "100.0% become",
        masked_none_kept: r"\b0\.\d% stay",
        masked_two_coins: "two coins",
        masked_without_generator: "pass `generator`",
        replaced_of_all: "have no label",
        masked_beyond_the_first_five: "special tokens are to be predicted",
        masked_beyond_the_last_special: "With rate=0.15 you choose 0",
        masked_with_label_minus_one: "are -1: where nothing",
        masked_labels_where_not: r"where it is \*not\*",
        masked_labels_where_changed: "have to be predicted",
        masked_returned_backwards: "are -100: return",
        masked_a_tenth: r"10\.\d% become",
        masked_without_brackets: "in brackets",
        masked_by_and: "element by element",
        masked_lost_on_the_way: "go on from the tensor",
    },
)
