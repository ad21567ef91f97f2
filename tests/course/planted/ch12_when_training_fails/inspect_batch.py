"""Answers to `inspect_batch` on which its check is tried."""

import torch

from planted import Answers


def counted_one_by_one(input_ids, labels, attention_mask, mask_id):
    places = (labels != -100).nonzero().tolist()
    found = {"shows_mask": 0.0, "shows_answer": 0.0, "padding": 0.0}
    for row, column in places:
        token = int(input_ids[row, column])
        found["shows_mask"] += (token == mask_id) / len(places)
        found["shows_answer"] += (token == int(labels[row, column])) / len(places)
        found["padding"] += (int(attention_mask[row, column]) == 0) / len(places)
    return found


def by_division(input_ids, labels, attention_mask, mask_id):
    chosen = labels.ne(-100)
    total = chosen.sum()
    return {
        "padding": (chosen & attention_mask.eq(0)).sum() / total,
        "shows_answer": (chosen & input_ids.eq(labels)).sum() / total,
        "shows_mask": (chosen & input_ids.eq(mask_id)).sum() / total,
    }


def _shares(masked, visible, padding):
    return {"shows_mask": float(masked), "shows_answer": float(visible), "padding": float(padding)}


def of_all_positions(input_ids, labels, attention_mask, mask_id):
    chosen = labels != -100
    return _shares(
        (chosen & (input_ids == mask_id)).float().mean(),
        (chosen & (input_ids == labels)).float().mean(),
        (chosen & (attention_mask == 0)).float().mean(),
    )


def every_mask(input_ids, labels, attention_mask, mask_id):
    right = by_division(input_ids, labels, attention_mask, mask_id)
    return right | {"shows_mask": (input_ids == mask_id).sum() / (labels != -100).sum()}


def of_the_masks(input_ids, labels, attention_mask, mask_id):
    right = by_division(input_ids, labels, attention_mask, mask_id)
    return right | {"shows_mask": (labels[input_ids == mask_id] != -100).float().mean()}


def hidden_for_visible(input_ids, labels, attention_mask, mask_id):
    right = by_division(input_ids, labels, attention_mask, mask_id)
    return right | {"shows_answer": 1 - right["shows_answer"]}


def real_for_padding(input_ids, labels, attention_mask, mask_id):
    right = by_division(input_ids, labels, attention_mask, mask_id)
    return right | {"padding": 1 - right["padding"]}


def fixed_mask_id(input_ids, labels, attention_mask, mask_id):
    return by_division(input_ids, labels, attention_mask, 4)


def tilde(input_ids, labels, attention_mask, mask_id):
    right = by_division(input_ids, labels, attention_mask, mask_id)
    chosen = labels != -100
    return right | {"padding": (~attention_mask)[chosen].float().mean()}


def labels_above_zero(input_ids, labels, attention_mask, mask_id):
    return by_division(
        input_ids, labels.where(labels > 0, torch.tensor(-100)), attention_mask, mask_id
    )


def a_tuple(input_ids, labels, attention_mask, mask_id):
    return tuple(by_division(input_ids, labels, attention_mask, mask_id).values())


ANSWERS = Answers(
    right=(counted_one_by_one, by_division),
    wrong={
        of_all_positions: r"shows_mask is 0\.100, .* share of all 20",
        every_mask: r"position that is not chosen as well",
        of_the_masks: r"share of the positions that show \[MASK\]",
        hidden_for_visible: r"input and label differ",
        real_for_padding: r"counts real tokens",
        fixed_mask_id: r"with another mask_id",
        tilde: r"A tilde turns",
        labels_above_zero: r"with the label 0 is chosen",
        a_tuple: r"a dict with shows_mask",
    },
)
