"""Exercise `make_batch`: task, hints, solution and check."""

import copy

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake, expect_tensor

NAMES = ("input_ids", "token_type_ids", "attention_mask")


def make_batch(texts, vocab, max_length=512):
    """A batch of texts or pairs, each (pieces, pieces or None)."""
    # blank from here: a dict of three tensors
    rows, types = [], []
    for first, second in texts:
        a, b = list(first), list(second or [])
        room = max_length - (2 if second is None else 3)
        while len(a) + len(b) > room:
            (a if len(a) > len(b) else b).pop()
        opening = ["[CLS]", *a, "[SEP]"]
        closing = [] if second is None else [*b, "[SEP]"]
        rows.append(opening + closing)
        types.append([0] * len(opening) + [1] * len(closing))
    length = max(len(row) for row in rows)  # S
    gaps = [length - len(row) for row in rows]
    padded = [row + ["[PAD]"] * gap for row, gap in zip(rows, gaps)]
    ids = [[vocab[token] for token in row] for row in padded]
    padded_types = [row + [0] * gap for row, gap in zip(types, gaps)]
    mask = [[1] * len(row) + [0] * gap for row, gap in zip(rows, gaps)]
    return {
        "input_ids": torch.tensor(ids),  # [B, S]
        "token_type_ids": torch.tensor(padded_types),  # [B, S]
        "attention_mask": torch.tensor(mask),  # [B, S]
    }


# 0 is an ordinary token here, and 9 is the padding.
VOCAB = {"the": 0, "bank": 1, "river": 2, "is": 3, "steep": 4, "[CLS]": 6, "[SEP]": 7, "[PAD]": 9}
TEXTS = [
    (["the", "bank"], None),
    (["is", "the", "bank", "steep"], ["the", "river"]),
    (["river"], ["the", "steep", "bank"]),
]

MORE = (
    ([(["bank"], None), (["bank", "is"], None)], {**VOCAB, "[PAD]": 5}),
    ([(["bank"], []), (["river"], ["bank"])], VOCAB),
)

# Wherever a text is cut here, the longer one stays the longer or becomes as long as the other.
LONG = (
    ([(["the", "river", "bank", "is", "the", "steep"], None), (["is"], None)], 5),
    ([(["is", "bank"], ["the", "river", "bank", "is", "steep"])], 7),
    ([(["the", "river", "bank", "is", "steep"], ["is", "the"])], 8),
    ([(["the", "river", "bank"], ["is"])], 7),
    ([(["the"], ["river"]), (["bank"], None)], 5),
)


def check_make_batch(answer):
    try:
        found = answer(list(TEXTS), dict(VOCAB))
    except TypeError as error:
        if "NoneType" not in str(error):
            raise
        raise Mistake(
            f"you use the second text where there is none: for a single text `second` is None, and no pieces and no [SEP] follow ({error})."
        ) from None
    if not isinstance(found, dict) or set(found) != set(NAMES):
        shown = sorted(found) if isinstance(found, dict) else type(found).__name__
        raise Mistake(f"you return {shown}; expected a dict with {', '.join(NAMES)}.")
    right = make_batch(TEXTS, VOCAB)
    same_shapes = all(getattr(found[name], "shape", 0) == right[name].shape for name in NAMES)
    for wrong, sentence in known(make_batch):
        bad = wrong(TEXTS, VOCAB)
        if all(bad[name].tolist() == right[name].tolist() for name in NAMES):
            continue  # this mistake shows only when something is truncated
        if all(
            getattr(found[name], "shape", 0) == bad[name].shape
            and found[name].tolist() == bad[name].tolist()
            for name in NAMES
        ):
            name = next(name for name in NAMES if bad[name].tolist() != right[name].tolist())
            raise Mistake(
                f"{sentence}. Your {name} of the first sequence is {found[name][0].tolist()}, expected {right[name][0].tolist()}."
            )
    for name in NAMES:
        expect_tensor(found[name], right[name].shape, f"your {name}")
        if found[name].dtype.is_floating_point or found[name].dtype == torch.bool:
            raise Mistake(f"your {name} is {found[name].dtype}; expected whole numbers.")
    for name in NAMES if same_shapes else ():
        for text, row, expected in zip(TEXTS, found[name].tolist(), right[name].tolist()):
            if row != expected:
                raise Mistake(f"for {text} your {name} is {row}; expected {expected}.")
    for texts, vocab in MORE:
        found, right = answer(list(texts), dict(vocab)), make_batch(texts, vocab)
        for name in NAMES:
            if found[name].tolist() != right[name].tolist():
                raise Mistake(
                    f"for {texts}, with the id {vocab['[PAD]']} for [PAD], your {name} is {found[name].tolist()}; expected {right[name].tolist()}."
                )
    for texts, max_length in LONG:
        check_length(answer, texts, max_length)


def check_length(answer, texts, max_length):
    found = answer(copy.deepcopy(texts), dict(VOCAB), max_length)
    right = make_batch(texts, VOCAB, max_length)
    shown = {name: found[name].tolist() for name in NAMES}
    expected = {name: right[name].tolist() for name in NAMES}
    if shown == expected:
        return
    for wrong, sentence in known(make_batch):
        bad = wrong(texts, VOCAB, max_length)
        if shown == {name: bad[name].tolist() for name in NAMES}:
            raise Mistake(
                f"with max_length={max_length} {sentence}. Your input_ids are {shown['input_ids']}, expected {expected['input_ids']}."
            )
    name = next(name for name in NAMES if shown[name] != expected[name])
    raise Mistake(
        f"for {texts} and max_length={max_length} your {name} is {shown[name]}; expected {expected[name]}."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=25,
    title="A batch of texts and pairs",
    paragraph="Pairs, padding and the attention mask",
    task="""
            `texts` is a list of pairs: the pieces of a first text, and those of a second text or `None`. `vocab` maps tokens to ids.
            Return a dict of three tensors [B, S], named `input_ids`, `token_type_ids` and `attention_mask`, as described above. A single text gets one `[SEP]`,
            a pair gets two. No sequence may have more than `max_length` tokens, special tokens included: while one is too long, the longer of its texts loses its last piece (the check never depends on which text loses a piece when both are equally long). Then pad all sequences on the right to the length of the longest.
        """,
    hints=(
        "Truncate the pieces before you add the special tokens: how many positions do those take in a single text, and how many in a pair? Build lists of unequal length first, then find the longest, and only then pad. Which of the three lists needs to know where the first `[SEP]` is?",
        "`list(first)` makes a copy, and `.pop()` removes the last piece of a list. `[0] * 3` is a list of three zeros. In a batch whose longest sequence has 9 tokens, one of 4 tokens has a gap of 5, so its row of the mask is `[1] * 4 + [0] * 5`. At the end, `torch.tensor` turns a list of equally long lists into a table.",
    ),
    solution=make_batch,
    check=check_make_batch,
)
