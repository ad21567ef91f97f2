"""What warm-up, linear decay and gradient clipping are each worth alone, for chapter 8's small model with AdamW.

    python benchmarks/schedule.py            # measure everything, write logs/schedule.json
    python benchmarks/schedule.py --check    # measure two rows anew, fail outside the bands

600 steps of 64 sequences at a rate of 0.005, as in the chapter: twice the rate that is best without any of the three (see
`learning_rates.py`). Each row has one of the three, none of them, or all.
"""

import sys
from pathlib import Path

import torch
from torch import nn

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
from small_world import HELD_OUT_SEED, SEEDS, corrupted, new_model, world

from minibert.pretraining.fused import pretraining_sums
from minibert.training.memory import keep_freed_memory
from minibert.training.optim import make_optimizers, set_learning_rate

STEPS, WARMUP, BATCH, HELD_OUT_ROWS, RATE = 600, 60, 64, 256, 0.005
PARTS = {
    "none": set(),
    "warm-up": {"warm-up"},
    "decay": {"decay"},
    "clipping": {"clipping"},
    "all three": {"warm-up", "decay", "clipping"},
}
ROWS = [(variant, seed) for seed in SEEDS for variant in PARTS]
CHECKED = [("warm-up", 0), ("clipping", 0)]
BANDS = {"all three": {"mlm_loss": (0.35, 0.6)}, "warm-up": {"mlm_loss": (0.35, 0.8)}}
TOLERANCE = {"mlm_loss": 0.2}  # the other rows and NSP depend more on rounding


def factor(parts: set[str], step: int) -> float:
    """The share of the peak rate: rising during the warm-up, then falling to 0 or constant."""
    if "warm-up" in parts and step < WARMUP:
        return step / WARMUP
    return 1 - step / STEPS if "decay" in parts else 1.0


def train(parts: set[str], seed: int) -> tuple[nn.Module, float]:
    """The trained model, and the largest norm of the gradient in the first 60 steps."""
    torch.manual_seed(seed)
    model = new_model().train()
    optimizers = make_optimizers(model, "adamw", RATE, 0.0, weight_decay=0.01)
    largest = 0.0
    for step in range(STEPS):
        sums = pretraining_sums(model, **corrupted(world(seed).batch(BATCH * step, BATCH), step))
        (sums.mlm_loss / sums.mlm_count + sums.nsp_loss / sums.nsp_count).backward()
        limit = 1.0 if "clipping" in parts else float("inf")
        norm = float(nn.utils.clip_grad_norm_(model.parameters(), limit))
        largest = max(largest, norm) if step < WARMUP else largest
        set_learning_rate(optimizers, factor(parts, step))
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    return model, largest


@torch.no_grad()
def measure(variant: str, seed: int | None) -> dict:
    with torch.enable_grad():
        model, largest = train(PARTS[variant], seed)
    sums = pretraining_sums(
        model.eval(), **corrupted(world(HELD_OUT_SEED).batch(0, HELD_OUT_ROWS), HELD_OUT_SEED)
    )
    return {
        "rate": RATE,
        "mlm_loss": round(float(sums.mlm_loss / sums.mlm_count), 4),
        "nsp_loss": round(float(sums.nsp_loss / sums.nsp_count), 4),
        "largest_norm": round(largest, 2),
    }


def main(argv: list[str] | None = None) -> int:
    keep_freed_memory()
    return log.run(
        __file__,
        "Warm-up, decay and clipping, each alone, for the small model with AdamW",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv,
        checked=CHECKED,
    )


if __name__ == "__main__":
    sys.exit(main())
