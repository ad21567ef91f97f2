"""Exercise `overfit_one_batch`: task, hints, solution and check."""

import copy
from functools import cache

import torch
import torch.nn.functional as F

from minibert import BertConfig, BertForPreTraining
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch12_when_training_fails.common import CHAPTER, numbers
from minibert.course.exercises.compare import Mistake


def overfit_one_batch(model, batch, steps, learning_rate):
    """Both losses before each of `steps` steps of AdamW on the same batch: [(MLM, NSP), ...].

    Trains a copy without dropout, and leaves `model` as it is. batch: input_ids, token_type_ids,
    attention_mask, labels, next_sentence_label. The steps minimise the sum of both losses.
    """
    model = copy.deepcopy(model)
    model.eval()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    # blank from here: the loop; model(**batch) has .loss, .prediction_logits
    for _ in range(steps):
        out = model(**batch)
        mlm_loss = F.cross_entropy(out.prediction_logits.flatten(0, 1), batch["labels"].flatten())
        losses.append((mlm_loss.item(), (out.loss - mlm_loss).item()))
        out.loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return losses


STEPS, RATE = 8, 5e-3


def tiny():
    """A model with dropout and a batch of 4 rows, the same each time."""
    torch.manual_seed(0)
    model = BertForPreTraining(
        BertConfig(
            vocab_size=40,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=12,
            initializer_range=0.1,
        )
    ).train()
    ids = torch.randint(5, 40, (4, 12))
    labels = ids.where(torch.rand(4, 12) < 0.3, -100)
    batch = {
        "input_ids": ids.where(labels == -100, 4),
        "token_type_ids": (torch.arange(12) >= 6).long().expand(4, 12),
        "attention_mask": torch.ones(4, 12, dtype=torch.long),
        "labels": labels,
        "next_sentence_label": torch.tensor([0, 1, 0, 1]),
    }
    return model, batch


def other_batch():
    """Another batch of the same shape: the rows in another order of tokens."""
    _, batch = tiny()
    turned = {name: batch[name].flip(1) for name in ("input_ids", "labels", "attention_mask")}
    return batch | turned | {"next_sentence_label": 1 - batch["next_sentence_label"]}


def variant(
    zero=True, sum_of_both=False, swapped=False, words_only=False, after=False, other=False
):
    """The losses of the solution, and of wrong versions of it."""
    model, batch = tiny()
    model.eval()
    steps, rate = (STEPS, RATE) if not other else (STEPS - 3, 2 * RATE)
    batch = other_batch() if other else batch
    optimizer, losses = torch.optim.AdamW(model.parameters(), lr=rate), []
    for _ in range(steps + after):
        out = model(**batch)
        words = F.cross_entropy(out.prediction_logits.flatten(0, 1), batch["labels"].flatten())
        pairs = out.loss - words
        recorded = (pairs, words) if swapped else (words, out.loss if sum_of_both else pairs)
        losses.append(tuple(loss.item() for loss in recorded))
        (words if words_only else out.loss).backward()
        optimizer.step()
        if zero:
            optimizer.zero_grad()
    return losses[after:]


WRONG = (
    ({"zero": False}, "the gradients of all steps add up. Set them to zero after each step"),
    ({"sum_of_both": True}, "your second number is the sum of both losses. Subtract the MLM loss"),
    ({"swapped": True}, "you return the NSP loss first. The MLM loss comes first"),
    ({"words_only": True}, "you minimise the MLM loss alone. Minimise `out.loss`, the sum of both"),
    ({"after": True}, "you record each loss after its step. Record it before the step"),
)


@cache
def reference(number: int | None = None):
    return variant(**({} if number is None else WRONG[number][0]))


def check_overfit_one_batch(answer):
    model, batch = tiny()
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    found = both_losses(answer(model, batch, STEPS, RATE), STEPS)
    if any(not torch.equal(before[name], weight) for name, weight in model.state_dict().items()):
        raise Mistake(
            f"the model itself has been trained (its MLM loss fell to {found[-1][0]:.2f}). Train the copy:"
            " the run that you diagnose must stay as it is."
        )
    right = reference()
    if _near(found, right):
        _check_again(answer)
        return
    for number, (_, why) in enumerate(WRONG):
        if _near(found, reference(number)):
            shown = ", ".join(f"({words:.2f}, {pairs:.2f})" for words, pairs in found[:3])
            raise Mistake(f"your losses are {shown}, …: {why}.")
    if max(found) == min(found):
        raise Mistake(f"all your MLM losses are {found[0][0]:.2f}: no step changes the weights.")
    if not _near(found[:1], right[:1]):
        raise Mistake(
            f"your first losses are {found[0][0]:.2f} and {found[0][1]:.2f}, and without dropout"
            f" they are {right[0][0]:.2f} and {right[0][1]:.2f}. Is the copy still in training"
            " mode, or is your mean over other positions?"
        )
    raise Mistake(
        f"your MLM loss ends at {found[-1][0]:.2f}, expected {right[-1][0]:.2f} after {STEPS} steps of AdamW"
        f" at {RATE}. Do you use AdamW with the rate that you are given, on the same batch in every"
        " step?"
    )


def _check_again(answer):
    """With another model, batch, number of steps and rate."""
    right = variant(other=True)
    again = both_losses(answer(tiny()[0], other_batch(), STEPS - 3, 2 * RATE), STEPS - 3)
    if not _near(again, right):
        raise Mistake(
            f"with another batch and {2 * RATE} as the rate your MLM loss ends at"
            f" {again[-1][0]:.2f}, expected {right[-1][0]:.2f}. Use the arguments."
        )


def both_losses(returned, steps):
    """The answer as a list of pairs of floats. Raises Mistake if it is none of this length."""
    if not isinstance(returned, list | tuple) or len(returned) != steps:
        size = f"{len(returned)} entries" if isinstance(returned, list | tuple) else f"{returned!r}"
        raise Mistake(f"the answer should be a list of {steps} pairs, and you return {size}.")
    pairs = []
    for pair in returned:
        if any(isinstance(value, torch.Tensor) for value in (pair, *_parts(pair))):
            raise Mistake("you return tensors, which keep every step's graph alive; use `.item()`.")
        pairs.append(numbers(pair, 2, "each entry"))
    return pairs


def _parts(pair):
    return pair if isinstance(pair, list | tuple) else ()


def _near(found, other) -> bool:
    return all(abs(a - b) < 0.005 for pair in zip(found, other) for a, b in zip(*pair))


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="Overfit one batch",
    task="Write a test for a model, its losses and a learning rate: train a copy of the model on the same batch again and again, and return both losses of every step. They show whether a loss approaches 0, stops falling above it, or falls too slowly.",
    hints=(
        "This is the training loop of chapter 8, except that the batch never changes. Which losses are recorded, and which sum is minimised?",
        'The MLM loss is `F.cross_entropy(out.prediction_logits.flatten(0, 1), batch["labels"].flatten())`, because -100 is ignored by default. `out.loss` is this plus the NSP loss: call `backward` on the sum, and subtract to get the NSP loss.',
    ),
    paragraph="Step 3: overfit one batch",
    solution=overfit_one_batch,
    check=check_overfit_one_batch,
)
