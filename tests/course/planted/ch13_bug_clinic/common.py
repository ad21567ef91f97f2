"""What several lists of answers share."""

import torch
import torch.nn.functional as F

from planted import named


def probe(
    mask=lambda S, n: torch.arange(n) < S,
    change=lambda padded, alone, S: padded[:, :, :S] - alone,
    number=lambda moved, alone: moved.abs().max().item(),
    more=lambda padding: padding,
):
    """A planted wrong answer: one of the parts made in another way."""

    def wrong(attend, query, key, value, padding=3):
        S, padding = query.size(2), more(padding)
        alone = attend(query, key, value, torch.ones(S, dtype=torch.bool))[0]
        longer = [F.pad(x, (0, 0, 0, padding), value=1.0) for x in (query, key, value)]
        padded = attend(*longer, mask(S, S + padding))[0]
        return number(change(padded, alone, S), alone)

    return wrong


probe_without_mask = named("probe_without_mask", probe(mask=lambda S, n: None))
