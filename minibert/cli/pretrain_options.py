"""The options of `minibert pretrain`; imports no torch, so that --help appears at once."""

import argparse
import dataclasses
from collections.abc import Callable
from typing import Any

from minibert.cli.common import PARSERS, add_command, number, positive
from minibert.cli.corpus_options import add_corpus_options
from minibert.cli.session_options import add_machine_options, add_session_options
from minibert.config import PRESETS, InputError
from minibert.pretraining.options import CHOICES, PretrainingOptions
from minibert.pretraining.settings import VOCAB_SIZE, VOCAB_SIZES, Settings, with_tuples

STEPS = 1000
EVAL_SEQUENCES = 512

# Options that may differ between sessions of a run. The values of REMEMBERED are saved with the run
# and apply to later sessions as well.
OF_A_SESSION = ("time_limit", "device")
REMEMBERED = (
    "log_every",
    "eval_every",
    "eval_sequences",
    "checkpoint_every",
    "tensorboard",
    "shard",
    "threads",
)
OLD_FLAGS = {"nsp_weight": "--pair-weight", "eval_sequences": "--eval-rows"}  # still accepted

# The measured effect of some options, from the logs in benchmarks/logs.
MEASURED = {
    "batch_size": "after the same number of sequences: 0.60 with 32, 0.83 with 64, 2.26 with 256",
    "shift_share": "at 0.2: 3.03 instead of 4.71 at late positions, 1.01 instead of 0.81 elsewhere",
    "mask_rate": "1.38 at 0.05, 0.83 at 0.15, 0.72 at 0.25, 0.68 at 0.4 (with a worse NSP loss)",
    "all_mask": "accuracy on unmasked words: 0.52 instead of 0.87",
    "next_sentence": "0.83 with NSP, 0.81 without",
    "nsp_weight": "at 0.2: MLM 0.82 instead of 0.83, NSP 0.57 instead of 0.50",
    "pair_share": "at 0.4: MLM 0.84 instead of 0.83, NSP 0.52 instead of 0.50",
    "optimizer": "muon 0.83, adamw 1.49; a muon step takes 1.24 times as long (mini), 1.16 "
    "(teaching)",
    "warmup": "adamw with and without warmup: 1.49 and 1.97",
    "precision": "bfloat16 is 1.91 times as fast (mini) and 1.78 times (teaching) if the hardware "
    "supports it",
    "norm_first": "real text, equal time: 4.91 with it, 4.87 without, within seed noise",
}
SOURCES = """
The numbers are MLM losses on validation text in nats, unless something else is named. They are
means of three seeds in a small artificial language, where the lowest possible loss is 0.31 and a
unigram guess has 3.83 (benchmarks/logs/small_world.json, equal_time.json; times:
speed.json)."""


def add_options(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    run: Callable[[argparse.Namespace], int],
) -> None:
    """Add the command `pretrain` with all its options."""
    parser = add_command(
        commands,
        "pretrain",
        run,
        "train a BERT on a corpus, from scratch or from a saved model",
        [
            "minibert pretrain --out first                  # the default corpus, a small model",
            "minibert pretrain --corpus texts/ --preset teaching --steps 5000 --out run",
            "minibert pretrain --corpus 'texts/*.jsonl.xz' --vocab vocab.txt --out run",
            "minibert pretrain --out run --time-limit 55m   # stop after 55 minutes",
            "minibert pretrain --out run --resume           # continue, with the same results",
            "minibert pretrain --from run/model --corpus more/ --steps 500 --out further",
        ],
    )
    measured = "\n".join(f"  {flag(name):17} {text}" for name, text in MEASURED.items())
    parser.epilog = f"{parser.epilog}\n\nmeasured effect of some options:\n{measured}\n{SOURCES}"
    parser.argument_default = argparse.SUPPRESS  # so that --resume knows which options are given
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        required=True,
        help="folder of the run: log, checkpoints, and the final model in FOLDER/model",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue the run in --out; needs no other option",
    )
    _add_text(parser.add_argument_group("text"))
    _add_model(parser.add_argument_group("model"))
    _add_recipe(parser.add_argument_group("recipe"))
    _add_session(parser.add_argument_group("reports, checkpoints, time"))
    _add_machine(parser.add_argument_group("machine"))


def _add_text(group: argparse._ArgumentGroup) -> None:
    add_corpus_options(group)
    group.add_argument(
        "--held-out",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="validation text, or none (default: the corpus's own validation files, or every "
        "twelfth document)",
    )
    group.add_argument(
        "--vocab",
        metavar="FILE_OR_FOLDER",
        help="a model's folder or name, or a vocab.txt, which is cased if the "
        "tokenizer_config.json beside it says so (default: learn one from the corpus)",
    )
    sizes = ", ".join(f"{size} for {name}" for name, size in VOCAB_SIZES.items())
    group.add_argument(
        "--vocab-size",
        type=positive,
        metavar="N",
        help=f"tokens in a vocabulary that is learned (default: {VOCAB_SIZE}; {sizes})",
    )


def _add_model(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--preset",
        metavar="NAME",
        help=f"{', '.join(PRESETS)}, or the path of a config.json (default: mini)",
    )
    group.add_argument(
        "--from",
        dest="start",
        metavar="MODEL",
        help="start with the weights and vocabulary of a saved model: a folder or minibert-small",
    )
    group.add_argument(
        "--dropout",
        type=number,
        metavar="P",
        help="dropout probability (default: 0, or the value in config.json)",
    )
    group.add_argument(
        "--norm-first",
        action=argparse.BooleanOptionalAction,
        help="use pre-norm layers, which transformers opens as RobertaPreLayerNorm (default: no)",
    )


def _add_recipe(group: argparse._ArgumentGroup) -> None:
    """Add an option for every field of PretrainingOptions, with the help text of that field."""
    for field in dataclasses.fields(PretrainingOptions):
        default = STEPS if field.default is dataclasses.MISSING else field.default
        shown = {True: "yes", False: "no"}[default] if isinstance(default, bool) else default
        how: dict[str, Any] = {"type": PARSERS.get(type(default), str), "metavar": "N"}
        if isinstance(default, bool):
            how = {"action": argparse.BooleanOptionalAction}
        elif field.name in CHOICES:
            how = {"choices": CHOICES[field.name]}
        words = field.metadata["help"].replace("%", "%%")
        group.add_argument(flag(field.name), help=f"{words} (default: {shown})", **how)
        if field.name in OLD_FLAGS:
            group.add_argument(
                OLD_FLAGS[field.name], dest=field.name, help=argparse.SUPPRESS, **how
            )


def _add_session(group: argparse._ArgumentGroup) -> None:
    add_session_options(group)
    group.add_argument(
        "--eval-sequences",
        type=positive,
        metavar="N",
        help=f"number of validation sequences, the same each time (default: {EVAL_SEQUENCES})",
    )
    group.add_argument(
        OLD_FLAGS["eval_sequences"],
        dest="eval_sequences",
        type=positive,
        help=argparse.SUPPRESS,
    )
    group.add_argument(
        "--tensorboard",
        action="store_true",
        help="also write FOLDER/tensorboard; needs the package tensorboard",
    )


def _add_machine(group: argparse._ArgumentGroup) -> None:
    add_machine_options(group)
    group.add_argument(
        "--shard",
        action="store_true",
        help="under torchrun: shard the model over the processes (FSDP); needs adamw",
    )


def flag(name: str) -> str:
    """The option for a field: mask_rate -> --mask-rate."""
    return "--from" if name == "start" else "--" + name.replace("_", "-")


def make_settings(given: dict[str, Any]) -> Settings:
    """The settings of a new run, from the given options.

    Raises an InputError for invalid options, or options that exclude each other.
    """
    names = {field.name for field in dataclasses.fields(PretrainingOptions)}
    # not for a saved model, because its positions are trained already
    defaults = {"steps": STEPS, "copy_positions": "start" not in given}
    options = defaults | {name: value for name, value in given.items() if name in names}
    other = with_tuples({name: value for name, value in given.items() if name not in names})
    for name in ("vocab", "vocab_size", "preset", "norm_first"):
        if "start" in other and name in other:
            raise InputError(
                f"--from determines the shape and the vocabulary: leave out {flag(name)}"
            )
    if "vocab" in other and "vocab_size" in other:
        raise InputError(
            "--vocab-size is for a vocabulary that is learned: leave out either it or --vocab"
        )
    settings = Settings(PretrainingOptions(**options), **other)
    settings.config(VOCAB_SIZE)  # raises an error for a wrong preset before anything is written
    return settings


def refuse_changes(settings: Any, given: dict[str, Any]) -> None:
    """Raise an InputError if an option differs from the settings that the run started with.

    `settings` is a dataclass such as Settings, whose field `options` is another dataclass.
    """
    known = dataclasses.asdict(settings.options)
    known |= {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
    for name, value in with_tuples(given).items():
        if value != known[name]:
            before = " ".join(known[name]) if isinstance(known[name], tuple) else known[name]
            raise InputError(
                f"{flag(name)} cannot change in the middle of a run (it started with {before!r}). "
                "Leave it out, or start a new run from this one's weights with --from and another "
                "--out"
            )
