"""Answers to `best_probe` on which its check is tried."""

from collections import Counter

from minibert.course.exercises.mistakes.ch13_bug_clinic.best_probe import PROBES
from planted import Answers


def probe_by_pairs(findings):
    """Another right answer: how many pairs of patients a probe cannot tell apart."""
    alike = [
        sum(one[q] == other[q] for one in findings for other in findings)
        for q in range(len(findings[0]))
    ]
    return min(range(len(alike)), key=alike.__getitem__)


def probe_by_groups(findings):
    """Another right answer: from the last probe to the first, so that the first of equals stays."""
    best = None
    for number in reversed(range(len(findings[0]))):
        groups = {}
        for row in findings:
            groups.setdefault(row[number], []).append(row)
        left = sum(len(group) ** 2 for group in groups.values())
        if best is None or left <= best[0]:
            best = left, number
    return best[1]


def probe_across(findings):
    left = [sum(n * n for n in Counter(row).values()) / len(row) for row in findings]
    return left.index(min(left))


ANSWERS = Answers(
    right=(probe_by_pairs, probe_by_groups),
    wrong={
        wrong: sentence.partition(",")[0].partition(";")[0].rstrip(".")
        for wrong, sentence in PROBES
    }
    | {probe_across: r"."},
)
