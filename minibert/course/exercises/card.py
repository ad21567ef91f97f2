"""The progress card: a small local file that records which exercises the reader has solved.

The file is $MINIBERT_PROGRESS, or by default minibert/progress.json in $XDG_DATA_HOME, which
defaults to ~/.local/share. Nothing is sent anywhere. No chapter depends on the card: if it cannot be
read or written, the reader gets a warning and nothing else changes.
"""

import json
import os
import time
import warnings
from itertools import groupby
from pathlib import Path

from minibert.config import InputError
from minibert.hub.atomic_io import write_atomically
from minibert.hub.find_pretrained import expanded, named_folder
from minibert.hub.new_folder import waiting_for_lock


def card_file() -> Path:
    """The path of the card."""
    if place := os.environ.get("MINIBERT_PROGRESS"):
        return expanded(place)
    data = named_folder("XDG_DATA_HOME") or expanded("~/.local/share")
    return data / "minibert" / "progress.json"


def record(name: str) -> None:
    """Records the day on which an exercise was first solved. A file error becomes a warning."""
    try:
        path = card_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        with waiting_for_lock(path.parent):  # another notebook may record at the same time
            done = read_card(path)
            if name not in done:
                text = json.dumps(
                    {"right": done | {name: time.strftime("%Y-%m-%d")}},
                    indent=1,
                    sort_keys=True,
                    ensure_ascii=False,
                )
                write_atomically(path, text + "\n")
    except (OSError, InputError) as error:  # InputError: the user has no home directory
        warnings.warn(f"your progress card was not written: {error}", stacklevel=3)


def read_card(path: Path) -> dict[str, str]:
    """Returns a dict exercise -> day.

    A file that is not a valid card is renamed, with a warning. Raises OSError if the file cannot be
    read or renamed.
    """
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
    """Prints the card: the solved and unsolved exercises, chapter by chapter."""
    from minibert.course.exercises.base import exercises, number  # base imports this module

    try:
        done = read_card(card_file())
    except (OSError, InputError) as error:
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
