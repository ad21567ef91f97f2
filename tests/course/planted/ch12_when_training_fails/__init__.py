"""Answers on which the exercises of chapter 12 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch12_when_training_fails import (
    effect_of_context,
    inspect_batch,
    mended_program,
    name_the_faults,
    overfit_one_batch,
)

ANSWERS = {
    "inspect_batch": inspect_batch.ANSWERS,
    "overfit_one_batch": overfit_one_batch.ANSWERS,
    "effect_of_context": effect_of_context.ANSWERS,
    "MendedProgram": mended_program.ANSWERS,
    "name_the_faults": name_the_faults.ANSWERS,
}
