"""Exercises of chapter 13: probes, unused parameters, a broken layer, loss levels, and an unknown bug."""

from minibert.course.exercises.ch13_bug_clinic import (
    best_probe,
    first_and_best,
    idle_parameters,
    mend_program,
    operated_layer,
    padding_probe,
)

EXERCISES = [
    padding_probe.EXERCISE,
    idle_parameters.EXERCISE,
    operated_layer.EXERCISE,
    first_and_best.EXERCISE,
    best_probe.EXERCISE,
    mend_program.EXERCISE,
]
