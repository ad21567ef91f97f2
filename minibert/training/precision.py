"""The floating-point precision of a computation."""

from pathlib import Path

import torch


def choose_precision(name: str, device: torch.device) -> torch.dtype:
    """The dtype for `name`: "float32", "bfloat16", or "auto" for the faster one on `device`.

    The faster one is bfloat16 if the processor or the GPU has instructions for it, or else float32.
    """
    if name != "auto":
        dtype: torch.dtype = getattr(torch, name)
        return dtype
    if device.type == "cuda":
        has_bfloat16 = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        # without such instructions, bfloat16 matrix products are slower than float32 ones
        has_bfloat16 = device.type == "cpu" and _cpu_has_bfloat16()
    return torch.bfloat16 if has_bfloat16 else torch.float32


def _cpu_has_bfloat16() -> bool:
    """Whether the processor has AVX-512 BF16, according to PyTorch or /proc/cpuinfo."""
    if hasattr(torch.cpu, "get_capabilities"):  # missing in older versions that minibert supports
        return bool(torch.cpu.get_capabilities().get("avx512_bf16", False))
    try:
        return "avx512_bf16" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
