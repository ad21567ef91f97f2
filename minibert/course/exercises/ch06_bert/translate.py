"""Exercise `translate`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def translate(tensors):
    """The weights of a checkpoint of 2018 under the names of your model."""
    renamed = {}
    for name, tensor in tensors.items():
        new = name.removeprefix("bert.").replace(".gamma", ".weight").replace(".beta", ".bias")  # blank: the name in your model  # fmt: skip
        belongs = not (name.startswith("cls.") or name.endswith("position_ids"))  # blank: False for what your model does not have  # fmt: skip
        if belongs:
            renamed[new] = tensor
    return renamed


# name in the file: name in the model, None for what is left out
NAMES = {
    "bert.embeddings.word_embeddings.weight": "embeddings.word_embeddings.weight",
    "bert.embeddings.position_ids": None,
    "bert.embeddings.LayerNorm.gamma": "embeddings.LayerNorm.weight",
    "bert.embeddings.LayerNorm.beta": "embeddings.LayerNorm.bias",
    "bert.encoder.layer.0.attention.self.query.weight": "encoder.layer.0.attention.self.query.weight",
    "bert.encoder.layer.11.output.LayerNorm.gamma": "encoder.layer.11.output.LayerNorm.weight",
    "bert.encoder.layer.11.output.LayerNorm.beta": "encoder.layer.11.output.LayerNorm.bias",
    "bert.pooler.dense.bias": "pooler.dense.bias",
    "cls.predictions.bias": None,
    "cls.predictions.transform.LayerNorm.gamma": None,
    "cls.seq_relationship.weight": None,
}


def check_translate(answer):
    bare = {name.removeprefix("bert."): new for name, new in NAMES.items()}
    for first, names in ((0, NAMES), (100, bare)):
        tensors = {name: torch.full((2,), float(i)) for i, name in enumerate(names, first)}
        found = answer(dict(tensors))
        if not isinstance(found, dict):
            raise Mistake(
                f"The result should be a dict of names and tensors, but it is a {type(found).__name__}."
            )
        _compare(found, tensors, names)


def _compare(found, tensors, names):
    wanted = {new: tensors[name] for name, new in names.items() if new}
    extra = [name for name in found if name not in wanted]
    if extra:
        raise Mistake(
            f"{len(extra)} of your {len(found)} names do not exist in your model, {extra[0]!r} for one.{_reason(extra[0])}"
        )
    for name, new in names.items():
        if new and new not in found:
            raise Mistake(f"{name!r} of the file should become {new!r}, and your result lacks it.")
    for name, tensor in wanted.items():
        if found[name] is not tensor and not torch.equal(found[name], tensor):
            raise Mistake(
                f"Your {name!r} holds the numbers of another tensor: names change here, tensors stay with their names."
            )


def _reason(name):
    if name.endswith("position_ids"):
        return " Position ids are no weights: they are the numbers 0, 1, 2, …"
    if "cls." in name or "seq_relationship" in name or "predictions" in name:
        return " What begins with cls. belongs to the heads."
    if name.startswith("bert."):
        return " The bert. in front has to go."
    if name.endswith(("gamma", "beta")):
        return " LayerNorm's gamma is called weight today, its beta bias."
    if name.split(".")[0] in ("mbeddings", "ncoder", "pooler", "oole"):
        return (
            " A first letter is missing: `lstrip` takes a set of letters, `removeprefix` a prefix."
        )
    return ""


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=8,
    title="A file from 2018",
    solution=translate,
    check=check_translate,
    task="Early files put `bert.` before the names of the model, call the weights of a LayerNorm `gamma` and `beta`, and contain the heads (`cls.…`) "
    "and sometimes the buffer `position_ids`. Give every tensor the name that it has in your model, and leave out what your model does not "
    "have. A file without the prefix should come out right too.",
    hints=(
        "`gamma` multiplies and `beta` is added. Which of PyTorch's two names does each get? For the prefix, Python strings have a method.",
        '`name.removeprefix("bert.")`, then two `replace`; leave out what starts with `cls.` and what ends with `position_ids`.',
    ),
    paragraph="Names that do not match are skipped in silence",
)
