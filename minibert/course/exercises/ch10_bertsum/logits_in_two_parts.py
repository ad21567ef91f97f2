"""Exercise `logits_in_two_parts`: task, hints, solution and check."""

import torch
from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch10_bertsum.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    draw,
    expect_tensor,
    recognise,
)


def logits_in_two_parts(vectors, recurrent, weight, bias):
    """The logits w · (r + T_n) + b of a head whose r is the same for all sentences of a document, as a sum of two tensors.

    vectors T [B, N, H], recurrent r [B, H], weight w [H], bias b a number
    -> what depends on the sentence [B, N], and what does not, b included: [B, 1].
    """
    of_sentence = vectors @ weight  # blank: [B, N], different for each sentence
    of_document = (recurrent @ weight + bias)[:, None]  # blank: [B, 1], the same for all sentences of a document  # fmt: skip
    return of_sentence, of_document


def check_logits_in_two_parts(answer):
    vectors, recurrent = (
        torch.randn(2, 4, 3, dtype=torch.float64),
        torch.randn(2, 3, dtype=torch.float64),
    )  # [B, N, H], [B, H]
    weight, bias = torch.randn(3, dtype=torch.float64), 0.7  # [H]
    found = answer(vectors, recurrent, weight, bias)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mistake(
            f"logits_in_two_parts should give back two tensors, the sentences' part and the documents', not a {type(found).__name__}."
        )
    one, other = found
    total = (vectors + recurrent[:, None]) @ weight + bias  # [B, N]
    sentence, document = vectors @ weight, (recurrent @ weight)[:, None]  # [B, N], [B, 1]
    if (
        isinstance(one, Tensor)
        and isinstance(other, Tensor)
        and one.shape == (2, 1)
        and other.shape == (2, 4)
    ):
        raise Mistake(
            "Your two parts stand in the wrong order: the sentences' part [2, 4] comes first."
        )
    recognise(
        one,
        sentence,
        [
            (
                total - bias,
                "Your first part holds r, which is the same for all sentences of a document; it belongs to the second part.",
            ),
            (
                sentence.sigmoid(),
                "Your first part is a sigmoid; the *logit* is to be taken apart, before any sigmoid.",
            ),
            (
                total,
                f"Your first part is the whole logit, {total[0, 0]:.2f} for the first sentence: r is in it, and r is the same for all sentences.",
            ),
            (
                sentence + bias,
                f"Your first part holds the bias {bias}. It is the same for every sentence, so it belongs to the second part.",
            ),
            (
                vectors.sum(dim=-1),
                "Your first part sums up the vectors; each number has its weight.",
            ),
            (
                vectors.mean(dim=-1),
                "Your first part is a mean of the vectors' numbers; each number has its weight.",
            ),
            (
                sentence - sentence.mean(dim=1, keepdim=True),
                "Your first part is taken less its mean over the document. That keeps the order, but the two parts no longer add up to the logit.",
            ),
        ],
        "the part of the sentences",
        1e-9,
    )
    if isinstance(other, Tensor) and other.shape == (2,):
        raise Mistake(
            "Your second part has the shape [2]: beside [2, 4] it would be added along the sentences. Give it a second axis, [2, 1]."
        )
    if isinstance(other, Tensor) and other.shape == (2, 4):
        raise Mistake(
            "Your second part has 4 numbers for each document, [2, 4]. It does not depend on the sentence, so one is enough: [2, 1]."
        )
    if isinstance(other, Tensor) and other.shape == (1, 2):
        raise Mistake(
            "Your second part has the shape [1, 2]: documents stand along the first axis, [2, 1]."
        )
    expect_tensor(other, (2, 1), "the part of the document")
    recognise(
        other,
        document + bias,
        [
            (
                document,
                f"The two parts add up to {float((one + other)[0, 0]):.2f} where the logit is {total[0, 0]:.2f}: the bias {bias} is missing.",
            ),
            (
                torch.full_like(document, bias),
                f"Your second part is {bias} for every document: what the recurrent network says is missing from it.",
            ),
            (document + 2 * bias, "The bias is in it twice."),
            (document - bias, f"You subtract the bias {bias}; it is added."),
            (
                4 * document + bias,
                "You count r once for each of the 4 sentences; every logit has it once.",
            ),
            (document * bias, f"The bias is a number that is added, {bias}; you multiply by it."),
            (
                recurrent.sum(dim=-1, keepdim=True) + bias,
                "Your second part sums up r; each number has its weight.",
            ),
            (
                sentence.mean(dim=1, keepdim=True) + bias,
                "Your second part is made of the sentences; the part that all share comes from r.",
            ),
        ],
        "the part of the document",
        1e-9,
    )
    vectors, recurrent = draw(3, 2, 4).requires_grad_(), draw(3, 4, seed=1)  # [B, N, H], [B, H]
    try:
        parts = answer(vectors, recurrent, draw(4, seed=2), -1.3)
    except RuntimeError as error:
        raise Mistake(
            f"For 2 documents of 4 sentences you are right; for 3 documents of 2 sentences you stop ({error}). Take the sizes from what is given."
        ) from None
    for part, wanted, name in zip(
        parts, logits_in_two_parts(vectors, recurrent, draw(4, seed=2), -1.3), ("first", "second")
    ):
        if part.shape != wanted.shape or not torch.allclose(part, wanted):
            raise Mistake(
                f"With the bias 0.7 you are right; with -1.3, for 3 documents of 2 sentences, your {name} part begins with {part.flatten()[0]:.2f} where {wanted.flatten()[0]:.2f} is right. "
                "Use the bias and the sizes that are given."
            )
    if not parts[0].requires_grad:
        raise Mistake("No gradient goes from your parts back to the vectors: no detach.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="What can the broken network change?",
    solution=logits_in_two_parts,
    check=check_logits_in_two_parts,
    task="The original's recurrent head computes $w \\cdot (r + T_n) + b$, with one $r$ for all sentences of a document. Take the logit apart. Then answer without running "
    "anything: which of these can $r$ change, the scores, the order of the sentences, the summary?",
    hints=(
        "A dot product with a sum is a sum of dot products. Which of the summands know n?",
        "`vectors @ weight` is [B, N]. `recurrent @ weight` is [B]; with `[:, None]` it becomes [B, 1], and is added to every sentence alike.",
    ),
    paragraph="What could it still change?",
)
