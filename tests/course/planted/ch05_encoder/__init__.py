"""Answers on which the exercises of chapter 5 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch05_encoder import encoder_layer, gelu, layer_parameters, make_stack

ANSWERS = {
    "gelu": gelu.ANSWERS,
    "EncoderLayer": encoder_layer.ANSWERS,
    "make_stack": make_stack.ANSWERS,
    "layer_parameters": layer_parameters.ANSWERS,
}
