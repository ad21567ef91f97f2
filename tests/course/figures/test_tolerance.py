"""Relative errors by depth: what is found at which tolerance is what the numbers say."""

import pytest
from figure_page import show, status

from minibert.course.figures import tolerance

ROUNDING = [0, 2e-7, 5e-7, 8e-7]
ERRORS = {"grows": [0, 3e-4, 6e-4, 2e-3], "shrinks": [2e-3, 6e-4, 4e-4, 4e-4]}


def rings(tab):
    """The hidden state that each visible ring is at, in the order of the lines."""
    return tab.evaluate(
        """() => {
            const columns = [...new Set([...document.querySelectorAll('.mb-dot')].map((dot) => Number(dot.getAttribute('cx'))))].sort((a, b) => a - b);
            return [...document.querySelectorAll('.mb-ring')].map((ring) => ring.style.display === 'none' ? null : columns.indexOf(Number(ring.getAttribute('cx'))));
        }"""
    )


@pytest.mark.parametrize(
    "exponent, found, said",
    [
        (-2, [None, None, None], "grows and shrinks are not found."),
        (-3, [3, 0, None], "grows is found at h3 although the error is there from h1 on."),
        (-5, [1, 0, None], "rounding passes, and every mistake is found"),
        (-7, [1, 0, 1], "rounding is taken for a mistake."),
    ],
)
def test_the_first_error_above_the_tolerance_has_a_ring(tab, exponent, found, said):
    show(tab, tolerance(ERRORS, ROUNDING, exponent))
    assert rings(tab) == found
    assert status(tab).startswith(f"Tolerance 1e{exponent}: ") and said in status(tab)


def test_the_slider_moves_the_tolerance(tab):
    show(tab, tolerance(ERRORS, ROUNDING))
    level = "() => document.querySelector('.mb-level').style.transform"
    before = tab.evaluate(level)
    tab.get_by_role("slider", name="Tolerance").press("ArrowLeft")
    assert rings(tab) == [1, 0, None] and tab.evaluate(level) != before
    tab.get_by_role("slider", name="Tolerance").press("End")
    assert status(tab) == "Tolerance 1: grows and shrinks are not found."


def test_the_title_is_computed():
    between = "A tolerance between 1e-5 and 1e-4 shows at which hidden state these 2 wrong models first differ"
    assert tolerance(ERRORS, ROUNDING).label.startswith(
        between
    )  # 3 times 8e-7 passes, 3e-4 is found
    one = tolerance({"grows": [0, 2e-4, 2e-3]}, [0, 0, 1.5e-5]).label
    assert one.startswith(
        "A tolerance of 1e-4 shows at which hidden state this wrong model first differs"
    )
    none = tolerance({"grows": [1.2e-4, 5e-4]}, [0, 1.5e-5]).label
    assert none.startswith(
        "No tolerance shows at which hidden state this wrong model first differs"
    )


def test_names_on_the_right_do_not_overlap(tab):
    show(tab, tolerance({name: [0, 0.5, 0.5, 0.5] for name in "abcd"}, ROUNDING))
    tops = tab.evaluate(
        "() => [...document.querySelectorAll('.mb-name')].map((name) => name.getBoundingClientRect().top)"
    )
    tops.sort()
    assert all(b - a > 12 for a, b in zip(tops, tops[1:]))


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="models with 4 numbers each"):
        tolerance({"short": [0, 1]}, ROUNDING)
    with pytest.raises(ValueError, match="models with 4 numbers each"):
        tolerance({}, ROUNDING)
    with pytest.raises(ValueError, match="exponent must be -8 to 0, not 1"):
        tolerance(ERRORS, ROUNDING, 1)
    with pytest.raises(ValueError, match="right: no error of this model is above rounding"):
        tolerance({"right": ROUNDING}, ROUNDING)
