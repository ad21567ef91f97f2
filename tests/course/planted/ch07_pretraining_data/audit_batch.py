"""Answers to `audit_batch` on which its check is tried."""

import torch

from minibert.course.exercises.ch07_pretraining_data.audit_batch import audit_batch
from minibert.course.exercises.ch07_pretraining_data.broken_programs import counts
from planted import Answers


def _by_the_counts(batch):
    """From the package's own counts, one after the other."""
    found = counts(batch)
    kept, special, mask_labels, alike, label_0, label_1, segment, long, *others = (
        p for _, p, _ in found
    )
    *proportions, hidden = others

    def off(share, p, n):
        return abs(share - p) > 3 * (p * (1 - p) / n) ** 0.5

    wrong = {
        "special": special > 0,
        "labels": mask_labels > 0,
        "rows": alike == 1,
        "pairs": label_0 < 1 or label_1 > 0,
        "segments": segment > 0,
        "lengths": long == 0,
        "kept": off(kept, 0.1, found[0][2]),
        "proportions": any(
            off(share, p, n)
            for share, p, (*_, n) in zip(proportions, (0.15, 0.8, 0.1, 0.5), found[8:])
        ),
        "hidden": hidden > 0,
    }
    return [what for what, so in wrong.items() if so]


def _by_masked(batch):
    """The outcomes by [MASK], the rest with loops over rows and sets of ids."""
    seen, labels = batch["input_ids"], batch["labels"]
    at = (labels != -100).nonzero()
    ids, true = seen[at[:, 0], at[:, 1]], labels[at[:, 0], at[:, 1]]
    found = []
    if (true < 5).any() or set(ids.unique().tolist()) & {0, 1, 2, 3}:
        found.append("special tokens")
    masks = torch.zeros(len(seen)).index_add(0, at[:, 0], (ids == 4).float())
    if not ((masks > 0) & (masks < torch.bincount(at[:, 0], minlength=len(seen)))).any():
        found.append("rows")
    lengths, before = {0: set(), 1: set()}, seen.where(labels == -100, labels).tolist()
    for row, label, segments in zip(
        before, batch["next_sentence_label"].tolist(), batch["token_type_ids"].tolist()
    ):
        if 3 not in row:
            continue
        first = row.index(3)
        if segments[first] or not segments[first + 1]:
            found.append("segments")
            break
        if ((row[1] - 5) // 10 == (row[first + 1] - 5) // 10) == label:
            found.append("pairs")
            break
        lengths[label].add(sum(segments))
    if max(lengths[0], default=0) != max(lengths[1], default=0):
        found.append("lengths")
    tokens = sum(id > 4 for row in before for id in row)
    for hits, n, p in (
        (int((ids == 4).sum()), len(ids), 0.8),
        (int((ids == true).sum()), len(ids), 0.1),
        (len(ids), tokens, 0.15),
        (int(batch["next_sentence_label"].sum()), len(seen), 0.5),
    ):
        if abs(hits - n * p) > 3 * (n * p * (1 - p)) ** 0.5:
            found.append("proportions")
    if [[id != 0 for id in row] for row in before] != batch["attention_mask"].tolist():
        found.append("attention mask")
    return found


def _without(name, *parts):
    """The solution, without the complaints in which one of these words occurs."""

    def answer(batch):
        return [what for what in audit_batch(batch) if not any(part in what for part in parts)]

    answer.__name__ = name
    return answer


def _with_a_share(tolerance):
    def answer(batch):
        found = [what for what in audit_batch(batch) if "%" not in what]
        chosen = batch["labels"] != -100
        n = int(chosen.sum())
        share = float((batch["input_ids"] == batch["labels"])[chosen].double().mean())
        return found + ["kept"] * (abs(share - 0.1) > tolerance(n))

    return answer


_fixed_tolerance = _with_a_share(lambda n: 0.005)
_fixed_tolerance.__name__ = "_fixed_tolerance"
_two_standard_errors = _with_a_share(lambda n: 2 * (0.1 * 0.9 / n) ** 0.5)
_two_standard_errors.__name__ = "_two_standard_errors"


def _only_padding(batch):
    """Looks at the attention mask where there is padding, and nowhere else."""
    found = [what for what in audit_batch(batch) if "attention" not in what]
    return found + ["padding"] * int(batch["attention_mask"][batch["input_ids"] == 0].all())


def _always_an_alarm(batch):
    return ["something is wrong"]


def _as_text(batch):
    return ", ".join(audit_batch(batch))


def _as_a_truth(batch):
    return bool(audit_batch(batch))


ANSWERS = Answers(
    right=(_by_the_counts, _by_masked),
    wrong={
        _always_an_alarm: "correct batch of 8,000 rows: something is wrong",
        _fixed_tolerance: "of 600 rows: kept",
        _two_standard_errors: "of which 8.1% are kept",
        _without("no_look_at_the_outcomes", "10%", "80%"): "its standard error",
        _without("no_look_at_replacements", "replacement"): "ids of the replacements",
        _without(
            "no_look_at_labels", "has a label", "segment", "document", "%", "length", "depend"
        ): "true token not have",
        _without("by_averages", "depend"): "row by row",
        _without("no_look_at_label_0", "two documents", "one document"): "label 0 and of label 1",
        _without("no_look_at_label_1", "one document"): "all pairs of label 1",
        _without("no_look_at_segments", "segment"): "positions of the two",
        _without("no_look_at_lengths", "length"): "without reading them",
        _without("no_look_at_the_rate", "15%"): "of the ordinary tokens are chosen",
        _without("one_outcome_of_three", "80%", "replaced"): "not one of them",
        _without("no_look_at_the_labels_of_pairs", "half"): "Count the labels of the pairs",
        _without("no_look_at_the_mask", "attention"): "attention mask with the padding",
        _only_padding: "the attention mask hide",
        _as_text: "return ''; expected",
        _as_a_truth: "return False; expected",
    },
)
