"""How fast pretraining is, against `transformers` and nn.TransformerEncoder, and where the time goes.

    python benchmarks/speed.py            # measure everything, write logs/speed.json
    python benchmarks/speed.py --check    # measure anew, fail outside the bands

One thread. All variants of a size take turns in one process, a training step each (forward, backward, clipping, update),
ROUNDS times; the clock is the CPU time of the process. Reported are medians; `times` is how many times the real tokens
per CPU-second of a variant minibert processes, with the lowest and highest round. Peak memory is each variant's own
process, three steps, less what it held after the imports; `memory_share` is minibert's as a share of it.

Rows are full (`careful`, minibert), or padded: as the original's packing makes them, or filled to 60%.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import functools
import json
import random
import re
import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import islice
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import torch
from contestants import (
    Batch,
    Contestant,
    careful,
    config,
    default,
    even_lengths,
    ours,
    plain,
    random_batch,
    set_allocator,
)
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from minibert.data.corpora import documents
from minibert.data.original import create_instances_from_document

ROWS, LENGTH, ROUNDS = 32, 128, 5
SIZES = {"mini": (4, 256, 8192), "teaching": (3, 128, 6144)}  # layers, hidden size, vocabulary

VARIANTS = {  # name -> how it is built, and how its rows are filled
    "minibert": (ours, "full"),
    "minibert, float32": (lambda shape: ours(shape, precision=torch.float32), "full"),
    "minibert, Muon": (lambda shape: ours(shape, "muon"), "full"),
    "transformers, careful": (careful, "full"),
    "transformers, careful, eager attention": (
        lambda shape: careful(shape, attention="eager"),
        "full",
    ),
    "transformers, default, original packing": (default, "original"),
    "transformers, default, 60% filled": (default, "60%"),
    "nn.TransformerEncoder, 60% filled": (plain, "60%"),
}
WEIGHED = (
    "minibert",
    "transformers, careful",
    "transformers, default, 60% filled",
)  # whose memory is measured
DROPOUT = {default: 0.1, plain: 0.1}

# What `minibert` reaches against each, at least; and beyond what somebody has to look why.
BANDS = {
    f"{size}: {variant}": values
    for size in SIZES
    for variant, values in {
        "minibert": {"share_of_peak": (0.2, 1.0)},
        "transformers, careful": {"times": (1.8, 6.0), "memory_share": (0.0, 0.5)},
        "transformers, default, 60% filled": {"times": (5.0, 20.0)},
    }.items()
}

KINDS = (  # what the profiler calls it -> what it is; the first that is part of the name counts
    ("addmm", "linear maps"),
    ("aten::mm", "linear maps"),
    ("aten::linear", "linear maps"),
    ("bmm", "attention: products"),
    ("log_softmax", "loss"),
    ("nll_loss", "loss"),
    ("argmax", "loss"),
    ("softmax", "attention: softmax"),
    ("gelu", "activation"),
    ("layer_norm", "norms"),
    ("aten::sum", "gradients of biases"),
    ("adam", "update"),
    ("foreach", "update"),
    ("norm", "update"),
    ("copy_", "copies and casts"),
    ("aten::cat", "copies and casts"),
    ("index", "gathering"),
    ("embedding", "gathering"),
)


def measure(variant: str, seed: int | None) -> dict:
    """One row of the log: a variant at one size, or where the time of `minibert` goes."""
    size, name = variant.split(": ")
    if name == "where the time goes":
        return shares(size)
    found = rounds(size)[name]
    if name not in WEIGHED:
        return found
    mine, its = memory(size, "minibert"), memory(size, name)
    return {**found, **its, "memory_share": round(mine["memory_mb"] / its["memory_mb"], 2)}


def build(size: str, name: str, fill: list[int] | None) -> tuple[Contestant, Batch]:
    torch.manual_seed(0)
    layers, hidden, vocab = SIZES[size]
    make, _ = VARIANTS[name]
    contestant = make(config(layers, hidden, vocab, DROPOUT.get(make, 0.0)))
    contestant.model.train()
    return contestant, random_batch(vocab, ROWS, LENGTH, fill, seed=0)


def filling(name: str) -> list[int] | None:
    """How many tokens each row of a variant's batch has; None: all."""
    kind = VARIANTS[name][1]
    return (
        None
        if kind == "full"
        else original_lengths()
        if kind == "original"
        else even_lengths(LENGTH, 0.6)
    )


@functools.cache
def original_lengths() -> list[int]:
    """How long the rows are that the original's packing makes of the default corpus, a word counting 1.3 pieces."""
    texts = [
        [("w " * round(1.3 * len(sentence.split()))).split() or ["w"] for sentence in document]
        for document in islice(documents("default"), 40)
    ]
    rng = random.Random(0)
    rows = sorted(
        len(instance.tokens)
        for index in range(len(texts))
        for instance in create_instances_from_document(
            texts,
            index,
            max_seq_length=LENGTH,
            short_seq_prob=0.1,
            masked_lm_prob=0.15,
            max_predictions_per_seq=20,
            vocab_words=["w"],
            rng=rng,
        )
    )
    return rows[len(rows) // ROWS // 2 :: len(rows) // ROWS][:ROWS]  # evenly through all of them


@functools.cache
def rounds(size: str) -> dict[str, dict]:
    """All variants of a size, a step each in turn."""
    built = {name: build(size, name, filling(name)) for name in VARIANTS}
    real = {name: tokens(batch) for name, (_, batch) in built.items()}
    flops = {
        name: counted_flops(contestant, batch) for name, (contestant, batch) in built.items()
    }  # it warms up, too
    rates, peaks = defaultdict(list), defaultdict(list)
    for _ in range(ROUNDS):
        for dtype in (torch.bfloat16, torch.float32):
            peaks[dtype].append(matrix_peak(dtype))
        set_allocator(True)
        built["transformers, careful"][0].step(
            built["transformers, careful"][1]
        )  # not counted: it asks again for what the last ones gave back
        for name, (contestant, batch) in built.items():
            set_allocator(contestant.keeps_memory)
            rates[name].append(real[name] / cpu_seconds(lambda: contestant.step(batch)))
    found = {}
    for name, rate in rates.items():
        times = [mine / its for mine, its in zip(rates["minibert"], rate)]
        dtype = (
            torch.float32
            if built[name][0].keeps_memory is False or "float32" in name
            else torch.bfloat16
        )
        speed = statistics.median(rate)
        found[name] = {
            "tokens_per_cpu_second": round(speed),
            "times": round(statistics.median(times), 2),
            "times_low": round(min(times), 2),
            "times_high": round(max(times), 2),
            "fill": round(real[name] / (ROWS * LENGTH), 3),
            "gflops_per_second": round(flops[name] / real[name] * speed / 1e9, 1),
            "share_of_peak": round(flops[name] / real[name] * speed / max(peaks[dtype]), 3),
            "peak_gflops": round(max(peaks[dtype]) / 1e9),
        }
    return found


def tokens(batch: Batch) -> int:
    mask = batch["attention_mask"]
    return batch["input_ids"].numel() if mask is None else int(mask.sum())


def cpu_seconds(action: Callable) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def matrix_peak(dtype: torch.dtype, size: int = 1024) -> float:
    """Floating-point operations per CPU-second of a square matrix product."""
    x = torch.randn(size, size, dtype=dtype)
    return 2 * size**3 / min(cpu_seconds(lambda: x @ x) for _ in range(3))


def counted_flops(contestant: Contestant, batch: Batch) -> int:
    """What the matrix products of a step cost, as they are carried out; other operations are not counted."""
    with FlopCounterMode(display=False) as counter:
        contestant.step(batch)
    return counter.get_total_flops()


@functools.cache
def memory(size: str, name: str) -> dict:
    """Peak memory in MB of a process of its own, less what it held after the imports."""
    code = f"import sys; sys.argv = ['']; import speed; speed.print_memory({size!r}, {name!r}, {filling(name)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    if done.returncode:
        raise ValueError(f"the process that measures memory failed: {done.stderr[-500:]}")
    return json.loads(done.stdout.splitlines()[-1])


def print_memory(size: str, name: str, fill: list[int] | None) -> None:
    before = peak_kib()
    contestant, batch = build(size, name, fill)
    set_allocator(contestant.keeps_memory)
    for _ in range(3):
        contestant.step(batch)
    print(
        json.dumps(
            {"memory_mb": round((peak_kib() - before) / 1024), "imports_mb": round(before / 1024)}
        )
    )


def peak_kib() -> int:
    """The most memory that this process has held. Linux counts into getrusage's figure what the parent held at the fork."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (
        1024 if sys.platform == "darwin" else 1
    )


def shares(size: str) -> dict:
    """How the time of a step of `minibert` is spent, as shares of it."""
    contestant, batch = build(size, "minibert", None)
    set_allocator(contestant.keeps_memory)
    contestant.step(batch)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for _ in range(3):
            contestant.step(batch)
    spent = defaultdict(float)
    for event in profiler.key_averages():
        spent[next((kind for part, kind in KINDS if part in event.key.lower()), "other")] += (
            event.self_cpu_time_total
        )
    return {
        kind: round(time / sum(spent.values()), 3)
        for kind, time in sorted(spent.items(), key=lambda item: -item[1])
    }


def main(argv: list[str] | None = None) -> int:
    torch.set_num_threads(1)
    rows = [
        (f"{size}: {name}", None) for size in SIZES for name in [*VARIANTS, "where the time goes"]
    ]
    return log.run(
        __file__,
        "Speed of pretraining: real tokens per CPU-second, peak memory, one thread",
        measure,
        rows,
        BANDS,
        tolerance={},
        argv=argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
