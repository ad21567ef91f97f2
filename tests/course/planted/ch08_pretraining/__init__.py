"""Answers on which the exercises of chapter 8 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch08_pretraining import (
    backward_in_pieces,
    mlm_accuracy,
    parameter_groups,
    pretraining_losses,
    read_the_log,
    set_rates,
)

ANSWERS = {
    "pretraining_losses": pretraining_losses.ANSWERS,
    "mlm_accuracy": mlm_accuracy.ANSWERS,
    "backward_in_pieces": backward_in_pieces.ANSWERS,
    "parameter_groups": parameter_groups.ANSWERS,
    "set_rates": set_rates.ANSWERS,
    "read_the_log": read_the_log.ANSWERS,
}
