"""Answers on which the exercises of chapter 6 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch06_bert import bert, first_difference, load_strictly, mlm_head, read_shapes

ANSWERS = {
    "Bert": bert.ANSWERS,
    "read_shapes": read_shapes.ANSWERS,
    "first_difference": first_difference.ANSWERS,
    "load_strictly": load_strictly.ANSWERS,
    "MLMHead": mlm_head.ANSWERS,
}
