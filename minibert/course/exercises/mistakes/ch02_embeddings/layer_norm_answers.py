"""Wrong answers to `layer_norm`; the module `layer_norm` has the feedback for each."""

import torch

from minibert.course.exercises.ch02_embeddings.common import layer_norm
from minibert.course.exercises.mistakes import named


def norm_variant(
    over=(-1,), unbiased=False, eps_at="inside", root=True, centred=True, affine="right"
):
    """Returns a LayerNorm with options, each of which plants a mistake."""

    def norm(x, gamma, beta, eps=1e-12):
        mean = x.mean(over, keepdim=True)
        squares = (x if unbiased == "of x" else x - mean) ** 2
        variance = (
            squares.sum(over, keepdim=True)
            if unbiased == "sum"
            else squares.mean(over, keepdim=True)
            if unbiased == "of x"
            else x.var(over, keepdim=True, unbiased=unbiased)
        )
        eps = 1e-5 if eps_at == "fixed" else eps
        spread = (
            variance
            if not root
            else variance.sqrt()
            if eps_at == "nowhere"
            else variance.sqrt() + eps
            if eps_at == "outside"
            else (variance + eps).sqrt()
        )
        normed = (x - mean if centred else x) / spread
        return {
            "right": gamma * normed + beta,
            "none": normed,
            "before": gamma * (normed + beta),
            "no gamma": normed + beta,
            "no beta": gamma * normed,
            "swapped": beta * normed + gamma,
        }[affine]

    return named(f"norm_{over}_{unbiased}_{eps_at}_{root}_{centred}_{affine}", norm)


def norm_steps(
    name,
    centre=lambda x: x - x.mean(-1, keepdim=True),
    spread=lambda c, eps: (c.square().mean(-1, keepdim=True) + eps).sqrt(),
    finish=lambda normed, gamma, beta: gamma * normed + beta,
):
    """Returns a LayerNorm in which one of the three steps is replaced."""

    def norm(x, gamma, beta, eps=1e-12):
        centred = centre(x)
        return finish(centred / spread(centred, eps), gamma, beta)

    return named(name, norm)


norm_mean_of_distances = norm_steps(
    "norm_mean_of_distances", spread=lambda c, eps: (c.mean(-1, keepdim=True) ** 2 + eps).sqrt()
)


norm_by_distance = norm_steps(
    "norm_by_distance", spread=lambda c, eps: c.abs().mean(-1, keepdim=True)
)


norm_by_length = norm_steps("norm_by_length", spread=lambda c, eps: c.norm(dim=-1, keepdim=True))


norm_by_median = norm_steps(
    "norm_by_median", centre=lambda x: x - x.median(-1, keepdim=True).values
)


norm_from_the_lowest = norm_steps(
    "norm_from_the_lowest",
    centre=lambda x: x - x.amin(-1, keepdim=True),
    spread=lambda c, eps: c.amax(-1, keepdim=True) + eps,
)


norm_without_root = norm_steps(
    "norm_without_root", spread=lambda c, eps: c.square().mean(-1, keepdim=True) + eps
)


norm_multiplied = norm_steps(
    "norm_multiplied", spread=lambda c, eps: 1 / (c.square().mean(-1, keepdim=True) + eps).sqrt()
)


norm_floor = norm_steps(
    "norm_floor", spread=lambda c, eps: c.square().mean(-1, keepdim=True).clamp(min=eps).sqrt()
)


norm_eps_twice = norm_steps(
    "norm_eps_twice", spread=lambda c, eps: (c.square().mean(-1, keepdim=True) + 2 * eps).sqrt()
)


norm_scaled = norm_steps(
    "norm_scaled", finish=lambda normed, gamma, beta: (gamma * normed + beta) * len(gamma) ** 0.5
)


norm_gamma_twice = norm_steps(
    "norm_gamma_twice", finish=lambda normed, gamma, beta: gamma * gamma * normed + beta
)


norm_beta_away = norm_steps(
    "norm_beta_away", finish=lambda normed, gamma, beta: gamma * normed - beta
)


norm_gamma_plus_one = norm_steps(
    "norm_gamma_plus_one", finish=lambda normed, gamma, beta: (gamma + 1) * normed + beta
)


def norm_brackets(x, gamma, beta, eps=1e-12):
    return (
        gamma
        * (x - x.mean(-1, keepdim=True) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps))
        + beta
    )


def norm_of_features(x, gamma, beta, eps=1e-12):
    over = tuple(range(x.dim() - 1))
    return gamma * (x - x.mean(over)) / torch.sqrt(x.var(over, correction=0) + eps) + beta


def norm_mean_of_all(x, gamma, beta, eps=1e-12):
    centred = x - x.mean()
    return gamma * centred / ((centred**2).mean(-1, keepdim=True) + eps).sqrt() + beta


def norm_mean_of_tokens(x, gamma, beta, eps=1e-12):
    centred = x - (x.mean(1, keepdim=True) if x.dim() > 2 else x.mean(0, keepdim=True))
    return gamma * centred / ((centred**2).mean(-1, keepdim=True) + eps).sqrt() + beta


def norm_by_root_of_deviation(x, gamma, beta, eps=1e-12):
    return (
        gamma
        * (x - x.mean(-1, keepdim=True))
        / (x.std(-1, keepdim=True, correction=0) + eps).sqrt()
        + beta
    )


def norm_by_root_of_unbiased_deviation(x, gamma, beta, eps=1e-12):
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps).sqrt() + beta


def norm_eps_behind(x, gamma, beta, eps=1e-12):
    return (
        gamma
        * ((x - x.mean(-1, keepdim=True)) / x.var(-1, keepdim=True, correction=0).sqrt() + eps)
        + beta
    )


def norm_eps_squared(x, gamma, beta, eps=1e-12):
    return layer_norm(x, gamma, beta, eps**2)


def norm_of_nothing(x, gamma, beta, eps=1e-12):
    return gamma * x + beta


def norm_variance_less_mean(x, gamma, beta, eps=1e-12):
    mean = x.mean(-1, keepdim=True)
    return gamma * (x - mean) / ((x**2).mean(-1, keepdim=True) - mean + eps).sqrt() + beta


def norm_divided_by_tokens(x, gamma, beta, eps=1e-12):
    centred = x - x.mean(-1, keepdim=True)
    return (
        gamma
        * centred
        / ((centred**2).sum(-1, keepdim=True) / x.size(-2 if x.dim() > 1 else -1) + eps).sqrt()
        + beta
    )


def norm_softmax(x, gamma, beta, eps=1e-12):
    return gamma * x.softmax(-1) + beta
