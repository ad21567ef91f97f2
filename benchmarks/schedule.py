"""What warm-up, linear decay and gradient clipping are each worth alone, for chapter 8's small model with AdamW.

    python benchmarks/schedule.py            # measure everything, write logs/schedule.json
    python benchmarks/schedule.py --check    # measure two rows anew, fail outside the bands

600 steps of 64 sequences at a rate of 0.005, as in the chapter: twice the rate that is best without any of the three (see
`learning_rates.py`). Each row has one of the three, none of them, or all.

The log is from one thread. With two, which add in another order, warm-up's three rows are 0.57, 0.49 and 0.54: they move by up to 0.06.
"""

import sys
from pathlib import Path

import torch
from torch import nn

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
from learning_rates import BATCH, HELD_OUT_ROWS, STEPS, WARMUP
from small_world import HELD_OUT_SEED, SEEDS, corrupted, new_model, world

from minibert.pretraining.fused import pretraining_sums
from minibert.training.memory import keep_freed_memory
from minibert.training.optim import learning_rate_schedule, make_optimizers, set_learning_rate

RATE = 0.005
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


def train(parts: set[str], seed: int) -> nn.Module:
    torch.manual_seed(seed)
    model = new_model().train()
    optimizers = make_optimizers(model, "adamw", RATE, 0.0, weight_decay=0.01)
    warmup = WARMUP if "warm-up" in parts else 0
    decay_share = 1.0 if "decay" in parts else 1 / STEPS  # no step is left to decay in
    for step in range(STEPS):
        sums = pretraining_sums(model, **corrupted(world(seed).batch(BATCH * step, BATCH), step))
        (sums.mlm_loss / sums.mlm_count + sums.nsp_loss / sums.nsp_count).backward()
        if "clipping" in parts:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        set_learning_rate(optimizers, learning_rate_schedule(step, STEPS, warmup, decay_share))
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    return model


@torch.no_grad()
def measure(variant: str, seed: int | None) -> dict:
    with torch.enable_grad():
        model = train(PARTS[variant], seed).eval()
    sums = pretraining_sums(
        model, **corrupted(world(HELD_OUT_SEED).batch(0, HELD_OUT_ROWS), HELD_OUT_SEED)
    )
    return {
        "rate": RATE,
        "mlm_loss": round(float(sums.mlm_loss / sums.mlm_count), 4),
        "nsp_loss": round(float(sums.nsp_loss / sums.nsp_count), 4),
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
