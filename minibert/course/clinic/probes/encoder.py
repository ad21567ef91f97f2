"""Probes of the encoder and the whole model: activations, residual connections, layers, dropout
and initial weights.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.course.clinic.probes.base import probe
from minibert.course.clinic.probes.models import WORDS, tiny
from minibert.encoder import ACTIVATIONS, BertLayer
from minibert.heads import BertForPreTraining
from minibert.model import BertModel
from minibert.summarization import InterSentenceEncoder, SentenceRNN


@probe()
def gelu_at_minus_1_and_1() -> tuple[float, float]:
    """What does GELU make of -1 and of 1?"""
    return tuple(ACTIVATIONS["gelu"](torch.tensor([-1.0, 1.0])).tolist())


@probe()
@torch.no_grad()
def relu_against_gelu() -> float:
    """How far apart are two models with the same weights, one made with ReLU and one with GELU?"""
    gelu, relu = (BertModel(tiny(hidden_act=name)).eval() for name in ("gelu", "relu"))
    relu.load_state_dict(gelu.state_dict())
    return (gelu(WORDS).last_hidden_state - relu(WORDS).last_hidden_state).abs().max().item()


@probe()
def gradient_that_arrives() -> float:
    """Twelve fresh layers: how large is the gradient in the first one beside that in the last, in
    hundredths?
    """
    model = BertModel(tiny(num_hidden_layers=12, initializer_range=0.02))
    model(WORDS).last_hidden_state[0, 0, 0].backward()
    first, last = (model.encoder.layer[place].output.dense.weight.grad.norm() for place in (0, -1))
    return 100 * (first / last).item()


@probe()
@torch.no_grad()
def tokens_alike() -> float:
    """How alike are the vectors of two different tokens after twelve fresh layers, as a cosine?"""
    model = BertModel(tiny(num_hidden_layers=12, initializer_range=0.02)).eval()
    one, other = model(WORDS).last_hidden_state[0, :2]  # [H], [H]
    return F.cosine_similarity(one, other, dim=0).item()


@probe()
def layers() -> int:
    """How many layers are there where the config announces twelve?"""
    return len(BertModel(tiny(num_hidden_layers=12)).encoder.layer)


@probe()
@torch.no_grad()
def layers_apart() -> float:
    """How far apart are the weights of the first two layers of a fresh model, as a standard
    deviation?
    """
    one, other = BertModel(tiny()).encoder.layer
    return (one.output.dense.weight - other.output.dense.weight).std().item()


@probe()
@torch.no_grad()
def dropped_by_the_feed_forward() -> float:
    """With dropout at 0.5, which share of what the feed-forward adds is exactly zero?"""
    layer = BertLayer(tiny(hidden_dropout_prob=0.5, norm_first=True)).train()
    hidden = torch.zeros(1, 200, 24)  # [1, S, H]
    layer.attention.output.dense.weight.zero_()
    layer.attention.output.dense.bias.zero_()
    return (layer(hidden)[0] == 0).double().mean().item()


@probe()
def eps_of_the_norms() -> tuple[str, ...]:
    """Which eps have the norms of a model whose config says 0.5?"""
    return tuple(
        sorted(
            {
                f"{module.eps:g}"
                for module in BertModel(tiny(layer_norm_eps=0.5)).modules()
                if isinstance(module, nn.LayerNorm)
            }
        )
    )


@probe()
def misspelt_key() -> int:
    """How many heads has a model whose config says num_attention_head: 4?"""
    return BertConfig.from_dict({"vocab_size": 61, "num_attention_head": 4}).num_attention_heads


@probe()
@torch.no_grad()
def pooler_twice() -> float:
    """How far apart are two poolings of the same text, in evaluation?"""
    model = BertModel(tiny()).eval()
    return (model(WORDS).pooler_output - model(WORDS).pooler_output).abs().max().item()


@probe()
def temperature() -> tuple[float, float, float, float]:
    """A thermometer, which says that something is wrong and not what: loss, gradient and scores of
    models with fixed weights.
    """
    model = _set(BertForPreTraining(tiny())).eval()
    padded = F.pad(WORDS, (0, 2))  # [1, S + 2]
    labels = torch.where(padded == 7, 20, -100)  # [1, S + 2]
    out = model(
        padded,
        token_type_ids=torch.ones_like(padded),
        attention_mask=padded > 0,
        output_attentions=True,
        labels=labels,
        next_sentence_label=torch.tensor([1]),
    )
    out.loss.backward()
    gradient = math.sqrt(
        sum(float(p.grad.square().sum()) for p in model.parameters() if p.grad is not None)
    )
    vectors = torch.linspace(-1, 1, 3 * 24).cos().view(1, 3, 24)  # [1, N, H]
    scores = [
        float(_set(head).eval()(vectors, torch.tensor([[True, True, False]])).sum().detach())
        for head in (InterSentenceEncoder(24, 40, 4, 2), SentenceRNN(24))
    ]
    return (out.loss.item(), gradient, *scores)


@torch.no_grad()
def _set(module: nn.Module) -> nn.Module:
    """Sets all weights to fixed values along a sine wave, so that nothing is random."""
    for parameter in module.parameters():
        wave: Tensor = (
            torch.arange(parameter.numel(), dtype=torch.float32)
            .mul(0.7)
            .sin()
            .view(parameter.shape)
        )
        parameter.copy_(0.3 * wave + (parameter.dim() == 1))
    return module
