"""Answers to `attention_rollout` on which its check is tried."""

import torch

from minibert.course.exercises.ch11_what_it_learned.attention_rollout import rollout
from planted import Answers, named


def rollout_by_recursion(attentions):
    mixed = (
        attentions.mean(1) + torch.eye(attentions.size(-1), dtype=attentions.dtype)
    ) / 2  # [L, S, S]
    return torch.stack(
        [
            torch.linalg.multi_dot([*mixed[:n].flip(0)]) if n > 1 else mixed[0]
            for n in range(1, len(mixed) + 1)
        ]
    )


def rollout_by_loops(attentions):
    L, A, S, _ = attentions.shape
    layers = []
    for layer in range(L):
        before = layers[-1] if layers else torch.eye(S).to(attentions)
        layers.append(before / 2 + sum(attentions[layer, a] @ before for a in range(A)) / (2 * A))
    return torch.stack(layers)


rollout_no_residual = named("rollout_no_residual", rollout(mix=lambda mean, eye: mean))


rollout_not_halved = named("rollout_not_halved", rollout(mix=lambda mean, eye: mean + eye))


rollout_half_lost = named("rollout_half_lost", rollout(mix=lambda mean, eye: 0.5 * mean))


rollout_other_order = named(
    "rollout_other_order", rollout(step=lambda mixed, rolled: rolled @ mixed)
)


rollout_by_entry = named("rollout_by_entry", rollout(step=lambda mixed, rolled: mixed * rolled))


rollout_single_layers = named("rollout_single_layers", rollout(step=lambda mixed, rolled: mixed))


rollout_turned = named("rollout_turned", rollout(step=lambda mixed, rolled: mixed.T @ rolled))


rollout_sum_of_heads = named("rollout_sum_of_heads", rollout(heads=lambda maps: maps.sum(dim=0)))


rollout_first_head = named("rollout_first_head", rollout(heads=lambda maps: maps[0]))


rollout_largest_head = named("rollout_largest_head", rollout(heads=lambda maps: maps.amax(dim=0)))


rollout_last_layer_only = named(
    "rollout_last_layer_only", lambda attentions: rollout_by_recursion(attentions)[-1]
)


rollout_on_its_side = named(
    "rollout_on_its_side", lambda attentions: rollout_by_recursion(attentions).mT
)


rollout_from_the_last = named(
    "rollout_from_the_last", lambda attentions: rollout_by_recursion(attentions.flip(0))
)


rollout_added_up = named(
    "rollout_added_up", lambda attentions: rollout_by_recursion(attentions).cumsum(0)
)


rollout_last_head = named(
    "rollout_last_head", lambda attentions: rollout_by_recursion(attentions[:, -1:])
)


ANSWERS = Answers(
    right=(rollout_by_recursion, rollout_by_loops),
    wrong={
        rollout_no_residual: r"leave out the residual",
        rollout_not_halved: r"do not halve",
        rollout_half_lost: r"passes round them is lost",
        rollout_other_order: r"wrong order",
        rollout_by_entry: r"entry by entry",
        rollout_single_layers: r"begins anew",
        rollout_turned: r"turned over",
        rollout_sum_of_heads: r"add the 2 heads",
        rollout_first_head: r"head 0 alone",
        rollout_largest_head: r"larger weight",
        rollout_last_layer_only: r"one table",
        rollout_on_its_side: r"on their sides",
        rollout_from_the_last: r"begin with the last layer",
        rollout_added_up: r"of the layers up",
        rollout_last_head: r"last head alone",
    },
)
