"""Predictions of a fine-tuned model, and their scores."""

import dataclasses
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from tqdm.auto import tqdm

from minibert.config import InputError
from minibert.finetuning.tasks.base import Feature, Task
from minibert.model import BertPreTrainedModel, evaluating
from minibert.tokenization import WordPieceTokenizer

EVAL_BATCH = 64  # sequences that go through the model at once


@torch.no_grad()
def evaluate(
    model: BertPreTrainedModel,
    task: Task,
    tokenizer: WordPieceTokenizer,
    examples: Sequence[Any],
    max_length: int | None = None,
    precision: torch.dtype = torch.float32,
    progress: bool = False,
) -> tuple[dict[str, float], list[Any]]:
    """The scores of a model on examples with labels, and its predictions.

    Among the scores is "loss", the mean over all sequences. max_length is in tokens; None means the
    model's maximum. The model is put into eval mode and back. Raises an InputError for no examples,
    or an example without a label.
    """
    if not examples:
        raise InputError("there are no examples to score")
    check_kind(examples)
    features = task.features(tokenizer, examples, check_length(model, max_length))
    check_labels(features, "to score")
    rows, loss = _answers(model, task, tokenizer, features, precision, progress)
    predictions = task.predict(examples, features, rows)
    return {"loss": loss} | task.score(examples, predictions), predictions


@torch.no_grad()
def predict(
    model: BertPreTrainedModel,
    task: Task,
    tokenizer: WordPieceTokenizer,
    examples: Sequence[Any],
    max_length: int | None = None,
    precision: torch.dtype = torch.float32,
    progress: bool = False,
) -> list[Any]:
    """A prediction for each example; labels are ignored.

    The model is put into eval mode and back.
    """
    if not examples:
        return []
    check_kind(examples)
    examples = [dataclasses.replace(example, **task.unlabelled) for example in examples]
    features = task.features(tokenizer, examples, check_length(model, max_length))
    rows, _ = _answers(model, task, tokenizer, features, precision, progress)
    return task.predict(examples, features, rows)


def _answers(
    model: BertPreTrainedModel,
    task: Task,
    tokenizer: WordPieceTokenizer,
    features: Sequence[Feature],
    precision: torch.dtype,
    progress: bool,
) -> tuple[list[Tensor], float]:
    """The logits of every sequence, float32 and on the CPU; and the mean loss, 0 without labels."""
    check_classes(model, task)
    with evaluating(model):
        rows: list[Tensor] = [torch.empty(0)] * len(features)
        total = 0.0
        by_length = sorted(range(len(features)), key=lambda i: features[i].length)
        for start in tqdm(
            range(0, len(features), EVAL_BATCH),
            disable=None if progress else True,
            desc="Predicting",
            unit=" batches",
            leave=False,
        ):
            chosen = by_length[start : start + EVAL_BATCH]
            outputs = run_model(model, task, tokenizer, [features[i] for i in chosen], precision)
            total += 0.0 if outputs.loss is None else outputs.loss.item() * len(chosen)
            for i, row in zip(chosen, task.rows(outputs), strict=True):
                rows[i] = row.float().cpu()
    return rows, total / len(features)


def run_model(
    model: BertPreTrainedModel,
    task: Task,
    tokenizer: WordPieceTokenizer,
    features: Sequence[Feature],
    precision: torch.dtype,
) -> Any:
    """The model's outputs for a batch of features, in a precision."""
    device = next(model.parameters()).device
    batch = {
        name: tensor.to(device) for name, tensor in task.collate(features, tokenizer.pad_id).items()
    }
    with torch.autocast(device.type, precision) if precision != torch.float32 else nullcontext():
        return model(**batch)


def check_kind(examples: Sequence[Any]) -> None:
    """Raises an InputError where an example is not one of the example classes."""
    for example in examples:
        if not dataclasses.is_dataclass(example):
            raise InputError(
                "examples must be a list of what the task reads, such as TextExample(...), "
                f"but one is {example!r}"
            )


def check_length(model: BertPreTrainedModel, max_length: int | None) -> int:
    """`max_length`, or the model's maximum for None. Raises an InputError where it is longer."""
    positions = model.config.max_position_embeddings
    if (
        max_length is not None
        and max_length > positions
        and model.config.position_embedding_type != "none"
    ):
        raise InputError(
            f"max_length {max_length} is longer than the model's max_position_embeddings "
            f"{positions}"
        )
    return positions if max_length is None else max_length


def check_classes(model: BertPreTrainedModel, task: Task) -> None:
    """Raises an InputError where the model's classes are not as many as the task's."""
    if task.labels is not None and model.config.num_labels != len(task.labels):
        raise InputError(
            f"the model has {model.config.num_labels} classes, the task has {len(task.labels)}: "
            "model_for makes a model for a task"
        )


def check_labels(features: Sequence[Feature], what_for: str) -> None:
    """Raises an InputError that names the first example without a label."""
    for feature in features:
        if not feature.labels:
            raise InputError(
                f"example {feature.example} has no label: every example {what_for} needs one"
            )
