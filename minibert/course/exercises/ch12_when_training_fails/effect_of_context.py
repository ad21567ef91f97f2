"""Exercise `effect_of_context`: task, hints, solution and check."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch12_when_training_fails.common import CHAPTER, tiny
from minibert.course.exercises.compare import Mistake


@torch.no_grad()
def effect_of_context(model, batch):
    """Exchange the other words, predict again: (distance, rise).

    distance: how far the predictions at the chosen positions move,
    as mean total variation distance, 0 to 1.
    rise: how much the MLM loss rises, in nats; negative if it falls.
    batch: what model(**batch) takes; labels are -100 where not chosen.
    Ids 0 to 4 are special tokens, all others are words. Exchange a word
    for the one at the same position of the row before (for the first
    row: of the last row) if neither position is chosen and both hold a
    word. All other inputs stay.
    Returns two floats. Puts the model into evaluation mode, because
    dropout would move the predictions by itself.
    """
    # blank from here: exchange words, predict twice, compare both
    model.eval()
    ids, labels = batch["input_ids"], batch["labels"]  # [B, S] each
    chosen = labels != -100
    word = (ids > 4) & ~chosen
    both = word & word.roll(1, 0)
    exchanged = ids.roll(1, 0).where(both, ids)  # [B, S]
    mine = model(**batch).prediction_logits[chosen]  # [N, V]
    moved = model(**(batch | {"input_ids": exchanged})).prediction_logits[chosen]
    distance = (mine.softmax(-1) - moved.softmax(-1)).abs().sum(-1).mean() / 2
    before, after = (F.cross_entropy(scores, labels[chosen]) for scores in (mine, moved))
    return distance.item(), (after - before).item()


def rows():
    """A model in evaluation mode, and a batch with special tokens at different positions."""
    model, batch = tiny()
    ids = batch["input_ids"].clone()
    for row, end in enumerate((9, 11, 8, 10)):
        chosen = batch["labels"][row] != -100
        ids[row, 0], ids[row, end] = 2, 3
        ids[row, end + 1 :] = 0
        batch["labels"][row, [0, *range(end, 12)]] = -100
        ids[row] = ids[row].where(~chosen | (batch["labels"][row] == -100), 4)
        ids[row, (batch["labels"][row] != -100).nonzero()[0]] = 20 + row  # chosen, and not masked
    ids[:, 1:8] = ids[:, 1:8].where((batch["labels"][:, 1:8] != -100) | (ids[:, 1:8] > 4), 7)
    for weight in model.parameters():
        weight.data *= 2  # for an effect that is not tiny
    return model.eval(), batch | {"input_ids": ids, "attention_mask": (ids != 0).long()}


@torch.no_grad()
def variant(
    halved=True, probabilities=True, chosen_only=True, words_only=True, gaps=False, shown=False,
    masks=False, shift=1, turned=False,
):  # fmt: skip
    """The solution's numbers, and those of wrong versions of it."""
    model, batch = rows()
    ids, chosen = batch["input_ids"], batch["labels"] != -100
    if masks:
        chosen = ids == 4
    word = (ids > 4) & ~chosen
    word = (ids > 4) | chosen if gaps else ids > 4 if shown else word
    both = word & word.roll(shift, 0) if words_only else torch.ones_like(word)
    exchanged = ids.roll(shift, 0).where(both, ids)
    scores = [model(**(batch | {"input_ids": some})).prediction_logits for some in (ids, exchanged)]
    found = [some[chosen if chosen_only else torch.ones_like(chosen)] for some in scores]
    mine, moved = (some.softmax(-1) if probabilities else some for some in found)
    distance = (mine - moved).abs().sum(-1).mean().item() / (2 if halved else 1)
    before, after = (
        F.cross_entropy(some.flatten(0, 1), batch["labels"].flatten()).item() for some in scores
    )
    return distance, before - after if turned else after - before


WRONG = (
    ({"halved": False}, "that is the whole sum of differences. The total variation distance is half of it"),
    ({"probabilities": False}, "you compare the scores. Take the softmax first"),
    ({"chosen_only": False}, "that is the mean over all positions. Compare at the chosen ones only"),
    ({"words_only": False}, "you exchange every position. Special tokens and chosen positions stay"),
    ({"gaps": True}, "you exchange the chosen positions as well. Their inputs must stay"),
    ({"shown": True}, "you exchange chosen positions that show a word. They stay as well"),
    ({"masks": True}, "you take the positions that show [MASK]. Chosen is where the label is not -100"),
    ({"shift": -1}, "you take the words of the row after. The row before is `roll(1, 0)`"),
    ({"turned": True}, "the rise has the wrong sign. It is the loss after the exchange minus the loss before"),
)  # fmt: skip


def equal(found, right):
    return all(abs(one - other) < 1e-5 for one, other in zip(found, right))


def check_effect_of_context(answer):
    model, batch = rows()
    found = answer(model, batch)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mistake(f"you return {type(found).__name__}; expected two floats, (distance, rise).")
    if not all(isinstance(value, int | float) for value in found):
        raise Mistake("you return tensors; expected floats, for example by `.item()`.")
    right = variant()
    says = "you find ({:.4f}, {:.4f}) where it should be ({:.4f}, {:.4f})".format(*found, *right)
    if not equal(found, right):
        for changes, why in WRONG:
            if equal(found, variant(**changes)):
                raise Mistake(f"{says}: {why}.")
        if abs(found[0]) < 1e-6:
            raise Mistake(
                f"{says}: both inputs are the same, or you compare the most probable words only."
            )
        if abs(found[0] - right[0]) < 1e-5:
            raise Mistake(f"{says}: the distance is right, the rise is not. It is a difference of two means of the cross-entropy at the chosen positions.")  # fmt: skip
        raise Mistake(
            f"{says}. Take the softmax over the vocabulary, half the sum of the absolute differences"
            " over all words, and the mean over the chosen positions. And exchange only where both"
            " rows have a word that is not chosen."
        )
    same = {name: values[:1].expand(4, *values.shape[1:]) for name, values in batch.items()}
    if not equal(answer(model, same), (0, 0)):
        raise Mistake("for four equal rows both must be 0. Compute with what you are given.")
    if not equal(moved := answer(model.train(), same), (0, 0)):
        raise Mistake(
            f"for a model in training mode and four equal rows you find {moved[0]:.3f} instead of 0:"
            " that is dropout. Call `model.eval()` first."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="Measure the effect of context",
    task="Measure how much the words around a gap matter to a model: predict the chosen words twice, the second time with the other words exchanged for those of another row. Return how far the predictions move, and how much the loss rises. The first is the total variation distance of the two predictions, half the sum of their absolute differences: 0 if the two predictions agree, 1 if they share no word at all.",
    hints=(
        "First find where an exchange is allowed: a boolean tensor [B, S] for “a word here that is not chosen”, and the same tensor moved by one row. Which positions must keep their input?",
        "`roll(1, 0)` moves rows, and `a.where(condition, b)` chooses between two tensors. `batch | {...}` makes a new batch in which one entry differs. `F.cross_entropy(scores[chosen], labels[chosen])` is the MLM loss.",
    ),
    paragraph="The loss stops too high",
    solution=effect_of_context,
    check=check_effect_of_context,
)
