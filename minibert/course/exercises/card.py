"""The reader's progress card: which exercises `check` has found right, kept in one small file of the reader's own.

The file is $MINIBERT_PROGRESS, else minibert/progress.json in $XDG_DATA_HOME, which is ~/.local/share unless it is set. Nothing
is sent anywhere. No chapter depends on it: where it cannot be read or written, a warning says so and the lesson goes on.
"""

import json
import os
import time
import warnings
from itertools import groupby
from pathlib import Path

from minibert.hub.atomic_io import write_atomically


def card_file() -> Path:
    """Where the card is kept."""
    if place := os.environ.get("MINIBERT_PROGRESS"):
        return Path(place).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "minibert" / "progress.json"


def record(name: str) -> None:
    """Note the day on which an exercise was right for the first time. Never raises: a card is not worth a lesson."""
    try:
        path = card_file()
        done = read_card(path)
        if name not in done:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(
                {"right": done | {name: time.strftime("%Y-%m-%d")}},
                indent=1,
                sort_keys=True,
                ensure_ascii=False,
            )
            write_atomically(path, text + "\n")
    except (OSError, RuntimeError) as error:  # RuntimeError: a user without a home
        warnings.warn(f"your progress card was not written: {error}", stacklevel=3)


def read_card(path: Path) -> dict[str, str]:
    """Exercise -> day. A file that is no card is set aside under another name, with a warning. Raises OSError."""
    if not path.exists():
        return {}
    try:
        right = json.loads(path.read_text(encoding="utf-8"))["right"]
        if isinstance(right, dict) and all(isinstance(day, str) for day in right.values()):
            return right
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    number = 1
    while (aside := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    os.replace(path, aside)
    warnings.warn(
        f"{path} is no progress card; it was set aside as {aside.name}, and a new card begins",
        stacklevel=4,
    )
    return {}


def progress() -> None:
    """Print the card: what is done and what is left, chapter by chapter."""
    from minibert.course.exercises.base import exercises, number  # base imports this module

    try:
        done = read_card(card_file())
    except (OSError, RuntimeError) as error:
        warnings.warn(f"your progress card was not read: {error}", stacklevel=2)
        done = {}
    every = list(exercises().values())
    print(
        f"{sum(exercise.name in done for exercise in every)} of {len(every)} exercises are right."
    )
    for chapter, of_chapter in groupby(every, key=lambda exercise: exercise.chapter):
        of_chapter = list(of_chapter)
        right = sum(exercise.name in done for exercise in of_chapter)
        print(f"\nChapter {int(chapter[:2])} · {right} of {len(of_chapter)}")
        for exercise in of_chapter:
            print(
                f"  [{'x' if exercise.name in done else ' '}] {number(exercise):<5} {exercise.title:<50} {done.get(exercise.name, '')}".rstrip()
            )
