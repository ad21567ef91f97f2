"""What a task is: how its examples become rows of tokens, and how the model's answers become predictions and scores."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from minibert.heads import IGNORE
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class Feature:
    """One row of tokens for the model. Most examples make one; a long passage makes several.

    Where several texts of one example go through the model apart, such as the choices of a question, ids and segments
    are lists of such rows.
    """

    example: int                                        # its number among the examples
    input_ids: list                                     # S token ids, or several times S
    token_type_ids: list                                # S segments, or several times S
    labels: dict = field(default_factory=dict)          # the model's arguments by name: a number, or S of them; empty without labels
    words: list[int | None] = field(default_factory=list)   # S: what a token stands for, as its task says; None = nothing to predict

    @property
    def length(self) -> int:
        """Tokens in the longest row."""
        return max(map(len, self.input_ids)) if isinstance(self.input_ids[0], list) else len(self.input_ids)


class Task:
    """One kind of task; a subclass says how it reads, answers and is scored.

    An example whose labels are None can be predicted, and neither trained on nor scored.
    """

    name: str                       # on the command line
    model_class: type               # what is trained
    metrics: tuple[str, ...]        # what `score` gives; the first one decides which weights are kept, higher is better
    labels: list[str] | None = None     # names of the classes, by their number
    unlabelled: dict = {"label": None}  # the fields of an example whose labels are not known

    def id2label(self) -> dict[int, str] | None:
        """The classes as config.json names them; None where the head has no classes."""
        return None if self.labels is None else dict(enumerate(self.labels))

    def features(self, tokenizer: WordPieceTokenizer, examples: Sequence, max_length: int) -> list[Feature]:
        """The rows of all examples, in their order, none longer than `max_length` tokens."""
        raise NotImplementedError

    def collate(self, features: Sequence[Feature], pad_id: int) -> dict[str, Tensor]:
        """Rows to one batch, padded on the right to the longest.

        -> input_ids, token_type_ids, attention_mask [B, S] or [B, rows, S], and the labels. The second where examples have several rows
        each; a row that an example lacks is padding throughout.
        """
        batch = {"input_ids": _padded([feature.input_ids for feature in features], pad_id),                         # [B, S] or [B, rows, S]
                 "token_type_ids": _padded([feature.token_type_ids for feature in features], 0),                    # [B, S] or [B, rows, S]
                 "attention_mask": _padded([_ones(feature.input_ids) for feature in features], 0)}                  # [B, S] or [B, rows, S]
        for name in features[0].labels:
            values = [feature.labels[name] for feature in features]
            batch[name] = _padded(values, IGNORE) if isinstance(values[0], list) else torch.tensor(values)          # [B, S] or [B]
        return batch

    def rows(self, outputs) -> list[Tensor]:
        """The model's answer to each row of a batch: logits, cut apart; padding may stand at their end."""
        return list(outputs.logits)

    def predict(self, examples: Sequence, features: Sequence[Feature], rows: Sequence[Tensor]) -> list:
        """One prediction for each example from the answers to all its rows (float32, on the CPU)."""
        raise NotImplementedError

    def score(self, examples: Sequence, predictions: Sequence) -> dict[str, float]:
        """How good predictions are: a value for each of `metrics`."""
        raise NotImplementedError

    def prepare(self, examples: Sequence, model: BertPreTrainedModel | None = None) -> None:
        """Learn from the training examples what the task needs to know of them, and make the model ready, before the first step."""

    def finish(self, model: BertPreTrainedModel) -> None:
        """Make the trained model answer in the examples' own terms, after the last step."""


def _padded(rows: Sequence[list], value: int) -> Tensor:
    """Returns [B, S] or [B, rows, S], the second of rows of rows."""
    if not isinstance(rows[0][0], list):
        return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=value)             # [B, S]
    flat = _padded([row for group in rows for row in group], value)                                                 # [all rows, S]
    return pad_sequence(flat.split([len(group) for group in rows]), batch_first=True, padding_value=value)          # [B, rows, S]


def _ones(ids: list) -> list:
    return [_ones(row) if isinstance(row, list) else 1 for row in ids]
