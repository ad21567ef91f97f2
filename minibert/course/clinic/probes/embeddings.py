"""Probes of the embeddings: positions, segments and LayerNorm."""

import torch
from torch import nn

from minibert.course.clinic.probes.base import probe
from minibert.course.clinic.probes.models import WORDS, tiny
from minibert.embeddings import BertEmbeddings
from minibert.model import BertModel
from minibert.positions import sinusoidal_table


@probe()
def position_spread() -> float:
    """How much does the dot product of two positions, five apart, vary along the text? It should
    hardly.
    """
    table = sinusoidal_table(128, 64)  # [128, 64]
    products = (table[:-5] * table[5:]).sum(dim=1)  # [123]
    return (products.max() - products.min()).item()


@probe()
def still_columns() -> int:
    """How many of the 64 columns of the position table hardly move over 128 positions?"""
    return int((sinusoidal_table(128, 64).std(dim=0) < 1e-3).sum())


@probe()
@torch.no_grad()
def content_to_position() -> float:
    """How long is a fresh word vector beside the position vector that is added to it?"""
    embeddings = BertEmbeddings(tiny(position_embedding_type="sinusoidal")).eval()
    embeddings.LayerNorm = nn.Identity()
    nn.init.zeros_(embeddings.token_type_embeddings.weight)
    both = embeddings(WORDS)  # [1, S, H]
    nn.init.zeros_(embeddings.word_embeddings.weight)
    positions = embeddings(WORDS)  # [1, S, H]
    return ((both - positions).norm() / positions.norm()).item()


@probe()
def lengths_that_run() -> tuple[str, ...]:
    """What happens to texts of 5, 20 and 21 tokens, where the position table has 20 rows?"""
    model, outcomes = BertModel(tiny()).eval(), []
    for length in (5, 20, 21):
        try:
            model(torch.ones(1, length, dtype=torch.long))
            outcomes.append("runs")
        except (ValueError, RuntimeError, IndexError) as error:
            outcomes.append(type(error).__name__)
    return tuple(outcomes)


@probe()
def segment_rows() -> int:
    """How many rows has the segment table of a model with two kinds of segment and 61 words?"""
    return BertEmbeddings(tiny()).token_type_embeddings.num_embeddings


@probe()
@torch.no_grad()
def norm_of_1_0_0_0() -> float:
    """What does the norm of the embeddings make of the first number of [1, 0, 0, 0]?"""
    embeddings = BertEmbeddings(tiny(hidden_size=4, position_embedding_type="none")).eval()
    nn.init.zeros_(embeddings.token_type_embeddings.weight)
    embeddings.word_embeddings.weight[5] = torch.tensor([1.0, 0.0, 0.0, 0.0])
    return embeddings(torch.tensor([[5]]))[0, 0, 0].item()


@probe()
@torch.no_grad()
def fresh_scale() -> float:
    """How large are the numbers of the embeddings in a fresh model, as a standard deviation?"""
    return BertModel(tiny(initializer_range=0.02)).eval().embeddings(WORDS).std().item()
