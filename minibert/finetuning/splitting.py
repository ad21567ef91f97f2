"""Which examples are learned from, and which are kept apart."""

from collections.abc import Hashable, Sequence

import torch

from minibert.finetuning.questions import QuestionExample
from minibert.finetuning.tagging import TaggedExample

HELD_OUT = 10           # one example in so many


def draw(examples: Sequence, count: int, seed: int) -> list:
    """So many of the examples, drawn by the seed, in their order; all of them where there are no more."""
    return [examples[i] for i in sorted(_order(len(examples), seed)[:count])]


def hold_out(examples: Sequence, seed: int) -> tuple[list, list]:
    """About nine tenths to learn from and a tenth to judge by, drawn by the seed.

    What asks about one passage, and what has the same text, stays on one side: else the judgement would be of what was
    learned by heart. Raises a ValueError where there is one text only.
    """
    groups: dict[Hashable, list[int]] = {}
    for number, example in enumerate(examples):
        groups.setdefault(_shared(example), []).append(number)
    if len(groups) < 2:
        raise ValueError(f"there is nothing to hold out: {'all rows have the same text' if examples else 'there are no rows'}; give rows to judge by with --dev")
    members, held_out = list(groups.values()), set()
    for i in _order(len(members), seed)[:-1]:
        if len(held_out) >= len(examples) / HELD_OUT:
            break
        held_out |= set(members[i])
    return ([example for number, example in enumerate(examples) if number not in held_out],
            [example for number, example in enumerate(examples) if number in held_out])


def _shared(example) -> Hashable:
    if isinstance(example, QuestionExample):
        return example.context
    return tuple(example.words) if isinstance(example, TaggedExample) else (example.text, getattr(example, "pair", None))


def _order(count: int, seed: int) -> list[int]:
    return torch.randperm(count, generator=torch.Generator().manual_seed(seed)).tolist()
