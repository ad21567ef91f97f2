"""Wrong answers of chapter 8 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch08_pretraining import adamw_step, read_losses

KNOWN = {
    "read_losses": read_losses.KNOWN,
    "adamw_step": adamw_step.KNOWN,
}
