"""Chapter 8's small model at several learning rates: SGD, with momentum, and AdamW, at a constant rate and with the complete recipe.

    python benchmarks/learning_rates.py            # measure everything, write logs/learning_rates.json
    python benchmarks/learning_rates.py --check    # measure two rows anew, fail outside the bands

600 steps of 64 sequences, as in the chapter. "complete" adds a warm-up of 60 steps, a line that falls to 0, and clipping
at a norm of 1. Optimisers are compared fairly only where each has a rate that suits it, and momentum of 0.9 adds up to ten
times the gradient, so its rates are compared with SGD's at ten times the number.
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
from minibert.training.optim import learning_rate_schedule, make_optimizers, set_learning_rate

STEPS, WARMUP, BATCH, HELD_OUT_ROWS = 600, 60, 64, 256
RATES = {
    "SGD": (0.05, 0.1, 0.2, 0.4),
    "AdamW, constant": (0.00125, 0.0025, 0.005, 0.01),
    "AdamW, complete": (0.0025, 0.005, 0.01),
    "momentum": (0.005, 0.02, 0.05, 0.1),
    "momentum, complete": (0.05, 0.1, 0.2),
}
RECIPES = {f"{name}, {rate}": (name, rate) for name, rates in RATES.items() for rate in rates}
# With all seeds.
REPEATED = (
    "SGD, 0.2",
    "AdamW, constant, 0.0025",
    "AdamW, complete, 0.005",
    "momentum, 0.05",
    "momentum, complete, 0.2",
)
ROWS = [
    (variant, seed) for seed in SEEDS for variant in RECIPES if seed == 0 or variant in REPEATED
]
CHECKED = [("SGD, 0.2", 0), ("AdamW, complete, 0.005", 0)]
BANDS = {
    "SGD, 0.05": {"mlm_loss": (1.5, 2.1)},
    "AdamW, complete, 0.005": {"mlm_loss": (0.35, 0.55)},
}
TOLERANCE = {"mlm_loss": 0.15, "nsp_loss": 0.3}  # NSP depends more on rounding


def train(name: str, rate: float, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    model = new_model().train()
    if name.startswith("AdamW"):
        optimizers = make_optimizers(model, "adamw", rate, 0.0, weight_decay=0.01)
    else:
        weights = {"params": list(model.parameters()), "peak_lr": rate}
        momentum = 0.9 if name.startswith("momentum") else 0.0
        optimizers = [torch.optim.SGD([weights], lr=rate, momentum=momentum)]
    for step in range(STEPS):
        sums = pretraining_sums(model, **corrupted(world(seed).batch(BATCH * step, BATCH), step))
        (sums.mlm_loss / sums.mlm_count + sums.nsp_loss / sums.nsp_count).backward()
        if name.endswith("complete"):
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            set_learning_rate(optimizers, learning_rate_schedule(step, STEPS, WARMUP))
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    return model


@torch.no_grad()
def measure(variant: str, seed: int | None) -> dict:
    name, rate = RECIPES[variant]
    with torch.enable_grad():
        model = train(name, rate, seed).eval()
    sums = pretraining_sums(
        model, **corrupted(world(HELD_OUT_SEED).batch(0, HELD_OUT_ROWS), HELD_OUT_SEED)
    )
    return {
        "recipe": name,
        "rate": rate,
        "mlm_loss": round(float(sums.mlm_loss / sums.mlm_count), 4),
        "nsp_loss": round(float(sums.nsp_loss / sums.nsp_count), 4),
    }


def main(argv: list[str] | None = None) -> int:
    keep_freed_memory()
    return log.run(
        __file__,
        "Learning rates of the small model, for SGD, momentum and AdamW",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv,
        checked=CHECKED,
    )


if __name__ == "__main__":
    sys.exit(main())
