"""Make, save and open a model for a task.

The folder of a fine-tuned model is what `from_pretrained` and transformers open, and
finetuning.json, which says what it was trained for.
"""

import dataclasses
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any

import torch

from minibert.config import BertConfig, InputError
from minibert.finetuning.about_file import ABOUT, Columns, about_text, read_about
from minibert.finetuning.evaluation import check_classes, check_length
from minibert.finetuning.tasks.base import Task
from minibert.finetuning.tasks.choices import MultipleChoice
from minibert.finetuning.tasks.questions import QuestionAnswering
from minibert.finetuning.tasks.registry import task_entry
from minibert.finetuning.tasks.tagging import Tagging
from minibert.finetuning.tasks.texts import Classification, Regression
from minibert.hub.find_pretrained import find_pretrained
from minibert.hub.load_weights import float32_by_default
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

    Raises an InputError for an unknown name, and for labels or settings that do not fit.
    """
    task: Any = task_entry(name).load_task()
    if wrong := [key for key in settings if key not in task.settings]:
        raise InputError(f"{wrong[0]} has no meaning for {name}")
    if task.has_labels and labels is None:
        raise InputError(f"{name} needs the names of its classes or tags: labels=[...]")
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
    with float32_by_default():
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

    Everything is checked and written aside first, so that a failure leaves an older save as it was.
    Raises an InputError for a model of another task or of other labels, for a max_length that it
    does not take, for what finetuning.json cannot hold, and where the folder cannot be written.
    """
    text = about_text(task, max_length, columns, more)
    original = getattr(model, "_orig_mod", model)  # inside what torch.compile returns
    check_classes(original, task)
    check_length(original, max_length)
    if task.has_labels and task.labels != (found := _labels(original.config)):
        raise InputError(
            f"the task has the labels {shown(task.labels)}, and the model {shown(found)}: they "
            "must be the same, in one order"
        )
    save_pretrained(model, folder, tokenizer, more={ABOUT: text})


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
        about = read_about(folder / ABOUT)
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
    check_tokenizer(tokenizer, model)
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


def _task_of_config(folder: Path, name: str | Path) -> tuple[Task, int]:
    """The task that config.json names, and the longest sequence that the model takes."""
    found = ModelFolder.find(folder)
    config, model_class = read_config(found)
    if found.values.get("problem_type") == "multi_label_classification":
        raise InputError(
            f"{name} predicts several labels for one text, and minibert has no task for that"
        )
    problem = found.values.get("problem_type")
    if problem not in (None, "regression", "single_label_classification") or (
        problem == "regression" and config.num_labels > 1
    ):
        raise InputError(
            f"{name} has the problem_type {shown(problem)} and {config.num_labels} labels, which "
            "fits no task of minibert"
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
