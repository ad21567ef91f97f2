"""A session of a pretraining run: train until the end, a time limit, Ctrl-C or SIGTERM, and leave a checkpoint behind."""

import dataclasses
import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from tqdm.auto import tqdm

from minibert.distributed import Processes
from minibert.held_out import HeldOut, HeldOutScores
from minibert.loop import Diverged, Stop, drive
from minibert.resume import save_checkpoint
from minibert.run_folder import RunFolder
from minibert.training import Pretraining, Progress

LINE_EVERY = 30.0           # seconds between two lines where there is no terminal for a progress bar


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

        def after_step(progress: Progress, seconds: float) -> bool:
            nonlocal saved
            at_end = run.step == run.options.steps
            is_time = held_out is not None and (run.step % rhythm.eval_every == 0 or at_end)
            scores = held_out.evaluate(run.forward, run.processes) if is_time else None
            reporter.report(progress, seconds, scores, log=run.step % rhythm.log_every == 0 or at_end)
            # the clocks of several processes differ: one of them asks for a checkpoint, all of them write it
            stopping, save = stop.agreed(run.processes, at_end or rhythm.is_time_to_save(run.step, time.monotonic() - saved[1]))
            if save or stopping:
                saved = _save(run, folder, reporter)
            return not stopping

        try:
            if not stopping:
                drive(run, after_step)
        except Diverged as error:
            raise ValueError(f"{error}. The newest checkpoint is of step {saved[0]}") from error
    return stop.status


def _save(run: Pretraining, folder: RunFolder, reporter: Reporter) -> tuple[int, float]:
    """Write a checkpoint, after all that was logged before it; its step and the time."""
    reporter.sync_log()
    save_checkpoint(run, folder.checkpoints)
    return run.step, time.monotonic()
