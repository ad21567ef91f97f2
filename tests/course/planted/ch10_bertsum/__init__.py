"""Answers on which the exercises of chapter 10 are tried: right ones, and wrong ones with what the check must say."""

from planted.ch10_bertsum import (
    bertsum_input,
    choose_sentences,
    greedy_choice,
    logits_in_two_parts,
    sentence_encoder,
    states_of,
)

ANSWERS = {
    "bertsum_input": bertsum_input.ANSWERS,
    "greedy_choice": greedy_choice.ANSWERS,
    "SentenceEncoder": sentence_encoder.ANSWERS,
    "states_of": states_of.ANSWERS,
    "logits_in_two_parts": logits_in_two_parts.ANSWERS,
    "choose_sentences": choose_sentences.ANSWERS,
}
