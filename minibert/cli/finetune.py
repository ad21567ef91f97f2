"""`minibert finetune`: train a pretrained model on labelled data, and score it."""

import argparse
from typing import TYPE_CHECKING, Any

from minibert.cli.common import device_kind, use_threads
from minibert.cli.finetune_options import ROLES, add_options, make_options
from minibert.config import InputError
from minibert.finetuning.tables.columns import flag
from minibert.finetuning.tasks.registry import task_entry
from minibert.hub.find_pretrained import expanded
from minibert.hub.new_folder import refuse_filled

if TYPE_CHECKING:
    from minibert.cli.common import Commands


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    add_options(commands, run_finetune)


def run_finetune(arguments: argparse.Namespace) -> int:
    """Read the data, train, save and score the model; return the exit status."""
    import torch  # imported late because it is slow

    from minibert.cli.finetune_data import Data
    from minibert.cli.finetune_session import Session, print_plan
    from minibert.finetuning import FineTuning, make_task, model_for
    from minibert.hub.find_pretrained import find_pretrained
    from minibert.hub.pretrained_io import read_config
    from minibert.tokenization import WordPieceTokenizer
    from minibert.training.memory import keep_freed_memory

    given = vars(arguments)
    refuse_filled(expanded(arguments.out))
    if "threads" in given:
        use_threads(given["threads"])
    keep_freed_memory()
    device = device_kind(given.get("device", "auto"))
    try:
        settings = _settings(given)
        folder = find_pretrained(given["model"])
        options = make_options(arguments.task, given, read_config(folder)[0])
        data = Data(given, options.seed)
        task = make_task(arguments.task, data.labels, **settings)
        tokenizer = WordPieceTokenizer.from_pretrained(folder)
        model = model_for(task, folder, options.seed).to(device)
        run = FineTuning(model, task, tokenizer, data.train, options)
        print_plan(run, given["model"])
        return Session(run, data, given).run_to_its_end()
    except torch.OutOfMemoryError as error:
        raise InputError(
            f"out of memory on {device}: use a smaller --batch-size or --max-length"
        ) from error


def _settings(given: dict[str, Any]) -> dict[str, int]:
    """The task's own arguments; raises an InputError for an option of another task."""
    entry = task_entry(given["task"])
    settings = entry.load_task().settings
    question_options = ("stride", "max_answer", "skip_bad_answers")
    wrong = [name for name in question_options if name in given and entry.name != "questions"]
    wrong += [role for role in ROLES if role in given and role not in entry.columns]
    if wrong:
        raise InputError(
            f"{flag(wrong[0])} has no meaning for {entry.name}, which reads "
            f"{', '.join(map(flag, entry.columns))}"
        )
    return {name: given[name] for name in settings if name in given}
