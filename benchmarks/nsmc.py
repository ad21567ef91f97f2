"""What BERT's lower-casing does to Korean: film reviews, learned from nothing, with two tokenizers and two normalisers.

    python benchmarks/nsmc.py            # measure everything, write logs/nsmc.json; goes on where it was stopped
    python benchmarks/nsmc.py --check    # make one seed of three rows anew, fail outside the bands

Is a review of a film kind or not? 18,000 to learn from, 5,000 of other films to test on, half of them kind: a sample of NSMC
(CC0) of our own, so that published figures are no neighbours. The model is a BERT of two layers with random weights, which
reads every review once; the vocabulary comes from the same reviews. Rows are cut at 64 tokens.

`strip_accents=None` strips accents when it lower-cases, as BERT's own program does. For that it takes every character apart
(Unicode's NFD) and drops the accents. Hangul has none, but it is taken apart as well: a syllable becomes its two or three
letters (jamo), and nothing puts them together again. `strip_accents=False` leaves syllables whole.

"pieces" is WordPiece with 8,192 tokens, "characters" the single characters of that same vocabulary. "syllables" and
"letters" say what both see. "syllable vocabulary, letters" is what happens when a vocabulary of syllables is opened
with the wrong setting: the two were made apart. Controls: the commonest label, and a logistic regression on words and
pairs of neighbours, or on characters and pairs of neighbours; 2,000 more reviews choose how its weights are held down.

`tokens` and `words` are means of a test review, [CLS] and [SEP] not counted; `unknown` is the share of [UNK] among the tokens;
`cut` the share of test reviews that do not fit; `back` the share of words that come back from their tokens, and
`back_composed` the same after Unicode's NFC, which puts letters together again. `cpu_seconds` are of one thread.

Three seeds each, of the weights, the order of the reviews and dropout.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import csv
import gzip
import json
import sys
import tempfile
import time
import unicodedata
import zlib
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import torch
from finetuning_controls import control
from finetuning_data import Dataset

from minibert import BertConfig, WordPieceTokenizer
from minibert.finetuning import (
    Classification,
    FineTuning,
    FineTuningOptions,
    TextExample,
    evaluate,
    finetune,
    model_for,
)
from minibert.tokenization import CONTINUATION
from minibert.training.memory import keep_freed_memory

FOLDER = log.ROOT.parent / "shared" / "data" / "ko" / "nsmc"
CACHE = Path(tempfile.gettempdir()) / "minibert-nsmc"  # the rows that are done
LABELS = ["unkind", "kind"]
DEV = 2_000  # of the 20,000 training reviews, the last ones, for the controls
VOCABULARY = 8_192
SHAPE = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 256,
}
SEEDS = (0, 1, 2)
checking = False  # whether rows of the log are made anew; `main` knows


@dataclass(frozen=True)
class Recipe:
    """A vocabulary, the text that it was learned from, and the text that it is used on."""

    units: str = "pieces"
    strip_accents: bool | None = False
    learned_with: bool | None = False  # strip_accents when the vocabulary was learned
    max_length: int = 64
    epochs: int = 1
    batch_size: int = 64
    learning_rate: float = 2e-3


RECIPES = {
    "pieces, syllables": Recipe(),
    "pieces, letters": Recipe(strip_accents=None, learned_with=None),
    "characters, syllables": Recipe("characters"),
    "characters, letters": Recipe("characters", None, None),
    "syllable vocabulary, letters": Recipe(strip_accents=None),
}
CONTROLS = ("majority", "words", "characters")
ROWS = [(variant, None) for variant in CONTROLS] + [
    (variant, seed) for variant in RECIPES for seed in SEEDS
]
CHECKED = [("majority", None), ("syllable vocabulary, letters", 0), ("pieces, syllables", 0)]
BANDS = {
    "majority": {"test": (0.5, 0.5)},
    "syllable vocabulary, letters": {"unknown": (0.7, 0.8)},
    "pieces, letters": {"back": (0, 0.05), "back_composed": (0.99, 1)},
}
TOLERANCE = {
    "test": 0.02,
    "tokens": 0.1,
    "unknown": 0.001,
    "cut": 0.001,
    "back": 0.001,
    "back_composed": 0.001,
}


@cache
def reviews(split: str) -> list[TextExample]:
    """The sample: 20,000 reviews for 'train', 5,000 for 'test'."""
    path = FOLDER / f"sample_{split}_{'20k' if split == 'train' else '5k'}.tsv.gz"
    if not path.is_file():
        raise ValueError(
            f"the Korean reviews are absent: {path.name} lies in ../shared/data/ko/nsmc, on the developers' machines only"
        )
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [TextExample(row["document"], label=LABELS[int(row["label"])]) for row in rows]


@cache
def tokenizer(
    units: str, strip_accents: bool | None, learned_with: bool | None
) -> WordPieceTokenizer:
    """A vocabulary of the training reviews; of its tokens the single characters alone where units are characters."""
    texts = [review.text for review in reviews("train")[:-DEV]]
    vocab = WordPieceTokenizer.train(texts, VOCABULARY, strip_accents=learned_with).vocab
    if units == "characters":
        specials = WordPieceTokenizer(vocab).special_ids
        kept = [
            token
            for token, number in vocab.items()
            if number in specials or len(token.removeprefix(CONTINUATION)) == 1
        ]
        vocab = {token: number for number, token in enumerate(kept)}
    return WordPieceTokenizer(vocab, strip_accents=strip_accents)


def measure(variant: str, seed: int | None) -> dict:
    """One row of the log, from CACHE where it was made before with the same recipe."""
    recipe = RECIPES.get(variant)
    digest = zlib.crc32(json.dumps([SHAPE, asdict(recipe) if recipe else None]).encode())
    path = CACHE / f"{variant}, {seed}, {digest:08x}.json"
    if checking or not path.exists():
        started = time.process_time()
        values = learned(recipe, seed) if recipe else counted(variant)
        CACHE.mkdir(exist_ok=True)
        path.write_text(
            json.dumps(values | {"cpu_seconds": round(time.process_time() - started, 1)})
        )
    return json.loads(path.read_text())


def learned(recipe: Recipe, seed: int) -> dict:
    """Train from random weights, then test."""
    keep_freed_memory()
    reader = tokenizer(recipe.units, recipe.strip_accents, recipe.learned_with)
    task = Classification(LABELS)
    config = BertConfig(reader.vocab_size, max_position_embeddings=recipe.max_length, **SHAPE)
    options = FineTuningOptions(
        epochs=recipe.epochs,
        batch_size=recipe.batch_size,
        learning_rate=recipe.learning_rate,
        max_length=recipe.max_length,
        seed=seed,
    )
    run = FineTuning(model_for(task, config, seed), task, reader, reviews("train")[:-DEV], options)
    finetune(run)
    scores = evaluate(run.model, task, reader, reviews("test"), recipe.max_length, run.precision)[0]
    return {
        "test": round(scores["accuracy"], 4),
        "vocabulary": reader.vocab_size,
        **texts_as_tokens(reader, recipe.max_length),
    }


def texts_as_tokens(reader: WordPieceTokenizer, max_length: int) -> dict[str, float]:
    """What a tokenizer makes of the test reviews."""
    texts = [review.text for review in reviews("test")]
    rows = reader.encode_texts(texts)  # without [CLS] and [SEP]
    words = [word for text in texts for word in text.split() if word.isalpha()]
    back = [reader.decode(row).lower() for row in reader.encode_texts(words)]
    count = sum(map(len, rows))
    return {
        "tokens": round(count / len(texts), 1),
        "words": round(sum(len(text.split()) for text in texts) / len(texts), 1),
        "unknown": round(sum(row.count(reader.unk_id) for row in rows) / count, 4),
        "cut": round(sum(len(row) > max_length - 2 for row in rows) / len(texts), 4),
        "back": round(
            sum(word.lower() == found for word, found in zip(words, back)) / len(words), 4
        ),
        "back_composed": round(
            sum(
                word.lower() == unicodedata.normalize("NFC", found)
                for word, found in zip(words, back)
            )
            / len(words),
            4,
        ),
    }


def counted(units: str) -> dict:
    """A control: the commonest label, or a logistic regression on units and pairs of neighbours."""

    def apart(examples: list[TextExample]) -> list[TextExample]:
        if units != "characters":
            return examples
        return [
            TextExample(" ".join(review.text.replace(" ", "_")), label=review.label)
            for review in examples
        ]

    train = reviews("train")
    data = Dataset(apart(train[:-DEV]), apart(train[-DEV:]), apart(reviews("test")), LABELS)
    return control("majority" if units == "majority" else "bag of words", data)


def main(argv: list[str] | None = None) -> int:
    global checking
    checking = "--check" in (sys.argv[1:] if argv is None else argv)
    torch.set_num_threads(1)
    return log.run(
        __file__,
        "Korean film reviews, learned from nothing: syllables kept whole, and taken apart",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv=argv,
        checked=CHECKED,
    )


if __name__ == "__main__":
    raise SystemExit(main())
