"""Exercise `look_back`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.ch03_positions.shift_matrix import shift_matrix
from minibert.course.exercises.compare import Mistake, expect_tensor, recognise
from minibert.positions import sinusoidal_table


def look_back(table, k):
    """The softmax over j of the scores p(i) · R(k) p(j): [S, S]."""
    # blank from here: rotate the rows, and score every i with every j
    rotation = shift_matrix(k, table.size(1)).to(table)  # [H, H]
    rotated = table @ rotation.T  # [S, H], row j is R(k) p(j)
    return (table @ rotated.T).softmax(dim=1)  # [S, S], every row sums to 1


AT = 10  # the row that a message speaks of
CASES = ((24, 16, 3), (20, 12, -2), (30, 32, 5))  # length, dim, k


def check_look_back(answer):
    for length, dim, k in CASES:
        table = sinusoidal_table(length, dim).double()  # [S, H]
        found, right = answer(table, k), look_back(table, k)  # [S, S]
        what = f"The weights for k = {k} and {dim} columns"
        expect_tensor(found, (length, length), what)
        found = found.detach()
        if not found.is_floating_point():
            raise Mistake(f"{what} are {found.dtype}; a softmax gives fractions.")
        numbers = dict(
            peak=int(found[AT].argmax()),
            weight=float(found[AT].max()),
            total=float(found[AT].sum()),
            k=k,
            at=AT,
            aim=AT - k,
            right=float(right[AT].max()),
        )
        given = (
            "With k = {k}, row {at} has its largest entry, {weight:.2f}, in column {peak}".format(
                **numbers
            )
        )
        suspects = [
            (wrong(table, k), f"{given}: {sentence.format(**numbers)}")
            for wrong, sentence in known(look_back)
        ]
        # R(k) of an answer may be float32, as that of exercise 3.2 is.
        recognise(found, right, suspects, what, tolerance=1e-4)


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="Look k tokens back",
    task="""
            Build the weights from the scores $p_i \\cdot R(k)\\,p_j$: entry (i, j) says how much position $i$ looks at position $j$. Decide first on paper for which $j$ the score is largest: your rows should peak there. (With $k = 3$ the first three rows have no such $j$. Leave them as they come out.)
            `table` holds the rows $p_i$, and `shift_matrix` is your answer to exercise 3.2.
            """,
    hints=(
        "R(k) moves p(j) to p(j + k), so the score is p(i) · p(j + k). All rows are equally long, so a dot product of two of them is largest when they are the same row. R(k) belongs to j: score [i, j] needs row j rotated, and row i as it is.",
        "For all rows at once, `table @ matrix.T` multiplies each row by the matrix. `table @ rotated.T` is [S, S], and `softmax(dim=1)` makes each of its rows sum to 1. `shift_matrix(…).to(table)` has the dtype of the table.",
    ),
    paragraph="One matrix moves every position",
    solution=look_back,
    check=check_look_back,
)
