"""Wrong answers of chapter 4 that a check recognises by their results, with the feedback."""

from minibert.course.exercises.mistakes.ch04_attention import (
    agreeing_noun,
    mask_works,
    masked_attention,
    previous_token,
    self_attention,
)

KNOWN = {
    "agreeing_noun": agreeing_noun.KNOWN,
    "previous_token": previous_token.KNOWN,
    "masked_attention": masked_attention.KNOWN,
    "mask_works": mask_works.KNOWN,
    "SelfAttention": self_attention.KNOWN,
}
