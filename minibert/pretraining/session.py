"""A session of a training run: training until the end, a time limit, Ctrl-C or SIGTERM.

It ends with a checkpoint.
"""

import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from tqdm.auto import tqdm

from minibert.config import InputError
from minibert.hub.atomic_io import write_atomically
from minibert.pretraining.checkpointing import CheckpointedRun, save_checkpoint
from minibert.pretraining.environment import ComputingRun
from minibert.pretraining.log import truncate_log
from minibert.pretraining.run_dir import RunFolder
from minibert.pretraining.settings import Intervals
from minibert.pretraining.validation import ValidationScores
from minibert.training.distributed import ProcessGroup
from minibert.training.loop import Diverged, Metrics, Run, Stop, drive

WriteScalars = Callable[[dict[str, Any], int], None]
LINE_EVERY = 30.0  # seconds between two lines where there is no terminal for a progress bar


class SessionRun(CheckpointedRun, ComputingRun, Run[Metrics], Protocol):
    """A run that can be driven and saved: `Pretraining` is such a run."""

    forward: Any  # the module that computes; validations run it


class Validation(Protocol):
    """What scores a run now and then: `ValidationSet` is such a thing."""

    def evaluate(self, forward: Any, processes: ProcessGroup) -> Any:
        """The scores, a dataclass."""


class Reporter:
    """What a run reports: log.jsonl, and a progress bar, or lines where there is no terminal.

    Of several processes only the first one reports. A subclass says what is worth reporting of its
    kind of run.
    """

    def __init__(self, run: SessionRun, run_dir: RunFolder, write_scalars: WriteScalars | None):
        self.run, self.write_scalars = run, write_scalars
        self.reports = run.processes.rank == 0
        self.smooth: dict[str, float] = {}  # running means over some twenty steps
        self.unheard: OSError | None = None  # why standard output could not be written
        self.started = self.last_line = time.monotonic()
        if self.reports:
            if len(run_dir.sessions) > 1 and not run_dir.log.is_file():
                print(f"{run_dir.log} is not there: a new one begins at step {run.step}")
            self.seconds_before = truncate_log(run_dir.log, run.step)
            self.log = open(run_dir.log, "a+", encoding="utf-8")  # noqa: SIM115 (__exit__)
        self.bar = tqdm(
            total=run.steps,
            initial=run.step,
            disable=None if self.reports else True,
            unit=" steps",
            dynamic_ncols=True,
            bar_format="{percentage:3.0f}% |{bar}| step {n_fmt} of {total_fmt}, "
            "{elapsed} elapsed, {remaining} left{postfix}",
        )

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()
        if self.reports:
            self.log.close()

    def values(self, metrics: Any) -> dict[str, Any]:
        """What the log says of a step, `tokens` among it."""
        return dataclasses.asdict(metrics)

    def state(self) -> str:
        """The running means in `smooth` as text."""
        raise NotImplementedError

    def score_line(self, scores: Any) -> str:
        """Validation scores as text."""
        raise NotImplementedError

    def sync_log(self) -> None:
        """Wait until the log is on the disk, and put it back where its name leads elsewhere."""
        if not self.reports:
            return
        os.fsync(self.log.fileno())
        path = Path(self.log.name)
        if not (path.is_file() and os.path.samestat(path.lstat(), os.fstat(self.log.fileno()))):
            self.log.seek(0)
            with self.log:
                text = self.log.read()
            write_atomically(path, text, follow=False)
            self.log = open(path, "a+", encoding="utf-8")  # noqa: SIM115 (__exit__)

    def report(self, metrics: Metrics, seconds: float, scores: Any, log: bool) -> None:
        """Report a step that took `seconds`; validation scores are always logged."""
        if not self.reports:
            return
        record = self._record(metrics, seconds, scores)
        if log or scores:
            print(json.dumps(record), file=self.log, flush=True)
            if self.write_scalars:
                self.write_scalars(record, metrics.step)
        try:
            self._show(record["tokens_per_second"], scores)
        except OSError as error:
            self.unheard = OSError(error.errno, error.strerror, "standard output")

    def _record(self, metrics: Metrics, seconds: float, scores: Any) -> dict[str, Any]:
        """A step as an object for the log."""
        values = self.values(metrics)
        for name, value in (values | {"seconds": seconds}).items():
            self.smooth[name] = (
                value if name not in self.smooth else 0.95 * self.smooth[name] + 0.05 * value
            )
        values["tokens_per_second"] = round(self.smooth["tokens"] / self.smooth["seconds"])
        values["seconds"] = round(self.seconds_before + time.monotonic() - self.started, 2)
        return values | ({"held_out": dataclasses.asdict(scores)} if scores else {})

    def _show(self, speed: int, scores: Any) -> None:
        step, steps = self.run.step, self.run.steps
        state = f"{self.state()}, {speed:,} tokens/s"
        self.bar.set_postfix_str(state, refresh=False)
        self.bar.update()
        if self.bar.disable and (scores or time.monotonic() - self.last_line >= LINE_EVERY):
            self.last_line = time.monotonic()
            tqdm.write(
                f"step {step} of {steps}: {state}, "
                f"{tqdm.format_interval((steps - step) * self.smooth['seconds'])} left"
            )
        if scores:
            tqdm.write(f"step {step}, validation: {self.score_line(scores)}")
        sys.stdout.flush()


class PretrainingReporter(Reporter):
    """What a pretraining run reports: the MLM loss and, where it is trained, the NSP loss."""

    def values(self, metrics: Any) -> dict[str, Any]:
        """All of a step but NSP where its batch has no pair."""
        values = super().values(metrics)
        if not (values["nsp_loss"] or values["nsp_accuracy"]):  # both are 0 where it has none
            del values["nsp_loss"], values["nsp_accuracy"]
        return values

    def state(self) -> str:
        """Losses and accuracies."""
        state = f"MLM {self.smooth['mlm_loss']:.3f} ({self.smooth['mlm_accuracy']:.1%})"
        if "nsp_loss" in self.smooth:
            state += f", NSP {self.smooth['nsp_loss']:.3f} ({self.smooth['nsp_accuracy']:.1%})"
        return state

    def score_line(self, scores: Any) -> str:
        """As `validation_line`."""
        return validation_line(scores, self.run.options.next_sentence)


def validation_line(scores: ValidationScores, pairs: bool) -> str:
    """The scores as text; NSP only where it was trained."""
    text = (
        f"MLM {scores.mlm_loss:.3f} ({scores.mlm_accuracy:.1%} right; unigram guess "
        f"{scores.unigram_loss:.3f}), "
        f"{scores.bits_per_word:.2f} bits per word"
    )
    return text + (
        f"; NSP {scores.nsp_loss:.3f} ({scores.nsp_accuracy:.1%} right)" if pairs else ""
    )


def train(
    run: SessionRun,
    run_dir: RunFolder,
    intervals: Intervals,
    validation: Validation | None,
    write_scalars: WriteScalars | None = None,
    reporter_class: type[Reporter] = PretrainingReporter,
) -> int:
    """Train, log and save checkpoints; returns the exit status.

    Checkpoints are saved before the first step, at the intervals and at the end. All processes must
    call this; the first one writes. `write_scalars(record, step)` receives every log record. Raises
    an OSError when standard output cannot be written any more, after a checkpoint, and an
    InputError when a loss is NaN or infinite, or the disk is full; the newest checkpoint is then
    whole, and older than the failure.
    """
    with (
        Stop(intervals.time_limit).listening() as stop,
        reporter_class(run, run_dir, write_scalars) as reporter,
    ):
        # a new run finds out now, and not after an hour, whether it can write here
        saved = _save(run, run_dir, reporter) if run.step == 0 else (run.step, time.monotonic())
        stopping, _ = stop.agreed(run.processes, False)

        def after_step(metrics: Metrics, seconds: float) -> bool:
            nonlocal saved
            at_end = run.step == run.steps
            scores = None
            if validation is not None and (run.step % intervals.eval_every == 0 or at_end):
                scores = validation.evaluate(run.forward, run.processes)
            reporter.report(
                metrics, seconds, scores, log=run.step % intervals.log_every == 0 or at_end
            )
            if reporter.unheard:
                stop.until = 0.0
            # clocks differ: one process asks for a checkpoint, then all write it
            stopping, save = stop.agreed(
                run.processes,
                at_end or intervals.should_save(run.step, time.monotonic() - saved[1]),
            )
            if save or stopping:
                saved = _save(run, run_dir, reporter)
            return not stopping

        try:
            if not stopping:
                drive(run, after_step)
        except Diverged as error:
            raise InputError(f"{error}. The newest checkpoint is of step {saved[0]}") from error
    if reporter.unheard:
        raise reporter.unheard
    status: int = stop.status
    return status


def _save(run: SessionRun, run_dir: RunFolder, reporter: Reporter) -> tuple[int, float]:
    """Write a checkpoint, after all that was logged before it; its step and the time."""
    reporter.sync_log()
    run_dir.check_links()
    save_checkpoint(run, run_dir.checkpoints)
    return run.step, time.monotonic()
