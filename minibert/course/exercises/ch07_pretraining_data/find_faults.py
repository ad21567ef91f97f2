"""Exercise `find_faults`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.broken_programs import FAULTS, broken_batch
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake

# (fault, seed, rows). In the small correct batches the unchanged tokens are 1.6 and 2.6 standard errors from 10%.
CASES = (
    (0, 9, 8000),
    (3, 2, 8000),
    (2, 2, 8000),
    (4, 1, 8000),
    (5, 2, 8000),
    (6, 2, 8000),
    (1, 1, 32_000),
    (0, 17, 600),
    (0, 140, 600),
)
ADVICE = {
    1: "The share of unchanged tokens is one point below 10%. Use its standard error for the number of tokens in this batch",
    2: "Look at the ids of the replacements themselves",
    3: "Compare the labels with what is seen at the chosen positions: are they ever different?",
    4: "An average over the batch does not show it; count row by row",
    5: "Count the pairs of label 0 and those of label 1 separately, and look at label 0 first",
    6: "Of the pairs of label 1, some share a document. In a correct program none does",
}


def find_faults(batch):
    """The number of the fault that a batch shows, from 1 to 6; 0 if no count is off by more than three standard errors."""
    seen, labels = batch["input_ids"], batch["labels"]
    chosen = labels != -100  # [B, S]
    unchanged = chosen & (seen == labels)  # [B, S]
    masked = chosen & (seen == 4)  # [B, S]
    true = torch.where(chosen, labels, seen)  # [B, S]
    document = (true - 5).div(10, rounding_mode="floor")  # [B, S], of the ordinary tokens
    start = batch["token_type_ids"].argmax(dim=1)  # [B], where B begins
    same = document[:, 1] == document[torch.arange(len(seen)), start]  # [B], A and B share a document  # fmt: skip
    # blank from here: count, and return the number of the fault
    if torch.equal(unchanged, chosen):
        return 3
    replaced = chosen & ~masked & ~unchanged  # [B, S]
    if (seen[replaced] < 5).any():
        return 2
    n_masked, n_chosen = masked.sum(dim=1), chosen.sum(dim=1)  # [B]
    if ((n_masked == 0) | (n_masked == n_chosen)).all():
        return 4
    is_random = batch["next_sentence_label"] == 1  # [B]
    if not same[~is_random].all():
        return 5
    if same[is_random].any():
        return 6
    n = int(chosen.sum())
    share = int(unchanged.sum()) / n
    return 1 if abs(share - 0.1) > 3 * (0.1 * 0.9 / n) ** 0.5 else 0


def check_find_faults(answer):
    for fault, seed, rows in CASES:
        batch = broken_batch(fault, seed, rows)
        found = answer({name: tensor.clone() for name, tensor in batch.items()})
        if not isinstance(found, int) or found not in range(len(FAULTS) + 1):
            raise Mistake(f"you return {found!r}; expected a whole number from 0 to {len(FAULTS)}.")
        if found == fault:
            continue
        if fault:
            raise Mistake(
                f"a batch of {rows:,} rows has fault {fault}, and you return {found}. {ADVICE[fault]}."
            )
        chosen = batch["labels"] != -100  # [B, S]
        share = float((batch["input_ids"] == batch["labels"])[chosen].double().mean())
        n = int(chosen.sum())
        raise Mistake(
            f"a correct batch of {rows:,} rows has {n:,} chosen tokens, of which {share:.1%} are unchanged, and you return {found}. "
            f"The standard error is {(0.1 * 0.9 / n) ** 0.5:.2%} here: report a share only if it is more than three of them from the expected one."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=40,
    title="Find the fault by counting",
    task=f"""
            Write a function that is given a batch and returns the number of its fault, or 0. First write down what a correct program makes, then find a count that would differ. There are six faults:

            {"<br>".join(f"{i} · {fault}." for i, fault in enumerate(FAULTS, 1))}

            `broken_batch(fault, seed, rows)` makes batches with a fault of your choice, to try your counts on. The ids 0 to 4 are [PAD], [UNK], [CLS], [SEP] and [MASK];
            the texts are artificial, so that every other id reveals its document. The check also takes small batches that are correct.
        """,
    hints=(
        "For each fault write down a count that it changes, and what this count is in a correct batch. For five of the six there is a count that is none or all, either in a correct batch or in the faulty one; only one needs a standard error.",
        "Begin with the fault that spoils other counts: with fault 3 the array `true` does not hold the true text. Two faults hide from an average over the batch: for fault 4 count row by row, and for fault 5 separate the pairs by their label.",
    ),
    paragraph="Find the fault by counting",
    solution=find_faults,
    check=check_find_faults,
)
