"""Answers on which the exercises of chapter 6 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch06_bert import all_differences, bert, choose_inputs, first_difference, load_strictly

ANSWERS = {
    "Bert": bert.ANSWERS,
    "first_difference": first_difference.ANSWERS,
    "all_differences": all_differences.ANSWERS,
    "load_strictly": load_strictly.ANSWERS,
    "choose_inputs": choose_inputs.ANSWERS,
}
