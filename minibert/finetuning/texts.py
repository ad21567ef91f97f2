"""Tasks on a text or a pair of texts: which class it belongs to, or which number it deserves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import torch
from torch import Tensor

from minibert.finetuning.metrics import accuracy, macro_f1, pearson, spearman
from minibert.finetuning.task import Feature, Task
from minibert.heads import BertForSequenceClassification
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class TextExample:
    """A text, or two, and what is to be predicted of it."""

    text: str
    pair: str | None = None
    label: str | float | None = None        # a class by its name, or a number; None where it is not known


@dataclass(frozen=True)
class ClassPrediction:
    label: str
    probabilities: dict[str, float]         # of every class; they sum to 1


@dataclass(frozen=True)
class ValuePrediction:
    value: float


def label_value(label: float) -> float:
    """A label that has to be a number; a ValueError where it is none."""
    if not isinstance(label, Real) or not math.isfinite(label):
        raise ValueError(f"a label must be a number, not {label!r}")
    return float(label)


class TextTask(Task):
    """What the two tasks share: [CLS] text [SEP], or [CLS] text [SEP] pair [SEP], and one label for it (Devlin et al. 2018, figure 4a and b)."""

    model_class = BertForSequenceClassification

    def features(self, tokenizer: WordPieceTokenizer, examples: Sequence[TextExample], max_length: int) -> list[Feature]:
        """One row for each example; of a pair that is too long, the longer text loses its end first."""
        rows = []
        for number, example in enumerate(examples):
            encoding = tokenizer.encoding(example.text, example.pair, max_length)
            labels = {} if example.label is None else {"labels": self._target(example.label)}
            rows.append(Feature(number, encoding.ids, encoding.type_ids, labels))
        return rows

    def _target(self, label: str | float) -> int | float:
        """A label as the model learns it."""
        raise NotImplementedError


class Classification(TextTask):
    """Which of several classes a text, or a pair of texts, belongs to."""

    name = "classification"
    metrics = ("accuracy", "macro_f1")

    def __init__(self, labels: Sequence[str]):
        self.labels = list(labels)
        if len(set(self.labels)) != len(self.labels) or len(self.labels) < 2:
            raise ValueError(f"labels must be at least two different names, not {self.labels!r}")
        self._number = {label: number for number, label in enumerate(self.labels)}

    def _target(self, label: str) -> int:
        if label not in self._number:
            raise ValueError(f"unknown label {label!r}: this task has {', '.join(map(str, self.labels))}")
        return self._number[label]

    def predict(self, examples, features, rows: Sequence[Tensor]) -> list[ClassPrediction]:
        probabilities = torch.stack(list(rows)).softmax(-1).tolist()                                # [examples, classes]
        return [ClassPrediction(self.labels[max(range(len(row)), key=row.__getitem__)], dict(zip(self.labels, row))) for row in probabilities]

    def score(self, examples: Sequence[TextExample], predictions: Sequence[ClassPrediction]) -> dict[str, float]:
        found, wanted = [prediction.label for prediction in predictions], [example.label for example in examples]
        return {"accuracy": accuracy(found, wanted), "macro_f1": macro_f1(found, wanted)}


class Regression(TextTask):
    """Which number a text, or a pair of texts, deserves: mean squared error.

    The model learns numbers with mean 0 and standard deviation 1, whatever the scale of yours; `finish` then puts your
    scale into the last linear map, so that the saved model gives your numbers. A head that has learned before (a fresh one
    has the bias 0) gives the same numbers when it begins again, whatever the new examples' scale.
    """

    name = "regression"
    metrics = ("spearman", "pearson")
    labels = ["value"]
    mean, deviation = 0.0, 1.0

    def prepare(self, examples: Sequence[TextExample], model: BertPreTrainedModel | None = None) -> None:
        values = torch.tensor([label_value(example.label) for example in examples], dtype=torch.float64)    # [examples]
        mean, deviation = float(values.mean()), float(values.std(correction=0)) if values.min() < values.max() else 1.0
        if model is not None and model.classifier.bias.any():
            self._rescale(model, mean, deviation)
        self.mean, self.deviation = mean, deviation

    def finish(self, model: BertPreTrainedModel) -> None:
        self._rescale(model, 0.0, 1.0)
        self.mean, self.deviation = 0.0, 1.0

    @torch.no_grad()
    def _rescale(self, model: BertPreTrainedModel, mean: float, deviation: float) -> None:
        """Make the model answer for another mean and deviation what it has answered for those of now."""
        model.classifier.weight.mul_(self.deviation / deviation)
        model.classifier.bias.mul_(self.deviation).add_(self.mean - mean).div_(deviation)

    def _target(self, label: float) -> float:
        return (label_value(label) - self.mean) / self.deviation

    def predict(self, examples, features, rows: Sequence[Tensor]) -> list[ValuePrediction]:
        return [ValuePrediction(float(row[0]) * self.deviation + self.mean) for row in rows]

    def score(self, examples: Sequence[TextExample], predictions: Sequence[ValuePrediction]) -> dict[str, float]:
        found, wanted = [prediction.value for prediction in predictions], [example.label for example in examples]
        return {"spearman": spearman(found, wanted), "pearson": pearson(found, wanted)}
