"""`minibert train-sentences`: texts in, an encoder of sentences out; stopped and resumed at any
moment.
"""

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from minibert.cli.common import PARSERS, add_command, whole
from minibert.cli.corpus_options import add_corpus_options
from minibert.cli.pretrain_options import flag
from minibert.cli.session_options import add_machine_options, add_session_options
from minibert.finetuning.sentence_vectors.options import (
    BY_OBJECTIVE,
    CHOICES,
    ONLY_FOR,
    SentenceOptions,
)
from minibert.hub.find_pretrained import SMALL

if TYPE_CHECKING:
    from minibert.cli.common import Commands

OBJECTIVE = (
    "objective",
    "temperature",
    "teacher",
    "relational_weight",
    "pca_texts",
    "start_from_bag",
    "positions",
    "ridge",
)
TEXTS = ("sentences", "phrases", "words", "made", "sample", "held_out", "min_words", "max_words")
NONE = {
    "steps": "as many as --epochs make",
    "layers": "all",
    "sample": "all",
}  # what None means
METAVARS = {"teacher": "MODEL", "dropout": "P"}

AFTERWARDS = """

judged pairs (--valid, --exclude):
  Each line has two texts and a number, separated by tabs; in a .csv by commas. The number says how
  alike the texts are, as in the STS benchmark. The files may end in .gz or .xz.

what is written to FOLDER:
  texts.txt, the texts that were chosen; teacher/, the teacher's vectors, which take the most time;
  checkpoints/, log.jsonl, and the finished encoder in model/. Its sentence vectors are the means of
  its token vectors, without padding: use it with `minibert similarity --model FOLDER/model`, with
  `minibert embed --model FOLDER/model`, or open it with the library transformers.

exit status: 0; 2 for a mistake in the options or the data, reported in one line; 130 after Ctrl-C
and 143 after SIGTERM (--resume continues)."""


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "train-sentences",
        run_train_sentences,
        "train a sentence encoder on texts without labels",
        [
            "minibert train-sentences --corpus texts/ --out run     # learns from all-MiniLM-L6-v2",
            "minibert train-sentences --corpus 'texts/*.jsonl.xz' --valid sts-dev.tsv --out run",
            "minibert train-sentences --objective dropout --corpus texts/ --out simcse",
            "minibert train-sentences --out run --resume            # continues it, bit for bit",
        ],
    )
    parser.epilog = f"{parser.epilog}{AFTERWARDS}"
    parser.argument_default = argparse.SUPPRESS  # so that --resume knows what was given
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        required=True,
        help="folder of the run: log, checkpoints, and the finished encoder in FOLDER/model",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue the run in --out; no other option is needed",
    )
    _add_texts(parser.add_argument_group("texts"))
    _add_recipe(parser)
    add_session_options(parser.add_argument_group("reports, checkpoints, time"))
    add_machine_options(parser.add_argument_group("machine"))


def _add_texts(group: argparse._ArgumentGroup) -> None:
    add_corpus_options(group)
    group.add_argument(
        "--valid",
        metavar="FILE",
        help="judged pairs, text, text and number on each line: Spearman's correlation with them "
        "is reported (nothing is chosen by it, and their texts are never trained on); a first line "
        "without a number names the columns",
    )
    group.add_argument(
        "--exclude",
        nargs="+",
        action="extend",
        metavar="FILE",
        help="more judged pairs whose texts are never trained on, such as a test set",
    )
    group.add_argument(
        "--texts-of",
        metavar="FOLDER",
        help="take the texts and the teacher's vectors from this folder of a run with the same "
        "texts, such as the run of another seed",
    )
    _add_fields(group, TEXTS)


def _add_recipe(parser: argparse.ArgumentParser) -> None:
    _add_fields(parser.add_argument_group("objective"), OBJECTIVE)
    group = parser.add_argument_group("recipe")
    group.add_argument(
        "--from",
        dest="start",
        metavar="MODEL",
        help=f"the trunk: a folder or a name (default: {SMALL})",
    )
    names = [field.name for field in dataclasses.fields(SentenceOptions)]
    _add_fields(group, tuple(name for name in names if name not in OBJECTIVE + TEXTS))


def _add_fields(group: argparse._ArgumentGroup, names: tuple[str, ...]) -> None:
    """An option for each of these fields of SentenceOptions, with the words that stand there."""
    for field in dataclasses.fields(SentenceOptions):
        if field.name not in names:
            continue
        how: dict[str, Any] = {"type": PARSERS.get(type(field.default), str), "metavar": "N"}
        if field.default is None:
            how["type"] = whole
        if field.name in METAVARS:
            how["metavar"] = METAVARS[field.name]
        elif isinstance(field.default, bool):
            how = {"action": argparse.BooleanOptionalAction}
        elif field.name in CHOICES:
            how = {"choices": CHOICES[field.name]}
        words = field.metadata["help"].replace("%", "%%")
        if field.name in ONLY_FOR:
            words = f"for {' and '.join(ONLY_FOR[field.name])}: {words}"
        group.add_argument(flag(field.name), help=f"{words} ({_default(field)})", **how)


def _default(field: "dataclasses.Field[Any]") -> str:
    """What --help says about the default of a field."""
    if field.name not in BY_OBJECTIVE:
        return f"default: {NONE.get(field.name, field.default)}"
    if isinstance(field.default, bool):
        return f"default: {'yes' if field.default else 'no'}"
    distill, others = BY_OBJECTIVE[field.name]
    return f"default: {distill:g} for distill, {others:g} for the others"


def run_train_sentences(arguments: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    from minibert.cli.train_sentences_run import train_sentences  # late: torch

    given = vars(arguments).copy()
    for name in ("command", "run", "debug"):
        given.pop(name, None)
    return train_sentences(given)
