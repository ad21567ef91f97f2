"""Exercise `layer_norm`: task, hints, solution and check."""

import math

import torch
from torch import Tensor

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch02_embeddings.common import (
    CHAPTER,
    _with_numbers,
    layer_norm,
)
from minibert.course.exercises.compare import (
    Mistake,
    recognise,
)


def check_layer_norm(answer) -> None:
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(2, 3, 5, dtype=torch.float64, generator=generator) * 2 + 1  # [B, S, H]
    gamma, beta = torch.rand(2, 5, dtype=torch.float64, generator=generator) + 0.5  # [H], [H]
    x[1, 2] /= 10  # a token whose variance is smaller than the larger eps
    one = torch.tensor([[[1.0, 0.0, 0.0, 0.0]]], dtype=torch.float64)  # [1, 1, H]
    found = answer(
        one, torch.ones(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64), eps=1e-12
    )
    other = answer(
        torch.tensor([[[3.0, 1.0, 0.0, 0.0]]], dtype=torch.float64),
        torch.ones(4, dtype=torch.float64),
        torch.zeros(4, dtype=torch.float64),
        eps=1e-12,
    )
    if (
        isinstance(found, Tensor)
        and found.shape == one.shape
        and abs(found[0, 0, 0] - 1.5) < 1e-3
        and abs(other[0, 0, 0] - math.sqrt(2)) < 1e-3
    ):  # √2 = 2 / √(6 / 3): only the unbiased variance gives both numbers
        raise Mistake(
            "on [1, 0, 0, 0] your first number is 1.50: you divide the squared distances by H - 1 = 3, the unbiased variance; LayerNorm divides by H = 4, which gives 1.73."
        )
    numbers = dict(B=2, S=3, H=5, less=4)
    for eps in (0.5, 1e-12):
        right = layer_norm(x, gamma, beta, eps)
        suspects = [
            (wrong(x, gamma, beta, eps), sentence.format(eps=eps, **numbers))
            for wrong, sentence in known(layer_norm)
        ]
        try:
            found = answer(x, gamma, beta, eps=eps)
        except RuntimeError as error:
            if "must match" not in str(error):
                raise
            raise Mistake(
                f"x is [2, 3, 5], and what you subtract or divide by does not fit it ({error}): with keepdim=True a mean over the last dimension has the shape [2, 3, 1]; "
                "gamma and beta are [5], and take part number by number, by * and +."
            ) from None
        recognise(
            found,
            right,
            _with_numbers(suspects, right),
            f"your result with eps = {eps}",
            tolerance=1e-10 if _is_double(found) else 1e-5,
        )
    for tokens, what in (
        (x[0], "[3, 5], tokens without a batch"),
        (x[0, 0], "[5], one token alone"),
        (x[None], "[1, 2, 3, 5], one dimension more"),
    ):
        try:
            fits = torch.allclose(
                answer(tokens, gamma, beta, eps=1e-12).double(),
                layer_norm(tokens, gamma, beta),
                atol=1e-5,
            )
        except (RuntimeError, IndexError, ValueError):
            fits = False
        if not fits:
            raise Mistake(
                f"you are right for x of [2, 3, 5], but not for x of {what}: name the features' dimension -1, and x may have any number of others."
            )
    close = x / 10000  # variances of about 1e-8
    if not torch.allclose(
        answer(close, gamma, beta).double(), layer_norm(close, gamma, beta), rtol=1e-3
    ):
        raise Mistake(
            f"called without eps, on numbers of about 0.0001, your first number is {answer(close, gamma, beta)[0, 0, 0]:.3f} where "
            f"{layer_norm(close, gamma, beta)[0, 0, 0]:.3f} is right: the eps that you take by default is too large. It is 1e-12, in the first line."
        )
    constant = torch.full((1, 1, 5), 3.0, dtype=torch.float64)  # [1, 1, H]
    found = answer(constant, gamma, beta, eps=1e-12)
    if not torch.isfinite(found).all():
        raise Mistake(
            "on a token whose five numbers are all 3 your result is not finite: without eps the variance 0 is divided by."
        )
    for dtype in (torch.float64, torch.float32):
        if (kind := answer(x.to(dtype), gamma.to(dtype), beta.to(dtype)).dtype) != dtype:
            raise Mistake(f"your result is {kind}, but x is {dtype}: return the same dtype as x.")


def _is_double(found) -> bool:
    return isinstance(found, Tensor) and found.dtype == torch.float64


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="LayerNorm by hand",
    task="""Write `layer_norm(x, gamma, beta, eps)` from equation 2.2, with means and a square root. `x` may have any number of dimensions;
        the last one is H.""",
    hints=(
        "Every token has a mean and a variance of its own. Which dimension do you average over, and what shape must the mean have so that you can subtract it from `x`?",
        "Average over `dim=-1`, and look up what `keepdim` does. Compute your result for the vector (1, 0, 0, 0) and compare it with the numbers above the exercise. If the first number differs, compare your variance with the one of equation 2.2.",
    ),
    paragraph="LayerNorm by hand",
    solution=layer_norm,
    check=check_layer_norm,
)
