"""Wrong answers of chapter 8 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch08_pretraining import (
    adamw_step,
    set_rates,
    share_of_work,
)

KNOWN = {
    "adamw_step": adamw_step.KNOWN,
    "set_rates": set_rates.KNOWN,
    "share_of_work": share_of_work.KNOWN,
}
