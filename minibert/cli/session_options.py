"""The options of a session of a run: the same in every command that trains resumable runs.

It imports no torch, so that --help answers at once.
"""

import argparse
from typing import Any

from minibert.cli.common import positive, threads
from minibert.pretraining.settings import TIME, Intervals

EVAL_EVERY = 50  # at least this many steps, because an evaluation takes as long as about five
CHECKPOINT_EVERY = "10m"


def add_session_options(group: argparse._ArgumentGroup) -> None:
    """The options that say how often a session reports and saves, and when it stops."""
    group.add_argument(
        "--time-limit",
        type=duration,
        metavar="TIME",
        help="stop after this time, such as 90s, 55m or 1h30m, with a checkpoint and exit status 0",
    )
    group.add_argument(
        "--checkpoint-every",
        type=moment,
        metavar="WHEN",
        help=f"interval in steps, or a time such as 10m (default: {CHECKPOINT_EVERY})",
    )
    group.add_argument(
        "--eval-every",
        type=positive,
        metavar="N",
        help=f"steps between validations (default: 1/20 of all steps, at least {EVAL_EVERY})",
    )
    group.add_argument(
        "--log-every",
        type=positive,
        metavar="N",
        help=f"steps between lines of FOLDER/log.jsonl (default: {Intervals.log_every})",
    )


def add_machine_options(group: argparse._ArgumentGroup) -> None:
    """The options that say where a run computes."""
    group.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        help="where to compute (default: auto, which is a GPU if there is one)",
    )
    group.add_argument(
        "--threads",
        type=threads,
        metavar="N",
        help="number of CPU threads (default: PyTorch's choice)",
    )


def duration(text: str) -> float:
    """Convert a time such as '90s', '55m' or '1h30m' to seconds; the `type` of an option."""
    match = TIME.fullmatch(text)
    if not match:
        raise argparse.ArgumentTypeError(f"expected a time such as 90s, 55m or 1h30m, not {text!r}")
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def moment(text: str) -> str:
    """Check that a text is a number of steps or a time, and return it, without leading zeros."""
    if text.isdecimal():
        return str(positive(text))
    duration(text)
    return text


def make_intervals(session: dict[str, Any], steps: int) -> Intervals:
    """How often a session logs, evaluates and saves, from its options."""
    when = session.get("checkpoint_every", CHECKPOINT_EVERY)
    by_steps = when.isdecimal()
    return Intervals(
        log_every=session.get("log_every", Intervals.log_every),
        eval_every=session.get("eval_every", max(EVAL_EVERY, steps // 20)),
        checkpoint_steps=int(when) if by_steps else None,
        checkpoint_seconds=None if by_steps else duration(when),
        time_limit=session.get("time_limit"),
    )
