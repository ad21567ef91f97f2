"""How well a model predicts masked words after the same CPU time: minibert against `transformers`.

    python benchmarks/equal_time.py            # measure everything, write logs/equal_time.json; goes on where it was stopped
    python benchmarks/equal_time.py --check    # make two short runs anew, fail outside the band

First the CPU seconds of a training step are measured, all variants in turn in one process, one thread. They say how many
steps each run has: BUDGET seconds' worth, or a share of it, with the learning rate's course scaled to that. So a run can be
repeated exactly, on a busy machine too. Its losses are those on the same held-out rows (15% of the words, 80/10/10); what
that evaluation costs is not counted, on either side. `below_peer` is how far a run ends below the peer with AdamW, which had
the whole BUDGET.

All see the same rows of ../shared/corpus. The peer is `contestants.careful`: bfloat16, no dropout, fused AdamW (or Muon),
the same groups and schedule, and its weights begin as minibert's. Learning rates were chosen once for both, at the peer's number of
steps: with the same recipe the two are the same model.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import json
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
import torch
from contestants import Contestant, careful, config, ours, set_allocator

from minibert import BertForPreTraining, WordPieceTokenizer
from minibert.data import PairSequences, TokenFile, mask_tokens, write_tokens
from minibert.data.corpora import documents
from minibert.pretraining.fused import FusedPreTraining
from minibert.pretraining.validation import ValidationSet
from minibert.training.optim import learning_rate_schedule, set_learning_rate

CORPUS = log.ROOT.parent / "shared" / "corpus"
CACHE = (
    Path(tempfile.gettempdir()) / "minibert-equal-time"
)  # the corpus as ids, and the rows that are done
BUDGET = 300.0  # CPU seconds
SHAPE = (3, 128, 6144)  # layers, hidden size, vocabulary: the teaching size
LENGTH, SHORT, HELD_OUT_ROWS, POINTS = 128, 32, 256, 4
ROUNDS = 5  # of measuring the seconds of a step
MEASURED = (
    5,
    25,
    45,
    65,
    85,
)  # which of 100 steps: their mean stands for short and long rows alike
WARMUP = 0.1  # share of the steps
checking = False  # whether rows of the log are made anew; `main` knows


@dataclass(frozen=True)
class Recipe:
    """One way of training."""

    peer: bool = False
    optimizer: str = "adamw"
    learning_rate: float = 2e-3
    matrix_learning_rate: float = 4e-3
    norm_first: bool = False
    mask_rate: float = 0.15
    batch_size: int = 16  # rows of LENGTH
    short_share: float = (
        0.6  # share of the steps, the first ones, on rows of SHORT tokens, as many tokens in all
    )
    next_sentence: bool = True
    share: float = 1.0  # of BUDGET
    steps_of: str | None = None  # as many steps as another recipe has


PEER, PEER_MUON = Recipe(peer=True), Recipe(peer=True, optimizer="muon")
POST = Recipe(optimizer="muon")  # our best, as published; and with the norms inside
PRE = replace(POST, norm_first=True)
SEARCH = {  # of learning rates, for both: minibert at the number of steps that the peer has
    **{
        f"AdamW {rate:g}, the peer's steps": Recipe(learning_rate=rate, steps_of="peer, AdamW")
        for rate in (5e-4, 1e-3, 2e-3, 4e-3)
    },
    **{
        f"Muon {rate:g}, the peer's steps": Recipe(
            optimizer="muon", matrix_learning_rate=rate, steps_of="peer, Muon"
        )
        for rate in (4e-3, 1e-2)
    },
}
RECIPES = {
    "peer, AdamW": PEER,
    "peer, Muon": PEER_MUON,
    "AdamW, half the time": Recipe(share=0.5),
    "best, post-norm, a third of the time": replace(POST, share=1 / 3),
    "best, post-norm, a quarter of the time": replace(POST, share=0.25),
    "best, pre-norm, a third of the time": replace(PRE, share=1 / 3),
    "best, post-norm": POST,
    "best, pre-norm": PRE,
    "AdamW": Recipe(),
}
SWITCHES = {  # one thing of our best recipe changed, each at a third of the time
    "best, post-norm, AdamW for Muon": replace(POST, optimizer="adamw", share=1 / 3),
    "best, post-norm, no short rows": replace(POST, short_share=0.0, share=1 / 3),
    "best, post-norm, 30% masked": replace(POST, mask_rate=0.3, share=1 / 3),
}
ALL = SEARCH | RECIPES | SWITCHES
ROWS = (
    [("seconds per step", None)]
    + [(name, 0) for name in SEARCH]
    + [(name, seed) for seed in (0, 1, 2) for name in RECIPES | SWITCHES]
)
# What is promised: the peer's loss in half its time with its recipe, in a third with ours
BANDS = {
    "AdamW, half the time": {"below_peer": (-0.03, 3.0)},
    "best, post-norm, a third of the time": {"below_peer": (0.0, 3.0)},
    "best, pre-norm, a third of the time": {"below_peer": (0.0, 3.0)},
    "best, post-norm": {"below_peer": (1.0, 3.0)},
    "best, pre-norm": {"below_peer": (1.0, 3.0)},
}
CHECKED = [("AdamW, half the time", 0), ("best, post-norm, a quarter of the time", 0)]


@cache
def corpus() -> tuple[WordPieceTokenizer, TokenFile, ValidationSet]:
    """The tokenizer, a third of the first training file and the held-out rows; made once, then kept in CACHE."""
    if not CORPUS.is_dir():
        raise ValueError(
            f"the corpus is read from {CORPUS.parent.name}/{CORPUS.name} beside the repository, which is not there"
        )
    CACHE.mkdir(exist_ok=True)
    texts = {
        "train": (CORPUS / "train-00.jsonl.xz", (0, 3)),
        "valid": (CORPUS / "valid.jsonl.xz", (0, 3)),
    }
    if not (CACHE / "vocab.txt").exists():
        path, shard = texts["train"]
        WordPieceTokenizer.train(
            (sentence for document in documents(str(path), shard=shard) for sentence in document),
            SHAPE[2],
        ).save(CACHE)
    tokenizer = WordPieceTokenizer.from_vocab_file(CACHE / "vocab.txt")
    for split, (path, shard) in texts.items():
        if not (CACHE / f"{split}.tokens").exists():
            write_tokens(
                CACHE / f"{split}.tokens",
                _encoded(documents(str(path), split, shard=shard), tokenizer),
                SHAPE[2],
            )
    train, valid = (TokenFile(CACHE / f"{split}.tokens") for split in texts)
    return tokenizer, train, ValidationSet(valid, train, tokenizer, LENGTH, HELD_OUT_ROWS)


def _encoded(
    texts: Iterator[list[str]], tokenizer: WordPieceTokenizer
) -> Iterator[list[list[int]]]:
    for document in texts:
        yield [ids[1:-1] for ids in tokenizer.encode_texts(document)]


class Run:
    """A contestant, and the batches that it is trained on."""

    def __init__(self, recipe: Recipe, seed: int, steps: int):
        self.recipe, self.seed, self.steps = recipe, seed, steps
        self.tokenizer, train, _ = corpus()
        self.rows, self.short_rows = (
            PairSequences(
                train,
                length,
                self.tokenizer.cls_id,
                self.tokenizer.sep_id,
                self.tokenizer.pad_id,
                seed=seed,
                short_rate=0.0,
            )
            for length in (LENGTH, SHORT)
        )
        layers, hidden, vocab = SHAPE
        shape = config(layers, hidden, vocab, norm_first=recipe.norm_first)
        torch.manual_seed(seed)
        self.model = BertForPreTraining(shape)
        make = careful if recipe.peer else ours
        self.contestant: Contestant = make(
            shape, recipe.optimizer, rates=(recipe.learning_rate, recipe.matrix_learning_rate)
        )
        self._copy(self.model, self.contestant.model)
        self.contestant.model.train()
        set_allocator(True)

    def step(self, number: int) -> None:
        set_learning_rate(
            self.contestant.optimizers,
            learning_rate_schedule(number, self.steps, max(1, round(WARMUP * self.steps))),
        )
        self.contestant.step(self._batch(number))

    def _batch(self, number: int) -> dict:
        tokenizer = self.tokenizer
        rows = (
            self.short_rows if number < round(self.recipe.short_share * self.steps) else self.rows
        )
        size = self.recipe.batch_size * LENGTH // rows.length
        batch = rows.batch(number * size, size)
        generator = torch.Generator().manual_seed(self.seed * 1_000_000 + number)
        batch["input_ids"], batch["labels"] = mask_tokens(
            batch["input_ids"],
            mask_token_id=tokenizer.mask_id,
            vocab_size=tokenizer.vocab_size,
            special_ids=tokenizer.special_ids,
            rate=self.recipe.mask_rate,
            generator=generator,
        )
        if batch["attention_mask"].all():
            batch["attention_mask"] = None
        if not self.recipe.next_sentence:
            del batch["next_sentence_label"]
        return batch

    def held_out(self) -> dict:
        self._copy(self.contestant.model, self.model)
        return asdict(corpus()[2].evaluate(FusedPreTraining(self.model)))

    @staticmethod
    def _copy(source, target) -> None:
        missing, unexpected = target.load_state_dict(source.state_dict(), strict=False)
        ignored = {
            "cls.predictions.decoder.weight",
            "cls.predictions.decoder.bias",
            "bert.embeddings.position_ids",
        }  # tied, or constant
        if not {*missing, *unexpected} <= ignored:
            raise ValueError(f"the models do not have the same weights: {missing}, {unexpected}")


def seconds_per_step() -> dict[str, float]:
    """CPU seconds of a step of every recipe, the median over rounds in which each takes its turn."""
    alike = {_timed(recipe): name for name, recipe in ALL.items()}
    runs = {name: Run(recipe, 0, 100) for recipe, name in alike.items()}
    for run in runs.values():
        run.step(0)
    seconds = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            start = time.process_time()
            for number in MEASURED:
                run.step(number)
            seconds[name].append((time.process_time() - start) / len(MEASURED))
    return {
        name: round(statistics.median(seconds[alike[_timed(recipe)]]), 5)
        for name, recipe in ALL.items()
    }


def _timed(recipe: Recipe) -> Recipe:
    """What the seconds of a step depend on: recipes that differ in the rest are measured once."""
    return replace(recipe, learning_rate=1e-3, matrix_learning_rate=1e-3, share=1.0, steps_of=None)


def measure(variant: str, seed: int | None) -> dict:
    """One row of the log, from CACHE where it was made before with the same settings."""
    if variant == "seconds per step":
        return _kept("seconds.json", seconds_per_step)
    recipe, seconds = ALL[variant], _seconds()
    steps = int(BUDGET * recipe.share / seconds[recipe.steps_of or variant])
    digest = zlib.crc32(json.dumps([asdict(recipe), SHAPE, LENGTH]).encode())
    row = _kept(
        f"{variant}, seed {seed}, {steps} steps, {digest:08x}.json",
        lambda: train(recipe, seed, steps, seconds[variant]),
    )
    peer = row["mlm_loss"] if variant == "peer, AdamW" else _peer_loss(seed)
    return row | {"below_peer": round(peer - row["mlm_loss"], 4)}


def train(recipe: Recipe, seed: int, steps: int, seconds: float) -> dict:
    """A run: its held-out losses, and the curve as [CPU seconds, word loss]."""
    run, curve = Run(recipe, seed, steps), []
    checkpoints = {round(steps * point / POINTS) for point in range(1, POINTS + 1)}
    for number in range(steps):
        run.step(number)
        if number + 1 in checkpoints:
            scores = run.held_out()
            curve.append([round((number + 1) * seconds, 1), round(scores["mlm_loss"], 4)])
    return {
        "steps": steps,
        "tokens": steps * recipe.batch_size * LENGTH,
        **{name: round(value, 4) for name, value in scores.items()},
        "curve": curve,
    }


def _seconds() -> dict[str, float]:
    """Seconds per step: those of this machine, or of the log that is being checked, whose runs are to be repeated."""
    if not checking:
        return _kept("seconds.json", seconds_per_step)
    return next(row for row in _logged() if row["variant"] == "seconds per step")


def _peer_loss(seed: int) -> float:
    """What the peer with AdamW reaches in the whole BUDGET from the same seed."""
    if not checking:
        return measure("peer, AdamW", seed)["mlm_loss"]
    return next(
        row["mlm_loss"]
        for row in _logged()
        if (row["variant"], row["seed"]) == ("peer, AdamW", seed)
    )


def _logged() -> list[dict]:
    return json.loads((log.LOGS / "equal_time.json").read_text(encoding="utf-8"))["rows"]


def _kept(name: str, make) -> dict:
    path = CACHE / name
    if checking or not path.exists():
        values = make()
        CACHE.mkdir(exist_ok=True)
        path.write_text(json.dumps(values))
    return json.loads(path.read_text())


def main(argv: list[str] | None = None) -> int:
    global checking
    checking = "--check" in (sys.argv[1:] if argv is None else argv)
    torch.set_num_threads(1)
    return log.run(
        __file__,
        f"Held-out masked-word loss after {BUDGET:.0f} CPU seconds, one thread",
        measure,
        ROWS,
        BANDS,
        tolerance={"mlm_loss": 0.03},
        argv=argv,
        checked=CHECKED,
    )


if __name__ == "__main__":
    raise SystemExit(main())
