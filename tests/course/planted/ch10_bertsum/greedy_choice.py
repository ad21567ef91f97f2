"""Answers to `greedy_choice` on which its check is tried."""

import itertools

import torch

from minibert.summarization.oracle import ngrams, overlap_f1
from planted import Answers, named


def _overlap(sentences, summary, numbers, sizes=(1, 2)):
    return sum(
        overlap_f1(
            set().union(*(ngrams(sentences[n], size) for n in numbers)), ngrams(summary, size)
        )
        for size in sizes
    )


def greedy_by_recursion(sentences, summary, k, chosen=()):
    now = _overlap(sentences, summary, chosen)
    better = [
        (_overlap(sentences, summary, (*chosen, n)), -n)
        for n in range(len(sentences))
        if n not in chosen
    ]
    if len(chosen) == k or not better or max(better)[0] <= now:
        return sorted(chosen)
    return greedy_by_recursion(sentences, summary, k, (*chosen, -max(better)[1]))


def greedy_by_gains(sentences, summary, k):
    chosen = []
    for _ in range(k):
        now, winner, most = _overlap(sentences, summary, chosen), None, 0.0
        for n in set(range(len(sentences))) - set(chosen):
            gain = _overlap(sentences, summary, [*chosen, n]) - now
            if gain > most or (gain == most > 0 and n < winner):
                winner, most = n, gain
        if winner is not None:
            chosen.append(winner)
    return [n for n in range(len(sentences)) if n in chosen]


def greedy_alone(sentences, summary, k):
    order = sorted(range(len(sentences)), key=lambda n: -_overlap(sentences, summary, [n]))
    return sorted(order[:k])


def greedy_in_order_of_choice(sentences, summary, k):
    found = greedy_by_recursion(sentences, summary, k)
    return sorted(found, key=lambda n: -_overlap(sentences, summary, [n]))


def _greedy(
    score=_overlap,
    stop=lambda new, best: new <= best,
    last=False,
    lowest=False,
    again=False,
    reached=lambda best, value: value,
):
    """A planted wrong answer: the loop with one thing changed."""

    def wrong(sentences, summary, k):
        chosen, best = [], 0.0
        while len(chosen) < k:
            left = [n for n in range(len(sentences)) if again or n not in chosen]
            if not left:
                break
            values = {n: score(sentences, summary, [*chosen, n]) for n in left}
            winner = (min if lowest else max)(left[::-1] if last else left, key=values.get)
            if stop(values[winner], best):
                break
            chosen.append(winner)
            best = reached(best, values[winner])
        return sorted(chosen)

    return wrong


greedy_never_stops = named("greedy_never_stops", _greedy(stop=lambda new, best: new == 0))


greedy_takes_ties = named(
    "greedy_takes_ties", _greedy(stop=lambda new, best: new < best or new == 0)
)


greedy_takes_nothing_for_something = named(
    "greedy_takes_nothing_for_something", _greedy(stop=lambda new, best: new <= best and best > 0)
)


greedy_last_of_equals = named("greedy_last_of_equals", _greedy(last=True))


greedy_lowest = named("greedy_lowest", _greedy(lowest=True))


greedy_last_alone = named(
    "greedy_last_alone", _greedy(score=lambda s, t, numbers: _overlap(s, t, numbers[-1:]))
)


greedy_twice = named("greedy_twice", _greedy(again=True, stop=lambda new, best: False))


greedy_one_too_few = named(
    "greedy_one_too_few",
    lambda sentences, summary, k: greedy_by_recursion(sentences, summary, k - 1),
)


greedy_sums = named("greedy_sums", _greedy(reached=lambda best, value: best + value))


greedy_largest_number = named(
    "greedy_largest_number", lambda sentences, summary, k: [max(range(len(sentences)))]
)


greedy_labels = named(
    "greedy_labels",
    lambda sentences, summary, k: [
        int(n in greedy_by_recursion(sentences, summary, k)) for n in range(len(sentences))
    ],
)


greedy_sorts_in_place = named(
    "greedy_sorts_in_place",
    lambda sentences, summary, k: greedy_by_recursion(sentences, summary, k).sort(),
)


greedy_tensors = named(
    "greedy_tensors",
    lambda sentences, summary, k: list(torch.tensor(greedy_by_recursion(sentences, summary, k))),
)


greedy_one_too_many = named(
    "greedy_one_too_many",
    lambda sentences, summary, k: greedy_by_recursion(sentences, summary, k + 1),
)


def greedy_of_nothing(sentences, summary, k):
    found = greedy_by_recursion(sentences, summary, k)
    if len(found) < k:
        max(n for n in range(len(sentences)) if n not in found and len(sentences) > 1)
    return found


def greedy_by_value(sentences, summary, k):
    scores = {n: _overlap(sentences, summary, [n]) for n in range(len(sentences))}
    return [scores[max(scores.values())]]


def greedy_of_all_sets(sentences, summary, k):
    sets = [
        numbers
        for size in range(k + 1)
        for numbers in itertools.combinations(range(len(sentences)), size)
    ]
    return list(
        max(sets, key=lambda numbers: (_overlap(sentences, summary, numbers), -len(numbers)))
    )


def _joined(sentences, summary, numbers):
    words = [word for n in numbers for word in sentences[n]]
    return sum(overlap_f1(ngrams(words, size), ngrams(summary, size)) for size in (1, 2))


greedy_across_sentences = named(
    "greedy_across_sentences", _greedy(score=lambda s, t, numbers: _joined(s, t, sorted(numbers)))
)


greedy_across_choices = named("greedy_across_choices", _greedy(score=_joined))


greedy_by_pairs = named(
    "greedy_by_pairs", _greedy(score=lambda s, t, numbers: _overlap(s, t, numbers, (2,)))
)


ANSWERS = Answers(
    right=(greedy_by_recursion, greedy_by_gains),
    wrong={
        greedy_alone: "overlap most \\*alone\\*",
        greedy_in_order_of_choice: "order of choice",
        greedy_last_alone: "and stop: sentence 0",
        greedy_never_stops: "with sentence [14] the overlap falls",
        greedy_takes_ties: "does not \\*raise\\*",
        greedy_takes_nothing_for_something: "an overlap of 0 is none",
        greedy_last_of_equals: "first one is chosen",
        greedy_lowest: "lowest overlap",
        greedy_twice: "in it twice",
        greedy_one_too_many: "Asked for 1 sentence you choose 2",
        greedy_one_too_few: "Asked for 1 sentence you choose none",
        greedy_sums: "not a sum of overlaps",
        greedy_largest_number: "the largest \\*number\\*",
        greedy_labels: "every sentence, labels",
        greedy_sorts_in_place: "sorts in place",
        greedy_tensors: "tensors in a list",
        greedy_of_nothing: "the largest of nothing",
        greedy_by_value: "not a score and not a place",
        greedy_of_all_sets: "no greedy choice",
        greedy_across_sentences: "run from one into the next",
        greedy_across_choices: "in the order of choice and count",
        greedy_by_pairs: "Pairs of neighbours alone",
    },
)
