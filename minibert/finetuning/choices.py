"""Which of several texts goes on with another, or answers it (Devlin et al. 2018, section 4.4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from minibert.finetuning.metrics import accuracy
from minibert.finetuning.task import Feature, Task
from minibert.heads import BertForMultipleChoice
from minibert.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class ChoiceExample:
    """A text, the choices that it leaves, and the right one."""

    text: str
    choices: Sequence[str]              # at least two; their number may differ from example to example
    label: int | None = None            # the number of the right one, from 0; None where it is not known

    def __post_init__(self):
        if isinstance(self.choices, str) or len(self.choices) < 2:
            raise ValueError(f"choices must be a list of at least two texts, not {self.choices!r}")
        if self.label is not None and (isinstance(self.label, bool) or self.label not in range(len(self.choices))):
            raise ValueError(f"label must be the number of a choice, 0 to {len(self.choices) - 1}, not {self.label!r}")


@dataclass(frozen=True)
class ChoicePrediction:
    choice: int                         # its number, from 0
    text: str
    probabilities: list[float]          # of all choices; they sum to 1


class MultipleChoice(Task):
    """Which of several choices is right: each goes through the model as [CLS] text [SEP] choice [SEP], the softmax runs over them."""

    name = "choice"
    model_class = BertForMultipleChoice
    metrics = ("accuracy",)

    def features(self, tokenizer: WordPieceTokenizer, examples: Sequence[ChoiceExample], max_length: int) -> list[Feature]:
        """One feature for each example, with a row for each choice; where one is too long, the longer text loses its end first."""
        features = []
        for number, example in enumerate(examples):
            encodings = [tokenizer.encoding(example.text, choice, max_length) for choice in example.choices]
            labels = {} if example.label is None else {"labels": int(example.label)}
            features.append(Feature(number, [encoding.ids for encoding in encodings], [encoding.type_ids for encoding in encodings], labels))
        return features

    def predict(self, examples: Sequence[ChoiceExample], features: Sequence[Feature], rows: Sequence[Tensor]) -> list[ChoicePrediction]:
        predictions = []
        for example, row in zip(examples, rows, strict=True):
            probabilities = row[:len(example.choices)].softmax(-1)                                  # [choices], without padding
            choice = int(probabilities.argmax())
            predictions.append(ChoicePrediction(choice, example.choices[choice], probabilities.tolist()))
        return predictions

    def score(self, examples: Sequence[ChoiceExample], predictions: Sequence[ChoicePrediction]) -> dict[str, float]:
        return {"accuracy": accuracy([prediction.choice for prediction in predictions], [example.label for example in examples])}
