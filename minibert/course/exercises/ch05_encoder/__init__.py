"""Exercises of chapter 5: a diagnosis, a probe of sublayers, the encoder layer, a design."""

from minibert.course.exercises.ch05_encoder import (
    design_bert,
    encoder_layer,
    inspect_sublayer,
    what_is_missing,
)

EXERCISES = [
    what_is_missing.EXERCISE,
    inspect_sublayer.EXERCISE,
    encoder_layer.EXERCISE,
    design_bert.EXERCISE,
]
