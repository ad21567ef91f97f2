"""Exercise `fresh_start`: task, hints, solution and check."""

import itertools

import torch
from torch import nn

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def fresh_start(encoder, std):
    """Gives PyTorch's nn.TransformerEncoder new starting weights, as BERT's: matrices N(0, std²), biases 0, norms 1 and 0."""
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            matrix = parameter.dim() == 2  # blank: is it drawn at random?
            scale = "norm" in name and name.endswith("weight")  # blank: does it start at 1?
            start = std * torch.randn_like(parameter) if matrix else torch.full_like(parameter, float(scale))  # blank: its first values  # fmt: skip
            parameter.copy_(start)
    return encoder


def torch_encoder(layers, width, wide, norm):
    """PyTorch's encoder, with vectors that are neither 0 nor 1, so that a forgotten one shows."""
    layer = nn.TransformerEncoderLayer(width, 2, wide, activation="gelu", batch_first=True)
    encoder = nn.TransformerEncoder(
        layer, layers, nn.LayerNorm(width) if norm else None, enable_nested_tensor=False
    )
    with torch.no_grad():
        for parameter in encoder.parameters():
            if parameter.dim() == 1:
                parameter.fill_(0.3)
    return encoder


@torch.no_grad()
def check_fresh_start(answer):
    for layers, width, wide, std, norm in ((3, 32, 64, 0.02, False), (4, 24, 48, 0.1, True)):
        encoder = torch_encoder(layers, width, wide, norm)
        before = {name: each.clone() for name, each in encoder.named_parameters()}
        result = answer(encoder, std)
        if not isinstance(result, nn.TransformerEncoder):
            raise Mistake(
                f"The encoder of {layers} layers is expected back, not {type(result).__name__}."
            )
        now = dict(result.named_parameters())
        if {name: each.shape for name, each in now.items()} != {
            name: each.shape for name, each in before.items()
        }:
            raise Mistake(
                f"Your encoder has {len(now)} parameters of other names or shapes; {len(before)} were handed in. Keep them and change their values."
            )
        for name in now:
            _look(name, before[name], now[name], std)
        for (i, one), (j, other) in itertools.combinations(enumerate(result.layers), 2):
            for (name, left), (_, right) in zip(one.named_parameters(), other.named_parameters()):
                if left.dim() == 2 and torch.equal(left, right):
                    raise Mistake(
                        f"{name} is the same in layers {i} and {j} ({left.numel():,} equal numbers): draw anew for each layer."
                    )


def _look(name, before, now, std):
    kind = "scale of a norm" if "norm" in name and name.endswith("weight") else "bias"
    if now.dim() == 2 and torch.equal(now, before):
        reason = (
            " It belongs to nn.MultiheadAttention, which is not an nn.Linear, so a loop over nn.Linear never meets it."
            if "in_proj" in name
            else ""
        )
        raise Mistake(f"{name} {list(now.shape)} has its old values.{reason}")
    if now.dim() == 2:
        spread = float(now.std())
        if abs(spread / std - 1) > 0.15 or abs(float(now.mean())) > 0.3 * std:
            variance = (
                " That is std squared: a normal distribution is drawn with its standard deviation."
                if abs(spread / std**2 - 1) < 0.15
                else ""
            )
            raise Mistake(
                f"{name} has mean {float(now.mean()):.3f} and standard deviation {spread:.4f}; expected is N(0, {std}²).{variance}"
            )
        if now.abs().max() < 2 * std:
            raise Mistake(
                f"No number of {name} exceeds {float(now.abs().max()):.3f}: that is a uniform distribution, and BERT's is normal."
            )
        return
    wanted = 1.0 if kind != "bias" else 0.0
    if torch.equal(now, before):
        raise Mistake(f"{name}, a {kind}, has its old values 0.3; it starts at {wanted:.0f}.")
    if not torch.equal(now, torch.full_like(now, wanted)):
        told = "random numbers" if now.std() > 0 else f"{float(now[0]):.2f}"
        raise Mistake(f"{name}, a {kind}, starts at {wanted:.0f}; yours has {told}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=8,
    title="A fresh start for PyTorch's encoder",
    solution=fresh_start,
    check=check_fresh_start,
    task="Give every layer of an `nn.TransformerEncoder` starting weights of its own, as BERT does: weight matrices from a normal distribution "
    "with standard deviation `std`, biases 0, scales of LayerNorm 1. Print the names and shapes of one layer's parameters before you decide how "
    "to tell which is which.",
    hints=(
        "`for module in encoder.modules(): if isinstance(module, nn.Linear)` is what most programs do. Which matrix of attention is no `nn.Linear` here?",
        "Every matrix has two axes, every bias and every scale has one. The names of the scales hold `norm` and end in `weight`.",
    ),
    paragraph="Twelve layers with twelve different starts",
)
