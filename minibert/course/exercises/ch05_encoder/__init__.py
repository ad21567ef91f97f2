"""Exercises of chapter 5: GELU, the encoder layer, stacks of layers, and parameter counts."""

from minibert.course.exercises.ch05_encoder import encoder_layer, gelu, layer_parameters, make_stack

EXERCISES = [
    gelu.EXERCISE,
    encoder_layer.EXERCISE,
    make_stack.EXERCISE,
    layer_parameters.EXERCISE,
]
