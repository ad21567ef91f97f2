"""Exercise `choose_inputs`: task, hints, solution and check."""

import dataclasses

import torch

from minibert import WordPieceTokenizer
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER, SMALL, record
from minibert.course.exercises.ch06_bert.first_difference import first_difference
from minibert.course.exercises.ch06_bert.wrong_models import three_wrong_models
from minibert.course.exercises.compare import Mistake
from minibert.model import BertModel


def choose_inputs(wanted, tokenizer):
    """A batch that exposes exactly the models in wanted.

    wanted has some of the letters A, B and C, or none.
    """
    # blank from here: texts, and the call of the tokenizer
    long, short = "the bank by the river " * 20, "the bank"
    texts = [long if "C" in wanted else short]  # C: positions from 64 on
    if "B" in wanted:
        texts.append("He rang the bell.")  # B: texts of two lengths, so there is padding
    seconds = [short] * len(texts) if "A" in wanted else None  # A: a second segment
    return tokenizer(texts, seconds)


SUBSETS = ("", "A", "B", "C", "AB", "AC", "BC", "ABC")
KEYS = ("input_ids", "token_type_ids", "attention_mask")


def _models(vocab_size):
    """A small BERT, and the same with the mistakes of A, B and C."""
    config = dataclasses.replace(
        SMALL, vocab_size=vocab_size, num_hidden_layers=1, max_position_embeddings=512
    )
    right = BertModel(config).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in right.parameters():
            parameter.normal_(std=0.5, generator=generator)
    return right, three_wrong_models(right)


def check_choose_inputs(answer):
    tokenizer = WordPieceTokenizer.from_pretrained("minibert-small")
    right, wrong = _models(tokenizer.vocab_size)
    for wanted in SUBSETS:
        batch = answer(wanted, tokenizer)
        if not isinstance(batch, dict) or not all(
            torch.is_tensor(batch.get(key)) and batch[key].dim() == 2 for key in KEYS
        ):
            raise Mistake(
                f"choose_inputs({wanted!r}, tokenizer) returns a {type(batch).__name__}; expected is the dictionary that tokenizer(...) returns."
            )
        batch = {key: batch[key] for key in KEYS}
        shape = list(batch["input_ids"].shape)
        if shape[1] > 512:
            raise Mistake(
                f"choose_inputs({wanted!r}, tokenizer) returns texts of {shape[1]} tokens; the models have 512 positions."
            )
        expected, real = record(right, batch), batch["attention_mask"].bool()  # [B, S]
        found = "".join(
            letter
            for letter, model in wrong.items()
            if first_difference(record(model, batch), expected, real) is not None
        )
        if found != wanted:
            raise Mistake(
                f"For wanted = {wanted!r} the comparison should expose {_listed(wanted)}. On your batch of shape {shape} it exposes {_listed(found)}."
            )


def _listed(letters):
    return " and ".join(letters) if letters else "none of the models"


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="Choose inputs that expose a mistake",
    solution=choose_inputs,
    check=check_choose_inputs,
    task="""Each of the models A, B and C has one mistake, and the text `one` exposes none of them. Find inputs that do: tokenize texts of your own, and call `locate(wrong["A"], batch)` until it names an output. From the names and from your inputs you can conclude what the mistakes are. One of the models is wrong from a certain position on: from which?

Then write a function that returns a batch, made with `tokenizer(...)`, on which `locate` names an output for exactly the models in `wanted` (a string such as `"AC"`, or an empty one) and returns None for the others. The check tries all eight strings, on a small BERT with the same three mistakes and another tokenizer.""",
    hints=(
        "The tokenizer returns three tensors. Print them for `one`: which values, and which shapes, never occur there?",
        "`tokenizer(texts, seconds)` takes two lists for pairs of texts. Change one property of the batch at a time, until each model is exposed by a property that leaves the other two alone. One of the mistakes needs many tokens.",
    ),
    paragraph="Choose inputs that use every part",
)
