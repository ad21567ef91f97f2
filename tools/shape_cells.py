"""The shape comments of a notebook's cells, held against the tensors of its run: `watch_cells` before it, `complaints` after it."""

import json
import linecache
import sys
from pathlib import Path

from ipykernel.compiler import get_tmp_directory
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools.shape_comments import Source, read_source
from tools.shape_verdicts import judge
from tools.shapes import Watch

BEGIN = """import sys
path = [*sys.path]
sys.path.insert(0, {root!r})
from tools.shape_cells import begin
sys.path[:] = path      # these tools put the same folder there, in which a chapter must not look for the package
begin()
del begin, path"""
END = "from tools.shape_cells import end\nend()"


class CellWatch(Watch):
    """Watches every cell that a kernel runs."""

    def find(self, file: str) -> Source | None:
        return (
            read_source("".join(linecache.getlines(file)))
            if file.startswith(get_tmp_directory())
            else None
        )


WATCH = CellWatch({})


def begin() -> None:
    """In the kernel: watch the cells from here on."""
    sys.settrace(WATCH)


def end() -> None:
    """In the kernel: print {text of a cell: [[line, what is wrong], …]}."""
    sys.settrace(None)
    calls, found = WATCH.recorded(), {}
    for file, source in WATCH.sources.items():
        if source is None:
            continue
        verdict = judge(source, calls.get(file, []))
        wrong = verdict.wrong | {
            check.line: "is never reached"
            for number, check in enumerate(source.checks)
            if number not in verdict.seen
        }
        wrong |= {line: f"belongs to nothing: {text}" for line, text in source.unread.items()}
        if wrong:
            found["".join(linecache.getlines(file)).strip()] = sorted(wrong.items())
    print(json.dumps(found))


def watch_cells(notebook: NotebookNode) -> None:
    """Put a cell before all others that begins to watch, and one after them that says what was seen."""
    notebook.cells.insert(
        0, new_code_cell(BEGIN.format(root=str(Path(__file__).resolve().parent.parent)))
    )
    notebook.cells.append(new_code_cell(END))


def complaints(notebook: NotebookNode, name: str) -> list[str]:
    """Take these two cells out again. -> what is wrong with the shapes in the notebook that was run."""
    del notebook.cells[0]
    found = json.loads(notebook.cells.pop().outputs[0].text)
    return [
        f"{name}, cell {i}, line {line} {problem}: {cell.source.splitlines()[line - 1].strip()}"
        for i, cell in enumerate(notebook.cells)
        if cell.cell_type == "code"
        for line, problem in found.get(cell.source.strip(), [])
    ]
