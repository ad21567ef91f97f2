"""Exercise `find_faults`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.broken_programs import (
    FAULT_OF,
    FAULTS,
    batch_with,
    broken_batch,
    counts,
)
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def find_faults():
    """The fault of each of the six programs, from 1 to 8; 0 for a correct program."""
    program_a = 7  # blank: a number from 0 to 8
    program_b = 1  # blank: a number from 0 to 8
    program_c = 0  # blank: a number from 0 to 8
    program_d = 3  # blank: a number from 0 to 8
    program_e = 6  # blank: a number from 0 to 8
    program_f = 2  # blank: a number from 0 to 8
    return [program_a, program_b, program_c, program_d, program_e, program_f]


def check_find_faults(answer):
    found = answer()
    if not isinstance(found, list | tuple) or len(found) != len(FAULT_OF):
        raise Mistake(f"you return {found!r}; expected a list of {len(FAULT_OF)} numbers.")
    for (program, right), number in zip(FAULT_OF.items(), found):
        if number not in range(len(FAULTS) + 1):
            raise Mistake(
                f"for program {program} you give {number!r}; expected a number from 0 to {len(FAULTS)}."
            )
        if number == right:
            continue
        if number == 0:
            raise Mistake(
                f"program {program} has a fault. Count what each of the {len(FAULTS)} faults would change, and compare it with what a correct program makes."
            )
        what, value = counts(broken_batch(program))[number - 1]
        expected = counts(batch_with(number))[number - 1][1]
        raise Mistake(
            f"program {program} does not have fault {number}. With it, the share of {what} would be about {expected:.1%}; in this batch it is {value:.1%}."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=30,
    title="Find the fault by counting",
    task=f"""
            Six programs made a batch of 8,000 pairs each. `broken_batch("A")` to `broken_batch("F")` return them as dictionaries of tensors.
            The ids 0 to 4 are [PAD], [UNK], [CLS], [SEP] and [MASK]. There are fifty documents; document $d$ repeats the ten words $5 + 10d$ to $14 + 10d$ in this order,
            so every word tells its document. One program is correct (0), and each of the others has one of these faults. Count until you know which. (Three of the faults did not occur.)

            {"<br>".join(f"{i} · {fault}." for i, fault in enumerate(FAULTS, 1))}
        """,
    hints=(
        "For each fault, first write down the count that it would change, and what that count is in a correct program. `torch.where(labels != -100, labels, input_ids)` restores the text (unless the program has fault 5), and `(id - 5) // 10` is the document of a word.",
        "Three faults hide from an average over the batch. Count the fates row by row for fault 1, and count pairs of label 0 and of label 1 separately for 6 and 7. For fault 2 compute the standard error, $\\sqrt{0.1 \\cdot 0.9 / n}$ for $n$ chosen tokens, and demand three of them, because you compare many counts.",
    ),
    paragraph="Find the fault by counting",
    solution=find_faults,
    check=check_find_faults,
)
