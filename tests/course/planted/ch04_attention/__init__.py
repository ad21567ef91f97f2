"""Answers on which the exercises of chapter 4 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch04_attention import (
    agreeing_noun,
    mask_works,
    masked_attention,
    previous_token,
    self_attention,
)

ANSWERS = {
    "agreeing_noun": agreeing_noun.ANSWERS,
    "previous_token": previous_token.ANSWERS,
    "masked_attention": masked_attention.ANSWERS,
    "mask_works": mask_works.ANSWERS,
    "SelfAttention": self_attention.ANSWERS,
}
