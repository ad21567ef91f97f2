"""Windows against the loops of the original program, written out."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from minibert.finetuning.windows import best_windows, overlapping_windows

SHAPES = st.tuples(st.integers(1, 400), st.integers(1, 250)).flatmap(     # tokens, size, stride
    lambda shape: st.tuples(st.just(shape[0]), st.just(shape[1]), st.integers(max(1, shape[1] // 20), shape[1])))


@settings(max_examples=50, deadline=None)
@given(SHAPES)
def test_windows_are_those_of_the_original(shape):
    length, size, stride = shape
    wanted, start = [], 0
    while start < length:
        wanted.append((start, min(size, length - start)))
        if start + wanted[-1][1] == length:
            break
        start += min(wanted[-1][1], stride)
    assert [(window.start, len(window)) for window in overlapping_windows(length, size, stride)] == wanted


@settings(max_examples=50, deadline=None)
@given(SHAPES)
def test_the_best_window_is_that_of_the_original(shape):
    windows = overlapping_windows(*shape)
    best = best_windows(windows)
    assert len(best) == shape[0]
    for token in range(shape[0]):
        worth = [Fraction(min(token - window[0], window[-1] - token)) + Fraction(len(window), 100) if token in window else -1 for window in windows]
        assert best[token] == worth.index(max(worth))
