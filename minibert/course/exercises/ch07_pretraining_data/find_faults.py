"""Exercise `find_faults`: task, hints, solution and check."""

import math

from minibert.config import IGNORE
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.broken_programs import (
    FAULT_OF,
    FAULTS,
    broken_batch,
)
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def find_faults():
    """The fault of each of the six programs, from 1 to 8, or 0 for the correct one; and the evidence for fault 2."""
    program_a = 7  # blank: a number from 0 to 8
    program_b = 1  # blank: a number from 0 to 8
    program_c = 0  # blank: a number from 0 to 8
    program_d = 3  # blank: a number from 0 to 8
    program_e = 6  # blank: a number from 0 to 8
    program_f = 2  # blank: a number from 0 to 8
    below = 3.9  # blank: standard errors by which the unchanged tokens are below 10% in the program with fault 2  # fmt: skip
    return [program_a, program_b, program_c, program_d, program_e, program_f], below


def check_find_faults(answer):
    found = answer()
    if not isinstance(found, list | tuple) or len(found) != 2:
        raise Mistake(
            f"you return {found!r}; expected a list of {len(FAULT_OF)} numbers, and the evidence for fault 2."
        )
    numbers, below = found
    if not isinstance(numbers, list | tuple) or len(numbers) != len(FAULT_OF):
        raise Mistake(
            f"for the programs you return {numbers!r}; expected a list of {len(FAULT_OF)} numbers."
        )
    for program, number in zip(FAULT_OF, numbers):
        if number not in range(len(FAULTS) + 1):
            raise Mistake(
                f"for program {program} you give {number!r}; expected a number from 0 to {len(FAULTS)}."
            )
    if len(set(numbers)) < len(numbers):
        raise Mistake(
            "you give two programs the same number. One program is correct, and no fault occurs twice."
        )
    if list(numbers) != list(FAULT_OF.values()):
        raise Mistake(
            "not all six are right, and the check doesn't tell which. For each program write down the count that made you decide, and by how many "
            "standard errors it differs from that of a correct program. Where this is less than three, count something else."
        )
    if not isinstance(below, int | float):
        raise Mistake(f"the evidence is {below!r}; expected a number of standard errors.")
    batch = broken_batch("ABCDEF"[list(numbers).index(2)])
    chosen = batch["labels"] != IGNORE  # [B, S]
    kept = float((batch["input_ids"] == batch["labels"])[chosen].double().mean())
    n = int(chosen.sum())
    if abs(abs(below) - (0.1 - kept) / math.sqrt(0.1 * 0.9 / n)) > 0.15:
        raise Mistake(
            f"all six programs are right, but not the evidence: you give {below!r} standard errors. Take the share of the chosen tokens that are unchanged, "
            f"subtract it from 0.1, and divide by the standard error of a share of 0.1 among {n:,} chosen tokens."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=40,
    title="Find the fault by counting",
    task=f"""
            Six programs made a batch of 8,000 pairs each. `broken_batch("A")` to `broken_batch("F")` return them as dictionaries of tensors.
            The ids 0 to 4 are [PAD], [UNK], [CLS], [SEP] and [MASK]. There are fifty documents; document $d$ repeats the ten words $5 + 10d$ to $14 + 10d$ in this order,
            so every id reveals its document. One program is correct (0), and each of the others has one of these faults. No fault occurs twice, so three of them don't occur at all. Count until you know which is which: the check judges all six together. For the program with fault 2 also give the evidence: by how many standard errors is its share of unchanged tokens below 10%?

            {"<br>".join(f"{i} · {fault}." for i, fault in enumerate(FAULTS, 1))}
        """,
    hints=(
        "For each fault, first write down the count that it would change, and what that count is in a correct program. `torch.where(labels != -100, labels, input_ids)` restores the text (unless the program has fault 5), and `(id - 5) // 10` is the document of a word.",
        "Two faults hide from an average over the batch: count the outcomes row by row for fault 1, and the pairs of label 0 and of label 1 separately for fault 6. For fault 7 an average shows that something is wrong, and the separate counts show what. For fault 2 compute the standard error, $\\sqrt{0.1 \\cdot 0.9 / n}$ for $n$ chosen tokens, and demand three of them, because you compare many counts.",
    ),
    paragraph="Find the fault by counting",
    solution=find_faults,
    check=check_find_faults,
)
