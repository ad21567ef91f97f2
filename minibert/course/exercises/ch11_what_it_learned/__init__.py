"""Exercises of chapter 11: where a head looks, rollout, one word hidden at a time, labels that mean nothing, what a probe shows."""

from minibert.course.exercises.ch11_what_it_learned import (
    attention_rollout,
    masked_copies,
    offset_share,
    random_labels,
    what_it_shows,
)

EXERCISES = [
    offset_share.EXERCISE,
    attention_rollout.EXERCISE,
    random_labels.EXERCISE,
    what_it_shows.EXERCISE,
    masked_copies.EXERCISE,
]
