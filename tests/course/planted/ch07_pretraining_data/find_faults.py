"""Answers to `find_faults` on which its check is tried."""

import torch

from minibert.course.exercises.ch07_pretraining_data.broken_programs import counts
from minibert.course.exercises.ch07_pretraining_data.find_faults import find_faults
from planted import Answers


def _by_the_counts(batch):
    """From the package's own counts, one after the other."""
    kept, special, mask_labels, alike, label_0, label_1 = (share for _, share, _ in counts(batch))
    n = counts(batch)[0][2]
    if mask_labels:
        return 3
    found = [
        special > 0,
        alike == 1,
        label_0 < 1,
        label_1 > 0,
        abs(kept - 0.1) / (0.1 * 0.9 / n) ** 0.5 > 3,
    ]
    return next((fault for fault, there in zip((2, 4, 5, 6, 1), found) if there), 0)


def _by_masked(batch):
    """Fault 1 by the share of [MASK], fault 2 and 3 by the ids, the others row by row."""
    seen, labels = batch["input_ids"], batch["labels"]
    at = (labels != -100).nonzero()
    ids, true = seen[at[:, 0], at[:, 1]], labels[at[:, 0], at[:, 1]]
    if (true == 4).any():
        return 3
    if set(ids.unique().tolist()) & {0, 1, 2, 3}:
        return 2
    masks = torch.zeros(len(seen)).index_add(0, at[:, 0], (ids == 4).float())
    if not ((masks > 0) & (masks < torch.bincount(at[:, 0], minlength=len(seen)))).any():
        return 4
    before = seen.where(labels == -100, labels)
    first, second = before[:, 1], before.gather(1, batch["token_type_ids"].argmax(1)[:, None])[:, 0]
    together = (first - 5) // 10 == (second - 5) // 10
    follows = batch["next_sentence_label"] == 0
    if (together == follows).all():
        share = float((ids == 4).double().mean())
        return int(abs(share - 0.8) > 3 * (0.8 * 0.2 / len(ids)) ** 0.5)
    return 6 if together[follows].all() else 5


def _changed(name, **others):
    """The solution, with other answers for some faults."""

    def answer(batch):
        found = find_faults(batch)
        return others.get(f"fault_{found}", found)

    answer.__name__ = name
    return answer


def _share_of(batch):
    chosen = batch["labels"] != -100
    return float((batch["input_ids"] == batch["labels"])[chosen].double().mean()), int(chosen.sum())


def _fixed_tolerance(batch):
    found, (share, _) = find_faults(batch), _share_of(batch)
    return int(abs(share - 0.1) > 0.005) if found in (0, 1) else found


def _two_standard_errors(batch):
    found, (share, n) = find_faults(batch), _share_of(batch)
    return int(abs(share - 0.1) > 2 * (0.1 * 0.9 / n) ** 0.5) if found in (0, 1) else found


def _as_a_share(batch):
    return _share_of(batch)[0]


def _as_text(batch):
    return str(find_faults(batch))


ANSWERS = Answers(
    right=(_by_the_counts, _by_masked),
    wrong={
        _changed("always_an_alarm", fault_0=1): "correct batch of 8,000 rows",
        _fixed_tolerance: "of 600 rows .* and you return 1",
        _two_standard_errors: "of which 8.1% are unchanged",
        _changed("no_look_at_the_shares", fault_1=0): "below 10%",
        _changed("no_look_at_replacements", fault_2=0): "ids of the replacements",
        _changed("labels_taken_for_true", fault_3=5): "are they ever different",
        _changed("by_averages", fault_4=0): "row by row",
        _changed("label_1_first", fault_5=6): "look at label 0 first",
        _changed("no_look_at_pairs", fault_6=0): "In a correct program none does",
        _as_a_share: "you return 0.1003",
        _as_text: "you return '0'",
    },
)
