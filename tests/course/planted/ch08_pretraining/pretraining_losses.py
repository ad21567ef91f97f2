"""Answers to `pretraining_losses` on which its check is tried."""

import torch

from minibert.course.exercises.mistakes.ch08_pretraining.pretraining_losses_answers import (
    losses_added,
    losses_as_perplexity,
    losses_by_vocabulary,
    losses_id_zero_ignored,
    losses_in_bits,
    losses_in_two_calls,
    losses_indexed_crosswise,
    losses_log_of_mean,
    losses_negative,
    losses_of_all_by_words,
    losses_of_every_word,
    losses_of_raw_scores,
    losses_of_rows,
    losses_of_the_highest,
    losses_of_the_unasked,
    losses_of_words_twice,
    losses_of_zeroed_by_words,
    losses_of_zeroed_scores,
    losses_out_of_step,
    losses_over_all,
    losses_over_masked_words,
    losses_over_positions,
    losses_over_rows_of_batch,
    losses_per_row,
    losses_softmax_twice,
    losses_summed,
    losses_to_base_ten,
    losses_weighted_too_late,
    losses_without_log,
    pairs_as_two_questions,
    pairs_by_one_score,
    pairs_class_ignored,
    pairs_halved,
    pairs_in_bits,
    pairs_log_of_mean,
    pairs_negative,
    pairs_of_class_one,
    pairs_of_raw_scores,
    pairs_of_the_first,
    pairs_of_two_questions_added,
    pairs_over_the_batch,
    pairs_softmax_twice,
    pairs_squared,
    pairs_summed,
    pairs_upside_down,
    pairs_without_log,
)
from planted import Answers


def losses_by_logsumexp(word_logits, word_labels, pair_logits, pair_labels):
    losses = []
    for scores, labels in (
        (word_logits.flatten(0, 1), word_labels.flatten()),
        (pair_logits, pair_labels),
    ):
        scores, labels = scores[labels >= 0], labels[labels >= 0]
        losses.append(
            (scores.logsumexp(-1) - scores[torch.arange(len(labels)), labels]).sum() / len(labels)
        )
    return losses


def losses_as_bare_numbers(*arguments):
    words, pairs = losses_in_two_calls(*arguments)
    return words.item(), pairs.item()


def losses_in_one_tensor(*arguments):
    return torch.stack(losses_in_two_calls(*arguments))


def losses_swapped(*arguments):
    return losses_in_two_calls(*arguments)[::-1]


ANSWERS = Answers(
    right=(losses_in_two_calls, losses_by_logsumexp, losses_in_one_tensor),
    wrong={
        losses_over_all: r"divided by all 12 positions",
        losses_per_row: r"divided by the 2 rows",
        losses_summed: r"word loss, .* is a sum",
        losses_of_rows: r"mean of the rows' means",
        losses_id_zero_ignored: r"masked word whose id is 0",
        losses_of_zeroed_scores: r"scores of 8 set to 0",
        losses_weighted_too_late: r"they cancel",
        losses_softmax_twice: r"word loss.* softmax twice.*ln\(1",
        losses_without_log: r"logarithm is missing",
        losses_log_of_mean: r"logarithm of a mean",
        losses_negative: r"sign is wrong",
        losses_in_bits: r"in bits",
        losses_of_raw_scores: r"word loss.* minus the mean score",
        losses_added: r"sum of both",
        losses_swapped: r"wrong order",
        pairs_class_ignored: r"ignores label 0",
        pairs_summed: r"pair loss, .* is a sum",
        pairs_as_two_questions: r"two questions",
        pairs_softmax_twice: r"pair loss.* softmax twice",
        pairs_upside_down: r"upside down",
        pairs_squared: r"squared error",
        pairs_halved: r"divided by the two classes",
        losses_over_positions: r"softmax over the 6 positions",
        losses_by_vocabulary: r"5 words of the vocabulary as well",
        losses_of_every_word: r"mean over every word",
        losses_indexed_crosswise: r"of all 4 true words",
        losses_as_perplexity: r"perplexity",
        losses_to_base_ten: r"base 10",
        losses_of_the_highest: r"highest log-probability",
        losses_of_the_unasked: r"8 positions where nothing was asked",
        losses_of_all_by_words: r"its sum has all 12 positions",
        losses_out_of_step: r"out of step",
        losses_as_bare_numbers: r"bare number",
        pairs_negative: r"pair loss is .*sign is wrong",
        pairs_in_bits: r"pair loss is in bits",
        pairs_of_raw_scores: r"pair loss.* minus the mean score",
        pairs_without_log: r"pair loss.* minus the mean probability",
        pairs_over_the_batch: r"over the pairs of the batch",
        pairs_by_one_score: r"one of the two scores",
        pairs_of_two_questions_added: r"adds up two questions",
        losses_over_rows_of_batch: r", takes the softmax over the rows of the batch; the words st",
        losses_of_zeroed_by_words: r", divides by the 4 masked words, but its sum has all 12 posi",
        losses_over_masked_words: r"over the masked positions",
        pairs_of_class_one: r"class 1 as the answer of every pair",
        losses_of_words_twice: r", is the words' loss once more\.",
        pairs_log_of_mean: r", is the logarithm of a mean; wanted is the mean of the loga",
        pairs_of_the_first: r", is that of the first pair alone, the only one whose answer",
    },
)
