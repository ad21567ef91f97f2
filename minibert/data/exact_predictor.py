"""The Bayes-optimal predictor of a small world: exact probabilities of the masked words and pairs.

It uses the forward-backward algorithm (Rabiner 1989, section III). The world itself is in
`minibert.data.small_world`.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from minibert.config import IGNORE, InputError
from minibert.hub.tokenizer_files import SPECIAL_TOKENS

PAD, UNK, CLS, SEP, MASK = range(len(SPECIAL_TOKENS))
CHUNK = 64  # sequences whose probabilities are computed at once


@dataclass(frozen=True)
class Floor:
    """The Bayes-optimal predictor's score on some sequences. No model is better in expectation,
    though one may be by chance on a finite sample."""

    mlm_loss: float  # nats per predicted token
    nsp_loss: float  # nats per pair
    mlm_accuracy: float  # share of the predicted tokens
    nsp_accuracy: float  # share of the pairs


class ExactPredictor:
    """What a `SmallWorld` computes from its tables: `posteriors` and, from them, `floor`.

    Z tales, N positions in the templates, K templates, V words, m sentences in A and as many in B:

    emission  (Z × N × V), P(word | tale, position)
    first     (K), the positions that open a template; last (K), those that close one
    follows   (K × K), P(template | previous template)
    start     (K), P(first template)
    """

    sentences: int
    vocab: dict[str, int]
    emission: np.ndarray
    first: np.ndarray
    last: np.ndarray
    follows: np.ndarray
    start: np.ndarray

    def posteriors(
        self, input_ids: Tensor, rate: float = 0.15, replace: tuple[float, float] = (0.8, 0.1)
    ) -> tuple[Tensor, Tensor]:
        """The exact probabilities of the true words and of "B follows A", given input_ids [B, S]
        that `mask_tokens` corrupted.

        -> words [B, S, V], P(true word at i | corrupted text, i was chosen), and pairs [B, 2],
        P(next_sentence_label | corrupted text). It is unknown which of the visible words were
        chosen, and which of those were replaced, so the probabilities are summed over both cases.
        They are conditioned on i being chosen, because only chosen positions count in the loss: the
        best strategy for a model is to answer at every position as if it were chosen. A special
        token has probability 1 for itself, and so has a word that cannot have been chosen (a
        visible one if every chosen word becomes [MASK]).

        `rate` and `replace` are the arguments of `mask_tokens`. Raises a ValueError for a sequence
        that has probability 0 in this world.
        """
        if (
            input_ids.dim() != 2
            or input_ids.numel() == 0
            or ((input_ids == SEP).sum(1) != 2).any()
            or (input_ids[:, 0] != CLS).any()
        ):
            raise InputError(
                "input_ids must be sequences [CLS] A [SEP] B [SEP], one per row, with [CLS] first "
                f"and two [SEP]; its shape is {list(input_ids.shape)}"
            )
        chosen, visible = self._channels(rate, replace)  # [V, V], [V, V]
        likelihood = np.einsum(
            "cv,znv->czn", visible, self.emission
        )  # [V, Z, N], P(seen | tale, position)
        rows = input_ids.cpu().numpy()  # [B, S]
        parts = [
            self._posteriors(rows[first : first + CHUNK], chosen, likelihood)
            for first in range(0, len(rows), CHUNK)
        ]
        words, pairs = (
            torch.from_numpy(np.concatenate(part)) for part in zip(*parts, strict=True)
        )  # [B, S, V], [B, 2]
        if (impossible := pairs.isnan().any(1)).any():
            raise InputError(
                f"input_ids: row {int(impossible.nonzero()[0])} cannot come from this world with "
                f"sentences={self.sentences}, "
                f"rate={rate}, replace={replace}"
            )
        return words, pairs

    def floor(
        self,
        input_ids: Tensor,
        labels: Tensor,
        next_sentence_label: Tensor,
        rate: float = 0.15,
        replace: tuple[float, float] = (0.8, 0.1),
    ) -> Floor:
        """The score of the Bayes-optimal predictor on corrupted input_ids [B, S] with their labels
        (B × S) and next_sentence_label (B)."""
        words, pairs = self.posteriors(input_ids, rate, replace)
        counted = labels != IGNORE  # [B, S]
        (mlm_loss, mlm_accuracy), (nsp_loss, nsp_accuracy) = (
            _score(words[counted], labels[counted]),
            _score(pairs, next_sentence_label),
        )
        return Floor(mlm_loss, nsp_loss, mlm_accuracy, nsp_accuracy)

    def _channels(self, rate: float, replace: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
        """P(seen | true word) for a chosen word, and for one that may or may not be chosen -> [V,
        V] each, seen by true."""
        masked, random = replace
        ordinary = np.arange(len(self.vocab)) >= len(SPECIAL_TOKENS)  # [V]
        chosen = np.diag((1 - masked - random) * ordinary)  # [V, V]
        chosen += random * np.outer(ordinary, ordinary) / ordinary.sum()
        chosen[MASK] = masked * ordinary
        return chosen, rate * chosen + (1 - rate) * np.diag(ordinary)

    def _posteriors(
        self, rows: np.ndarray, chosen: np.ndarray, likelihood: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """`posteriors` of a few rows [B, S].

        A and B are two chains, which are conditionally independent given the tale and the templates
        at their border. Each chain therefore sends the other one message, a table of tales by
        templates. There is one table for each NSP label, and the two are added.
        """
        ends = np.argsort(rows != SEP, axis=1, kind="stable")[:, :2].T  # [2, B], where [SEP] is
        begins = np.stack([np.ones_like(ends[0]), ends[0] + 1])  # [2, B]
        lengths = ends - begins  # [2, B], of A and of B
        inside = np.arange(lengths.max()) < lengths[..., None]  # [2, B, T]
        places = np.where(inside, begins[..., None] + np.arange(lengths.max()), 0)  # [2, B, T]
        texts = rows[np.arange(len(rows))[:, None], places]  # [2, B, T], both start at 0
        a, b = likelihood[texts]  # [B, T, Z, N] each
        opening = (
            np.ones((len(rows), len(self.emission), 1)) / len(self.emission) * self.start
        )  # [B, Z, K], P(tale, first template)

        before_a, end_a = self._forward(
            a, lengths[0], opening
        )  # [B, T, Z, m, N], [B, Z, K]: P(A, tale, last template)
        after_b, begin_b = self._backward(
            b, lengths[1], np.ones_like(opening)
        )  # [B, T, Z, m, N], [B, Z, K]: P(B | tale, first template)
        alone_a, alone_b = end_a.sum((1, 2)), (opening * begin_b).sum((1, 2))  # [B], P(A) and P(B)
        linked = (end_a @ self.follows * begin_b).sum((1, 2))  # [B], P(A, B | B follows A)
        pairs = np.stack([linked, alone_a * alone_b], axis=1)  # [B, 2]
        after_a, _ = self._backward(
            a, lengths[0], begin_b @ self.follows.T + alone_b[:, None, None]
        )
        before_b, _ = self._forward(
            b, lengths[1], end_a @ self.follows + alone_a[:, None, None] * opening
        )

        words = np.zeros((*rows.shape, len(self.vocab)))  # [B, S, V]
        for text, before, after in ((0, before_a, after_a), (1, before_b, after_b)):
            state = np.einsum(
                "btzmn,btzmn->btzn", before, after
            )  # [B, T, Z, N], without the word at i
            found = np.tensordot(state, self.emission, 2) * chosen[texts[text]]  # [B, T, V]
            words[np.nonzero(inside[text])[0], places[text][inside[text]]] = found[inside[text]]
        certain = words.sum(-1) == 0  # [B, S], special or never chosen
        words[certain] = np.eye(len(self.vocab))[rows[certain]]
        with np.errstate(invalid="ignore"):  # 0 / 0 for an impossible sequence
            return words / words.sum(-1, keepdims=True), pairs / pairs.sum(-1, keepdims=True)

    def _forward(
        self, seen: np.ndarray, length: np.ndarray, start: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """P(words before i, tale, state at i) for a text that begins with `start` [B, Z, K], and
        P(whole text, tale, last template).

        `seen` [B, T, Z, N] holds P(word seen at i | tale, state). Returns [B, T, Z, m, N], m
        counting the sentences, and [B, Z, K].
        """
        before = np.zeros((*seen.shape[:3], self.sentences, seen.shape[3]))  # [B, T, Z, m, N]
        before[:, 0, :, 0][..., self.first] = start
        end = np.zeros_like(start)  # [B, Z, K]
        for i in range(seen.shape[1]):
            now = before[:, i] * seen[:, i, :, None]  # [B, Z, m, N], with the word at i
            closed = now[..., self.last]  # [B, Z, m, K]
            end[length == i + 1] = closed[length == i + 1, :, -1]
            if i + 1 < seen.shape[1]:
                before[:, i + 1, ..., 1:] = now[..., :-1]
                before[:, i + 1][..., self.first] = 0
                before[:, i + 1, :, 1:][..., self.first] = closed[:, :, :-1] @ self.follows
        return before, end

    def _backward(
        self, seen: np.ndarray, length: np.ndarray, end: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """P(words after i, what follows the text | tale, state at i), and P(whole text, what
        follows | tale, first template).

        `end` [B, Z, K] is P(what follows | tale, last template). Returns [B, T, Z, m, N] and [B, Z,
        K], as `_forward` does.
        """
        after = np.zeros((*seen.shape[:3], self.sentences, seen.shape[3]))  # [B, T, Z, m, N]
        for i in reversed(range(seen.shape[1])):
            if i + 1 < seen.shape[1]:
                now = (
                    after[:, i + 1] * seen[:, i + 1, :, None]
                )  # [B, Z, m, N], with the word at i + 1
                after[:, i, ..., :-1] = now[..., 1:]
                after[:, i][..., self.last] = 0
                after[:, i, :, :-1][..., self.last] = now[:, :, 1:, self.first] @ self.follows.T
            closing = np.zeros((*end.shape[:2], seen.shape[3]))  # [B, Z, N]
            closing[..., self.last] = end
            after[length == i + 1, i, :, -1] = closing[length == i + 1]
        return after, (after[:, 0] * seen[:, 0, :, None])[:, :, 0, self.first]


def _score(probabilities: Tensor, labels: Tensor) -> tuple[float, float]:
    """Mean cross-entropy and accuracy of probabilities [M, classes] against labels [M]."""
    right = probabilities.gather(1, labels[:, None])  # [M, 1]
    return float(-right.log().mean()), float((probabilities.argmax(1) == labels).double().mean())
