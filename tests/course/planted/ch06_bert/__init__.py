"""Answers on which the exercises of chapter 6 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch06_bert import bert, extend_mask, load_strictly, read_shapes

ANSWERS = {
    "read_shapes": read_shapes.ANSWERS,
    "extend_mask": extend_mask.ANSWERS,
    "Bert": bert.ANSWERS,
    "load_strictly": load_strictly.ANSWERS,
}
