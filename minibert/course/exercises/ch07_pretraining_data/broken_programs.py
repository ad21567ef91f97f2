"""Batches of pretraining data, each with at most one bug, and the counts that show it.

A document is a cycle of ten words of its own, so the words of a text say which document it is from,
and where in it.
"""

import torch
from torch import Tensor

from minibert.config import IGNORE
from minibert.data import mask_tokens

DOCUMENTS, WORDS, ROWS, LENGTH = 50, 10, 8000, 32
PAD, UNK, CLS, SEP, MASK = SPECIAL = range(5)
VOCABULARY = len(SPECIAL) + DOCUMENTS * WORDS
FAULTS = (
    "the outcomes are 81, 10 and 9 percent, not 80, 10 and 10",
    "a replacement may be a special token",
    "a label is the token that is seen, not the one that was there",
    "one draw decides the outcome ([MASK], random or kept) of all chosen tokens of a row",
    "the labels 0 and 1 of the pairs are swapped",
    "one time in five, a random B comes from A's own document",
    "the first [SEP] has segment 1",
    "a random B has at most 9 tokens, a B that follows up to 14",
)
# Bugs of the programs after these: the check tries them too, and the chapter names none of them.
UNLISTED = (
    "40% of the tokens are chosen, not 15%",
    "the outcomes are 70, 20 and 10 percent, not 80, 10 and 10",
    "the outcomes are 90, 0 and 10 percent, not 80, 10 and 10",
    "95% of the pairs have the label 1",
    "the attention mask is 1 everywhere, at padding too",
    "the attention mask hides [CLS]",
)
REPLACE = {1: (0.81, 0.1), 10: (0.7, 0.2), 11: (0.9, 0.0)}  # shares of [MASK] and of random tokens


def broken_batch(fault: int, seed: int = 0, rows: int = ROWS) -> dict[str, Tensor]:
    """A batch of a program with one bug, as numbered from 1 in FAULTS + UNLISTED; 0 is a correct program."""
    if fault not in range(len(FAULTS + UNLISTED) + 1):
        raise ValueError(f"there is no program {fault!r}; there are 0 to {len(FAULTS)}")
    generator = torch.Generator().manual_seed(seed)
    true, segments, is_random = _pairs(fault, rows, generator)
    seen, labels = mask_tokens(
        true,
        mask_token_id=MASK,
        vocab_size=VOCABULARY,
        special_ids=SPECIAL,
        rate=0.4 if fault == 9 else 0.15,
        replace=REPLACE.get(fault, (0.8, 0.1)),
        generator=generator,
    )
    chosen = labels != IGNORE  # [B, S]
    if fault == 4:
        draw = torch.rand(rows, 1, generator=generator)  # [B, 1]
        drawn = torch.randint(len(SPECIAL), VOCABULARY, true.shape, generator=generator)  # [B, S]
        fate = torch.where(draw < 0.8, MASK, torch.where(draw < 0.9, drawn, true))  # [B, S]
        seen = torch.where(chosen, fate, true)
    if fault == 2:
        replaced = chosen & (seen != MASK) & (seen != true)  # [B, S]
        drawn = torch.randint(VOCABULARY, true.shape, generator=generator)  # [B, S]
        seen = torch.where(replaced, drawn, seen)
    if fault == 3:
        labels = torch.where(chosen, seen, IGNORE)
    real = true != PAD  # [B, S]
    if fault == 13:
        real = torch.ones_like(real)
    if fault == 14:
        real[:, 0] = False
    return {
        "input_ids": seen,
        "token_type_ids": segments,
        "attention_mask": real,
        "labels": labels,
        "next_sentence_label": (~is_random if fault == 5 else is_random).long(),
    }


def _pairs(fault: int, rows: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """[CLS] A [SEP] B [SEP] with its segments, [B, S] each, and whether B is random: [B]."""
    first, second = torch.randint(5, 15, (2, rows, 1), generator=generator)  # [B, 1] each, tokens
    document = torch.randint(DOCUMENTS, (rows, 1), generator=generator)  # [B, 1]
    place, elsewhere = torch.randint(WORDS, (2, rows, 1), generator=generator)  # [B, 1] each
    share = 0.95 if fault == 12 else 0.5
    is_random = torch.rand(rows, 1, generator=generator) < share  # [B, 1]
    other = (document + torch.randint(1, DOCUMENTS, (rows, 1), generator=generator)) % DOCUMENTS
    if fault == 8:
        short = torch.randint(5, 10, (rows, 1), generator=generator)  # [B, 1]
        second = torch.where(is_random, short, second)
    if fault == 6:
        own = torch.rand(rows, 1, generator=generator) < 0.2  # [B, 1]
        other = torch.where(own, document, other)
    at = torch.arange(LENGTH)[None]  # [1, S]
    in_a, in_b = (at >= 1) & (at <= first), (at > first + 1) & (at <= first + 1 + second)
    a = len(SPECIAL) + document * WORDS + (place + at) % WORDS  # [B, S]
    goes_on = len(SPECIAL) + document * WORDS + (place + at - 1) % WORDS  # [B, S]
    random = len(SPECIAL) + other * WORDS + (elsewhere + at) % WORDS  # [B, S]
    true = torch.where(in_a, a, torch.where(is_random, random, goes_on))
    true = torch.where(in_a | in_b, true, PAD)
    true[:, 0] = CLS
    true = torch.where((at == first + 1) | (at == first + second + 2), SEP, true)
    begins = first + 1 if fault == 7 else first + 2  # [B, 1], the first position of segment 1
    segments = ((at >= begins) & (true != PAD)).long()  # [B, S]
    return true, segments, is_random[:, 0]


def counts(batch: dict[str, Tensor]) -> list[tuple[str, float, int]]:
    """The counts that show the bugs: what is counted, its proportion in a batch, and of how many."""
    seen, labels = batch["input_ids"], batch["labels"]
    chosen = labels != IGNORE  # [B, S]
    masked, kept = chosen & (seen == MASK), chosen & (seen == labels)  # [B, S]
    replaced = chosen & ~masked & ~kept  # [B, S]
    several = chosen.sum(dim=1) > 1  # [B]
    alike = (masked.sum(dim=1) == chosen.sum(dim=1)) | (masked.sum(dim=1) == 0)  # [B]
    true = torch.where(chosen, labels, seen)  # [B, S]
    document = (true - len(SPECIAL)).div(WORDS, rounding_mode="floor")  # [B, S]
    separator = (true == SEP) & ~chosen  # [B, S]
    first = separator.int().argmax(dim=1)  # [B]
    row = torch.arange(len(seen))
    same = document[:, 1] == document[row, first + 1]  # [B]
    real = true != PAD  # [B, S]
    long = real.sum(dim=1) - first - 2 > 9  # [B]
    is_random = batch["next_sentence_label"] == 1  # [B]

    proportions = [
        ("chosen tokens: kept", kept, chosen),
        ("replacements: special tokens", seen < len(SPECIAL), replaced),
        ("chosen tokens: label is [MASK]", labels == MASK, chosen),
        ("rows of 2 or more chosen: all or none [MASK]", alike, several),
        ("label 0: A and B share a document", same, ~is_random),
        ("label 1: A and B share a document", same, is_random),
        ("first [SEP]: segment 1", batch["token_type_ids"][row, first] == 1, first > 0),
        ("label 1: B has more than 9 tokens", long, is_random),
        ("ordinary tokens: chosen", chosen, true >= len(SPECIAL)),
        ("chosen tokens: [MASK]", masked, chosen),
        ("chosen tokens: another token", replaced, chosen),
        ("pairs: label 1", is_random, is_random | True),
        ("attention mask: not as the padding", batch["attention_mask"] != real, real | True),
    ]
    return [
        (what, (part & whole).sum().item() / max(1, int(whole.sum())), max(1, int(whole.sum())))
        for what, part, whole in proportions
    ]
