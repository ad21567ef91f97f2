"""A tag for every word: entities, parts of speech (Devlin et al. 2018, section 5.3, figure 4d)."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

from torch import Tensor

from minibert.config import IGNORE, InputError
from minibert.finetuning.entities import Entity, entities, entity_scores, is_iob
from minibert.finetuning.metrics import accuracy, macro_f1
from minibert.finetuning.tasks.base import Baseline, Feature, Task
from minibert.finetuning.tasks.windows import best_windows, overlapping_windows
from minibert.heads import BertForTokenClassification
from minibert.tokenization import WordPieceTokenizer


def _is_list(values: object) -> bool:
    return isinstance(values, Collection) and not isinstance(values, str)


@dataclass(frozen=True)
class TaggedExample:
    """A sentence, already split into words, and the tag of each."""

    words: Sequence[str]
    tags: Sequence[str] | None = None  # None where they are not known

    def __post_init__(self) -> None:
        if not _is_list(self.words) or len(self.words) == 0:
            raise InputError(f"words must be a list of at least one word, not {self.words!r}")
        if self.tags is not None and (not _is_list(self.tags) or len(self.tags) != len(self.words)):
            raise InputError(
                f"tags must be a list with one for each of the {len(self.words)} words, "
                f"not {self.tags!r}"
            )


@dataclass(frozen=True)
class TagsPrediction:
    """A tag for each word."""

    words: list[str]
    tags: list[str]  # one for each word
    probabilities: list[float]  # of these tags
    entities: list[Entity]  # the entities that the tags mark; none where tags are not O, B-…, I-…


class Tagging(Task):
    """Which of several tags each word of a sentence gets.

    A word's tag is predicted at its first token; its other tokens, [CLS] and [SEP] are context
    only. A word of which the tokenizer leaves nothing, such as a lone control character, becomes
    [UNK]. A sentence longer than `max_length` is read in windows that overlap by half, and each
    word is predicted in the window where it has the most context, so every word is trained on,
    predicted and scored exactly once.

    Tags that are O, B-… and I-… are scored by the entities that they mark, all others by accuracy.
    """

    name = "tagging"
    model_class = BertForTokenClassification
    example_class = TaggedExample
    metrics: tuple[str, ...] = ("entity_f1", "entity_precision", "entity_recall", "accuracy")
    labels: list[str]
    has_labels: ClassVar[bool] = True
    unlabelled: ClassVar[dict[str, Any]] = {"tags": None}

    def __init__(self, labels: Sequence[str]):
        self.labels = [] if isinstance(labels, str) else list(labels)
        if len(set(self.labels)) != len(self.labels) or len(self.labels) < 2:
            raise InputError(f"labels must be at least two different names, not {labels!r}")
        self._number = {label: number for number, label in enumerate(self.labels)}
        self.names = is_iob(self.labels)
        if not self.names:
            self.metrics = ("accuracy", "macro_f1")

    def features(
        self, tokenizer: WordPieceTokenizer, examples: Sequence[TaggedExample], max_length: int
    ) -> list[Feature]:
        """One sequence for each window; `words` has a word's number where it is predicted."""
        room = max_length - 2  # beside [CLS] and [SEP]
        if room < 1:
            raise InputError(
                f"max_length={max_length} leaves no room for the words: it must be at least 3"
            )
        vocabulary = list({word: None for example in examples for word in example.words})
        encoded = tokenizer.encode_texts(vocabulary) if vocabulary else []
        tokens_of = dict(zip(vocabulary, encoded, strict=True))
        features = []
        for number, example in enumerate(examples):
            ids: list[int] = []  # of all tokens of the sentence
            numbers: list[int | None] = []  # of the word that each predicts
            for n, word in enumerate(example.words):
                ids += tokens_of[word] or [tokenizer.unk_id]
                numbers += [n] + [None] * (len(ids) - len(numbers) - 1)
            windows = overlapping_windows(len(ids), room, max(1, room // 2))
            best = best_windows(windows)
            for w, window in enumerate(windows):
                inside = (numbers[token] if best[token] == w else None for token in window)
                words = [None, *inside, None]
                if any(n is not None for n in words):
                    row = [tokenizer.cls_id, *ids[window.start : window.stop], tokenizer.sep_id]
                    labels = self._labels(example.tags, words)
                    features.append(Feature(number, row, [0] * len(row), labels, words))
        return features

    def _labels(self, tags: Sequence[str] | None, words: list[int | None]) -> dict[str, list[int]]:
        if tags is None:
            return {}
        return {"labels": [IGNORE if n is None else self._target(tags[n]) for n in words]}

    def _target(self, tag: str) -> int:
        if tag not in self._number:
            raise InputError(
                f"unknown tag {tag!r}: this task has {', '.join(map(str, self.labels))}"
            )
        return self._number[tag]

    def predict(
        self, examples: Sequence[TaggedExample], features: Sequence[Feature], rows: Sequence[Tensor]
    ) -> list[TagsPrediction]:
        """The most probable tag of every word."""
        found = [[("", 0.0)] * len(example.words) for example in examples]
        for feature, row in zip(features, rows, strict=True):
            probabilities, tags = row.softmax(-1).max(-1)  # [S], [S]
            # not strict: a row may be longer than its words, by padding
            for n, probability, tag in zip(
                feature.words, probabilities.tolist(), tags.tolist(), strict=False
            ):
                if n is not None:
                    found[feature.example][n] = (self.labels[tag], probability)
        predictions = []
        for example, pairs in zip(examples, found, strict=True):
            names, chances = [tag for tag, _ in pairs], [chance for _, chance in pairs]
            marked = entities(names) if self.names else []
            predictions.append(TagsPrediction(list(example.words), names, chances, marked))
        return predictions

    def score(
        self, examples: Sequence[TaggedExample], predictions: Sequence[TagsPrediction]
    ) -> dict[str, float]:
        """F1, precision and recall of entities, and accuracy; without entities, macro F1."""
        found = [prediction.tags for prediction in predictions]
        expected = [example.tags or () for example in examples]
        words = list(chain.from_iterable(found)), list(chain.from_iterable(expected))
        if not self.names:
            return {"accuracy": accuracy(*words), "macro_f1": macro_f1(*words)}
        return entity_scores(found, expected) | {"accuracy": accuracy(*words)}

    def baseline(self, training: Sequence[TaggedExample]) -> Baseline:
        """Each word's most frequent tag; for new words, the most frequent tag of all."""
        counts: Counter[str] = Counter()
        counts_of: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for example in training:
            for word, tag in zip(example.words, example.tags or (), strict=True):
                counts[tag] += 1
                counts_of[word][tag] += 1
        majority = counts.most_common(1)[0][0]
        usual = {word: tags.most_common(1)[0][0] for word, tags in counts_of.items()}

        def predict(example: TaggedExample) -> TagsPrediction:
            tags = [usual.get(word, majority) for word in example.words]
            return TagsPrediction(list(example.words), tags, [1.0] * len(tags), [])

        return "each word's most frequent tag", predict

    def prediction_lines(
        self, example: TaggedExample, prediction: TagsPrediction
    ) -> Iterable[Sequence[str]]:
        """word/tag for all words, then a line for each entity: its type and its words."""
        pairs = zip(prediction.words, prediction.tags, strict=True)
        yield (" ".join(f"{word}/{tag}" for word, tag in pairs),)
        for entity in prediction.entities:
            yield "", entity.type, " ".join(prediction.words[entity.start : entity.end])

    def prediction_json(self, prediction: TagsPrediction) -> dict[str, Any]:
        """Words, tags and their probabilities, and the entities with their text."""
        return {
            "words": prediction.words,
            "tags": prediction.tags,
            "probabilities": prediction.probabilities,
            "entities": [
                {
                    "type": entity.type,
                    "text": " ".join(prediction.words[entity.start : entity.end]),
                    "start": entity.start,
                    "end": entity.end,
                }
                for entity in prediction.entities
            ],
        }
