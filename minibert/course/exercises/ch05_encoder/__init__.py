"""Exercises of chapter 5: a probe of sublayers, gradients along a stack, a diagnosis, a design, the encoder layer."""

from minibert.course.exercises.ch05_encoder import (
    design_bert,
    encoder_layer,
    gradient_lengths,
    inspect_sublayer,
    what_is_missing,
)

EXERCISES = [
    inspect_sublayer.EXERCISE,
    gradient_lengths.EXERCISE,
    what_is_missing.EXERCISE,
    design_bert.EXERCISE,
    encoder_layer.EXERCISE,
]
