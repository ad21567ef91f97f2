"""Which place chapter 8's small model predicts for each hero's name with each pronoun: untrained, and after two recipes.

    python benchmarks/heroes.py            # measure everything, write logs/heroes.json
    python benchmarks/heroes.py --check    # measure two rows anew, fail outside the bands

The recipes and the training are those of `learning_rates.py`, and one more: momentum with the complete recipe at a rate of 0.3.
"exact" is the Bayes-optimal predictor. The text is the chapter's: a name that occurs twice, a pronoun, and three gaps. All eight
names are tried with both pronouns, because a swap of one word at a time shows which of the two words a model uses. "right" counts
the heroes whose place is predicted from their own name and pronoun.
"""

import sys
from pathlib import Path

import torch
from torch import nn

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log
from learning_rates import HELD_OUT_ROWS, train
from small_world import HELD_OUT_SEED, SEEDS, corrupted, new_model, world

from minibert.data.small_world import TALES
from minibert.pretraining.fused import pretraining_sums
from minibert.training.memory import keep_freed_memory

RECIPES = {"SGD, 0.2": ("SGD", 0.2), "momentum, complete, 0.3": ("momentum, complete", 0.3)}
EXACT = "exact"
ROWS = [(EXACT, None)] + [(variant, seed) for variant in ("untrained", *RECIPES) for seed in SEEDS]
CHECKED = [(EXACT, None), ("untrained", 0), ("SGD, 0.2", 0)]
BANDS = {
    EXACT: {"right": (8, 8)},
    "untrained": {"right": (0, 2)},
    "SGD, 0.2": {"right": (3, 8)},
    "momentum, complete, 0.3": {"right": (1, 7)},
}
TOLERANCE = {"mlm_loss": 0.15, "right": 2}
PRONOUNS = ("she", "he")


@torch.no_grad()
def place(model: nn.Module | None, name: str, pronoun: str) -> str:
    """The top prediction of the place, by a model or, without one, by the exact probabilities."""
    vocab = world(0).vocab
    a = f"[CLS] {name} was happy and laughed . {name} went to the [MASK] . [SEP]".split()
    b = f"the [MASK] was [MASK] that morning . {pronoun} found a small [MASK] . [SEP]".split()
    ids = torch.tensor([[vocab[word] for word in a + b]])
    if model is None:
        scores = world(0).posteriors(ids)[0]  # [1, S, V]
    else:
        segments = torch.tensor([[0] * len(a) + [1] * len(b)])
        scores = model(ids, token_type_ids=segments).prediction_logits  # [1, S, V]
    return list(vocab)[int(scores[0, a.index("the") + 1].argmax())]


@torch.no_grad()
def measure(variant: str, seed: int | None) -> dict:
    model, held_out = None, corrupted(world(HELD_OUT_SEED).batch(0, HELD_OUT_ROWS), HELD_OUT_SEED)
    if seed is None:
        keys = "input_ids", "labels", "next_sentence_label"
        loss = world(0).floor(*(held_out[key] for key in keys)).mlm_loss
    else:
        torch.manual_seed(seed)
        with torch.enable_grad():
            model = train(*RECIPES[variant], seed) if variant in RECIPES else new_model()
        sums = pretraining_sums(model.eval(), **held_out)
        loss = float(sums.mlm_loss / sums.mlm_count)
    heroes = [[word.strip() for word in row.split("|")] for row in TALES.splitlines()[2:]]
    places = {
        pronoun: {name: place(model, name, pronoun) for name, *_ in heroes} for pronoun in PRONOUNS
    }
    return {
        "right": sum(places[pronoun][name] == hero[2] for name, pronoun, *hero in heroes),
        "mlm_loss": round(loss, 4),
        "places": places,
    }


def main(argv: list[str] | None = None) -> int:
    keep_freed_memory()
    return log.run(
        __file__,
        "Which words about the hero the small models of chapter 8 use",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv,
        checked=CHECKED,
    )


if __name__ == "__main__":
    sys.exit(main())
