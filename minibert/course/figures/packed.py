"""Many numbers in a short text, for the data of a moving figure: a list of lists takes a line of a
notebook for each number.
"""

import base64

import numpy as np
import torch
from torch import Tensor

TYPES = {8: "u1", 16: "<i2"}  # whole numbers from 0 to 255, and from -32767 to 32767


def packed(values: Tensor, bits: int = 16) -> dict:
    """A tensor as whole numbers of `bits` bits, times one `step`: what `unpack` in
    `static/packed.js` reads.

    16 bits keep about four digits of the largest number. 8 bits are for numbers that are not
    negative, such as weights. Raises a ValueError for other bits, an empty tensor, numbers that are
    not finite, or negative ones in 8 bits.
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
            f"8 bits hold no negative numbers, and the smallest is {values.min():.3g}: use 16"
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
    """What `packed` has made of a tensor, as a tensor: equal to half a step."""
    whole = np.frombuffer(base64.b64decode(data["packed"]), dtype=TYPES[data["bits"]])
    return torch.from_numpy(whole.astype(np.float64)).view(data["shape"]) * data["step"]
