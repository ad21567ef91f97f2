"""Masking: which tokens the model has to predict, and what it sees in their place."""

from collections.abc import Sequence

import torch
from torch import Tensor

from minibert.config import IGNORE, InputError

PUBLISHED = (0.8, 0.1)  # 80% become [MASK], 10% become another token, 10% stay unchanged
ALL_MASK = (1.0, 0.0)  # every chosen token becomes [MASK]


def mask_tokens(
    input_ids: Tensor,
    *,
    mask_token_id: int,
    vocab_size: int,
    special_ids: Sequence[int],
    rate: float = 0.15,
    replace: tuple[float, float] = (0.8, 0.1),
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """Choose tokens to predict and corrupt them; Devlin et al. 2018, section 3.1, "Masked LM".

    Every token of input_ids [B, S] that is not special is chosen with probability `rate`, on its
    own. Of the chosen ones 80% become [MASK], 10% another ordinary token drawn with equal chances
    (it may be the same one), and 10% stay; `replace` holds the first two shares. The original
    chooses a fixed number per sequence instead, of the same share: see `minibert.data.original`.

    Returns new input ids [B, S] and labels [B, S]: the true id of a chosen token, else -100.
    """
    if not isinstance(input_ids, Tensor):
        raise InputError(f"input_ids must be a tensor, not a {type(input_ids).__name__}")
    ids = [mask_token_id, *special_ids, *(input_ids.aminmax() if input_ids.numel() else ())]
    if input_ids.dtype not in (torch.int64, torch.int32) or not all(
        0 <= i < vocab_size for i in ids
    ):
        raise InputError(f"all ids must be whole numbers below vocab_size {vocab_size}")
    if not 0 <= rate <= 1:
        raise InputError(f"rate must lie between 0 and 1, not {rate}")
    masked_share, random_share = replace
    if min(replace) < 0 or sum(replace) > 1:
        raise InputError(f"replace must be two shares that add up to at most 1, not {replace}")
    special = torch.zeros(vocab_size, dtype=torch.bool)  # [V]
    special[list(special_ids)] = True
    ordinary = (~special).nonzero().squeeze(1)  # [V - specials]
    if len(ordinary) == 0:
        raise InputError(f"special_ids leave no ordinary token in a vocabulary of {vocab_size}")

    # one draw decides both: below the rate a token is chosen, and how far below says its fate
    draw = torch.rand(input_ids.shape, generator=generator)  # [B, S]
    chosen = (draw < rate) & ~special[input_ids]  # [B, S]
    labels = torch.where(chosen, input_ids, IGNORE)  # [B, S]
    corrupted = torch.where(
        chosen & (draw < rate * masked_share), mask_token_id, input_ids
    )  # [B, S]
    replaced = (
        chosen & (draw >= rate * masked_share) & (draw < rate * (masked_share + random_share))
    )  # [B, S]
    count = int(replaced.sum())
    corrupted[replaced] = ordinary[torch.randint(len(ordinary), (count,), generator=generator)]
    return corrupted, labels
