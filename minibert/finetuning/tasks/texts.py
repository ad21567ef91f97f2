"""Tasks on a text or a pair of texts: predict its class, or a number."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from statistics import fmean
from typing import Any, ClassVar

import torch
from torch import Tensor

from minibert.config import InputError
from minibert.finetuning.metrics import accuracy, macro_f1, pearson, spearman
from minibert.finetuning.tasks.base import Baseline, Feature, Task, by_probability, texts_of
from minibert.heads import BertForSequenceClassification
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer

SMALLEST = 1e-18  # standard deviation of labels; its square is a number that float32 can hold
CLOSEST = 1e-5  # standard deviation for each unit of the mean; float32 has seven digits for both


@dataclass(frozen=True)
class TextExample:
    """A text, or a pair of texts, with the label to predict."""

    text: str
    pair: str | None = None
    label: Any = None  # the name of a class, or a number; None where it is not known


@dataclass(frozen=True)
class ClassPrediction:
    """A class, and how probable each class is."""

    label: str
    probabilities: dict[str, float]  # of every class; they sum to 1


@dataclass(frozen=True)
class ValuePrediction:
    """A number."""

    value: float


def label_value(label: Any) -> float:
    """A label as a finite number. Raises an InputError where it is not one."""
    try:
        number = float(label) if isinstance(label, Real) else math.nan
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"a label must be a number, not {label!r:.60}")
    return number


class TextTask(Task):
    """Base of the two tasks: [CLS] text [SEP] or [CLS] text [SEP] pair [SEP], with one label.

    Devlin et al. 2018, figure 4a and b.
    """

    model_class = BertForSequenceClassification
    example_class = TextExample

    def features(
        self, tokenizer: WordPieceTokenizer, examples: Sequence[TextExample], max_length: int
    ) -> list[Feature]:
        """One sequence for each example; of too long a pair, the longer text is cut first."""
        rows = []
        for number, example in enumerate(examples):
            encoding = tokenizer.encoding(example.text, example.pair, max_length)
            labels = {} if example.label is None else {"labels": self._target(example.label)}
            cut = bool(encoding.overflowing)
            rows.append(Feature(number, encoding.ids, encoding.type_ids, labels, cut=cut))
        return rows

    def _target(self, label: Any) -> int | float:
        """A label as the model learns it."""
        raise NotImplementedError


class Classification(TextTask):
    """Which of several classes a text, or a pair of texts, belongs to."""

    name = "classification"
    metrics = ("accuracy", "macro_f1")
    labels: list[str]
    has_labels: ClassVar[bool] = True

    def __init__(self, labels: Sequence[str]):
        self.labels = [] if isinstance(labels, str) else list(labels)
        if len(set(self.labels)) != len(self.labels) or len(self.labels) < 2:
            raise InputError(f"labels must be at least two different names, not {labels!r}")
        self._number = {label: number for number, label in enumerate(self.labels)}

    def _target(self, label: Any) -> int:
        if label not in self._number:
            raise InputError(
                f"unknown label {label!r}: this task has {', '.join(map(str, self.labels))}"
            )
        return self._number[label]

    def predict(
        self, examples: Sequence[Any], features: Sequence[Any], rows: Sequence[Tensor]
    ) -> list[ClassPrediction]:
        """The most probable class of each example."""
        probabilities = torch.stack(list(rows)).softmax(-1).tolist()  # [examples, classes]
        return [
            ClassPrediction(
                self.labels[max(range(len(row)), key=row.__getitem__)],
                dict(zip(self.labels, row, strict=True)),
            )
            for row in probabilities
        ]

    def score(
        self, examples: Sequence[TextExample], predictions: Sequence[ClassPrediction]
    ) -> dict[str, float]:
        """Accuracy, and F1 averaged over the classes."""
        found = [prediction.label for prediction in predictions]
        expected = [example.label for example in examples]
        return {"accuracy": accuracy(found, expected), "macro_f1": macro_f1(found, expected)}

    def baseline(self, training: Sequence[TextExample]) -> Baseline:
        """The majority class."""
        label = Counter(example.label for example in training).most_common(1)[0][0]
        return f"always {label!r}", lambda example: ClassPrediction(label, {})

    def prediction_lines(
        self, example: TextExample, prediction: ClassPrediction
    ) -> Iterable[Sequence[str]]:
        """The label, its probability, the next two classes, the texts."""
        (label, probability), *others = by_probability(prediction.probabilities)
        next_ones = ", ".join(f"{other} {value:.3f}" for other, value in others[:2])
        yield label, f"{probability:.3f}", next_ones, *texts_of(example)

    def prediction_json(self, prediction: ClassPrediction) -> dict[str, Any]:
        """The label, and the probabilities from high to low."""
        probabilities = dict(by_probability(prediction.probabilities))
        return {"label": prediction.label, "probabilities": probabilities}


class Regression(TextTask):
    """A number for a text, or for a pair of texts; the loss is the mean squared error.

    The model learns numbers with mean 0 and standard deviation 1, whatever the scale of yours.
    `finish` then puts your scale into the last linear layer, so that the saved model predicts your
    numbers. A head that was trained before (a fresh one has a bias of 0) starts with the same
    predictions, whatever the scale of the new examples.
    """

    name = "regression"
    metrics = ("spearman", "pearson")
    labels = ["value"]  # noqa: RUF012  (never changed)
    mean, deviation = 0.0, 1.0

    def prepare(
        self, examples: Sequence[TextExample], model: BertPreTrainedModel | None = None
    ) -> None:
        """Fit the scale of the labels, and adjust a head that was trained on another scale."""
        numbers = [label_value(example.label) for example in examples]
        values = torch.tensor(numbers, dtype=torch.float64)  # [examples]
        varies = bool(values.min() < values.max())
        mean, deviation = float(values.mean()), float(values.std(correction=0)) if varies else 1.0
        if deviation < SMALLEST:
            raise InputError(
                f"the labels differ by too little, {float(values.max() - values.min()):.3g} "
                "from the lowest to the highest: multiply them all by some number"
            )
        if varies and deviation < CLOSEST * abs(mean):
            raise InputError(
                f"the labels lie close together, {deviation:.3g} around their mean of {mean:.10g}, "
                "so the model could not hold what tells them apart: subtract the mean from them all"
            )
        if isinstance(model, BertForSequenceClassification) and model.classifier.bias.any():
            self._rescale(model, mean, deviation)
        self.mean, self.deviation = mean, deviation

    def finish(self, model: BertPreTrainedModel) -> None:
        """Make the model predict numbers on the scale of the labels."""
        assert isinstance(model, BertForSequenceClassification)
        self._rescale(model, 0.0, 1.0)
        self.mean, self.deviation = 0.0, 1.0

    @torch.no_grad()
    def _rescale(self, model: BertForSequenceClassification, mean: float, deviation: float) -> None:
        """Change the scale of the model's outputs so that its predictions stay the same."""
        model.classifier.weight.mul_(self.deviation / deviation)
        model.classifier.bias.mul_(self.deviation).add_(self.mean - mean).div_(deviation)

    def _target(self, label: Any) -> float:
        return (label_value(label) - self.mean) / self.deviation

    def predict(
        self, examples: Sequence[Any], features: Sequence[Any], rows: Sequence[Tensor]
    ) -> list[ValuePrediction]:
        """The number of each example, on the scale of the labels."""
        return [ValuePrediction(float(row[0]) * self.deviation + self.mean) for row in rows]

    def score(
        self, examples: Sequence[TextExample], predictions: Sequence[ValuePrediction]
    ) -> dict[str, float]:
        """Spearman's and Pearson's correlation."""
        found = [prediction.value for prediction in predictions]
        expected = [example.label for example in examples]
        return {"spearman": spearman(found, expected), "pearson": pearson(found, expected)}

    def baseline(self, training: Sequence[TextExample]) -> Baseline:
        """The mean of the labels."""
        mean = fmean(example.label for example in training)
        return f"always {mean:.2f}, the mean", lambda example: ValuePrediction(mean)

    def prediction_lines(
        self, example: TextExample, prediction: ValuePrediction
    ) -> Iterable[Sequence[str]]:
        """The number, the texts."""
        yield f"{prediction.value:.3f}", *texts_of(example)
