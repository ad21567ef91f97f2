"""Answers on which the exercises of chapter 13 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch13_bug_clinic import (
    best_probe,
    first_and_best,
    idle_parameters,
    mend_program,
    operated_layer,
    padding_probe,
)

ANSWERS = {
    "padding_probe": padding_probe.ANSWERS,
    "idle_parameters": idle_parameters.ANSWERS,
    "operated_layer": operated_layer.ANSWERS,
    "first_and_best": first_and_best.ANSWERS,
    "best_probe": best_probe.ANSWERS,
    "mend_program": mend_program.ANSWERS,
}
