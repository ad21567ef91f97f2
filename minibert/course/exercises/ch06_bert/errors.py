"""How far the outputs of two models are apart, for the comparison of this chapter."""

from collections.abc import Iterable, Mapping

from torch import Tensor


def token_errors(
    ours: Mapping[str, Tensor], theirs: Mapping[str, Tensor], real: Tensor
) -> dict[str, float]:
    """Returns the largest relative error of a vector at each output that both models have.

    ours, theirs  name of a module -> its output, as `record` returns them
    real          [B, S], True at the real tokens; other tokens are left out

    A relative error is the norm of the difference of two vectors, divided by the norm of theirs.
    """
    errors = {}
    for name in ours.keys() & theirs.keys():
        found, right = ours[name], theirs[name]
        if found.dim() > 2 and found.shape[:2] == real.shape:
            found, right = found[real], right[real]  # [M, H]
        gaps, sizes = (found - right).norm(dim=-1), right.norm(dim=-1)  # [M]
        errors[name] = float((gaps / sizes).max())
    return {name: errors[name] for name in ours if name in errors}


def at_most(errors: Iterable[float]) -> str:
    """Returns a bound of all errors, such as "5e-6": the next larger 1 or 5 times a power of ten.

    Rounding differs between processors, and this bound of it does not.
    """
    largest = max(errors)
    if not 0 < largest < 1:
        raise ValueError(f"the largest error must lie between 0 and 1, not {largest}")
    exponent = -1
    while largest <= float(f"1e{exponent}"):
        exponent -= 1
    return f"5e{exponent}" if largest <= float(f"5e{exponent}") else f"1e{exponent + 1}"
