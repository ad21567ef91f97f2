"""What Windows refuses and Linux allows, as errors of a command: `forked_command.py` installs it where a test asks.

- A file that is open or mapped cannot be replaced, renamed or deleted, and neither can a folder that holds one.
- A name must not hold <>:"|?*, end in a dot or a space, or be that of a device, such as con or nul.
- A text that is opened without an encoding would be read as cp1252 there.
"""

import errno
import os
import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

from minibert.hub import new_folder

ILLEGAL = re.compile(r'.*[<>:"|?*\\\x00-\x1f].*|.*[. ]|(con|prn|aux|nul|com\d|lpt\d)(\..*)?', re.I)
CHANGES = ("os.rename", "os.remove", "os.rmdir")


def install() -> None:
    """From now on refuse in this process what Windows would refuse; for good, as no audit hook can be removed."""
    # Python warns of the encoding only if it was started with PYTHONWARNDEFAULTENCODING=1
    warnings.filterwarnings("error", category=EncodingWarning, module=r"minibert\b")
    new_folder.sys = SimpleNamespace(platform="win32")  # its lock is not used there
    sys.addaudithook(refuse)


def refuse(event: str, arguments: tuple) -> None:
    """Raise the OSError that Windows would raise for this event."""
    if event in CHANGES:
        *paths, first, last = (*arguments, -1) if event != "os.rename" else arguments
        for path, folder in zip(paths, (first, last)):
            whole = absolute(path, folder)
            if used := [name for name in in_use() if f"{name}/".startswith(f"{whole}/")]:
                raise PermissionError(errno.EACCES, "open, so Windows would not touch it", used[0])
    makes = event == "os.mkdir" or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR))
    if makes and isinstance(arguments[0], str | os.PathLike):
        check_name(os.fspath(arguments[0]))


def check_name(path: str) -> None:
    """Raise an OSError for a path with a part that Windows would not take."""
    parts = [] if path.startswith("/dev/") else Path(path).parts
    if wrong := [part for part in parts if part != "/" and ILLEGAL.fullmatch(part)]:
        raise OSError(errno.EINVAL, "no name of a file on Windows", wrong[0])


def absolute(path: str | os.PathLike, folder: int) -> str:
    """A path as a whole, where it may be relative to an open folder."""
    base = os.getcwd() if folder == -1 else os.readlink(f"/proc/self/fd/{folder}")
    return os.path.normpath(os.path.join(base, os.fspath(path)))


def in_use() -> set[str]:
    """The files that this process has open or mapped."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            name = os.readlink(f"/proc/self/fd/{number}")
        except OSError:  # the descriptor of this listing
            continue
        if os.path.isfile(name):
            found.add(name)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        fields = (line.rstrip("\n").split(maxsplit=5) for line in maps)
        return found | {field[5] for field in fields if len(field) == 6}
