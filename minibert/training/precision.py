"""The floating-point precision of a computation."""

from pathlib import Path

import torch


def choose_precision(wanted: str, device: torch.device) -> torch.dtype:
    """The dtype named by `wanted` ("float32", "bfloat16"); for "auto" the faster one on `device`.

    That is bfloat16 where the processor or the GPU has instructions for it, float32 elsewhere.
    """
    if wanted != "auto":
        dtype: torch.dtype = getattr(torch, wanted)
        return dtype
    if device.type == "cuda":
        has_bfloat16 = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        # without the instructions, matrix products in bfloat16 are slower than in float32
        has_bfloat16 = device.type == "cpu" and _cpu_has_bfloat16()
    return torch.bfloat16 if has_bfloat16 else torch.float32


def _cpu_has_bfloat16() -> bool:
    """Whether the processor has AVX-512 BF16: PyTorch says so, or Linux for an older PyTorch."""
    if hasattr(torch.cpu, "get_capabilities"):  # not in every version that minibert runs with
        return bool(torch.cpu.get_capabilities().get("avx512_bf16", False))
    try:
        return "avx512_bf16" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
