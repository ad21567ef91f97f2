"""Answers on which the exercises of chapter 8 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch08_pretraining import (
    adamw_step,
    backward_in_pieces,
    only_the_name,
    which_bug,
)

ANSWERS = {
    "adamw_step": adamw_step.ANSWERS,
    "only_the_name": only_the_name.ANSWERS,
    "which_bug": which_bug.ANSWERS,
    "backward_in_pieces": backward_in_pieces.ANSWERS,
}
