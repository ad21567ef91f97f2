"""Exercise `mask_batch`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def mask_batch(input_ids, *, mask_token_id, vocab_size, special_ids,
               rate=0.15, generator=None):  # fmt: skip
    """input_ids [B, S] -> what the model sees [B, S], labels [B, S].

    A label is the true id where a token is chosen, else -100.
    """
    shape = input_ids.shape
    special = torch.zeros(vocab_size, dtype=torch.bool)  # [V]
    special[list(special_ids)] = True
    ordinary = torch.arange(vocab_size)[~special]  # [V - specials]
    chance = torch.rand(shape, generator=generator)  # [B, S]
    at = torch.randint(len(ordinary), shape, generator=generator)
    drawn = ordinary[at]  # [B, S], a random token for each position
    chosen = (chance < rate) & ~special[input_ids]  # blank: [B, S], True where a token is chosen
    labels = input_ids.where(chosen, -100)  # blank: [B, S]
    masked = input_ids.masked_fill(chosen & (chance < 0.8 * rate), mask_token_id)  # blank: [B, S], the ids with [MASK] in them  # fmt: skip
    corrupted = torch.where(chosen & (chance >= 0.9 * rate), drawn, masked)  # blank: [B, S], and with random tokens  # fmt: skip
    return corrupted, labels


def check_mask_batch(answer):
    # As in BERT's vocabulary, the special ids are not the first five.
    vocab_size, special_ids, mask_id = 60, (0, 30, 31, 32, 33), 33
    no_word = torch.isin(torch.arange(vocab_size), torch.tensor(special_ids))  # [V]
    ordinary = (~no_word).nonzero().squeeze(1)  # [V - specials]
    ids = ordinary[
        torch.randint(len(ordinary), (3000, 100), generator=torch.Generator().manual_seed(0))
    ]  # [B, S]
    ids[:, 0], ids[:, 50], ids[:, 90] = 31, 32, 32
    ids[:, 91:] = 0
    options = {"mask_token_id": mask_id, "vocab_size": vocab_size, "special_ids": special_ids}

    def run(seed=1, **more):
        return answer(ids, **options, **more, generator=torch.Generator().manual_seed(seed))

    try:
        found = run()
    except (RuntimeError, TypeError) as error:
        if "bitwise" in str(error):
            reason = "`&` binds more tightly than `<`, so put each comparison in brackets"
        elif "ambiguous" in str(error):
            reason = "`and` and `not` ask for the truth of a whole tensor; `&` and `~` work element by element"
        else:
            raise
        raise Mistake(f"PyTorch stops ({error}): {reason}.") from None
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mistake(
            f"Expected two tensors, what the model sees and the labels; you return {'a tensor' if isinstance(found, torch.Tensor) else f'a {type(found).__name__}'}."
        )
    corrupted, labels = found
    for name, value in (("What the model sees", corrupted), ("The labels", labels)):
        if (
            not isinstance(value, torch.Tensor)
            or value.shape != ids.shape
            or value.is_floating_point()
        ):
            raise Mistake(f"{name} should be a tensor of whole numbers of shape {list(ids.shape)}.")
    special = no_word[ids]  # [B, S]
    if (corrupted == -100).any():
        raise Mistake(
            f"{int((corrupted == -100).sum()):,} of the ids that the model sees are -100: return what it sees first, then the labels."
        )
    if torch.equal(labels, ids):
        raise Mistake(
            f"All {ids.numel():,} tokens have a label: the model would have to predict words that it can see. Where a token is not chosen, the label is -100."
        )
    if (labels == 0).sum() > (labels == -100).sum():
        raise Mistake(
            f"{int((labels == 0).sum()):,} of your labels are 0, which is [PAD]'s id; where nothing is predicted the label is -100."
        )
    chosen = labels != -100  # [B, S]
    if chosen.all():
        values, counts = labels.unique(return_counts=True)
        raise Mistake(
            f"None of your labels is -100, and {int(counts.max()):,} are {int(values[counts.argmax()])}: where nothing is predicted the label is -100."
        )
    if chosen[special].all():
        raise Mistake(
            f"Each [CLS], [SEP] and [PAD] has a label, {int(chosen.sum()):,} tokens in all: "
            "the label is the true id where a token is chosen, and -100 where it is *not*."
        )
    if (labels == mask_id).sum() > 100:
        raise Mistake(
            f"{int((labels == mask_id).sum()):,} labels are {mask_id}, the id of [MASK]: a label is the token that was there before."
        )
    if not torch.equal(labels[chosen], ids[chosen]):
        raise Mistake(
            "Some of your labels are not the true ids: a label is the token that was there before anything was replaced."
        )
    if (chosen & special).any():
        raise Mistake(
            f"{int((chosen & special).sum()):,} special tokens are to be predicted; special tokens never are."
        )
    if (corrupted != ids)[~chosen].any():
        raise Mistake(
            f"{int((corrupted != ids)[~chosen].sum()):,} tokens were replaced that have no label: each chosen token has one, whatever becomes of it, and the others stay as they are."
        )
    if (chosen & (corrupted == ids)).sum() < 0.01 * chosen.sum() and 0.13 < float(
        chosen[~special].double().mean()
    ) < 0.14:
        raise Mistake(
            "Hardly any unchanged token has a label: the 10% that are kept are chosen, too, and they have to be predicted."
        )
    for rate in (0.15, 0.4):
        share = float((run(rate=rate)[1] != -100)[~special].double().mean())
        if abs(share - rate) > 0.01:
            raise Mistake(f"With rate={rate} you choose {share:.3f} of the ordinary tokens.")
    per_row = chosen.sum(dim=1).double()  # [B]
    masked, same = corrupted == mask_id, corrupted == ids  # [B, S]
    replaced = chosen & ~masked & ~same  # [B, S]
    if found := int(no_word[corrupted[replaced]].sum()):
        raise Mistake(
            f"{found:,} replacements are special tokens; draw them from the {vocab_size - 5} ordinary ones."
        )
    if len(corrupted[replaced].unique()) == 1 and len(corrupted[replaced]):
        raise Mistake(
            f"Every replacement is the token {int(corrupted[replaced][0])}: draw one for each position."
        )
    of_rows = (chosen & masked).sum(dim=1) / per_row.clamp(min=1)  # [B]
    if min((of_rows == 0).double().mean(), (of_rows == 1).double().mean()) > 0.1:
        raise Mistake(
            f"In {int(((of_rows == 0) | (of_rows == 1)).sum()):,} of 3,000 texts either all chosen tokens become [MASK] or none: draw the outcome for each token, not for each text."
        )
    shares = (
        torch.stack([chosen & masked, replaced, chosen & same]).sum(dim=(1, 2)) / chosen.sum()
    )  # [3]
    for name, wanted in (
        ("all to [MASK]", (1, 0, 0)),
        ("80/20/0", (0.8, 0.196, 0.004)),
        ("80/0/20", (0.8, 0, 0.2)),
        ("81/10/9", (0.81, 0.098, 0.092)),
        ("10/10/80", (0.1, 0.098, 0.802)),
        ("90/0/10", (0.9, 0, 0.1)),
        ("0/10/90", (0, 0.098, 0.902)),
        ("80/2/18", (0.8, 0.0196, 0.1804)),
    ):
        if torch.allclose(shares, torch.tensor(wanted, dtype=shares.dtype), atol=0.005):
            reason = {
                "all to [MASK]": "the chance of a chosen token is below the rate, so it is always below 0.8 as well; compare it with parts of the rate",
                "81/10/9": "two coins of 10%, of which the second counts only where the first has failed, give 9%. One draw with three ranges gives 80/10/10",
                "80/2/18": "the share of replacements is taken from the wrong total",
                "0/10/90": "the last step should go on from the tensor with [MASK] in it, not from the ids",
            }.get(name, "it should be 80/10/10")
            raise Mistake(
                f"Of the chosen tokens {shares[0]:.1%} become [MASK], {shares[1]:.1%} another token, {shares[2]:.1%} stay: {reason}."
            )
    if not torch.allclose(shares, torch.tensor([0.8, 0.098, 0.102]), atol=0.0045):
        raise Mistake(
            f"Of the chosen tokens {shares[0]:.1%} become [MASK], {shares[1]:.1%} another token, {shares[2]:.1%} stay; it should be 80, 10 and 10."
        )
    if not all(torch.equal(one, other) for one, other in zip(run(), run())):
        raise Mistake(
            "Two calls with a generator of the same seed give different masks: pass `generator` to everything that draws."
        )
    if torch.equal(run(seed=1)[1], run(seed=2)[1]):
        raise Mistake("Two different seeds choose exactly the same tokens.")
    if not 0.8 < float(per_row.var() / (per_row.mean() * 0.85)) < 1.2:
        raise Mistake(
            f"Your texts have {int(per_row.min())} to {int(per_row.max())} chosen tokens: each token should be chosen on its own."
        )
    small = {"mask_token_id": 2, "vocab_size": 9, "special_ids": (2, 5)}
    few = torch.tensor([[5, 1, 3, 4, 6, 7, 8, 0], [5, 8, 7, 6, 4, 3, 1, 0]]).repeat(
        200, 1
    )  # [B, S]
    try:
        corrupted, labels = answer(few, **small, generator=torch.Generator().manual_seed(3))
    except (IndexError, RuntimeError) as error:
        raise Mistake(
            f"Your function is right for a vocabulary of 60; with 9 tokens and the special ids 2 and 5 it stops ({error}). Use vocab_size and special_ids as they are given."
        ) from None
    chosen = labels != -100  # [B, S]
    if (
        chosen.shape != few.shape
        or (chosen & (few == 5)).any()
        or not torch.equal(labels[chosen], few[chosen])
        or (corrupted != few)[~chosen].any()
    ):
        raise Mistake(
            "With 9 tokens, [MASK] = 2 and the special ids 2 and 5 your labels do not fit the ids: use special_ids, and the ids themselves, as they are given."
        )
    if (
        (strange := corrupted[chosen & (corrupted != few) & (corrupted != 2)]).numel()
        and (int(strange.max()) > 8 or (strange == 5).any())
    ) or not (corrupted == 2).any():
        raise Mistake(
            f"With 9 tokens, [MASK] = 2 and the special ids 2 and 5 the model sees ids up to {int(corrupted.max())}, and [MASK] {int((corrupted == 2).sum())} times: "
            "use vocab_size, mask_token_id and special_ids as they are given."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=20,
    title="No loop, and one random number for choice and outcome",
    task=(
        "The loop above draws one random number for the choice of a token and another for its outcome. Mask a whole batch `[B, S]` without a loop, and with a single number for both: a token's `chance` decides "
        "whether it is chosen *and* what the model sees in its place. Of the ordinary tokens a proportion `rate` is chosen; of these, 80% become [MASK] and 10% the token in `drawn`."
    ),
    hints=(
        "The `chance` of every chosen token lies between 0 and `rate`, and all values in this interval are equally likely. Where do its first 80% end, and where do its last 10% begin?",
        "`torch.where(condition, this, that)` and `tensor.masked_fill(condition, value)` choose element by element. Every token has one outcome, so no position may fall into two parts of the interval, and the last step must not undo the one before. "
        "Put every comparison in brackets, because `&` binds more tightly than `<`.",
    ),
    paragraph="Masking a batch",
    solution=mask_batch,
    check=check_mask_batch,
)
