"""Answers on which the exercises of chapter 8 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch08_pretraining import (
    adamw_step,
    backward_in_pieces,
    set_rates,
    share_of_work,
)

ANSWERS = {
    "adamw_step": adamw_step.ANSWERS,
    "set_rates": set_rates.ANSWERS,
    "backward_in_pieces": backward_in_pieces.ANSWERS,
    "share_of_work": share_of_work.ANSWERS,
}
