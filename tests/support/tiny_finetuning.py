"""What the tests of fine-tuning's files and commands share: a saved model of a few thousand parameters, and toy rows that it learns in seconds."""

import json
from pathlib import Path

import torch

from minibert import BertConfig, BertForPreTraining, WordPieceTokenizer, save_pretrained

WORDS = (
    "the a film play was is very so good fine great bad poor dull ada paris rome met in who where went to of , . ? ' good one two three four "
    "five end"
).split()
TOKENS = list(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
LENGTH = 40  # the longest row of the model


def save_tiny(folder: Path) -> Path:
    """A pretraining model with random weights."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(TOKENS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=LENGTH,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.3,
    )
    save_pretrained(
        BertForPreTraining(config),
        folder,
        WordPieceTokenizer({token: n for n, token in enumerate(TOKENS)}),
    )
    return folder


def reviews(count: int = 40) -> list[dict]:
    """Good and bad reviews: one word tells them apart."""
    subjects, adverbs = (
        ("the film", "a play", "the play", "a film"),
        ("", "very ", "so ", "so very ", "very very "),
    )
    words = (("good", "pos"), ("bad", "neg"), ("great", "pos"), ("dull", "neg"))
    return [
        {
            "text": f"{subjects[n // 4 % 4]} was {adverbs[n // 16 % 5]}{words[n % 4][0]}",
            "label": words[n % 4][1],
        }
        for n in range(count)
    ]


def sentences(count: int = 24) -> list[dict]:
    """Who was where, with IOB tags."""
    rows = []
    for n in range(count):
        place, verb = ("paris", "rome")[n % 2], ("went to", "was in")[n // 2 % 2].split()
        end = (["."], ["so", "."], ["very", "so", "."], [",", "."], ["."] * 2, ["?"])[n // 4 % 6]
        rows.append(
            {
                "tokens": ["ada", *verb, place, *end],
                "ner_tags": ["B-person", "O", "O", "B-place", *["O"] * len(end)],
            }
        )
    return rows


def questions(count: int = 12) -> list[dict]:
    """Where she went, in passages that all differ."""
    rows = []
    for n in range(count):
        place = ("paris", "rome")[n % 2]
        context = (
            " ".join(("so", "very", "the")[n // 3**k % 3] for k in range(3))
            + f" film . ada went to {place} ."
        )
        rows.append(
            {
                "question": "where was ada ?",
                "context": context,
                "answers": {"text": [place], "answer_start": [context.index(place)]},
            }
        )
    return rows


def choices(count: int = 24) -> list[dict]:
    """Which end fits."""
    numbers = ("one", "two", "three", "four", "five")
    return [
        {
            "ctx": f"{numbers[n % 5]} {numbers[n // 5 % 5]}",
            "ending0": ("good", "bad")[n % 2],
            "ending1": ("bad", "good")[n % 2],
            "label": n % 2,
        }
        for n in range(count)
    ]


def write_lines(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_csv(path: Path, rows: list[dict]) -> Path:
    path.write_text(
        "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n",
        encoding="utf-8",
    )
    return path
