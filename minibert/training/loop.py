"""The training loop, random batches of texts of similar lengths, and how a run is stopped."""

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol, TypeVar

import torch
from torch.optim import Optimizer

from minibert.config import InputError
from minibert.training.distributed import ProcessGroup, full_tensor
from minibert.training.memory import return_freed_memory

IMPATIENT = 2.0  # seconds after the first Ctrl-C from which another one stops at once
RETURN_EVERY = 60.0  # seconds between returns of unused memory to the system
POOL = 16  # number of batches whose texts are sorted by length together


class Diverged(InputError):
    """The loss or the gradient is NaN or infinite."""


class Metrics(Protocol):
    """The least that a training step returns."""

    @property
    def step(self) -> int:
        """Number of updates done."""

    @property
    def loss(self) -> float:
        """The loss that the update minimises."""

    @property
    def gradient_norm(self) -> float:
        """Norm of all gradients before clipping."""


AnyMetrics = TypeVar("AnyMetrics", bound=Metrics, covariant=True)


class Run(Protocol[AnyMetrics]):
    """A training run, such as pretraining or fine-tuning."""

    @property
    def step(self) -> int:
        """Number of updates done."""

    @property
    def steps(self) -> int:
        """Total number of updates."""

    @property
    def optimizers(self) -> list[Optimizer]:
        """The optimizers, which hold the weights that are trained."""

    def train_step(self) -> AnyMetrics:
        """Do one update."""


def drive(run: Run[AnyMetrics], after_step: Callable[[AnyMetrics, float], bool]) -> None:
    """Train until `run` has done all its steps or `after_step` returns False.

    `after_step(metrics, seconds)` is called after every step with the step's duration; it may
    evaluate, report and save. Raises Diverged if the loss or the gradient is NaN or infinite, or
    the weights are after the last step, before `after_step` could save such a model.
    """
    going, returned = True, time.monotonic()
    while going and run.step < run.steps:
        started = time.monotonic()
        metrics = run.train_step()
        seconds = time.monotonic() - started
        if not (math.isfinite(metrics.loss) and math.isfinite(metrics.gradient_norm)):
            raise Diverged(
                f"step {metrics.step}: the loss is {metrics.loss}, the norm of the gradient "
                f"{metrics.gradient_norm}: training has diverged. A lower learning_rate or a "
                "longer warmup may help"
            )
        if run.step == run.steps and not _are_finite(run.optimizers):  # no later step would tell
            raise Diverged(
                f"step {metrics.step}: the weights are NaN or infinite after it: training has "
                "diverged. A lower learning_rate or a longer warmup may help"
            )
        going = after_step(metrics, seconds)
        if time.monotonic() - returned >= RETURN_EVERY:
            return_freed_memory()
            returned = time.monotonic()


def _are_finite(optimizers: list[Optimizer]) -> bool:
    """Whether the norm of each trained weight is finite, over all processes."""
    norms = [
        full_tensor(torch.linalg.vector_norm(weight.detach()))
        for optimizer in optimizers
        for group in optimizer.param_groups
        for weight in group["params"]
    ]
    return all(bool(norm.isfinite()) for norm in norms)


def random_batches(
    lengths: list[int], batch_size: int, generator: torch.Generator
) -> list[list[int]]:
    """Divide the indices of all texts into random batches of similar lengths, with little padding.

    Every index from 0 to len(lengths) - 1 is in exactly one batch.
    """
    order = torch.randperm(len(lengths), generator=generator).tolist()
    batches = []
    for start in range(0, len(order), POOL * batch_size):
        pool = sorted(order[start : start + POOL * batch_size], key=lengths.__getitem__)
        batches += [pool[at : at + batch_size] for at in range(0, len(pool), batch_size)]
    return [batches[i] for i in torch.randperm(len(batches), generator=generator)]


class Stop:
    """Whether to stop after the current step, and with which exit status.

    `time_limit` is in seconds; None means no limit.
    """

    signal: int | None  # the first SIGINT or SIGTERM received
    status: int  # 0, or 128 + the signal's number

    def __init__(self, time_limit: float | None) -> None:
        self.until = math.inf if time_limit is None else time.monotonic() + time_limit
        self.signal, self.told_at, self.status = None, 0.0, 0

    @contextmanager
    def listening(self) -> Iterator["Stop"]:
        """Delay SIGTERM and the first Ctrl-C to the end of the step; a second Ctrl-C stops at once.

        The second Ctrl-C counts only after IMPATIENT seconds, because torchrun forwards the first
        one to every process once more.
        """

        def note(number: int, frame: FrameType | None) -> None:
            if self.signal is None:
                self.signal, self.told_at = number, time.monotonic()
            elif number == signal.SIGINT and time.monotonic() - self.told_at > IMPATIENT:
                raise KeyboardInterrupt

        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def agreed(self, processes: ProcessGroup, also: bool) -> tuple[bool, bool]:
        """Whether any process must stop, and whether `also` is True in any process.

        All processes get the same answer, so they stop and save after the same step.
        """
        told = torch.tensor(
            [
                self.signal == signal.SIGINT,
                self.signal == signal.SIGTERM,
                time.monotonic() >= self.until,
                also,
            ]
        ).long()
        interrupted, terminated, late, also = (processes.sum(told) > 0).tolist()
        self.status = (
            128 + signal.SIGINT if interrupted else 128 + signal.SIGTERM if terminated else 0
        )
        return interrupted or terminated or late, also
