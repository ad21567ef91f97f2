"""Windows against the loops of the original program, written out."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from minibert.finetuning.tasks.windows import best_windows, overlapping_windows

SHAPES = st.tuples(st.integers(1, 400), st.integers(1, 250)).flatmap(  # tokens, size, stride
    lambda shape: st.tuples(
        st.just(shape[0]), st.just(shape[1]), st.integers(max(1, shape[1] // 20), shape[1])
    )
)


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
    assert [
        (window.start, len(window)) for window in overlapping_windows(length, size, stride)
    ] == wanted


@settings(max_examples=50, deadline=None)
@given(SHAPES)
def test_the_best_window_is_that_of_the_original(shape):
    windows = overlapping_windows(*shape)
    best = best_windows(windows)
    assert len(best) == shape[0]
    for token in range(shape[0]):
        worth = [
            Fraction(min(token - window[0], window[-1] - token)) + Fraction(len(window), 100)
            if token in window
            else -1
            for window in windows
        ]
        assert best[token] == worth.index(max(worth))


def test_a_hundred_tokens_of_a_window_are_worth_one_of_context():
    """The last window is 99 tokens shorter, and the token lies one deeper in it: by a hundredth that is more; by 100 it is as much, and the first is kept."""
    for shorter, chosen in ((99, 1), (100, 0), (101, 0)):
        windows = [range(0, 300), range(280, 580 - shorter)]
        token = next(
            token for token in windows[0] if token in windows[1] and token - 280 == 299 - token + 1
        )
        assert best_windows(windows)[token] == chosen
