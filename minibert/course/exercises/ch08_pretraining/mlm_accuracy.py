"""Exercise `mlm_accuracy`: task, hints, solution and check."""

import math

import torch
import torch.nn.functional as F

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch08_pretraining.common import (
    CHAPTER,
    _number,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
    recognise,
)


def mlm_accuracy(logits, labels):
    """The share of the masked words that are guessed: logits [B, S, V], labels [B, S] (-100 = not masked) -> a scalar."""
    chosen = labels != -100  # blank: [B, S], True where a word was to be guessed
    hits = logits.argmax(dim=-1) == labels  # blank: [B, S], True where the highest score is the word's  # fmt: skip
    return hits[chosen].float().mean()  # blank: hits among the chosen


def check_word_accuracy(answer):
    labels = torch.full((2, 8), -100)  # [B, S]
    labels[0, [1, 2, 3, 5]], labels[1, [2, 4, 6]] = (
        torch.tensor([5, 0, 2, 6]),
        torch.tensor([3, 1, 7]),
    )
    counted = labels != -100  # [B, S]
    # V equals S, so that a wrong axis does not change the shape.
    perfect = 5.5 * F.one_hot(labels.clamp(min=0), 8).float()  # [B, S, V]
    logits = torch.randn(2, 8, 8).where(~counted[..., None], perfect)  # [B, S, V]
    logits[0, 1] *= 0.2  # correct, with a probability below 0.5
    # Two of the seven words are wrong: one ranks last, the other second.
    logits[0, 3], logits[1, 4, 6] = -logits[0, 3], 8.0
    logits[0, [0, 4, 6], 0] = 9.0  # word 0 has the highest score at unmasked positions
    # With these, an argmax over positions is correct for three of the words.
    logits[0, 0, 2] = logits[1, 3, 2] = logits[1, 1, 4] = 8.0
    found = _number(answer(logits.clone(), labels.clone()), "mlm_accuracy")
    hits = logits.argmax(dim=-1) == labels  # [B, S]
    rows = [float(hits[i][counted[i]].float().mean()) for i in range(2)]
    numbers = dict(found=found, rows=rows, you=f"Your accuracy is {found:.2f}")
    suspects = [
        (torch.as_tensor(wrong(logits, labels)), sentence.format(**numbers))
        for wrong, sentence in known(mlm_accuracy)
    ]
    recognise(found, hits[counted].double().mean(), suspects, "your accuracy", tolerance=1e-5)
    again = float(answer(perfect, labels.clone()))
    if not math.isclose(again, 1, rel_tol=1e-6):
        raise Mistake(
            f"A perfect model scores {again:.2f} with you, where it must score 1; for another model you had {found:.2f}, which is right."
        )
    also(
        answer,
        mlm_accuracy,
        (
            draw(3, 4, 5),
            torch.tensor([[-100, 2, -100, 0], [4, -100, -100, -100], [-100, 1, 3, -100]]),
        ),
    )  # [B, S, V], [B, S]


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=5,
    title="How many words were guessed?",
    task="Write the accuracy of the masked words: of those that were to be guessed, the share whose score is the highest. A perfect model must score 1.",
    hints=(
        "Positions that were not masked have the label -100. They belong neither among the hits nor among what you divide by.",
        "`hits[chosen]` keeps the chosen ones only, as one flat list. Its mean, as floats, is the share.",
    ),
    paragraph="Accuracies, over the right positions",
    solution=mlm_accuracy,
    check=check_word_accuracy,
)
