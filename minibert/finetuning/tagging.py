"""A tag for every word: names, parts of speech (Devlin et al. 2018, sections 4 and 5.3, figure 4d)."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from minibert.finetuning.entities import Entity, entities, entity_scores, is_iob
from minibert.finetuning.metrics import accuracy, macro_f1
from minibert.finetuning.task import Feature, Task
from minibert.finetuning.windows import best_windows, overlapping_windows
from minibert.heads import IGNORE, BertForTokenClassification
from minibert.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class TaggedExample:
    """A sentence, already split into words, and the tag of each."""

    words: Sequence[str]
    tags: Sequence[str] | None = None       # None where they are not known

    def __post_init__(self):
        if isinstance(self.words, str) or len(self.words) == 0:
            raise ValueError(f"words must be a list of at least one word, not {self.words!r}")
        if self.tags is not None and (isinstance(self.tags, str) or len(self.tags) != len(self.words)):
            raise ValueError(f"tags must be a list with one for each of the {len(self.words)} words, not {self.tags!r}")


@dataclass(frozen=True)
class TagsPrediction:
    words: list[str]
    tags: list[str]                         # one for each word
    probabilities: list[float]              # of these tags
    entities: list[Entity]                  # the names that the tags spell; none where the tags are not O, B-…, I-…


class Tagging(Task):
    """Which of several tags each word of a sentence gets.

    A word's tag is asked at its first piece; the other pieces, [CLS] and [SEP] are there to be looked at. A word of which
    the tokenizer leaves nothing, such as a lone control character, is [UNK]. A sentence that is too long for a row is read
    in windows that overlap by half, and each word asked in the one where it has most words around it: every word is
    learned from, predicted and scored once.

    Tags that are O, B-… and I-… are scored by the names that they spell, all others by accuracy.
    """

    name = "tagging"
    model_class = BertForTokenClassification
    metrics = ("entity_f1", "entity_precision", "entity_recall", "accuracy")
    unlabelled = {"tags": None}

    def __init__(self, labels: Sequence[str]):
        self.labels = list(labels)
        if len(set(self.labels)) != len(self.labels) or len(self.labels) < 2:
            raise ValueError(f"labels must be at least two different names, not {self.labels!r}")
        self._number = {label: number for number, label in enumerate(self.labels)}
        self.names = is_iob(self.labels)
        if not self.names:
            self.metrics = ("accuracy", "macro_f1")

    def features(self, tokenizer: WordPieceTokenizer, examples: Sequence[TaggedExample], max_length: int) -> list[Feature]:
        """One row for each window; `words` has a word's number at the piece where it is asked."""
        room = max_length - 2               # beside [CLS] and [SEP]
        if room < 1:
            raise ValueError(f"max_length={max_length} leaves no room for the words: at least 3 are needed")
        vocabulary = list({word: None for example in examples for word in example.words})
        pieces = dict(zip(vocabulary, tokenizer.encode_texts(vocabulary))) if vocabulary else {}
        features = []
        for number, example in enumerate(examples):
            ids, numbers = [], []           # of all pieces of the sentence
            for n, word in enumerate(example.words):
                ids += pieces[word] or [tokenizer.unk_id]
                numbers += [n] + [None] * (len(ids) - len(numbers) - 1)
            windows = overlapping_windows(len(ids), room, max(1, room // 2))
            best = best_windows(windows)
            for w, window in enumerate(windows):
                words = [None, *(numbers[piece] if best[piece] == w else None for piece in window), None]
                if any(n is not None for n in words):
                    row = [tokenizer.cls_id, *ids[window.start:window.stop], tokenizer.sep_id]
                    labels = {} if example.tags is None else {"labels": [IGNORE if n is None else self._target(example.tags[n]) for n in words]}
                    features.append(Feature(number, row, [0] * len(row), labels, words))
        return features

    def _target(self, tag: str) -> int:
        if tag not in self._number:
            raise ValueError(f"unknown tag {tag!r}: this task has {', '.join(map(str, self.labels))}")
        return self._number[tag]

    def predict(self, examples: Sequence[TaggedExample], features: Sequence[Feature], rows: Sequence[Tensor]) -> list[TagsPrediction]:
        found = [[None] * len(example.words) for example in examples]
        for feature, row in zip(features, rows, strict=True):
            probabilities, tags = row.softmax(-1).max(-1)                                           # [S], [S]
            for n, probability, tag in zip(feature.words, probabilities.tolist(), tags.tolist()):   # padding ends with the words
                if n is not None:
                    found[feature.example][n] = (self.labels[tag], probability)
        predictions = []
        for example, pairs in zip(examples, found):
            tags, probabilities = map(list, zip(*pairs))
            predictions.append(TagsPrediction(list(example.words), tags, probabilities, entities(tags) if self.names else []))
        return predictions

    def score(self, examples: Sequence[TaggedExample], predictions: Sequence[TagsPrediction]) -> dict[str, float]:
        found, wanted = [prediction.tags for prediction in predictions], [example.tags for example in examples]
        words = [[tag for tags in sentences for tag in tags] for sentences in (found, wanted)]
        if not self.names:
            return {"accuracy": accuracy(*words), "macro_f1": macro_f1(*words)}
        return entity_scores(found, wanted) | {"accuracy": accuracy(*words)}
