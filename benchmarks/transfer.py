"""Why pretraining hardly helped minibert-small on sentiment and sentence similarity, and what mends it.

    python benchmarks/transfer.py            # measure everything, write logs/transfer.json; goes on where it was stopped
    python benchmarks/transfer.py --check    # make one seed of every variant anew, fail outside the bands

finetuning.py found SST-2 and STS-B to gain nothing from pretraining. Here the trunk is frozen, so a row costs seconds, and
one thing changes at a time. The sets are those of finetuning_data.py; `dev` chooses, `test` is read once.

models     "minibert-small"; "untrained", its shape with random weights (three seeds); "adapted", minibert-small after 200
           steps of `minibert pretrain --from` on the training sentences of SST-2, TREC, STS-B and WNUT17, without their
           labels (Gururangan et al. 2020); one seed. Only masked words are measured of "untrained, adapted", the same
           steps from random weights
SST-2,     a logistic regression on the mean of a layer's vectors, on [CLS], or on the pooler; how strongly large weights
TREC       are held down is chosen on dev. The values are accuracies
STS-B      Spearman's correlation of the cosine of mean vectors: "plain"; "whitened" (`fit_whitening` on the training
           sentences, no labels); and "mapped", a linear map behind the whitening, learned from the labels, which starts as
           the identity. With two layers, both are whitened apart, and the last one counts half. Three seeds of the order
masked     how well a model predicts masked pieces of SST-2's dev sentences, all replaced by [MASK]
words      the share of the words of SST-2 that the vocabulary splits into pieces: all, the 200 that tell most about the
           label, and others that are as frequent as these

Rows that are done are kept in the folder minibert-transfer of the system's temporary folder: delete it after a change of
the code. Precision is bfloat16 where the processor has it.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import json
import math
import sys
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import torch
import torch.nn.functional as F
from finetuning_controls import words
from finetuning_data import dataset
from torch import Tensor, nn
from transfer_models import (
    ADAPTED,
    CACHE,
    LAYERS,
    UNTRAINED_ADAPTED,
    model_named,
    texts_of,
    vectors,
)

from minibert import WordPieceTokenizer
from minibert.finetuning.metrics import accuracy, spearman
from minibert.finetuning.sentence_vectors.whitening import fit_whitening
from minibert.hub.find_pretrained import SMALL
from minibert.pretraining.mlm_evaluation import evaluate_mlm

SEEDS = (0, 1, 2)
CLASSES = ("SST-2", "TREC")
READINGS = (*LAYERS, "[CLS]", "pooler", "word and last layer")
SIMILARITY = ("word layer", "last layer", "word and last layer")
LAST_COUNTS = 0.5  # the last layer's weight beside the word layer's
PENALTIES = (1e-4, 1e-3, 1e-2)  # on the squares of the weights of the logistic regression
MAP_RATE, MAP_EPOCHS, MAP_BATCH = 1e-3, 8, 64
TELLING, OFTEN = 200, 5  # words, occurrences
MASKED = 300

MODELS = {SMALL: (None,), "untrained": SEEDS, ADAPTED: (None,)}  # and their seeds


def _rows(model: str, seeds: tuple) -> list[tuple[str, int | None]]:
    """The rows of one model."""
    rows = [(f"masked words, {model}", None)] if model != "untrained" else []
    for seed in seeds:
        rows += [(f"{name}, {model}, {reading}", seed) for name in CLASSES for reading in READINGS]
        rows += [
            (f"STS-B, {model}, {layer}, {how}", seed)
            for layer in SIMILARITY
            for how in ("plain", "whitened")
        ]
    return rows + [
        (f"STS-B, {model}, {layer}, mapped", seed) for seed in SEEDS for layer in SIMILARITY
    ]


ROWS = [("vocabulary", None), *(row for item in MODELS.items() for row in _rows(*item))]
ROWS.append((f"masked words, {UNTRAINED_ADAPTED}", None))
BANDS = {
    f"STS-B, {SMALL}, word and last layer, mapped": {"test": (0.72, 1.0)},
}
TOLERANCE = {"dev": 0.02, "test": 0.02, "accuracy": 0.02}
CHECKED = [row for row in ROWS if "adapted" not in row[0] and row[1] in (None, 0)]


def measure(variant: str, seed: int | None) -> dict:
    """One row of the log, from CACHE where it was made before."""
    path = CACHE / f"{variant}, seed {seed}.json"
    if "--check" in sys.argv or not path.exists():
        values = {name: round(value, 4) for name, value in _measure(variant, seed).items()}
        CACHE.mkdir(exist_ok=True)
        path.write_text(json.dumps(values))
    return json.loads(path.read_text())


def _measure(variant: str, seed: int | None) -> dict[str, float]:
    torch.manual_seed(seed or 0)
    if variant == "vocabulary":
        return vocabulary()
    if variant.startswith("masked words, "):
        return masked_words(variant.removeprefix("masked words, "))
    name, _, rest = variant.partition(", ")
    if name != "STS-B":
        model, reading = rest.rsplit(", ", 1)
        return classified(name, vectors(name, model, seed or 0), reading)
    model, layer, how = rest.rsplit(", ", 2)
    return compared(vectors(name, model, seed or 0), layer, how)


def _layers(reading: str) -> list[str]:
    return ["word layer", "last layer"] if reading == "word and last layer" else [reading]


# -- classes -----------------------------------------------------------------------------------------------------------


def classified(name: str, found: dict[str, dict[str, Tensor]], reading: str) -> dict[str, float]:
    """Accuracy of a logistic regression on standardised features; its penalty is chosen on dev."""
    data = dataset(name)
    inputs = {
        split: torch.cat([some[part] for part in _layers(reading)], -1)
        for split, some in found.items()
    }
    mean, deviation = inputs["train"].mean(0), inputs["train"].std(0).clamp(min=1e-6)  # [H] each
    inputs = {split: (rows - mean) / deviation for split, rows in inputs.items()}
    labels = {split: [data.labels.index(e.label) for e in getattr(data, split)] for split in inputs}
    best = {"dev": -1.0}
    for penalty in PENALTIES:
        layer = _regression(
            inputs["train"], torch.tensor(labels["train"]), len(data.labels), penalty
        )
        scores = {
            split: accuracy(layer(inputs[split]).argmax(-1).tolist(), labels[split])
            for split in ("dev", "test")
        }
        best = max(best, scores, key=lambda one: one["dev"])
    return best


def _regression(inputs: Tensor, labels: Tensor, classes: int, penalty: float) -> nn.Linear:
    layer = nn.Linear(inputs.size(1), classes)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    optimizer = torch.optim.LBFGS(layer.parameters(), max_iter=80, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(layer(inputs), labels) + penalty * layer.weight.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return layer


# -- pairs -------------------------------------------------------------------------------------------------------------


def compared(found: dict[str, dict[str, Tensor]], layer: str, how: str) -> dict[str, float]:
    """Spearman's correlation between the cosines of the pairs and people's judgement."""
    blocks: dict[str, list[Tensor]] = {split: [] for split in found}
    for part, weight in zip(_layers(layer), (1.0, LAST_COUNTS)):
        mean, matrix = fit_whitening(found["train"][part])
        for split, some in found.items():
            white = ((some[part].double() - mean) @ matrix).float()  # [2 · pairs, H]
            blocks[split].append(weight * (some[part] if how == "plain" else white))
    inputs = {split: torch.cat(some, -1) for split, some in blocks.items()}
    if how != "mapped":
        return {split: _agreement(inputs[split], split) for split in ("dev", "test")}
    return _mapped(inputs)


def _mapped(inputs: dict[str, Tensor]) -> dict[str, float]:
    """A linear map that learns from the labels of the training pairs; its epoch is chosen on dev."""
    pairs = inputs["train"].unflatten(0, (-1, 2))  # [pairs, 2, H]
    targets = torch.tensor([e.label for e in dataset("STS-B").train]) / 5  # [pairs]
    layer = nn.Linear(pairs.size(2), pairs.size(2))
    nn.init.eye_(layer.weight)
    nn.init.zeros_(layer.bias)
    optimizer = torch.optim.AdamW(layer.parameters(), MAP_RATE)
    steps, best = MAP_EPOCHS * math.ceil(len(pairs) / MAP_BATCH), {"dev": -1.0}
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    for epoch in range(1, MAP_EPOCHS + 1):
        for rows in torch.randperm(len(pairs)).split(MAP_BATCH):
            one, other = layer(pairs[rows]).unbind(1)  # [B, H] each
            loss = F.mse_loss(F.cosine_similarity(one, other), targets[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            decay.step()
        with torch.no_grad():
            scores = {split: _agreement(layer(inputs[split]), split) for split in ("dev", "test")}
        best = max(best, scores | {"epoch": epoch}, key=lambda found: found["dev"])
    return best


def _agreement(rows: Tensor, split: str) -> float:
    cosines = F.cosine_similarity(rows[::2], rows[1::2])  # [pairs]
    return spearman(cosines.tolist(), [e.label for e in getattr(dataset("STS-B"), split)])


# -- words -------------------------------------------------------------------------------------------------------------


def masked_words(model: str) -> dict[str, float]:
    """Top-1 accuracy and loss on masked pieces of MASKED dev sentences of SST-2, means of three seeds."""
    tokenizer = WordPieceTokenizer.from_pretrained(SMALL)
    ids = tokenizer(texts_of(dataset("SST-2").dev[:MASKED]), max_length=128)["input_ids"]
    opened = model_named(model, 0)
    scores = [evaluate_mlm(opened, ids, tokenizer, seed=seed) for seed in SEEDS]
    return {
        name: sum(getattr(score, name) for score in scores) / len(scores)
        for name in ("accuracy", "loss")
    }


def vocabulary() -> dict[str, float]:
    """The share of words in SST-2's training sentences that are several pieces: all, the telling ones, equally frequent ones."""
    tokenizer = WordPieceTokenizer.from_pretrained(SMALL)
    counts = {label: Counter[str]() for label in dataset("SST-2").labels}
    for example in dataset("SST-2").train:
        counts[example.label].update(words(example.text))
    bad, good = (counts[label] for label in dataset("SST-2").labels)
    seen = bad + good
    telling = sorted(
        (word for word in seen if seen[word] >= OFTEN),
        key=lambda word: -abs(math.log((good[word] + 1) / (bad[word] + 1))),
    )[:TELLING]
    pieces = {word: len(ids) for word, ids in zip(seen, tokenizer.encode_texts(list(seen)))}

    others = dict[int, list[str]]()  # occurrences -> words that tell less
    for word in seen.keys() - set(telling):
        others.setdefault(seen[word], []).append(word)

    def split(chosen: list[str]) -> float:
        """The share of the words' occurrences that are several pieces."""
        return sum(seen[w] for w in chosen if pieces[w] > 1) / sum(seen[w] for w in chosen)

    found = [word for word in telling if seen[word] in others]
    matched = [seen[word] * split(others[seen[word]]) for word in found]
    return {
        "split": split(list(seen)),
        "split_telling": split(telling),
        "split_as_frequent": sum(matched) / sum(seen[word] for word in found),
        "pieces_per_word": sum(seen[w] * pieces[w] for w in seen) / seen.total(),
    }


def main(argv: list[str] | None = None) -> int:
    torch.set_num_threads(1)
    return log.run(
        __file__,
        "What a frozen minibert-small knows of three sets, beside the same untrained, and after adaptation",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv=argv,
        checked=CHECKED,
    )


if __name__ == "__main__":
    raise SystemExit(main())
