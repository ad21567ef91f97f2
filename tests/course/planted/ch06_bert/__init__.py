"""Answers on which the exercises of chapter 6 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch06_bert import bert, load_strictly, read_shapes, translate

ANSWERS = {
    "Bert": bert.ANSWERS,
    "read_shapes": read_shapes.ANSWERS,
    "translate": translate.ANSWERS,
    "load_strictly": load_strictly.ANSWERS,
}
