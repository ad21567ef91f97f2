"""The folder of a new model or run: empty before, and gone again if the work fails."""

import tempfile
from contextlib import suppress
from pathlib import Path

from minibert.config import InputError


def refuse_filled(folder: Path, but: tuple[str, ...] = ()) -> None:
    """Raise an InputError unless a folder is missing or empty.

    Hidden files do not count, and neither does what has one of the names in `but`.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; name a new folder with --out")
    if any(not path.name.startswith(".") and path.name not in but for path in folder.iterdir()):
        raise InputError(
            f"the folder {folder} already exists and is not empty: name a new folder with --out"
        )


def make_folder(folder: Path) -> list[Path]:
    """Make a folder, with those above it, that can be written.

    Returns the folders that were not there before, the innermost first. Raises an InputError if the
    folder cannot be made or written.
    """
    made: list[Path] = []
    try:
        made = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        remove_empty(made)
        raise InputError(f"cannot write to the folder {folder}: {error.strerror}") from error
    return made


def remove_empty(folders: list[Path]) -> None:
    """Remove folders that `make_folder` made, as far as nothing is in them."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
