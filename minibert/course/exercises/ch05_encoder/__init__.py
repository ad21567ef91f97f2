"""Exercises of chapter 5: GELU, a stack of layers, one encoder layer, and counting it."""

from minibert.course.exercises.ch05_encoder import encoder_layer, gelu, layer_parameters, make_stack

EXERCISES = [
    gelu.EXERCISE,
    encoder_layer.EXERCISE,
    make_stack.EXERCISE,
    layer_parameters.EXERCISE,
]
