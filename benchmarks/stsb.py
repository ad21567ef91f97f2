"""How well sentence similarity agrees with people: the STS benchmark, test set.

    python benchmarks/stsb.py            # measure everything, write logs/stsb.json
    python benchmarks/stsb.py --check    # measure one seed of each anew, fail outside the bands

People judged 1,379 pairs of sentences from 0 (nothing in common) to 5 (the same meaning) (Cer et al. 2017). Reported is
Spearman's rank correlation between their judgement and the cosine of the mean-pooled vectors. The published figure of
all-MiniLM-L6-v2 is 0.820. The controls are models of the same shape with random weights, either with the numbers from which
a BERT's training starts ("untrained") or with the mean and standard deviation of each of MiniLM's own parameters, as in
chapter 0 ("untrained, MiniLM's scales"), then the averages of MiniLM's static vectors, and counted words.
"""

import csv
import gzip
import re
import sys
from pathlib import Path

import torch
from scipy.stats import spearmanr

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log

from minibert import BertModel, WordPieceTokenizer, from_pretrained
from minibert.hub.find_pretrained import MINILM
from minibert.inference.sentence_embeddings import embed

LOCAL = log.ROOT.parent / "shared" / "data" / "stsb_en" / "stsb-en-test.csv.gz"
PUBLISHED = 0.820
ROWS = [
    ("MiniLM", None),
    ("untrained", 0),
    ("untrained", 1),
    ("untrained", 2),
    ("untrained, MiniLM's scales", 0),
    ("untrained, MiniLM's scales", 1),
    ("untrained, MiniLM's scales", 2),
    ("static vectors", None),
    ("bag of words", None),
    ("word overlap", None),
]
BANDS = {"MiniLM": {"spearman": (PUBLISHED - 0.001, PUBLISHED + 0.001)}}


def load(path: Path = LOCAL) -> list[tuple[str, str, float]]:
    """The test set as (sentence, sentence, judgement from 0 to 5): a local file, else through `datasets`."""
    if path.is_file():
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            return [(one, other, float(score)) for one, other, score in csv.reader(file)]
    try:
        from datasets import load_dataset

        rows = load_dataset("sentence-transformers/stsb", split="test")  # scores from 0 to 1
        return [(row["sentence1"], row["sentence2"], 5 * row["score"]) for row in rows]
    except Exception as error:  # not installed, no network, renamed: each from another library
        raise ValueError(
            f"cannot get the STS benchmark: no file {path.name} at {path.parent}, and `datasets` could not fetch "
            f"sentence-transformers/stsb ({type(error).__name__}). What to do: pip install datasets, and a network"
        ) from error


def measure(variant: str, seed: int | None) -> dict:
    """Spearman's correlation over the test set, for one way of comparing sentences."""
    pairs = load()
    if variant in ("bag of words", "word overlap"):
        found = [_words_in_common(one, other, variant) for one, other, _ in pairs]
    else:
        model = from_pretrained(MINILM)
        if variant == "untrained":
            torch.manual_seed(seed)
            model = BertModel(model.config).eval()
        elif variant == "untrained, MiniLM's scales":
            _randomise(model, seed)
        tokenizer = WordPieceTokenizer.from_pretrained(MINILM)
        texts = sorted(
            {text for one, other, _ in pairs for text in (one, other)},
            key=lambda text: (len(text), text),
        )
        if variant == "static vectors":
            vectors = {text: _static_mean(model, tokenizer, text) for text in texts}
        else:
            vectors = dict(zip(texts, embed(model, tokenizer, texts)))  # each [H]
        found = [float(vectors[one] @ vectors[other]) for one, other, _ in pairs]
    return {
        "spearman": round(float(spearmanr(found, [score for _, _, score in pairs]).statistic), 4),
        "pairs": len(pairs),
    }


@torch.no_grad()
def _randomise(model: BertModel, seed: int) -> None:
    """Random numbers in every parameter tensor, with the mean and the standard deviation that it has."""
    torch.manual_seed(seed)
    for weight in model.parameters():
        weight.normal_(weight.mean().item(), weight.std().item())


@torch.no_grad()
def _static_mean(model: BertModel, tokenizer: WordPieceTokenizer, text: str) -> torch.Tensor:
    """The mean of the static vectors of a text's tokens, without special tokens, scaled to length 1: [H]."""
    rows = model.embeddings.word_embeddings.weight[tokenizer.encode(text)[1:-1]]  # [S, H]
    return torch.nn.functional.normalize(rows.mean(dim=0), dim=0)


def _words_in_common(one: str, other: str, variant: str) -> float:
    first, second = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    common = len(first & second)
    if variant == "word overlap":
        return common / max(len(first | second), 1)  # Jaccard
    return common / max(len(first) * len(second), 1) ** 0.5  # cosine of 0/1 vectors


def main(argv: list[str] | None = None) -> int:
    return log.run(
        __file__,
        "STS benchmark, test set: Spearman's correlation with people",
        measure,
        ROWS,
        BANDS,
        tolerance=0.001,
        argv=argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
