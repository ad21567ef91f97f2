"""How fast inference on a CPU is, against `transformers` and against padded batches, and where the time goes.

    python benchmarks/inference.py            # measure everything, write logs/inference.json
    python benchmarks/inference.py --check    # measure anew, fail outside the bands

One thread, float32 where no other is named. The clock is the CPU time of the process. Two ways to do the same take turns, ROUNDS times, each
time on other texts; `times` is the CPU time of the other way as a multiple of minibert's, over all rounds, with the
lowest and highest round. `difference` is the largest difference between their results.

- embed: 1,000 texts, against `transformers` as a careful user runs it: batches of 32 in the given order, padded to the
  longest, sdpa attention, eval mode, inference mode. `mixed`: sentences of Wikipedia, and one in twelve is a passage of
  four to eight sentences. `sentences`: no passages. `in bfloat16`: the mixed texts, against the same in float32.
- predict: a classifier on 10,000 rows, against batches of 64 rows of similar length with padding. A sample of these
  batches is measured; they are cut from all rows in the order of their lengths, so they have little padding.
- summarize: the windows of a document, against batches of 8 windows with padding.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch and tokenizers are imported
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import functools
import random
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import torch
import torch.nn.functional as F
import transformers
from speed import KINDS, cpu_seconds
from torch.profiler import ProfilerActivity, profile

from minibert import BertModel, WordPieceTokenizer, from_pretrained
from minibert.data.corpora import documents
from minibert.finetuning import TextExample, make_task, model_for, predict
from minibert.finetuning.evaluation import run_model
from minibert.hub.find_pretrained import MINILM, SMALL, find_pretrained
from minibert.inference.sentence_embeddings import embed
from minibert.summarization.head_store import open_summarizer
from minibert.summarization.scoring import score_document

TEXTS, ROUNDS, LONG = 1000, 5, 1 / 12
PEER_BATCH, PADDED_BATCH, WINDOWS = 32, 64, 8
FILE = 10_000  # rows that are to be predicted; a sample of them is
SAMPLED = {MINILM: 4, SMALL: 8}  # of its padded batches, so many in a round
SENTENCES = {MINILM: 150, SMALL: 400}  # of a document, in a round
MODELS = {"MiniLM": MINILM, "minibert-small": SMALL}

# What is promised, and beyond what somebody has to look why.
BANDS = {
    "embed: mixed": {"times": (2.0, 10.0), "difference": (0.0, 1e-6)},
    "embed: sentences": {"times": (1.2, 5.0), "difference": (0.0, 1e-6)},
    "embed: in bfloat16": {"difference": (0.0, 5e-3)},  # slower where the processor has none
    **{
        f"{what}: {model}": {"times": (1.0, 4.0), "difference": (0.0, 1e-5)}
        for what in ("predict", "summarize")
        for model in MODELS
    },
}


def measure(variant: str, seed: int | None) -> dict:
    """One row of the log."""
    what, _, name = variant.partition(": ")
    if what == "where the time goes":
        return shares()
    return {"embed": embedding, "predict": predicting, "summarize": summarizing}[what](name)


def compare(
    mine: Callable[[int], torch.Tensor], other: Callable[[int], torch.Tensor]
) -> dict[str, float]:
    """Two ways in turn, called with the number of the round; the first round, number 0, is not counted."""
    mine(0), other(0)
    seconds, difference = [], 0.0
    for number in range(1, ROUNDS + 1):
        found = {}
        seconds.append(
            [
                cpu_seconds(lambda way=way: found.update({way: way(number)}))
                for way in ((mine, other) if number % 2 else (other, mine))
            ]
        )
        if number % 2 == 0:
            seconds[-1].reverse()
        difference = max(difference, (found[mine] - found[other]).abs().max().item())
    own, its = (sum(column) for column in zip(*seconds))
    ratios = [b / a for a, b in seconds]
    return {
        "cpu_seconds": round(own, 2),
        "other_cpu_seconds": round(its, 2),
        "times": round(its / own, 2),
        "times_low": round(min(ratios), 2),
        "times_high": round(max(ratios), 2),
        "difference": float(f"{difference:.1e}"),
    }


# -- embed ---------------------------------------------------------------------------------------------------------


def embedding(name: str) -> dict:
    texts = mixed_texts(0.0 if name == "sentences" else LONG)
    size = TEXTS // ROUNDS
    parts = [texts[:PEER_BATCH], *(texts[i : i + size] for i in range(0, TEXTS, size))]
    model, tokenizer = opened(MINILM)
    if name == "in bfloat16":
        return compare(
            lambda n: embed(model, tokenizer, parts[n], dtype=torch.bfloat16),
            lambda n: embed(model, tokenizer, parts[n]),
        )
    lengths = sorted(len(tokenizer.encode(text, max_length=512)) for text in texts)
    padded = sum(
        PEER_BATCH * max(len(tokenizer.encode(text, max_length=512)) for text in part)
        for part in (texts[i : i + PEER_BATCH] for i in range(0, TEXTS, PEER_BATCH))
    )
    found = compare(lambda n: embed(model, tokenizer, parts[n]), lambda n: peer(parts[n]))
    deciles = [lengths[i * TEXTS // 10] for i in range(10)] + [lengths[-1]]
    return {
        **found,
        "tokens": sum(lengths),
        "deciles": deciles,
        "tokens_with_padding": padded,
        "tokens_per_cpu_second": round(sum(lengths) / found["cpu_seconds"]),
    }


@functools.cache
def opened(name: str) -> tuple[BertModel, WordPieceTokenizer]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about heads that are left unread
        return from_pretrained(name, BertModel), WordPieceTokenizer.from_pretrained(name)


@functools.cache
def mixed_texts(long: float, count: int = TEXTS) -> list[str]:
    """Sentences of Wikipedia at random, and passages of four to eight of them with probability `long`."""
    rng, pages = random.Random(0), corpus()
    texts = []
    while len(texts) < count:
        page = rng.choice(pages)
        start = rng.randrange(len(page))
        several = rng.randint(4, 8) if rng.random() < long else 1
        texts.append(" ".join(page[start : start + several]))
    return texts


@functools.cache
def corpus() -> list[list[str]]:
    return list(documents("default"))


@functools.cache
def peer_model() -> tuple:
    folder = find_pretrained(MINILM)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="sdpa")
    return model.eval(), transformers.AutoTokenizer.from_pretrained(folder)


@torch.inference_mode()
def peer(texts: list[str]) -> torch.Tensor:
    """Sentence embeddings by `transformers`: [N, H]."""
    model, tokenizer = peer_model()
    vectors = []
    for start in range(0, len(texts), PEER_BATCH):
        batch = tokenizer(
            texts[start : start + PEER_BATCH],
            padding=True,
            truncation=True,
            max_length=512,
            return_tensors="pt",
        )
        hidden = model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1).to(hidden.dtype)
        vectors.append(F.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1))
    return torch.cat(vectors)


# -- predict and summarize -----------------------------------------------------------------------------------------


def predicting(name: str) -> dict:
    """Rows of a table with a text, by a classifier with an untrained head."""
    task = make_task("classification", ["no", "yes"])
    model = model_for(task, MODELS[name])
    tokenizer, count = WordPieceTokenizer.from_pretrained(MODELS[name]), SAMPLED[MODELS[name]]
    texts = mixed_texts(LONG, FILE)
    lengths = [len(ids) for ids in tokenizer.encode_texts(texts)]
    order = sorted(range(FILE), key=lengths.__getitem__)
    batches = [order[start : start + PADDED_BATCH] for start in range(0, FILE, PADDED_BATCH)]
    step = len(batches) // count

    def rows(number: int) -> list[TextExample]:
        """Whole batches from short to long, other ones in every round."""
        chosen = batches[number * step // (ROUNDS + 1) :: step][:count]
        return [TextExample(texts[i]) for batch in chosen for i in batch]

    def mine(number: int) -> torch.Tensor:
        found = predict(model, task, tokenizer, rows(number))
        return torch.tensor([prediction.probabilities["yes"] for prediction in found])

    @torch.no_grad()
    def padded(number: int) -> torch.Tensor:
        features = task.features(tokenizer, rows(number), model.config.max_position_embeddings)
        logits = [
            run_model(model, task, tokenizer, features[start : start + PADDED_BATCH], torch.float32)
            for start in range(0, len(features), PADDED_BATCH)
        ]
        return torch.cat([outputs.logits for outputs in logits]).softmax(-1)[:, 1]

    found = compare(mine, padded)
    return {**found, "rows": count * PADDED_BATCH * ROUNDS}


def summarizing(name: str) -> dict:
    """Sentences of a long document."""
    model, tokenizer = open_summarizer(MODELS[name])
    sentences = [sentence for page in corpus() for sentence in page]
    count = SENTENCES[MODELS[name]]

    def mine(number: int) -> torch.Tensor:
        part = sentences[number * count : (number + 1) * count]
        return torch.tensor(score_document(model, tokenizer, part).scores)

    def padded(number: int) -> torch.Tensor:
        part = sentences[number * count : (number + 1) * count]
        with in_padded_batches():
            return torch.tensor(score_document(model, tokenizer, part).scores)

    return {**compare(mine, padded), "sentences": count * ROUNDS}


class in_padded_batches:
    """Within it, `score_document` reads WINDOWS windows at once with padding, as it did before."""

    def __enter__(self) -> None:
        import contextlib

        from minibert.summarization import scoring

        self.old = scoring.without_padding, scoring.batches_by_tokens
        scoring.without_padding = contextlib.nullcontext
        scoring.batches_by_tokens = lambda lengths, *_: [
            list(range(start, min(start + WINDOWS, len(lengths))))
            for start in range(0, len(lengths), WINDOWS)
        ]

    def __exit__(self, *_) -> None:
        from minibert.summarization import scoring

        scoring.without_padding, scoring.batches_by_tokens = self.old


# -- where the time goes -------------------------------------------------------------------------------------------


def shares() -> dict:
    """How the time of `embed` is spent, as shares of it; and the share of the fastest matrix product."""
    model, tokenizer = opened(MINILM)
    texts = mixed_texts(LONG)[: TEXTS // ROUNDS]
    embed(model, tokenizer, texts)
    start = time.process_time()
    tokenizer(texts, max_length=512)
    tokenizing = time.process_time() - start
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        embed(model, tokenizer, texts)
    kinds = (("scaled_dot_product", "attention"), *KINDS)
    spent = defaultdict(float, {"tokenization": tokenizing * 1e6})
    for event in profiler.key_averages():
        kind = next((kind for part, kind in kinds if part in event.key.lower()), "other")
        spent[kind] += event.self_cpu_time_total
    return {
        kind: round(seconds / sum(spent.values()), 3)
        for kind, seconds in sorted(spent.items(), key=lambda item: -item[1])
    }


def main(argv: list[str] | None = None) -> int:
    torch.set_num_threads(1)
    rows = [(variant, None) for variant in (*BANDS, "where the time goes")]
    return log.run(
        __file__,
        "Speed of inference on a CPU: CPU time of another way as a multiple of minibert's, one thread",
        measure,
        rows,
        BANDS,
        tolerance={},
        argv=argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
