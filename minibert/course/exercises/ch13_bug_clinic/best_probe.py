"""Exercise `best_probe`: task, hints, solution and check."""

from collections import Counter

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch13_bug_clinic.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    Unforeseen,
)


def best_probe(findings):
    """Which probe to try first: its number, from 0; of several that are as good the first.

    findings: for every patient that may lie behind the curtain (all equally likely) a list of what each probe finds. After a
    probe those patients are left with whom it finds the same. The best probe leaves the fewest, on average over the patients.
    """
    left = []
    for answers in zip(*findings):  # of one probe, every patient's
        counts = Counter(answers)  # blank: finding -> how many patients share it
        mean = sum(counts[answer] for answer in answers) / len(answers)  # blank: each patient leaves as many as share its finding  # fmt: skip
        left.append(mean)
    return left.index(min(left))  # blank: the number of the best probe


def _table(*probes):
    """Builds a table of findings, with one list per patient, from the group sizes of each probe.

    A probe's sizes are the numbers of patients that share each of its findings.
    """
    columns = [
        [f"finding {letter}" for letter, count in zip("abcdefgh", sizes) for _ in range(count)]
        for sizes in probes
    ]
    return [list(answers) for answers in zip(*columns)]


# Each table catches another wrong criterion: the number of distinct findings, the size of the
# largest group, the remaining information, a tie, and the last probe.
TABLES = (
    _table((5, 1, 1, 1), (8,), (3, 3, 2)),
    _table((4, 4), (5, 1, 1, 1)),
    _table((6, 1, 1), (5, 3)),
    _table((9,), (3, 3, 3), (3, 3, 3), (9,)),
    [[True, 1], [True, 1], [True, 2], [True, 2], [False, 3]],
)


def _mean_left(findings, probe):
    counts = Counter(row[probe] for row in findings)
    return sum(n * n for n in counts.values()) / len(findings)


def check_best_probe(answer):
    found = []
    for table in TABLES:
        found.append(answer([list(row) for row in table]))
        if isinstance(found[-1], bool) or not isinstance(found[-1], int):
            raise Mistake(
                f"You give back {found[-1]!r}; the number of a probe is wanted, a whole number from 0 to {len(table[0]) - 1}."
            )
    right = [best_probe(table) for table in TABLES]
    for at, table in enumerate(TABLES):
        mine, best = found[at], right[at]
        if mine == best:
            continue
        if not 0 <= mine < len(table[0]):
            raise Mistake(f"You choose probe {mine}; there are {len(table[0])}, counted from 0.")
        measured = f"Of {len(table)} patients your probe {mine} leaves {_mean_left(table, mine):.2f} on average, and probe {best} {_mean_left(table, best):.2f}"
        for wrong, sentence in known(best_probe):
            if [wrong(other) for other in TABLES] == found:
                raise Mistake(f"{measured}: {sentence}")
        raise Unforeseen(f"{measured}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=12,
    title="Which probe first?",
    task="Every patient may lie behind the curtain, and for each you know what each probe would find. A probe sends most of them home: only those stay who have the same finding. Which probe leaves the fewest, on average? If a finding is shared by *n* patients, each of the *n* leaves *n*.",
    hints=(
        "For one probe: count how many patients share each finding. Then every patient looks up its own count.",
        "`Counter(answers)[answer]` is that count. Add it up over the patients, not over the different findings, and divide by the number of patients.",
    ),
    paragraph="The mystery ward",
    solution=best_probe,
    check=check_best_probe,
)
