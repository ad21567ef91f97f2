"""Exercises of chapter 11: attention patterns, rollout, occlusion, probes and control tasks."""

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
