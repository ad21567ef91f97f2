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

from tqdm.auto import tqdm

from minibert.held_out import HeldOut, HeldOutScores
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


class Stop:
    """Whether to stop after the step that is running, and with which exit status."""

    def __init__(self, time_limit: float | None):
        self.until = math.inf if time_limit is None else time.monotonic() + time_limit
        self.signal = None

    @contextmanager
    def listening(self):
        """SIGTERM and the first Ctrl-C wait for the end of the step; a second Ctrl-C does not."""
        def note(number, frame):
            if self.signal is not None:
                raise KeyboardInterrupt
            self.signal = number
        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @property
    def wanted(self) -> bool:
        return self.signal is not None or time.monotonic() >= self.until

    @property
    def status(self) -> int:
        """128 + the signal's number, as a shell reports it; 0 without one."""
        return 0 if self.signal is None else 128 + self.signal


class Reporter:
    """What a user sees of a run: a progress bar in a terminal, elsewhere a line now and then."""

    def __init__(self, run: Pretraining, seconds_before: float):
        self.run, self.seconds_before = run, seconds_before
        self.started = self.last_line = time.monotonic()
        self.smooth: dict[str, float] = {}              # running means over some twenty steps
        self.bar = tqdm(total=run.options.steps, initial=run.step, disable=None, unit=" steps", dynamic_ncols=True,
                        bar_format="{percentage:3.0f}% |{bar}| step {n_fmt} of {total_fmt}, {elapsed} gone, {remaining} left{postfix}")

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *_) -> None:
        self.bar.close()

    def record(self, progress: Progress, seconds: float, scores: HeldOutScores | None) -> dict:
        """A step as an object for the log; `seconds` is how long the step took."""
        values = dataclasses.asdict(progress)
        if not self.run.options.next_sentence:
            del values["pair_loss"], values["pair_accuracy"]
        for name, value in (values | {"seconds": seconds}).items():
            self.smooth[name] = value if name not in self.smooth else 0.95 * self.smooth[name] + 0.05 * value
        values["tokens_per_second"] = round(self.smooth["tokens"] / self.smooth["seconds"])
        values["seconds"] = round(self.seconds_before + time.monotonic() - self.started, 2)
        return values | ({"held_out": dataclasses.asdict(scores)} if scores else {})

    def show(self, record: dict, scores: HeldOutScores | None) -> None:
        state = f"words {self.smooth['word_loss']:.3f} ({self.smooth['word_accuracy']:.1%})"
        if "pair_loss" in self.smooth:
            state += f", pairs {self.smooth['pair_loss']:.3f} ({self.smooth['pair_accuracy']:.1%})"
        state += f", {record['tokens_per_second']:,} tokens/s"
        self.bar.set_postfix_str(state, refresh=False)
        self.bar.update()
        if scores:
            self._line(f"step {self.run.step}, held out: {held_out_line(scores, self.run.options.next_sentence)}")
        if self.bar.disable and (scores or time.monotonic() - self.last_line >= LINE_EVERY):
            self.last_line = time.monotonic()
            left = (self.run.options.steps - self.run.step) * self.smooth["seconds"]
            self._line(f"step {self.run.step} of {self.run.options.steps}: {state}, {tqdm.format_interval(left)} left")

    def _line(self, text: str) -> None:
        tqdm.write(text)
        sys.stdout.flush()


def held_out_line(scores: HeldOutScores, pairs: bool) -> str:
    """The scores in words; of the pairs only where they were trained."""
    text = (f"words {scores.word_loss:.3f} ({scores.word_accuracy:.1%} right; without context {scores.unigram_loss:.3f}), "
            f"{scores.bits_per_word:.2f} bits a word")
    return text + (f"; pairs {scores.pair_loss:.3f} ({scores.pair_accuracy:.1%} right)" if pairs else "")


def train(run: Pretraining, folder: RunFolder, rhythm: Rhythm, held_out: HeldOut | None, write_scalars: Callable | None = None) -> int:
    """Train and log; checkpoints at the start, by the rhythm and at the end. Returns the exit status.

    `write_scalars(record, step)` is given everything that is logged. Raises a ValueError when a loss is no number any
    more, or the disk is full: the newest checkpoint is whole then, and older than the trouble.
    """
    last = folder.cut_log(run.step)
    with (Stop(rhythm.time_limit).listening() as stop, Reporter(run, last["seconds"] if last else 0.0) as reporter,
          open(folder.log, "a", encoding="utf-8") as log):
        saved = _save(run, folder, log)             # now, and not after an hour, is the time to learn that it cannot be written
        while run.step < run.options.steps and not stop.wanted:
            started = time.monotonic()
            progress = run.train_step()
            seconds = time.monotonic() - started
            _check_finite(progress, saved[0])
            at_end = run.step == run.options.steps
            is_time = held_out is not None and (run.step % rhythm.eval_every == 0 or at_end)
            scores = held_out.evaluate(run.model, run.precision) if is_time else None
            record = reporter.record(progress, seconds, scores)
            if run.step % rhythm.log_every == 0 or scores or at_end:
                print(json.dumps(record), file=log, flush=True)
                if write_scalars:
                    write_scalars(record, run.step)
            reporter.show(record, scores)
            if at_end or rhythm.is_time_to_save(run.step, time.monotonic() - saved[1]):
                saved = _save(run, folder, log)
        if saved[0] < run.step:
            _save(run, folder, log)
    return stop.status


def _save(run: Pretraining, folder: RunFolder, log) -> tuple[int, float]:
    """Write a checkpoint, after all that was logged before it; its step and the time."""
    os.fsync(log.fileno())
    save_checkpoint(run, folder.checkpoints)
    return run.step, time.monotonic()


def _check_finite(progress: Progress, saved_step: int) -> None:
    loss = progress.word_loss + progress.pair_loss
    if not (math.isfinite(loss) and math.isfinite(progress.gradient_norm)):
        raise ValueError(f"step {progress.step}: the loss is {loss}, the norm of the gradient {progress.gradient_norm}: training has broken down. "
                         f"A lower learning_rate or a longer warmup may help. The newest checkpoint is of step {saved_step}")
