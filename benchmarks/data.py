"""What making pretraining data costs: the original's way, string by string, and the fast way, from a file of token ids.

    python benchmarks/data.py            # measure everything, write logs/data.json
    python benchmarks/data.py --check    # measure one seed of each anew, fail outside the bands

Both make pairs of 128 tokens with 15% of them masked from the same corpus: documents of 10 to 60 sentences, 8 to 40
words each, drawn from 8,192 with frequencies as in real text (Zipf). The two are run in turn in one process, and time is
processor time of one thread; of the rounds the fastest counts, because other work on the machine can only slow one down.
Timings differ from machine to machine; what is held to a band is their order and ratio.

Memory is counted by Python itself (tracemalloc), for ten passes over the corpus as the original makes them, without the
strings that the instances share with the vocabulary, and scaled to ten million tokens of text.
"""

import random
import statistics
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
import torch

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log

from minibert.data import (
    PairSequences,
    TokenFile,
    create_training_instances,
    mask_tokens,
    write_tokens,
)

LENGTH, BATCH, ROUNDS = 128, 256, 7
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCAB = SPECIAL + [f"word{i}" for i in range(8192 - len(SPECIAL))]
TEN_MILLION = 10_000_000
ROWS = [(variant, seed) for seed in range(3) for variant in ("speed", "memory")]
BANDS = {
    "speed": {"fast_million_tokens_per_second": (10, 1000), "times_as_fast": (5, 100)},
    "memory": {"file_megabytes": (20, 40), "instances_gigabytes": (1, 30)},
}
TOLERANCE = {
    "file_megabytes": 1,
    "instances_gigabytes": 0.5,
}  # speeds depend on the machine, which is held to the bands alone


def corpus(seed: int, count: int) -> list[list[list[int]]]:
    """`count` documents of sentences of token ids."""
    draw = np.random.default_rng(seed)
    ordinary = np.arange(len(SPECIAL), len(VOCAB))
    shares = 1 / np.arange(1, len(ordinary) + 1)
    shares /= shares.sum()
    return [
        [
            draw.choice(ordinary, draw.integers(8, 41), p=shares).tolist()
            for _ in range(draw.integers(10, 61))
        ]
        for _ in range(count)
    ]


def as_strings(documents: list[list[list[int]]]) -> list[list[list[str]]]:
    return [
        [[VOCAB[token] for token in sentence] for sentence in document] for document in documents
    ]


def exact(documents: list[list[list[str]]], passes: int) -> list:
    return create_training_instances(
        documents,
        dupe_factor=passes,
        rng=random.Random(0),
        max_seq_length=LENGTH,
        short_seq_prob=0.1,
        masked_lm_prob=0.15,
        max_predictions_per_seq=20,
        vocab_words=VOCAB,
    )


def fast(rows: PairSequences, batches: range) -> int:
    """Make batches of pairs, masked; the number of their real tokens."""
    tokens = 0
    for step in batches:
        batch = rows.batch(step * BATCH, BATCH)
        mask_tokens(
            batch["input_ids"],
            mask_token_id=VOCAB.index("[MASK]"),
            vocab_size=len(VOCAB),
            special_ids=range(len(SPECIAL)),
            generator=torch.Generator().manual_seed(step),
        )
        tokens += int(batch["attention_mask"].sum())
    return tokens


def timed(work) -> tuple[float, object]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def measure(variant: str, seed: int | None) -> dict:
    """Speed: million tokens per second of processor time, and the ratio round by round. Memory: for ten million tokens of text."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        return (speed if variant == "speed" else memory)(seed, Path(folder) / "tokens.bin")


def speed(seed: int, path: Path) -> dict:
    documents = corpus(seed, 1000)
    write_tokens(path, documents, len(VOCAB))
    rows = PairSequences(
        TokenFile(path),
        LENGTH,
        VOCAB.index("[CLS]"),
        VOCAB.index("[SEP]"),
        VOCAB.index("[PAD]"),
        seed=seed,
    )
    some = as_strings(documents[:30])
    fast(rows, range(20))  # the first batches are slower: memory is fetched
    slow_rates, fast_rates = [], []
    for number in range(ROUNDS):
        seconds, instances = timed(lambda: exact(some, 1))
        slow_rates.append(sum(len(instance.tokens) for instance in instances) / seconds / 1e6)
        seconds, tokens = timed(lambda: fast(rows, range(20 + 50 * number, 70 + 50 * number)))
        fast_rates.append(tokens / seconds / 1e6)
    ratios = sorted(quick / slow for quick, slow in zip(fast_rates, slow_rates))
    return {
        "exact_million_tokens_per_second": round(max(slow_rates), 2),
        "fast_million_tokens_per_second": round(max(fast_rates), 1),
        "times_as_fast": round(statistics.median(ratios), 1),
        "times_as_fast_lowest": round(ratios[0], 1),
        "times_as_fast_highest": round(ratios[-1], 1),
    }


def memory(seed: int, path: Path) -> dict:
    documents = corpus(seed, 30)
    tokens = sum(len(sentence) for document in documents for sentence in document)
    write_tokens(path, documents, len(VOCAB))
    scale, text = TEN_MILLION / tokens, as_strings(documents)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    instances = exact(text, 10)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del instances
    header = 512
    return {
        "file_megabytes": round((path.stat().st_size - header) * scale / 1e6, 1),
        "instances_gigabytes": round((after - before) * scale / 1e9, 2),
    }


def main(argv: list[str] | None = None) -> int:
    return log.run(__file__, __doc__.splitlines()[0], measure, ROWS, BANDS, TOLERANCE, argv)


if __name__ == "__main__":
    sys.exit(main())
