"""Answers on which the exercises of chapter 8 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch08_pretraining import (
    adamw_step,
    backward_in_pieces,
    read_losses,
)

ANSWERS = {
    "read_losses": read_losses.ANSWERS,
    "adamw_step": adamw_step.ANSWERS,
    "backward_in_pieces": backward_in_pieces.ANSWERS,
}
