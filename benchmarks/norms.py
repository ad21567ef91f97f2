"""What the place of the norms is worth when `minibert-small` is trained: the first steps of its recipe, pre-norm and post-norm.

    python benchmarks/norms.py            # measure everything, write logs/norms.json; goes on where it was stopped
    python benchmarks/norms.py --check    # make one run of each anew, fail outside the bands

Shape, vocabulary, batch, masks, optimizer and rates are those of the shipped model's first part, on a part of its corpus; the learning rate falls
to 0 at the end. Both read the same rows in the same order. Values are those of the held-out rows, masked as in training. `points` are the losses
of the words on the way, at POINTS equal distances.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log

CORPUS = log.ROOT.parent / "shared" / "corpus"
CACHE = Path(tempfile.gettempdir()) / "minibert-norms"
STEPS, POINTS = 800, 8
RECIPE = """--preset mini --vocab minibert-small --batch-size 64 --micro-batch 32 --mask-rate 0.2 --all-mask --pair-share 0.4 --nsp-weight 0.2
             --short-share 0.3 --long-share 0 --threads 1 --precision bfloat16 --log-every 20 --checkpoint-every 1h"""
VARIANTS = {"post-norm": "--no-norm-first", "pre-norm": "--norm-first"}
ROWS = [(variant, seed) for seed in (0, 1, 2) for variant in VARIANTS]
BANDS = {variant: {"mlm_loss": (4.7, 5.05)} for variant in VARIANTS}
checking = False  # whether rows of the log are made anew; `main` knows


def measure(variant: str, seed: int) -> dict:
    """What a run of the command-line program has logged; its log is kept in CACHE."""
    kept = CACHE / f"{variant}, seed {seed}.jsonl"
    if checking or not kept.exists():
        train(variant, seed, kept, STEPS)
    records = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    found = [record["held_out"] for record in records if "held_out" in record]
    return {name: round(value, 4) for name, value in found[-1].items()} | {
        "points": [round(values["mlm_loss"], 4) for values in found]
    }


def train(variant: str, seed: int, kept: Path, steps: int, model: Path | None = None) -> None:
    """Pretrain; keeps the run's log, and the model where a new folder is named for it."""
    if not CORPUS.is_dir():
        raise ValueError(
            f"the corpus is read from {CORPUS.parent.name}/{CORPUS.name} beside the repository, which is not there"
        )
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        # of one part STEPS batches read every token once
        parts = [CORPUS / f"train-{part:02}.jsonl.xz" for part in range(steps // STEPS)]
        texts = ["--corpus", *parts, "--held-out", CORPUS / "valid.jsonl.xz"]
        subprocess.run(
            [
                sys.executable,
                "-m",
                "minibert",
                "pretrain",
                "--out",
                run,
                *texts,
                *RECIPE.split(),
                *f"--steps {steps} --eval-every {steps // POINTS}".split(),
                VARIANTS[variant],
                "--seed",
                str(seed),
            ],
            check=True,
            cwd=log.ROOT,
        )
        kept.write_bytes((run / "log.jsonl").read_bytes())
        if model:
            shutil.move(run / "model", model)


def main(argv: list[str] | None = None) -> int:
    global checking
    checking = "--check" in (sys.argv[1:] if argv is None else argv)
    return log.run(
        __file__,
        "Pre-norm and post-norm over the first steps of the shipped model's recipe",
        measure,
        ROWS,
        BANDS,
        tolerance={"mlm_loss": 0.05, "mlm_accuracy": 0.01},
        argv=argv,
        checked=[(variant, 0) for variant in VARIANTS],
    )


if __name__ == "__main__":
    raise SystemExit(main())
