"""Patients of the bug clinic in training: what their programs print, and what is so, in the small world.

    python benchmarks/clinic.py            # measure everything, write logs/clinic.json
    python benchmarks/clinic.py --check    # measure one seed of each anew, fail outside the bands

Every sick run is the healthy one beside it, with the package infected (`minibert.course.clinic.infected`) from the first line to
the last. The losses are the package's own, mistake included ("printed"); words and pairs that are right on held-out rows
are counted here, so that no patient counts for itself. Chapter 13 draws all of it; eight more broken runs, those of chapter 12, are in `failures.py`.
"""

import sys
from contextlib import nullcontext
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import failures
import log

from minibert.course.clinic import infected
from minibert.data import mask_tokens
from minibert.data.exact_predictor import MASK
from minibert.heads import BertForPreTraining, class_loss
from minibert.training.memory import keep_freed_memory
from minibert.training.optim import (
    learning_rate_schedule,
    make_optimizers,
    set_learning_rate,
    update,
)

STEPS, BATCH, WARMUP, POINTS = 160, 32, 20, 16
LAYERS = {"healthy": 2, "deep, healthy": 6}
BESIDE = dict.fromkeys(("A1", "A3", "A7", "R3", "R9", "M5", "T6", "R6"), "healthy") | {
    "E1": "deep, healthy",
    "E3": "deep, healthy",
}
SEEDS = (0, 1, 2)
ROWS = [(variant, seed) for variant in (*LAYERS, *BESIDE) for seed in SEEDS]
BANDS = {
    "healthy": {"printed_word_loss": (1.2, 1.8), "mlm_accuracy": (0.45, 0.7)},
    "deep, healthy": {"printed_word_loss": (1.2, 2.2), "mlm_accuracy": (0.4, 0.7)},
    "A1": {"printed_word_loss": (1.2, 1.9), "mlm_accuracy": (0.4, 0.7)},  # no symptom in the curve
    "A3": {"printed_word_loss": (1.8, 2.6)},
    "A7": {"printed_word_loss": (1.2, 2.0), "mlm_accuracy": (0.4, 0.7)},  # nor here
    "R3": {"printed_word_loss": (1.2, 1.9), "nsp_accuracy": (0.4, 0.6)},
    "R9": {"printed_word_loss": (2.2, 3.4)},
    "M5": {"printed_word_loss": (4.2, 4.7), "mlm_accuracy": (0.4, 0.7)},
    "T6": {"printed_word_loss": (4.2, 4.8), "mlm_accuracy": (0.15, 0.5)},
    "R6": {"printed_word_loss": (0.1, 0.35), "mlm_accuracy": (0.4, 0.7)},
    "E1": {"printed_word_loss": (3.6, 4.1), "mlm_accuracy": (0.05, 0.25)},
    "E3": {"printed_word_loss": (1.2, 2.6)},
}
TOLERANCE = {"printed_word_loss": 0.3, "mlm_accuracy": 0.15, "nsp_accuracy": 0.25}


def masked(rows: dict[str, Tensor], seed: int) -> dict[str, Tensor]:
    """Rows with masked words and their labels, by the package's own masking."""
    ids, labels = mask_tokens(
        rows["input_ids"],
        mask_token_id=MASK,
        vocab_size=len(failures.world(0).vocab),
        special_ids=range(MASK + 1),
        generator=torch.Generator().manual_seed(seed),
    )
    return rows | {"input_ids": ids, "labels": labels}


@cache
def held_out() -> dict[str, Tensor]:
    """Made before anybody is infected."""
    return masked(
        failures.world(failures.HELD_OUT_SEED).batch(0, failures.HELD_OUT_ROWS),
        failures.HELD_OUT_SEED,
    )


@torch.no_grad()
def accuracies(model: BertForPreTraining) -> dict[str, float]:
    """The shares of held-out words and pairs that get the highest score: the same for scores and for probabilities."""
    rows = held_out()
    out = model.eval()(
        rows["input_ids"],
        token_type_ids=rows["token_type_ids"],
        attention_mask=rows["attention_mask"],
    )
    model.train()
    asked = rows["labels"] != failures.IGNORE  # [B, S]
    words = out.prediction_logits[asked].argmax(-1) == rows["labels"][asked]  # [M]
    pairs = out.seq_relationship_logits.argmax(-1) == rows["next_sentence_label"]  # [B]
    return {
        "mlm_accuracy": round(words.float().mean().item(), 3),
        "nsp_accuracy": round(pairs.float().mean().item(), 3),
    }


def measure(variant: str, seed: int) -> dict:
    """Train one patient, or a healthy run: what it prints and what is right at the end, and both as curves."""
    held_out()
    with infected(variant) if variant in BESIDE else nullcontext():
        return _train(LAYERS[BESIDE.get(variant, variant)], seed)


def _train(layers: int, seed: int) -> dict:
    torch.manual_seed(seed)
    model = BertForPreTraining(failures.config(layers)).train()
    optimizers = make_optimizers(model, "muon", 5e-3, 1e-2, 0.01)
    curves = {
        "step": [],
        "printed_word_loss": [],
        "printed_pair_loss": [],
        "mlm_accuracy": [],
        "nsp_accuracy": [],
    }
    printed, every = torch.zeros(2), STEPS // POINTS
    for step in range(1, STEPS + 1):
        set_learning_rate(optimizers, learning_rate_schedule(step - 1, STEPS, WARMUP))
        batch = masked(failures.world(seed).batch(step * BATCH, BATCH), step)
        out = model(**batch)
        out.loss.backward()
        update(optimizers, 1.0)
        words = class_loss(out.prediction_logits, batch["labels"])
        printed += torch.stack([words, out.loss - words]).detach() / every
        if step % every == 0:
            point = {
                "step": step,
                "printed_word_loss": round(printed[0].item(), 3),
                "printed_pair_loss": round(printed[1].item(), 3),
                **accuracies(model),
            }
            for name, value in point.items():
                curves[name].append(value)
            printed.zero_()
    return {name: values[-1] for name, values in curves.items() if name != "step"} | {
        "curves": curves
    }


def main(argv: list[str] | None = None) -> int:
    keep_freed_memory()
    return log.run(
        __file__,
        "Patients of the bug clinic in training, in the small world",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
