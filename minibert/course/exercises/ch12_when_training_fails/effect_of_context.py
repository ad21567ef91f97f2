"""Exercise `effect_of_context`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch12_when_training_fails.common import CHAPTER
from minibert.course.exercises.ch12_when_training_fails.overfit_one_batch import tiny
from minibert.course.exercises.compare import Mistake


@torch.no_grad()
def effect_of_context(model, batch):
    """How far the predictions at scored positions move when the other words are exchanged: 0 to 1.

    batch: what model(**batch) takes; labels are -100 where a position is not scored.
    Ids 0 to 4 are special. Where a position holds an unscored word, in this row and in the row
    before it (the last row comes before the first), it gets the word of the row before.
    Returns the mean total variation distance over the scored positions, as a float. Puts the model
    into evaluation mode, because dropout would move the predictions by itself.
    """
    # blank from here: exchange words, predict twice, compare probabilities (not scores)
    model.eval()
    ids, scored = batch["input_ids"], batch["labels"] != -100  # [B, S]
    word = (ids > 4) & ~scored
    both = word & word.roll(1, 0)
    exchanged = ids.roll(1, 0).where(both, ids)  # [B, S]
    mine = model(**batch).prediction_logits[scored].softmax(-1)  # [N, V]
    moved = model(**(batch | {"input_ids": exchanged})).prediction_logits[scored].softmax(-1)
    return (mine - moved).abs().sum(-1).mean().item() / 2


def rows():
    """A model in evaluation mode, and a batch with special tokens at different positions."""
    model, batch = tiny()
    ids = batch["input_ids"].clone()
    for row, end in enumerate((9, 11, 8, 10)):
        scored = batch["labels"][row] != -100
        ids[row, 0], ids[row, end] = 2, 3
        ids[row, end + 1 :] = 0
        batch["labels"][row, [0, *range(end, 12)]] = -100
        ids[row] = ids[row].where(~scored | (batch["labels"][row] == -100), 4)
        ids[row, (batch["labels"][row] != -100).nonzero()[0]] = 20 + row  # scored, and not masked
    ids[:, 1:8] = ids[:, 1:8].where((batch["labels"][:, 1:8] != -100) | (ids[:, 1:8] > 4), 7)
    for weight in model.parameters():
        weight.data *= 2  # for an effect that is not tiny
    return model.eval(), batch | {"input_ids": ids, "attention_mask": (ids != 0).long()}


@torch.no_grad()
def variant(
    halved=True, probabilities=True, scored_only=True, words_only=True, gaps=False, shown=False,
    masks=False, shift=1,
):  # fmt: skip
    """The solution's number, and those of wrong versions of it."""
    model, batch = rows()
    ids, scored = batch["input_ids"], batch["labels"] != -100
    if masks:
        scored = ids == 4
    word = (ids > 4) & ~scored
    word = (ids > 4) | scored if gaps else ids > 4 if shown else word
    both = word & word.roll(shift, 0) if words_only else torch.ones_like(word)
    exchanged = ids.roll(shift, 0).where(both, ids)
    found = [
        model(**(batch | {"input_ids": some})).prediction_logits[
            scored if scored_only else torch.ones_like(scored)
        ]
        for some in (ids, exchanged)
    ]
    mine, moved = (some.softmax(-1) if probabilities else some for some in found)
    return (mine - moved).abs().sum(-1).mean().item() / (2 if halved else 1)


WRONG = (
    ({"halved": False}, "that is the whole sum of differences. The total variation distance is half of it"),
    ({"probabilities": False}, "you compare the scores. Take the softmax first"),
    ({"scored_only": False}, "that is the mean over all positions. Compare at the scored ones only"),
    ({"words_only": False}, "you exchange every position. Special tokens and scored positions stay"),
    ({"gaps": True}, "you exchange the scored positions as well. Their inputs must stay"),
    ({"shown": True}, "you exchange scored positions that show a word. They stay as well"),
    ({"masks": True}, "you take the positions that show [MASK]. Scored is where the label is not -100"),
    ({"shift": -1}, "you take the words of the row after. The row before is `roll(1, 0)`"),
)  # fmt: skip


def check_effect_of_context(answer):
    model, batch = rows()
    found = answer(model, batch)
    if not isinstance(found, int | float):
        raise Mistake(f"you return {type(found).__name__}; expected one float, for example by `.item()`.")  # fmt: skip
    right = variant()
    if abs(found - right) > 1e-5:
        for changes, why in WRONG:
            if abs(found - variant(**changes)) < 1e-5:
                raise Mistake(f"you find {found:.4f} where it should be {right:.4f}: {why}.")
        if abs(found) < 1e-6:
            raise Mistake(
                f"you find 0 where it should be {right:.4f}: both inputs are the same, or you compare"
                " the most probable words only."
            )
        raise Mistake(
            f"you find {found:.4f} where it should be {right:.4f}. Take the softmax over the"
            " vocabulary, half the sum of the absolute differences over all words, and the mean over"
            " the scored positions. And exchange only where both rows have an unscored word."
        )
    same = {name: values[:1].expand(4, *values.shape[1:]) for name, values in batch.items()}
    if abs(answer(model, same)) > 1e-6:
        raise Mistake("for four equal rows the effect must be 0. Compute with what you are given.")
    if abs(moved := answer(model.train(), same)) > 1e-6:
        raise Mistake(
            f"for a model in training mode and four equal rows you find {moved:.3f} instead of 0:"
            " that is dropout. Call `model.eval()` first."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="Measure the effect of context",
    task="Write a measurement that finds a model which does not see the words around a gap: predict the scored words twice, the second time with the other words exchanged for those of another row, and compare the two predictions. The total variation distance of two distributions is half the sum of their absolute differences: 0 if they are equal, 1 if they have nothing in common.",
    hints=(
        "First find where an exchange is allowed: a boolean tensor [B, S] for “an unscored word here”, and the same tensor moved by one row. What else has to stay as it is?",
        "`roll(1, 0)` moves rows, and `a.where(condition, b)` chooses between two tensors. `batch | {...}` makes a new batch in which one entry differs.",
    ),
    paragraph="Step 3: overfit one batch",
    solution=effect_of_context,
    check=check_effect_of_context,
)
