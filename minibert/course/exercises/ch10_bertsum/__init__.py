"""Exercises of chapter 10: BertSum's input, oracle, sentence encoder, LSTM and sentence selection."""

from minibert.course.exercises.ch10_bertsum import (
    bertsum_input,
    choose_sentences,
    greedy_choice,
    logits_in_two_parts,
    sentence_encoder,
    states_of,
)

EXERCISES = [
    bertsum_input.EXERCISE,
    greedy_choice.EXERCISE,
    sentence_encoder.EXERCISE,
    states_of.EXERCISE,
    logits_in_two_parts.EXERCISE,
    choose_sentences.EXERCISE,
]
