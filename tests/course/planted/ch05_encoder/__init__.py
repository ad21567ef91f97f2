"""Answers on which the exercises of chapter 5 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch05_encoder import design_bert, encoder_layer, inspect_sublayer, what_is_missing

ANSWERS = {
    "what_is_missing": what_is_missing.ANSWERS,
    "inspect_sublayer": inspect_sublayer.ANSWERS,
    "EncoderLayer": encoder_layer.ANSWERS,
    "design_bert": design_bert.ANSWERS,
}
