"""A run that reaches the floor, and eight ways to fail, in the small world where the lowest possible loss is known.

    python benchmarks/failures.py            # measure everything, write logs/failures.json
    python benchmarks/failures.py --check    # measure one seed of each anew, fail outside the bands

Every sick run differs from its healthy one by one mistake, which is planted here: the package has no switch for it. A row
holds what the program with that mistake prints at the end ("printed"), what is really so on held-out rows, and both as
curves. The healthy run is the live run of chapter 8, cut short, so that all of this takes minutes. The live run itself,
over its whole length, also logs what it guesses at a few gaps on its way. The first seed of every run leaves a film as well
(film.py). Chapter 8 draws all of it.
"""

import dataclasses
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
from film import Film

from minibert import BertConfig, BertForPreTraining
from minibert.config import IGNORE
from minibert.data import mask_tokens
from minibert.data.exact_predictor import MASK, PAD
from minibert.data.small_world import SmallWorld
from minibert.pretraining.fused import pretraining_sums
from minibert.training.memory import keep_freed_memory
from minibert.training.optim import learning_rate_schedule, make_optimizers, set_learning_rate

HELD_OUT_SEED, HELD_OUT_ROWS = 1000, 128
POINTS = 16  # of a curve


@dataclass(frozen=True)
class Recipe:
    """A run, and what is wrong with it; the values here are the healthy ones."""

    steps: int = 192
    batch_size: int = 32
    layers: int = 2
    optimizer: str = "muon"
    learning_rate: float = 5e-3  # of AdamW
    matrix_learning_rate: float = 1e-2  # of Muon
    warmup: int = 20
    weight_decay: float = 0.01
    decay_everything: bool = False  # norms and biases too
    different_rows: int | None = (
        None  # the corpus holds only so many different rows, again and again
    )
    ignored_pair_label: int = IGNORE  # 0: one loss object with ignore_index=0 for both tasks
    padding_counts: bool = False  # padding is a word to predict, and scored


DEEP = {"layers": 6, "optimizer": "adamw", "learning_rate": 3e-3, "batch_size": 16, "steps": 128}
VARIANTS = {
    "live": Recipe(steps=608, batch_size=64, warmup=60),
    "healthy": Recipe(),
    "too slow": Recipe(learning_rate=5e-3 / 50, matrix_learning_rate=1e-2 / 50),
    "a class ignored": Recipe(ignored_pair_label=0),
    "padding in the loss": Recipe(padding_counts=True),
    "too fast": Recipe(learning_rate=5e-3 * 50, matrix_learning_rate=1e-2 * 50),
    "deep, healthy": Recipe(**DEEP),
    "no warm-up": Recipe(**DEEP, warmup=0),
    "decay on everything": Recipe(decay_everything=True),
    "strong decay, healthy": Recipe(weight_decay=3.0),
    "strong decay on everything": Recipe(weight_decay=3.0, decay_everything=True),
    "repeated lines": Recipe(different_rows=64),
}
BESIDE = dict.fromkeys(VARIANTS, "healthy") | {
    "no warm-up": "deep, healthy",
    "strong decay on everything": "strong decay, healthy",
}
for name in ("live", "healthy", "deep, healthy", "strong decay, healthy"):
    del BESIDE[name]
GAPS = (  # text A and text B with one word hidden, and the words whose probabilities are logged
    (
        "anna went to the river . she swam with her [MASK] .",
        "she found a small boat . anna was glad and sang .",
        ("sister", "horse", "mother", "dog", "uncle", "river", "was", "."),
    ),
    (
        "henry went to the farm . henry was glad and laughed .",
        "he [MASK] a small cow . he sowed with his brother .",
        ("found", "saw", "kept", "lost", "sowed", "went", "was", "."),
    ),
    (
        "frank was tired and rested . frank ran to the harbour .",
        "the harbour was windy that day . [MASK] sailed with his cousin .",
        ("he", "she", "frank", "anna", "the", "harbour", "was", "."),
    ),
)
SEEDS = (0, 1, 2)
ROWS = [("perfect reader", None)] + [(variant, seed) for variant in VARIANTS for seed in SEEDS]
BANDS = {
    "live": {"mlm_loss": (0.27, 0.42), "nsp_loss": (0.14, 0.30)},
    "healthy": {"mlm_loss": (0.8, 1.6)},
    "too slow": {"mlm_loss": (3.9, 4.8)},
    "a class ignored": {"printed_pair_loss": (0, 0.05), "nsp_accuracy": (0.4, 0.6)},
    "padding in the loss": {"printed_word_loss": (0.3, 1.0), "mlm_loss": (0.8, 1.8)},
    "too fast": {"mlm_loss": (3.6, 4.6)},
    "deep, healthy": {"mlm_loss": (2.5, 3.75)},
    "no warm-up": {"mlm_loss": (3.75, 4.1)},
    "decay on everything": {"mlm_loss": (0.8, 1.6)},
    "repeated lines": {"mlm_loss": (1.2, 3), "nsp_loss": (1, 9)},
}
TOLERANCE = {"mlm_loss": 0.3, "printed_word_loss": 0.3, "mlm_accuracy": 0.15, "nsp_accuracy": 0.25}


@cache
def world(seed: int) -> SmallWorld:
    return SmallWorld(seed)


def corrupted(rows: dict[str, Tensor], seed: int) -> dict[str, Tensor]:
    """Rows with masked words and their labels."""
    ids, labels = mask_tokens(
        rows["input_ids"],
        mask_token_id=MASK,
        vocab_size=len(world(0).vocab),
        special_ids=range(MASK + 1),
        generator=torch.Generator().manual_seed(seed),
    )
    return rows | {"input_ids": ids, "labels": labels}


@cache
def held_out() -> dict[str, Tensor]:
    return corrupted(world(HELD_OUT_SEED).batch(0, HELD_OUT_ROWS), HELD_OUT_SEED)


def batches(recipe: Recipe, seed: int) -> Iterator[dict[str, Tensor]]:
    size = recipe.batch_size
    for step in range(recipe.steps):
        first = (
            step * size if recipe.different_rows is None else step * size % recipe.different_rows
        )
        yield corrupted(world(seed).batch(first, size), step)


def sick_losses(
    model: BertForPreTraining, batch: dict[str, Tensor], recipe: Recipe
) -> tuple[Tensor, Tensor]:
    """Both losses as the program with the recipe's mistake computes them."""
    labels = batch["labels"]
    if recipe.padding_counts:
        labels = labels.where(batch["attention_mask"], PAD)  # [B, S]
    out = model(
        batch["input_ids"],
        token_type_ids=batch["token_type_ids"],
        attention_mask=batch["attention_mask"],
    )
    words = F.cross_entropy(
        out.prediction_logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORE
    )
    pairs = F.cross_entropy(
        out.seq_relationship_logits,
        batch["next_sentence_label"],
        ignore_index=recipe.ignored_pair_label,
    )
    return words, pairs


def optimizers_of(model: nn.Module, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Those of the package; or with norms and biases that decay like everything else."""
    optimizers = make_optimizers(
        model,
        recipe.optimizer,
        recipe.learning_rate,
        recipe.matrix_learning_rate,
        recipe.weight_decay,
    )
    if recipe.decay_everything:
        for group in optimizers[0].param_groups:
            group["weight_decay"] = recipe.weight_decay
    return optimizers


@torch.no_grad()
def scores(model: BertForPreTraining) -> dict[str, float]:
    """What is really so, on rows that no run has seen."""
    sums = pretraining_sums(model.eval(), **held_out())
    model.train()
    return {
        "mlm_loss": round(float(sums.mlm_loss / sums.mlm_count), 3),
        "mlm_accuracy": round(float(sums.mlm_correct / sums.mlm_count), 3),
        "nsp_loss": round(float(sums.nsp_loss / sums.nsp_count), 3),
        "nsp_accuracy": round(float(sums.nsp_correct / sums.nsp_count), 3),
    }


@cache
def gaps() -> tuple[dict[str, Tensor], Tensor]:
    """The rows of GAPS, and where each has its gap: a tokenizer's batch, [N, S] boolean."""
    batch = world(0).tokenizer()([first for first, _, _ in GAPS], [second for _, second, _ in GAPS])
    return batch, batch["input_ids"] == MASK


def shown(chances: Tensor) -> list[list[float]]:
    """Probabilities [N, S, V] at the gaps, of the words that are logged."""
    vocab = world(0).vocab
    return [
        [round(float(row[vocab[word]]), 3) for word in words]
        for row, (_, _, words) in zip(chances[gaps()[1]], GAPS)
    ]


@torch.no_grad()
def guesses(model: BertForPreTraining) -> list[list[float]]:
    chances = model.eval()(**gaps()[0]).prediction_logits.softmax(dim=-1)  # [N, S, V]
    model.train()
    return shown(chances)


def film(recipe: Recipe) -> Film:
    """A film of the first gap, in which the name at position 1 tells what is hidden."""

    def numbers(model: BertForPreTraining) -> dict:
        found = scores(model)
        return {
            "mlm_loss": found["mlm_loss"],
            "nsp_loss": found["nsp_loss"],
            "guesses": guesses(model),
        }

    batch, holes = gaps()
    first = {name: rows[:1] for name, rows in batch.items()}
    return Film(recipe.steps, numbers, first, gap=int(holes[0].nonzero()), answer=1)


def perfect_reader() -> dict:
    """The floor on the held-out rows, and what a perfect reader guesses at the gaps."""
    rows = held_out()
    floor = world(0).floor(rows["input_ids"], rows["labels"], rows["next_sentence_label"])
    guessed, _ = world(0).posteriors(gaps()[0]["input_ids"])
    return {
        **{name: round(value, 3) for name, value in dataclasses.asdict(floor).items()},
        "curves": {},
        "gaps": [
            {"first": first, "second": second, "words": words, "chances": chances}
            for (first, second, words), chances in zip(GAPS, shown(guessed))
        ],
    }


def measure(variant: str, seed: int) -> dict:
    """Train one recipe: the scores at the end, and the curves."""
    if variant == "perfect reader":
        return perfect_reader()
    recipe = VARIANTS[variant]
    torch.manual_seed(seed)
    model = BertForPreTraining(config(recipe.layers)).train()
    optimizers, every = optimizers_of(model, recipe), recipe.steps // POINTS
    curves = {
        "step": [],
        "printed_word_loss": [],
        "printed_pair_loss": [],
        **{name: [] for name in scores(model)},
    }
    if variant == "live":
        curves["guesses"] = []
    reel = film(recipe)
    if seed == 0:
        reel.shoot(model, 0)
    printed = torch.zeros(2)
    for step, batch in enumerate(batches(recipe, seed), start=1):
        set_learning_rate(optimizers, learning_rate_schedule(step - 1, recipe.steps, recipe.warmup))
        words, pairs = sick_losses(model, batch, recipe)
        pairs = pairs.nan_to_num()  # a batch in which every pair has the ignored label
        (words + pairs).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        printed += torch.stack([words, pairs]).detach() / every
        if step % every == 0:
            point = scores(model) | {
                "step": step,
                "printed_word_loss": round(printed[0].item(), 3),
                "printed_pair_loss": round(printed[1].item(), 3),
            }
            if variant == "live":
                point["guesses"] = guesses(model)
            for name, value in point.items():
                curves[name].append(value)
            printed.zero_()
        if seed == 0:
            reel.shoot(model, step)
    return (
        {name: values[-1] for name, values in curves.items() if name not in ("step", "guesses")}
        | {"recipe": dataclasses.asdict(recipe), "curves": curves}
        | ({"film": reel.developed()} if seed == 0 else {})
    )


def config(layers: int) -> BertConfig:
    """The model of chapter 8's live run, two layers or more."""
    return BertConfig(
        vocab_size=len(world(0).vocab),
        hidden_size=64,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=256,
        max_position_embeddings=world(0).length,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.1,
    )


def main(argv: list[str] | None = None) -> int:
    keep_freed_memory()
    return log.run(
        __file__,
        "Eight failures of pretraining, in the small world",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
