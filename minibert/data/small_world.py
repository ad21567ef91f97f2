"""A small world: short stories of our own, made so that the lowest loss that any model can reach in it is known.

Every story tells one of eight tales, and no sentence says which: a tale has its hero, its place, its things. Sentences come
from six templates, one after the other; every word depends on the tale, or on its place in the template alone. That is a
hidden Markov model. Whoever has its tables can compute, by the forward-backward algorithm (Rabiner 1989, section III), the
exact probability of each hidden word and of "B follows A", given nothing but the corrupted text. This predictor is
Bayes-optimal: its loss is the floor, for models of whatever size.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from minibert.data.masking import IGNORE
from minibert.tokenization import SPECIAL_TOKENS, WordPieceTokenizer

PAD, UNK, CLS, SEP, MASK = range(len(SPECIAL_TOKENS))
CHUNK = 64          # rows whose probabilities are computed at once

# The tales. Where a cell has several words, they stand from frequent to rare.
TALES = """
name  | pronoun | possessive | friend  | place   | look        | thing             | did
anna  | she     | her        | sister  | river   | deep cold   | boat fish bridge  | swam rowed fished
ben   | he      | his        | dog     | forest  | dark green  | owl branch nest   | climbed camped hid
clara | she     | her        | horse   | castle  | high grey   | crown sword lamp  | danced feasted rode
david | he      | his        | uncle   | market  | loud full   | apple basket cake | traded shopped cooked
emma  | she     | her        | mother  | garden  | warm sweet  | rose bee pear     | planted dug watered
frank | he      | his        | cousin  | harbour | windy wide  | ship rope net     | sailed loaded waited
grace | she     | her        | teacher | school  | bright tidy | book pen map      | read wrote counted
henry | he      | his        | brother | farm    | quiet sunny | cow egg cart      | sowed mowed slept
"""

# The same in all tales.
CHOICES = {"went": "went ran came walked", "found": "found saw kept lost", "size": "small big new red",
           "time": "morning day evening night", "glad": "glad happy", "laughed": "laughed sang smiled",
           "tired": "tired sleepy", "rested": "rested yawned dreamed"}

TEMPLATES = ("{name} {went} to the {place} .",
             "the {place} was {look} that {time} .",
             "{pronoun} {found} a {size} {thing} .",
             "{pronoun} {did} with {possessive} {friend} .",
             "{name} was {glad} and {laughed} .",
             "{name} was {tired} and {rested} .")

# The odds that a sentence's template stands 0, 1, 2, … places behind that of the sentence before, round and round.
ODDS = (0, 4, 3, 2, 1, 1)


@dataclass(frozen=True)
class Floor:
    """The Bayes-optimal predictor's score on some rows: none is better, but for the luck of the sample."""

    word_loss: float            # nats per predicted word
    pair_loss: float            # nats per pair
    word_accuracy: float        # share of the predicted words
    pair_accuracy: float        # share of the pairs


class SmallWorld:
    """Stories, rows of sentence pairs made of them, and the exact probabilities of what is hidden in a row.

    All tales are equally likely. A story's first template is drawn from the stationary distribution of their chain, so that
    a story looks the same wherever it is entered. A row is [CLS] A [SEP] B [SEP] with `sentences` sentences in A and as
    many in B. `seed` decides which stories there are; the world itself is the same for every seed.

    Errors: a ValueError for tables that do not fit each other.
    """

    def __init__(self, seed: int = 0, sentences: int = 2, templates: Sequence[str] = TEMPLATES,
                 odds: Sequence[float] = ODDS, tales: str = TALES, choices: dict[str, str] = CHOICES):
        if sentences < 1:
            raise ValueError(f"sentences must be at least 1, not {sentences}")
        if len(odds) != len(templates) or min(odds) < 0 or sum(odds) <= 0:
            raise ValueError(f"odds must hold one number of at least 0 for each of {len(templates)} templates, not {list(odds)}")
        self.seed, self.sentences = seed, sentences
        slots = _columns(tales) | {slot: [words.split()] for slot, words in choices.items()}
        places = [word for template in templates for word in template.split()]                     # N of them: the chain's states
        words = [_words_at(place, slots) for place in places]
        found = dict.fromkeys(word for cells in words for cell in cells for word in cell)
        self.vocab = {token: index for index, token in enumerate([*SPECIAL_TOKENS, *found])}
        size = max(map(len, slots.values()), default=1)                                            # Z
        self.emission = np.zeros((size, len(places), len(self.vocab)))                             # [Z, N, V], P(word | tale, place)
        for state, cells in enumerate(words):
            for tale in range(size):
                cell = cells[tale % len(cells)]
                frequent_first = np.arange(len(cell), 0, -1)
                self.emission[tale, state, [self.vocab[word] for word in cell]] = frequent_first / frequent_first.sum()
        self.sums = self.emission.cumsum(-1)                                                       # [Z, N, V], to draw words by
        self.template_length = np.array([len(template.split()) for template in templates])         # [K]
        self.first = np.cumsum(self.template_length) - self.template_length                        # [K], places that open a sentence
        self.last = self.first + self.template_length - 1                                          # [K], places that close one
        self.follows = np.stack([np.roll(odds, k) for k in range(len(odds))]) / sum(odds)          # [K, K], P(template | the one before)
        self.start = np.full(len(odds), 1 / len(odds))                                             # [K], stationary, as columns sum to 1 too
        self.length = 3 + 2 * sentences * int(self.template_length.max())                          # S of a row, padding included

    # -- stories and rows --------------------------------------------------------------------------------------

    def tokenizer(self) -> WordPieceTokenizer:
        """The tokenizer of this world: each of its words is one token."""
        return WordPieceTokenizer(self.vocab)

    def documents(self, count: int, sentences: int = 6) -> list[list[str]]:
        """`count` stories, each a list of sentences."""
        token = list(self.vocab)
        stories = self._stories(np.random.default_rng([self.seed, 1]), count, sentences)
        return [[" ".join(token[word] for word in sentence if word != PAD) for sentence in story] for story in stories]

    def batch(self, first_row: int, size: int) -> dict[str, Tensor]:
        """Rows first_row … first_row + size - 1: a pure function of the seed and these numbers.

        -> int64 input_ids, token_type_ids [size, S], boolean attention_mask [size, S], int64 next_sentence_label [size]
        (0 = B goes on where A ends, 1 = B is from another story), as `PairRows.batch`. Padding stands on the right.
        """
        draw = np.random.default_rng([self.seed, 0, first_row, size])
        story = self._stories(draw, size, 2 * self.sentences)                                      # [B, 2 · m, T]
        other = self._stories(draw, size, self.sentences)                                          # [B, m, T]
        is_random = draw.random(size) < 0.5                                                        # [B]
        own, after = np.split(story, 2, axis=1)                                                    # [B, m, T] each
        after = np.where(is_random[:, None, None], other, after)                                   # [B, m, T]
        edge = np.ones((size, 1), np.int64)                                                        # [B, 1]
        wide = np.hstack([CLS * edge, own.reshape(size, -1), SEP * edge, after.reshape(size, -1), SEP * edge])      # [B, S], with gaps
        order = np.argsort(wide == PAD, axis=1, kind="stable")                                     # [B, S], gaps behind the rest
        ids = np.take_along_axis(wide, order, axis=1)                                              # [B, S]
        second = (ids != PAD) & (order > own[0].size + 1)                                          # [B, S]
        return {"input_ids": torch.from_numpy(ids), "token_type_ids": torch.from_numpy(second.astype(np.int64)),
                "attention_mask": torch.from_numpy(ids != PAD), "next_sentence_label": torch.from_numpy(is_random.astype(np.int64))}

    def _stories(self, draw: np.random.Generator, count: int, sentences: int) -> np.ndarray:
        """Word ids [count, sentences, T], T the longest template; 0 behind a sentence's end."""
        tale = draw.integers(len(self.emission), size=(count, 1, 1))                               # [B, 1, 1]
        template = np.empty((count, sentences), np.int64)                                          # [B, m]
        for number in range(sentences):
            chances = self.follows[template[:, number - 1]] if number else np.tile(self.start, (count, 1))     # [B, K]
            template[:, number] = _choose(draw, chances.cumsum(-1))
        offset = np.arange(self.template_length.max())                                             # [T]
        inside = offset < self.template_length[template][..., None]                                # [B, m, T]
        place = np.where(inside, self.first[template][..., None] + offset, 0)                      # [B, m, T]
        return np.where(inside, _choose(draw, self.sums[tale, place]), PAD)                    # [B, m, T]

    # -- what is hidden ----------------------------------------------------------------------------------------

    def posteriors(self, input_ids: Tensor, rate: float = 0.15, replace: tuple[float, float] = (0.8, 0.1)) -> tuple[Tensor, Tensor]:
        """The exact probabilities of the hidden words and of "B follows A", given input_ids [B, S] that `mask_tokens` corrupted.

        -> words [B, S, V], P(true word at i | corrupted row, i was chosen), and pairs [B, 2], P(next_sentence_label | corrupted row). Which of the visible words were chosen, and which
        of those were replaced, nobody can see: that is summed over. That i itself was chosen is given, because the loss
        counts chosen positions only: a model does best to answer everywhere as if it were asked. A special token is
        itself with probability 1, and so is a word that cannot have been chosen (a visible one where all become [MASK]).

        `rate` and `replace` are what `mask_tokens` was given. Errors: a ValueError for a row that cannot come about so.
        """
        if input_ids.dim() != 2 or input_ids.numel() == 0 or ((input_ids == SEP).sum(1) != 2).any() or (input_ids[:, 0] != CLS).any():
            raise ValueError(f"input_ids must be rows [CLS] A [SEP] B [SEP] of this world, not of shape {list(input_ids.shape)} "
                             "with other special tokens")
        chosen, visible = self._channels(rate, replace)                                            # [V, V], [V, V]
        likelihood = np.einsum("cv,znv->czn", visible, self.emission)                              # [V, Z, N], P(seen | tale, place)
        rows = input_ids.cpu().numpy()                                                             # [B, S]
        parts = [self._posteriors(rows[first:first + CHUNK], chosen, likelihood) for first in range(0, len(rows), CHUNK)]
        words, pairs = (torch.from_numpy(np.concatenate(part)) for part in zip(*parts))            # [B, S, V], [B, 2]
        if (impossible := pairs.isnan().any(1)).any():
            raise ValueError(f"input_ids: row {int(impossible.nonzero()[0])} cannot come from this world with sentences={self.sentences}, "
                             f"rate={rate}, replace={replace}")
        return words, pairs

    def floor(self, input_ids: Tensor, labels: Tensor, next_sentence_label: Tensor, rate: float = 0.15,
              replace: tuple[float, float] = (0.8, 0.1)) -> Floor:
        """What the Bayes-optimal predictor scores on corrupted input_ids [B, S] with their labels [B, S] and next_sentence_label [B]."""
        words, pairs = self.posteriors(input_ids, rate, replace)
        counted = labels != IGNORE                                                                 # [B, S]
        (word_loss, word_accuracy), (pair_loss, pair_accuracy) = (
            _score(words[counted], labels[counted]), _score(pairs, next_sentence_label))
        return Floor(word_loss, pair_loss, word_accuracy, pair_accuracy)

    def _channels(self, rate: float, replace: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
        """P(seen | true word) where a word was chosen, and where nobody knows whether it was -> [V, V] each, seen by true."""
        masked, random = replace
        ordinary = np.arange(len(self.vocab)) >= len(SPECIAL_TOKENS)                               # [V]
        chosen = np.diag((1 - masked - random) * ordinary)                                         # [V, V]
        chosen += random * np.outer(ordinary, ordinary) / ordinary.sum()
        chosen[MASK] = masked * ordinary
        return chosen, rate * chosen + (1 - rate) * np.diag(ordinary)

    def _posteriors(self, rows: np.ndarray, chosen: np.ndarray, likelihood: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`posteriors` of a few rows [B, S].

        Two chains, A's and B's. Given the tale and the templates at the border, they know nothing of each other; what
        each tells the other is a table of tales by templates for either label, and the two tables are added.
        """
        ends = np.argsort(rows != SEP, axis=1, kind="stable")[:, :2].T                             # [2, B], where [SEP] stands
        begins = np.stack([np.ones_like(ends[0]), ends[0] + 1])                                    # [2, B]
        lengths = ends - begins                                                                    # [2, B], of A and of B
        inside = np.arange(lengths.max()) < lengths[..., None]                                     # [2, B, T]
        places = np.where(inside, begins[..., None] + np.arange(lengths.max()), 0)                 # [2, B, T]
        texts = rows[np.arange(len(rows))[:, None], places]                                        # [2, B, T], both from 0 on
        a, b = likelihood[texts]                                                                   # [B, T, Z, N] each
        opening = np.ones((len(rows), len(self.emission), 1)) / len(self.emission) * self.start    # [B, Z, K], P(tale, first template)

        before_a, end_a = self._forward(a, lengths[0], opening)                                    # [B, T, Z, m, N], [B, Z, K]: P(A, tale, last template)
        after_b, begin_b = self._backward(b, lengths[1], np.ones_like(opening))                    # [B, T, Z, m, N], [B, Z, K]: P(B | tale, first template)
        alone_a, alone_b = end_a.sum((1, 2)), (opening * begin_b).sum((1, 2))                      # [B], P(A) and P(B)
        linked = (end_a @ self.follows * begin_b).sum((1, 2))                                      # [B], P(A, B | B follows A)
        pairs = np.stack([linked, alone_a * alone_b], axis=1)                                      # [B, 2]
        after_a, _ = self._backward(a, lengths[0], begin_b @ self.follows.T + alone_b[:, None, None])
        before_b, _ = self._forward(b, lengths[1], end_a @ self.follows + alone_a[:, None, None] * opening)

        words = np.zeros((*rows.shape, len(self.vocab)))                                           # [B, S, V]
        for text, before, after in ((0, before_a, after_a), (1, before_b, after_b)):
            state = np.einsum("btzmn,btzmn->btzn", before, after)                                  # [B, T, Z, N], all but the own word
            found = np.tensordot(state, self.emission, 2) * chosen[texts[text]]                    # [B, T, V]
            words[np.nonzero(inside[text])[0], places[text][inside[text]]] = found[inside[text]]
        certain = words.sum(-1) == 0                                                               # [B, S], special or never chosen
        words[certain] = np.eye(len(self.vocab))[rows[certain]]
        with np.errstate(invalid="ignore"):                     # 0 / 0 where a row is impossible
            return words / words.sum(-1, keepdims=True), pairs / pairs.sum(-1, keepdims=True)

    def _forward(self, seen: np.ndarray, length: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P(words before i, tale, place at i) for a text that begins with `start` [B, Z, K], and P(whole text, tale, last template).

        `seen` [B, T, Z, N] holds P(word seen at i | tale, place). Returns [B, T, Z, m, N], m counting the sentences, and [B, Z, K].
        """
        before = np.zeros((*seen.shape[:3], self.sentences, seen.shape[3]))                        # [B, T, Z, m, N]
        before[:, 0, :, 0][..., self.first] = start
        end = np.zeros_like(start)                                                                 # [B, Z, K]
        for i in range(seen.shape[1]):
            now = before[:, i] * seen[:, i, :, None]                                               # [B, Z, m, N], with the word at i
            closed = now[..., self.last]                                                           # [B, Z, m, K]
            end[length == i + 1] = closed[length == i + 1, :, -1]
            if i + 1 < seen.shape[1]:
                before[:, i + 1, ..., 1:] = now[..., :-1]
                before[:, i + 1][..., self.first] = 0
                before[:, i + 1, :, 1:][..., self.first] = closed[:, :, :-1] @ self.follows
        return before, end

    def _backward(self, seen: np.ndarray, length: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P(words after i, what follows the text | tale, place at i), and P(whole text, what follows | tale, first template).

        `end` [B, Z, K] is P(what follows | tale, last template). Returns [B, T, Z, m, N] and [B, Z, K], as `_forward`.
        """
        after = np.zeros((*seen.shape[:3], self.sentences, seen.shape[3]))                         # [B, T, Z, m, N]
        for i in reversed(range(seen.shape[1])):
            if i + 1 < seen.shape[1]:
                now = after[:, i + 1] * seen[:, i + 1, :, None]                                    # [B, Z, m, N], with the word at i + 1
                after[:, i, ..., :-1] = now[..., 1:]
                after[:, i][..., self.last] = 0
                after[:, i, :, :-1][..., self.last] = now[:, :, 1:, self.first] @ self.follows.T
            closing = np.zeros((*end.shape[:2], seen.shape[3]))                                    # [B, Z, N]
            closing[..., self.last] = end
            after[length == i + 1, i, :, -1] = closing[length == i + 1]
        return after, (after[:, 0] * seen[:, 0, :, None])[:, :, 0, self.first]


def _columns(table: str) -> dict[str, list[list[str]]]:
    """The tales' table as {column: the words of each tale}."""
    header, *rows = [[cell.split() for cell in line.split("|")] for line in table.strip().splitlines()]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header) or not all(row):
            raise ValueError(f"tales: row {number} must have words in {len(header)} columns, not in {sum(map(bool, row))}")
    return {name: [row[column] for row in rows] for column, (name,) in enumerate(header)}


def _words_at(place: str, slots: dict[str, list[list[str]]]) -> list[list[str]]:
    """What may stand at a place of a template: words for each tale, or the same for all."""
    if not place.startswith("{"):
        return [[place]]
    if place[1:-1] not in slots:
        raise ValueError(f"templates: {place} must be one of {', '.join(slots)}")
    return slots[place[1:-1]]


def _choose(draw: np.random.Generator, sums: np.ndarray) -> np.ndarray:
    """One index per distribution, given as running sums [..., n], by where a random number falls among them: [...]."""
    return (draw.random(sums.shape[:-1])[..., None] * sums[..., -1:] >= sums).sum(-1)              # [...]


def _score(probabilities: Tensor, labels: Tensor) -> tuple[float, float]:
    """Mean cross-entropy and accuracy of probabilities [M, classes] against labels [M]."""
    right = probabilities.gather(1, labels[:, None])                                               # [M, 1]
    return float(-right.log().mean()), float((probabilities.argmax(1) == labels).double().mean())
