"""A reader's own answers in the cells of exercises, which stamping would replace by the open stubs."""

from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from minibert.course.exercises.base import exercises
from tools.stamp import checked


def answers(notebook: NotebookNode) -> list[str]:
    """The exercises whose generated cells are not the open stubs of today, in their order: a reader's work, or an author's old stub."""
    found = []
    for cell in notebook.cells:
        origin = cell.metadata.get("minibert", {})
        if cell.cell_type == "code" and origin.get("generated") == "exercise":
            name = origin.get("name", "")
            stub = checked(exercises()[name].stub(), name) if name in exercises() else ""
            if cell.source.strip() not in ("", stub.strip()):
                found.append(name)
    return list(dict.fromkeys(found))


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
        "Copy the answers elsewhere and add --replace-answers. (Did you change an exercise? Its old stub counts as an answer, too.)"
    )
