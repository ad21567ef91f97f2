"""Answers to `first_difference` on which its check is tried."""

from functools import partial

import torch

from planted import Answers


def _first(ours, theirs, real, differs, names=None):
    if set(ours).isdisjoint(theirs):
        raise ValueError("no name in common")
    for name in names or ours:
        if name in ours and name in theirs:
            output, other = ours[name], theirs[name]
            if output.shape != other.shape:
                return name
            if output.shape[:2] == real.shape:
                output, other = output[real], other[real]
            if differs(output, other):
                return name
    return None


def _far(output, other, tolerance=1e-5):
    return not (output - other).norm() <= tolerance * other.norm()


def difference_by_largest(ours, theirs, real, tolerance=1e-5):
    return _first(
        ours,
        theirs,
        real,
        lambda output, other: (
            not (output - other).abs().max().item() <= 2 * tolerance * other.abs().max().item()
        ),
    )


def difference_by_mean_square(ours, theirs, real, tolerance=1e-5):
    def differs(output, other):
        errors = (output - other).square().mean(-1)
        return not bool((errors <= (3 * tolerance) ** 2 * other.square().mean(-1)).all())

    return _first(ours, theirs, real, differs)


def difference_of_whole_outputs(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, partial(_far, tolerance=tolerance))


def difference_with_absolute_tolerance(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, lambda x, y: not (x - y).abs().max() <= 1e-4)


def difference_number_by_number(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, lambda x, y: not torch.allclose(x, y))


def difference_exact(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, lambda x, y: not torch.equal(x, y))


def difference_too_lax(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, lambda x, y: _far(x, y, 1e-2))


def difference_too_strict(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, lambda x, y: _far(x, y, 2e-6))


def difference_without_mask(ours, theirs, real, tolerance=1e-5):
    for name in ours:
        if name in theirs:
            shapes = ours[name].shape, theirs[name].shape
            if shapes[0] != shapes[1] or _far(ours[name], theirs[name]):
                return name
    return None


def difference_in_relation_to_padding(ours, theirs, real, tolerance=1e-5):
    for name, output in ours.items():
        if name not in theirs:
            continue
        if output.shape != theirs[name].shape:
            return name
        gap = output - theirs[name]
        if output.shape[:2] == real.shape:
            gap = gap[real]
        if not gap.norm() <= 1e-5 * theirs[name].norm():
            return name
    return None


def difference_that_masks_all(ours, theirs, real, tolerance=1e-5):
    for name in ours:
        if name in theirs and _far(ours[name][real], theirs[name][real]):
            return name
    return None


def difference_of_tokens_only(ours, theirs, real, tolerance=1e-5):
    tokens = [name for name in ours if ours[name].shape[:2] == real.shape]
    return _first(ours, theirs, real, _far, tokens)


def difference_without_abs(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, lambda x, y: not (x - y).max() <= 1e-5 * y.norm())


def difference_blind_to_nan(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, lambda x, y: (x - y).norm() > 1e-5 * y.norm())


def difference_divided(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, lambda x, y: not (x - y).norm() / y.norm() <= 1e-5)


def difference_that_broadcasts(ours, theirs, real, tolerance=1e-5):
    for name, output in ours.items():
        if name not in theirs:
            continue
        other = theirs[name]
        gap = output - other
        if gap.shape[:2] == real.shape:
            gap, other = gap[real], other[real]
        if not gap.norm() <= 1e-5 * other.norm():
            return name
    return None


def difference_of_all_names(ours, theirs, real, tolerance=1e-5):
    for name in ours:
        if not torch.equal(ours[name], theirs[name]):
            return name
    return None


def difference_of_their_names(ours, theirs, real, tolerance=1e-5):
    for name in theirs:
        if not torch.equal(ours[name], theirs[name]):
            return name
    return None


def difference_in_their_order(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, _far, list(theirs))


def difference_at_the_end(ours, theirs, real, tolerance=1e-5):
    return _first(ours, theirs, real, _far, list(ours)[::-1])


def difference_of_nothing(ours, theirs, real, tolerance=1e-5):
    try:
        return difference_by_largest(ours, theirs, real, tolerance)
    except ValueError:
        return None


def difference_with_own_tolerance(ours, theirs, real, tolerance=1e-5):
    return difference_by_largest(ours, theirs, real)


def difference_in_float32(ours, theirs, real, tolerance=1e-5):
    ours, theirs = ({name: each.float() for name, each in side.items()} for side in (ours, theirs))
    return difference_by_largest(ours, theirs, real, tolerance)


def difference_as_number(ours, theirs, real, tolerance=1e-5):
    return sum(
        ours[name].shape != theirs[name].shape or _far(ours[name], theirs[name])
        for name in ours
        if name in theirs
    )


ANSWERS = Answers(
    right=(difference_by_largest, difference_by_mean_square),
    wrong={
        difference_with_absolute_tolerance: "numbers of about 100 .*make your tolerance relative",
        difference_number_by_number: "numbers near 0 may change by much",
        difference_exact: "differs by 1e-6 of itself",
        difference_too_lax: "differ by 1e-4 .*tolerance is too large",
        difference_too_strict: "differs by 5e-6 of itself.*has to pass",
        difference_without_mask: "differ at padding only",
        difference_in_relation_to_padding: "a million at padding",
        difference_that_masks_all: "stops with IndexError .*compare it whole",
        difference_of_tokens_only: "pooler_output .*no tokens to select",
        difference_without_abs: "too small by 1.*absolute value",
        difference_blind_to_nan: "NaN > 1e-5 is False",
        difference_divided: "0 divided by 0 is NaN",
        difference_that_broadcasts: r"\[1, S, H\] .*broadcasts",
        difference_of_all_names: "Only ours .*stops with KeyError",
        difference_of_their_names: "Only theirs .*stops with KeyError",
        difference_in_their_order: "another order",
        difference_at_the_end: "all outputs after it differ",
        difference_of_nothing: "no name in common, and you return None",
        difference_of_whole_outputs: "one token of 1200 .*dilutes such a difference",
        difference_with_own_tolerance: "says tolerance=1e-2. .*Use the argument",
        difference_in_float32: "says tolerance=1e-11. .*own dtype",
        difference_as_number: "expected is the name of an output",
    },
)
