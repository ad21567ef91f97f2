"""The folder of a fine-tuned model: what `from_pretrained` and transformers open, and finetuning.json, which says what it was trained for."""

import json
import platform
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tokenizers
import torch

from minibert import __version__
from minibert.checkpoint import FreshWeightsWarning, from_pretrained, read_config, save_pretrained
from minibert.config import BertConfig
from minibert.files import replace_file
from minibert.finetuning.choices import MultipleChoice
from minibert.finetuning.questions import QuestionAnswering
from minibert.finetuning.similarity import Similarity
from minibert.finetuning.tagging import Tagging
from minibert.finetuning.task import Task
from minibert.finetuning.texts import Classification, Regression
from minibert.hub import find_pretrained
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer

ABOUT = "finetuning.json"
TASKS = {task.name: task for task in (Classification, Regression, Similarity, Tagging, QuestionAnswering, MultipleChoice)}
WITH_LABELS = ("classification", "tagging")             # tasks that are made with the names of their classes
SETTINGS = {"questions": ("stride", "max_answer")}      # what others are made with


@dataclass(frozen=True)
class FineTuned:
    """A fine-tuned model with what is needed to use it."""

    model: BertPreTrainedModel          # in eval mode
    task: Task
    tokenizer: WordPieceTokenizer
    max_length: int                     # tokens in a row
    columns: dict                       # of the training file: what each was taken for; empty where another program trained it


def make_task(name: str, labels: Sequence[str] | None = None, **settings) -> Task:
    """The task of a name; `labels` for those that have classes or tags, `settings` for questions."""
    if name not in TASKS:
        raise ValueError(f"task must be one of {', '.join(TASKS)}, not {name!r}")
    return TASKS[name](labels) if name in WITH_LABELS else TASKS[name](**settings)


def save_finetuned(folder, model: BertPreTrainedModel, task: Task, tokenizer: WordPieceTokenizer, max_length: int, columns: Mapping, **more) -> None:
    """Save a model that is trained, its vocabulary and finetuning.json; whatever else is given goes into that file as well.

    Each file is the old or the new one at any moment, the weights first. Raises a ValueError where the folder cannot be written.
    """
    save_pretrained(model, folder, tokenizer)
    write_about(folder, task, max_length, columns, **more)


def write_about(folder, task: Task, max_length: int, columns: Mapping, **more) -> None:
    """Write finetuning.json anew."""
    about = {"task": task.name, "labels": task.labels if task.name in WITH_LABELS else None,
             "settings": {name: getattr(task, name) for name in SETTINGS.get(task.name, ())}, "max_length": max_length, "columns": dict(columns), **more,
             "versions": {"minibert": __version__, "python": platform.python_version(), "torch": torch.__version__, "tokenizers": tokenizers.__version__}}
    try:
        replace_file(Path(folder) / ABOUT, json.dumps(about, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise ValueError(f"cannot save to {folder}: {error.strerror or error}") from error


def open_finetuned(folder_or_hub_id) -> FineTuned:
    """Open what `save_finetuned` saved; or a model that another program fine-tuned, where config.json says for what.

    It does by its `architectures`: BertForSequenceClassification (with one label a regression), BertForTokenClassification,
    BertForQuestionAnswering or BertForMultipleChoice, and by `id2label`, which names the classes.
    Raises a ValueError where neither file says it, or a file is broken.
    """
    folder = find_pretrained(folder_or_hub_id)
    if (folder / ABOUT).is_file():
        about = _read_about(folder / ABOUT)
        task, max_length, columns = make_task(about["task"], about["labels"], **about["settings"]), about["max_length"], about["columns"]
    else:
        task, max_length, columns = *_task_of(folder, folder_or_hub_id), {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", FreshWeightsWarning)
        try:
            model = from_pretrained(folder, task.model_class)
        except FreshWeightsWarning as warning:
            raise ValueError(f"{warning}") from warning
    if task.name in WITH_LABELS and model.config.num_labels != len(task.labels):
        raise ValueError(f"{folder / ABOUT} names {len(task.labels)} labels, but the model in that folder has {model.config.num_labels}")
    return FineTuned(model, task, WordPieceTokenizer.from_pretrained(folder), max_length, columns)


def _read_about(path: Path) -> dict:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    wanted = {"task": str, "labels": (list, type(None)), "settings": dict, "max_length": int, "columns": dict}
    wrong = [key for key, kind in wanted.items() if not isinstance(about.get(key, ...), kind)] if isinstance(about, dict) else list(wanted)
    if wrong or about["task"] not in TASKS or (about["task"] in WITH_LABELS) != (about["labels"] is not None) \
            or set(about["settings"]) != set(SETTINGS.get(about["task"], ())):
        raise ValueError(f"{path} does not say what the model was fine-tuned for: {', '.join(wrong) or 'task, labels, settings'} is missing or wrong")
    return about


def _task_of(folder: Path, name) -> tuple[Task, int]:
    """The task that config.json tells of, and the most tokens that the model takes."""
    config, model_class = read_config(folder)
    problem = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("problem_type")
    if problem == "multi_label_classification":
        raise ValueError(f"{name} gives several labels to one text, which minibert has no task for")
    tasks = {task.model_class: task for task in (MultipleChoice, QuestionAnswering, Tagging)} | {Classification.model_class: Classification}
    if model_class not in tasks:
        raise ValueError(f"{name} is a {model_class.__name__} without {ABOUT}: it was not fine-tuned for a task. `minibert finetune` does that")
    task = Regression if model_class is Classification.model_class and config.num_labels == 1 else tasks[model_class]
    return make_task(task.name, _labels(config)), config.max_position_embeddings


def _labels(config: BertConfig) -> list[str]:
    """The names of the classes; the reference's own where config.json leaves them out, because they are two."""
    return [f"LABEL_{number}" for number in range(2)] if config.id2label is None else list(map(str, config.id2label.values()))
