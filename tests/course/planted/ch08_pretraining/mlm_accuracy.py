"""Answers to `mlm_accuracy` on which its check is tried."""

import torch

from minibert.course.exercises.mistakes.ch08_pretraining.mlm_accuracy import (
    accuracy_above_a_half,
    accuracy_as_probability,
    accuracy_by_sums,
    accuracy_in_per_cent,
    accuracy_not_divided,
    accuracy_of_all_labels_but_zero,
    accuracy_of_all_positions,
    accuracy_of_clamped_by_all,
    accuracy_of_clamped_labels,
    accuracy_of_errors,
    accuracy_of_five,
    accuracy_of_rows,
    accuracy_of_the_lowest,
    accuracy_of_the_unasked,
    accuracy_over_positions,
    accuracy_per_row,
    accuracy_rounded,
    accuracy_with_gifts,
    accuracy_without_id_zero,
)
from planted import Answers


def accuracy_by_counting(logits, labels):
    hits = total = 0
    for scores, label in zip(logits.flatten(0, 1), labels.flatten()):
        if label >= 0:
            total += 1
            hits += int(scores.argmax()) == int(label)
    return hits / total


def accuracy_of_each(logits, labels):
    return (logits.argmax(dim=-1) == labels)[labels != -100]


def accuracy_by_heart(logits, labels):
    return torch.tensor(5 / 7)


def accuracy_in_numpy(logits, labels):
    chosen = labels.numpy() != -100
    return (logits.numpy().argmax(-1) == labels.numpy())[chosen].mean()


ANSWERS = Answers(
    right=(accuracy_by_counting, accuracy_by_sums, accuracy_in_numpy),
    wrong={
        accuracy_of_all_positions: r"all 16 positions.*perfect model would score 0\.44",
        accuracy_not_divided: r"count the hits, 5",
        accuracy_per_row: r"hits per row",
        accuracy_of_rows: r"mean of the rows'",
        accuracy_without_id_zero: r"word with id 0",
        accuracy_with_gifts: r"not masked counts as a hit",
        accuracy_of_errors: r"share of wrong guesses",
        accuracy_of_the_lowest: r"argmin",
        accuracy_over_positions: r"argmax runs over the 8 positions",
        accuracy_as_probability: r"mean probability",
        accuracy_of_each: r"shape \[\], but it has \[7\]",
        accuracy_of_five: r"among the first few",
        accuracy_above_a_half: r"probability above a half",
        accuracy_of_clamped_labels: r"hits at positions that were not asked",
        accuracy_of_all_labels_but_zero: r"label 0 for 'not asked'",
        accuracy_in_per_cent: r"per cent",
        accuracy_of_the_unasked: r"no hit of yours",
        accuracy_rounded: r"misses two words in seven. Is it rounded",
        accuracy_by_heart: r"A perfect model scores 0\.71",
        accuracy_of_clamped_by_all: r": you divide by all 16 positions, and the labels -100 have b",
    },
)
