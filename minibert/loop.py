"""What every kind of training here shares: the loop over steps, batches of texts of about the same length, and how a run is stopped."""

import math
import signal
import time
from collections.abc import Callable
from contextlib import contextmanager

import torch

from minibert.distributed import Processes
from minibert.fast import return_freed_memory

IMPATIENT = 2.0         # seconds after which a second Ctrl-C is meant as one
RETURN_EVERY = 60.0     # seconds between two times that unused memory goes back to the system
POOL = 16               # batches whose texts are sorted by length before they are cut apart


class Diverged(ValueError):
    """The loss or the gradient is no number any more."""


def drive(run, after_step: Callable[..., bool]) -> None:
    """Train until `run` has done all its steps, or `after_step` says no.

    `run.train_step()` makes one update and returns its progress, with `step`, `loss` and `gradient_norm`; then
    `after_step(progress, seconds)` looks, reports and saves, and returns whether to go on. Raises Diverged, before
    `after_step` can save anything of it, when the loss is no number any more.
    """
    going, returned = True, time.monotonic()
    while going and run.step < run.steps:
        started = time.monotonic()
        progress = run.train_step()
        seconds = time.monotonic() - started
        if not (math.isfinite(progress.loss) and math.isfinite(progress.gradient_norm)):
            raise Diverged(f"step {progress.step}: the loss is {progress.loss}, the norm of the gradient {progress.gradient_norm}: training has "
                           "broken down. A lower learning_rate or a longer warmup may help")
        going = after_step(progress, seconds)
        if time.monotonic() - returned >= RETURN_EVERY:
            return_freed_memory()
            returned = time.monotonic()


def random_batches(lengths: list[int], batch_size: int, generator: torch.Generator) -> list[list[int]]:
    """All texts once, by number, in random batches of about the same length each: little padding."""
    order = torch.randperm(len(lengths), generator=generator).tolist()
    batches = []
    for start in range(0, len(order), POOL * batch_size):
        pool = sorted(order[start:start + POOL * batch_size], key=lengths.__getitem__)
        batches += [pool[at:at + batch_size] for at in range(0, len(pool), batch_size)]
    return [batches[i] for i in torch.randperm(len(batches), generator=generator)]


class Stop:
    """Whether to stop after the step that is running, and with which exit status."""

    def __init__(self, time_limit: float | None):
        self.until = math.inf if time_limit is None else time.monotonic() + time_limit
        self.signal, self.told_at, self.status = None, 0.0, 0

    @contextmanager
    def listening(self):
        """SIGTERM and the first Ctrl-C wait for the end of the step; a second Ctrl-C, a while later, does not.

        A while, because torchrun passes on the Ctrl-C that every process has seen already.
        """
        def note(number, frame):
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

    def agreed(self, processes: Processes, also: bool) -> bool:
        """Whether any process was told to stop, so that all stop after the same step; and whether any says `also`."""
        told = torch.tensor([self.signal == signal.SIGINT, self.signal == signal.SIGTERM, time.monotonic() >= self.until, also]).long()
        interrupted, terminated, late, also = (processes.sum(told) > 0).tolist()
        self.status = 128 + signal.SIGINT if interrupted else 128 + signal.SIGTERM if terminated else 0
        return interrupted or terminated or late, also
