"""Answers on which the exercises of chapter 7 are tried: right ones, and wrong ones with what the check must say."""

import math

import torch

from minibert.exercises.ch07_pretraining_data import believe, shorten, words_of
from minibert.exercises.planted import Answers


# 7.1 how many -------------------------------------------------------------------------------------------------------

def how_many_clamped(length, rate, most):
    return sorted((1, int(round(rate * length)), most))[1]


def how_many_in_steps(length, rate, most):
    number = max(round(length * rate), 1)
    return most if number > most else number


def how_many_floor(length, rate, most):
    return min(most, max(1, int(length * rate)))


def how_many_ceiling(length, rate, most):
    return min(most, max(1, math.ceil(length * rate)))


def how_many_half_up(length, rate, most):
    return min(most, max(1, math.floor(length * rate + 0.5)))


def how_many_unbounded(length, rate, most):
    return max(1, round(length * rate))


def how_many_or_none(length, rate, most):
    return min(most, round(length * rate))


def how_many_ordinary(length, rate, most):
    return min(most, max(1, round((length - 3) * rate)))


def how_many_always(length, rate, most):
    return most


def how_many_plus_one(length, rate, most):
    return min(most, 1 + round(length * rate))


def how_many_raw(length, rate, most):
    return min(most, max(1, length * rate))


def how_many_as_float(length, rate, most):
    return min(most, max(1, round(length * rate, 0)))


def how_many_without_cls_sep(length, rate, most):
    return min(most, max(1, round((length - 2) * rate)))


def how_many_at_15(length, rate, most):
    return min(most, max(1, round(length * 0.15)))


def how_many_up_to_20(length, rate, most):
    return min(20, max(1, round(length * rate)))


def how_many_without_bounds(length, rate, most):
    return round(length * rate)


def how_many_at_least_most(length, rate, most):
    return max(most, max(1, round(length * rate)))


def how_many_at_most_one(length, rate, most):
    return min(most, min(1, round(length * rate)))


HOW_MANY_MISTAKES = (
    (how_many_floor, "cut off the share where it should be rounded"),
    (how_many_ceiling, "round the share up; it is rounded to the nearest whole number"),
    (how_many_half_up, "round a half up; Python's `round`, which the original uses, takes a half to the even number"),
    (how_many_unbounded, "leave out the upper bound"),
    (how_many_or_none, "let a short text have no prediction at all; there is at least 1"),
    (how_many_ordinary, "take [CLS] and two [SEP] off the length first; the original counts them"),
    (how_many_without_cls_sep, "take [CLS] and one [SEP] off the length first; the original counts them"),
    (how_many_at_15, "use a rate of 0.15 whatever `rate` is"),
    (how_many_up_to_20, "use 20 as the upper bound whatever `most` is"),
    (how_many_without_bounds, "leave out both bounds"),
    (how_many_at_least_most, "take the larger of the share and `most`; `most` is an upper bound, so it is the smaller"),
    (how_many_at_most_one, "take the smaller of the share and 1; 1 is a lower bound, so it is the larger"),
    (how_many_always, "give the bound itself, whatever the length"),
    (how_many_plus_one, "add 1 where 1 is a lower bound"),
    (how_many_raw, "give a number that is not whole"),
)


# 7.3 whole words ----------------------------------------------------------------------------------------------------

def words_by_runs(tokens):
    special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    words, last = [], None
    for position, token in enumerate(tokens):
        if token in special:
            last = None
        elif token[:2] == "##" and last is not None:
            last.append(position)
        else:
            last = [position]
            words.append(last)
    return words


def words_by_starts(tokens):
    no_word = [token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") for token in tokens]
    starts = [i for i, token in enumerate(tokens) if not no_word[i] and (not token.startswith("##") or i == 0 or no_word[i - 1])]
    ends = [next((j for j in range(i + 1, len(tokens)) if no_word[j] or j in starts), len(tokens)) for i in starts]
    return [list(range(i, j)) for i, j in zip(starts, ends)]


def _grouped(tokens, skipped, joins):
    words = []
    for position, token in enumerate(tokens):
        if token in skipped:
            continue
        if words and joins(token, words[-1][-1] == position - 1):
            words[-1].append(position)
        else:
            words.append([position])
    return words


ALL_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def words_across_sep(tokens):
    return _grouped(tokens, ALL_SPECIAL, lambda token, adjacent: token.startswith("##"))


def words_with_special(tokens):
    return _grouped(tokens, (), lambda token, adjacent: token.startswith("##") and adjacent)


def words_with_padding(tokens):
    return _grouped(tokens, ("[CLS]", "[SEP]"), lambda token, adjacent: token.startswith("##") and adjacent)


def single_pieces(tokens):
    return _grouped(tokens, ALL_SPECIAL, lambda token, adjacent: False)


def first_pieces(tokens):
    return [word[:1] for word in words_of(tokens)]


def words_as_tokens(tokens):
    return [[tokens[i] for i in word] for word in words_of(tokens)]


def words_by_any_hash(tokens):
    return _grouped(tokens, ALL_SPECIAL, lambda token, adjacent: "##" in token and adjacent)


def words_of_pieces_only(tokens):
    return [word for word in words_of(tokens) if len(word) > 1]


def words_lose_openers(tokens):
    return [word for word in words_of(tokens) if not tokens[word[0]].startswith("##")]


def words_without_brackets(tokens):
    return _grouped(tokens, [token for token in tokens if token.startswith("[")], lambda token, adjacent: token.startswith("##") and adjacent)


def words_with_mask(tokens):
    return _grouped(tokens, ("[PAD]", "[UNK]", "[CLS]", "[SEP]"), lambda token, adjacent: token.startswith("##") and adjacent)


def words_by_one_hash(tokens):
    return _grouped(tokens, ALL_SPECIAL, lambda token, adjacent: token.startswith("#") and adjacent)


def words_of_two_pieces(tokens):
    words = []
    for position, token in enumerate(tokens):
        if token.startswith("##") and words and words[-1][0] == position - 1:
            words[-1].append(position)
        elif token not in ALL_SPECIAL:
            words.append([position])
    return words


def words_of_three(tokens):
    return [word[:3] for word in words_of(tokens)]


def words_lose_the_last(tokens):
    """Collects a word and hands it over when the next one begins; nobody hands over the last."""
    words, word = [], []
    for position, token in enumerate(tokens):
        if word and (token in ALL_SPECIAL or not token.startswith("##")):
            words.append(word)
            word = []
        if token not in ALL_SPECIAL:
            word.append(position)
    return words


WORDS_MISTAKES = (
    (words_across_sep, "piece {piece} stands right after [SEP], and you join it to a word of the other text"),
    (words_with_special, "[CLS], [SEP] and [PAD] are in your list; they are never predicted"),
    (words_with_padding, "[PAD] and [UNK] are in your list; they are no words"),
    (single_pieces, "each piece is a word of its own in your list; `##` goes on the word before it"),
    (first_pieces, "you keep only the first piece of each word"),
    (words_as_tokens, "you give tokens back; wanted are their positions"),
    (words_by_any_hash, "you take a token for a later piece when `##` stands anywhere in it; it must stand in front"),
    (words_of_pieces_only, "you keep only words of several pieces; a word of one piece is a word too"),
    (words_without_brackets, "you take whatever begins with `[` for a special token; a bracket that stands in a text is a word"),
    (words_with_mask, "[MASK] is in your list; it is no word"),
    (words_lose_the_last, "the last word is lost: no [SEP] stands behind it, and it counts all the same"),
    (words_of_two_pieces, "you compare with the first place of the word before, so a third piece falls off; compare with its last place"),
    (words_by_one_hash, "you take a token for a later piece when one `#` stands in front; it must be `##`"),
    (words_lose_openers, "a piece that opens a text is lost; its word was cut in two, and it stays as a word of its own"),
)


# 7.2 think: can you believe a word that you see? --------------------------------------------------------------------

def believe_by_odds(context, vocab_size, kept=0.1, replaced=0.1):
    if not replaced:
        return 1.0
    odds = kept * context * vocab_size / replaced
    return odds / (1 + odds)


def believe_exactly(context, vocab_size, kept=0.1, replaced=0.1):
    """Counts a replacement that hits the true word as true."""
    seen = kept * context + replaced / vocab_size
    return context * (kept + replaced / vocab_size) / seen


def believe_context(context, vocab_size, kept=0.1, replaced=0.1):
    return context


def believe_share(context, vocab_size, kept=0.1, replaced=0.1):
    return kept / (kept + replaced)


def believe_without_vocabulary(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (kept * context + replaced)


def believe_without_shares(context, vocab_size, kept=0.1, replaced=0.1):
    return context / (context + 1 / vocab_size)


def disbelieve(context, vocab_size, kept=0.1, replaced=0.1):
    return 1 - believe(context, vocab_size, kept, replaced)


def believe_unnormalised(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context


def believe_without_context(context, vocab_size, kept=0.1, replaced=0.1):
    return kept / (kept + replaced / vocab_size)


def believe_exchanged(context, vocab_size, kept=0.1, replaced=0.1):
    return replaced * context / (replaced * context + kept / vocab_size)


def believe_without_kept(context, vocab_size, kept=0.1, replaced=0.1):
    return context / (context + replaced / vocab_size)


def believe_without_replaced(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (kept * context + 1 / vocab_size)


def believe_ratio(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (replaced / vocab_size)


def believe_with_masked(context, vocab_size, kept=0.1, replaced=0.1):
    return (0.8 + kept) * context / ((0.8 + kept) * context + replaced / vocab_size)


BELIEVE_MISTAKES = (
    (believe_context, "That is what the context says alone; you have also seen the word"),
    (believe_share, "That is how many are kept, whatever the word; a word that fits is kept more often than it is drawn"),
    (believe_without_vocabulary,
     "The 1/V is missing, or it stands in both ways and cancels: it belongs to the second, since a replacement is one of V words"),
    (believe_without_shares, "Your number does not depend on the two shares, and here they are not equal"),
    (disbelieve, "That is the chance that the word is forged"),
    (believe_unnormalised, "That is how often it was this word and was kept, out of everything; compare it with how often this word is seen at all"),
    (believe_without_context,
     "The context has no say, or it stands in both ways and cancels: it belongs to the first, since a replacement is drawn blindly"),
    (believe_with_masked, "The 80% are [MASK]; where you see a word, they are out of the question"),
    (believe_exchanged, "You have exchanged the two shares: a word that is honest was kept, a forged one was replaced"),
    (believe_without_kept, "In the first way `kept` is missing: most chosen words are not kept"),
    (believe_without_replaced, "In the second way `replaced` is missing: most chosen words are not replaced"),
)


# 7.4 shortening a pair ----------------------------------------------------------------------------------------------

def shorten_by_slices(first, second, room, rng):
    spans = [[0, len(first)], [0, len(second)]]
    while sum(end - start for start, end in spans) > room:
        lengths = [end - start for start, end in spans]
        span = spans[0] if lengths[0] > lengths[1] else spans[1]
        if rng.random() < 0.5:
            span[0] += 1
        else:
            span[1] -= 1
    return first[slice(*spans[0])], second[slice(*spans[1])]


def shorten_recursively(first, second, room, rng):
    if len(first) + len(second) <= room:
        return list(first), list(second)
    cut = (lambda text: text[1:]) if rng.random() < 0.5 else (lambda text: text[:-1])
    if len(first) > len(second):
        return shorten_recursively(cut(first), second, room, rng)
    return shorten_recursively(first, cut(second), room, rng)


def _cut(first, second, room, rng, which, place):
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        longer = which(first, second)
        del longer[place(longer)]
    return first, second


def _longer(first, second):
    return first if len(first) > len(second) else second


def shorten_in_place(first, second, room, rng):
    while len(first) + len(second) > room:
        del _longer(first, second)[0 if rng.random() < 0.5 else -1]
    return first, second


def shorten_each_to_half(first, second, room, rng):
    return list(first)[:room // 2], list(second)[:room // 2]


def shorten_too_little(first, second, room, rng):
    return shorten(first, second, room + 1, rng)


def shorten_first_on_a_tie(first, second, room, rng):
    return _cut(first, second, room, rng, lambda a, b: second_or_first(a, b), lambda text: 0 if rng.random() < 0.5 else -1)


def second_or_first(first, second):
    return second if len(second) > len(first) else first


def shorten_by_chance(first, second, room, rng):
    return _cut(first, second, room, rng, lambda a, b: a if b == [] or a and rng.random() < 0.7 else b, lambda text: 0 if rng.random() < 0.5 else -1)


def shorten_first_only(first, second, room, rng):
    return _cut(first, second, room, rng, lambda a, b: a or b, lambda text: 0 if rng.random() < 0.5 else -1)


def shorten_inside(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: int(rng.random() * len(text)))


def shorten_back(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: -1)


def shorten_front(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: 0)


def shorten_one_coin(first, second, room, rng):
    place = 0 if rng.random() < 0.5 else -1
    return _cut(first, second, room, rng, _longer, lambda text: place)


def shorten_other_side(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: -1 if rng.random() < 0.5 else 0)


def shorten_sorted(first, second, room, rng):
    shorter, longer = sorted((list(first), list(second)), key=len)
    shorter, longer = shorten(shorter, longer, room, rng) if len(first) < len(second) else reversed(shorten(longer, shorter, room, rng))
    return longer, shorter


def shorten_exchanged(first, second, room, rng):
    return tuple(reversed(shorten(first, second, room, rng)))


def shorten_or_hand_back(first, second, room, rng):
    return (first, second) if len(first) + len(second) <= room else shorten(first, second, room, rng)


def shorten_half_in_place(first, second, room, rng):
    return shorten_in_place(list(first), second, room, rng)


def shorten_second_at_the_back(first, second, room, rng):
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        if rng.random() < 0.5 and len(first) > len(second):
            del first[0]
        else:
            _longer(first, second).pop()
    return first, second


def shorten_coin_on_a_tie(first, second, room, rng):
    return _cut(first, second, room, rng, lambda a, b: rng.choice((a, b)) if len(a) == len(b) else _longer(a, b), lambda text: 0 if rng.random() < 0.5 else -1)


def shorten_mostly_back(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: 0 if rng.random() < 0.2 else -1)


# 7.5 build, and swapped in: masking as tensor operations --------------------------------------------------------------

def mask_words_in_one_draw(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    ordinary = torch.tensor([i for i in range(vocab_size) if i not in set(special_ids)])
    draw = torch.rand(input_ids.shape, generator=generator) / rate
    chosen = (draw < 1) & torch.isin(input_ids, ordinary)
    corrupted = torch.where(chosen & (draw < 0.8), torch.full_like(input_ids, mask_token_id), input_ids)
    words = ordinary[torch.randint(len(ordinary), input_ids.shape, generator=generator)]
    return torch.where(chosen & (draw >= 0.8) & (draw < 0.9), words, corrupted), torch.where(chosen, input_ids, -100)


def mask_words_by_index(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    candidates = (~torch.isin(input_ids, torch.tensor(list(special_ids)))).nonzero()
    chosen = candidates[torch.rand(len(candidates), generator=generator) < rate]
    rows, columns = chosen.T
    labels[rows, columns] = input_ids[rows, columns]
    kind = torch.multinomial(torch.tensor([0.8, 0.1, 0.1]), len(chosen), replacement=True, generator=generator)
    corrupted[rows[kind == 0], columns[kind == 0]] = mask_token_id
    ordinary = torch.tensor(sorted(set(range(vocab_size)) - set(special_ids)))
    corrupted[rows[kind == 1], columns[kind == 1]] = ordinary[torch.randint(len(ordinary), (int((kind == 1).sum()),), generator=generator)]
    return corrupted, labels


def _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, *, candidates=None, words=None, masked=0.8, replaced=0.1, fate=None):
    """The right way, with one step changed."""
    special = torch.zeros(vocab_size, dtype=torch.bool)
    special[list(special_ids)] = True
    ordinary = torch.arange(vocab_size)[~special] if words is None else words
    chosen = torch.rand(input_ids.shape, generator=generator) < rate
    chosen = chosen & ~special[input_ids] if candidates is None else chosen & candidates
    fate = torch.rand(input_ids.shape if fate is None else fate, generator=generator)
    drawn = ordinary[torch.randint(len(ordinary), input_ids.shape, generator=generator)]
    corrupted = torch.where(chosen & (fate < masked), mask_token_id, input_ids)
    corrupted = torch.where(chosen & (fate >= masked) & (fate < masked + replaced), drawn, corrupted)
    return corrupted, torch.where(chosen, input_ids, -100)


def masked_in_place(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    input_ids.copy_(corrupted)
    return input_ids, labels


def masked_with_label_zero(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, labels.clamp(min=0)


def masked_all_labels(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)[0], input_ids


def masked_labels_after(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, torch.where(labels == -100, -100, corrupted)


def masked_special(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, candidates=torch.ones_like(input_ids, dtype=torch.bool))


def masked_whole_vocabulary(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, words=torch.arange(vocab_size))


def masked_always_15(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, 0.15, generator)


def masked_one_word(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, words=torch.tensor([17]))


def masked_by_row(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, fate=(len(input_ids), 1))


def masked_all(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=1.0, replaced=0)


def masked_none_kept(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, replaced=0.2)


def masked_two_coins(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    """10% are replaced; of those left 10% are kept: 81/10/9."""
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=0.81, replaced=0.1)


def masked_without_generator(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, None)


def replaced_of_all(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, replaced=0)
    everywhere = (torch.rand(input_ids.shape, generator=generator) < 0.1) & (labels == -100)
    return torch.where(everywhere, input_ids.roll(1), corrupted), labels


def masked_beyond_the_first_five(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, candidates=input_ids >= 5)


def masked_beyond_the_last_special(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, candidates=input_ids > max(special_ids))


def masked_with_label_minus_one(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, labels.clamp(min=-1)


def masked_labels_where_not(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, torch.where(labels == -100, input_ids, -100)


def masked_labels_where_changed(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, _ = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, torch.where(corrupted != input_ids, input_ids, -100)


def masked_returned_backwards(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return tuple(reversed(_variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)))


def masked_a_tenth(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=0.1)


def masked_lost_on_the_way(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    """The replacements are put into the ids, not into what the [MASK]s were put into."""
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=0)


ANSWERS = {
    "how_many": Answers(
        right=(how_many_clamped, how_many_in_steps),
        wrong={how_many_floor: "cut off", how_many_ceiling: "round the share up", how_many_half_up: "round a half up", how_many_unbounded: "leave out the upper bound",
               how_many_or_none: "at least 1", how_many_ordinary: "take .CLS. and two", how_many_always: "the bound itself", how_many_plus_one: "add 1",
               how_many_raw: "not whole", how_many_as_float: "a count is an `int`", how_many_without_cls_sep: "take .CLS. and one", how_many_at_15: "a rate of 0.15 whatever",
               how_many_up_to_20: "use 20 as the upper bound", how_many_without_bounds: "both bounds", how_many_at_least_most: "larger of the share",
               how_many_at_most_one: "smaller of the share"},
        known=HOW_MANY_MISTAKES),
    "believe": Answers(
        right=(believe_by_odds, believe_exactly),
        wrong={believe_context: "context says alone", believe_share: "how many are kept", believe_without_vocabulary: "1/V is missing", believe_without_shares: "does not depend on the two",
               disbelieve: "is forged", believe_unnormalised: "out of everything", believe_without_context: "no say", believe_with_masked: "out of the question",
               believe_exchanged: "exchanged", believe_without_kept: "`kept` is missing",
               believe_without_replaced: "`replaced` is missing", believe_ratio: "divide by zero"},
        known=BELIEVE_MISTAKES),
    "words_of": Answers(
        right=(words_by_runs, words_by_starts),
        wrong={words_across_sep: "right after .SEP.", words_with_special: "are never predicted", words_with_padding: "are no words", single_pieces: "word of its own in your list",
               first_pieces: "only the first piece", words_as_tokens: "wanted are their positions", words_by_any_hash: "stand in front",
               words_of_pieces_only: "only words of several", words_lose_openers: "opens a text is lost", words_without_brackets: "a bracket that stands",
               words_with_mask: r"\[MASK\] is in your list", words_lose_the_last: "the last word is lost", words_of_two_pieces: "a third piece falls off",
               words_by_one_hash: "it must be `##`", words_of_three: r"return \[1, 2, 3\], where \[1, 2, 3, 4, 5\]"},
        known=WORDS_MISTAKES),
    "shorten": Answers(
        right=(shorten_by_slices, shorten_recursively),
        wrong={shorten_in_place: "changes `first`.*it had 12 entries and has 4", shorten_each_to_half: "keep only", shorten_too_little: "you keep 8", shorten_first_on_a_tie: "become 3 and 4",
               shorten_by_chance: "no matter of chance", shorten_first_only: "since the longer one gives", shorten_inside: "inside it", shorten_back: "at the back alone",
               shorten_front: "at the front alone", shorten_one_coin: "anew for each token", shorten_mostly_back: "taken from the front",
               shorten_other_side: r"the \*front\* goes", shorten_sorted: "also when it is the shorter", shorten_exchanged: "comes back first",
               shorten_or_hand_back: "the very lists", shorten_half_in_place: "changes `second`.*it had 5 entries and has 3", shorten_second_at_the_back: "of the second where",
               shorten_coin_on_a_tie: "the second when both are equally long"}),
    "mask_words": Answers(
        right=(mask_words_in_one_draw, mask_words_by_index),
        wrong={masked_in_place: "changes `input_ids`", masked_with_label_zero: "the label is -100", masked_all_labels: "tokens have a label", masked_labels_after: "the id of .MASK.",
               masked_special: "never are", masked_whole_vocabulary: "replacements are special", masked_always_15: "rate=0.4", masked_one_word: "draw one for each place",
               masked_by_row: "drawn for each token", masked_all: "100.0% become", masked_none_kept: r"\b0\.\d% stay", masked_two_coins: "two coins",
               masked_without_generator: "hand `generator` on", replaced_of_all: "nobody has to predict",
               masked_beyond_the_first_five: "special tokens are to be predicted", masked_beyond_the_last_special: "With rate=0.15 you choose 0",
               masked_with_label_minus_one: "are -1: where nothing", masked_labels_where_not: r"where it is \*not\*", masked_labels_where_changed: "asked for",
               masked_returned_backwards: "are -100: return", masked_a_tenth: r"10\.\d% become", masked_lost_on_the_way: "go on from the tensor"}),
}
