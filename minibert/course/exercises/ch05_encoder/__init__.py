"""Exercises of chapter 5: a probe of sublayers, a diagnosis, the encoder layer, a design."""

from minibert.course.exercises.ch05_encoder import (
    design_bert,
    encoder_layer,
    inspect_sublayer,
    what_is_missing,
)

EXERCISES = [
    inspect_sublayer.EXERCISE,
    what_is_missing.EXERCISE,
    encoder_layer.EXERCISE,
    design_bert.EXERCISE,
]
