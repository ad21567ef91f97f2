"""Wrong answers to `best_probe` that its check recognises, each with the feedback for it."""

import math
from collections import Counter

from minibert.course.exercises.mistakes import named


def _chosen(measure, choose=min):
    def wrong(findings):
        values = [measure(Counter(answers)) for answers in zip(*findings)]
        return values.index(choose(values))

    return wrong


def probe_last_of_equals(findings):
    left = [sum(n * n for n in Counter(answers).values()) for answers in zip(*findings)]
    return max(number for number, value in enumerate(left) if value == min(left))


def probe_most_true(findings):
    values = [sum(bool(answer) for answer in answers) for answers in zip(*findings)]
    return values.index(max(values))


PROBES = (
    (
        named("probe_most_findings", _chosen(len, max)),
        "you count the different findings, and one that hardly anybody has counts as much as one that half the ward has.",
    ),
    (
        named("probe_smallest_worst", _chosen(lambda counts: max(counts.values()))),
        "you look at the largest group alone, the worst case; asked is the mean over the patients.",
    ),
    (
        named(
            "probe_most_information",
            _chosen(lambda counts: sum(n * math.log(n) for n in counts.values())),
        ),
        "you choose by the information that is left, which is a good rule too; asked is the mean number of patients left.",
    ),
    (
        named("probe_worst", _chosen(lambda counts: sum(n * n for n in counts.values()), max)),
        "you take the probe that leaves the most.",
    ),
    (
        named("probe_always_first", lambda findings: 0),
        "you take the first probe, whatever it finds.",
    ),
    (
        named("probe_always_last", lambda findings: len(findings[0]) - 1),
        "you take the last probe, whatever it finds.",
    ),
    (probe_last_of_equals, "of several that are as good you take the last; wanted is the first."),
    (probe_most_true, "you count the patients in whom something is found at all."),
    (
        named("probe_smallest_group", _chosen(lambda counts: min(counts.values()))),
        "you look at the smallest group alone, which is the luckiest case.",
    ),
)


KNOWN = PROBES
