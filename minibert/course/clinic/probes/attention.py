"""Probes of attention: the scale, the mask, the rows of weights, and the separation of heads."""

import torch
import torch.nn.functional as F

from minibert.course.clinic.probes.base import probe
from minibert.course.clinic.probes.models import WORDS, tiny
from minibert.model import BertModel


@probe()
@torch.no_grad()
def padding_moves_a_token() -> float:
    """By how much do the vectors of real tokens change when masked padding is appended?"""
    model, longer = BertModel(tiny()).eval(), F.pad(WORDS, (0, 5))
    padded = model(longer, attention_mask=longer > 0).last_hidden_state[
        :, : WORDS.size(1)
    ]  # [1, S, H]
    return (padded - model(WORDS).last_hidden_state).abs().max().item()


@probe()
@torch.no_grad()
def weight_on_padding() -> float:
    """Which share of its attention does a token give to padding that the mask hides?"""
    model, longer = BertModel(tiny()).eval(), F.pad(WORDS, (0, 5))
    first = model(longer, attention_mask=longer > 0, output_attentions=True).attentions[
        0
    ]  # [1, A, S, S]
    return first[..., WORDS.size(1) :].sum(-1).mean().item()


@probe()
@torch.no_grad()
def row_of_padding() -> str:
    """What comes out of a row in which every token is padding?"""
    model, mask = BertModel(tiny()).eval(), torch.zeros_like(WORDS)
    out = model(WORDS, attention_mask=mask, output_attentions=True).last_hidden_state  # [1, S, H]
    return "numbers" if out.isfinite().all() else "not a number"


@probe()
@torch.no_grad()
def row_sums() -> tuple[float, float]:
    """How far from 1 is the sum of a row of attention weights at worst, in evaluation and in
    training with dropout?
    """
    model, worst = BertModel(tiny(attention_probs_dropout_prob=0.5)), []
    for training in (False, True):
        weights = model.train(training)(WORDS, output_attentions=True).attentions[0]  # [1, A, S, S]
        worst.append((weights.sum(-1) - 1).abs().max().item())
    return tuple(worst)


@probe()
@torch.no_grad()
def a_token_alone() -> float:
    """Every token may look at itself only: by how much does a token's vector change when another is
    replaced?
    """
    model, alone = (
        BertModel(tiny()).eval(),
        torch.eye(WORDS.size(1), dtype=torch.bool)[None],
    )  # [1, S, S]
    others = WORDS.clone()
    others[0, 1:] += 20
    one, other = (
        model(ids, attention_mask=alone).last_hidden_state[:, 0] for ids in (WORDS, others)
    )  # [1, H] each
    return (one - other).abs().max().item()


@probe()
def parameters() -> tuple[int, int]:
    """How many parameters has a small BERT with one head, and the same with four?"""
    return tuple(
        sum(p.numel() for p in BertModel(tiny(num_attention_heads=heads)).parameters())
        for heads in (1, 4)
    )


@probe()
def hidden_100_heads_12() -> int:
    """How wide are all twelve heads together in a model whose hidden size is 100?"""
    return (
        BertModel(tiny(hidden_size=100, num_attention_heads=12))
        .encoder.layer[0]
        .attention.self.query.out_features
    )
