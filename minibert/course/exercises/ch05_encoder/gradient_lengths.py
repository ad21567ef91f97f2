"""Exercise `gradient_lengths`: task, hints, solution and check."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake, draw, expect_tensor, recognise


def gradient_lengths(layers, x, loss):
    """Length of the gradient of `loss` at the input of each layer and at the output of the last: [L + 1]."""
    # blank from here: forward, backward, lengths
    hidden = [x.detach().requires_grad_()]
    for layer in layers:
        hidden.append(layer(hidden[-1]))  # [B, S, H]
    gradients = torch.autograd.grad(loss(hidden[-1]), hidden)
    return torch.stack([gradient.norm() for gradient in gradients])  # [L + 1]


def _stack(count, width, seed):
    """Layers that only multiply and add, as functions [B, S, H] -> [B, S, H]."""
    matrices = draw(count, width, width, seed=seed) / width**0.5  # [L, H, H]
    return [partial(_layer, matrix) for matrix in matrices]


def _layer(matrix: Tensor, x: Tensor) -> Tensor:
    return x + F.gelu(x @ matrix)


def _loss(target: Tensor, hidden: Tensor) -> Tensor:
    return (hidden * target).sum()


def check_gradient_lengths(answer):
    for count, width, seed in ((3, 8, 1), (5, 6, 2), (1, 4, 3)):
        layers = _stack(count, width, seed)
        x, target = draw(2, 4, width, seed=seed), draw(2, 4, width, seed=seed + 9)  # [B, S, H]
        loss = partial(_loss, target)
        right = gradient_lengths(layers, x, loss)  # [L + 1]
        what = f"For {count} layers, your result"
        try:
            found = answer(layers, x.clone(), loss)
        except RuntimeError as error:
            if "does not require grad" not in str(error):
                raise
            raise Mistake(
                f"No gradient reaches a tensor ({error}). x does not require a gradient by itself: x.detach().requires_grad_()."
            ) from None
        if isinstance(found, list | tuple):
            raise Mistake(f"{what} is a {type(found).__name__}; put the lengths into one tensor.")
        if isinstance(found, Tensor) and found.shape == (count,):
            raise Mistake(
                f"{what} has {count} numbers, and {count + 1} are expected: one for the input of each layer, and one for the output of the last."
            )
        expect_tensor(found, right.shape, what)
        hidden, gradients = _states(layers, x, loss)
        lengths = torch.stack([each.norm() for each in hidden])  # [L + 1]
        own = torch.stack([*(_own_gradient(f, h, loss) for f, h in zip(layers, hidden)), right[-1]])
        suspects = [
            (lengths, "Those are the lengths of the vectors themselves. Expected are the lengths of the gradients of the loss."),
            (right.flip(0), "Your order is from the last layer to the first; the input of the first layer comes first."),
            (right**2, "You return the squared lengths: take the root."),
            (torch.stack([g.abs().mean() for g in gradients]), "That is the mean absolute entry of each gradient. Its length is the root of the sum of squares, .norm()."),
            (torch.stack([g.norm(dim=-1).mean() for g in gradients]), "That is the mean length over the tokens. One gradient is one tensor [B, S, H]; take the norm of all its numbers."),
            (own, "Each layer of yours is followed by the loss at once. The gradient has to come back through all layers above."),
        ]  # fmt: skip
        recognise(found, right, suspects, what)


def _states(layers, x, loss):
    """(the input of each layer and the output of the last, the gradient of the loss at each of them)."""
    hidden = [x.detach().requires_grad_()]
    for layer in layers:
        hidden.append(layer(hidden[-1]))
    return hidden, torch.autograd.grad(loss(hidden[-1]), hidden)


def _own_gradient(layer, hidden, loss):
    """The length of the gradient if the loss followed this layer at once."""
    alone = hidden.detach().requires_grad_()
    return torch.autograd.grad(loss(layer(alone)), alone)[0].norm()


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=12,
    title="How much gradient reaches the first layer?",
    solution=gradient_lengths,
    check=check_gradient_lengths,
    task="`layers` are functions from `[B, S, H]` to `[B, S, H]`, and `loss` turns the output of the last one into a number. Return the length of "
    "the loss's gradient at the input of each layer, from the first to the last, and at the output of the last: $L + 1$ numbers. "
    "With a pencil first: for a layer $x + 0.5\\,x$, by what factor does the gradient grow from output to input? The cell below runs your function on four kinds of stack.",
    hints=(
        "Keep every intermediate result in a list. PyTorch remembers how each was made from the one before, if the first of them requires a gradient.",
        "Start the list with `x.detach().requires_grad_()`. After the forward pass, `torch.autograd.grad(loss(hidden[-1]), hidden)` returns one gradient for each entry of the list.",
    ),
    paragraph="Post-norm and pre-norm",
)
