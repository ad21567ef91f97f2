"""Answers on which the exercises of chapter 6 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch06_bert import bert, choose_inputs, first_difference, load_strictly, repair

ANSWERS = {
    "Bert": bert.ANSWERS,
    "first_difference": first_difference.ANSWERS,
    "repair": repair.ANSWERS,
    "load_strictly": load_strictly.ANSWERS,
    "choose_inputs": choose_inputs.ANSWERS,
}
