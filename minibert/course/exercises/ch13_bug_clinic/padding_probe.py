"""Exercise `padding_probe`: task, hints, solution and check."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.attention import attend
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch13_bug_clinic.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    draw,
)


def padding_probe(attend, query, key, value, padding=3):
    """How far an answer moves when tokens are appended at which nobody may look; 0 for attention that is in order.

    attend(query, key, value, mask) -> (mixed, weights); the mask is boolean over the keys, True = may be looked at.
    query, key, value [B, A, S, D]. Returns a float: the largest change of any number of the S tokens.
    """
    S = query.size(2)
    alone = attend(query, key, value, torch.ones(S, dtype=torch.bool))[0]  # [B, A, S, D]
    longer = [
        F.pad(x, (0, 0, 0, padding), value=1.0) for x in (query, key, value)
    ]  # [B, A, S + padding, D] each
    mask = torch.arange(S + padding) < S  # blank: who may be looked at? [S + padding], boolean
    padded = attend(*longer, mask)[0]  # [B, A, S + padding, D]
    moved = padded[:, :, :S] - alone  # blank: the change of the tokens that were there before
    return moved.abs().max().item()  # blank: the largest of all, as a float


def attend_by_length(query, key, value, mask):
    """Attention with a bug: the scores are divided by the square root of the number of tokens."""
    return attend(query * math.sqrt(query.size(-1) / query.size(2)), key, value, mask)


def attend_everywhere(query, key, value, mask):
    """Attention with a bug: the mask is ignored."""
    return attend(query, key, value)


def attend_turned(query, key, value, mask):
    """Attention with a bug: the mask is inverted, unless that would hide everything."""
    return attend(query, key, value, mask if mask is None or mask.all() else ~mask)


WARD = (
    ("in order", attend),
    ("A1", attend_by_length),
    ("a mask that is ignored", attend_everywhere),
    ("a mask that is turned round", attend_turned),
)


def check_padding_probe(answer):
    query, key, value = (draw(2, 2, 5, 3, seed=seed) for seed in (1, 2, 3))  # [B, A, S, D] each
    found = {}
    for name, attention in WARD:
        seen = []

        def watched(query, key, value, mask=None):
            seen.append((query.size(2), mask))
            return attention(query, key, value, mask)

        found[name] = answer(watched, query, key, value, 4)
        if isinstance(found[name], Tensor):
            raise Mistake(
                f"Your probe gives back a tensor of shape {list(found[name].shape)}. One number is wanted, a float: `.item()` makes it one."
            )
        if isinstance(found[name], bool) or not isinstance(found[name], float):
            raise Mistake(
                f"Your probe says {found[name]!r}. How far is wanted, a float: the one who calls it decides what is too far."
            )
        _check_what_attention_saw(seen)
    _check_padding_findings(found, query, key, value)


def _check_what_attention_saw(seen):
    longest, mask = max(seen, key=lambda call: call[0], default=(0, None))
    if longest != 9:
        raise Mistake(
            f"Asked to append 4 tokens to 5, your probe shows attention {longest}: `padding` says how many."
        )
    if mask is None or mask.all():
        raise Mistake(
            "Your mask lets everybody look at the 4 appended tokens. Then attention that is in order moves as well, and the probe tells nothing apart."
        )
    row = mask.reshape(-1, mask.size(-1))[0]  # [T]
    if torch.equal(row, torch.arange(9) >= 5):
        raise Mistake(
            "Your mask is True at the 4 tokens of padding, and at no other. Here True means: may be looked at."
        )
    if not torch.equal(row, torch.arange(9) < 5):
        raise Mistake(
            f"Your mask is True at {int(row.sum())} of {row.numel()} tokens; it should be True at the 5 that were there before, and at no other."
        )


def _check_padding_findings(found, query, key, value):
    longer = [F.pad(x, (0, 0, 0, 4), value=1.0) for x in (query, key, value)]
    alone = attend_by_length(query, key, value, None)[0]  # [B, A, S, D]
    moved = attend_by_length(*longer, torch.arange(9) < 5)[0][:, :, :5] - alone  # [B, A, S, D]
    right, mine = moved.abs().max().item(), found["A1"]
    for wrong, sentence in (
        (
            moved.max(),
            f"You take the largest change with its sign, {mine:.3f}. One of {moved.min():.3f} is larger, and in the other direction: `.abs()` first.",
        ),
        (
            moved.abs().mean(),
            f"You take the mean of all changes, {mine:.3f}. A patient in whom one token is ill would look well; the largest is wanted, {right:.3f}.",
        ),
        (
            moved.abs().sum(),
            f"You add all changes up, {mine:.2f}: a larger batch would look more ill. The largest is wanted, {right:.3f}.",
        ),
        (
            moved.norm(),
            f"You take the root of the sum of squares, {mine:.3f}, which grows with the batch. The largest change is wanted, {right:.3f}.",
        ),
        (
            moved[:, :, 0].abs().max(),
            f"You look at the first token only and find {mine:.3f}; another one has moved by {right:.3f}.",
        ),
        (
            moved[0].abs().max(),
            f"You look at the first row of the batch only and find {mine:.3f}; the other one has moved by {right:.3f}.",
        ),
        (
            moved.abs().max() / alone.abs().max(),
            f"You divide by the largest number of the answer and find {mine:.3f}; asked for is how far, {right:.3f}, not how far in proportion.",
        ),
    ):
        if math.isclose(mine, wrong, rel_tol=1e-9):
            raise Mistake(sentence)
    if not found["in order"] < 1e-9:
        raise Mistake(
            f"Your probe finds {found['in order']:.3f} in attention that is in order. Do you compare the 5 tokens that were there before with themselves, and no others?"
        )
    if not math.isclose(mine, right, rel_tol=1e-9):
        raise Mistake(
            f"In attention that divides by the root of the length your probe finds {mine:.3f}, where a number has moved by {right:.3f}."
        )
    for name, value in found.items():
        if name != "in order" and not value > 1e-3:
            raise Mistake(f"Your probe finds {value:.3f} in attention with {name}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=8,
    title="A probe for padding",
    task="Padding is what a batch adds to a short text; the text must not notice. Write the probe that asks for it: run attention on `S` tokens, run it again with `padding` tokens appended at which nobody may look, and give back how far the answers of the first `S` tokens have moved. It takes any `attend` of the usual form, well or ill.",
    hints=(
        "Three blanks: a mask over `S + padding` tokens, a difference, and one number out of it.",
        "`torch.arange(n) < S` is True in the first `S` places. The longer answer has `S + padding` tokens along axis 2: take the first `S`. A change can be negative.",
    ),
    paragraph="Examine before you operate",
    solution=padding_probe,
    check=check_padding_probe,
)
