"""The options of `minibert finetune`, and those that `minibert predict` shares."""

import argparse
import dataclasses
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minibert.cli.common import (
    PARSERS,
    add_command,
    filled,
    positive,
    threads,
)
from minibert.config import BertConfig, InputError
from minibert.finetuning.options import FineTuningOptions
from minibert.finetuning.tables.columns import flag
from minibert.finetuning.tables.rows import FORMATS
from minibert.finetuning.tasks.registry import task_entry, task_names
from minibert.hub.find_pretrained import MINILM, SMALL

if TYPE_CHECKING:
    from minibert.cli.common import Commands

NARROW, NARROW_RATE = 512, 2e-4  # models with a smaller hidden size get a larger learning rate
QUESTIONS_LENGTH = 384  # google-research/bert, run_squad.py, `max_seq_length`

COLUMNS = {
    "text": "the text, or the first text of a pair",
    "pair": "the second text of a pair",
    "label": "the class or the number; for 'choice', the correct choice: its "
    "column, its text, its number from 0 or its letter",
    "words": "the words of a sentence: a list, or text with spaces between the words",
    "tags": "the tags of the words, in the same form",
    "question": "the question",
    "context": "the passage that contains the answer",
    "answer": "the answer exactly as in the passage, or a list of answers; also SQuAD's column "
    "'answers'",
    "answer_start": "the position in the passage, counted in characters from 0, where the answer "
    "starts (default: its first occurrence)",
    "choices": "the columns of the choices, such as a,b,c,d; or one column that contains a list",
}
ROLES = tuple(COLUMNS)

# Every field of FineTuningOptions is an option.
RECIPE = {
    "epochs": "passes through the training rows; use more, such as 10, for only a few hundred rows",
    "batch_size": "rows per update; use fewer (8, 16) if there are few rows or little memory",
    "learning_rate": "peak learning rate; if scores fluctuate or hardly change, try half and twice "
    "as much",
    "head_learning_rate": "a different peak learning rate for the new head and the pooler",
    "trained_layers": "train only this many of BERT's layers, the last ones; 0 trains the head "
    "only, which is faster and needs less memory",
    "warmup": "share of the steps during which the learning rate rises, before it falls to 0",
    "weight_decay": "weight decay of all weights except biases and norms",
    "dropout": "dropout probability in all layers and before the head; minibert-small was "
    "pretrained without, and 0.1 is the published value",
    "clip": "largest norm of the gradient; a larger gradient is scaled down to it",
    "max_length": "tokens in a sequence, about 0.7 English words each; longer texts are cut, but "
    "passages and sentences to tag are read in overlapping windows",
    "patience": "stop early, after this many epochs without a better score on dev",
    "precision": "precision of the computation; auto is bfloat16 if the hardware supports it, or "
    "else float32",
    "seed": "random seed for the new head, the order of the rows, dropout, and the held-out dev "
    "rows; try several seeds before you trust a small difference",
}
DEFAULTS = {
    "learning_rate": f"5e-5; {NARROW_RATE:.0e}".replace("e-0", "e-")
    + f" for models with a hidden size below {NARROW}, such as {SMALL}, except for similarity",
    "head_learning_rate": "the same",
    "trained_layers": "all, and the embeddings",
    "dropout": "that of the model",
    "max_length": f"128; {QUESTIONS_LENGTH} for questions",
    "patience": "never",
}
TYPES = {"head_learning_rate": float, "trained_layers": int, "patience": int, "dropout": float}

AFTERWARDS = """

files:
  A CSV or TSV file starts with a line that names its columns (or name them with --header). JSON
  lines have one object per line. Quotes have a meaning only in CSV. A CoNLL file has one word and
  its tag per line, and a blank line between sentences. In the format label-text, a line is a label,
  a space and the text. All files may be compressed (.gz, .xz). A name such as nyu-mll/glue:sst2 is
  a dataset on the hub (owner/name:configuration): --train reads its split 'train', --dev
  'validation', and --test 'test'; a third part names another split, as in
  nyu-mll/glue:mnli:validation_matched. Datasets need a network and the package datasets (pip
  install datasets).

output in FOLDER:
  The weights of the best epoch on dev. They are written after each epoch that is the best so far,
  so Ctrl-C or a crash loses little. log.jsonl has a line for each epoch; finetuning.json has the
  task, its labels, the recipe and the scores. `minibert predict FOLDER` uses this folder, and the
  library transformers can open it (except for similarity). `--model FOLDER` continues training
  from it; for other labels the head is fresh, and a note says so.

exit status: 0 for success; 2 for a mistake in the options or the data, reported in one line; 130
after Ctrl-C and 143 after SIGTERM (the best epoch is kept)."""


def tasks_help() -> str:
    """List all tasks, with the columns that each one reads."""
    lines = ["tasks (TASK), and the columns that each reads:"]
    for name in task_names():
        entry = task_entry(name)
        lines += textwrap.wrap(
            entry.summary, 96, initial_indent=f"  {name:<16}", subsequent_indent=" " * 18
        )
        flags = " ".join(
            f"[{flag(role)}]" if role in entry.optional else flag(role) for role in entry.columns
        )
        lines.append(" " * 18 + flags)
    return "\n".join(lines) + "\n"


def add_options(commands: "Commands", run: Callable[[argparse.Namespace], int | None]) -> None:
    """Add the parser of `minibert finetune`."""
    parser = add_command(
        commands,
        "finetune",
        run,
        "train a pretrained BERT on your own labelled data",
        [
            "minibert finetune classification --train reviews.csv --out sentiment",
            "minibert predict sentiment 'What a waste of time.'",
            "minibert finetune classification --train train.tsv.gz --dev dev.tsv.gz "
            "--header sentence,label --out sst2",
            "minibert finetune regression --train pairs.csv --text first --pair second "
            f"--label score --model {MINILM} --out alike",
            "minibert finetune tagging --train train.conll --test test.conll --out names",
            "minibert finetune questions --train squad.json --out answers",
            "minibert finetune choice --train swag.csv --text startphrase "
            "--choices ending0,ending1,ending2,ending3 --out endings",
            "minibert finetune classification --train nyu-mll/glue:sst2 --dev nyu-mll/glue:sst2 "
            "--text sentence --out sst2",
            "minibert finetune classification --train big.jsonl --rows 2000 --epochs 1 --out trial"
            "   # a quick trial first",
        ],
    )
    parser.usage = "minibert finetune TASK --train FILE --out FOLDER [options]"
    parser.description = f"{parser.description}\n\n{tasks_help()}"
    parser.epilog = f"{parser.epilog}{AFTERWARDS}"
    parser.argument_default = argparse.SUPPRESS  # the namespace has only the options that are given
    parser.add_argument("task", metavar="TASK", choices=task_names(), help=", ".join(task_names()))
    parser.add_argument(
        "--train",
        metavar="FILE",
        required=True,
        help="the training rows: a file, or a dataset on the hub (see below)",
    )
    parser.add_argument(
        "--dev",
        metavar="FILE",
        help="rows on which the best epoch is chosen (default: a tenth of the training rows, which "
        "are then not used for training; for questions, a tenth of the passages)",
    )
    parser.add_argument("--test", metavar="FILE", help="rows that are scored once, at the end")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        required=True,
        help="a new or empty folder for the model",
    )
    parser.add_argument(
        "--model",
        default=SMALL,
        metavar="MODEL",
        help=f"the model to start from: a folder or a name on the hub. {SMALL} (the default) is "
        f"part of minibert and fast; {MINILM} is four times as large and usually better; "
        "google-bert/bert-base-uncased is larger still",
    )

    data = parser.add_argument_group(
        "data: the names of the columns (default: common names, such as text, "
        "sentence1 + sentence2, label, tokens, ner_tags)"
    )
    for role in ROLES:
        add_column(data, role)
    add_file_options(data)
    data.add_argument(
        "--rows",
        type=positive,
        metavar="N",
        help="use only N random training rows, for a quick trial (default: all)",
    )
    data.add_argument(
        "--skip-bad-answers",
        action="store_true",
        help="skip questions whose answer is not in the passage, and report how many there are "
        "(default: report an error)",
    )

    recipe = parser.add_argument_group("recipe")
    for field in dataclasses.fields(FineTuningOptions):
        choices = ("auto", "bfloat16", "float32") if field.name == "precision" else None
        recipe.add_argument(
            flag(field.name),
            type=PARSERS[TYPES.get(field.name, type(field.default))],
            choices=choices,
            metavar=None if choices else "N",
            help=f"{RECIPE[field.name]} (default: {DEFAULTS.get(field.name, field.default)})",
        )
    recipe.add_argument(
        "--stride",
        type=positive,
        metavar="N",
        help="questions: tokens from the start of one window of a long passage to the start of the "
        "next (default: 128)",
    )
    recipe.add_argument(
        "--max-answer",
        type=positive,
        metavar="N",
        help="questions: length of the longest answer that is predicted, in tokens (default: 30)",
    )
    add_machine_options(parser)


def add_column(group: argparse._ArgumentGroup, role: str) -> None:
    """Add the option that names the column of a role."""
    nargs, action = ("+", "extend") if role == "choices" else (None, "store")
    group.add_argument(flag(role), metavar="COLUMN", nargs=nargs, action=action, help=COLUMNS[role])


def add_file_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that say how files are read."""
    group.add_argument(
        "--format",
        choices=FORMATS,
        help="format of the files (default: from their suffix; .jsonl and SQuAD's .json are json)",
    )
    group.add_argument(
        "--header",
        type=filled,
        metavar="A,B,…",
        help="names of the columns, for CSV and TSV files without a header line",
    )
    group.add_argument(
        "--encoding",
        type=filled,
        metavar="NAME",
        help="encoding of the files, such as cp1252 or euc-kr (default: UTF-8)",
    )


def add_machine_options(parser: argparse.ArgumentParser) -> None:
    """Add --device and --threads."""
    machine = parser.add_argument_group("machine")
    machine.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        help="where to compute (default: auto, which is a GPU if there is one)",
    )
    machine.add_argument(
        "--threads",
        type=threads,
        metavar="N",
        help="number of CPU threads (default: PyTorch's choice)",
    )


def make_options(task: str, given: dict[str, Any], config: BertConfig) -> FineTuningOptions:
    """The recipe: the given options, and defaults that depend on the task and the model.

    Raises an InputError if --max-length is more than the model's positions.
    """
    names = {field.name for field in dataclasses.fields(FineTuningOptions)}
    longest = config.max_position_embeddings
    if given.get("max_length", 0) > longest and config.position_embedding_type != "none":
        raise InputError(
            f"--max-length {given['max_length']} is too much for this model: "
            f"it accepts at most {longest} tokens"
        )
    length = QUESTIONS_LENGTH if task == "questions" else FineTuningOptions.max_length
    values: dict[str, Any] = {"max_length": min(longest, length)}
    # not for similarity, because a sentence encoder has been trained for it already
    if config.hidden_size < NARROW and task != "similarity":
        values["learning_rate"] = NARROW_RATE
    values |= {name: value for name, value in given.items() if name in names}
    return FineTuningOptions(**values)


def given_columns(given: dict[str, Any]) -> dict[str, str | tuple[str, ...]]:
    """The columns that the options name; those of --choices are separated by commas or spaces."""
    columns = {role: given[role] for role in ROLES if given.get(role) is not None}
    if "choices" in columns:
        names = [name for part in columns["choices"] for name in part.split(",") if name]
        if not names:
            raise InputError("--choices: expected the names of columns, such as a,b,c,d")
        columns["choices"] = names[0] if len(names) == 1 else tuple(names)
    return columns


def given_header(given: dict[str, Any]) -> list[str] | None:
    """The names of --header, or None."""
    return given["header"].split(",") if given.get("header") else None
