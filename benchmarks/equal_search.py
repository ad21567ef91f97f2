"""Is it the recipe? minibert-small and its shape untrained learn five sets with the same search, STS-B in two ways.

    python benchmarks/equal_search.py            # measure everything, write logs/equal_search.json; goes on where it was stopped
    python benchmarks/equal_search.py --check    # make one run of the search anew, fail outside the bands

finetuning.py gives both models the options that were tried on minibert-small. Here each has its own: every rate of RATES,
one seed, judged on dev; then, each alone at its best rate, dropout of 0.1 and twice as many epochs; and what is best on dev
is learned with three seeds and tested ("chosen"). XQuAD has no dev set, so a fifth of its training articles is held out in
the search, which judges the last epoch; what is chosen learns all of them. "STS-B together" puts both sentences into one
input. Rows that are done are kept where finetuning.py keeps its own.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import sys
from dataclasses import replace

import finetuning
import log
import torch
from finetuning import SMALL_OPTIONS, Recipe

from minibert.hub.find_pretrained import SMALL

MODELS = {"minibert-small": False, "untrained": True}
RATES = {
    "SST-2": (1e-4, 2e-4, 5e-4, 1e-3),
    "STS-B": (3e-5, 1e-4, 3e-4, 1e-3),
    "STS-B together": (2e-4, 5e-4, 1e-3),
    "TREC": (2e-4, 5e-4, 1e-3),
    "WNUT17": (2e-4, 5e-4, 1e-3),
    "XQuAD": (2e-4, 5e-4, 1e-3),
}
HELD_OUT = "XQuAD held out"
PAIRS = [(name, model) for name in RATES for model in MODELS]
ROWS = [
    *((f"{name}, {model}, rate {rate:g}", 0) for name, model in PAIRS for rate in RATES[name]),
    *((f"{name}, {model}, dropout", 0) for name, model in PAIRS),
    *((f"{name}, {model}, longer", 0) for name, model in PAIRS),
    *((f"{name}, {model}, chosen", seed) for name, model in PAIRS for seed in finetuning.SEEDS),
]
BANDS = {"TREC, minibert-small, rate 0.0005": {"dev": (0.85, 0.95)}}
TOLERANCE = {"dev": 0.03, "test": 0.03}


def measure(variant: str, seed: int) -> dict:
    """A run of the search, on dev only; or one seed of what the search has chosen, tested."""
    name, model, what = variant.split(", ")
    options = SMALL_OPTIONS[name.removesuffix(" together")]
    base = Recipe(name, SMALL, MODELS[model], options=options)
    if what.startswith("rate "):
        return run(changed(base, learning_rate=float(what.removeprefix("rate "))), seed)
    best = max((changed(base, learning_rate=rate) for rate in RATES[name]), key=dev)
    variants = {
        "best rate": best,
        "dropout": changed(best, dropout=0.1),
        "longer": changed(best, epochs=2 * best.options.epochs),
    }
    rate = {"rate": best.options.learning_rate}
    if what != "chosen":
        return run(variants[what], seed) | rate
    won = max(variants, key=lambda what: dev(variants[what]))
    return run(variants[won], seed, tested=True) | rate | {"with": won}


def changed(recipe: Recipe, **options) -> Recipe:
    return replace(recipe, options=replace(recipe.options, **options))


def dev(recipe: Recipe) -> float:
    return run(recipe, 0)["dev"]


def run(recipe: Recipe, seed: int, tested: bool = False) -> dict:
    kind = "tested" if tested else "on dev"
    if recipe.data == "XQuAD" and not tested:
        recipe = replace(recipe, data=HELD_OUT)
    found = finetuning.kept(
        f"sweep, {recipe.data}, {finetuning.digest(recipe)}, seed {seed}, {kind}",
        lambda: finetuning.learned(recipe, seed, tested),
    )
    return found | {"dev": found["curve"][-1]} if recipe.data == HELD_OUT else found


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
