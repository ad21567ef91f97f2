"""Exercise `mask_works`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch04_attention.common import CHAPTER, masked_attention
from minibert.course.exercises.compare import Mistake


def mask_works(attend):
    """True if attend(query, key, value, mask) hides [PAD]s and nothing else.

    It takes and returns what `masked_attention` does: mixed values and weights.
    """
    # blank from here: draw vectors, call attend, and judge by its results
    query, key, value = torch.randn(3, 1, 2, 7, 4)  # 3 · [B, A, S, D]
    mask = (torch.arange(7) < 5).view(1, 1, 1, 7)  # the last two are [PAD]s
    padded = attend(query, key, value, mask)[0][:, :, :5]
    alone = attend(query[:, :, :5], key[:, :, :5], value[:, :, :5], None)[0]
    return torch.allclose(padded, alone, atol=1e-5)


def ignoring(query, key, value, mask=None):
    return masked_attention(query, key, value)


def inverted(query, key, value, mask=None):
    return masked_attention(query, key, value, None if mask is None else ~mask)


def after_softmax(query, key, value, mask=None):
    weights = masked_attention(query, key, value)[1]
    weights = weights if mask is None else weights * mask
    return weights @ value, weights


def backwards_only(query, key, value, mask=None):
    if mask is not None:
        mask = mask & torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril()
    return masked_attention(query, key, value, mask)


def zero_for_pads(query, key, value, mask=None):
    """Correct for real tokens; the results of [PAD]s are 0."""
    mixed, weights = masked_attention(query, key, value, mask)
    pads = mask is not None and mask.size(-1) == query.size(-2)
    return mixed * mask.transpose(-2, -1) if pads else mixed, weights


BROKEN = {
    ignoring: "ignores its mask",
    inverted: "hides the real tokens and shows the [PAD]s",
    after_softmax: "sets weights to 0 after the softmax, so that a row sums to less than 1",
    backwards_only: "also hides real tokens: with a mask, every token looks back only",
}


def judged(answer, attend):
    """What an answer says about an attention function, which must be the same in three draws."""
    found = []
    with torch.random.fork_rng(devices=[]):
        for seed in range(3):
            torch.manual_seed(seed)
            found.append(answer(attend))
    for each in found:
        if not isinstance(each, bool) and not (
            isinstance(each, torch.Tensor) and each.dtype == torch.bool and each.numel() == 1
        ):
            raise Mistake("Return True or False.")
    return [bool(each) for each in found]


def check_mask_works(answer):
    if not all(judged(answer, masked_attention)):
        if all(judged(answer, zero_for_pads)):
            raise Mistake(
                "Your test expects the results of the [PAD]s themselves to be 0. Nothing uses them, so compare only the results "
                "of real tokens."
            )
        raise Mistake(
            "Your test rejects the attention of exercise 4.3, which is correct. Results that are equal on paper differ by "
            "rounding, so compare them with torch.allclose."
        )
    accepted = [what for attend, what in BROKEN.items() if any(judged(answer, attend))]
    if accepted:
        raise Mistake(
            f"Your test accepts {len(accepted)} of the 4 broken functions: one that {'; one that '.join(accepted)}."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Write the test of a mask",
    task="""
            Write a test for attention functions that are called like that of the last exercise. It returns True for a correct
            one, and False for each of four broken ones: the first ignores its mask, the second inverts it, the third sets
            weights to 0 after the softmax, and with a mask the fourth lets every token look back only. Your test only sees
            what a function returns, and it may call it several times.
            """,
    hints=(
        "One test could look at the weights of the [PAD]s, and another at the sums of the rows. Which of the four pass both?",
        "Which vectors should a text with [PAD]s at its end get? You know a way to compute them without any mask.",
    ),
    paragraph="Padding must get no weight",
    solution=mask_works,
    check=check_mask_works,
)
