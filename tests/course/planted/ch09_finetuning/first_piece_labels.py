"""Answers to `first_piece_labels` on which its check is tried."""

import torch

from minibert.config import IGNORE
from planted import Answers, named


def labels_by_neighbours(word_ids, tags, number):
    return [
        IGNORE if word is None or word == before else number[tags[word]]
        for before, word in zip([None, *word_ids], word_ids)
    ]


def labels_by_first_places(word_ids, tags, number):
    labels = torch.full((len(word_ids),), IGNORE)
    for word in set(word_ids) - {None}:
        labels[word_ids.index(word)] = number[tags[word]]
    return labels


def _pieces(rule):
    """A planted wrong answer. rule(word, is_first, is_last, tag's number) -> a label."""

    def wrong(word_ids, tags, number):
        labels = []
        for i, word in enumerate(word_ids):
            first = word is not None and (i == 0 or word_ids[i - 1] != word)
            last = word is not None and (i == len(word_ids) - 1 or word_ids[i + 1] != word)
            labels.append(rule(word, first, last, None if word is None else number[tags[word]]))
        return labels

    return wrong


labels_every_piece = named(
    "labels_every_piece", _pieces(lambda word, first, last, tag: IGNORE if word is None else tag)
)


labels_last_piece = named(
    "labels_last_piece", _pieces(lambda word, first, last, tag: tag if last else IGNORE)
)


labels_rest_is_o = named(
    "labels_rest_is_o", _pieces(lambda word, first, last, tag: tag if first else 0)
)


labels_specials_are_o = named(
    "labels_specials_are_o",
    _pieces(lambda word, first, last, tag: 0 if word is None else tag if first else IGNORE),
)


labels_later_are_o = named(
    "labels_later_are_o",
    _pieces(lambda word, first, last, tag: IGNORE if word is None else tag if first else 0),
)


labels_inside = named(
    "labels_inside",
    _pieces(
        lambda word, first, last, tag: (
            IGNORE if word is None else tag if first or tag % 2 == 0 else tag + 1
        )
    ),
)


labels_short = named(
    "labels_short",
    lambda word_ids, tags, number: [
        label for label in labels_by_neighbours(word_ids, tags, number) if label != IGNORE
    ],
)


labels_late = named(
    "labels_late",
    lambda word_ids, tags, number: (
        [IGNORE, *labels_by_neighbours(word_ids, tags, number)][:-2] + [IGNORE]
    ),
)


labels_zero_is_false = named(
    "labels_zero_is_false",
    _pieces(lambda word, first, last, tag: tag if word and first else IGNORE),
)


labels_names = named(
    "labels_names",
    lambda word_ids, tags, number: labels_by_neighbours(word_ids, tags, {tag: tag for tag in tags}),
)


def labels_counted(word_ids, tags, number):
    labels, count, before = [], 0, None
    for word in word_ids:
        if word is None or word == before:
            labels.append(IGNORE)
        else:
            labels.append(number[tags[count]])
            count += 1
        before = word
    return labels


def labels_by_place(word_ids, tags, number):
    labels = [IGNORE, *(number[tag] for tag in tags)]
    return labels + [IGNORE] * (len(word_ids) - len(labels))


ANSWERS = Answers(
    right=(labels_by_neighbours, labels_by_first_places),
    wrong={
        labels_every_piece: "is then three names",
        labels_inside: "the later ones as inside",
        labels_last_piece: "at its \\*last\\* piece",
        labels_rest_is_o: "is the tag O",
        labels_specials_are_o: "\\[CLS\\] and \\[SEP\\] are taught",
        labels_later_are_o: "later pieces of a word are taught",
        labels_counted: "you count the words",
        labels_by_place: "as if every word were one piece",
        labels_late: "one token too late",
        labels_zero_is_false: "takes for false",
        labels_names: "The loss wants numbers",
        labels_short: "4 labels for 9 tokens",
    },
)
