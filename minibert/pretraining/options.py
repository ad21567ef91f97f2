"""The recipe of a pretraining run: one table of options, with defaults and the words of --help."""

import dataclasses
import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from minibert.config import MOST, InputError

CHOICES = {"optimizer": ("muon", "adamw"), "precision": ("auto", "bfloat16", "float32")}
MOST_THREADS = 1024  # of the CPU; with many more PyTorch crashes
MOST_TOKENS = 10**7  # in a micro-batch; the largest GPUs take about a million
OLD_NAMES = {"pair_weight": "nsp_weight"}  # in runs of older versions


def option(default: Any, help: str) -> Any:
    """A field with its default (... where it has none) and its line of --help."""
    if default is ...:
        return dataclasses.field(metadata={"help": help})
    return dataclasses.field(default=default, metadata={"help": help})


class Recipe:
    """What the recipes of several kinds of run share: the checks of their fields.

    Each raises an InputError that names the field.
    """

    def check_whole(self, name: str, least: int) -> None:
        """A whole number of at least `least`."""
        value = getattr(self, name)
        if not isinstance(value, int) or value < least:
            raise InputError(f"{name} must be a whole number of at least {least}, not {value!r}")
        if value > MOST:
            raise InputError(f"{name} must be at most {MOST:,}, not {value!r:.60}")

    def check_share(self, name: str) -> None:
        """A number from 0 to 1."""
        if not 0 <= getattr(self, name) <= 1:
            raise InputError(
                f"{name} is a share: it must lie between 0 and 1, not {getattr(self, name)!r}"
            )

    def check_positive(self, name: str) -> None:
        """A number above 0, and not infinite."""
        if not 0 < getattr(self, name) < math.inf:
            raise InputError(f"{name} must be above 0, not {getattr(self, name)!r}")

    def check_weight_decay(self) -> None:
        """A number of at least 0, and not infinite."""
        value: float = self.weight_decay  # type: ignore[attr-defined]
        if not 0 <= value < math.inf:
            raise InputError(f"weight_decay must be at least 0, not {value!r}")

    def check_choice(self, name: str, choices: tuple[str, ...]) -> None:
        """One of the choices."""
        if getattr(self, name) not in choices:
            raise InputError(
                f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}"
            )


@dataclass(frozen=True)
class PretrainingOptions(Recipe):
    """The recipe of a run; with the model's config and the corpus it decides every number of it.

    Every field is an option of `minibert pretrain`. Raises an InputError for impossible values.
    """

    steps: int = option(..., "updates of the weights")

    # the batch
    batch_size: int = option(64, "sequences in an update, over all processes")
    micro_batch: int = option(
        64, "sequences that go through the model at once: fewer need less memory"
    )

    # the length of the sequences: first short, then length, at the end long; as many tokens in each
    length: int = option(128, "tokens in a sequence")
    short_length: int = option(32, "tokens in a sequence at the beginning")
    short_share: float = option(0.2, "share of the steps with short_length; 0: none")
    long_length: int = option(512, "tokens in a sequence at the end")
    long_share: float = option(0.1, "share of the steps with long_length; 0: none")
    copy_positions: bool = option(
        True, "start new positions as copies of trained ones when sequences become longer"
    )
    shift_share: float = option(
        0.0, "share of the shorter sequences that start at a random later position"
    )

    # what is predicted
    mask_rate: float = option(0.15, "share of the tokens to predict")
    all_mask: bool = option(
        False, "replace all of them by [MASK], not 80% (10% random, 10% unchanged)"
    )
    next_sentence: bool = option(True, "train next-sentence prediction (NSP) as well")
    nsp_weight: float = option(1.0, "weight of the NSP loss, relative to the MLM loss")
    pair_share: float = option(1.0, "share of the sequences that are NSP pairs")

    # how the weights move
    optimizer: str = option("muon", "muon (AdamW for embeddings, biases, norms) or adamw")
    learning_rate: float = option(2e-3, "peak learning rate of AdamW")
    matrix_learning_rate: float = option(4e-3, "peak learning rate of Muon")
    warmup: int = option(100, "steps over which the learning rates rise")
    decay: float = option(1.0, "share of the steps, the last ones, over which they fall to 0")
    weight_decay: float = option(0.01, "weight decay, on all weights but biases and norms")
    clip: float = option(1.0, "largest gradient norm; larger ones are scaled down to it")
    precision: str = option("auto", "dtype of the computation; auto: the faster one")
    seed: int = option(0, "seed of the weights, the order of the text, the masks and dropout")

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "micro_batch", "short_length", "length", "long_length"):
            self.check_whole(name, 1)
        for name in ("warmup", "seed"):
            self.check_whole(name, 0)
        for name in ("short_share", "long_share", "shift_share"):
            self.check_share(name)
        for name in ("mask_rate", "pair_share", "decay"):
            self.check_share(name)
            if getattr(self, name) == 0:
                raise InputError(f"{name} must be above 0")
        for name in ("learning_rate", "matrix_learning_rate", "clip", "nsp_weight"):
            self.check_positive(name)
        self.check_weight_decay()
        for name, choices in CHOICES.items():
            self.check_choice(name, choices)
        if self.short_share and self.short_length >= self.length:
            raise InputError(
                f"short_length {self.short_length} must be below length {self.length}; "
                "or set short_share to 0"
            )
        if self.short_share + self.long_share > 1:
            raise InputError(
                f"short_share {self.short_share} and long_share {self.long_share} are shares of "
                "one run: together at most 1"
            )
        longest = max(length for _, length in self.stages())
        if min(self.micro_batch, self.batch_size) * longest > MOST_TOKENS:
            raise InputError(
                f"micro_batch {self.micro_batch} is too large: {longest} tokens in each sequence "
                f"make more than {MOST_TOKENS:,} tokens that go through the model at once"
            )

    def stages(self) -> list[tuple[int, int]]:
        """(first step, tokens in a sequence) of every stage that has any step, in order."""
        short, long = round(self.steps * self.short_share), round(self.steps * self.long_share)
        bounds = [0, short, self.steps - long, self.steps]
        lengths = (self.short_length, self.length, self.long_length)
        return [
            (first, length)
            for length, (first, last) in zip(lengths, pairwise(bounds), strict=True)
            if first < last
        ]

    def positions(self) -> int:
        """How many positions the model needs, those of shifted sequences included."""
        longest = max(length for _, length in self.stages())
        return max(longest, self.long_length) if self.shift_share else longest


def with_new_names(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a run that an older version may have written, by their present names."""
    return {OLD_NAMES.get(name, name): value for name, value in options.items()}
