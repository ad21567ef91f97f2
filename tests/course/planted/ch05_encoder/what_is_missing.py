"""Answers to `what_is_missing` on which its check is tried."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch05_encoder.what_is_missing import what_is_missing
from planted import Answers


def by_a_shift_of_tokens(layers, x):
    """Without attention, a token's output does not depend on which tokens are beside it."""
    alone = torch.cat([layers[0](x[:, i : i + 1]) for i in range(x.size(1))], dim=1)
    if torch.allclose(alone, layers[0](x), atol=1e-5):
        return "attention"
    longer = layers[0](10 * x).norm(dim=-1) / layers[0](x).norm(dim=-1)
    found = layers[0](x)
    if F.cosine_similarity(x, found, dim=-1).mean() < 0.2:
        return "residual"
    return "norm" if longer.mean() > 2 else "nothing"


def by_the_last_layer(layers, x):
    out, other = layers[-1](x), x.clone()
    other[:, 2] = torch.roll(x[:, 2], 1, dims=-1)
    moved = (layers[-1](other) - out).abs().amax(dim=-1)  # [B, S]
    if moved[:, 3:].max() == 0:
        return "attention"
    if (F.normalize(out, dim=-1) * F.normalize(x, dim=-1)).sum(dim=-1).mean() < 0.2:
        return "residual"
    spread = out.std(dim=-1, correction=0)
    return "nothing" if torch.allclose(spread, torch.ones_like(spread), atol=0.01) else "norm"


def always_nothing(layers, x):
    return "nothing"


def _cosines(layers, x):
    for layer in layers:
        x = layer(x)
    unit = F.normalize(x, dim=-1)
    return unit @ unit.mT  # [B, S, S]


def _residual_if(sign, layers, x):
    """The right function, with another sign of a missing residual connection."""
    found = what_is_missing(layers, x)
    if found in ("attention", "norm"):
        return found
    return "residual" if sign else "nothing"


def mean_cosine_only(layers, x):
    return "residual" if _cosines(layers, x).mean() > 0.15 else "nothing"


def mean_cosine_is_high(layers, x):
    return _residual_if(_cosines(layers, x).mean() > 0.9, layers, x)


def every_cosine_is_high(layers, x):
    return _residual_if(_cosines(layers, x).min() > 0.999, layers, x)


def first_two_tokens(layers, x):
    return _residual_if(_cosines(layers, x)[:, 0, 1].mean() > 0.99, layers, x)


def norms_forgotten(layers, x):
    found = what_is_missing(layers, x)
    return "nothing" if found == "norm" else found


def own_token_counts(layers, x):
    """Every layer moves the token that is changed, so attention never seems to be missing."""
    found = what_is_missing(layers, x)
    return "nothing" if found == "attention" else found


def only_large_changes_count(layers, x):
    other = x.clone()
    other[:, 0] = -x[:, 0]
    if (layers[0](other) - layers[0](x))[:, 1:].abs().max() < 0.05:
        return "attention"
    return what_is_missing(layers, x)


def a_number(layers, x):
    return 2


ANSWERS = Answers(
    right=(by_a_shift_of_tokens, by_the_last_layer),
    wrong={
        always_nothing: "you find 'nothing', and it should be 'residual'",
        mean_cosine_only: "you find '.*', and it should be",
        mean_cosine_is_high: "6 layers of width 64 with weights of 0.125 you find 'residual', and it should be 'nothing'",
        every_cosine_is_high: "12 layers of width 128 with weights of 0.1 you find 'residual', and it should be 'nothing'",
        first_two_tokens: "12 layers of width 32 with weights of 0.18 you find 'residual', and it should be 'nothing'",
        norms_forgotten: "should be 'norm': its vectors do not have standard deviation 1",
        own_token_counts: "should be 'attention': if one token is changed",
        only_large_changes_count: "weights of 0.02 you find 'attention', and it should be 'nothing'",
        a_number: "Expected is one of",
    },
)
