"""Exercise `backward_in_pieces`: task, hints, solution and check."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    recognise,
)


def backward_in_pieces(model, pieces):
    """The gradient of the mean loss over all masked tokens of the batch, left in `.grad`; returns that loss.

    Each piece is (inputs, labels); model(inputs) gives logits [B, S, V], labels are [B, S] (-100 = not masked).
    Only one piece's activations may be held at a time.
    """
    # blank from here: one call of `backward` for each piece
    words = sum(int((labels != -100).sum()) for _, labels in pieces)
    total = 0.0
    for inputs, labels in pieces:
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum")
        (loss / words).backward()
        total += loss.item() / words
    return total


def check_backward_in_pieces(answer):
    def piece(rows, masked):
        labels = torch.full((rows, 6), -100)  # [B, S]
        labels.view(-1)[:masked] = torch.randint(5, (masked,))
        return torch.randn(rows, 6, 4, dtype=torch.float64), labels  # [B, S, 4], [B, S]

    pieces = [piece(3, 7), piece(2, 2), piece(3, 1)]
    counts = [int((labels != -100).sum()) for _, labels in pieces]
    model = nn.Linear(4, 5).double()

    def gradient(weights):
        """The weighted sum of the micro-batches' summed losses, and its gradient: (gradient, sum).

        The weights select the correct result or that of a known mistake.
        """
        losses = [
            F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum") for x, y in pieces
        ]
        total = sum(weight * loss for weight, loss in zip(weights, losses))
        return torch.autograd.grad(total, model.weight)[0], total.item()

    (right, value), words = gradient([1 / sum(counts)] * 3), sum(counts)
    before = model.weight.detach().clone()
    # rows of each forward pass; passes without a backward pass yet; their number after each pass
    held, waiting, most_waiting = [], set(), []

    def remember(module, inputs, output):
        number = len(held)
        held.append(output.numel() // (6 * 5))
        if output.requires_grad:
            waiting.add(number)
            output.register_hook(lambda gradient: waiting.discard(number))
        most_waiting.append(len(waiting))

    handle = model.register_forward_hook(remember)
    try:
        found = answer(model, pieces)
    finally:
        handle.remove()
    if model.weight.grad is None:
        raise Mistake(
            f"After your {len(held)} forward passes the parameters have no gradient: `backward` is missing."
        )
    if max(held, default=0) > 3:
        raise Mistake(
            f"You run {max(held)} rows at once: all pieces in one. That is the big batch itself, which is what does not fit."
        )
    if not torch.equal(before, model.weight):
        raise Mistake(
            f"The weights have moved, by up to {(before - model.weight).abs().max():.3f}. Leave a gradient and nothing else; the optimiser steps once, after all {len(pieces)} pieces."
        )
    size = f"The norm of your gradient is {model.weight.grad.norm():.3f}, that of the big batch {right.norm():.3f}"
    recognise(
        model.weight.grad,
        right,
        [
            (
                gradient([1 / (3 * count) for count in counts])[0],
                f"{size}: you take the mean of the pieces' means, so the 1 masked word of the last piece weighs as much as the 7 of the first. Divide sums by the {words} words of all pieces.",
            ),
            (
                gradient([1 / count for count in counts])[0],
                f"{size}: you add up the pieces' means; it grows with the number of pieces ({len(pieces)}), and their words weigh unequally.",
            ),
            (
                gradient([1, 1, 1])[0],
                f"{size}: you add up sums and never divide by the {words} words.",
            ),
            (
                gradient([1 / 3] * 3)[0],
                f"{size}: you divide by the 3 pieces; divide by the {words} masked words.",
            ),
            (
                gradient([1 / 8] * 3)[0],
                f"{size}: you divide by the 8 rows; the loss is per masked word, and there are {words}.",
            ),
            (
                gradient([1 / 48] * 3)[0],
                f"{size}: you divide by all 48 positions; {words} of them have a word to guess.",
            ),
            (
                gradient([0, 0, 1 / words])[0],
                f"{size}: only the last piece is in it. The gradient is cleared on the way, or `backward` comes after the loop.",
            ),
            (
                gradient([1 / words, 0, 0])[0],
                f"{size}: only the first piece is in it; the loop ends too early.",
            ),
            (
                gradient([1 / 7, 1 / 9, 1 / 10])[0],
                f"{size}: you divide each piece by the words counted *so far*, 7, 9 and 10. Count all of them before the first piece.",
            ),
            (
                gradient([1 / (words * count) for count in counts])[0],
                f'{size}: you divide the mean of each piece by the {words} words. A mean has been divided once already; take each piece\'s sum (`reduction="sum"`).',
            ),
            (
                gradient([1 / (words * 3)] * 3)[0],
                f"{size}: you divide by the {words} words and then by the 3 pieces as well.",
            ),
            (
                gradient([3 / 56, 2 / 16, 3 / 8])[0],
                f"{size}: you weigh the pieces' means by their rows, 3, 2 and 3; their masked words are {', '.join(map(str, counts))}.",
            ),
            (
                gradient([count / words for count in counts])[0],
                f"{size}: you weigh the pieces' *sums* by their words; a sum has the weight of its words already. Divide by {words}.",
            ),
            (gradient([1 / words, 1 / words, 0])[0], f"{size}: the last piece is missing from it."),
            (-right, f"{size}, and they point in opposite directions: a minus too many."),
            (
                right * ((model.weight.grad * right).sum() / right.square().sum()),
                f"{size}: the direction is right, the length is not. You weigh all pieces alike, by the wrong number: divide by the {words} masked words of all pieces, once.",
            ),
        ],
        "your gradient",
        tolerance=1e-6,
    )
    if max(most_waiting) > 1:
        raise Mistake(
            f"The gradient is right, but {max(most_waiting)} pieces wait for one `backward`, and so the activations of all of them are held: as much memory as the big batch. "
            "Call `backward` for each piece before the next goes in."
        )
    if not isinstance(found, int | float | torch.Tensor) or abs(float(found) - value) > 1e-6:
        shown = (
            f"{float(found):.3f}" if isinstance(found, int | float | torch.Tensor) else repr(found)
        )
        raise Mistake(
            f"The gradient is right, but you return {shown}; the mean loss over the {words} words is {value:.3f}."
        )
    model.zero_grad()
    other = [piece(2, 3), piece(1, 4)]
    again = float(answer(model, other))
    wanted = F.cross_entropy(
        torch.cat([model(x).flatten(0, 1) for x, _ in other]),
        torch.cat([y.flatten() for _, y in other]),
    ).item()
    if abs(again - wanted) > 1e-6:
        raise Mistake(
            f"Three pieces with {words} words are right; for two pieces with 3 and 4 words you return {again:.3f}, where {wanted:.3f} is right. Count the words that are there."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="A batch in pieces",
    task="A batch goes through the model in pieces, which have different numbers of masked tokens. After the call, each parameter's `.grad` must be what the whole batch at once would have produced, "
    "and the function returns the loss of the whole batch.",
    hints=(
        "`backward` adds to the gradients in `.grad`. So each piece must contribute a share of the loss, and the shares must add up to the loss of the whole batch.",
        "The loss of the whole batch is one sum over all masked tokens, divided by their number. Count them before the first piece; `F.cross_entropy` has a `reduction` that gives a sum.",
    ),
    paragraph="A batch that does not fit",
    solution=backward_in_pieces,
    check=check_backward_in_pieces,
)
