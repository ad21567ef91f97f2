"""What each choice of pretraining is worth, in the small world where the lowest possible loss is known.

    python benchmarks/small_world.py            # measure everything, write logs/small_world.json
    python benchmarks/small_world.py --check    # measure one seed of each anew, fail outside the bands

The rows without training come first: the floor (what a perfect reader scores), how often each word occurs, the two
neighbours of each gap, an untrained model. Every other row changes one thing in the run "base": 200 steps of 64 rows, which
leaves it short of the floor, so that differences show. All of them see as many rows and are measured on the same held-out
rows, corrupted as published (15%, of which 80% [MASK], 10% random words, 10% unchanged); "clean" is the same text as it
stands, with no [MASK] in it, as in fine-tuning. A model with four times the places that a row needs is also measured on
rows that begin late, three rows' lengths in.
"""

import dataclasses
import math
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log

from minibert import BertConfig, BertForPreTraining
from minibert.config import IGNORE
from minibert.data import mask_tokens
from minibert.data.exact_predictor import MASK
from minibert.data.small_world import SmallWorld
from minibert.pretraining.fused import pretraining_sums
from minibert.training.memory import keep_freed_memory
from minibert.training.optim import learning_rate_schedule, make_optimizers, set_learning_rate

HELD_OUT_SEED, HELD_OUT_ROWS = 1000, 512
COUNTED_ROWS = 20_000  # what the predictors that count may look at: more than any run sees


@dataclass(frozen=True)
class Recipe:
    """A run of the small model."""

    steps: int = 200
    batch_size: int = 64
    rate: float = 0.15  # share of the words to predict
    replace: tuple[float, float] = (
        0.8,
        0.1,
    )  # shares of those that become [MASK], and a random word
    next_sentence: bool = True
    nsp_weight: float = 1.0  # of the loss of the pairs
    pair_share: float = 1.0  # share of the rows that are pairs; the others are running text
    places: int = 1  # positions of the model, as multiples of a row
    shift_share: float = 0.0  # share of the rows that begin at any of them
    optimizer: str = "muon"
    learning_rate: float = 5e-3  # of AdamW
    matrix_learning_rate: float = 1e-2  # of Muon
    warmup: int = 20


BASE = Recipe()
ADAMW = Recipe(optimizer="adamw", learning_rate=1e-2)
RECIPES = {
    "base": BASE,
    "mask 5%": replace(BASE, rate=0.05),
    "mask 25%": replace(BASE, rate=0.25),
    "mask 40%": replace(BASE, rate=0.4),
    "mask 60%": replace(BASE, rate=0.6),
    "100/0/0": replace(BASE, replace=(1.0, 0.0)),
    "0/100/0": replace(BASE, replace=(0.0, 1.0)),
    "no next sentence": replace(BASE, next_sentence=False),
    "pair weight 0.2": replace(BASE, nsp_weight=0.2),
    "pairs in 40%": replace(BASE, pair_share=0.4),
    "4x places": replace(BASE, places=4),
    "4x places, shifted 20%": replace(BASE, places=4, shift_share=0.2),
    "batch 256": replace(BASE, batch_size=256, steps=50, warmup=5),
    "batch 32": replace(BASE, batch_size=32, steps=400, warmup=40),
    "AdamW 1e-2": ADAMW,
    "AdamW 1e-2, no warm-up": replace(ADAMW, warmup=0),
}
SEEDS = (0, 1, 2)
ROWS = [
    ("floor", None),
    ("unigrams", None),
    ("neighbours", None),
    *(("untrained", seed) for seed in SEEDS),
    *((variant, seed) for seed in SEEDS for variant in RECIPES),
]
BANDS = {
    "floor": {"mlm_loss": (0.28, 0.34), "nsp_loss": (0.14, 0.2)},
    "unigrams": {"mlm_loss": (3.7, 4.0)},
    "neighbours": {"mlm_loss": (1.05, 1.25)},
    "untrained": {"mlm_loss": (4.8, 5.6), "nsp_accuracy": (0.4, 0.6)},
    "base": {"mlm_loss": (0.7, 1.0), "nsp_loss": (0.4, 0.6), "clean_word_accuracy": (0.8, 0.95)},
    "mask 5%": {"mlm_loss": (1.2, 1.6)},
    "mask 25%": {"mlm_loss": (0.6, 0.85)},
    "mask 40%": {"mlm_loss": (0.55, 0.85)},
    "mask 60%": {"nsp_loss": (0.55, 0.72)},
    "100/0/0": {"clean_word_accuracy": (0.4, 0.65)},
    "0/100/0": {"mlm_loss": (1.1, 1.45)},
    "no next sentence": {"mlm_loss": (0.65, 1.0)},
    "pair weight 0.2": {"mlm_loss": (0.65, 1.0), "nsp_loss": (0.45, 0.68)},
    "pairs in 40%": {"mlm_loss": (0.65, 1.05), "nsp_loss": (0.4, 0.65)},
    "4x places": {"mlm_loss": (0.65, 1.0), "late_word_loss": (4.0, 5.5)},
    "4x places, shifted 20%": {"mlm_loss": (0.8, 1.25), "late_word_loss": (2.4, 3.7)},
    "batch 256": {"mlm_loss": (1.9, 2.6)},
    "batch 32": {"mlm_loss": (0.45, 0.75)},
    "AdamW 1e-2": {"mlm_loss": (1.1, 1.75)},
    "AdamW 1e-2, no warm-up": {"mlm_loss": (1.5, 3.0)},
}
TOLERANCE = {
    "mlm_loss": 0.3,
    "late_word_loss": 0.6,
    "mlm_accuracy": 0.1,
    "clean_word_accuracy": 0.1,
    "nsp_loss": 0.2,
    "nsp_accuracy": 0.15,
}


@cache
def world(seed: int) -> SmallWorld:
    return SmallWorld(seed)


def corrupted(rows: dict[str, Tensor], seed: int, recipe: Recipe = BASE) -> dict[str, Tensor]:
    """Rows with masked words and their labels."""
    ids, labels = mask_tokens(
        rows["input_ids"],
        mask_token_id=MASK,
        vocab_size=len(world(0).vocab),
        special_ids=range(MASK + 1),
        rate=recipe.rate,
        replace=recipe.replace,
        generator=torch.Generator().manual_seed(seed),
    )
    return rows | {"input_ids": ids, "labels": labels}


@cache
def held_out(clean: bool = False) -> dict[str, Tensor]:
    """The held-out rows, corrupted as published; or as they stand, every word to be named."""
    rows = world(HELD_OUT_SEED).batch(0, HELD_OUT_ROWS)
    if clean:
        return rows | {"labels": rows["input_ids"].where(rows["input_ids"] > MASK, IGNORE)}
    return corrupted(rows, HELD_OUT_SEED)


def new_model(places: int = 1) -> BertForPreTraining:
    """The model of chapter 8's live run."""
    return BertForPreTraining(
        BertConfig(
            vocab_size=len(world(0).vocab),
            hidden_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=256,
            max_position_embeddings=places * world(0).length,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            initializer_range=0.1,
        )
    )


def rows_of(step: int, recipe: Recipe, seed: int) -> dict[str, Tensor]:
    """The rows of a step: pairs, and behind them running text, which are the pairs whose B goes on where A ends, and no label."""
    size, pairs = recipe.batch_size, round(recipe.batch_size * recipe.pair_share)
    if pairs == size:
        rows = world(seed).batch(step * size, size)
    else:
        rows = world(seed).batch(step * 3 * size, 3 * size)  # enough for any share
        running = pairs + torch.nonzero(rows["next_sentence_label"][pairs:] == 0)[: size - pairs, 0]
        rows = {
            name: tensor[torch.cat((torch.arange(pairs), running))] for name, tensor in rows.items()
        }
        rows["next_sentence_label"][pairs:] = IGNORE
    if recipe.shift_share:
        draw, length = (
            torch.rand(2, size, 1, generator=torch.Generator().manual_seed(step)),
            rows["input_ids"].shape[1],
        )
        first = torch.where(
            draw[0] < recipe.shift_share, (draw[1] * ((recipe.places - 1) * length + 1)).long(), 0
        )  # [B, 1]
        rows["position_ids"] = first + torch.arange(length)
    return rows


def train(recipe: Recipe, seed: int) -> BertForPreTraining:
    torch.manual_seed(seed)
    model = new_model(recipe.places).train()
    optimizers = make_optimizers(
        model,
        recipe.optimizer,
        recipe.learning_rate,
        recipe.matrix_learning_rate,
        weight_decay=0.01,
    )
    for step in range(recipe.steps):
        batch = corrupted(rows_of(step, recipe, seed), step, recipe)
        if not recipe.next_sentence:
            del batch["next_sentence_label"]
        set_learning_rate(optimizers, learning_rate_schedule(step, recipe.steps, recipe.warmup))
        sums = pretraining_sums(model, **batch)
        (
            sums.mlm_loss / sums.mlm_count
            + recipe.nsp_weight * sums.nsp_loss / sums.nsp_count.clamp(min=1)
        ).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    return model


@torch.no_grad()
def scores(model: BertForPreTraining, next_sentence: bool = True) -> dict[str, float]:
    """Losses and accuracies on held-out rows; a head that was never trained has none."""
    sums, clean = (pretraining_sums(model.eval(), **held_out(clean)) for clean in (False, True))
    found = {
        "mlm_loss": sums.mlm_loss / sums.mlm_count,
        "mlm_accuracy": sums.mlm_correct / sums.mlm_count,
        "clean_word_accuracy": clean.mlm_correct / clean.mlm_count,
    }
    if next_sentence:
        found |= {
            "nsp_loss": sums.nsp_loss / sums.nsp_count,
            "nsp_accuracy": sums.nsp_correct / sums.nsp_count,
            "clean_pair_accuracy": clean.nsp_correct / clean.nsp_count,
        }
    places, length = model.config.max_position_embeddings, held_out()["input_ids"].shape[1]
    if places > length:
        late = pretraining_sums(
            model,
            **held_out(),
            position_ids=torch.arange(places - length, places).expand(HELD_OUT_ROWS, -1),
        )
        found["late_word_loss"] = late.mlm_loss / late.mlm_count
    return {name: round(float(value), 4) for name, value in found.items()}


def counted(neighbours: int) -> dict[str, float]:
    """The loss of a table: how often each word stood in a gap, with the same words seen beside it (one on either side, or none)."""

    def places(batch):
        for row, place in torch.nonzero(batch["labels"] != IGNORE).tolist():
            beside = batch["input_ids"][row, [place - 1, place + 1]].tolist() if neighbours else []
            yield tuple(beside), int(batch["labels"][row, place])

    size = len(world(0).vocab)
    counts = defaultdict(lambda: torch.full((size,), 0.01))  # each [V]
    for beside, word in places(corrupted(world(0).batch(0, COUNTED_ROWS), 0)):
        counts[beside][word] += 1
    found = [(counts[beside] / counts[beside].sum(), word) for beside, word in places(held_out())]
    return {
        "mlm_loss": round(sum(-math.log(chances[word]) for chances, word in found) / len(found), 4),
        "mlm_accuracy": round(
            sum(int(chances.argmax()) == word for chances, word in found) / len(found), 4
        ),
    }


def measure(variant: str, seed: int | None) -> dict:
    """One row's values, and what they cost: seconds of one core, which a busy machine does not stretch."""
    started = time.process_time()
    values = _measure(variant, seed)
    return values | {"cpu_seconds": round(time.process_time() - started, 1)}


def _measure(variant: str, seed: int | None) -> dict:
    if variant == "floor":
        rows = held_out()
        return {
            name: round(value, 4)
            for name, value in dataclasses.asdict(
                world(0).floor(rows["input_ids"], rows["labels"], rows["next_sentence_label"])
            ).items()
        }
    if variant in ("unigrams", "neighbours"):
        return counted(neighbours=int(variant == "neighbours"))
    if variant == "untrained":
        torch.manual_seed(seed)
        return scores(new_model())
    recipe = RECIPES[variant]
    return scores(train(recipe, seed), recipe.next_sentence)


def main(argv: list[str] | None = None) -> int:
    keep_freed_memory()
    return log.run(
        __file__,
        "Choices of pretraining, in the small world",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
