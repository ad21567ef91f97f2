"""Exercise `audit_batch`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch07_pretraining_data.broken_programs import FAULTS, broken_batch
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import Mistake

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
}


def audit_batch(batch):
    """What is wrong with a batch of 600 rows or more: a list of messages, empty if you find nothing."""
    seen, labels = batch["input_ids"], batch["labels"]  # [B, S], [B, S]
    segments, real = batch["token_type_ids"], batch["attention_mask"]  # [B, S], [B, S]
    is_random = batch["next_sentence_label"] == 1  # [B]
    # blank from here: what holds in a correct batch, and a message for each property that fails
    chosen = labels != -100  # [B, S]
    masked, unchanged = chosen & (seen == 4), chosen & (seen == labels)  # [B, S], [B, S]
    replaced = chosen & ~masked & ~unchanged  # [B, S]
    true = torch.where(chosen, labels, seen)  # [B, S]
    separator = true == 3  # [B, S]
    before = separator.cumsum(dim=1) - separator.long()  # [B, S], how many [SEP]s
    first = separator.int().argmax(dim=1)  # [B], the first [SEP]
    document = (true - 5).div(10, rounding_mode="floor")  # [B, S], of the ordinary tokens
    same = document[:, 1] == document[torch.arange(len(seen)), first + 1]  # [B]
    length = (real.sum(dim=1) - first - 2).double()  # [B], of text B
    n_masked, n_chosen = masked.sum(dim=1), chosen.sum(dim=1)  # [B], [B]
    alike = (n_masked == 0) | (n_masked == n_chosen)  # [B]
    n = int(chosen.sum())
    found = {
        "a special token has a label": (labels[chosen] < 5).any(),
        "a replacement is a special token": (seen[replaced] < 5).any(),
        "all chosen tokens of a row have one outcome": alike[n_chosen > 1].double().mean() > 0.9,
        "a segment is wrong": (segments != (before == 1).long()).any(),
        "label 0, and two documents": not same[~is_random].all(),
        "label 1, and one document": same[is_random].any(),
        "the length gives the label away": (length[is_random].mean() - length[~is_random].mean()).abs() > 1,
        "not 10% are unchanged": abs(int(unchanged.sum()) / n - 0.1) > 3 * (0.1 * 0.9 / n) ** 0.5,
    }  # fmt: skip
    return [what for what, wrong in found.items() if wrong]


def check_audit_batch(answer):
    for fault, seed, rows in CASES:
        batch = broken_batch(fault, seed, rows)
        found = answer({name: tensor.clone() for name, tensor in batch.items()})
        if not isinstance(found, list) or not all(isinstance(what, str) for what in found):
            raise Mistake(f"you return {found!r:.80}; expected a list of messages.")
        if fault and not found:
            raise Mistake(
                f"a batch of {rows:,} rows of program {fault} has a bug, and you find nothing. {ADVICE[fault]}."
            )
        if found and not fault:
            chosen = batch["labels"] != -100  # [B, S]
            share = float((batch["input_ids"] == batch["labels"])[chosen].double().mean())
            n = int(chosen.sum())
            raise Mistake(
                f"you say of a correct batch of {rows:,} rows: {found[0]}. It has {n:,} chosen tokens, of which {share:.1%} are unchanged, and the standard error is {(0.1 * 0.9 / n) ** 0.5:.2%}. "
                "Complain of a proportion only if it is more than three standard errors from the expected one."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=40,
    title="Audit a program that you have not seen",
    task=f"""
            `broken_batch(k)` returns a batch of program k. Program 0 is correct, and each of the programs 1 to {len(FAULTS)} has one bug. We do not say which.
            Write down what must hold in a correct batch, and return one message for each property that fails. A correct batch must get an empty list.

            The ids 0 to 4 are [PAD], [UNK], [CLS], [SEP] and [MASK]. The texts are artificial: the ids from 5 to 14 belong to the first document, the ids from 15 to 24 to the second, and so on, so an id tells you its document.
            In a correct batch A and B have 5 to 14 tokens each. `broken_batch(k, seed, rows)` makes other batches. The check uses {LEAST} rows or more, and at least 8,000 where a bug may not show in a small batch.
        """,
    hints=(
        "Ask each tensor a question. Which ids can a label have, and which ids a replacement? Where does segment 1 begin and end? From which documents are A and B if the label is 0, and if it is 1? Which proportions do you know, in the batch, in each row, and for each label?",
        "Seven bugs show as soon as you count the right thing: something impossible occurs, something certain fails, or a proportion is far off. One needs the standard error: with n chosen tokens, 10% has a standard error of (0.1 · 0.9 / n) ** 0.5. Averages over the whole batch hide two of the bugs: count row by row, and for each label of the pairs.",
    ),
    paragraph="Find the bug by counting",
    solution=audit_batch,
    check=check_audit_batch,
)
