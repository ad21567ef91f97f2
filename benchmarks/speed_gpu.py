"""How fast pretraining is on an NVIDIA GPU, against `transformers`.

    python benchmarks/speed_gpu.py                      # measure everything, write logs/speed_gpu.json
    python benchmarks/speed_gpu.py --seconds 100        # the most important sizes first, and stop after 100 seconds
    python benchmarks/speed_gpu.py --device cpu --tiny  # run every line on tiny models, and write nothing

One process, bfloat16. All variants of a size and length take turns: after a warm-up each trains for SECONDS (forward,
backward, clipping, update by fused AdamW), ROUNDS times. The clock is the wall clock, read when the GPU has finished.
Reported are medians over the rounds, with the lowest and the highest.

tokens_per_second  real tokens, without the padding
times              how many times the tokens per second of `transformers, careful` on the same rows, round by round
tflop_per_step     matrix products of an uncompiled step of minibert on the same rows, forward and backward, as
                   FlopCounterMode counts them: what the padding costs is part of it, and so are the scores of attention
                   that a fused backward pass computes again
share_of_peak      these operations per second of the variant, as a share of what a product of two large matrices reaches
memory_mb          peak memory of a step: the variant's own weights and state of the optimiser, and all that a step adds

Batches lie on the CPU for minibert, which copies them while the GPU works, and on the GPU for `transformers`. Each variant
sees one batch again and again. Rows are full, or filled to 60%; minibert has no path that removes the padding in training.
"""

import argparse
import functools
import json
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import torch
from contestants import (
    Batch,
    Contestant,
    careful,
    config,
    even_lengths,
    mean_loss,
    ours,
    random_batch,
)
from gpu import TimeOver, free, machine, matrix_rates, noting, peak_mb, seconds_each, speeds, until
from torch.utils.flop_counter import FlopCounterMode

from minibert.pretraining.fused import FusedPreTraining

ROUNDS, SECONDS, WARM_UP = 5, 0.3, 3  # SECONDS of a round; WARM_UP steps
RATES = (1e-4, 4e-4)  # low enough that the largest model stays finite without a warm-up
SIZES = {  # layers, hidden size, vocabulary, tokens in a step
    "base": (12, 768, 30522, 32_768),
    "mini": (4, 256, 8192, 131_072),
    "small": (4, 512, 8192, 65_536),
}
TINY = {"base": (3, 64, 100, 512), "mini": (3, 64, 100, 512), "small": (2, 64, 100, 512)}
ORDER = (("base", 512), ("base", 128), ("mini", 128), ("mini", 512), ("small", 128), ("small", 512))
COMPILED = (("base", 128), ("mini", 128))  # last of all, because compiling takes long
AIMS = {"base 512: minibert": {"share_of_peak": 0.5}}

MINE, PEER, FASTER = "minibert", "transformers, careful", "minibert, compiled"
FILLED = {f"{MINE}, 60% filled, padding kept": 0.6, f"{PEER}, 60% filled": 0.6}


class Bench:
    """The measurements on one device; `rows` are those of the log so far."""

    def __init__(self, device: str, tiny: bool, deadline: float | None) -> None:
        self.device, self.tiny, self.deadline = device, tiny, deadline
        self.sizes = TINY if tiny else SIZES
        self.rounds, self.seconds = (1, 0.0) if tiny else (ROUNDS, SECONDS)
        self.peak: float | None = None  # operations per second
        self.rows: list[dict] = []
        self.contestant = functools.cache(self._contestant)  # two models a size, for all its rows

    def matrix_product(self) -> None:
        """The ceiling."""
        row: dict = {"variant": "matrix product", "seed": None}
        with until(self.deadline), noting(row, self.device):
            size = 64 if self.tiny else 8192
            rates = matrix_rates(self.device, size)
            self.peak = statistics.median(rates)
            names = ("tflops", "lowest", "highest")
            values = (self.peak, min(rates), max(rates))
            row |= {name: round(value / 1e12, 1) for name, value in zip(names, values)}
        self._add(row)

    def turns(self, size: str, length: int) -> None:
        """The rows of all variants that are not compiled."""
        self._measure(size, length, {MINE: None, PEER: None, **FILLED}, [])

    def compiled(self, size: str, length: int) -> None:
        """The row of the compiled variant, which takes turns with the two that it is compared with."""
        self._measure(size, length, {MINE: None, FASTER: None, PEER: None}, [MINE, PEER])

    def _measure(
        self, size: str, length: int, fills: dict[str, float | None], known: list[str]
    ) -> None:
        """Let variants take turns, and add the row of each that is not `known`, also if time is over in between."""
        rates: dict[str, list[float]] = defaultdict(list)
        found: dict[str, dict] = {
            name: {"variant": f"{size} {length}: {name}", "seed": None} for name in fills
        }
        flops: dict[float | None, int] = {}
        ready: dict[str, tuple[Contestant, Batch]] = {}
        try:
            with until(self.deadline):
                for name, fill in fills.items():
                    with noting(found[name], self.device):
                        contestant, batch, facts = self._build(size, length, name, fill)
                        found[name] |= facts | self._prepare(contestant, batch)
                        if fill not in flops and name.startswith(MINE):
                            flops[fill] = counted_flops(contestant, batch)
                        ready[name] = contestant, batch
                for _ in range(self.rounds):
                    for name, (contestant, batch) in ready.items():
                        row = found[name]
                        if "error" not in row:
                            with noting(row, self.device):
                                step = functools.partial(contestant.update, batch)
                                seconds = seconds_each(self.device, step, row["steps_per_round"])
                                rates[name].append(row["real_tokens"] / seconds)
        finally:
            for name, fill in fills.items():
                if name not in known and (rates[name] or "error" in found[name]):
                    rivals = {"": rates[PEER if fill is None else f"{PEER}, 60% filled"]}
                    if name == FASTER:
                        rivals["_minibert"] = rates[MINE]
                    found[name] |= speeds(rates[name], rivals)
                    found[name] |= self._work(found[name], flops.get(fill))
                    self._add(found[name])
            ready.clear()
            free(self.device)

    def _build(
        self, size: str, length: int, name: str, fill: float | None
    ) -> tuple[Contestant, Batch, dict]:
        """A variant, its batch where it has to be, and what its row says about it."""
        _, _, vocab, tokens = self.sizes[size]
        length = length // 8 if self.tiny else length
        rows = tokens // length
        lengths = even_lengths(length, fill) if fill else None
        batch = random_batch(vocab, rows, length, lengths, seed=0)
        real = rows * length if lengths is None else int(batch["attention_mask"].sum())
        contestant = self.contestant(size, name.startswith(MINE))
        if name == FASTER:
            contestant = compiled(contestant, "aot_eager" if self.tiny else "inductor")
        if not name.startswith(MINE):
            batch = {key: x if x is None else x.to(self.device) for key, x in batch.items()}
        fill = round(real / (rows * length), 3)
        return contestant, batch, {"rows": rows, "real_tokens": real, "fill": fill}

    def _contestant(self, size: str, mine: bool) -> Contestant:
        torch.manual_seed(0)
        layers, hidden, vocab, _ = self.sizes[size]
        shape = config(layers, hidden, vocab, positions=512)
        contestant = (ours if mine else careful)(shape, rates=RATES, device=self.device)
        contestant.model.train()
        return contestant

    def _prepare(self, contestant: Contestant, batch: Batch) -> dict:
        """Warm a variant up; its peak memory, and how many of its steps make a round."""
        step = functools.partial(contestant.update, batch)
        started = time.perf_counter()
        losses = [step().item() for _ in range(WARM_UP)]
        warm_up = round(time.perf_counter() - started, 1)
        memory = peak_mb(self.device, contestant, step)
        one = seconds_each(self.device, step, 1 if self.tiny else 3)
        steps = max(1, round(self.seconds / one))
        seconds_each(self.device, step, steps)  # a round that does not count: it fills the caches
        return {
            "losses": [round(loss, 3) for loss in losses],
            "warm_up_seconds": warm_up,
            "steps_per_round": steps,
            "memory_mb": memory,
        }

    def _work(self, row: dict, flops: int | None) -> dict:
        if not flops or "tokens_per_second" not in row:
            return {}
        rate = flops * row["tokens_per_second"] / row["real_tokens"]
        share = round(rate / self.peak, 3) if self.peak else None
        return {
            "tflop_per_step": round(flops / 1e12, 4),
            "tflops_per_second": round(rate / 1e12, 1),
            "share_of_peak": share,
        }

    def _add(self, row: dict) -> None:
        self.rows.append(row)
        print(
            ", ".join(f"{key} {value}" for key, value in row.items() if value is not None),
            flush=True,
        )


def compiled(mine: Contestant, backend: str) -> Contestant:
    """The same model, with each layer compiled but the last, whose shapes depend on the batch's values."""
    import torch._dynamo  # slow, and seldom needed

    for name in ("recompile_limit", "cache_size_limit"):  # its newer and its older name
        if hasattr(torch._dynamo.config, name):
            setattr(torch._dynamo.config, name, 64)
    fast = FusedPreTraining(mine.model, torch.bfloat16)
    for layer in fast.layers[:-1]:
        layer.compile(dynamic=False, backend=backend)
    return Contestant(mine.model, mean_loss(fast), mine.optimizers)


def counted_flops(contestant: Contestant, batch: Batch) -> int:
    """What the matrix products of a step cost, as they are carried out; other operations are not counted."""
    with FlopCounterMode(display=False) as counter:
        contestant.update(batch)
    return counter.get_total_flops()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Speed of pretraining on an NVIDIA GPU")
    parser.add_argument("--out", type=Path, help="the log; by default logs/speed_gpu.json")
    parser.add_argument("--seconds", type=float, help="stop after these seconds")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--tiny", action="store_true", help="tiny models, one round: a test")
    asked = parser.parse_args(argv)
    if asked.device == "cuda" and not torch.cuda.is_available():
        print("speed_gpu.py: this machine has no NVIDIA GPU that PyTorch can use", file=sys.stderr)
        return 2
    real = asked.device == "cuda" and not asked.tiny
    out = asked.out or (log.LOGS / "speed_gpu.json" if real else None)
    started = time.perf_counter()
    deadline = None if asked.seconds is None else started + asked.seconds
    bench = Bench(asked.device, asked.tiny, deadline)
    head = {
        "benchmark": "Speed of pretraining on an NVIDIA GPU: real tokens per second, share of peak, memory",
        "command": "python benchmarks/speed_gpu.py"
        + ("" if asked.seconds is None else f" --seconds {asked.seconds:g}")
        + ("" if real else f" --device {asked.device}" + " --tiny" * asked.tiny),
        "code": log.code(__file__),
        "machine": machine(asked.device),
        "versions": log.versions(),
        "bands": {},
        "aims": AIMS,
    }
    print(head["machine"], head["versions"], flush=True)
    todo = [("matrix product", bench.matrix_product)]
    todo += [
        (f"{size} {length}", functools.partial(bench.turns, size, length)) for size, length in ORDER
    ]
    todo += [
        (f"{size} {length}, compiled", functools.partial(bench.compiled, size, length))
        for size, length in COMPILED
    ]
    missing = [name for name, _ in todo]
    for name, action in todo:
        try:
            action()
            missing.remove(name)
        except TimeOver:
            print(
                f"the {asked.seconds:g} seconds are over; not or not wholly measured: {'; '.join(missing)}"
            )
            break
        finally:  # after each: what is measured stays, whatever comes
            seconds = round(time.perf_counter() - started, 1)
            tail = {"rows": bench.rows, "missing": missing, "seconds": seconds}
            if out:
                out.parent.mkdir(parents=True, exist_ok=True)
                out.write_text(json.dumps(head | tail, indent=2) + "\n", encoding="utf-8")
    print(f"\n{'':52}{'tokens/s':>12}{'times':>7}{'of peak':>9}{'MB':>8}")
    for row in bench.rows:
        values = [
            row.get(key) for key in ("tokens_per_second", "times", "share_of_peak", "memory_mb")
        ]
        cells = ["–" if value is None else f"{value:,}" for value in values]
        print(
            f"{row['variant']:52}{cells[0]:>12}{cells[1]:>7}{cells[2]:>9}{cells[3]:>8}",
            row.get("error", "")[:80],
        )
    if out:
        print(f"written: {out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
