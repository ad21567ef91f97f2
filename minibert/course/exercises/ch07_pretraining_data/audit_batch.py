"""Exercise `audit_batch`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.broken_programs import (
    FAULTS,
    UNLISTED,
    broken_batch,
)
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake

UNLISTED_NUMBERS = range(len(FAULTS) + 1, len(FAULTS + UNLISTED) + 1)
# (bug, seed, rows). In the small correct batches the unchanged tokens are 1.6 and 2.6 standard errors from 10%.
# A batch of 600 rows may not show bugs 1 and 2, so these two come with many more. The task does not say which they are.
LEAST = 600
CASES = (
    (0, 9, 8000),
    (3, 2, 8000),
    (2, 2, 8000),
    (4, 1, 8000),
    (5, 2, 8000),
    (6, 2, 8000),
    (7, 2, 8000),
    (8, 2, 8000),
    (1, 1, 32_000),
    (0, 17, LEAST),
    (0, 140, LEAST),
    (3, 5, LEAST),
    (4, 5, LEAST),
    (5, 5, LEAST),
    (6, 5, LEAST),
    (7, 5, LEAST),
    (8, 5, LEAST),
    *((fault, 7, 8000) for fault in UNLISTED_NUMBERS),
    *((fault, 7, LEAST) for fault in (9, 12, 13, 14)),
)
# Where to look, without saying what is wrong.
ADVICE = {
    1: "Count what becomes of the chosen tokens, and compare each proportion with its standard error for the number of tokens in this batch",
    2: "Look at the ids of the replacements",
    3: "Look at the labels of the chosen tokens: which ids can a true token not have?",
    4: "The proportions of the whole batch are right; count row by row",
    5: "Look at the pairs of label 0 and of label 1 separately: from which documents are A and B?",
    6: "Look at all pairs of label 1: from which documents are A and B?",
    7: "Compare the segments with the positions of the two [SEP]s",
    8: "Compare the pairs of label 0 with those of label 1 without reading them",
    9: "Count how many of the ordinary tokens are chosen",
    10: "Count all three outcomes of the chosen tokens, not one of them",
    11: "Does every outcome of a chosen token occur, and as often as it should?",
    12: "Count the labels of the pairs",
    13: "Compare the attention mask with the padding",
    14: "Which positions does the attention mask hide?",
}


def audit_batch(batch):
    """What is wrong with 600 rows or more: a list of messages."""
    seen, labels = batch["input_ids"], batch["labels"]  # [B, S] each
    segments = batch["token_type_ids"]  # [B, S]
    real = batch["attention_mask"]  # [B, S]
    is_random = batch["next_sentence_label"] == 1  # [B]
    # blank from here: what must hold, and a message for each failure
    chosen = labels != -100  # [B, S]
    masked, kept = chosen & (seen == 4), chosen & (seen == labels)  # [B, S] each
    replaced = chosen & ~masked & ~kept  # [B, S]
    true = torch.where(chosen, labels, seen)  # [B, S]
    separator = true == 3  # [B, S]
    before = separator.cumsum(dim=1) - separator.long()  # [B, S], how many [SEP]s
    first = separator.int().argmax(dim=1)  # [B], the first [SEP]
    document = (true - 5).div(10, rounding_mode="floor")  # [B, S], of the ordinary tokens
    same = document[:, 1] == document[torch.arange(len(seen)), first + 1]  # [B]
    length = ((true != 0).sum(dim=1) - first - 2).double()  # [B], of text B
    n_masked, n_chosen = masked.sum(dim=1), chosen.sum(dim=1)  # [B] each
    alike = (n_masked == 0) | (n_masked == n_chosen)  # [B], one outcome in the whole row
    p = masked[chosen].double().mean()
    by_chance = p**n_chosen + (1 - p) ** n_chosen * (n_chosen > 0)  # [B]
    one, other = length[is_random], length[~is_random]

    def off(hits, p):
        """Whether a count is more than three standard errors from what the chances p let expect."""
        p = torch.as_tensor(p).double().expand(len(hits))  # [N]
        return (hits.sum() - p.sum()).abs() > 3 * (p * (1 - p)).sum().sqrt()

    found = {
        "the attention mask is wrong": (real.bool() != (true != 0)).any(),
        "a segment is wrong": (segments != (before == 1).long()).any(),
        "a special token has a label": (labels[chosen] < 5).any(),
        "a replacement is a special token": (seen[replaced] < 5).any(),
        "not 15% are chosen": off(chosen[true > 4], 0.15),
        "not 80% become [MASK]": off(masked[chosen], 0.8),
        "not 10% are replaced": off(replaced[chosen], 0.1),
        "not 10% are kept": off(kept[chosen], 0.1),
        "the outcomes in a row depend on each other": off(alike, by_chance),
        "not half of the labels are 1": off(is_random, 0.5),
        "label 0, and two documents": not same[~is_random].all(),
        "label 1, and one document": same[is_random].any(),
        "the length gives the label away": (one.mean() - other.mean()).abs() > 3 * (one.var() / len(one) + other.var() / len(other)).sqrt(),
    }  # fmt: skip
    return [what for what, wrong in found.items() if wrong]


def check_audit_batch(answer):
    for fault, seed, rows in CASES:
        batch = broken_batch(fault, seed, rows)
        found = answer({name: tensor.clone() for name, tensor in batch.items()})
        if not isinstance(found, list) or not all(isinstance(what, str) for what in found):
            raise Mistake(f"you return {found!r:.80}; expected a list of messages.")
        if fault and not found:
            of = f"of program {fault} has a bug" if fault <= len(FAULTS) else "has a bug that none of the eight programs has"  # fmt: skip
            raise Mistake(f"a batch of {rows:,} rows {of}, and you find nothing. {ADVICE[fault]}.")
        if found and not fault:
            chosen = batch["labels"] != -100  # [B, S]
            kept = (batch["input_ids"] == batch["labels"])[chosen].double()
            n, error = len(kept), (0.1 * 0.9 / len(kept)) ** 0.5
            raise Mistake(
                f"you say of a correct batch of {rows:,} rows: {found[0]}. It has {n:,} chosen tokens, of which {float(kept.mean()):.1%} are kept, and the standard error is {error:.2%}. "
                "Complain of a proportion only if it is more than three standard errors from the expected one."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=40,
    title="Audit a program you have not seen",
    task=f"""
            `broken_batch(k)` returns a batch of program k. Program 0 is correct, and each of the programs 1 to {len(FAULTS)} has one bug that we keep secret. Return one message for each property of a correct batch that fails, and an empty list if none does. (Three standard errors are enough for the correct batches of the check, but not for every correct batch.) The check also tries bugs that none of the eight programs has, so test every property that you know.

            The ids 0 to 4 are [PAD], [UNK], [CLS], [SEP] and [MASK]. The texts are artificial: the ids from 5 to 14 belong to the first document, those from 15 to 24 to the second, and so on. A document repeats its ten tokens in order: after the last comes the first. If the label is 0, B continues where A stops. For example, a row of label 1 reads `2 7 8 9 10 11 3 31 32 33 34 25 3 0 …` before it is masked: A comes from the first document and B from the third.
            In a correct batch A and B have 5 to 14 tokens each, and half of the pairs are random. `broken_batch(k, seed, rows)` makes other batches; the check uses {LEAST} rows or more, and at least 8,000 where a bug may not show in a small batch.
        """,
    hints=(
        "First undo the masking: `torch.where(chosen, labels, seen)`. Then ask each tensor a question. Which ids can a label have, and which ids a replacement? Which positions does the attention mask hide, and where does segment 1 begin and end? From which documents are A and B if the label is 0, and if it is 1? Which proportions do you know, in the batch, in each row, and for each label?",
        "Most bugs show as soon as you count the right thing: something impossible occurs, something certain fails, or a proportion is far off. For the others you need the standard error: with n chosen tokens, 10% has a standard error of (0.1 · 0.9 / n) ** 0.5. Averages over the whole batch hide two of the bugs: count row by row, and for each label of the pairs.",
    ),
    paragraph="Find the bug by counting",
    solution=audit_batch,
    check=check_audit_batch,
)
