"""A reader's own answers in the cells of exercises, which stamping would replace by the open stubs."""

import re
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from minibert.course.exercises.base import BLANK, exercises
from tools.stamp import checked

OPEN = re.compile(rf"^[^#\n]*{BLANK}", re.MULTILINE)  # a blank that is not in a comment


def answers(notebook: NotebookNode) -> list[str]:
    """The exercises whose generated cells hold work of a reader, in their order.

    An author's old stub is no answer: it has a blank, and differs from the new stub in more than filled blanks.
    """
    found = []
    for cell in notebook.cells:
        origin = cell.metadata.get("minibert", {})
        if cell.cell_type == "code" and origin.get("generated") == "exercise":
            name = origin.get("name", "")
            stub = checked(exercises()[name].stub(), name) if name in exercises() else ""
            if is_answer(cell.source, stub):
                found.append(name)
    return list(dict.fromkeys(found))


def is_answer(source: str, stub: str) -> bool:
    """Whether a cell has no blank left, or is the stub with some of its blanks filled."""
    if not source.strip() or source.strip() == stub.strip():
        return False
    if not OPEN.search(source):
        return True
    lines = [  # what is filled in may need several lines
        re.escape(line).replace(BLANK, r".+(?:\n.*)*?") if OPEN.match(line) else re.escape(line)
        for line in stub.strip().splitlines()
    ]
    return bool(stub) and re.fullmatch("\n".join(lines), source.strip()) is not None


def refusal(paths: Iterable[Path]) -> str:
    """A line that says which notebooks hold answers, and what to do; empty where none does."""
    held = {}
    for path in paths:
        try:
            held[path.stem] = len(answers(nbformat.read(path, 4)))
        except (ValueError, OSError):  # whoever updates it says so
            continue
    told = [f"{name} holds {n} answer{'s' * (n > 1)}" for name, n in held.items() if n]
    if not told:
        return ""
    return (
        f"{', '.join(told)} in the cells of exercises, and open stubs would replace them. Nothing was changed. "
        "Copy the answers elsewhere and add --replace-answers."
    )
