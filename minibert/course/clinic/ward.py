"""The mystery ward: diagnose an unknown patient with at most five probes."""

import random
from dataclasses import dataclass

from minibert.course.clinic.infection import find, infected
from minibert.course.clinic.patients import PATIENTS
from minibert.course.clinic.probes import PROBES, same, shown

MOST_PROBES = 5


@dataclass(frozen=True)
class Reading:
    """The value of one probe for the patient and for the correct code."""

    probe: str
    sick: object
    healthy: object

    @property
    def differs(self) -> bool:
        return not same(self.sick, self.healthy, PROBES[self.probe].tolerance)

    def __repr__(self) -> str:
        return (
            f"{self.probe}: {shown(self.sick)} in the patient, {shown(self.healthy)} in health"
            + ("" if self.differs else " (no difference)")
        )


class Ward:
    """One hidden patient. Read its `symptom`, use `probe` up to five times, then `diagnose`."""

    def __init__(self, patient_id: str):
        self._hidden = find(patient_id)
        self.readings: list[Reading] = []

    @property
    def symptom(self) -> str:
        return self._hidden.symptom

    def probe(self, name: str) -> Reading:
        """Measures the patient with one of `PROBES`.

        Repeating a probe is free. Raises ValueError if the name is unknown, or for a sixth probe.
        """
        if name not in PROBES:
            raise ValueError(f"no probe is called {name!r}; the probes are {', '.join(PROBES)}")
        for reading in self.readings:
            if reading.probe == name:
                return reading
        if len(self.readings) == MOST_PROBES:
            raise ValueError(f"all {MOST_PROBES} probes are used: it is time for a diagnosis")
        self.readings.append(Reading(name, self._of(self._hidden.id, name), PROBES[name]()))
        return self.readings[-1]

    def diagnose(self, patient_id: str) -> str:
        """Says whether the hidden patient is this one.

        For a wrong diagnosis, the answer names one of your readings that contradicts it, if any
        does.
        """
        guess = find(patient_id)
        if guess is self._hidden:
            return (
                f"Right: {guess.id}, {guess.title}. {guess.disease} {guess.cure} Reread chapter"
                f" {int(guess.chapter[:2])}."
            )
        for reading in self.readings:
            if not same(
                theirs := self._of(guess.id, reading.probe),
                reading.sick,
                PROBES[reading.probe].tolerance,
            ):
                return (
                    f"Wrong: with {guess.id} ({guess.title}) {reading.probe} says {shown(theirs)},"
                    f" and here it says {shown(reading.sick)}."
                )
        return (
            f"Wrong: it is not {guess.id} ({guess.title}), though none of your probes tells the two"
            " apart."
        )

    def reveal(self) -> str:
        """The solution, for those who give up."""
        return (
            f"It was {self._hidden.id}, {self._hidden.title}. {self._hidden.disease} Its probe is"
            f" {self._hidden.probe}."
        )

    def __repr__(self) -> str:
        return (
            f"a patient unknown, {MOST_PROBES - len(self.readings)} of {MOST_PROBES} probes left."
            f" {self.symptom}"
        )

    @staticmethod
    def _of(patient_id: str, name: str):
        with infected(patient_id):
            return PROBES[name]()


def admit(seed: int | None = None) -> Ward:
    """Returns a ward with a random patient; the same seed gives the same patient."""
    return Ward(random.Random(seed).choice(list(PATIENTS)))
