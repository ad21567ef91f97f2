"""Texts longer than the model: overlapping windows, and which of them has a token's context."""

from collections.abc import Sequence


def overlapping_windows(length: int, size: int, stride: int) -> list[range]:
    """The tokens 0 … length - 1 in windows of `size`, one every `stride` tokens, to the end."""
    return [
        range(start, min(start + size, length))
        for start in range(0, max(length - size, 0) + stride, stride)
    ]


def best_windows(windows: Sequence[range]) -> list[int]:
    """For every token, the window in which it has the most context; the first of several.

    Its context is the number of tokens on its shorter side plus a hundredth of the window's length
    (google-research/bert, run_squad.py, `_check_is_max_context`).
    """
    best = [(-1, 0)] * windows[-1].stop
    for number, window in enumerate(windows):
        for token in window:
            context = 100 * min(token - window.start, window.stop - 1 - token) + len(window)
            if context > best[token][0]:
                best[token] = (context, number)
    return [number for _, number in best]
