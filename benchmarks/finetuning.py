"""Real tasks, learned by a pretrained BERT: sentiment, kinds of questions, similar sentences, names, answers in a passage.

    python benchmarks/finetuning.py            # measure everything, write logs/finetuning.json; goes on where it was stopped
    python benchmarks/finetuning.py --check    # make the cheap rows anew, fail outside the bands

The sets are those of finetuning_data.py, from ../shared/data. Each is learned by MiniLM with three seeds (of the head's
first weights, the order of the examples and dropout); by minibert-small, the model in this package; and by "untrained", a
model of its shape and tokenizer with random weights: what did pretraining buy? minibert-sentences, the other model in this
package, has the same shape too, and learned from MiniLM's vectors. Controls that know no
BERT stand beside all (finetuning_controls.py).

`dev` and `test` are the task's first measure: accuracy for SST-2 and TREC, Spearman's correlation for STS-B, F1 of names
for WNUT17, F1 of words for XQuAD. Of each run the epoch is kept that is best on dev, and tested once; XQuAD has no dev and
keeps its last epoch, and so do the runs with few labels: who has fifty has no 872 to choose by. Recipes were tried on dev
with one seed, those of the small models on minibert-small, mostly on SST-2; minibert-sentences takes them over, but for the
learning rates that were swept for it on SST-2 and STS-B: the rows "rate" are those that were not chosen, on dev only. `cpu_seconds` are of the whole row, on one thread. In STS-B both
sentences go through the encoder apart (`Similarity`); the row "untouched" is MiniLM before it has learned from the set.

Rows that are done are kept in the folder minibert-finetuning of the system's temporary folder, by recipe: delete it
after a change of the code. Precision is bfloat16 where the processor has it; another one rounds differently.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import json
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import torch
from finetuning_controls import CONTROLS, control
from finetuning_data import Dataset, dataset

from minibert import WordPieceTokenizer
from minibert.finetuning import FineTuning, FineTuningOptions, Task, evaluate, finetune, model_for
from minibert.hub.find_pretrained import MINILM, SENTENCES, SMALL, find_pretrained
from minibert.hub.pretrained_io import read_config
from minibert.training.memory import keep_freed_memory

CACHE = Path(tempfile.gettempdir()) / "minibert-finetuning"  # the rows that are done
SEEDS = (0, 1, 2)
SETS = ("SST-2", "TREC", "STS-B", "WNUT17", "XQuAD")
checking = False  # whether rows of the log are made anew; `main` knows


@dataclass(frozen=True)
class Recipe:
    """One way to learn one set."""

    data: str
    encoder: str = MINILM
    untrained: bool = False  # the encoder's shape with random weights
    labels: int | None = None  # so many of the training examples; None: all
    options: FineTuningOptions = field(default_factory=FineTuningOptions)


# What an encoder needs to learn a set; an untrained one gets what minibert-small gets
MINILM_OPTIONS = {
    "SST-2": FineTuningOptions(epochs=3, learning_rate=1e-4),
    "TREC": FineTuningOptions(epochs=5, learning_rate=2e-4),
    "STS-B": FineTuningOptions(epochs=1, learning_rate=3e-5),
    "WNUT17": FineTuningOptions(epochs=5, learning_rate=2e-4),
    "XQuAD": FineTuningOptions(epochs=3, learning_rate=2e-4, batch_size=8, max_length=384),
}
SMALL_OPTIONS = {
    "SST-2": FineTuningOptions(epochs=3, learning_rate=5e-4),
    "TREC": FineTuningOptions(epochs=4, learning_rate=5e-4),
    "STS-B": FineTuningOptions(epochs=2, learning_rate=1e-4),
    "WNUT17": FineTuningOptions(epochs=6, learning_rate=5e-4),
    "XQuAD": FineTuningOptions(epochs=3, learning_rate=5e-4, batch_size=8, max_length=384),
}
SENTENCES_OPTIONS = SMALL_OPTIONS | {
    "SST-2": FineTuningOptions(epochs=3, learning_rate=2e-4),
    "STS-B": FineTuningOptions(epochs=2, learning_rate=3e-4),
}
FEW = (50, 200, 1000)  # labels
RATES = {"SST-2": (2e-4, 5e-4, 1e-3), "STS-B": (3e-5, 1e-4, 3e-4)}  # of the sweep


def few(labels: int) -> Recipe:
    """About two hundred updates, however few the labels are."""
    return Recipe(
        "SST-2",
        labels=labels,
        options=replace(MINILM_OPTIONS["SST-2"], epochs=max(3, 3200 // labels), batch_size=16),
    )


LEARNED = {
    **{
        f"{name}, MiniLM": Recipe(name, options=options) for name, options in MINILM_OPTIONS.items()
    },
    **{
        f"{name}, minibert-small": Recipe(name, SMALL, options=options)
        for name, options in SMALL_OPTIONS.items()
    },
    **{
        f"{name}, untrained": Recipe(name, SMALL, True, options=options)
        for name, options in SMALL_OPTIONS.items()
    },
    **{
        f"{name}, minibert-sentences": Recipe(name, SENTENCES, options=options)
        for name, options in SENTENCES_OPTIONS.items()
    },
    **{f"SST-2, MiniLM, {labels} labels": few(labels) for labels in FEW},
}
SWEEP = {
    f"{name}, minibert-sentences, rate {rate:g}": replace(
        recipe, options=replace(recipe.options, learning_rate=rate)
    )
    for name, rates in RATES.items()
    for recipe in [LEARNED[f"{name}, minibert-sentences"]]
    for rate in rates
    if rate != recipe.options.learning_rate
}
ROWS = (
    [(f"{name}, {kind}", None) for name in SETS for kind in CONTROLS]
    + [("STS-B, MiniLM untouched", None)]
    + [(variant, seed) for variant in LEARNED for seed in SEEDS]
    + [(variant, 0) for variant in SWEEP]
)
# The marks that were set before anything was measured; and that the controls stay what they are
BANDS = {
    "SST-2, MiniLM": {"dev": (0.87, 1.0)},
    "TREC, MiniLM": {"test": (0.96, 1.0)},
    "STS-B, MiniLM": {"dev": (0.88, 1.0)},
    "WNUT17, MiniLM": {"test": (0.35, 1.0)},
    "STS-B, MiniLM untouched": {"dev": (0.866, 0.868), "test": (0.819, 0.821)},
    "SST-2, majority": {"dev": (0.509, 0.51)},
    "TREC, majority": {"test": (0.188, 0.188)},
    "WNUT17, majority": {"test": (0, 0)},
}
TOLERANCE = {"dev": 0.03, "test": 0.03}
CHECKED = [row for row in ROWS if row[1] is None] + [
    ("TREC, minibert-small", 0),
    ("TREC, untrained", 0),
    ("STS-B, minibert-sentences", 0),
    ("SST-2, MiniLM, 50 labels", 0),
]


def measure(variant: str, seed: int | None) -> dict:
    """One row of the log, from CACHE where it was made before with the same recipe."""
    if variant == "STS-B, MiniLM untouched":
        recipe = LEARNED["STS-B, MiniLM"]
        return kept(variant, lambda: untouched(recipe))
    if seed is None:
        name, kind = variant.split(", ")
        return kept(variant, lambda: control(kind, dataset(name)))
    recipe = LEARNED.get(variant) or SWEEP[variant]
    return kept(
        f"{variant}, seed {seed}, {digest(recipe)}",
        lambda: learned(recipe, seed, tested=variant in LEARNED),
    )


def digest(recipe: Recipe) -> str:
    """What tells a recipe from others in the name of a kept row."""
    return f"{zlib.crc32(json.dumps(asdict(recipe)).encode()):08x}"


def learned(recipe: Recipe, seed: int, tested: bool = True) -> dict:
    """Fine-tune, keep the best epoch, test it; without the test, `dev` only."""
    keep_freed_memory()
    data, options = dataset(recipe.data), replace(recipe.options, seed=seed)
    task, tokenizer = data.task(), WordPieceTokenizer.from_pretrained(recipe.encoder)
    start = read_config(find_pretrained(recipe.encoder))[0] if recipe.untrained else recipe.encoder
    run = FineTuning(
        model_for(task, start, seed), task, tokenizer, chosen(data, recipe.labels, seed), options
    )
    epochs = finetune(
        run, data.dev if recipe.labels is None else []
    )  # who has few labels has no hundreds to choose by
    curve = [round(epoch.scores[task.metrics[0]], 4) for epoch in epochs if epoch.scores]
    found = {
        "epoch": max(epoch.epoch for epoch in epochs if epoch.is_best),
        "steps": run.steps,
        "curve": curve,
    }
    if not tested:
        return found | {"dev": max(curve)}
    return found | scores(task, run.model, tokenizer, data, options.max_length, run.precision)


def chosen(data: Dataset, labels: int | None, seed: int) -> list:
    """So many training examples, drawn by the seed; all of them where no number is given."""
    if labels is None:
        return data.train
    order = torch.randperm(len(data.train), generator=torch.Generator().manual_seed(seed)).tolist()
    return [data.train[i] for i in order[:labels]]


def untouched(recipe: Recipe) -> dict:
    """The encoder as it was published: the cosine of its mean vectors."""
    data, tokenizer = dataset(recipe.data), WordPieceTokenizer.from_pretrained(recipe.encoder)
    task = data.task()
    task.prepare(data.train)
    return scores(task, model_for(task, recipe.encoder), tokenizer, data)


def scores(
    task: Task,
    model,
    tokenizer: WordPieceTokenizer,
    data: Dataset,
    max_length: int = 128,
    precision=torch.float32,
) -> dict:
    """The task's first measure on dev and test, and on test the others by their names."""
    found = {}
    for split, examples in (("dev", data.dev), ("test", data.test)):
        if examples:
            values = evaluate(model, task, tokenizer, examples, max_length, precision)[0]
            found[split], *others = (round(values[name], 4) for name in task.metrics)
    return found | {f"test_{name}": value for name, value in zip(task.metrics[1:], others)}


def kept(name: str, make: Callable[[], dict]) -> dict:
    path = CACHE / f"{name}.json"
    if checking or not path.exists():
        started = time.process_time()
        values = make() | {"cpu_seconds": round(time.process_time() - started, 1)}
        CACHE.mkdir(exist_ok=True)
        path.write_text(json.dumps(values))
    return json.loads(path.read_text())


def main(argv: list[str] | None = None) -> int:
    global checking
    checking = "--check" in (sys.argv[1:] if argv is None else argv)
    torch.set_num_threads(1)
    return log.run(
        __file__,
        "Fine-tuning on five sets: MiniLM, minibert-small, the same untrained, and controls",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv=argv,
        checked=CHECKED,
    )


if __name__ == "__main__":
    raise SystemExit(main())
