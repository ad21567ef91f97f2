"""Answers on which the exercises of chapter 11 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch11_what_it_learned import (
    attention_rollout,
    masked_copies,
    offset_share,
    random_labels,
    what_it_shows,
)

ANSWERS = {
    "offset_share": offset_share.ANSWERS,
    "attention_rollout": attention_rollout.ANSWERS,
    "random_labels": random_labels.ANSWERS,
    "masked_copies": masked_copies.ANSWERS,
    "what_it_shows": what_it_shows.ANSWERS,
}
