"""A pretraining run that takes a moment: sixty words, a model of a few thousand parameters."""

from pathlib import Path

import numpy as np
import torch

from minibert import BertConfig, BertForPreTraining, WordPieceTokenizer
from minibert.data import TokenFile, write_tokens
from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.trainer import Pretraining

V = 60
TOKENIZER = WordPieceTokenizer(
    {
        token: i
        for i, token in enumerate(
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(5, V))]
        )
    }
)
CONFIG = BertConfig(
    vocab_size=V,
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=24,
    max_position_embeddings=32,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
OPTIONS = dict(
    steps=5,
    batch_size=12,
    micro_batch=12,
    length=16,
    short_share=0.0,
    long_length=32,
    long_share=0.4,
    warmup=1,
    precision="float32",
)


def write_corpus(path: Path, seed: int = 0, documents: int = 40) -> TokenFile:
    draw = np.random.default_rng(seed)
    write_tokens(
        path,
        (
            [
                draw.integers(5, V, draw.integers(2, 12)).tolist()
                for _ in range(draw.integers(2, 15))
            ]
            for _ in range(documents)
        ),
        V,
    )
    return TokenFile(path)


def make_run(
    corpus: TokenFile,
    config: BertConfig = CONFIG,
    tokenizer: WordPieceTokenizer = TOKENIZER,
    **changes,
) -> Pretraining:
    torch.manual_seed(1)
    return Pretraining(
        BertForPreTraining(config), corpus, tokenizer, PretrainingOptions(**OPTIONS | changes)
    )


def weights(run: Pretraining) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in run.model.state_dict().items()}


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    """Whether two sets of tensors are the same, bit for bit."""
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
