"""Operations: the reader's own lines replace a patient's faulty ones, and the probes measure
whether that fixes the bug.
"""

from dataclasses import dataclass, field

from minibert.course.clinic.infection import find, infected, operated
from minibert.course.clinic.patients import PATIENTS
from minibert.course.clinic.probes import PROBES, same, shown

BLANK = "____"


@dataclass(frozen=True)
class Operation:
    """The values of the patient's probe before and after an operation and for the correct code, and
    the other probes whose value the operation changed.
    """

    patient_id: str
    probe: str
    sick: object
    operated: object
    healthy: object
    # name of a probe: (value after the operation, value for the correct code)
    side_effects: dict[str, tuple] = field(default_factory=dict)

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
    """Replaces a patient's faulty lines with yours, and measures the result.

    Give one string of code for each of the patient's edits. The patient is healed if its own probe,
    the probe `temperature` and the probes of all patients that change the same files have the
    values of the correct code. Raises ValueError if a line still contains a blank, or if the
    number of strings is wrong.
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
