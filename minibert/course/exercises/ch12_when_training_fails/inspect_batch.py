"""Exercise `inspect_batch`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch12_when_training_fails.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def inspect_batch(input_ids, labels, attention_mask, mask_id):
    """Three shares of the chosen positions, as a dict of floats.

    Chosen are the positions whose label is not -100.
    shows_mask: the input is [MASK]; shows_answer: it is the label;
    padding: attention_mask is 0. A correct batch: about 0.8, 0.1 and 0.
    input_ids [B, S], labels [B, S], attention_mask [B, S].
    """
    # blank from here: look at the chosen positions only
    chosen = labels != -100  # [B, S]
    mask = (input_ids == mask_id)[chosen].float().mean()
    answer = (input_ids == labels)[chosen].float().mean()
    padding = (attention_mask == 0)[chosen].float().mean()
    return {
        "shows_mask": float(mask),
        "shows_answer": float(answer),
        "padding": float(padding),
    }


def batch():
    """Two rows with 4 chosen positions: 2 show [MASK], 1 its label, 1 is padding; 20 positions, 8 of padding."""
    ids = torch.tensor([[2, 9, 4, 7, 4, 3, 0, 0, 0, 0], [2, 8, 8, 6, 4, 3, 0, 0, 0, 0]])
    labels = torch.full((2, 10), -100)
    labels[0, 2], labels[0, 4], labels[0, 7], labels[1, 3] = 5, 6, 8, 6
    return ids, labels, ids != 0, 4


EXPECTED = {"shows_mask": 0.5, "shows_answer": 0.25, "padding": 0.25}
KNOWN = {  # a wrong value -> why
    "shows_mask": (
        (2.0, "that is a count; divide by the 4 chosen positions"),
        (2 / 20, "that is a share of all 20 positions; divide by the 4 chosen ones"),
        (
            3 / 4,
            "that counts the [MASK] at a position that is not chosen as well; look at chosen positions only",
        ),
        (2 / 3, "that is a share of the positions that show [MASK]; divide by the chosen ones"),
    ),
    "shows_answer": (
        (1.0, "that is a count; divide by the 4 chosen positions"),
        (1 / 20, "that is a share of all 20 positions; divide by the 4 chosen ones"),
        (3 / 4, "that counts the positions where input and label differ"),
    ),
    "padding": (
        (1.0, "that is a count; divide by the 4 chosen positions"),
        (1 / 20, "that is a share of all 20 positions; divide by the 4 chosen ones"),
        (3 / 4, "that counts real tokens; padding has 0 in attention_mask"),
        (8 / 20, "that is the share of padding among all positions; look at the chosen ones only"),
    ),
}


def check_inspect_batch(answer):
    found = answer(*batch())
    if not isinstance(found, dict) or EXPECTED.keys() - found.keys():
        raise Mistake(
            f"expected is a dict with shows_mask, shows_answer and padding, not {found!r}."
        )
    for name, expected in EXPECTED.items():
        value = float(found[name])
        if abs(value - expected) < 1e-6:
            continue
        for wrong, why in KNOWN[name]:
            if abs(value - wrong) < 1e-6:
                raise Mistake(f"{name} is {value:.3f}, expected {expected:.2f}: {why}.")
        raise Mistake(
            f"{name} is {value:.3f} in a batch where it should be {expected:.2f}: 4 positions are"
            " chosen, 2 of them show [MASK], 1 shows its label and 1 is padding."
        )
    ids, labels, mask, _ = batch()
    for name, expected, given in (
        ("input_ids", 0.25, (ids.where(ids != 4, 9).scatter(1, torch.tensor([[4], [0]]), 4), labels, mask, 4)),
        ("attention_mask", 0.0, (ids, labels, torch.ones_like(mask), 4)),
    ):  # fmt: skip
        key = "shows_mask" if name == "input_ids" else "padding"
        value = float(answer(*given)[key])
        if abs(value - expected) > 1e-6:
            raise Mistake(
                f"with other {name}, {key} is {value:.2f}, expected {expected:.2f}. Compute with"
                " what you are given."
            )
    other = answer(ids, labels, mask.long(), 8)
    if abs(float(other["shows_mask"])) > 1e-6:
        raise Mistake(
            f"with another mask_id, 8, shows_mask is {float(other['shows_mask']):.2f}; no chosen position"
            " shows the id 8. Use the argument."
        )
    if abs(float(other["padding"]) - 0.25) > 1e-6:
        raise Mistake(
            f"with an attention_mask of ones and zeros, padding is {float(other['padding']):.2f},"
            " expected 0.25. A tilde turns the integer 1 into -2; compare with 0."
        )
    most = labels.clone()
    most[0, 1] = 0  # an id like any other, and a label that counts
    if abs(float(answer(ids, most, mask, 4)["shows_mask"]) - 0.4) > 1e-6:
        raise Mistake(
            "a position with the label 0 is chosen as well: only -100 means that there is nothing to predict."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=8,
    title="Look at the batch before you train",
    task="Compute three shares that are worth checking on every batch for masked language modelling: how many of the *chosen* positions show [MASK], how many show the answer, and how many are padding. They reveal three faults of this chapter before the first step of training.",
    hints=(
        "A boolean tensor as an index, `something[chosen]`, keeps the chosen positions in one flat list.",
        "The mean of booleans, turned into floats, is a share. All three shares are such means over the chosen positions.",
    ),
    paragraph="Look at the data",
    solution=inspect_batch,
    check=check_inspect_batch,
)
