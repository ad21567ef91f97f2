"""Sentence vectors: minibert-sentences, how it was trained, and its controls, by the STS benchmark's test set.

    python benchmarks/sentences.py            # train what is missing, measure everything, write logs/sentences.json
    python benchmarks/sentences.py --check    # measure the controls and the shipped model anew, fail outside the bands

Reported is Spearman's rank correlation between people's judgements (Cer et al. 2017; 1,379 pairs) and the cosines of the
vectors. No judgement was trained on, and no sentence of the benchmark: its three parts are excluded from the texts.

The trained rows are runs of `minibert train-sentences` on the corpus, with the options in TRAINED. Their folders are kept in
the folder minibert-sentences of the system's temporary folder; a run that is finished is not repeated, and one that was
stopped goes on. Delete them after a change of the code. All distilled runs take their texts, and the teacher's vectors, from
the first run of "distilled, short"; the seed decides the order of the texts, and the weights of an untrained start.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import stsb

from minibert import BertModel, WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.cli.common import unused_parts_ignored
from minibert.finetuning.metrics import spearman
from minibert.finetuning.sentence_vectors.whitening import whiten
from minibert.hub.find_pretrained import MINILM, SENTENCES, SMALL
from minibert.inference.sentence_embeddings import embed

SEEDS = (0, 1, 2)
RUNS = Path(tempfile.gettempdir()) / "minibert-sentences"
JUDGED = "../shared/data/stsb_en/stsb-en-{}.csv.gz"
COMMON = (
    *("--corpus", "../shared/corpus", "--valid", JUDGED.format("dev")),
    *("--exclude", JUDGED.format("test"), JUDGED.format("train")),
)
DISTILL = (
    *("--sentences", "320000", "--phrases", "120000", "--words", "30000", "--sample", "147456"),
    *("--made", "60000", "--ridge", "0.05"),
)
SHORT = ("--layers", "2", "--learning-rate", "5e-4", "--batch-size", "128", "--schedule", "cosine")
LONG = (
    *("--layers", "4", "--learning-rate", "1e-3", "--batch-size", "128", "--schedule", "cosine"),
    *("--steps", "12000", "--eval-every", "1000"),
)
CONTRAST = ("--max-words", "16", "--sentences", "20000", "--warmup", "20")
TRAINED: dict[str, tuple[str, ...]] = {
    "distilled": (*DISTILL, *LONG, "--no-start-from-bag"),
    "distilled, untrained start": (*DISTILL, *LONG, "--no-start-from-bag"),
    "distilled bag of words": (*DISTILL, *LONG, "--no-positions"),
    "distilled, short": (
        *DISTILL,
        *SHORT,
        "--steps",
        "1200",
        "--no-positions",
        "--eval-every",
        "600",
    ),
    "distilled, short, with positions": (*DISTILL, *SHORT, "--steps", "2000"),
    "closest bag of words": (*DISTILL, "--layers", "2", "--steps", "1", "--learning-rate", "1e-12"),
    "dropout pairs": ("--objective", "dropout", *CONTRAST, "--steps", "150"),
    "neighbouring sentences": ("--objective", "neighbours", *CONTRAST, "--steps", "60"),
    "titles and first sentences": ("--objective", "titles", *CONTRAST, "--steps", "60"),
}
UNTRAINED_START = "distilled, untrained start"
ROWS: list[tuple[str, int | None]] = [
    ("MiniLM", None),
    (SENTENCES, None),
    *(("distilled", seed) for seed in SEEDS),
    *((UNTRAINED_START, seed) for seed in SEEDS[:2]),
    ("distilled bag of words", 0),
    *(
        (name, seed)
        for name in ("distilled, short", "distilled, short, with positions")
        for seed in SEEDS
    ),
    ("closest bag of words", 0),
    *((name, seed) for name in list(TRAINED)[6:] for seed in SEEDS),
    ("whitened word vectors", None),
    ("minibert-small", None),
    *(("untrained", seed) for seed in SEEDS),
    ("bag of words", None),
]
BANDS = {
    "MiniLM": {"spearman": (0.819, 0.821)},
    "distilled": {"spearman": (0.72, 0.82)},
    "distilled, short": {"spearman": (0.7, 0.82)},
    "distilled, short, with positions": {"spearman": (0.7, 0.82)},
    SENTENCES: {"spearman": (0.72, 0.82)},
    "bag of words": {"spearman": (0.5, 0.6)},
    "whitened word vectors": {"spearman": (0.65, 0.73)},
}
CHECKED = [(name, seed) for name, seed in ROWS if name not in TRAINED and seed in (None, 0)]


def command(variant: str, seed: int, runs: Path = RUNS) -> list[str]:
    """How the run of a row is started."""
    options = [*COMMON, *TRAINED[variant], "--seed", str(seed), "--threads", "1"]
    if variant == UNTRAINED_START:
        options += ["--from", str(runs / f"untrained-{seed}")]
    lender = "distilled, short" if TRAINED[variant][: len(DISTILL)] == DISTILL else variant
    if (variant, seed) != (lender, 0):
        options += ["--texts-of", str(_folder(lender, 0, runs))]
    return ["minibert", "train-sentences", *options, "--out", str(_folder(variant, seed, runs))]


def _folder(variant: str, seed: int, runs: Path = RUNS) -> Path:
    return runs / f"{variant.replace(',', '').replace(' ', '-')}-{seed}"


def trained(variant: str, seed: int) -> Path:
    """The folder of a row's finished run, which is started or continued where it is not finished."""
    folder = _folder(variant, seed)
    if not (folder / "model").is_dir():
        if variant == UNTRAINED_START:
            save_untrained(RUNS / f"untrained-{seed}", seed)
        arguments = command(variant, seed)[1:]
        if (folder / "run.json").is_file():
            arguments = ["train-sentences", "--out", str(folder), "--resume"]
        subprocess.run([sys.executable, "-m", "minibert", *arguments], cwd=log.ROOT, check=True)
    return folder


def save_untrained(folder: Path, seed: int) -> None:
    """A folder with an untrained model of minibert-small's shape, for --from."""
    torch.manual_seed(seed)
    model = BertModel(from_pretrained(SMALL, BertModel).config)
    save_pretrained(model, folder, WordPieceTokenizer.from_pretrained(SMALL))


def measure(variant: str, seed: int | None) -> dict:
    """One row: the correlation, and of a run its size."""
    if variant == "bag of words":
        return stsb.measure(variant, None)
    if variant in TRAINED:
        assert seed is not None
        folder = trained(variant, seed)
        return correlation(folder / "model") | size(folder)
    name = {"MiniLM": MINILM, SENTENCES: SENTENCES}.get(variant, SMALL)
    return correlation(name, seed, words_only=variant == "whitened word vectors")


def correlation(name: str | Path, seed: int | None = None, words_only: bool = False) -> dict:
    """Spearman's correlation of a model; with a seed, of an untrained model of its shape.

    With `words_only` the vectors are whitened means of its word vectors, without [CLS] and [SEP].
    """
    tokenizer = WordPieceTokenizer.from_pretrained(name)
    with unused_parts_ignored():
        model = from_pretrained(name, BertModel)
    if seed is not None:
        torch.manual_seed(seed)
        model = BertModel(model.config).eval()
    pairs = stsb.load()
    texts = sorted({text for one, other, _ in pairs for text in (one, other)})
    if words_only:
        table = model.embeddings.word_embeddings.weight.detach()  # [V, H]
        pieces = tokenizer.encode_texts(texts)
        vectors = whiten(torch.stack([table[ids].mean(dim=0) for ids in pieces]))  # [N, H]
    else:
        vectors = embed(model, tokenizer, texts)  # [N, H]
    index = {text: number for number, text in enumerate(texts)}
    found = [float(vectors[index[one]] @ vectors[index[other]]) for one, other, _ in pairs]
    judged = [score for _, _, score in pairs]
    return {"spearman": round(spearman(found, judged), 4), "pairs": len(pairs)}


def size(folder: Path) -> dict:
    """How long a run was: texts, steps, tokens, and the last held-out scores; nothing of its time."""
    records = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    options = json.loads((folder / "run.json").read_text(encoding="utf-8"))["settings"]["options"]
    texts = (folder / "texts.txt").read_text(encoding="utf-8").count("\n")
    return {"texts": texts, "steps": records[-1]["step"], "batch": options["batch_size"]}


def main(argv: list[str] | None = None) -> int:
    return log.run(
        __file__,
        "STS benchmark, test set: sentence encoders that were trained without judgements",
        measure,
        ROWS,
        BANDS,
        tolerance=0.001,
        argv=argv,
        checked=CHECKED,
    )


if __name__ == "__main__":
    raise SystemExit(main())
