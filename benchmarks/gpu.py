"""What a benchmark on a GPU needs besides its contestants: a clock, memory, errors in rows, and an end in time.

`device` is "cuda", or "cpu" in a test.
"""

import contextlib
import gc
import signal
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator

import log
import torch
from contestants import Contestant


class TimeOver(BaseException):
    """The seconds are used up. No `except Exception` on the way catches it."""


@contextlib.contextmanager
def until(deadline: float | None) -> Iterator[None]:
    """Raise TimeOver at the deadline, wherever the program is then; elsewhere than on Unix only at the beginning."""
    left = None if deadline is None else deadline - time.perf_counter()
    if left is not None and left <= 0:
        raise TimeOver
    if (
        left is None
        or not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(*_) -> None:
        raise TimeOver

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, left, 5)  # again, if what it interrupts loses the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def noting(row: dict, device: str) -> Iterator[None]:
    """Write an error into the row, and go on."""
    try:
        yield
    except Exception as error:
        row["error"] = " ".join(f"{type(error).__name__}: {error}".split())[:600]
    if "error" in row:
        free(device)


def seconds_each(device: str, action: Callable, times: int) -> float:
    """Seconds that one of several actions takes, each begun without waiting for the last."""
    _wait(device)
    started = time.perf_counter()
    for _ in range(times):
        action()
    _wait(device)
    return (time.perf_counter() - started) / times


def matrix_rates(device: str, size: int) -> list[float]:
    """Operations per second of the product of two random square matrices in bfloat16: ten timings of ten products."""
    x, y = torch.randn(2, size, size, device=device).bfloat16()
    (x.clone().requires_grad_() @ y).sum().backward()  # makes the buffers that the libraries keep
    return [2 * size**3 / seconds_each(device, lambda: x @ y, 10) for _ in range(15)][5:]


def peak_mb(device: str, contestant: Contestant, step: Callable) -> int | None:
    """The most memory in a step: what the contestant keeps, and what the step adds; None without a GPU."""
    if device != "cuda":
        return None
    _wait(device)
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    step()
    _wait(device)
    added = torch.cuda.max_memory_allocated() - before
    return round((_own_bytes(contestant) + added) / 2**20)


def free(device: str) -> None:
    """Give unused memory back."""
    gc.collect()
    if device == "cuda":
        with contextlib.suppress(Exception):  # after some errors nothing works any more
            torch.cuda.empty_cache()


def machine(device: str) -> dict:
    """The kind of machine, with the GPU's memory and the versions of CUDA and of the driver."""
    if device != "cuda":
        return log.machine()
    driver = None
    with contextlib.suppress(OSError, subprocess.SubprocessError, IndexError):
        ask = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        done = subprocess.run(ask, capture_output=True, text=True, timeout=20)
        driver = done.stdout.split()[0] if done.returncode == 0 else None
    gib = round(torch.cuda.get_device_properties(0).total_memory / 2**30)
    return {**log.machine(), "gpu_gib": gib, "cuda": torch.version.cuda, "driver": driver}


def speeds(rates: list[float], rivals: dict[str, list[float]]) -> dict:
    """The speed of a variant, and its ratios to its rivals', whose names are endings of the keys."""
    if not rates:
        return {}
    found = {
        "tokens_per_second": round(statistics.median(rates)),
        "lowest": round(min(rates)),
        "highest": round(max(rates)),
        "rounds": len(rates),
    }
    for ending, its in rivals.items():
        if times := [a / b for a, b in zip(rates, its)]:
            found[f"times{ending}"] = round(statistics.median(times), 2)
            found[f"times{ending}_low"] = round(min(times), 2)
            found[f"times{ending}_high"] = round(max(times), 2)
    return found


def _wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def _own_bytes(contestant: Contestant) -> int:
    """What a contestant keeps on the GPU between two steps: its weights, and the state of its optimisers."""
    tensors = [*contestant.model.parameters(), *contestant.model.buffers()]
    for optimizer in contestant.optimizers:
        tensors += [x for state in optimizer.state.values() for x in state.values()]
    kept = {id(x): x for x in tensors if torch.is_tensor(x) and x.is_cuda}
    return sum(x.numel() * x.element_size() for x in kept.values())
