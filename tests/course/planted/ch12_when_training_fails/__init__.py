"""Answers on which the exercises of chapter 12 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch12_when_training_fails import (
    inspect_batch,
    name_the_faults,
    overfit_one_batch,
    undo_the_mean,
)

ANSWERS = {
    "inspect_batch": inspect_batch.ANSWERS,
    "overfit_one_batch": overfit_one_batch.ANSWERS,
    "undo_the_mean": undo_the_mean.ANSWERS,
    "name_the_faults": name_the_faults.ANSWERS,
}
