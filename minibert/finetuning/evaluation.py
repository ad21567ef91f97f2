"""Predictions of a fine-tuned model, and their scores."""

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from tqdm.auto import tqdm

from minibert.config import InputError, check_size
from minibert.finetuning.tasks.base import Feature, Task
from minibert.heads import BertForMultipleChoice, BertForSequenceClassification
from minibert.inference.checks import check_finite
from minibert.inference.unpadded import batches_by_tokens, token_budget, without_padding
from minibert.model import BertPreTrainedModel, evaluating
from minibert.tokenization import WordPieceTokenizer

PRECISIONS = (torch.float32, torch.bfloat16, torch.float16)
EVAL_BATCH = 64  # sequences that are scored at once; a loss may be a mean over a batch
STREAMED = 512  # examples that are predicted before the first of their predictions is given
POOLED = (BertForSequenceClassification, BertForMultipleChoice)  # whose head reads [CLS] alone


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
    check_precision(precision)
    check_kind(task, examples)
    if not examples:
        raise InputError("there are no examples to score")
    check_classes(model, task)
    features = task.features(tokenizer, examples, check_length(model, max_length))
    check_labels(features, "to score")
    by_length = sorted(range(len(features)), key=lambda i: features[i].length)
    batches = [by_length[i : i + EVAL_BATCH] for i in range(0, len(features), EVAL_BATCH)]
    with _bar(len(features), progress) as bar:
        rows, loss = _answers(model, task, tokenizer, features, batches, precision, bar)
    predictions = task.predict(examples, features, rows)
    return {"loss": loss} | task.score(examples, predictions), predictions


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
    return list(
        stream_predictions(model, task, tokenizer, examples, max_length, precision, progress)
    )


def stream_predictions(
    model: BertPreTrainedModel,
    task: Task,
    tokenizer: WordPieceTokenizer,
    examples: Sequence[Any],
    max_length: int | None = None,
    precision: torch.dtype = torch.float32,
    progress: bool = False,
) -> Iterator[Any]:
    """The predictions of `predict`, given as they are made, STREAMED examples at a time.

    All examples are read and tokenized before the first prediction, so an InputError about one of
    them comes first. `progress` shows a bar on stderr where that is a terminal.
    """
    check_precision(precision)
    check_kind(task, examples)
    check_classes(model, task)
    if not examples:
        return
    examples = [dataclasses.replace(example, **task.unlabelled) for example in examples]
    features = task.features(tokenizer, examples, check_length(model, max_length))
    budget, at = token_budget(next(model.parameters()).device), 0
    with _bar(len(features), progress) as bar:
        for start in range(0, len(examples), STREAMED):
            part, end = list[Feature](), at  # features come in the order of their examples
            while end < len(features) and features[end].example < start + STREAMED:
                feature = features[end]
                part.append(dataclasses.replace(feature, example=feature.example - start))
                end += 1
            at = end
            batches = batches_by_tokens([_tokens(feature) for feature in part], None, budget)
            rows, _ = _answers(model, task, tokenizer, part, batches, precision, bar)
            yield from task.predict(examples[start : start + STREAMED], part, rows)


@torch.no_grad()
def _answers(
    model: BertPreTrainedModel,
    task: Task,
    tokenizer: WordPieceTokenizer,
    features: Sequence[Feature],
    batches: Sequence[Sequence[int]],
    precision: torch.dtype,
    bar: "tqdm[Any]",
) -> tuple[list[Tensor], float]:
    """The logits of every sequence, float32 and on the CPU; and the mean loss, 0 without labels.

    batches  numbers of the features that go through the model together
    """
    rows: list[Tensor] = [torch.empty(0)] * len(features)
    total = 0.0
    with evaluating(model), without_padding(model, only_first=type(model) in POOLED):
        for chosen in batches:
            outputs = run_model(model, task, tokenizer, [features[i] for i in chosen], precision)
            total += 0.0 if outputs.loss is None else outputs.loss.item() * len(chosen)
            for i, row in zip(chosen, task.rows(outputs), strict=True):
                rows[i] = row.float().cpu()
                # -inf is the logit of a choice that an example does not have
                check_finite(rows[i].nan_to_num(torch.nan, torch.inf, 0.0), model)
            bar.update(len(chosen))
    return rows, total / len(features)


def _bar(features: int, progress: bool) -> "tqdm[Any]":
    """A bar on stderr, where that is a terminal."""
    off = None if progress else True
    return tqdm(total=features, disable=off, desc="Predicting", unit=" sequences", leave=False)


def _tokens(feature: Feature) -> int:
    """The tokens of all sequences of a feature, with their padding."""
    several = isinstance(feature.input_ids[0], list)
    return feature.length * (len(feature.input_ids) if several else 1)


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


def check_precision(precision: torch.dtype) -> None:
    """Raises an InputError for what is no dtype that a model computes in."""
    if precision not in PRECISIONS:
        names = ", ".join(map(str, PRECISIONS))
        raise InputError(f"precision must be one of {names}, not {precision!r:.80}")


def check_kind(task: Task, examples: Sequence[Any]) -> None:
    """Raises an InputError where `examples` is not a list of what the task reads."""
    wanted = f"examples must be a list of what the task reads, {task.example_class.__name__}(...)"
    if isinstance(examples, str) or not isinstance(examples, Sequence):
        raise InputError(f"{wanted}, not {examples!r:.80}")
    for example in examples:
        if not isinstance(example, task.example_class):
            raise InputError(f"{wanted}, but one is {example!r:.80}")


def check_length(model: BertPreTrainedModel, max_length: int | None) -> int:
    """`max_length`, or the model's maximum for None. Raises an InputError where it is longer."""
    positions = model.config.max_position_embeddings
    if max_length is not None:
        check_size("max_length", max_length)
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
    """Raises an InputError where the model is of another task, or has other than its classes."""
    if not isinstance(model, task.model_class):
        raise InputError(
            f"the task {task.name} needs a {task.model_class.__name__}, and this model is a "
            f"{type(model).__name__}: model_for makes a model for a task"
        )
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
