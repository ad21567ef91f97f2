"""The bug clinic: mistakes that tutorials really published, as patients to be examined, operated
and healed.

    with infected("A1"):        # minibert itself has the mistake, until the block ends
        ...
    PATIENTS["A1"].diff()       # what is changed
    PROBES["padding_moves_a_token"]()       # what tells sick from healthy
    operate("A1", "…")          # your own lines in the place of the sick ones
    ward = admit(seed=0)        # somebody whom you do not know

Nothing in the rest of minibert imports this package.
"""

from minibert.course.clinic.infection import infected, operated
from minibert.course.clinic.operation import Operation, operate
from minibert.course.clinic.patient import Edit, Patient
from minibert.course.clinic.patients import PATIENTS, PUZZLES
from minibert.course.clinic.probes import PROBES, same, shown
from minibert.course.clinic.ward import Ward, admit

__all__ = [
    "PATIENTS",
    "PROBES",
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
