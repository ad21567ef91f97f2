"""A small world: generated short stories for which the lowest loss that any model can reach is
known.

Every story follows one of eight tales, and no sentence names the tale: each tale has its own hero,
place and things. Each sentence is drawn from one of six templates. A word depends either on the
tale and its position in the template, or on that position only. The stories are therefore a hidden
Markov model. From its tables, the forward-backward algorithm (Rabiner 1989, section III) computes
the exact probability of each masked word and of "B follows A", given only the corrupted text. This
predictor is Bayes-optimal: its loss is the lower bound for models of any size.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from minibert.config import InputError
from minibert.data.exact_predictor import CLS, PAD, SEP, ExactPredictor
from minibert.hub.tokenizer_files import SPECIAL_TOKENS
from minibert.tokenization import WordPieceTokenizer

# The tales. Several words in one cell are ordered from frequent to rare.
TALES = """
name |pronoun|possessive|friend |place  |look       |thing            |did
anna |she    |her       |sister |river  |deep cold  |boat fish bridge |swam rowed fished
ben  |he     |his       |dog    |forest |dark green |owl branch nest  |climbed camped hid
clara|she    |her       |horse  |castle |high grey  |crown sword lamp |danced feasted rode
david|he     |his       |uncle  |market |loud full  |apple basket cake|traded shopped cooked
emma |she    |her       |mother |garden |warm sweet |rose bee pear    |planted dug watered
frank|he     |his       |cousin |harbour|windy wide |ship rope net    |sailed loaded waited
grace|she    |her       |teacher|school |bright tidy|book pen map     |read wrote counted
henry|he     |his       |brother|farm   |quiet sunny|cow egg cart     |sowed mowed slept
"""

# Words that are the same in all tales.
CHOICES = {
    "went": "went ran came walked",
    "found": "found saw kept lost",
    "size": "small big new red",
    "time": "morning day evening night",
    "glad": "glad happy",
    "laughed": "laughed sang smiled",
    "tired": "tired sleepy",
    "rested": "rested yawned dreamed",
}

TEMPLATES = (
    "{name} {went} to the {place} .",
    "the {place} was {look} that {time} .",
    "{pronoun} {found} a {size} {thing} .",
    "{pronoun} {did} with {possessive} {friend} .",
    "{name} was {glad} and {laughed} .",
    "{name} was {tired} and {rested} .",
)

# The odds that a sentence's template comes 0, 1, 2, … positions after the template of the previous
# sentence, cyclically.
ODDS = (0, 4, 3, 2, 1, 1)


class SmallWorld(ExactPredictor):
    """Stories, sequences of sentence pairs from them, and the exact probabilities of the masked
    words and of the NSP label.

    All tales are equally likely. A story's first template is drawn from the stationary distribution
    of the templates' Markov chain, so the statistics are the same at every point of a story. A
    sequence is [CLS] A [SEP] B [SEP] with `sentences` sentences in A and as many in B. `seed`
    determines which stories are drawn; the world itself is the same for every seed.

    Raises a ValueError for inconsistent tables.
    """

    def __init__(
        self,
        seed: int = 0,
        sentences: int = 2,
        templates: Sequence[str] = TEMPLATES,
        odds: Sequence[float] = ODDS,
        tales: str = TALES,
        choices: dict[str, str] = CHOICES,
    ):
        if sentences < 1:
            raise InputError(f"sentences must be at least 1, not {sentences}")
        if len(odds) != len(templates) or min(odds) < 0 or sum(odds) <= 0:
            raise InputError(
                f"odds must hold one number of at least 0 for each of {len(templates)} "
                f"templates, not {list(odds)}"
            )
        self.seed, self.sentences = seed, sentences
        slots = _columns(tales) | {slot: [words.split()] for slot, words in choices.items()}
        places = [
            word for template in templates for word in template.split()
        ]  # N of them: the states of the chain
        words = [_words_at(place, slots) for place in places]
        found = dict.fromkeys(word for cells in words for cell in cells for word in cell)
        self.vocab = {token: index for index, token in enumerate([*SPECIAL_TOKENS, *found])}
        size = max(map(len, slots.values()), default=1)  # Z
        self.emission = np.zeros(
            (size, len(places), len(self.vocab))
        )  # [Z, N, V], P(word | tale, position)
        for state, cells in enumerate(words):
            for tale in range(size):
                cell = cells[tale % len(cells)]
                frequent_first = np.arange(len(cell), 0, -1)
                self.emission[tale, state, [self.vocab[word] for word in cell]] = (
                    frequent_first / frequent_first.sum()
                )
        self.sums = self.emission.cumsum(-1)  # [Z, N, V], for drawing words
        self.template_length = np.array([len(template.split()) for template in templates])  # [K]
        self.first = (
            np.cumsum(self.template_length) - self.template_length
        )  # [K], positions that open a sentence
        self.last = self.first + self.template_length - 1  # [K], positions that close one
        self.follows = np.stack([np.roll(odds, k) for k in range(len(odds))]) / sum(
            odds
        )  # [K, K], P(template | previous template)
        self.start = np.full(len(odds), 1 / len(odds))  # [K], stationary, as columns sum to 1 too
        self.length = 3 + 2 * sentences * int(
            self.template_length.max()
        )  # S of a sequence, padding included

    # -- stories and sequences ---------------------------------------------------------

    def tokenizer(self) -> WordPieceTokenizer:
        """The tokenizer of this world: each of its words is one token."""
        return WordPieceTokenizer(self.vocab)

    def documents(self, count: int, sentences: int = 6) -> list[list[str]]:
        """`count` stories, each a list of sentences."""
        token = list(self.vocab)
        stories = self._stories(np.random.default_rng([self.seed, 1]), count, sentences)
        return [
            [" ".join(token[word] for word in sentence if word != PAD) for sentence in story]
            for story in stories
        ]

    def batch(self, first_row: int, size: int) -> dict[str, Tensor]:
        """Sequences first_row … first_row + size - 1, a pure function of `seed` and the numbers.

        -> int64 input_ids, token_type_ids [size, S], boolean attention_mask [size, S], int64
        next_sentence_label [size] (0 = B continues A, 1 = B is from another story), as in
        `PairSequences.batch`. Padding is on the right.
        """
        draw = np.random.default_rng([self.seed, 0, first_row, size])
        story = self._stories(draw, size, 2 * self.sentences)  # [B, 2 · m, T]
        other = self._stories(draw, size, self.sentences)  # [B, m, T]
        is_random = draw.random(size) < 0.5  # [B]
        own, after = np.split(story, 2, axis=1)  # [B, m, T] each
        after = np.where(is_random[:, None, None], other, after)  # [B, m, T]
        edge = np.ones((size, 1), np.int64)  # [B, 1]
        wide = np.hstack(
            [CLS * edge, own.reshape(size, -1), SEP * edge, after.reshape(size, -1), SEP * edge]
        )  # [B, S], with gaps
        order = np.argsort(wide == PAD, axis=1, kind="stable")  # [B, S], gaps last
        ids = np.take_along_axis(wide, order, axis=1)  # [B, S]
        second = (ids != PAD) & (order > own[0].size + 1)  # [B, S]
        return {
            "input_ids": torch.from_numpy(ids),
            "token_type_ids": torch.from_numpy(second.astype(np.int64)),
            "attention_mask": torch.from_numpy(ids != PAD),
            "next_sentence_label": torch.from_numpy(is_random.astype(np.int64)),
        }

    def _stories(self, draw: np.random.Generator, count: int, sentences: int) -> np.ndarray:
        """Word ids [count, sentences, T], T the longest template; 0 after a sentence's end."""
        tale = draw.integers(len(self.emission), size=(count, 1, 1))  # [B, 1, 1]
        template = np.empty((count, sentences), np.int64)  # [B, m]
        for number in range(sentences):
            chances = (
                self.follows[template[:, number - 1]] if number else np.tile(self.start, (count, 1))
            )  # [B, K]
            template[:, number] = _choose(draw, chances.cumsum(-1))
        offset = np.arange(self.template_length.max())  # [T]
        inside = offset < self.template_length[template][..., None]  # [B, m, T]
        place = np.where(inside, self.first[template][..., None] + offset, 0)  # [B, m, T]
        return np.where(inside, _choose(draw, self.sums[tale, place]), PAD)  # [B, m, T]


def _columns(table: str) -> dict[str, list[list[str]]]:
    """The table of the tales as {column: the words of each tale}."""
    header, *rows = [
        [cell.split() for cell in line.split("|")] for line in table.strip().splitlines()
    ]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header) or not all(row):
            raise InputError(
                f"tales: row {number} must have words in {len(header)} columns, not in "
                f"{sum(map(bool, row))}"
            )
    return {name: [row[column] for row in rows] for column, (name,) in enumerate(header)}


def _words_at(place: str, slots: dict[str, list[list[str]]]) -> list[list[str]]:
    """The words that may fill a slot of a template: one list per tale, or one for all tales."""
    if not place.startswith("{"):
        return [[place]]
    if place[1:-1] not in slots:
        raise InputError(f"templates: {place} must be one of {', '.join(slots)}")
    return slots[place[1:-1]]


def _choose(draw: np.random.Generator, sums: np.ndarray) -> np.ndarray:
    """Draw one index per distribution, given as cumulative sums [..., n], by inverse transform
    sampling: [...]."""
    index: np.ndarray = (draw.random(sums.shape[:-1])[..., None] * sums[..., -1:] >= sums).sum(
        -1
    )  # [...]
    return index
