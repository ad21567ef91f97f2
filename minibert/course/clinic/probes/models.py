"""Small models and texts for the probes."""

import tempfile
from functools import cache
from pathlib import Path

from torch import Tensor, arange

from minibert.config import BertConfig
from minibert.data import TokenFile, write_tokens
from minibert.tokenization import WordPieceTokenizer

WORDS: Tensor = arange(5, 12)[None]  # [1, S], seven words


def tiny(**changes) -> BertConfig:
    """The config of a BERT with a few thousand parameters, whose initial weights are so large that
    no softmax is close to uniform.
    """
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
    """A token file of twenty documents, each with six sentences of `sentence` tokens.

    The ids count up from 5, so every token has its own id; with `vocab_size` they wrap around.
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
    opened.folder = folder  # keeps the folder alive as long as the file object
    return opened
