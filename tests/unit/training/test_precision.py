"""Which precision `auto` chooses."""

from pathlib import Path

import pytest
import torch

from minibert.training.precision import choose_precision

CPU = torch.device("cpu")


@pytest.mark.parametrize("has_it", [True, False])
def test_bfloat16_where_the_processor_has_it(has_it, monkeypatch):
    """By public functions of PyTorch alone: a private one may go with any version."""
    for name in [name for name in vars(torch.cpu) if name.startswith("_is_")]:
        monkeypatch.delattr(torch.cpu, name)
    monkeypatch.setattr(
        torch.cpu, "get_capabilities", lambda: {"avx512_bf16": has_it, "avx2": True}, raising=False
    )
    assert choose_precision("auto", CPU) == (torch.bfloat16 if has_it else torch.float32)
    assert choose_precision("float32", CPU) == torch.float32
    assert choose_precision("bfloat16", CPU) == torch.bfloat16


@pytest.mark.parametrize(
    "processor, precision",
    [("flags: avx2 avx512_bf16 sse", torch.bfloat16), ("flags: avx2", torch.float32)],
)
def test_a_pytorch_that_cannot_tell_is_helped_by_linux(processor, precision, monkeypatch):
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: processor)
    assert choose_precision("auto", CPU) == precision


def test_float32_where_nobody_can_tell(monkeypatch):
    def nothing(path, encoding):
        raise FileNotFoundError(path)

    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    monkeypatch.setattr(Path, "read_text", nothing)
    assert choose_precision("auto", CPU) == torch.float32
    assert choose_precision("auto", torch.device("meta")) == torch.float32


@pytest.mark.parametrize("has_it", [True, False])
def test_bfloat16_where_the_gpu_computes_in_it_and_does_not_only_imitate_it(has_it, monkeypatch):
    monkeypatch.setattr(
        torch.cuda,
        "is_bf16_supported",
        lambda including_emulation=True: has_it or including_emulation,
    )
    assert choose_precision("auto", torch.device("cuda")) == (
        torch.bfloat16 if has_it else torch.float32
    )
