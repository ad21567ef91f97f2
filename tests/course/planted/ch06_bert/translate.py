"""Answers to `translate` on which its check is tried."""

import re

from minibert.course.exercises.ch06_bert.translate import translate
from planted import Answers


def translate_by_regex(tensors):
    def new(name):
        name = re.sub(r"^bert\.", "", name)
        return re.sub(r"beta$", "bias", re.sub(r"gamma$", "weight", name))

    return {
        new(name): tensor
        for name, tensor in tensors.items()
        if not re.match(r"cls\.|.*position_ids$", name)
    }


def translate_by_parts(tensors):
    result = {}
    for name, tensor in tensors.items():
        *path, last = name.split(".")
        path = path[1:] if path[0] == "bert" else path
        last = {"gamma": "weight", "beta": "bias"}.get(last, last)
        if path[0] != "cls" and last != "position_ids":
            result[".".join([*path, last])] = tensor
    return result


def translate_prefix_stays(tensors):
    return {
        name.replace("gamma", "weight").replace("beta", "bias"): tensor
        for name, tensor in tensors.items()
        if not name.startswith("cls.") and "position_ids" not in name
    }


def translate_by_lstrip(tensors):
    return translate({name.lstrip("bert."): tensor for name, tensor in tensors.items()})


def translate_old_norms(tensors):
    return {
        name.removeprefix("bert."): tensor
        for name, tensor in tensors.items()
        if not name.startswith("cls.") and "position_ids" not in name
    }


def translate_exchanged(tensors):
    return {
        name.removeprefix("bert.").replace("gamma", "bias").replace("beta", "weight"): tensor
        for name, tensor in tensors.items()
        if not name.startswith("cls.") and "position_ids" not in name
    }


def translate_with_heads(tensors):
    return {
        name.removeprefix("bert.").replace("gamma", "weight").replace("beta", "bias"): tensor
        for name, tensor in tensors.items()
        if "position_ids" not in name
    }


def translate_with_position_ids(tensors):
    return {
        name.removeprefix("bert.").replace("gamma", "weight").replace("beta", "bias"): tensor
        for name, tensor in tensors.items()
        if not name.startswith("cls.")
    }


def translate_prefixed_only(tensors):
    return translate({name: tensor for name, tensor in tensors.items() if name.startswith("bert.")})


def translate_without_pooler(tensors):
    return {
        name: tensor for name, tensor in translate(tensors).items() if not name.startswith("pooler")
    }


def translate_cutting_five(tensors):
    return translate({name[5:]: tensor for name, tensor in tensors.items()})


def translate_to_names(tensors):
    return list(translate(tensors))


def translate_in_another_order(tensors):
    renamed = translate(tensors)
    return dict(zip(renamed, reversed(renamed.values())))


ANSWERS = Answers(
    right=(translate_by_regex, translate_by_parts),
    wrong={
        translate_prefix_stays: "The bert. in front has to go",
        translate_by_lstrip: "`lstrip` takes a set of letters",
        translate_old_norms: "gamma is called weight today",
        translate_exchanged: "Your 'embeddings.LayerNorm.weight' holds the numbers",
        translate_with_heads: "belongs to the heads",
        translate_with_position_ids: "Position ids are no weights",
        translate_prefixed_only: "'embeddings.word_embeddings.weight' of the file should become",
        translate_without_pooler: "'bert.pooler.dense.bias' of the file should become",
        translate_cutting_five: "'redictions.bias'",
        translate_to_names: "it is a list",
        translate_in_another_order: "Your 'embeddings.word_embeddings.weight' holds the numbers",
    },
)
