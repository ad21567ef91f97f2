"""The bug clinic: typical mistakes, planted in minibert as patients to examine, operate on, heal.

    with infected("A1"):        # minibert itself has the bug until the block ends
        ...
    PATIENTS["A1"].diff()       # what the bug changes
    PROBES["padding_moves_a_token"]()       # a measurement that detects the bug
    operate("A1", "…")          # try your own lines instead of the faulty ones
    ward = admit(seed=0)        # a random patient to diagnose

Nothing in the rest of minibert imports this package.
"""

from minibert.course.clinic.infection import infected, operated
from minibert.course.clinic.operation import Operation, operate
from minibert.course.clinic.patient import Edit, Patient
from minibert.course.clinic.patients import PATIENTS, PUZZLES
from minibert.course.clinic.probes import PROBES, same, shown
from minibert.course.clinic.published import PUBLISHED
from minibert.course.clinic.ward import Ward, admit

__all__ = [
    "PATIENTS",
    "PROBES",
    "PUBLISHED",
    "PUZZLES",
    "Edit",
    "Operation",
    "Patient",
    "Ward",
    "admit",
    "infected",
    "operate",
    "operated",
    "same",
    "shown",
]
