"""What the model inside the package can do, on text that it has never seen, beside its controls.

    python benchmarks/shipped.py            # measure everything, write logs/shipped.json
    python benchmarks/shipped.py --check    # measure one seed of each anew, fail outside the bands

Read is the held-out part of the developers' corpus, in rows of 128 tokens, and of 512 where a row says so: every fourth
row for the masked words, every sixteenth for what stands beside them. The seeds draw the masks and the pairs. The controls are the guess that knows no context and models of the same shape with random weights. Forty prompts, in
prompts.toml, were written before the model was trained. The last rows ask which pronoun it expects for a profession.
"""

import json
import lzma
import sys
import tempfile
import tomllib
from functools import cache
from pathlib import Path

import torch

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log

from minibert import BertForPreTraining, WordPieceTokenizer, from_pretrained
from minibert.data import TokenFile, write_tokens
from minibert.data.masking import (
    PUBLISHED,
)
from minibert.data.sentences import split_sentences
from minibert.hub.find_pretrained import SMALL
from minibert.inference.fill_mask import fill_mask
from minibert.pretraining.mlm_evaluation import (
    evaluate_mlm,
    evaluate_whole_words,
    text_sequences,
    unigram_scores,
)
from minibert.pretraining.nsp_evaluation import evaluate_nsp

HELD_OUT = log.ROOT.parent / "shared" / "corpus" / "valid.jsonl.xz"
PROMPTS = Path(__file__).resolve().parent / "prompts.toml"
LENGTH = 128
KINDS = {
    "wikipedia": ("wikitext-articles", "simplewiki", "vital3", "enwiki-2018"),
    "textbooks": ("openstax",),
    "stories": ("standardebooks", "classics"),
    "speeches": ("un",),
}
PROFESSIONS = (
    "nurse",
    "teacher",
    "secretary",
    "cook",
    "doctor",
    "lawyer",
    "engineer",
    "soldier",
    "farmer",
    "scientist",
)
SEEDS = (0, 1, 2)
ROWS = [
    (variant, seed)
    for variant in (
        "masked words",
        "masked words, 80/10/10",
        "masked words, rows of 512",
        "whole words",
        "next sentence",
        "unigram guess",
        "untrained, masked words",
        "untrained, next sentence",
        "untrained, prompts",
    )
    for seed in SEEDS
] + [("by kind of text", 0), ("prompts", None), ("she or he", None)]
BANDS = {
    "masked words": {"top1": (0.44, 0.47)},
    "masked words, rows of 512": {"top1": (0.42, 0.48)},
    "next sentence": {"accuracy": (0.85, 0.92), "order_accuracy": (0.4, 0.6)},
    "prompts": {"first": (18, 40)},
    "untrained, masked words": {"top1": (0, 0.06)},
    "untrained, next sentence": {"accuracy": (0.3, 0.7)},
    "untrained, prompts": {"first": (0, 1)},
    "unigram guess": {"top1": (0.04, 0.06)},
}


@cache
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer.from_pretrained(SMALL)


@cache
def shipped() -> BertForPreTraining:
    return from_pretrained(SMALL)


@cache
def untrained(seed: int) -> BertForPreTraining:
    """A model of the same shape that has learned nothing."""
    torch.manual_seed(seed)
    return BertForPreTraining(shipped().config).eval()


@cache
def held_out() -> tuple[TokenFile, torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]:
    """The held-out text: as a token file, as rows [rows, LENGTH] and [rows, 512], and rows of each kind of text."""
    if not HELD_OUT.is_file():
        raise ValueError(
            f"there is no {HELD_OUT.name} in {HELD_OUT.parent}: the held-out text is on the developers' machines only"
        )
    with lzma.open(HELD_OUT, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    documents = [tokenizer().encode_texts(split_sentences(record["text"])) for record in records]

    def token_file(name: str, wanted) -> TokenFile:
        path = Path(scratch().name) / f"{name}.tokens"
        write_tokens(path, wanted, tokenizer().vocab_size)
        return TokenFile(path)

    by_kind = {}
    for kind, sources in KINDS.items():
        wanted = (
            document for document, record in zip(documents, records) if record["source"] in sources
        )
        rows = text_sequences(token_file(kind, wanted), LENGTH, tokenizer())
        by_kind[kind] = rows[:: max(1, len(rows) // 30)]
    everything = token_file("everything", documents)
    return (
        everything,
        text_sequences(everything, LENGTH, tokenizer()),
        text_sequences(everything, 512, tokenizer()),
        by_kind,
    )


@cache
def scratch() -> tempfile.TemporaryDirectory:
    """A folder for token files, which are read from the disk as long as this program runs."""
    return tempfile.TemporaryDirectory(ignore_cleanup_errors=True)


def measure(variant: str, seed: int | None) -> dict:
    """One row of the log."""
    if variant == "she or he":
        return {profession: round(share_of_she(profession), 3) for profession in PROFESSIONS}
    model = untrained(seed) if variant.startswith("untrained") else shipped()
    if variant.endswith("prompts"):
        return prompt_scores(model)
    corpus, rows, long_rows, by_kind = held_out()
    some = rows[::16]
    match variant.removeprefix("untrained, "):
        case "masked words":
            return masked(
                evaluate_mlm(
                    model, rows[::4] if model is shipped() else rows[::256], tokenizer(), seed=seed
                )
            )
        case "masked words, 80/10/10":
            return masked(evaluate_mlm(model, some, tokenizer(), seed=seed, replace=PUBLISHED))
        case "masked words, rows of 512":
            return masked(evaluate_mlm(model, long_rows[::16], tokenizer(), seed=seed))
        case "whole words":
            scores = evaluate_whole_words(model, some, tokenizer(), seed=seed)
            return {
                "words": scores.words,
                "top1": round(scores.accuracy, 4),
                "bits_per_word": round(scores.bits_per_word, 3),
            }
        case "next sentence":
            scores = evaluate_nsp(
                model,
                corpus,
                LENGTH,
                tokenizer(),
                seed=seed,
                pairs=400 if model is shipped() else 30,
            )
            return {
                name: round(getattr(scores, name), 4)
                for name in (
                    "pairs",
                    "accuracy",
                    "following",
                    "other_document",
                    "swapped",
                    "order_accuracy",
                )
            }
        case "unigram guess":
            return masked(unigram_scores(rows, tokenizer(), seed=seed))
        case "by kind of text":
            return {
                kind: round(evaluate_mlm(model, some, tokenizer(), seed=seed).accuracy, 4)
                for kind, some in by_kind.items()
            }


def masked(scores) -> dict:
    return {
        "predictions": scores.predictions,
        "top1": round(scores.accuracy, 4),
        "top5": round(scores.top5, 4),
        "loss": round(scores.loss, 4),
        "bits_per_word": round(scores.bits_per_word, 3),
    }


def prompts() -> list[dict]:
    """The prompts: kind, text with one [MASK], accepted words."""
    return tomllib.loads(PROMPTS.read_text(encoding="utf-8"))["prompt"]


def prompt_scores(model: BertForPreTraining) -> dict:
    """In how many prompts the first word is accepted, by kind and in all, and in how many one of the first five."""
    scores = {"prompts": len(prompts()), "first": 0, "among five": 0} | {
        prompt["kind"]: 0 for prompt in prompts()
    }
    for prompt in prompts():
        right = [
            word in prompt["accepted"]
            for word, _ in fill_mask(model, tokenizer(), prompt["text"], top=5)[0]
        ]
        scores["first"] += right[0]
        scores["among five"] += any(right)
        scores[prompt["kind"]] += right[0]
    return scores


def share_of_she(profession: str) -> float:
    """p(she) / (p(she) + p(he)) where a sentence names nothing but a profession."""
    words = dict(
        fill_mask(
            shipped(),
            tokenizer(),
            f"The {profession} was tired because [MASK] had worked all day.",
            top=tokenizer().vocab_size,
        )[0]
    )
    return words["she"] / (words["she"] + words["he"])


def main(argv: list[str] | None = None) -> int:
    return log.run(
        __file__,
        "The model inside the package, minibert-small, on held-out text",
        measure,
        ROWS,
        BANDS,
        tolerance=0.005,
        argv=argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
