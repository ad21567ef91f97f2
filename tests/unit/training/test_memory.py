"""Memory that the C library keeps for the next step, and returns to the system when asked."""

import ctypes
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from minibert.training import memory
from minibert.training.memory import keep_freed_memory, return_freed_memory


def test_freed_memory_is_kept_by_the_numbers_of_glibc(monkeypatch):
    """malloc.h: M_TRIM_THRESHOLD -1, M_TOP_PAD -2, M_MMAP_MAX -4. No mappings, never give back, fetch 64 MiB at a time."""
    asked = {}
    monkeypatch.setattr(memory.sys, "platform", "linux")
    monkeypatch.setattr(
        memory.ctypes,
        "CDLL",
        lambda name: SimpleNamespace(mallopt=asked.__setitem__),
    )
    keep_freed_memory()
    assert asked == {-4: 0, -1: 2**31 - 1, -2: 64 * 2**20}


@pytest.mark.parametrize(
    "platform, library",
    [
        (
            "darwin",
            SimpleNamespace(
                mallopt=lambda *asked: pytest.fail("asked on another system"), malloc_trim=None
            ),
        ),
        ("linux", SimpleNamespace()),
    ],
)  # musl has no mallopt
def test_elsewhere_freed_memory_is_left_alone(monkeypatch, platform, library):
    monkeypatch.setattr(memory.sys, "platform", platform)
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: library)
    keep_freed_memory()
    return_freed_memory()


def test_keeping_freed_memory_can_be_asked_twice():
    keep_freed_memory()
    keep_freed_memory()


KEPT = """
import torch
from minibert.training.memory import keep_freed_memory, return_freed_memory

def megabytes():
    return int(open("/proc/self/statm").read().split()[1]) * 4 // 1024

keep_freed_memory()
tensors = [torch.ones(1 << 20) for _ in range(100)]     # 4 MB each
last, used = tensors.pop(), megabytes()                 # the last one keeps the others from the end of the heap
del tensors
kept = megabytes()
return_freed_memory()
print(used - kept, used - megabytes())
"""


@pytest.mark.skipif(
    not (sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim")),
    reason="Linux with glibc only",
)
def test_freed_memory_is_kept_until_it_is_returned():
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    output = subprocess.run(
        [sys.executable, "-c", KEPT], capture_output=True, text=True, check=True, env=environment
    ).stdout
    after_freeing, after_returning = map(int, output.split())
    assert after_freeing < 50 and after_returning > 350
