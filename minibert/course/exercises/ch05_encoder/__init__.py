"""Exercises of chapter 5: a probe of sublayers, the encoder layer, fresh weights, a design."""

from minibert.course.exercises.ch05_encoder import (
    design_bert,
    encoder_layer,
    fresh_start,
    inspect_sublayer,
)

EXERCISES = [
    inspect_sublayer.EXERCISE,
    encoder_layer.EXERCISE,
    fresh_start.EXERCISE,
    design_bert.EXERCISE,
]
