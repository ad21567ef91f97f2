"""Answers to `padding_probe` on which its check is tried."""

import torch
import torch.nn.functional as F

from planted import Answers, named
from planted.ch13_bug_clinic.common import probe


def probe_with_noise(attend, query, key, value, padding=3):
    """Another right answer: what is appended is drawn, and the batch is longer from the first."""

    def longer(x):
        return torch.cat([x, torch.randn(*x.shape[:2], padding, x.size(3), dtype=x.dtype)], dim=2)

    S = query.size(2)
    mask = torch.cat([torch.ones(S), torch.zeros(padding)]).bool()
    with_padding, _ = attend(longer(query), longer(key), longer(value), mask)
    without, _ = attend(query, key, value, None)
    return float(torch.dist(with_padding.narrow(2, 0, S), without, p=torch.inf))


def probe_by_rows(attend, query, key, value, padding=3):
    """Another right answer: a mask of four axes, and the largest by hand."""
    S = query.shape[2]
    mask = torch.ones(1, 1, 1, S + padding, dtype=torch.bool)
    mask[..., S:] = False
    alone = attend(query, key, value, mask[..., :S])[0]
    padded = attend(*(F.pad(x, (0, 0, 0, padding)) for x in (query, key, value)), mask)[0]
    return max(
        abs(a - b) for a, b in zip(alone.flatten().tolist(), padded[:, :, :S].flatten().tolist())
    )


def probe_spoils(attend, query, key, value, padding=3):
    value += 1
    return 0.0


probe_all_seen = named("probe_all_seen", probe(mask=lambda S, n: torch.ones(n, dtype=torch.bool)))


probe_mask_turned = named("probe_mask_turned", probe(mask=lambda S, n: torch.arange(n) >= S))


probe_mask_short = named("probe_mask_short", probe(mask=lambda S, n: torch.arange(n) < S - 1))


probe_three = named("probe_three", probe(more=lambda padding: 3))


probe_nothing_appended = named("probe_nothing_appended", probe(more=lambda padding: 0))


probe_last_tokens = named(
    "probe_last_tokens", probe(change=lambda padded, alone, S: padded[:, :, -S:] - alone)
)


probe_signed = named("probe_signed", probe(number=lambda moved, alone: moved.max().item()))


probe_mean = named("probe_mean", probe(number=lambda moved, alone: moved.abs().mean().item()))


probe_sum = named("probe_sum", probe(number=lambda moved, alone: moved.abs().sum().item()))


probe_norm = named("probe_norm", probe(number=lambda moved, alone: moved.norm().item()))


probe_first_token = named(
    "probe_first_token", probe(number=lambda moved, alone: moved[:, :, 0].abs().max().item())
)


probe_first_row = named(
    "probe_first_row", probe(number=lambda moved, alone: moved[0].abs().max().item())
)


probe_in_proportion = named(
    "probe_in_proportion",
    probe(number=lambda moved, alone: (moved.abs().max() / alone.abs().max()).item()),
)


probe_tensor = named(
    "probe_tensor", probe(number=lambda moved, alone: moved.abs().amax(dim=(1, 2, 3)))
)


probe_verdict = named(
    "probe_verdict", probe(number=lambda moved, alone: bool(moved.abs().max() < 1e-5))
)


probe_all_is_well = named("probe_all_is_well", probe(number=lambda moved, alone: 0.0))


ANSWERS = Answers(
    right=(probe_with_noise, probe_by_rows),
    wrong={
        probe_all_seen: r"lets everybody look at the 4",
        probe_mask_turned: r"True at the 4 tokens of padding",
        probe_mask_short: r"True at 4 of 9 tokens",
        probe_three: r"shows attention 8",
        probe_nothing_appended: r"shows attention 5",
        probe_last_tokens: r"in attention that is in order",
        probe_signed: r"with its sign",
        probe_mean: r"mean of all changes",
        probe_sum: r"add all changes up",
        probe_norm: r"root of the sum of squares",
        probe_first_token: r"first token only",
        probe_first_row: r"first row of the batch",
        probe_in_proportion: r"not how far in proportion",
        probe_tensor: r"gives back a tensor of shape \[2\]",
        probe_verdict: r"says True",
        probe_all_is_well: r"your probe finds 0\.000, where",
        probe_spoils: r"changes `value`",
    },
)
