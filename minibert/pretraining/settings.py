"""What a pretraining run was started with, and how often its sessions report and save."""

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

from minibert.config import PRESETS, BertConfig, InputError
from minibert.hub.find_pretrained import expanded
from minibert.pretraining.options import PretrainingOptions, with_new_names

VOCAB_SIZES = {"teaching": 6144}  # of a vocabulary that is trained, by preset; others: VOCAB_SIZE
VOCAB_SIZE = 8192
NO_HELD_OUT = ("none",)
TIME = re.compile(  # such as 90s, 55m or 1h30m
    r"(?=.)(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?"
)


def with_tuples(values: dict[str, Any]) -> dict[str, Any]:
    """The values with tuples in place of lists, in which a name stands once."""
    return {
        name: tuple(dict.fromkeys(value)) if isinstance(value, list) else value
        for name, value in values.items()
    }


@dataclass(frozen=True)
class Settings:
    """Everything but the text itself that decides the numbers of a run; fixed once it has begun."""

    options: PretrainingOptions
    corpus: tuple[str, ...] = ("default",)
    held_out: tuple[str, ...] = ()  # empty: the corpus' own validation part; or NO_HELD_OUT
    sentence_per_line: bool = False
    preset: str = "mini"  # a name, or the path of a config.json
    vocab: str | None = None  # a vocab.txt, or a model's folder or name
    vocab_size: int | None = None  # None: VOCAB_SIZES
    start: str | None = None  # the saved model to start from
    dropout: float | None = None  # None: 0 for a preset, else as the config.json says
    norm_first: bool | None = None  # None: as the preset or the config.json says

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Settings":
        """The settings in a run.json, of this version or an older one."""
        values = with_tuples(values)
        # runs that are older than the option copied no positions
        options = {"copy_positions": False} | with_new_names(values["options"])
        return cls(**values | {"options": PretrainingOptions(**options)})

    def config(self, vocab_size: int, pad_token_id: int = 0) -> BertConfig:
        """The shape of the model that is trained from nothing. The vocabulary gives the numbers."""
        changes: dict[str, Any] = {"vocab_size": vocab_size, "pad_token_id": pad_token_id}
        if self.norm_first is not None:
            changes["norm_first"] = self.norm_first
        dropout = 0.0 if self.dropout is None and self.preset in PRESETS else self.dropout
        if dropout is not None:
            changes |= {"hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout}
        if self.preset in PRESETS:
            positions = max(512, self.options.positions())
            return BertConfig.preset(self.preset, max_position_embeddings=positions, **changes)
        if not expanded(self.preset).is_file():
            raise InputError(
                f"preset must be one of {', '.join(PRESETS)} or the path of a config.json, "
                f"not {self.preset!r}"
            )
        config = BertConfig.from_json_file(expanded(self.preset))
        return dataclasses.replace(config, **changes)


@dataclass(frozen=True)
class Intervals:
    """How often a session does something; none of it changes what is learned."""

    log_every: int = 10  # steps
    eval_every: int = 100  # steps
    checkpoint_steps: int | None = None  # steps; None: by the clock alone
    checkpoint_seconds: float | None = 600.0
    time_limit: float | None = None  # seconds, for this session

    def should_save(self, step: int, seconds: float) -> bool:
        """Whether a checkpoint is due at a step, `seconds` after the last one."""
        if self.checkpoint_steps is not None and step % self.checkpoint_steps == 0:
            return True
        return self.checkpoint_seconds is not None and seconds >= self.checkpoint_seconds
