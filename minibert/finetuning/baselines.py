"""The control that a model has to beat: what the training labels alone would score."""

from collections.abc import Sequence
from typing import Any

from minibert.config import InputError
from minibert.finetuning.tasks.base import Task


def score_baseline(
    task: Task, training: Sequence[Any], examples: Sequence[Any]
) -> tuple[str, dict[str, float]]:
    """The name of a task's baseline, fitted to the training labels, and its scores on `examples`.

    classification      the majority class
    regression          the mean of all labels, as in similarity: a constant, with correlation 0
    tagging             each word's most frequent tag in training; the majority tag for new words
    questions           the whole passage
    choice              the number that was right most often
    """
    if not training or not examples:
        raise InputError("a baseline needs examples to fit and examples to score")
    name, predict = task.baseline(training)
    return name, task.score(examples, [predict(example) for example in examples])
