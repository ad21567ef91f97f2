"""A process that dies, or a disk that is full, in the middle of writing."""

import os
import sys
from pathlib import Path

from minibert.hub import safetensors_io as weight_files


def at_operation(number: int, folder: Path, happens):
    """In this process, for good: `happens` before the operation of that number on files in `folder`, and in the middle of a large file.

    Returns a function that says whether there were as many.
    """
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if done == number:
            happens()

    def audit(event: str, arguments: tuple) -> None:
        if (
            (event == "open" or event.startswith("os."))
            and arguments
            and str(folder) in str(arguments[0])
        ):
            count()

    sys.addaudithook(audit)
    fsync, save = os.fsync, weight_files.save_file

    def counted_fsync(descriptor):
        count()
        fsync(descriptor)

    def torn_save(tensors, path, metadata):
        save(tensors, path, metadata)
        whole = Path(path).read_bytes()
        with open(path, "wb") as file:
            file.write(whole[: len(whole) // 2])
        count()
        save(tensors, path, metadata)

    os.fsync, weight_files.save_file = counted_fsync, torn_save
    return lambda: done >= number
