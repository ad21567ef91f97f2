"""What it costs to share a training step out, and how well operations counted on paper predict hours.

    python benchmarks/scaling.py            # measure everything, write logs/scaling.json
    python benchmarks/scaling.py --check    # measure anew, fail outside the bands

The clock is CPU time, summed over all processes, so that other work on the machine does not count. It says how much work
sharing adds. It does not say how much sooner a run ends on more cores or GPUs: for that a quiet machine of yours is needed.

`efficiency` is tokens per CPU-second beside one process with one thread. `share_of_peak` is the rate of the matrix products
that a step carries out, as a share of the fastest product of 1024 by 1024; `carried_out` is their share of those on paper
(minibert.inference.model_cost.training_flops): the fast form leaves out what nobody reads. `predicted` is the time that operations on
paper and the measured speed of the size mini predict for another model, by the time measured.
"""

import os

os.environ |= {
    "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    "OMP_WAIT_POLICY": "passive",
}  # waiting threads take no CPU time

import functools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from minibert import BertConfig, BertForPreTraining, WordPieceTokenizer
from minibert.data import TokenFile, write_tokens
from minibert.inference.model_cost import training_flops
from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.trainer import Pretraining
from minibert.training.distributed import joined
from minibert.training.memory import keep_freed_memory

TOKENS, ROUNDS = 4096, 3  # in a batch; updates that are measured
SIZES = {
    "teaching": (3, 128, 6144, 128),
    "mini": (4, 256, 8192, 128),
    "small": (4, 512, 8192, 128),  # layers, hidden size, vocabulary, length
    "mini, rows of 512": (4, 256, 8192, 512),
}
DRAWING = "drawing rows and masks, one of eight processes"
SHARED = {
    "1 process, 1 thread": (1, 1),
    "1 process, 2 threads": (1, 2),
    "2 processes, 1 thread each": (2, 1),
    "2 processes, 1 thread each, sharded": (2, 1),
}
BANDS = {
    "2 processes, 1 thread each": {"efficiency": (0.6, 1.1)},
    "small": {"predicted": (0.5, 2.0)},
    "teaching": {"predicted": (0.4, 2.0)},
    "mini": {"share_of_peak": (0.1, 1.0)},
}
TOLERANCE = {
    "efficiency": 0.25,
    "carried_out": 0.02,
    "predicted": 0.4,
}  # speeds are another machine's own


def measure(variant: str, seed: int | None) -> dict:
    """One row of the log."""
    if variant in SHARED:
        rates = shared(variant)
        return {
            "tokens_per_cpu_second": round(statistics.median(rates)),
            "low": round(min(rates)),
            "high": round(max(rates)),
            "efficiency": round(
                statistics.median(rates) / statistics.median(shared("1 process, 1 thread")), 3
            ),
        }
    if variant == DRAWING:
        return {"tokens_per_cpu_second": round(drawing())}
    rate, paper, carried_out = sized(variant)
    return {
        "tokens_per_cpu_second": round(rate),
        "peak_gflops": round(peak() / 1e9),
        "share_of_peak": round(carried_out * rate / peak(), 3),
        "carried_out": round(carried_out / paper, 3),
        "predicted": round(paper * rate / (sized("mini")[1] * sized("mini")[0]), 2),
    }


def make_run(size: str, processes=None, shard: bool = False, tokens: int = TOKENS) -> Pretraining:
    """A run on random words: what they are changes no time."""
    layers, hidden, vocab, length = SIZES[size]
    draw = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        write_tokens(path, (draw.integers(5, vocab, (20, 20)).tolist() for _ in range(200)), vocab)
        corpus = TokenFile(path)
    tokenizer = WordPieceTokenizer(
        {
            token: i
            for i, token in enumerate(
                ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(5, vocab))]
            )
        }
    )
    config = BertConfig(
        vocab_size=vocab,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=hidden // 64,
        intermediate_size=4 * hidden,
        max_position_embeddings=512,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    torch.manual_seed(0)
    options = PretrainingOptions(
        steps=1000,
        batch_size=tokens // length,
        length=length,
        short_share=0.0,
        long_share=0.0,
        optimizer="adamw",
    )
    more = () if processes is None else (processes, shard)
    return Pretraining(BertForPreTraining(config), corpus, tokenizer, options, *more)


def seconds_of(run: Pretraining) -> list[float]:
    """CPU-seconds of this process for each of some steps."""
    keep_freed_memory()
    run.train_step()
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        run.train_step()
        found.append(time.process_time() - start)
    return found


def drawing() -> float:
    """Tokens per CPU-second of an eighth of batches of 4,096 rows."""
    batches = make_run("teaching", tokens=4096 * 128).batches
    list(batches.micro_batches(0, 3, 8))
    start = time.process_time()
    for step in range(1, 11):
        list(batches.micro_batches(step, 3, 8))
    return 10 * 512 * 128 / (time.process_time() - start)


# -- shared out --------------------------------------------------------------------------------------------------------


@functools.cache
def shared(variant: str) -> list[float]:
    """Tokens per CPU-second in each round, all processes together."""
    count, threads = SHARED[variant]
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        str(count),
        str(Path(__file__).resolve()),
        "--as-one-of-them",
        *(["--shard"] if "sharded" in variant else []),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": str(threads)}
    )
    if done.returncode:
        raise ValueError(f"{variant}: {done.stderr[-500:]}")
    return json.loads(done.stdout.splitlines()[-1])


def as_one_of_them(shard: bool) -> None:
    with joined(torch.device("cpu")) as processes:
        seconds = processes.sum(
            torch.tensor(seconds_of(make_run("mini", processes, shard)), dtype=torch.float64)
        )
        if processes.rank == 0:
            print(json.dumps((TOKENS / seconds).tolist()))


# -- paper and practice ------------------------------------------------------------------------------------------------


@functools.cache
def sized(size: str) -> tuple[float, float, float]:
    """Tokens per CPU-second of a model; operations for a token, on paper and as they are carried out."""
    run = make_run(size)
    rate = TOKENS / statistics.median(seconds_of(run))
    with FlopCounterMode(display=False) as counter:
        run.train_step()
    return (
        rate,
        training_flops(run.model.config, 1, SIZES[size][3], run.options.mask_rate),
        counter.get_total_flops() / TOKENS,
    )


@functools.cache
def peak() -> float:
    """Floating-point operations per CPU-second of a matrix product in the precision of the training."""
    precision = make_run("teaching").precision
    x = torch.randn(1024, 1024, dtype=precision)
    best = float("inf")
    for _ in range(60):
        start = time.process_time()
        x @ x
        best = min(best, time.process_time() - start)
    return 2 * 1024**3 / best


def main(argv: list[str] | None = None) -> int:
    rows = [(variant, None) for variant in (*SIZES, *SHARED, DRAWING)]
    return log.run(
        __file__,
        "Sharing a step out, and hours from operations",
        measure,
        rows,
        BANDS,
        tolerance=TOLERANCE,
        argv=argv,
    )


if __name__ == "__main__":
    if "--as-one-of-them" in sys.argv:
        as_one_of_them("--shard" in sys.argv)
    else:
        raise SystemExit(main())
