"""Answers on which the exercises of chapter 12 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch12_when_training_fails import (
    diagnose,
    effect_of_context,
    first_not_finite,
    inspect_batch,
)

ANSWERS = {
    "inspect_batch": inspect_batch.ANSWERS,
    "effect_of_context": effect_of_context.ANSWERS,
    "first_not_finite": first_not_finite.ANSWERS,
    "diagnose": diagnose.ANSWERS,
}
