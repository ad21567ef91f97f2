"""Make, save and open a model for a task.

The folder of a fine-tuned model is what `from_pretrained` and transformers open, and
finetuning.json, which says what it was trained for.
"""

import dataclasses
import json
import platform
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any

import tokenizers
import torch

from minibert import __version__
from minibert.config import BertConfig, InputError, read_json_file
from minibert.finetuning.tasks.base import Task
from minibert.finetuning.tasks.choices import MultipleChoice
from minibert.finetuning.tasks.questions import QuestionAnswering
from minibert.finetuning.tasks.registry import task_entry, task_names
from minibert.finetuning.tasks.tagging import Tagging
from minibert.finetuning.tasks.texts import Classification, Regression
from minibert.hub.atomic_io import write_atomically
from minibert.hub.find_pretrained import expanded, find_pretrained
from minibert.hub.pretrained_io import (
    FreshWeightsWarning,
    ModelFolder,
    UnreadWeightsWarning,
    from_pretrained,
    read_config,
    save_pretrained,
)
from minibert.inference.checks import check_tokenizer
from minibert.model import BertModel, BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer

ABOUT = "finetuning.json"
Columns = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class FineTuned:
    """A fine-tuned model with what is needed to use it."""

    model: BertPreTrainedModel  # in eval mode
    task: Task
    tokenizer: WordPieceTokenizer
    max_length: int  # tokens in a sequence
    columns: Columns  # of the training file, by role; empty where another program trained it


def make_task(name: str, labels: Sequence[str] | None = None, **settings: int) -> Task:
    """The task of a name.

    labels      the names of the classes or tags, for the tasks that have them
    settings    stride and max_answer, for questions
    """
    task: Any = task_entry(name).load_task()
    made: Task = task(labels) if task.has_labels else task(**settings)
    return made


def model_for(task: Task, name: str | Path | BertConfig, seed: int = 0) -> BertPreTrainedModel:
    """The encoder of a saved model under a fresh head for `task`, in eval mode.

    name    a folder or a hub name; or a BertConfig, for random weights throughout

    A model that was fine-tuned for the same kind of task with the same labels keeps its head, so
    that training can continue; for other labels the head is fresh, with a warning. The global
    random numbers are afterwards as they were before.
    """
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        return _model_for(task, name)


def _model_for(task: Task, name: str | Path | BertConfig) -> BertPreTrainedModel:
    if isinstance(name, BertConfig):
        return task.model_class(_with_labels(name, task)).eval()
    folder = find_pretrained(name)
    config, saved_class = read_config(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadWeightsWarning)  # about heads that are not used
        warnings.simplefilter("ignore", FreshWeightsWarning)  # about the pooler
        if saved_class is task.model_class and task.labels in (None, _labels(config)):
            return from_pretrained(folder)
        bert = from_pretrained(folder, BertModel)
    if saved_class is task.model_class:
        warnings.warn(
            f"the head of {name} was trained for the labels {shown(_labels(config))}, and not for "
            f"{shown(task.labels)}: this one is fresh",
            FreshWeightsWarning,
            stacklevel=4,
        )
    model = task.model_class(_with_labels(config, task))
    # not strict: some tasks have no pooler
    model.get_submodule("bert").load_state_dict(bert.state_dict(), strict=False)
    model.source_folder = folder
    return model.eval()


def _with_labels(config: BertConfig, task: Task) -> BertConfig:
    return dataclasses.replace(config, id2label=task.id2label(), sentence_head=None)


def save_finetuned(
    folder: str | Path,
    model: BertPreTrainedModel,
    task: Task,
    tokenizer: WordPieceTokenizer,
    max_length: int,
    columns: Columns,
    **more: Any,
) -> None:
    """Save a trained model, its vocabulary and finetuning.json; `more` goes into that file as well.

    Every file is written atomically, the weights first. Raises an InputError where the folder
    cannot be written.
    """
    save_pretrained(model, folder, tokenizer)
    write_about(folder, task, max_length, columns, **more)


def write_about(
    folder: str | Path, task: Task, max_length: int, columns: Columns, **more: Any
) -> None:
    """Write finetuning.json. Raises an InputError where the folder cannot be written."""
    about = {
        "task": task.name,
        "labels": task.labels if task.has_labels else None,
        "settings": {name: getattr(task, name) for name in task.settings},
        "max_length": max_length,
        "columns": dict(columns),
        **more,
        "versions": {
            "minibert": __version__,
            "python": platform.python_version(),
            "torch": torch.__version__,
            "tokenizers": tokenizers.__version__,
        },
    }
    text = json.dumps(about, indent=2, ensure_ascii=False) + "\n"
    # half of a surrogate pair, as in a file name that is not UTF-8, becomes an escape of JSON
    text = text.encode(errors="backslashreplace").decode()
    try:
        write_atomically(expanded(folder) / ABOUT, text)
    except OSError as error:
        raise InputError(f"cannot save to {folder}: {error.strerror or error}") from error


def open_finetuned(folder_or_hub_id: str | Path) -> FineTuned:
    """Open what `save_finetuned` saved, or a model that another program fine-tuned.

    For the latter, config.json names the task by its `architectures`: BertForSequenceClassification
    (a regression if it has one label), BertForTokenClassification, BertForQuestionAnswering or
    BertForMultipleChoice; and `id2label` names the classes.

    Raises an InputError where neither file names the task, a file is broken, or the two contradict
    each other.
    """
    folder = find_pretrained(folder_or_hub_id)
    columns: Columns = {}
    if (folder / ABOUT).exists():
        about = _read_about(folder / ABOUT)
        task = make_task(about["task"], about["labels"], **about["settings"])
        max_length, columns = about["max_length"], about["columns"]
        _check_about(folder, task)
    else:
        task, max_length = _task_of_config(folder, folder_or_hub_id)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadWeightsWarning)  # about other heads, and a pooler
        warnings.simplefilter("error", FreshWeightsWarning)
        try:
            model = from_pretrained(folder, task.model_class)
        except FreshWeightsWarning as warning:
            raise InputError(f"{warning}") from warning
    tokenizer = WordPieceTokenizer.from_pretrained(folder)
    check_tokenizer(tokenizer, model.config)
    return FineTuned(model, task, tokenizer, max_length, columns)


def _check_about(folder: Path, task: Task) -> None:
    """Raise an InputError where finetuning.json is not about the model that is in its folder."""
    config, saved_class = read_config(folder)
    advice = f"if another model was saved into this folder, delete {ABOUT}"
    if saved_class not in (task.model_class, BertModel):
        raise InputError(
            f"{folder / ABOUT} is about a {task.model_class.__name__}, but config.json about a "
            f"{saved_class.__name__}: {advice}"
        )
    named, found = task.labels or [], _labels(config)
    if named != found if task.has_labels else named and len(named) != len(found):
        raise InputError(
            f"{folder / ABOUT} names the labels {shown(named)}, but config.json {shown(found)}: "
            f"{advice}"
        )


def _read_about(path: Path) -> dict[str, Any]:
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


def _task_of_config(folder: Path, name: str | Path) -> tuple[Task, int]:
    """The task that config.json names, and the longest sequence that the model takes."""
    found = ModelFolder.find(folder)
    config, model_class = read_config(found)
    if found.values.get("problem_type") == "multi_label_classification":
        raise InputError(
            f"{name} predicts several labels for one text, and minibert has no task for that"
        )
    tasks: dict[type, type[Task]] = {
        task.model_class: task for task in (MultipleChoice, QuestionAnswering, Tagging)
    }
    tasks[Classification.model_class] = Regression if config.num_labels == 1 else Classification
    if model_class not in tasks:
        raise InputError(
            f"{name} is a {model_class.__name__} without {ABOUT}: it was not fine-tuned for a "
            "task. `minibert finetune` does that"
        )
    return make_task(tasks[model_class].name, _labels(config)), config.max_position_embeddings


def _labels(config: BertConfig) -> list[str]:
    """The names of the classes; config.json leaves them out where they are the two defaults."""
    if config.id2label is None:
        return ["LABEL_0", "LABEL_1"]
    return list(map(str, config.id2label.values()))
