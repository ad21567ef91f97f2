"""Exercises of chapter 5: a probe of sublayers, the encoder layer, a diagnosis, a design."""

from minibert.course.exercises.ch05_encoder import (
    design_bert,
    encoder_layer,
    inspect_sublayer,
    what_is_missing,
)

EXERCISES = [
    inspect_sublayer.EXERCISE,
    encoder_layer.EXERCISE,
    what_is_missing.EXERCISE,
    design_bert.EXERCISE,
]
