"""Answers to `best_span` on which its check is tried."""

import math

import torch

from planted import Answers, named


def span_by_loops(start, end, allowed, max_answer):
    best, found = -math.inf, None
    for i in range(len(start)):
        for j in range(i, min(i + max_answer, len(end))):
            if allowed[i] and allowed[j] and start[i] + end[j] > best:
                best, found = start[i] + end[j], (i, j)
    return found


def span_by_band(start, end, allowed, max_answer):
    scores = torch.outer(start.exp() * allowed, end.exp() * allowed).triu().tril(max_answer - 1)
    return tuple(int(i) for i in torch.unravel_index(scores.argmax(), scores.shape))


def _span(
    score=lambda start, end: start[:, None] + end[None, :],
    least=1,
    slack=0,
    most=True,
    inside=True,
    fill=-torch.inf,
    change=lambda i, j: (i, j),
):
    """A planted wrong answer: the matrix with one thing changed."""

    def wrong(start, end, allowed, max_answer):
        places = torch.arange(len(start))
        length = places[None, :] - places[:, None] + 1
        valid = length >= least
        if most:
            valid &= length <= max_answer + slack
        if inside:
            valid &= allowed[:, None] & allowed[None, :]
        return change(
            *divmod(int(score(start, end).masked_fill(~valid, fill).argmax()), len(start))
        )

    return wrong


def span_apart_inside(start, end, allowed, max_answer):
    return int(start.masked_fill(~allowed, -torch.inf).argmax()), int(
        end.masked_fill(~allowed, -torch.inf).argmax()
    )


def span_start_first(start, end, allowed, max_answer):
    i = int(start.masked_fill(~allowed, -torch.inf).argmax())
    reach = allowed & (torch.arange(len(end)) >= i) & (torch.arange(len(end)) < i + max_answer)
    return i, int(end.masked_fill(~reach, -torch.inf).argmax())


def span_end_anywhere(start, end, allowed, max_answer):
    return _span(inside=False)(start.masked_fill(~allowed, -torch.inf), end, allowed, max_answer)


span_start_anywhere = named(
    "span_start_anywhere",
    lambda start, end, allowed, max_answer: _span(inside=False)(
        start, end.masked_fill(~allowed, -torch.inf), allowed, max_answer
    ),
)


span_apart = named(
    "span_apart", lambda start, end, allowed, max_answer: (int(start.argmax()), int(end.argmax()))
)


span_product = named("span_product", _span(score=lambda start, end: start[:, None] * end[None, :]))


span_end_only = named(
    "span_end_only", _span(score=lambda start, end: (0 * start)[:, None] + end[None, :])
)


span_unlimited = named("span_unlimited", _span(most=False))


span_too_short = named("span_too_short", _span(slack=-1))


span_swapped = named("span_swapped", _span(change=lambda i, j: (j, i)))


span_behind = named("span_behind", _span(change=lambda i, j: (i, j + 1)))


span_filled_with_zero = named("span_filled_with_zero", _span(fill=0.0))


span_flat = named(
    "span_flat",
    lambda start, end, allowed, max_answer: int(
        _span()(start, end, allowed, max_answer)[0] * len(start)
    ),
)


ANSWERS = Answers(
    right=(span_by_loops, span_by_band),
    wrong={
        span_apart: "no place in the passage",
        span_apart_inside: "chosen apart",
        span_start_first: "Choose both together",
        span_product: "their product is large",
        span_end_only: "look at the end only",
        span_unlimited: "6 tokens, where at most 3",
        span_too_short: "that span has 2 tokens",
        span_swapped: "have changed places",
        span_behind: "runs one too far",
        span_filled_with_zero: "fill it with -∞",
        span_flat: "two places",
        span_end_anywhere: "the end must be, too",
        span_start_anywhere: "starts at \\[CLS\\]",
    },
)
