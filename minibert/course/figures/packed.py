"""Stores tensors as compact strings in the data of a figure, because a notebook writes nested lists
with one line per number.
"""

import base64

import numpy as np
import torch
from torch import Tensor

TYPES = {8: "u1", 16: "<i2"}  # integers from 0 to 255, and from -32767 to 32767


def packed(values: Tensor, bits: int = 16) -> dict:
    """Quantizes a tensor to integers of `bits` bits times a common `step`.

    `unpack` in `static/packed.js` reads the result. 16 bits keep about four digits of the largest
    number. 8 bits are for non-negative numbers, such as attention weights. Raises ValueError for
    any other number of bits, for an empty tensor, for values that are not finite, and for negative
    values in 8 bits.
    """
    if bits not in TYPES:
        raise ValueError(f"bits must be 8 or 16, not {bits!r}")
    values = torch.as_tensor(values, dtype=torch.float64)
    if not values.numel() or not values.isfinite().all():
        raise ValueError(
            f"values must be finite numbers, at least one, not {values.flatten()[:5].tolist()}"
        )
    if bits == 8 and values.min() < 0:
        raise ValueError(
            f"8 bits cannot store negative numbers, and the smallest is {values.min():.3g}: use 16"
        )
    step = values.abs().max().item() / (255 if bits == 8 else 32767) or 1.0
    whole = (values / step).round().numpy().astype(TYPES[bits])
    return {
        "packed": base64.b64encode(whole.tobytes()).decode(),
        "bits": bits,
        "shape": list(values.shape),
        "step": step,
    }


def unpacked(data: dict) -> Tensor:
    """Reverses `packed`, with an error of at most half a step."""
    whole = np.frombuffer(base64.b64decode(data["packed"]), dtype=TYPES[data["bits"]])
    return torch.from_numpy(whole.astype(np.float64)).view(data["shape"]) * data["step"]
