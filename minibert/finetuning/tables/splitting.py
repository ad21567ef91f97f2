"""Choose which examples are trained on, and which are held out."""

from collections.abc import Hashable, Sequence
from typing import Any

import torch

from minibert.config import InputError
from minibert.finetuning.tasks.questions import QuestionExample
from minibert.finetuning.tasks.tagging import TaggedExample

HELD_OUT = 10  # one example in so many


def draw(examples: Sequence[Any], count: int, seed: int) -> list[Any]:
    """A random sample of `count` examples, in their order; all of them if there are fewer."""
    return [examples[i] for i in sorted(_order(len(examples), seed)[:count])]


def hold_out(examples: Sequence[Any], seed: int) -> tuple[list[Any], list[Any]]:
    """A random split: about nine tenths to train on, and a tenth to evaluate on.

    Questions about one passage, and examples with the same text, stay together, because otherwise
    the held-out scores would count what the model memorized. Raises an InputError where all
    examples have the same text.
    """
    groups: dict[Hashable, list[int]] = {}
    for number, example in enumerate(examples):
        groups.setdefault(_shared(example), []).append(number)
    if len(groups) < 2:
        why = "all rows have the same text" if examples else "there are no rows"
        raise InputError(
            f"there is nothing to hold out: {why}; give rows to evaluate on with --dev"
        )
    members, held_out = list(groups.values()), set[int]()
    for i in _order(len(members), seed)[:-1]:
        if len(held_out) >= len(examples) / HELD_OUT:
            break
        held_out |= set(members[i])
    return (
        [example for number, example in enumerate(examples) if number not in held_out],
        [example for number, example in enumerate(examples) if number in held_out],
    )


def _shared(example: Any) -> Hashable:
    """What examples that must stay together have in common."""
    if isinstance(example, QuestionExample):
        return example.context
    if isinstance(example, TaggedExample):
        return tuple(example.words)
    return example.text, getattr(example, "pair", None)


def _order(count: int, seed: int) -> list[int]:
    generator = torch.Generator().manual_seed(seed)
    order: list[int] = torch.randperm(count, generator=generator).tolist()
    return order
