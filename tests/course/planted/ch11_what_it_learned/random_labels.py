"""Answers to `random_labels` on which its check is tried."""

import random

import numpy as np
import torch

from planted import Answers


def labels_by_index(words, labels, seed):
    draw, types = random.Random(seed), sorted(set(words))
    drawn = draw.choices(sorted(labels), k=len(types))
    return [drawn[types.index(word)] for word in words]


def labels_by_torch(words, labels, seed):
    generator, types = torch.Generator().manual_seed(seed), sorted(set(words))
    table = dict(
        zip(types, torch.randint(len(labels), (len(types),), generator=generator).tolist())
    )
    pool = sorted(labels)
    return [pool[table[word]] for word in words]


def labels_per_occurrence(words, labels, seed):
    draw = random.Random(seed)
    return [draw.choice(labels) for _ in words]


def labels_uniform(words, labels, seed):
    draw, kinds = random.Random(seed), sorted(set(labels))
    table = {word: draw.choice(kinds) for word in sorted(set(words))}
    return [table[word] for word in words]


def labels_kept(words, labels, seed):
    return list(labels)


def labels_of_types(words, labels, seed):
    draw = random.Random(seed)
    return [draw.choice(labels) for _ in sorted(set(words))]


def labels_one(words, labels, seed):
    label = random.Random(seed).choice(labels)
    return [label for _ in words]


def labels_without_seed(words, labels, seed):
    return labels_by_index(words, labels, 0)


_CALLS = random.Random(0)


def labels_new_each_time(words, labels, seed):
    return labels_by_index(words, labels, _CALLS.random())


def labels_in_order_of_text(words, labels, seed):
    draw = random.Random(seed)
    table = {word: draw.choice(labels) for word in dict.fromkeys(words)}
    return [table[word] for word in words]


def labels_by_global_seed(words, labels, seed):
    random.seed(seed)
    table = {word: random.choice(labels) for word in sorted(set(words))}
    return [table[word] for word in words]


def labels_by_numpy_seed(words, labels, seed):
    np.random.seed(seed)
    types = sorted(set(words))
    table = dict(zip(types, np.random.choice(labels, len(types)).tolist()))
    return [table[word] for word in words]


def labels_by_torch_seed(words, labels, seed):
    torch.manual_seed(seed)
    types = sorted(set(words))
    table = dict(zip(types, torch.randint(len(labels), (len(types),)).tolist()))
    return [labels[table[word]] for word in words]


ANSWERS = Answers(
    right=(labels_by_index, labels_by_torch),
    wrong={
        labels_per_occurrence: r"one label here and another there",
        labels_uniform: r"draw from the list as it is",
        labels_kept: r"kept its true label",
        labels_of_types: r"600 labels for 2000",
        labels_one: r"the same label",
        labels_without_seed: r"does not use the seed",
        labels_new_each_time: r"Called twice",
        labels_in_order_of_text: r"in the other order",
        labels_by_global_seed: r"whole of random shares",
        labels_by_numpy_seed: r"whole of numpy shares",
        labels_by_torch_seed: r"whole of torch shares",
    },
)
