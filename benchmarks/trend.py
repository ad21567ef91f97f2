"""What more pretraining is worth to fine-tuning: the five sets of finetuning.py, learned after 3% of minibert-small's pretraining.

    python benchmarks/trend.py            # measure everything, write logs/trend.json; goes on where it was stopped
    python benchmarks/trend.py --check    # learn TREC anew, pretraining where the model is not kept, fail outside the band

The model of this budget has minibert-small's shape, is post-norm, and reads 800 batches of 64 rows of 128 tokens by the recipe
of norms.py, with one seed. Each set is then learned with three seeds by minibert-small's options in finetuning.py, whose rows of
minibert-small (219 million tokens) and of the same shape untrained are the ends of the trend. Another budget is one more entry
of BUDGETS.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import sys

import finetuning
import log
import norms

BUDGETS = {"6.5M tokens": 800}  # steps
BANDS = {"TREC, 6.5M tokens": {"test": (0.8, 0.96)}}


def rows() -> list[tuple[str, int]]:
    return [
        (f"{name}, {budget}", seed)
        for budget in BUDGETS
        for name in finetuning.SETS
        for seed in finetuning.SEEDS
    ]


def measure(variant: str, seed: int) -> dict:
    """One set, learned by the model of one budget, which is pretrained if it is not there yet."""
    name, budget = variant.split(", ")
    folder = norms.CACHE / f"post-norm, {BUDGETS[budget]} steps"
    if not folder.exists():
        norms.train(
            "post-norm", 0, norms.CACHE / f"{folder.name}.jsonl", BUDGETS[budget], model=folder
        )
    recipe = finetuning.Recipe(name, str(folder), options=finetuning.SMALL_OPTIONS[name])
    return finetuning.kept(f"{variant}, seed {seed}", lambda: finetuning.learned(recipe, seed))


def main(argv: list[str] | None = None) -> int:
    finetuning.checking = "--check" in (sys.argv[1:] if argv is None else argv)
    return log.run(
        __file__,
        "What more pretraining is worth to fine-tuning: five sets after 3% of it",
        measure,
        rows(),
        BANDS,
        finetuning.TOLERANCE,
        argv=argv,
        checked=[("TREC, 6.5M tokens", 0)],
    )


if __name__ == "__main__":
    raise SystemExit(main())
