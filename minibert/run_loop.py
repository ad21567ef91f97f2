"""A session of a pretraining run: train until the end, a time limit, Ctrl-C or SIGTERM, and leave a checkpoint behind."""

import dataclasses
import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from tqdm.auto import tqdm

from minibert.distributed import Processes
from minibert.held_out import HeldOut, HeldOutScores
from minibert.resume import save_checkpoint
from minibert.run_folder import RunFolder
from minibert.training import Pretraining, Progress

LINE_EVERY = 30.0           # seconds between two lines where there is no terminal for a progress bar
IMPATIENT = 2.0             # seconds after which a second Ctrl-C is meant as one


@dataclass(frozen=True)
class Rhythm:
    """How often something is done; none of it changes what is learned."""

    log_every: int = 10                     # steps
    eval_every: int = 100                   # steps
    checkpoint_steps: int | None = None     # steps; None: by the clock alone
    checkpoint_seconds: float | None = 600.0
    time_limit: float | None = None         # seconds, for this session

    def is_time_to_save(self, step: int, seconds: float) -> bool:
        """Whether a checkpoint is due at a step, `seconds` after the last one."""
        by_steps = self.checkpoint_steps is not None and step % self.checkpoint_steps == 0
        return by_steps or self.checkpoint_seconds is not None and seconds >= self.checkpoint_seconds


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


class Reporter:
    """What a run says: log.jsonl, and a progress bar, or a line now and then where there is no terminal.

    Of several processes only the first one says anything.
    """

    def __init__(self, run: Pretraining, folder: RunFolder, write_scalars: Callable | None):
        self.run, self.write_scalars = run, write_scalars
        self.speaks = run.processes.rank == 0
        self.smooth: dict[str, float] = {}              # running means over some twenty steps
        self.started = self.last_line = time.monotonic()
        if self.speaks:
            last = folder.cut_log(run.step)
            self.seconds_before = last["seconds"] if last else 0.0
            self.log = open(folder.log, "a", encoding="utf-8")
        self.bar = tqdm(total=run.options.steps, initial=run.step, disable=None if self.speaks else True, unit=" steps", dynamic_ncols=True,
                        bar_format="{percentage:3.0f}% |{bar}| step {n_fmt} of {total_fmt}, {elapsed} gone, {remaining} left{postfix}")

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *_) -> None:
        self.bar.close()
        if self.speaks:
            self.log.close()

    def sync_log(self) -> None:
        if self.speaks:
            os.fsync(self.log.fileno())

    def report(self, progress: Progress, seconds: float, scores: HeldOutScores | None, log: bool) -> None:
        """Tell about a step that took `seconds`; held-out scores are always logged."""
        if not self.speaks:
            return
        record = self._record(progress, seconds, scores)
        if log or scores:
            print(json.dumps(record), file=self.log, flush=True)
            if self.write_scalars:
                self.write_scalars(record, progress.step)
        self._show(record["tokens_per_second"], scores)

    def _record(self, progress: Progress, seconds: float, scores: HeldOutScores | None) -> dict:
        """A step as an object for the log."""
        values = dataclasses.asdict(progress)
        if not self.run.options.next_sentence:
            del values["pair_loss"], values["pair_accuracy"]
        for name, value in (values | {"seconds": seconds}).items():
            self.smooth[name] = value if name not in self.smooth else 0.95 * self.smooth[name] + 0.05 * value
        values["tokens_per_second"] = round(self.smooth["tokens"] / self.smooth["seconds"])
        values["seconds"] = round(self.seconds_before + time.monotonic() - self.started, 2)
        return values | ({"held_out": dataclasses.asdict(scores)} if scores else {})

    def _show(self, speed: int, scores: HeldOutScores | None) -> None:
        step, steps, pairs = self.run.step, self.run.options.steps, self.run.options.next_sentence
        state = f"words {self.smooth['word_loss']:.3f} ({self.smooth['word_accuracy']:.1%})"
        if pairs:
            state += f", pairs {self.smooth['pair_loss']:.3f} ({self.smooth['pair_accuracy']:.1%})"
        state += f", {speed:,} tokens/s"
        self.bar.set_postfix_str(state, refresh=False)
        self.bar.update()
        if self.bar.disable and (scores or time.monotonic() - self.last_line >= LINE_EVERY):
            self.last_line = time.monotonic()
            tqdm.write(f"step {step} of {steps}: {state}, {tqdm.format_interval((steps - step) * self.smooth['seconds'])} left")
        if scores:
            tqdm.write(f"step {step}, held out: {held_out_line(scores, pairs)}")
        sys.stdout.flush()


def held_out_line(scores: HeldOutScores, pairs: bool) -> str:
    """The scores in words; of the pairs only where they were trained."""
    text = (f"words {scores.word_loss:.3f} ({scores.word_accuracy:.1%} right; without context {scores.unigram_loss:.3f}), "
            f"{scores.bits_per_word:.2f} bits a word")
    return text + (f"; pairs {scores.pair_loss:.3f} ({scores.pair_accuracy:.1%} right)" if pairs else "")


def train(run: Pretraining, folder: RunFolder, rhythm: Rhythm, held_out: HeldOut | None, write_scalars: Callable | None = None) -> int:
    """Train and log; checkpoints before the first step, by the rhythm and at the end. Returns the exit status.

    Of several processes all must call this; the first one writes. `write_scalars(record, step)` is given everything that
    is logged. Raises a ValueError when a loss is no number any more, or the disk is full: the newest checkpoint is whole
    then, and older than the trouble.
    """
    with (Stop(rhythm.time_limit).listening() as stop, Reporter(run, folder, write_scalars) as reporter):
        # a new run learns now, and not after an hour, that it cannot write here; one that was resumed has its checkpoint
        saved = _save(run, folder, reporter) if run.step == 0 else (run.step, time.monotonic())
        stopping, _ = stop.agreed(run.processes, False)
        while run.step < run.options.steps and not stopping:
            started = time.monotonic()
            progress = run.train_step()
            seconds = time.monotonic() - started
            _check_finite(progress, saved[0])
            at_end = run.step == run.options.steps
            is_time = held_out is not None and (run.step % rhythm.eval_every == 0 or at_end)
            scores = held_out.evaluate(run.forward, run.processes) if is_time else None
            reporter.report(progress, seconds, scores, log=run.step % rhythm.log_every == 0 or at_end)
            # the clocks of several processes differ: one of them asks for a checkpoint, all of them write it
            stopping, save = stop.agreed(run.processes, at_end or rhythm.is_time_to_save(run.step, time.monotonic() - saved[1]))
            if save or stopping:
                saved = _save(run, folder, reporter)
    return stop.status


def _save(run: Pretraining, folder: RunFolder, reporter: Reporter) -> tuple[int, float]:
    """Write a checkpoint, after all that was logged before it; its step and the time."""
    reporter.sync_log()
    save_checkpoint(run, folder.checkpoints)
    return run.step, time.monotonic()


def _check_finite(progress: Progress, saved_step: int) -> None:
    loss = progress.word_loss + progress.pair_loss
    if not (math.isfinite(loss) and math.isfinite(progress.gradient_norm)):
        raise ValueError(f"step {progress.step}: the loss is {loss}, the norm of the gradient {progress.gradient_norm}: training has broken down. "
                         f"A lower learning_rate or a longer warmup may help. The newest checkpoint is of step {saved_step}")
