"""Exercise `mask_works`: task, hints, solution and check."""

import math

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch04_attention.common import CHAPTER, masked_attention
from minibert.course.exercises.compare import Mistake


def mask_works(attend):
    """True if attend(query, key, value, mask) hides [PAD]s and nothing else.

    It takes and returns what `masked_attention` does: mixed values and weights.
    """
    # blank from here: draw vectors, call attend, and judge by its results
    vectors = torch.randn(3, 2, 2, 7, 4)  # [3, B, A, S, D]: query, key and value
    lengths = torch.tensor([5, 3])  # of the texts; what follows are [PAD]s
    mask = (torch.arange(7) < lengths[:, None])[:, None, None]  # [B, 1, 1, S]
    padded = attend(*vectors, mask)[0]  # [B, A, S, D]
    for b, length in enumerate(lengths.tolist()):
        alone = attend(*vectors[:, b : b + 1, :, :length], None)[0]  # [1, A, length, D]
        if not torch.allclose(padded[b : b + 1, :, :length], alone, atol=1e-5):
            return False
    return True


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


def of_the_first_text(query, key, value, mask=None):
    return masked_attention(query, key, value, None if mask is None else mask[:1])


def zero_for_pads(query, key, value, mask=None):
    """Correct for real tokens; the results of [PAD]s are 0."""
    mixed, weights = masked_attention(query, key, value, mask)
    pads = mask is not None and mask.size(-1) == query.size(-2)
    return mixed * mask.transpose(-2, -1) if pads else mixed, weights


def undivided(query, key, value, mask=None):
    """A right mask, and scores that are not divided."""
    return masked_attention(query * math.sqrt(query.size(-1)), key, value, mask)


def by_distance(query, key, value, mask=None):
    """A right mask, and the negative squared distance of query and key for a score."""
    scores = -(query[..., :, None, :] - key[..., None, :, :]).square().sum(dim=-1)  # [B, A, S, T]
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def without_weights(query, key, value, mask=None):
    """Correct, and returns no weights, as fused functions do."""
    return masked_attention(query, key, value, mask)[0], None


OTHER_SCORES = {
    undivided: "are not divided by √D",
    by_distance: "are negative squared distances",
}
BROKEN = {  # 1 to 5 in the chapter, each with what one can see of it
    ignoring: "function 1, whose [PAD]s get as much weight as words",
    inverted: "function 2, whose words get no weight and the [PAD]s all of it",
    after_softmax: "function 3, whose rows of weights sum to less than 1",
    backwards_only: "function 4, in which later words get no weight",
    of_the_first_text: "function 5, in which [PAD]s of the second text get weight",
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
    for attend, what in OTHER_SCORES.items():
        if not all(judged(answer, attend)):
            raise Mistake(
                f"Your test rejects a function whose mask is right and whose scores {what}. It should test the mask and not the "
                "scores: compare results of `attend` with each other, not with those of equation 4.1 or of another function."
            )
    accepted = [what for attend, what in BROKEN.items() if any(judged(answer, attend))]
    if accepted:
        raise Mistake(
            f"Your test accepts {len(accepted)} of the 5 broken functions: {'; '.join(accepted)}."
        )
    try:
        right = all(judged(answer, without_weights))
    except (TypeError, AttributeError):  # it looks into the weights
        right = False
    if not right:
        raise Mistake(
            "Your test needs the weights, but a fused function returns None for them. Judge by the mixed values: what should "
            "those of a text with [PAD]s be equal to?"
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="Write the test of a mask",
    task="""
            Write a test for attention functions that are called like that of the last exercise. It returns False for each of
            the functions 1 to 5, and True whenever the mask is right, even if its scores differ from those of equation 4.1, for
            example because they are not divided by √D, and even if it returns None for its weights, as fused functions do.
            So you cannot compare with `masked_attention`. Your test sees only what a function returns, and it may call it
            several times.
            """,
    hints=(
        "Of the five, only one gives no weight to [PAD]s and has rows that sum to 1. Which one? A test of these two properties accepts it. And which one can be found only in a batch of two texts?",
        "Which vectors should a text with [PAD]s at its end get? You know a way to compute them without any mask.",
    ),
    paragraph="Padding must get no weight",
    solution=mask_works,
    check=check_mask_works,
)
