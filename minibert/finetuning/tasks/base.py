"""What a task is: how examples become token sequences, and model outputs become predictions.

To add a task:

1. Write a subclass of `Task` in a module of its own in this folder. `texts.Classification` is a
   short one to copy. Its `model_class` is one of `minibert.heads`. A new head belongs there, in
   `heads/tasks.py`; list it in `PACKAGE_MODELS` of minibert/model.py, so that `from_pretrained`
   knows it, and in `__all__` and the imports of minibert/heads and of minibert.
2. Write its reader, which makes an example of a row of data (`minibert.finetuning.tables.readers`),
   or take an existing one: what reads a text and a class or a number needs no new one.
3. Register both with one call of `register_task`, in `minibert.finetuning.tasks.registry`.

`minibert finetune`, its `--help` and `minibert predict` know the task from then on, and so do
`make_task`, `read_examples` and `open_finetuned`.
"""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from minibert.config import IGNORE
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer

# The name of a baseline, and its prediction for an example.
Baseline = tuple[str, Callable[[Any], Any]]


@dataclass(frozen=True)
class Feature:
    """One token sequence for the model. Most examples make one; a long passage makes several.

    Where the texts of one example go through the model separately, such as the choices of a
    question, ids and segments are lists of such sequences.
    """

    example: int  # its number among the examples
    input_ids: list[Any]  # S token ids, or several lists of them
    token_type_ids: list[Any]  # S segments, or several lists of them
    # The model's label arguments by name: a number, or S of them. Empty without labels.
    labels: dict[str, Any] = field(default_factory=dict)
    # S: what a token stands for, in the task's own terms; None where nothing is predicted.
    words: list[int | None] = field(default_factory=list)
    cut: bool = False  # whether a text of the example was longer and lost its end

    @property
    def length(self) -> int:
        """Tokens in the longest sequence."""
        if isinstance(self.input_ids[0], list):
            return max(map(len, self.input_ids))
        return len(self.input_ids)


class Task:
    """One kind of task; a subclass says how it reads, predicts and scores.

    An example whose labels are None can be predicted, but neither trained on nor scored.
    """

    name: ClassVar[str]  # on the command line, as it is registered
    model_class: ClassVar[type[BertPreTrainedModel]]
    example_class: ClassVar[type]
    # What `score` returns. The first one chooses the best epoch; higher is better.
    metrics: tuple[str, ...]
    labels: list[str] | None = None  # names of the classes, by their number
    has_labels: ClassVar[bool] = False  # whether the task is made with the names of its classes
    settings: ClassVar[tuple[str, ...]] = ()  # the other arguments that it is made with
    # The fields of an example whose labels are not known.
    unlabelled: ClassVar[dict[str, Any]] = {"label": None}

    def id2label(self) -> dict[int, str] | None:
        """The classes as config.json names them; None where the head has no classes."""
        return None if self.labels is None else dict(enumerate(self.labels))

    def features(
        self, tokenizer: WordPieceTokenizer, examples: Sequence[Any], max_length: int
    ) -> Sequence[Feature]:
        """The sequences of all examples, in their order, none longer than `max_length` tokens."""
        raise NotImplementedError

    def limit(self, max_length: int) -> str:
        """How much of an example is read, for messages."""
        return f"{max_length} tokens"

    def collate(self, features: Sequence[Feature], pad_id: int) -> dict[str, Tensor]:
        """One batch, padded on the right to the longest sequence.

        Returns input_ids, token_type_ids, attention_mask [B, S], or [B, sequences, S] where every
        example has several sequences, and the labels. A sequence that an example lacks is all
        padding.
        """
        ids = [feature.input_ids for feature in features]
        batch = {
            "input_ids": _padded(ids, pad_id),
            "token_type_ids": _padded([feature.token_type_ids for feature in features], 0),
            "attention_mask": _padded([_ones(row) for row in ids], 0),
        }
        for name in features[0].labels:
            values = [feature.labels[name] for feature in features]
            several = isinstance(values[0], list)
            batch[name] = _padded(values, IGNORE) if several else torch.tensor(values)
        return batch

    def rows(self, outputs: Any) -> list[Tensor]:
        """The model's logits for each sequence of a batch; padding may be left at their end."""
        return list(outputs.logits)

    def predict(
        self, examples: Sequence[Any], features: Sequence[Any], rows: Sequence[Tensor]
    ) -> list[Any]:
        """One prediction for each example, from the logits of its sequences (float32, CPU)."""
        raise NotImplementedError

    def score(self, examples: Sequence[Any], predictions: Sequence[Any]) -> dict[str, float]:
        """How good predictions are: a value for each of `metrics`."""
        raise NotImplementedError

    def baseline(self, training: Sequence[Any]) -> Baseline:
        """Predictions from the training labels alone: what a model has to beat.

        Returns the name of the baseline, such as "always 'pos'", and its prediction for an example.
        """
        raise NotImplementedError

    def prepare(self, examples: Sequence[Any], model: BertPreTrainedModel | None = None) -> None:
        """Before the first step: read what is needed from the training examples."""

    def finish(self, model: BertPreTrainedModel) -> None:
        """After the last step: make the trained model answer in the examples' own units."""

    def prediction_lines(self, example: Any, prediction: Any) -> Iterable[Sequence[str]]:
        """What `minibert predict` prints of a prediction: the fields of each line."""
        yield [*map(str, dataclasses.asdict(prediction).values()), *texts_of(example)]

    def prediction_json(self, prediction: Any) -> dict[str, Any]:
        """What `minibert predict --json` prints of a prediction."""
        return dataclasses.asdict(prediction)


def texts_of(example: Any) -> list[str]:
    """The text of an example, or the two of a pair."""
    pair = getattr(example, "pair", None)
    return [example.text] if pair is None else [example.text, pair]


def by_probability(probabilities: dict[str, float]) -> list[tuple[str, float]]:
    """Classes with their probabilities, the most probable first."""
    return sorted(probabilities.items(), key=lambda pair: -pair[1])


def _padded(rows: Sequence[list[Any]], value: int) -> Tensor:
    """Returns [B, S]; or [B, sequences, S] for lists of sequences."""
    if not isinstance(rows[0][0], list):
        tensors = [torch.tensor(row) for row in rows]
        return pad_sequence(tensors, batch_first=True, padding_value=value)  # [B, S]
    flat = _padded([row for group in rows for row in group], value)  # [all rows, S]
    groups = list(torch.split(flat, [len(group) for group in rows]))
    return pad_sequence(groups, batch_first=True, padding_value=value)  # [B, rows, S]


def _ones(ids: list[Any]) -> list[Any]:
    return [_ones(row) if isinstance(row, list) else 1 for row in ids]
