"""Functions that compare the result of a reader's answer with the correct one and explain how they
differ.
"""

import math

import torch
from torch import Tensor, nn


class Mistake(Exception):
    """The answer is wrong; the message explains why. A notebook shows it without a traceback."""

    def _render_traceback_(self):  # IPython calls this to display the exception
        return [f"Mistake: {self}"]


class Unforeseen(Mistake):
    """The answer is wrong in a way that has no prepared feedback, so the message names no cause."""


def draw(*shape: int, seed: int = 0) -> Tensor:
    """Standard normal numbers in float64 that depend only on shape and seed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def expect_tensor(found, shape, what: str) -> None:
    """Raises Mistake unless `found` is a tensor of this shape."""
    if not isinstance(found, Tensor):
        raise Mistake(
            f"{what} should be a tensor of shape {list(shape)}, but it is a {type(found).__name__}."
        )
    if list(found.shape) != list(shape):
        raise Mistake(
            f"{what} should have the shape {list(shape)}, but it has {list(found.shape)}."
        )


def expect_module(found, what: str) -> None:
    """Raises Mistake unless `found` is an nn.Module."""
    if not isinstance(found, nn.Module):
        raise Mistake(f"{what} should be an nn.Module, but it is a {type(found).__name__}.")


def give_weights(module, weights: dict[str, Tensor], what: str) -> None:
    """Loads weights into a reader's module. Raises Mistake if the names or shapes do not match."""
    expect_module(module, what)
    own = module.state_dict()
    missing, extra = (
        [name for name in weights if name not in own],
        [name for name in own if name not in weights],
    )
    if missing:
        raise Mistake(
            f"{what} cannot take real weights: {len(missing)} of its names are missing, {missing[0]} for one{f'; it has {extra[0]} instead' if extra else ''}."
        )
    if extra:
        raise Mistake(
            f"{what} cannot take real weights: it has {len(extra)} tensors too many, {extra[0]} for one."
        )
    for name, tensor in weights.items():
        if own[name].shape != tensor.shape:
            raise Mistake(
                f"{what} cannot take real weights: its {name} is {list(own[name].shape)} where {list(tensor.shape)} is wanted."
            )
    module.load_state_dict(weights)


def recognise(
    found: Tensor,
    right: Tensor,
    suspects: list[tuple[Tensor, str]],
    what: str,
    tolerance: float | None = None,
) -> None:
    """Compares a result with the correct one, and raises Mistake if it is wrong.

    found, right: tensors [...] of the same shape. suspects: results of known mistakes (of any shape),
    each with its feedback. The message is the feedback of the suspect that equals `found`; if none
    does, it describes the difference.
    """
    expect_tensor(found, right.shape, what)
    tolerance = tolerance or (1e-9 if found.dtype == right.dtype == torch.float64 else 1e-5)
    found, kind = found.detach().to(right.dtype), found.dtype
    if _same(found, right, tolerance):
        return
    for value, sentence in suspects:
        if value.shape == found.shape and torch.allclose(
            found.to(value.dtype), value, rtol=tolerance, atol=tolerance, equal_nan=True
        ):
            raise Mistake(sentence)
    if (strange := ~found.isfinite() & right.isfinite()).any():
        raise Unforeseen(
            f"{what} is wrong: {int(strange.sum())} of {found.numel()} numbers are nan or infinite."
        )
    if tolerance < 1e-6 and _same(found, right, 1e-5):
        raise Mistake(
            f"{what} is {kind} and right to {-math.log10((found - right).abs().max()):.0f} digits only: "
            "a lower precision on the way, or a small number that should not be there. Keep the precision that comes in."
        )
    worst = (found - right).abs().argmax()
    index = [int(i) for i in torch.unravel_index(worst, right.shape)]
    at = f"at {index} " if index else ""
    raise Unforeseen(
        f"{what} is wrong: {at}you have {found.flatten()[worst]:.4f} where {right.flatten()[worst]:.4f} is right.{_likeness(found, right, tolerance)}"
    )


def _same(found: Tensor, right: Tensor, tolerance: float) -> bool:
    return torch.allclose(found, right, rtol=tolerance, atol=tolerance)


def _likeness(found: Tensor, right: Tensor, tolerance: float) -> str:
    """A sentence about how a wrong result relates to the correct one, such as a constant factor.

    Returns an empty string for results of fewer than three numbers.
    """
    if found.numel() < 3:  # too few numbers: a pattern could be a coincidence
        return ""
    if not found.any():
        return " All your numbers are 0."
    if right.any() and _same(
        found, (ratio := (found * right).sum() / right.square().sum()) * right, tolerance
    ):
        return (
            " All your numbers have the wrong sign."
            if torch.isclose(ratio, -torch.ones_like(ratio))
            else f" All your numbers are {ratio:.3g} times the right ones."
        )
    if _same(found - right, (found - right).mean().expand(right.shape), tolerance):
        return f" All your numbers are {(found - right).mean().abs():.3g} too {'large' if (found > right).all() else 'small'}."
    for axis in range(right.dim()):
        if _same(found, right.flip(axis), tolerance):
            return f" Read backwards along axis {axis} it would be right."
        for other in range(axis):
            if right.size(axis) == right.size(other) and _same(
                found, right.transpose(axis, other), tolerance
            ):
                return f" With the axes {other} and {axis} exchanged it would be right."
    off = ~torch.isclose(found, right, rtol=tolerance, atol=tolerance)
    for axis, size in enumerate(right.shape):
        bad = (
            off.movedim(axis, 0).flatten(1).any(dim=1).nonzero().flatten().tolist()
            if right.dim() > 1
            else off.nonzero().flatten().tolist()
        )
        if len(bad) == 1 and size > 1:
            return f" All else is right: only index {bad[0]} of axis {axis} is wrong."
        if size > 2 and len(bad) == size - 1:
            return f" Of axis {axis} only index {next(i for i in range(size) if i not in bad)} is right."
    return f" Of {off.numel()} numbers {int(off.sum())} are wrong."


def also(answer, solution, *trials: tuple, gradient: bool = False) -> None:
    """Tries an answer that has been correct so far on arguments of other sizes and values.

    Raises Mistake if the answer's result differs from the solution's. Tensors must have the same
    shape and dtype as the solution's. With `gradient`, gradients must also flow back to the
    arguments.
    """
    for arguments in trials:
        came = ", ".join(_shown(each) for each in arguments)
        try:
            found, right = answer(*arguments), solution(*arguments)
        except (Mistake, NameError):
            raise
        except Exception as error:
            raise Mistake(
                f"Your function was right so far, but with {came} it stops ({type(error).__name__}: {error}). "
                "Sizes and numbers come from the arguments, whatever they are."
            ) from None
        if how := _difference(found, right):
            raise Mistake(
                f"Your function was right so far, but with {came} {how}. Sizes and numbers come from the arguments, whatever they are."
            )
        if gradient:
            taught = [
                each.requires_grad_()
                if isinstance(each, Tensor) and each.is_floating_point()
                else each
                for each in arguments
            ]
            results = answer(*taught)
            if not all(
                result.requires_grad
                for result in (results if isinstance(results, tuple | list) else [results])
                if isinstance(result, Tensor)
            ):
                raise Mistake(
                    "Your numbers are right, but no gradient goes through them back to what came in, so nothing in front could learn: no detach, no torch.no_grad, no .item()."
                )


def _shown(value) -> str:
    if isinstance(value, Tensor):
        return f"a tensor {list(value.shape)} of {str(value.dtype).removeprefix('torch.')}"
    return text if len(text := repr(value)) < 60 else f"a {type(value).__name__} of {len(value)}"


def _difference(found, right) -> str:
    """Describes how a result differs from the correct one; an empty string if it does not.

    A list and a tuple with equal entries count as equal.
    """
    if isinstance(right, Tensor):
        # a plain number has no dtype to compare
        found, number = torch.as_tensor(found), not isinstance(found, Tensor)
        if found.shape != right.shape:
            return (
                f"your result has the shape {list(found.shape)}, where {list(right.shape)} is right"
            )
        if not number and found.is_floating_point() != right.is_floating_point():
            return f"your result is {found.dtype}, where {right.dtype} is right"
        if (
            not number
            and found.is_floating_point()
            and right.is_floating_point()
            and found.dtype != right.dtype
        ):
            return f"your result is {found.dtype}, where {right.dtype} is right: keep the precision that comes in"
        if not torch.allclose(found.double(), right.double(), rtol=1e-3, atol=1e-5, equal_nan=True):
            worst = (found.double() - right.double()).abs().nan_to_num(torch.inf).argmax()
            return (
                f"you have {found.flatten()[worst]:.3f} where {right.flatten()[worst]:.3f} is right"
            )
        return ""
    if isinstance(right, list | tuple):
        found = found.tolist() if isinstance(found, Tensor) else found
        if not isinstance(found, list | tuple) or len(found) != len(right):
            return f"you return {_shown(found)}, where {_shown(right)} is right"
        return next(
            (how for one, other in zip(found, right) if (how := _difference(one, other))), ""
        )
    if isinstance(right, float):
        return (
            ""
            if math.isclose(found, right, rel_tol=1e-3, abs_tol=1e-9)
            else f"you have {found!r} where {right:.4g} is right"
        )
    return "" if found == right else f"you have {found!r} where {right!r} is right"
