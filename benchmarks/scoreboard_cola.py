"""CoLA for `scoreboard.py`: is a sentence acceptable English? Learned by minibert-small and by the same model untrained.

The set is the Corpus of Linguistic Acceptability (Warstadt et al. 2019), from ../shared/data/cola: 8,551 sentences to learn
from and 527 of the same sources, "in-domain dev", whose labels are public. The latter are tested on. Every tenth of
the former is kept to choose the epoch and the learning rate by, and not learned from.

The measure is Matthews' correlation, 0 for a guess that does not look at the sentence. "bag of words" is a logistic
regression on the words and the pairs of neighbours, as in finetuning_controls.py.
"""

import csv
import gzip
import io
from dataclasses import dataclass
from functools import cache

import finetuning_controls as controls
import torch
from finetuning_data import TENTH, found

from minibert import WordPieceTokenizer
from minibert.finetuning import (
    Classification,
    FineTuning,
    FineTuningOptions,
    TextExample,
    evaluate,
    finetune,
    model_for,
)
from minibert.finetuning.metrics import accuracy, pearson
from minibert.hub.find_pretrained import SMALL, find_pretrained
from minibert.hub.pretrained_io import read_config
from minibert.training.memory import keep_freed_memory

LABELS = ["unacceptable", "acceptable"]
RATES = (2e-4, 5e-4, 1e-3)  # the same for the trained and the untrained model
EPOCHS = 3


@dataclass(frozen=True)
class Cola:
    """The sentences with their labels."""

    train: list[TextExample]
    dev: list[TextExample]  # a tenth of the training sentences, to choose by
    test: list[TextExample]


class Acceptability(Classification):
    """The classification of a sentence, scored by Matthews' correlation."""

    metrics = ("matthews", "accuracy")

    def __init__(self) -> None:
        super().__init__(LABELS)

    def score(self, examples, predictions) -> dict[str, float]:
        labels = [prediction.label for prediction in predictions]
        expected = [example.label for example in examples]
        return {
            "matthews": matthews(labels, expected),
            "accuracy": accuracy(labels, expected),
        }


def matthews(labels: list[str], expected: list[str]) -> float:
    """Matthews' correlation of two classes: Pearson's correlation of them as 0 and 1."""
    return pearson(
        [float(LABELS.index(label)) for label in labels],
        [float(LABELS.index(label)) for label in expected],
    )


@cache
def cola() -> Cola:
    """A line is a source, 0 or 1, the author's mark, and the sentence."""

    def split(name: str) -> list[TextExample]:
        text = gzip.decompress(found(f"cola/{name}.tsv.gz").read_bytes()).decode("utf-8")
        rows = csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
        return [TextExample(sentence, label=LABELS[int(label)]) for _, label, _, sentence in rows]

    train = split("in_domain_train")
    learned = [one for number, one in enumerate(train) if number % TENTH]
    return Cola(learned, train[::TENTH], split("in_domain_dev"))


def measure(who: str, rate: float, seed: int, device: str = "cpu") -> dict:
    """Fine-tune with one learning rate and seed, keep the epoch that is best on dev, test it."""
    keep_freed_memory()
    data, task, tokenizer = cola(), Acceptability(), WordPieceTokenizer.from_pretrained(SMALL)
    options = FineTuningOptions(epochs=EPOCHS, learning_rate=rate, max_length=64, seed=seed)
    start = read_config(find_pretrained(SMALL))[0] if who == "untrained" else SMALL
    model = model_for(task, start, seed).to(device)
    run = FineTuning(model, task, tokenizer, data.train, options)
    epochs = finetune(run, data.dev)
    values = {"epoch": max(epoch.epoch for epoch in epochs if epoch.is_best)}
    for name, examples in (("dev", data.dev), ("score", data.test)):
        scores, _ = evaluate(
            run.model, task, tokenizer, examples, options.max_length, run.precision
        )
        values[name] = round(scores["matthews"], 4)
    return values | {"accuracy": round(scores["accuracy"], 4), "steps": run.steps}


def control(kind: str) -> dict:
    """The majority class, or counted words: the penalty on large weights is chosen on dev."""
    data = cola()
    if kind == "majority":
        expected = [example.label for example in data.test]
        share = accuracy([LABELS[1]] * len(expected), expected)
        return {
            "score": matthews([LABELS[1]] * len(expected), expected),
            "accuracy": round(share, 4),
        }
    splits = {
        name: [controls.items(example)[0] for example in getattr(data, name)]
        for name in ("train", "dev", "test")
    }
    seen = controls.Counter(feature for features, _ in splits["train"] for feature in features)
    known = [feature for feature, times in seen.most_common() if times > 1]
    columns = {feature: number for number, feature in enumerate(known)}
    bags = {name: controls._bags(pairs, columns) for name, pairs in splits.items()}
    targets = torch.tensor([LABELS.index(label) for _, label in splits["train"]])  # [items]
    best = {"dev": -2.0}
    for penalty in controls.PENALTIES:
        weights = controls.logistic_regression(bags["train"], targets, len(columns), 2, penalty)
        values = {}
        for name, key in (("dev", "dev"), ("test", "score")):
            labels = [LABELS[i] for i in controls._logits(bags[name], weights).argmax(-1).tolist()]
            values[key] = round(matthews(labels, [label for _, label in splits[name]]), 4)
        best = max(best, values, key=lambda one: one["dev"])
    return best
