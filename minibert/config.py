"""The shape of a BERT: a frozen dataclass that checks its values."""

import dataclasses
import difflib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any


class InputError(ValueError):
    """Input that cannot be used. Its message names what was wrong and what is expected."""


FLOAT32, MOST = 1e38, 10**18  # numbers below it fit into float32; whole ones up to it, 64 bits
IGNORE = -100  # the label of what is not predicted; no class and no token has this number

# Keys that config.json files of the reference carry, from its versions 2 to 5, and that change
# nothing here. They are accepted and dropped.
_WITHOUT_EFFECT = """
    _attn_implementation_autoset _comment _name_or_path _num_labels add_cross_attention
    architectures attn_implementation bos_token_id chunk_size_feed_forward directionality
    do_sample dtype eos_token_id eos_token_ids finetuning_task gradient_checkpointing
    is_decoder is_encoder_decoder label2id length_penalty max_length model_type num_beams
    num_return_sequences output_attentions output_hidden_states output_past pooler_fc_size
    pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head pooler_type
    problem_type pruned_heads repetition_penalty return_dict temperature tie_word_embeddings
    tokenizer_class top_k top_p torch_dtype torchscript transformers_version use_bfloat16
    use_cache
"""
IGNORED_KEYS = frozenset(_WITHOUT_EFFECT.split())

# Layers and hidden size of the published models; a head is 64 wide and the feed-forward four times
# the hidden size. Tiny to medium: google-research/bert, README, "Smaller BERT Models". Base and
# large: Devlin et al. 2018, section 3. One is our own: teaching, which learns something in minutes
# on a laptop.
PRESETS = {
    "tiny": (2, 128),
    "mini": (4, 256),
    "small": (4, 512),
    "medium": (8, 512),
    "base": (12, 768),
    "large": (24, 1024),
    "teaching": (3, 128),
}

# The largest sizes that are accepted. A larger one is a mistake, and would take all memory.
LARGEST = {
    "vocab_size": 10**8,
    "hidden_size": 10**8,
    "num_hidden_layers": 10**3,
    "num_attention_heads": 10**8,
    "intermediate_size": 10**8,
    "max_position_embeddings": 10**8,
    "type_vocab_size": 10**8,
}

ACTIVATIONS = ("gelu", "gelu_new", "relu")
POSITION_TYPES = ("absolute", "sinusoidal", "none")

# What `transformers` calls a BERT with norm_first: minibert/hub/roberta_prelayernorm.py.
PRE_NORM_TYPE = "roberta-prelayernorm"


@dataclass(frozen=True)
class BertConfig:
    """Everything that decides the shape of a BERT.

    The defaults are BERT-base (Devlin et al. 2018, section 3).

    Raises a ValueError, with the numbers in it, for a value that cannot be built.
    """

    vocab_size: int  # V, rows of the word table
    hidden_size: int = 768  # H, the width of every token's vector
    num_hidden_layers: int = 12  # L
    num_attention_heads: int = 12  # A; a head is D = H / A wide
    intermediate_size: int = 3072  # I, the width inside the feed-forward
    hidden_act: str = "gelu"  # "gelu" (erf), "gelu_new" (tanh) or "relu"
    hidden_dropout_prob: float = 0.1  # after embeddings, attention output, feed-forward output
    attention_probs_dropout_prob: float = 0.1  # on the attention weights
    max_position_embeddings: int = 512  # the longest sequence, in tokens
    type_vocab_size: int = 2  # kinds of segment: first or second text, no word classes
    initializer_range: float = 0.02  # standard deviation of fresh weights
    layer_norm_eps: float = 1e-12  # inside the root of LayerNorm
    pad_token_id: int = 0  # its row of the word table is zero and gets no lookup gradient
    position_embedding_type: str = "absolute"  # "absolute" (learned), "sinusoidal" or "none"
    norm_first: bool = False  # pre-norm instead of the published post-norm
    classifier_dropout: float | None = None  # before a task head; None: hidden_dropout_prob
    id2label: dict[int, str] | None = None  # names of the classes of a task head
    sentence_head: dict[str, Any] | None = None  # what a BertSumExt was made with; it checks it

    def __post_init__(self) -> None:
        for name, most in LARGEST.items():
            check_size(name, getattr(self, name), most)
        if self.hidden_size % self.num_attention_heads:
            raise InputError(
                f"hidden_size {self.hidden_size} cannot be shared out evenly among "
                f"num_attention_heads {self.num_attention_heads}: "
                f"{self.hidden_size} / {self.num_attention_heads} leaves "
                f"{self.hidden_size % self.num_attention_heads} over"
            )
        for name in ("hidden_dropout_prob", "attention_probs_dropout_prob", "classifier_dropout"):
            value = getattr(self, name)
            if value is None and name == "classifier_dropout":
                continue
            if not _is_number(value) or not 0 <= value < 1:
                raise InputError(
                    f"{name} is a probability of at least 0 and below 1, not {shown(value)}"
                )
        for name in ("initializer_range", "layer_norm_eps"):
            value = getattr(self, name)
            if not _is_number(value) or not 0 < value < FLOAT32:
                raise InputError(f"{name} must be a number between 0 and 1e38, not {shown(value)}")
        choices = {"hidden_act": ACTIVATIONS, "position_embedding_type": POSITION_TYPES}
        for name, allowed in choices.items():
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(f"{name} must be one of {', '.join(allowed)}, not {shown(value)}")
        if self.position_embedding_type == "sinusoidal" and self.hidden_size % 2:
            raise InputError(
                "sinusoidal positions come in pairs of sine and cosine: hidden_size "
                f"{self.hidden_size} is odd"
            )
        if type(self.pad_token_id) is not int or not 0 <= self.pad_token_id < self.vocab_size:
            raise InputError(
                f"pad_token_id must be an id below vocab_size {self.vocab_size}, not "
                f"{shown(self.pad_token_id)}"
            )
        if not isinstance(self.norm_first, bool):
            raise InputError(f"norm_first must be true or false, not {shown(self.norm_first)}")
        if not isinstance(self.sentence_head, dict | None):
            raise InputError(f"sentence_head must be an object, not {shown(self.sentence_head)}")
        if self.id2label is not None:
            try:  # JSON knows text keys only
                labels = {int(key): label for key, label in self.id2label.items()}
                if sorted(map(str, labels)) != sorted(map(str, self.id2label)):  # 1.7; 0 and "00"
                    labels = {}
            except (AttributeError, TypeError, ValueError):
                labels = {}
            names = {label for label in labels.values() if isinstance(label, str)}
            if not 0 < len(labels) == len(names) or sorted(labels) != list(range(len(labels))):
                raise InputError(
                    f"id2label must name classes 0, 1, 2, … differently, not {shown(self.id2label)}"
                )
            # by id, whatever the order in a file: values() are the columns of the head
            object.__setattr__(self, "id2label", dict(sorted(labels.items())))

    @property
    def head_size(self) -> int:
        """D = H / A, the width of one attention head."""
        return self.hidden_size // self.num_attention_heads

    @property
    def num_labels(self) -> int:
        """Classes of a task head: as many as `id2label` names, or 2 where it is None."""
        return len(self.id2label) if self.id2label is not None else 2

    @classmethod
    def preset(cls, name: str, vocab_size: int = 30522, **changes: Any) -> "BertConfig":
        """A size by name, such as tiny, base or teaching; `changes` override single fields."""
        if not isinstance(name, str) or name not in PRESETS:
            raise InputError(
                f"preset must be one of {', '.join(PRESETS)}, not "
                f"{shown(name)}{did_you_mean(str(name)[:60], PRESETS)}"
            )
        layers, hidden = PRESETS[name]
        shape = {"hidden_size": hidden, "num_hidden_layers": layers}
        shape |= {"num_attention_heads": hidden // 64, "intermediate_size": 4 * hidden}
        return cls.from_dict({"vocab_size": vocab_size, **shape, **changes})

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "BertConfig":
        """Build a config from a dict such as a parsed config.json.

        A key that is neither a field nor one of the reference's keys without effect here is an
        InputError that names the nearest right one: no misspelt key passes in silence.
        """
        fields = {field.name for field in dataclasses.fields(cls)}
        if not isinstance(values, dict):
            raise InputError(
                f"a config is made from a dict such as {{'vocab_size': 100}}, not {shown(values)}"
            )
        values = dict(values)
        own = values.pop("minibert", {})  # what `save_pretrained` wrote for minibert alone
        if not isinstance(own, dict):
            raise InputError(f"minibert must be an object of fields, not {shown(own)}")
        values.update(own)
        if values.get("model_type") == PRE_NORM_TYPE:
            values |= _of_pre_norm(values)
        num_labels = values.pop("num_labels", None)
        for key in values:
            if key not in fields and key not in IGNORED_KEYS:
                raise InputError(
                    "unknown config key "
                    f"{key!r}{did_you_mean(key, fields | IGNORED_KEYS | {'num_labels'})}"
                )
        if "vocab_size" not in values:
            raise InputError(
                "config key 'vocab_size' is missing: the rows of the word table have no default"
            )
        for key in ("is_decoder", "add_cross_attention", "pruned_heads"):
            if value := values.get(key):
                raise InputError(f"{key!r} is {shown(value)}: minibert builds whole encoders only")
        if num_labels is not None:
            check_size("num_labels", num_labels, most=10**6)
        if num_labels is not None and values.get("id2label") is None:
            values["id2label"] = {index: f"LABEL_{index}" for index in range(num_labels)}
        config = cls(**{key: value for key, value in values.items() if key in fields})
        if num_labels not in (None, config.num_labels):
            raise InputError(
                f"num_labels is {num_labels}, but id2label names {config.num_labels} classes"
            )
        return config

    @classmethod
    def from_json_file(cls, path: str | Path) -> "BertConfig":
        """Read a config.json. An InputError names the file that is missing or wrong."""
        if not isinstance(path, str | Path) or not str(path):
            raise InputError(f"expected the path of a config file, not {shown(path)}")
        path = Path(os.path.expanduser(path))  # a user who is unknown is part of the name
        return cls.from_file_values(read_json_file(path, "config"), path)

    @classmethod
    def from_file_values(cls, values: dict[str, Any], path: str | Path) -> "BertConfig":
        """As `from_dict`, for the contents of a file, which an error then names."""
        try:
            return cls.from_dict(values)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """All fields as a dict for `from_dict`; id2label and sentence_head only if they are set."""
        return {
            key: value
            for key, value in dataclasses.asdict(self).items()
            if value is not None or key not in ("id2label", "sentence_head")
        }

    def to_json_string(self) -> str:
        """All fields as the text of a config.json."""
        return json.dumps(self.to_dict(), indent=2, sort_keys=True) + "\n"


def read_json_file(path: str | Path, what: str) -> dict[str, Any]:
    """The object in a JSON file; errors about it say `what` the file is, such as "config"."""
    try:
        endless = Path(path).is_fifo() or Path(path).is_char_device()
        values = None if endless else json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read the {what} file {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a JSON file: {error}") from error
    if endless:
        raise InputError(f"{path} is a pipe or a device; expected a {what} file")
    if not isinstance(values, dict):
        raise InputError(f"{path} holds a {type(values).__name__}; a {what} is a JSON object")
    return values


def unused_positions(pad_token_id: int) -> int:
    """Unused rows of RobertaPreLayerNorm's position table, which counts from pad_token_id + 1."""
    return pad_token_id + 1


def _of_pre_norm(values: dict[str, Any]) -> dict[str, Any]:
    """What a RobertaPreLayerNorm's config.json gives another meaning, or another default."""
    pad, rows = values.get("pad_token_id", 1), values.get("max_position_embeddings", 512)
    if not (type(pad) is type(rows) is int and pad >= 0 and unused_positions(pad) < rows):
        raise InputError(
            f"a {PRE_NORM_TYPE} counts positions from pad_token_id + 1 on: "
            f"max_position_embeddings {shown(rows)} leaves none beyond pad_token_id {shown(pad)}"
        )
    return {
        "norm_first": True,
        "pad_token_id": pad,
        "max_position_embeddings": rows - unused_positions(pad),
    }


def check_size(name: str, value: object, most: int = MOST) -> None:
    """Raise an InputError unless a value is a whole number from 1 to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name} must be a whole number of at least 1, not {shown(value)}")
    if value > most:
        raise InputError(f"{name} must be at most {most:,}, not {shown(value)}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """'; did you mean …?' when some known word is close, else nothing."""
    close = difflib.get_close_matches(str(word), list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
