"""Wrong answers of chapter 8 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch08_pretraining import adamw_step

KNOWN = {
    "adamw_step": adamw_step.KNOWN,
}
