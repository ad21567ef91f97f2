"""Which of several texts continues another, or answers it (Devlin et al. 2018, section 4.4)."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from minibert.config import InputError
from minibert.finetuning.metrics import accuracy
from minibert.finetuning.tasks.base import Baseline, Feature, Task
from minibert.heads import BertForMultipleChoice
from minibert.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class ChoiceExample:
    """A text, its choices, and the right one."""

    text: str
    choices: Sequence[str]  # at least two; their number may differ from example to example
    label: int | None = None  # the number of the right one, from 0; None where it is not known

    def __post_init__(self) -> None:
        is_list = isinstance(self.choices, Collection) and not isinstance(self.choices, str)
        if not is_list or len(self.choices) < 2:
            raise InputError(f"choices must be a list of at least two texts, not {self.choices!r}")
        if self.label is not None and (
            isinstance(self.label, bool) or self.label not in range(len(self.choices))
        ):
            raise InputError(
                f"label must be the number of a choice, 0 to {len(self.choices) - 1}, "
                f"not {self.label!r}"
            )


@dataclass(frozen=True)
class ChoicePrediction:
    """A choice, and how probable each choice is."""

    choice: int  # its number, from 0
    text: str
    probabilities: list[float]  # of all choices; they sum to 1


class MultipleChoice(Task):
    """Which of several choices is right.

    Each goes through the model as [CLS] text [SEP] choice [SEP]; the softmax is over the choices.
    """

    name = "choice"
    model_class = BertForMultipleChoice
    example_class = ChoiceExample
    metrics = ("accuracy",)

    def features(
        self, tokenizer: WordPieceTokenizer, examples: Sequence[ChoiceExample], max_length: int
    ) -> list[Feature]:
        """One feature for each example, with a sequence for each choice.

        Where one is too long, the longer of its two texts is cut first.
        """
        features = []
        for number, example in enumerate(examples):
            encodings = [
                tokenizer.encoding(example.text, choice, max_length) for choice in example.choices
            ]
            labels = {} if example.label is None else {"labels": int(example.label)}
            features.append(
                Feature(
                    number,
                    [encoding.ids for encoding in encodings],
                    [encoding.type_ids for encoding in encodings],
                    labels,
                    cut=any(encoding.overflowing for encoding in encodings),
                )
            )
        return features

    def predict(
        self, examples: Sequence[ChoiceExample], features: Sequence[Feature], rows: Sequence[Tensor]
    ) -> list[ChoicePrediction]:
        """The most probable choice of each example."""
        predictions = []
        for example, row in zip(examples, rows, strict=True):
            probabilities = row[: len(example.choices)].softmax(-1)  # [choices], without padding
            choice = int(probabilities.argmax())
            predictions.append(
                ChoicePrediction(choice, example.choices[choice], probabilities.tolist())
            )
        return predictions

    def score(
        self, examples: Sequence[ChoiceExample], predictions: Sequence[ChoicePrediction]
    ) -> dict[str, float]:
        """Accuracy."""
        found = [prediction.choice for prediction in predictions]
        return {"accuracy": accuracy(found, [example.label for example in examples])}

    def baseline(self, training: Sequence[ChoiceExample]) -> Baseline:
        """The number that was right most often."""
        counts = Counter(example.label for example in training if example.label is not None)
        number = counts.most_common(1)[0][0]

        def predict(example: ChoiceExample) -> ChoicePrediction:
            choice = min(number, len(example.choices) - 1)
            return ChoicePrediction(choice, example.choices[choice], [])

        return f"always choice {number}", predict

    def prediction_lines(
        self, example: ChoiceExample, prediction: ChoicePrediction
    ) -> Iterable[Sequence[str]]:
        """The choice, its probability, the text."""
        probability = prediction.probabilities[prediction.choice]
        yield prediction.text, f"{probability:.3f}", example.text

    def prediction_json(self, prediction: ChoicePrediction) -> dict[str, Any]:
        """The number of the choice, its text, and the probabilities of all."""
        return {
            "choice": prediction.choice,
            "text": prediction.text,
            "probabilities": prediction.probabilities,
        }
