"""Compare two texts by a vector of each: how sentence encoders such as MiniLM are trained."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from torch import Tensor

from minibert.config import InputError
from minibert.finetuning.metrics import pearson, spearman
from minibert.finetuning.tasks.base import Baseline, Feature, Task, texts_of
from minibert.finetuning.tasks.texts import TextExample, label_value
from minibert.inference.sentence_embeddings import BertForSentenceSimilarity
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class CosinePrediction:
    """The cosine of the two vectors."""

    cosine: float  # from -1 to 1


class Similarity(Task):
    """How alike the two texts of a pair are; the label is a number, higher for more alike.

    The lowest label of the training examples becomes the cosine 0, the highest the cosine 1. In
    `Regression`, in contrast, both texts go through the model together. That model sees how the
    texts relate word by word, but needs a forward pass for every pair.
    """

    name = "similarity"
    model_class = BertForSentenceSimilarity
    example_class = TextExample
    metrics = ("spearman", "pearson")
    lowest, highest = 0.0, 1.0

    def prepare(
        self, examples: Sequence[TextExample], model: BertPreTrainedModel | None = None
    ) -> None:
        """Find the range of the labels."""
        values = [label_value(example.label) for example in examples]
        self.lowest, self.highest = min(values), max(values)
        if self.lowest == self.highest:
            raise InputError(
                f"all labels are {self.lowest}: nothing can be learned from pairs that are all "
                "equally alike"
            )

    def features(
        self, tokenizer: WordPieceTokenizer, examples: Sequence[TextExample], max_length: int
    ) -> list[Feature]:
        """One feature for each pair, with a sequence for each text; longer texts are cut."""
        features = []
        for number, example in enumerate(examples):
            if example.pair is None:
                raise InputError(f"example {number} has one text; expected two to compare")
            encodings = [
                tokenizer.encoding(text, max_length=max_length)
                for text in (example.text, example.pair)
            ]
            ids = [encoding.ids for encoding in encodings]
            labels = {}
            if example.label is not None:
                above = label_value(example.label) - self.lowest
                labels["labels"] = above / (self.highest - self.lowest)
            cut = any(encoding.overflowing for encoding in encodings)
            features.append(Feature(number, ids, [[0] * len(row) for row in ids], labels, cut=cut))
        return features

    def limit(self, max_length: int) -> str:
        """The tokens of one text; each of the two may have as many."""
        return f"{max_length} tokens in a text"

    def predict(
        self, examples: Sequence[Any], features: Sequence[Any], rows: Sequence[Tensor]
    ) -> list[CosinePrediction]:
        """The cosine of each pair."""
        return [CosinePrediction(float(row.clamp(-1, 1))) for row in rows]

    def score(
        self, examples: Sequence[TextExample], predictions: Sequence[CosinePrediction]
    ) -> dict[str, float]:
        """Spearman's and Pearson's correlation."""
        found = [prediction.cosine for prediction in predictions]
        expected = [example.label for example in examples]
        return {"spearman": spearman(found, expected), "pearson": pearson(found, expected)}

    def baseline(self, training: Sequence[TextExample]) -> Baseline:
        """The mean of the labels."""
        mean = fmean(example.label for example in training)
        return f"always {mean:.2f}, the mean", lambda example: CosinePrediction(mean)

    def prediction_lines(
        self, example: TextExample, prediction: CosinePrediction
    ) -> Iterable[Sequence[str]]:
        """The cosine, the two texts."""
        yield f"{prediction.cosine:.3f}", *texts_of(example)
