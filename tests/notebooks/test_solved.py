"""Every notebook solved: with all exercises filled in, the rest of a chapter shows what it showed before.

And every shape in a comment or a docstring of a cell is that of the tensor (tools/shape_cells.py). Cost: about as long as the
notebooks take to run.
"""

import nbformat
import pytest
from notebook_rules import code_cells, ignored_cells, opening

from minibert.course.exercises.base import exercises
from tools.environment import NOTEBOOKS
from tools.execute import run
from tools.shape_cells import complaints, watch_cells
from tools.stamp import SOLUTIONS, checked

pytestmark = pytest.mark.slow

PATHS = sorted(path for path in NOTEBOOKS.glob("*.ipynb") if path.stem != SOLUTIONS)

# Shapes in docstrings that are those of the arguments of a function that is handed in.
OF_FUNCTIONS_GIVEN = (
    "cells: k functions (input [B, H], state [B, H]) -> the next state [B, H]",
    "model(inputs) gives logits [B, S, V], labels are [B, S]",
)


def solve(notebook):
    """Fill every stub with the published solution. -> the stubs' cells."""
    stubs = []
    for cell in notebook.cells:
        origin = cell.metadata.get("minibert", {})
        if origin.get("part") == "stub":
            cell.source = checked(exercises()[origin["name"]].solution_source(), origin["name"])
            stubs.append(cell)
    return stubs


def shown(cell):
    """What nbval compares of a cell."""
    return [
        output.get("text")
        or output.get("evalue")
        or {kind: text for kind, text in output.data.items() if kind.startswith("text/")}
        for output in cell.outputs
    ]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_right_answers_change_nothing_else(path, tmp_path):
    before, after = nbformat.read(path, 4), nbformat.read(path, 4)
    stubs = solve(after)
    watch_cells(after)
    run(after, path.stem, tmp_path)
    wrong_shapes = complaints(after, path.stem)
    skipped = {cell.id for cell in ignored_cells(before)}
    for old, new in zip(code_cells(before), code_cells(after), strict=True):
        if new in stubs:
            assert shown(new)[0].startswith(f"right: {new.metadata.minibert['name']}")
        elif old.id not in skipped:
            assert shown(new) == shown(old), f"solving the exercises changes {opening(old)}"
    wrong_shapes = [
        line for line in wrong_shapes if not any(known in line for known in OF_FUNCTIONS_GIVEN)
    ]
    assert not wrong_shapes, "\n".join(wrong_shapes)
