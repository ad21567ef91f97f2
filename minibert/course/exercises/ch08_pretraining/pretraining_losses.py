"""Exercise `pretraining_losses`: task, hints, solution and check."""

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


def pretraining_losses(word_logits, word_labels, pair_logits, pair_labels):
    """The mean loss of the masked words and the mean loss of the pairs, in nats: two scalars.

    word_logits [B, S, V], word_labels [B, S] (-100 = not masked); pair_logits [B, 2], pair_labels [B] (0 or 1).
    """
    chosen = word_labels != -100  # [B, S]
    logs = word_logits[chosen].log_softmax(dim=-1)  # blank: [M, V], log-probabilities at the masked positions  # fmt: skip
    mlm_loss = -logs.gather(1, word_labels[chosen][:, None]).mean()  # blank: minus those of the true words, the mean over M  # fmt: skip
    nsp_loss = F.cross_entropy(pair_logits, pair_labels)  # blank: the same for two classes, in one call  # fmt: skip
    return mlm_loss, nsp_loss


def check_pretraining_losses(answer):
    word_labels = torch.full((2, 6), -100)  # [B, S]
    word_labels[0, [1, 3, 5]], word_labels[1, 2] = torch.tensor([4, 0, 2]), 3
    pair_labels = torch.tensor([0, 1])  # [B]
    word_logits = 2 * torch.randn(2, 6, 5, dtype=torch.float64)  # [B, S, V]
    pair_logits = torch.tensor([[1.5, -0.5], [2.0, 0.7]], dtype=torch.float64)  # [B, 2]
    found = answer(
        word_logits.clone().requires_grad_(),
        word_labels.clone(),
        pair_logits.clone().requires_grad_(),
        pair_labels.clone(),
    )
    if (
        not isinstance(found, tuple | list | torch.Tensor)
        or (isinstance(found, torch.Tensor) and found.shape != (2,))
        or len(found) != 2
    ):
        raise Mistake(
            f"pretraining_losses should give back two losses, the words' and the pairs', not a {type(found).__name__}"
            f"{f' of shape {list(found.shape)}' if isinstance(found, torch.Tensor) else ''}."
        )
    word, pair = _number(found[0], "the word loss"), _number(found[1], "the pair loss")

    given = word_logits, word_labels, pair_logits, pair_labels
    words, pairs = pretraining_losses(*given)
    rows = [
        pretraining_losses(logits[None], labels[None], pair_logits, pair_labels)[0]
        for logits, labels in zip(word_logits, word_labels)
    ]
    if torch.isclose(word, pairs) and torch.isclose(pair, words):
        raise Mistake(
            f"Your losses stand in the wrong order: {word:.2f} is the pairs' and comes second. That is how a log comes to say what is not so."
        )
    numbers = dict(word=word, pair=pair, words=words, pairs=pairs, rows=rows)
    suspects = [
        (wrong(*given), sentence.format(**numbers)) for wrong, sentence in known(pretraining_losses)
    ]
    recognise(
        word,
        words,
        [(losses[0], sentence) for losses, sentence in suspects],
        "your word loss",
        tolerance=1e-5,
    )
    recognise(
        pair,
        pairs,
        [(losses[1], sentence) for losses, sentence in suspects],
        "your pair loss",
        tolerance=1e-5,
    )
    for loss, name, example in ((found[0], "word", words), (found[1], "pair", pairs)):
        if not getattr(loss, "requires_grad", False):
            raise Mistake(
                f"Your {name} loss, {example:.2f}, is right but a bare number: no gradient can go back through it. Leave it a tensor (no `.item()`, no `.detach()`)."
            )
    also(
        answer,
        pretraining_losses,
        (
            draw(3, 4, 7),
            torch.tensor([[-100, 6, -100, 0], [-100, -100, 3, -100], [1, 2, -100, 5]]),
            draw(3, 2, seed=1),
            torch.tensor([1, 0, 1]),
        ),
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="The two losses",
    task="Write both losses of pretraining on the model's logits: the mean over the *masked words* and the mean over the *pairs*, each in nats. "
    "Neither may depend on positions that were not masked, and pairs of both classes count.",
    hints=(
        "Choose the masked positions first, `word_logits[chosen]`, and nothing at the other positions can get into the loss.",
        "`log_softmax` turns scores into log-probabilities; `gather(1, ids[:, None])` takes from each row the entry with that id. "
        "For the pairs, `F.cross_entropy` does both and takes the mean.",
    ),
    paragraph="The two losses, by hand",
    solution=pretraining_losses,
    check=check_pretraining_losses,
)
