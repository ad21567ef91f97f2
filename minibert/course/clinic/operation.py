"""An operation: the reader's own lines in the place of a patient's sick ones, and whether that
heals.
"""

from dataclasses import dataclass, field

from minibert.course.clinic.infection import find, infected, operated
from minibert.course.clinic.patients import PATIENTS
from minibert.course.clinic.probes import PROBES, same, shown

BLANK = "____"


@dataclass(frozen=True)
class Operation:
    """What the patient's probe says before, after and of the right code; and which other probes the
    operation has upset.
    """

    patient_id: str
    probe: str
    sick: object
    operated: object
    healthy: object
    side_effects: dict[str, tuple] = field(
        default_factory=dict
    )  # probe: (after the operation, healthy)

    @property
    def healed(self) -> bool:
        return self._agree(self.operated, self.healthy) and not self.side_effects

    def __str__(self) -> str:
        lines = [
            f"{self.probe}: {shown(self.sick)} before, {shown(self.operated)} after,"
            f" {shown(self.healthy)} in health"
        ]
        if self._agree(self.operated, self.sick):
            verdict = "nothing has changed"
        elif not self._agree(self.operated, self.healthy):
            verdict = "something has changed, but it is not healed"
        elif self.side_effects:
            lines += [
                f"{name}: now {shown(now)}, {shown(wanted)} in health"
                for name, (now, wanted) in self.side_effects.items()
            ]
            verdict = "the symptom is gone, but something else is now wrong"
        else:
            verdict = "healed"
        return "\n".join([*lines, f"{self.patient_id}: {verdict}"])

    def _agree(self, one, other) -> bool:
        return same(one, other, PROBES[self.probe].tolerance)


def operate(patient_id: str, *lines: str) -> Operation:
    """Try your own lines where the patient's mistake is, one piece of code for each of its edits,
    and measure.

    The patient's own probe decides; the thermometer, and the probes of everybody who is ill in the
    same files, must say what they say in health. Raises a ValueError for lines with a blank in
    them, or for too few or too many pieces.
    """
    patient = find(patient_id)
    if any(BLANK in text for text in lines):
        raise ValueError(f"not yet: the lines for {patient_id} still have a blank ({BLANK})")
    files = {edit.file for edit in patient.edits}
    others = {
        other.probe for other in PATIENTS.values() if files & {edit.file for edit in other.edits}
    } | {"temperature"}
    others -= {patient.probe}
    healthy = {name: PROBES[name]() for name in (patient.probe, *sorted(others))}
    with infected(patient_id):
        sick = PROBES[patient.probe]()
    with operated(patient_id, *lines):
        now = {name: PROBES[name]() for name in healthy}
    upset = {
        name: (now[name], healthy[name])
        for name in sorted(others)
        if not same(now[name], healthy[name], PROBES[name].tolerance)
    }
    return Operation(
        patient_id, patient.probe, sick, now[patient.probe], healthy[patient.probe], upset
    )
