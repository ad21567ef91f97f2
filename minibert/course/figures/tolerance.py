"""An interactive figure of relative errors by depth, with a tolerance that the reader moves."""

from collections.abc import Mapping, Sequence

from minibert.course.figures.moving import Moving, moving

LOWEST, HIGHEST = -8, 0  # exponents of the tolerance


def tolerance(
    errors: Mapping[str, Sequence[float]], rounding: Sequence[float], exponent: int = -3
) -> Moving:
    """Returns a figure of the relative errors of wrong models, and of rounding, at the hidden
    states h_0 to h_L, on a logarithmic axis. A slider moves the tolerance; the figure rings the
    first state of each model that exceeds it.

    errors    name of a wrong model -> L + 1 relative errors
    rounding  the L + 1 relative errors of a correct model
    exponent  the tolerance at first is 10 to this power

    The title names the tolerances at which rounding passes, by a factor of 3, and every mistake is
    found at the first state that has it. An error of at most ten times the largest of rounding
    counts as no mistake.
    Raises ValueError if there are no wrong models, the lengths differ, a wrong model has no
    mistake, or the exponent is not on the slider.
    """
    if not errors or {len(row) for row in errors.values()} != {len(rounding)}:
        raise ValueError(f"errors: expected are models with {len(rounding)} numbers each")
    if not LOWEST <= exponent <= HIGHEST:
        raise ValueError(f"exponent must be {LOWEST} to {HIGHEST}, not {exponent!r}")
    noise = 10 * max(rounding)
    for name, row in errors.items():
        if not max(row) > noise:
            raise ValueError(f"{name}: no error of this model is above rounding")
    begins = [[error > noise for error in row].index(True) for row in errors.values()]
    title = _title(list(errors.values()), rounding, begins)
    return moving(
        "tolerance",
        {
            "names": list(errors),
            "errors": [[_short(error) for error in row] for row in errors.values()],
            "rounding": [_short(error) for error in rounding],
            "begins": begins,
            "range": [LOWEST, HIGHEST],
            "exponent": exponent,
        },
        needs=["stage.js"],
        label=title,
        alt=(
            f"A line for each of {len(errors)} wrong models, {', '.join(errors)}, over the hidden"
            f" states h0 to h{len(rounding) - 1}: their relative errors on a logarithmic axis. The"
            f" line of rounding lies far below. A level line is the tolerance, 1e{exponent}, and a"
            " ring marks where each model first exceeds it."
        ),
        try_this=(
            "Move the tolerance down until every mistake is found where it begins, and further"
            " until rounding is taken for one."
        ),
    )


def _title(
    errors: Sequence[Sequence[float]], rounding: Sequence[float], begins: Sequence[int]
) -> str:
    """The tolerances at which rounding passes and every mistake is found where it begins."""
    good = [
        exponent
        for exponent in range(LOWEST, HIGHEST + 1)
        # a margin, so that the title is the same on every machine
        if 3 * max(rounding) <= 10.0**exponent
        and all(
            [error > 10.0**exponent for error in row].index(True) == begin
            for row, begin in zip(errors, begins)
            if max(row) > 10.0**exponent
        )
        and all(max(row) > 10.0**exponent for row in errors)
    ]
    models = f"these {len(errors)} wrong models first differ"
    if len(errors) == 1:
        models = "this wrong model first differs"
    if not good:
        return f"No tolerance shows at which hidden state {models} and lets rounding pass"
    low, high = f"1e{good[0]}", f"1e{good[-1]}"
    between = f"A tolerance of {low}" if low == high else f"A tolerance between {low} and {high}"
    return f"{between} shows at which hidden state {models}; rounding passes"


def _short(number: float) -> float:
    """Three significant digits."""
    return float(f"{number:.3g}")
