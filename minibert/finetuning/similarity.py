"""The task of comparing two texts, each by a vector of its own: a sentence encoder such as MiniLM learns on."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from minibert.finetuning.metrics import pearson, spearman
from minibert.finetuning.task import Feature, Task
from minibert.finetuning.texts import TextExample, label_value
from minibert.model import BertPreTrainedModel
from minibert.sentence import BertForSentenceSimilarity
from minibert.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class CosinePrediction:
    cosine: float               # from -1 to 1


class Similarity(Task):
    """How alike the two texts of a pair are; the label is a number, higher = more alike.

    The lowest label of the training examples is to become the cosine 0, the highest 1. In `Regression` both texts go
    through the model together, which sees more of them, and costs a pass for every pair.
    """

    name = "similarity"
    model_class = BertForSentenceSimilarity
    metrics = ("spearman", "pearson")
    lowest, highest = 0.0, 1.0

    def prepare(self, examples: Sequence[TextExample], model: BertPreTrainedModel | None = None) -> None:
        values = [label_value(example.label) for example in examples]
        self.lowest, self.highest = min(values), max(values)
        if self.lowest == self.highest:
            raise ValueError(f"all labels are {self.lowest}: nothing can be learned from pairs that are all equally alike")

    def features(self, tokenizer: WordPieceTokenizer, examples: Sequence[TextExample], max_length: int) -> list[Feature]:
        """One feature for each pair, with a row for each text; longer texts lose their end."""
        features = []
        for number, example in enumerate(examples):
            if example.pair is None:
                raise ValueError(f"example {number} has one text; wanted are two to compare")
            ids = [tokenizer.encode(text, max_length=max_length) for text in (example.text, example.pair)]
            labels = {} if example.label is None else {"labels": (label_value(example.label) - self.lowest) / (self.highest - self.lowest)}
            features.append(Feature(number, ids, [[0] * len(row) for row in ids], labels))
        return features

    def predict(self, examples, features, rows: Sequence[Tensor]) -> list[CosinePrediction]:
        return [CosinePrediction(float(row)) for row in rows]

    def score(self, examples: Sequence[TextExample], predictions: Sequence[CosinePrediction]) -> dict[str, float]:
        found, wanted = [prediction.cosine for prediction in predictions], [example.label for example in examples]
        return {"spearman": spearman(found, wanted), "pearson": pearson(found, wanted)}
