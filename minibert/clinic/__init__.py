"""The bug clinic: mistakes that tutorials really published, as patients to be examined, operated and healed.

    with infected("A1"):        # minibert itself has the mistake, until the block ends
        ...
    PATIENTS["A1"].diff()       # what is changed
    PROBES["padding_moves_a_token"]()       # what tells sick from healthy
    operate("A1", "…")          # your own lines in the place of the sick ones
    ward = admit(seed=0)        # somebody whom you do not know

Nothing in the rest of minibert imports this package.
"""

from minibert.clinic.infection import infected, operated
from minibert.clinic.operation import Operation, operate
from minibert.clinic.patient import Edit, Patient
from minibert.clinic.patients import PATIENTS, PUZZLES
from minibert.clinic.probes import PROBES, same, shown
from minibert.clinic.ward import Ward, admit
