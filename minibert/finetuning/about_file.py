"""finetuning.json: what a model was fine-tuned for, written and read."""

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any

import numpy as np
import tokenizers
import torch
from torch import Tensor

from minibert import __version__
from minibert.config import InputError, read_json_file
from minibert.finetuning.tasks.base import Task
from minibert.finetuning.tasks.registry import task_entry, task_names
from minibert.hub.atomic_io import write_atomically
from minibert.hub.find_pretrained import expanded

ABOUT = "finetuning.json"
Columns = Mapping[str, str | Sequence[str]]


def write_about(
    folder: str | Path, task: Task, max_length: int, columns: Columns, **more: Any
) -> None:
    """Write finetuning.json. Raises an InputError where it cannot hold something, or the folder
    cannot be written.
    """
    text = about_text(task, max_length, columns, more)
    try:
        write_atomically(expanded(folder) / ABOUT, text)
    except OSError as error:
        raise InputError(f"cannot save to {folder}: {error.strerror or error}") from error


def about_text(task: Task, max_length: int, columns: Columns, more: dict[str, Any]) -> str:
    """What finetuning.json says, once it is known that it can be read again."""
    if not isinstance(task, Task):
        raise InputError(f"task must be a task, such as make_task returns, not {shown(task)}")
    about = {
        "task": task.name,
        "labels": task.labels if task.has_labels else None,
        "settings": {name: getattr(task, name) for name in task.settings},
        "max_length": max_length,
        "columns": dict(columns) if isinstance(columns, Mapping) else columns,
    }
    versions = {
        "minibert": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "tokenizers": tokenizers.__version__,
    }
    if taken := [name for name in more if name in (*about, "versions")]:
        raise InputError(f"{taken[0]} is written to {ABOUT} as it is: give no other one")
    about |= {**more, "versions": versions}
    try:
        text = json.dumps(about, indent=2, ensure_ascii=False, default=_plain) + "\n"
        wrong = _wrong_keys(json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{ABOUT} cannot hold what was given: {error}") from error
    if wrong:
        raise InputError(f"{wrong[0]} cannot be {shown(about[wrong[0]])}")
    # half of a surrogate pair, as in a file name that is not UTF-8, becomes an escape of JSON
    return text.encode(errors="backslashreplace").decode()


def _plain(value: Any) -> Any:
    """A number of numpy or torch as one of Python."""
    if isinstance(value, np.generic) or (isinstance(value, Tensor) and value.numel() == 1):
        return value.item()
    raise TypeError(f"{shown(value)} is neither a number nor a text")


def read_about(path: Path) -> dict[str, Any]:
    """What finetuning.json holds; raises an InputError where it is broken."""
    about = read_json_file(path, "fine-tuning")
    wrong = _wrong_keys(about)
    if wrong:
        raise InputError(
            f"{path} does not say what the model was fine-tuned for: {', '.join(wrong)} is missing "
            "or wrong"
        )
    return about


def _wrong_keys(about: Any) -> list[str]:
    """The keys of finetuning.json that are missing or wrong."""
    checks: dict[str, Callable[[Any], bool]] = {
        "task": lambda task: isinstance(task, str),
        "labels": lambda labels: labels is None or _are_texts(labels),
        "settings": lambda settings: (
            isinstance(settings, dict) and all(map(_is_count, settings.values()))
        ),
        "max_length": _is_count,
        "columns": lambda columns: (
            isinstance(columns, dict)
            and all(isinstance(name, str) or _are_texts(name) for name in columns.values())
        ),
    }
    if not isinstance(about, dict):
        return list(checks)
    if wrong := [key for key, fits in checks.items() if key not in about or not fits(about[key])]:
        return wrong
    if about["task"] not in task_names():
        return ["task"]
    task = task_entry(about["task"]).load_task()
    if task.has_labels != (about["labels"] is not None):
        return ["labels"]
    return [] if set(about["settings"]) == set(task.settings) else ["settings"]


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0
