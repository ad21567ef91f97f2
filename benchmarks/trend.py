"""What more pretraining is worth to fine-tuning: the five sets of finetuning.py, learned after less of it than minibert-small had, and after more.

    python benchmarks/trend.py            # measure everything, write logs/trend.json; goes on where it was stopped
    python benchmarks/trend.py --check    # learn TREC anew, pretraining where the model is not kept, fail outside the band

The model of this budget has minibert-small's shape, is post-norm, and reads 800 batches of 64 rows of 128 tokens by the recipe
of norms.py, with one seed. Each set is then learned with three seeds by minibert-small's options in finetuning.py, whose rows of
minibert-small (219 million tokens) and of the same shape untrained belong to the trend. Another budget is one more entry of
BUDGETS.

The model of 355 million tokens, post-norm too, was trained on a GPU by one command, which is in logs/gpu-run.json with its curve. Its
weights are not part of the repository: who repeats the command, on any machine, puts the folder `model` of the run into the folder
that the script names.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import sys

import finetuning
import log
import norms

BUDGETS = {"6.5M tokens": 800, "355M tokens": None}  # steps; None: a model that is put there
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
    steps = BUDGETS[budget]
    folder = norms.CACHE / (budget if steps is None else f"post-norm, {steps} steps")
    if not folder.exists():
        if steps is None:
            raise ValueError(f"put the model of the run of logs/gpu-run.json into {folder}")
        norms.train("post-norm", 0, norms.CACHE / f"{folder.name}.jsonl", steps, model=folder)
    recipe = finetuning.Recipe(name, str(folder), options=finetuning.SMALL_OPTIONS[name])
    return finetuning.kept(f"{variant}, seed {seed}", lambda: finetuning.learned(recipe, seed))


def main(argv: list[str] | None = None) -> int:
    finetuning.checking = "--check" in (sys.argv[1:] if argv is None else argv)
    return log.run(
        __file__,
        "What more pretraining is worth to fine-tuning: five sets after less and after more of it",
        measure,
        rows(),
        BANDS,
        finetuning.TOLERANCE,
        argv=argv,
        checked=[("TREC, 6.5M tokens", 0)],
    )


if __name__ == "__main__":
    raise SystemExit(main())
