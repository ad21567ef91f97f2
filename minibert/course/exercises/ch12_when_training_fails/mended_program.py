"""Exercise `MendedProgram`: task, hints, solution and check."""

from types import SimpleNamespace

import torch
import torch.nn.functional as F

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch12_when_training_fails.common import CHAPTER
from minibert.course.exercises.ch12_when_training_fails.effect_of_context import rows
from minibert.course.exercises.compare import Mistake


class MendedProgram(torch.nn.Module):
    """The program above without its two faults."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, token_type_ids, attention_mask, labels, next_sentence_label):
        """Return an object with `prediction_logits` and `loss`, the sum of both losses."""
        # blank from here: copy the program's lines, and change what your measurements tell you
        out = self.model(input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask)
        words = F.cross_entropy(out.prediction_logits.flatten(0, 1), labels.flatten())
        pairs = F.cross_entropy(out.seq_relationship_logits, next_sentence_label)
        return SimpleNamespace(prediction_logits=out.prediction_logits, loss=words + pairs)


def variant(inverted=False, no_mask=False, ignored=False, one_criterion=False, words_only=False):
    """The solution's predictions at real tokens and its loss, and those of wrong versions of it."""
    model, batch = rows()
    real = batch["attention_mask"] != 0
    mask = torch.ones_like(real) if no_mask else real ^ inverted
    out = model(batch["input_ids"], token_type_ids=batch["token_type_ids"], attention_mask=mask)
    labels = batch["labels"].clamp(min=0) if one_criterion else batch["labels"]
    words = F.cross_entropy(out.prediction_logits.flatten(0, 1), labels.flatten())
    ignore = 0 if ignored else -100
    pairs = F.cross_entropy(
        out.seq_relationship_logits, batch["next_sentence_label"], ignore_index=ignore
    )
    return out.prediction_logits[real], words if words_only else words + pairs


WRONG = (
    ({"ignored": True, "inverted": True}, "both faults are still there"),
    ({"inverted": True}, "the class that cost nothing is counted now, but tokens still attend to the padding of their row and to nothing else"),
    ({"ignored": True}, "tokens see their context now, but the pairs with label 0 still cost nothing"),
    ({"no_mask": True}, "tokens attend to everything now, padding included"),
    ({"one_criterion": True}, "your MLM loss scores every position: label 0 is counted where nothing is to be predicted"),
    ({"words_only": True}, "the loss is that of the words alone; add that of the pairs"),
)  # fmt: skip


@torch.no_grad()
def check_mended_program(answer):
    model, batch = rows()
    found = answer(model).eval()(**batch)
    for name in ("prediction_logits", "loss"):
        if not isinstance(getattr(found, name, None), torch.Tensor):
            raise Mistake(
                f"forward should return an object with a tensor .{name}, as the program does."
            )
    if found.prediction_logits.shape != (*batch["input_ids"].shape, 40):
        raise Mistake(
            f"prediction_logits has the shape {list(found.prediction_logits.shape)}; expected [B, S, V],"
            f" here [{len(batch['input_ids'])}, {batch['input_ids'].size(1)}, 40]."
        )
    logits = found.prediction_logits[batch["attention_mask"] != 0]
    if _equal(logits, found.loss, variant()):
        return
    for changes, why in WRONG:
        if _equal(logits, found.loss, variant(**changes)):
            raise Mistake(
                f"your loss is {float(found.loss):.4f}, expected {float(variant()[1]):.4f}: {why}."
            )
    what = "predictions are right, and the loss" if _near(logits, variant()[0]) else "loss"
    raise Mistake(
        f"your {what} is {float(found.loss):.4f}; expected {float(variant()[1]):.4f}, the mean over all"
        " scored words plus the mean over all pairs."
    )


def _equal(logits, loss, expected) -> bool:
    return _near(logits, expected[0]) and _near(loss, expected[1])


def _near(found, expected) -> bool:
    return torch.allclose(found, expected, atol=1e-5)


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=12,
    title="Repair a program",
    task="""
            The program above has two faults. Find them with the measurements of this chapter before you change a line: count what the losses score, overfit one batch, and exchange the words around
            the gaps. Then write the program without them.
        """,
    hints=(
        "`effect_of_context(Program(fresh), batch)` and `overfit_one_batch(Program(fresh), first(batch, 16), 201, 5e-3)` apply your measurements to the program. What is the effect of context of the model on its own?",
        "What does the model expect in `attention_mask`, and what does this program hand over? And over how many of the 64 pairs does its criterion take the mean?",
    ),
    paragraph="Step 3: overfit one batch",
    solution=MendedProgram,
    check=check_mended_program,
)
