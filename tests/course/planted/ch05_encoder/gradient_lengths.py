"""Answers to `gradient_lengths` on which its check is tried."""

import torch

from minibert.course.exercises.ch05_encoder.gradient_lengths import gradient_lengths
from planted import Answers


def by_retained_gradients(layers, x, loss):
    """With backward and .grad instead of autograd.grad."""
    hidden, states = x.clone().requires_grad_(), []
    for layer in layers:
        hidden.retain_grad()
        states.append(hidden)
        hidden = layer(hidden)
    hidden.retain_grad()
    loss(hidden).backward()
    return torch.tensor([each.grad.norm() for each in [*states, hidden]], dtype=x.dtype)


def layer_by_layer_from_the_top(layers, x, loss):
    """The chain rule by hand: each layer's own vector-Jacobian product."""
    inputs = [x]
    for layer in layers:
        inputs.append(layer(inputs[-1]).detach())
    top = inputs[-1].requires_grad_()
    (gradient,) = torch.autograd.grad(loss(top), top)
    lengths = [gradient.norm()]
    for layer, hidden in zip(reversed(layers), reversed(inputs[:-1])):
        hidden = hidden.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(layer(hidden), hidden, gradient)
        lengths.insert(0, gradient.norm())
    return torch.stack(lengths)


def _gradients(layers, x, loss):
    hidden = [x.detach().requires_grad_()]
    for layer in layers:
        hidden.append(layer(hidden[-1]))
    return torch.autograd.grad(loss(hidden[-1]), hidden)


def lengths_of_the_vectors(layers, x, loss):
    lengths = [x.norm()]
    for layer in layers:
        x = layer(x)
        lengths.append(x.norm())
    return torch.stack(lengths)


def from_the_last_to_the_first(layers, x, loss):
    return gradient_lengths(layers, x, loss).flip(0)


def squared_lengths(layers, x, loss):
    return torch.stack([(g**2).sum() for g in _gradients(layers, x, loss)])


def mean_entries(layers, x, loss):
    return torch.stack([g.abs().mean() for g in _gradients(layers, x, loss)])


def mean_over_tokens(layers, x, loss):
    return torch.stack([g.norm(dim=-1).mean() for g in _gradients(layers, x, loss)])


def output_forgotten(layers, x, loss):
    return gradient_lengths(layers, x, loss)[:-1]


def a_plain_list(layers, x, loss):
    return gradient_lengths(layers, x, loss).tolist()


def no_gradient_required(layers, x, loss):
    hidden = [x]
    for layer in layers:
        hidden.append(layer(hidden[-1]))
    return torch.stack([g.norm() for g in torch.autograd.grad(loss(hidden[-1]), hidden)])


def loss_behind_each_layer(layers, x, loss):
    lengths = []
    for layer in layers:
        x = x.detach().requires_grad_()
        out = layer(x)
        lengths.append(torch.autograd.grad(loss(out), x, retain_graph=True)[0].norm())
        x = out
    x = x.detach().requires_grad_()
    lengths.append(torch.autograd.grad(loss(x), x)[0].norm())
    return torch.stack(lengths)


ANSWERS = Answers(
    right=(by_retained_gradients, layer_by_layer_from_the_top),
    wrong={
        lengths_of_the_vectors: "lengths of the vectors themselves",
        from_the_last_to_the_first: "from the last layer to the first",
        squared_lengths: "squared lengths",
        mean_entries: "mean absolute entry",
        mean_over_tokens: "mean length over the tokens",
        output_forgotten: "has 3 numbers, and 4 are expected",
        a_plain_list: "is a list",
        no_gradient_required: "x does not require a gradient by itself",
        loss_behind_each_layer: "followed by the loss at once",
    },
)
