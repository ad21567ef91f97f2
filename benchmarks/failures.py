"""A run that comes near the floor, and eight ways to fail, in the small world where the lowest possible loss is known.

    python benchmarks/failures.py            # measure everything, write logs/failures.json
    python benchmarks/failures.py --check    # measure one seed of each anew, fail outside the bands

Every broken run differs from the healthy one by one fault (faults.py). A row holds what the program with that fault prints at the
end ("printed"), what is so on held-out rows, and both as curves. The live run of chapter 8 also logs what it guesses at a few
gaps on its way. The first seed of every named run leaves a film as well (film.py). Three more runs, "unseen", print losses that look
alike, and only one of them is healthy: the reader of chapter 12 finds out which. Three have a weaker version of a fault. Chapter 12
draws all of it.
"""

import dataclasses
import sys
from functools import cache
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
from faults import (
    UNSEEN,
    VARIANTS,
    WEAKER,
    Recipe,
    batches,
    config,
    corrupted,
    counts,
    optimizers_of,
    plant,
    sick_losses,
    world,
)
from film import Film

from minibert import BertForPreTraining
from minibert.config import IGNORE
from minibert.data.exact_predictor import MASK
from minibert.heads import class_loss
from minibert.training.memory import keep_freed_memory
from minibert.training.optim import learning_rate_schedule, set_learning_rate

HELD_OUT_SEED, HELD_OUT_ROWS = 1000, 128
POINTS = 16  # of a curve
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
RECIPES = VARIANTS | UNSEEN | WEAKER
ROWS = [
    ("perfect reader", None),
    *((variant, seed) for variant in VARIANTS for seed in SEEDS),
    *((variant, 3) for variant in UNSEEN),
    *zip(WEAKER, (3, 3, 4), strict=True),
]
BANDS = {
    "live": {"mlm_loss": (0.27, 0.42), "nsp_loss": (0.14, 0.30)},
    "healthy": {"mlm_loss": (0.3, 0.6), "nsp_loss": (0.15, 0.45), "context": (0.5, 1)},
    "too slow": {"mlm_loss": (3.85, 4.8), "update": (0, 0.001)},
    "too fast": {"mlm_loss": (3.6, 4.6), "context": (0, 0.05)},
    "mask inverted": {"printed_word_loss": (1.8, 2.5), "context": (0, 0.001)},
    "labels of other rows": {"printed_word_loss": (2.4, 3.0), "context": (0, 0.3)},
    "answers visible": {"printed_word_loss": (0, 0.05), "mlm_loss": (4, 9)},
    "padding in the loss": {"printed_word_loss": (0.15, 0.4), "mlm_loss": (0.3, 0.7)},
    "a class ignored": {"printed_pair_loss": (0, 0.05), "nsp_accuracy": (0.4, 0.6)},
    "repeated lines": {"printed_word_loss": (0, 0.8), "mlm_loss": (1, 4), "nsp_loss": (1, 9)},
    "a tenth of the rate": {"printed_word_loss": (2, 2.9), "update": (0, 0.001)},
    "ten times the rate": {"printed_word_loss": (2.2, 3.6), "context": (0, 0.45)},
    "eight batches repeated": {"mlm_loss": (0.43, 0.6), "nsp_loss": (0.8, 2)},
}
TOLERANCE = {"mlm_loss": 0.3, "printed_word_loss": 0.3, "mlm_accuracy": 0.15, "nsp_accuracy": 0.25}


@cache
def held_out() -> dict[str, Tensor]:
    return corrupted(world(HELD_OUT_SEED).batch(0, HELD_OUT_ROWS), HELD_OUT_SEED)


def logits(model: BertForPreTraining, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """[B, S, V] and [B, 2]."""
    inputs = ("input_ids", "token_type_ids", "attention_mask")
    out = model.eval()(**{name: batch[name] for name in inputs})
    model.train()
    return out.prediction_logits, out.seq_relationship_logits


@torch.no_grad()
def scores(model: BertForPreTraining) -> dict[str, float]:
    """What is so, on rows that no run has seen."""
    batch = held_out()
    words, pairs = logits(model, batch)
    labels, classes = batch["labels"], batch["next_sentence_label"]
    right = words.argmax(dim=-1) == labels  # [B, S]
    said = pairs.argmax(dim=-1) == classes  # [B]
    found = {
        "mlm_loss": class_loss(words, labels),
        "mlm_accuracy": right[labels != IGNORE].float().mean(),
        "nsp_loss": class_loss(pairs, classes),
        "nsp_accuracy": said.float().mean(),
        "follows_accuracy": said[classes == 0].float().mean(),
        "random_accuracy": said[classes == 1].float().mean(),
        "context": _context(model, words),
    }
    return {name: round(float(value), 3) for name, value in found.items()}


def _context(model: BertForPreTraining, words: Tensor) -> Tensor:
    """How far the predictions at the masked positions move when the other words are replaced by another row's.

    The mean total variation distance: 0 if the context does not matter, 1 if it decides everything.
    """
    batch = held_out()
    ids, asked = batch["input_ids"], batch["labels"] != IGNORE
    word = (ids > MASK) & ~asked  # [B, S]
    swapped = ids.roll(1, 0).where(word & word.roll(1, 0), ids)
    moved, _ = logits(model, batch | {"input_ids": swapped})
    return (words[asked].softmax(-1) - moved[asked].softmax(-1)).abs().sum(-1).mean() / 2


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


def matrices(model: BertForPreTraining) -> Tensor:
    """All weights of the encoder's matrices, as one vector."""
    found = [weight for weight in model.bert.encoder.parameters() if weight.dim() == 2]
    return torch.cat([weight.detach().flatten() for weight in found])


def measure(variant: str, seed: int) -> dict:
    """Train one recipe: the scores at the end, and the curves."""
    if variant == "perfect reader":
        return perfect_reader()
    recipe, filmed = RECIPES[variant], seed == 0
    torch.manual_seed(seed)
    model = plant(BertForPreTraining(config(recipe.layers)).train(), recipe)
    optimizers, every = optimizers_of(model, recipe), recipe.steps // POINTS
    curves: dict[str, list] = {"step": []}
    reel = film(recipe)
    if filmed:
        reel.shoot(model, 0)
    printed = torch.zeros(2)
    for step, batch in enumerate(batches(recipe, seed), start=1):
        set_learning_rate(optimizers, learning_rate_schedule(step - 1, recipe.steps, recipe.warmup))
        words, pairs = sick_losses(model, batch, recipe)
        pairs = pairs.nan_to_num()  # a batch in which every pair has the ignored label
        (words + pairs).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        logged = step % every == 0
        before = matrices(model) if logged else None
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        printed += torch.stack([words, pairs]).detach() / every
        if logged:
            update = (matrices(model) - before).norm() / before.norm()
            point = {
                "step": step,
                "printed_word_loss": round(printed[0].item(), 3),
                "printed_pair_loss": round(printed[1].item(), 3),
                **scores(model),
                "update": float(f"{update.item():.2g}"),
            }
            if variant == "live":
                point["guesses"] = guesses(model)
            for name, value in point.items():
                curves.setdefault(name, []).append(value)
            printed.zero_()
        if filmed:
            reel.shoot(model, step)
    return (
        {name: values[-1] for name, values in curves.items() if name not in ("step", "guesses")}
        | counts(recipe, seed)
        | {"recipe": dataclasses.asdict(recipe), "curves": curves}
        | ({"film": reel.developed()} if filmed else {})
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
