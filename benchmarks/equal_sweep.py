"""Is it the recipe? minibert-small and its shape untrained learn four sets with the same search over learning rate and dropout.

    python benchmarks/equal_sweep.py            # measure everything, write logs/equal_sweep.json; goes on where it was stopped
    python benchmarks/equal_sweep.py --check    # make one run of the search anew, fail outside the bands

finetuning.py gives both models the options that were tried on minibert-small. Here each has its own: every rate of RATES, one
seed, judged on dev; then dropout of 0.1 at its best rate; and what is best on dev is learned with three seeds and tested
("chosen"). XQuAD is left out, because it has no dev. Rows that are done are kept where finetuning.py keeps its own.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import json
import sys
import zlib
from dataclasses import asdict, replace

import finetuning
import log
import torch
from finetuning import SMALL_OPTIONS, Recipe

from minibert.hub.find_pretrained import SMALL

MODELS = {"minibert-small": False, "untrained": True}
SETS = ("SST-2", "STS-B", "WNUT17", "TREC")
RATES = {
    "SST-2": (1e-4, 2e-4, 5e-4, 1e-3),
    "STS-B": (3e-5, 1e-4, 3e-4, 1e-3),
    "WNUT17": (2e-4, 5e-4, 1e-3),
    "TREC": (2e-4, 5e-4, 1e-3),
}
DROPOUT = 0.1
ROWS = [
    *(
        (f"{name}, {model}, rate {rate:g}", 0)
        for name in SETS
        for model in MODELS
        for rate in RATES[name]
    ),
    *((f"{name}, {model}, best rate, dropout", 0) for name in SETS for model in MODELS),
    *(
        (f"{name}, {model}, chosen", seed)
        for name in SETS
        for model in MODELS
        for seed in finetuning.SEEDS
    ),
]
BANDS = {"TREC, minibert-small, rate 0.0005": {"dev": (0.85, 0.95)}}
TOLERANCE = {"dev": 0.03, "test": 0.03}


def measure(variant: str, seed: int) -> dict:
    """A run of the search, on dev only; or one seed of what the search has chosen, tested."""
    name, model, what = variant.split(", ", 2)
    if what.startswith("rate "):
        return run(recipe(name, model, float(what.removeprefix("rate "))), seed, tested=False)
    rate = max(RATES[name], key=lambda rate: run(recipe(name, model, rate), 0, False)["dev"])
    plain, dropped = recipe(name, model, rate), recipe(name, model, rate, DROPOUT)
    if what != "chosen":
        return run(dropped, seed, tested=False) | {"rate": rate}
    best = max((plain, dropped), key=lambda found: run(found, 0, False)["dev"])
    return run(best, seed, tested=True) | {"rate": rate, "dropout": best.options.dropout or 0.0}


def recipe(name: str, model: str, rate: float, dropout: float | None = None) -> Recipe:
    options = replace(SMALL_OPTIONS[name], learning_rate=rate, dropout=dropout)
    return Recipe(name, SMALL, MODELS[model], options=options)


def run(recipe: Recipe, seed: int, tested: bool) -> dict:
    digest = zlib.crc32(json.dumps(asdict(recipe)).encode())
    kind = "tested" if tested else "on dev"
    return finetuning.kept(
        f"sweep, {recipe.data}, {digest:08x}, seed {seed}, {kind}",
        lambda: finetuning.learned(recipe, seed, tested),
    )


def main(argv: list[str] | None = None) -> int:
    finetuning.checking = "--check" in (sys.argv[1:] if argv is None else argv)
    torch.set_num_threads(1)
    return log.run(
        __file__,
        "Fine-tuning minibert-small and its shape untrained, with the same search for both",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv=argv,
        checked=[("TREC, minibert-small, rate 0.0005", 0)],
    )


if __name__ == "__main__":
    raise SystemExit(main())
