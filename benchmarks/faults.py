"""Runs in the small world, each with one fault that is planted here: the package has no switch for it (see failures.py)."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert import BertConfig, BertForPreTraining
from minibert.config import IGNORE
from minibert.data import mask_tokens
from minibert.data.exact_predictor import MASK, PAD
from minibert.data.small_world import SmallWorld
from minibert.training.optim import make_optimizers

RATE, MATRIX_RATE = 5e-3, 1e-2  # of AdamW and of Muon


@dataclass(frozen=True)
class Recipe:
    """A run, and what is wrong with it; the values here are the correct ones."""

    steps: int = 400
    batch_size: int = 64
    layers: int = 2
    optimizer: str = "muon"
    learning_rate: float = RATE
    matrix_learning_rate: float = MATRIX_RATE
    warmup: int = 40
    weight_decay: float = 0.01
    different_rows: int | None = None  # the corpus holds only so many different rows
    ignored_pair_label: int = IGNORE  # 0: one loss object with ignore_index=0 for both tasks
    padding_counts: bool = False  # padding is a word to predict, and scored
    answers_visible: bool = (
        False  # the labels are right, and the masked copy of the ids is not used
    )
    labels_moved: int = 0  # each row has the labels of the row so many rows before it
    mask_inverted: bool = False  # attention sees padding alone, in training and in evaluation


def at_rate(factor: float) -> dict:
    """Both learning rates, times a factor."""
    return {"learning_rate": RATE * factor, "matrix_learning_rate": MATRIX_RATE * factor}


VARIANTS = {
    "live": Recipe(steps=608, warmup=60),
    "healthy": Recipe(),
    "too slow": Recipe(**at_rate(1 / 100)),
    "too fast": Recipe(**at_rate(50)),
    "mask inverted": Recipe(mask_inverted=True),
    "labels of other rows": Recipe(labels_moved=1),
    "answers visible": Recipe(answers_visible=True),
    "padding in the loss": Recipe(padding_counts=True),
    "a class ignored": Recipe(ignored_pair_label=0),
    "repeated lines": Recipe(different_rows=64),
}


UNSEEN = {  # chosen so that the sums of both losses that they print look alike
    "unseen A": Recipe(padding_counts=True),
    "unseen B": Recipe(),
    "unseen C": Recipe(different_rows=512),
}
WEAKER = {  # weaker versions of three faults, on which the check of exercise 12.4 tries an answer
    "a tenth of the rate": Recipe(**at_rate(1 / 10)),
    "ten times the rate": Recipe(**at_rate(10)),
    "eight batches repeated": Recipe(different_rows=512),
}
BESIDE = {name: "healthy" for name in VARIANTS if name not in ("live", "healthy")}


@cache
def world(seed: int) -> SmallWorld:
    return SmallWorld(seed)


@cache
def rows(seed: int, first: int, size: int) -> dict[str, Tensor]:
    """The same rows serve every run of a seed."""
    return world(seed).batch(first, size)


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


def batches(recipe: Recipe, seed: int) -> Iterator[dict[str, Tensor]]:
    """What the program with the recipe's mistake trains on."""
    size = recipe.batch_size
    for step in range(recipe.steps):
        first = (
            step * size if recipe.different_rows is None else step * size % recipe.different_rows
        )
        clean = rows(seed, first, size)
        batch = corrupted(clean, step)
        if recipe.answers_visible:
            batch["input_ids"] = clean["input_ids"]
        batch["labels"] = batch["labels"].roll(recipe.labels_moved, 0)
        yield batch


def counts(recipe: Recipe, seed: int) -> dict[str, float]:
    """What one sees in the first four batches, as shares of the scored positions; and how many rows are different."""
    chosen = dataclasses.replace(recipe, steps=4)
    found = [scored_labels(batch, recipe) for batch in batches(chosen, seed)]
    ids, labels, real = (torch.cat(parts) for parts in zip(*found))  # [B, S] each
    scored = labels != IGNORE
    texts = recipe.different_rows or recipe.steps * recipe.batch_size
    return {
        "masked": round((ids == MASK)[scored].float().mean().item(), 3),
        "visible": round((ids == labels)[scored].float().mean().item(), 3),
        "padding": round((~real)[scored].float().mean().item(), 3),
        "rows": texts,
    }


def scored_labels(batch: dict[str, Tensor], recipe: Recipe) -> tuple[Tensor, Tensor, Tensor]:
    """The ids, the labels as the loss sees them, and where tokens are real: [B, S] each."""
    labels, real = batch["labels"], batch["attention_mask"]
    return (
        batch["input_ids"],
        labels.where(real, PAD) if recipe.padding_counts else labels,
        real,
    )


def sick_losses(
    model: BertForPreTraining, batch: dict[str, Tensor], recipe: Recipe
) -> tuple[Tensor, Tensor]:
    """Both losses as the program with the recipe's mistake computes them."""
    _, labels, _ = scored_labels(batch, recipe)  # [B, S]
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


def plant(model: BertForPreTraining, recipe: Recipe) -> BertForPreTraining:
    """The model, with the one fault that is in the model itself."""

    def invert(module, args, kwargs):
        return args, kwargs | {"attention_mask": kwargs["attention_mask"] == 0}

    if recipe.mask_inverted:
        model.bert.register_forward_pre_hook(invert, with_kwargs=True)
    return model


def optimizers_of(model: nn.Module, recipe: Recipe) -> list[torch.optim.Optimizer]:
    return make_optimizers(
        model,
        recipe.optimizer,
        recipe.learning_rate,
        recipe.matrix_learning_rate,
        recipe.weight_decay,
    )
