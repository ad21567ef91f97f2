"""What the five sets of `finetuning.py` give to a guess, and to counted words: no BERT has a part in it.

"majority" is the best guess that looks at nothing: the commonest class; for STS-B one number for all pairs; for WNUT17 no
name at all; for XQuAD the first sentence of the passage, whatever is asked.

"bag of words" counts words. SST-2 and TREC: a logistic regression on the words and the pairs of neighbours that a text
holds. WNUT17: one for every word, on it, its neighbours, its first and last letters and its shape. STS-B: the cosine of
the two sets of words. XQuAD: the sentence of the passage that shares most words with the question. How strongly large
weights are held down is chosen on dev.
"""

import re
from collections import Counter
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from finetuning_data import Dataset
from torch import Tensor

from minibert.data.sentences import split_sentences
from minibert.finetuning.entities import entity_f1
from minibert.finetuning.metrics import accuracy, spearman
from minibert.finetuning.squad import answer_f1
from minibert.finetuning.tasks.questions import QuestionExample
from minibert.finetuning.tasks.tagging import TaggedExample
from minibert.finetuning.tasks.texts import TextExample

CONTROLS = ("majority", "bag of words")
PENALTIES = (
    1e-6,
    1e-5,
    1e-4,
    1e-3,
)  # on the squares of all weights, beside the mean loss of an item
ITERATIONS = 60  # of L-BFGS


def control(kind: str, data: Dataset) -> dict[str, float]:
    """The first measure of one control on dev, where there is one, and test."""
    answer = {
        TextExample: _similar if data.labels is None else _classified,
        TaggedExample: _classified,
        QuestionExample: _answered,
    }
    found = answer[type(data.test[0])](kind, data)
    return {split: round(value, 4) for split, value in found.items()}


def words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text.lower())


def _similar(kind: str, data: Dataset) -> dict[str, float]:
    def cosine(example: TextExample) -> float:
        one, other = set(words(example.text)), set(words(example.pair))
        return len(one & other) / max(len(one) * len(other), 1) ** 0.5

    return {
        split: spearman(
            [cosine(example) if kind == "bag of words" else 0.0 for example in examples],
            [example.label for example in examples],
        )
        for split, examples in (("dev", data.dev), ("test", data.test))
    }


def _answered(kind: str, data: Dataset) -> dict[str, float]:
    def sentence(example: QuestionExample) -> str:
        sentences, question = split_sentences(example.context), set(words(example.question))
        return (
            max(sentences, key=lambda text: len(set(words(text)) & question))
            if kind == "bag of words"
            else sentences[0]
        )

    return {
        "test": sum(answer_f1(sentence(example), example.answers) for example in data.test)
        / len(data.test)
    }


# -- classes -----------------------------------------------------------------------------------------------------------


def _classified(kind: str, data: Dataset) -> dict[str, float]:
    train, dev, test = (
        [pair for example in examples for pair in items(example)]
        for examples in (data.train, data.dev, data.test)
    )
    splits = {"dev": (data.dev, dev), "test": (data.test, test)}
    if kind == "majority":
        commonest = Counter(label for _, label in train).most_common(1)[0][0]
        return {
            split: _score(examples, [commonest] * len(pairs))
            for split, (examples, pairs) in splits.items()
        }
    seen = Counter(feature for features, _ in train for feature in features)
    columns = {
        feature: number for number, (feature, times) in enumerate(seen.most_common()) if times > 1
    }
    rows = {
        split: _bags(pairs, columns)
        for split, (_, pairs) in {"train": (None, train), **splits}.items()
    }
    targets = torch.tensor([data.labels.index(label) for _, label in train])  # [items]
    best = {"dev": -1.0}
    for penalty in PENALTIES:
        weights = logistic_regression(
            rows["train"], targets, len(columns), len(data.labels), penalty
        )
        scores = {
            split: _score(
                examples, [data.labels[i] for i in _logits(rows[split], weights).argmax(-1)]
            )
            for split, (examples, _) in splits.items()
        }
        best = max(best, scores, key=lambda found: found["dev"])
    return best


def items(example: TextExample | TaggedExample) -> list[tuple[list[str], str]]:
    """What is classified in an example, as pairs of its features and its class: the text, or every word."""
    if isinstance(example, TextExample):
        found = words(example.text)
        return [
            ([*found, *(f"{one} {other}" for one, other in zip(found, found[1:]))], example.label)
        ]
    pairs = []
    around = ["", *example.words, ""]
    for before, word, after, tag in zip(around, example.words, around[2:], example.tags):
        shape = re.sub(
            r"(.)\1+", r"\1", re.sub(r"\d", "0", re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", word)))
        )
        pairs.append(
            (
                [
                    f"word {word.lower()}",
                    f"before {before.lower()}",
                    f"after {after.lower()}",
                    f"begins {word[:3]}",
                    f"ends {word[-3:]}",
                    f"shape {shape}",
                    f"shape {shape}, before {before.lower()}",
                ],
                tag,
            )
        )
    return pairs


def _bags(pairs: list[tuple[list[str], str]], columns: dict[str, int]) -> tuple[Tensor, Tensor]:
    """The known features of all items, each once: their columns one after another, and where each item begins."""
    known = [
        [columns[feature] for feature in dict.fromkeys(features) if feature in columns]
        for features, _ in pairs
    ]
    starts = torch.tensor([0, *map(len, known)]).cumsum(0)[:-1]  # [items]
    return torch.tensor([column for row in known for column in row]), starts


def _logits(bags: tuple[Tensor, Tensor], weights: Tensor) -> Tensor:
    """The sum of the weights [columns + 1, classes] of each item's features, and of the last row, the bias: [items, classes]."""
    return F.embedding_bag(bags[0], weights, bags[1], mode="sum") + weights[-1]  # [items, classes]


def logistic_regression(
    bags: tuple[Tensor, Tensor], targets: Tensor, columns: int, classes: int, penalty: float
) -> Tensor:
    """The weights [columns + 1, classes] with the least mean cross-entropy + penalty · their squares; the last row is the bias."""
    weights = torch.zeros(columns + 1, classes, requires_grad=True)  # [columns + 1, classes]
    optimizer = torch.optim.LBFGS([weights], max_iter=ITERATIONS, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = (
            F.cross_entropy(_logits(bags, weights), targets) + penalty * weights[:-1].square().sum()
        )
        loss.backward()
        return loss

    optimizer.step(closure)
    return weights.detach()


def _score(examples: Sequence, found: list[str]) -> float:
    """Accuracy, or the F1 of names where every word has a tag."""
    if isinstance(examples[0], TextExample):
        return accuracy(found, [example.label for example in examples])
    rest = iter(found)
    return entity_f1(
        [[next(rest) for _ in example.words] for example in examples],
        [example.tags for example in examples],
    )
