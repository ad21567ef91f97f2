"""The models and texts that the probes measure with."""

import tempfile
from functools import cache
from pathlib import Path

from torch import Tensor, arange

from minibert.config import BertConfig
from minibert.data import TokenFile, write_tokens
from minibert.tokenization import WordPieceTokenizer

WORDS: Tensor = arange(5, 12)[None]  # [1, S], seven words


def tiny(**changes) -> BertConfig:
    """A BERT of a few thousand parameters, with weights so large that no softmax is flat."""
    sizes = dict(
        vocab_size=61,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=20,
        initializer_range=0.3,
    )
    return BertConfig(**{**sizes, **changes})


def vocabulary() -> WordPieceTokenizer:
    """A tokenizer that knows the words w5 … w60."""
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *(f"w{number}" for number in range(5, 61)),
    ]
    return WordPieceTokenizer({word: number for number, word in enumerate(words)})


@cache
def corpus(sentence: int, vocab_size: int | None = None) -> TokenFile:
    """Twenty documents of six sentences, each of `sentence` tokens that count up; every token has
    an id of its own, where no `vocab_size` makes them begin again.
    """
    numbers = range(120 * sentence)
    ids = [5 + number % (vocab_size - 5) if vocab_size else 5 + number for number in numbers]
    sentences = [ids[at : at + sentence] for at in range(0, len(ids), sentence)]
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    path = Path(folder.name) / "text.tokens"
    write_tokens(
        path, [sentences[at : at + 6] for at in range(0, 120, 6)], vocab_size or 5 + len(ids)
    )
    opened = TokenFile(path)
    opened.folder = folder  # lives as long as what is read from it
    return opened
