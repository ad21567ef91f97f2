"""Wrong answers of chapter 8 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch08_pretraining import (
    mlm_accuracy,
    pretraining_losses,
    set_rates,
)

KNOWN = {
    "pretraining_losses": pretraining_losses.KNOWN,
    "mlm_accuracy": mlm_accuracy.KNOWN,
    "set_rates": set_rates.KNOWN,
}
