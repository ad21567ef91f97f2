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
    the held-out scores would count what the model memorized. Never more than half are held out: a
    text that more examples have is trained on. Raises an InputError where all examples have the
    same text.
    """
    groups: dict[Hashable, list[int]] = {}
    for number, example in enumerate(examples):
        groups.setdefault(shared_text(example), []).append(number)
    if len(groups) < 2:
        several = "there is only one row" if len(examples) == 1 else "all rows have the same text"
        why = several if examples else "there are no rows"
        raise InputError(
            f"there is nothing to hold out: {why}; give rows to evaluate on with --dev"
        )
    members, held_out = list(groups.values()), set[int]()
    for i in _order(len(members), seed):
        if len(held_out) >= len(examples) / HELD_OUT:
            break
        if len(held_out) + len(members[i]) <= len(examples) / 2:
            held_out |= set(members[i])
    return (
        [example for number, example in enumerate(examples) if number not in held_out],
        [example for number, example in enumerate(examples) if number in held_out],
    )


def shared_text(example: Any) -> Hashable:
    """What examples that must stay together have in common: a text, a pair, words, a passage."""
    if isinstance(example, QuestionExample):
        return example.context
    if isinstance(example, TaggedExample):
        return tuple(example.words)
    return example.text, getattr(example, "pair", None)


def _order(count: int, seed: int) -> list[int]:
    generator = torch.Generator().manual_seed(seed)
    order: list[int] = torch.randperm(count, generator=generator).tolist()
    return order
