"""Stamp and run notebooks in place: the only way their outputs get in. `python tools/execute.py [NOTEBOOK ...]`, or all.

Stores outputs and widget state in a form that stays the same when nothing changed, a picture beside each moving figure that is
new, and the time of the run in benchmarks/logs/notebooks.json. A notebook in which a cell fails is left as it was. The notebook of solutions is run along
when an exercise has changed. Where a notebook holds a reader's answers, nothing is run and the exit status is 2: keep yours elsewhere.
"""

import argparse
import copy
import hashlib
import json
import os
import re
import sys
import time
from pathlib import Path
from textwrap import indent

import nbformat
import psutil
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, from anywhere
from benchmarks.log import machine, versions
from minibert.hub.atomic_io import write_atomically
from tools.answers import refusal
from tools.environment import CELL_TIMEOUT, NOTEBOOKS, ROOT, fix_environment
from tools.stamp import SOLUTIONS, stamp
from tools.stills import store_pictures

LOG = ROOT / "benchmarks" / "logs" / "notebooks.json"
WIDGETS = "application/vnd.jupyter.widget-state+json"


class CellFailed(Exception):
    """A cell of a notebook failed; the message says which and how."""


def run(
    notebook: NotebookNode, name: str, folder: Path, kernel: str = "python3"
) -> dict[str, float]:
    """Run all cells in `folder`, outputs into the notebook. -> seconds by the clock, and of processor time in the kernel.

    Processor time is the one to tell a reader: it does not depend on what else the machine does.
    """
    started, at, processor = time.perf_counter(), 0, [0.0]

    def before(cell, cell_index):
        nonlocal at
        at = cell_index

    def after(**_):
        used = psutil.Process(client.km.provisioner.pid).cpu_times()
        processor[0] = used.user + used.system

    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name=kernel,
        store_widget_state=True,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
        on_cell_execute=before,
        on_cell_executed=after,
    )
    notebook.metadata.pop("widgets", None)
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        what = (
            f"{error.ename}: {error.evalue}"
            if isinstance(error, CellExecutionError)
            else f"{type(error).__name__} (a cell may take {CELL_TIMEOUT} s)"
        )
        raise CellFailed(
            f"{name}: cell {at} failed with {what}\n{indent(notebook.cells[at].source, '    | ')}"
        ) from None
    make_stable(notebook, name)
    return {
        "seconds": round(time.perf_counter() - started, 1),
        "processor_seconds": round(processor[0], 1),
    }


def make_stable(notebook: NotebookNode, name: str) -> None:
    """Take out what differs from run to run and from machine to machine: folders, numbers of temporary files, widget ids."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "traceback" in output:
                output.traceback = [without_folders(line) for line in output.traceback]
            if "text" in output:
                output.text = without_folders(output.text)
    widgets = notebook.metadata.get("widgets", {}).get(WIDGETS, {}).get("state", {})
    for widget in widgets.values():
        if widget["model_name"] == "LayoutModel":  # some forty settings, nearly all of them not set
            widget["state"] = {
                key: value for key, value in widget["state"].items() if value is not None
            }
    new_ids = {
        old: hashlib.md5(f"{name} {i}".encode()).hexdigest() for i, old in enumerate(widgets)
    }  # in the order in which they were made
    if new_ids:
        text = re.sub("|".join(new_ids), lambda match: new_ids[match[0]], nbformat.writes(notebook))
        notebook.update(nbformat.reads(text, 4))


def without_folders(text: str) -> str:
    return re.sub(
        r"[^\s'\"(]*ipykernel_\d+[/\\]\d+\.py", "CELL.py", text.replace(f"{ROOT}{os.sep}", "")
    )


def read_log() -> dict:
    return json.loads(LOG.read_text(encoding="utf-8"))


def log_time(name: str, measured: dict[str, float]) -> float:
    """Store what was measured, unless it is close to what is there already. -> the processor seconds that count from now on."""
    log = read_log()
    old = log["notebooks"].get(name)
    if old and abs(measured["processor_seconds"] - old["processor_seconds"]) <= max(
        1.0, 0.2 * old["processor_seconds"]
    ):
        return old["processor_seconds"]
    log["notebooks"][name] = {
        "processor_seconds": measured["processor_seconds"],
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": {**machine(), "threads": 1},
        "versions": versions(),
    }
    write_atomically(LOG, json.dumps(log, indent=1, sort_keys=True) + "\n")
    return measured["processor_seconds"]


def update(path: Path, execute: bool = True, replace_answers: bool = False) -> str:
    """Stamp a notebook, run it, store it. -> a line that says what was done.

    Raises a ValueError where the file holds a reader's answers at its turn, or was changed while the notebook ran.
    """
    name = path.stem
    found = path.read_bytes() if path.exists() else b""
    if not replace_answers and (told := refusal([path])):
        raise ValueError(told)
    notebook = nbformat.reads(found.decode("utf-8"), 4) if found else new_notebook()
    stamp(notebook, name)
    line = f"{name}: stamped"
    if execute:
        before = copy.deepcopy(notebook)
        measured = run(notebook, name, path.parent)
        store_pictures(notebook, before)
        stamp(
            notebook,
            name,
            seconds=log_time(name, measured)
            if path.parent == NOTEBOOKS
            else measured["processor_seconds"],
        )
        line = f"{name}: {measured['seconds']:.0f} s, {measured['processor_seconds']:.0f} s of them processor time"
    nbformat.validate(notebook)
    if (path.read_bytes() if path.exists() else b"") != found:
        raise ValueError("The file was changed while the notebook ran. Run the command again.")
    write_atomically(path, nbformat.writes(notebook).rstrip("\n") + "\n")
    return f"{line}, {path.stat().st_size / 1024:.0f} kB"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "notebooks",
        nargs="*",
        type=Path,
        metavar="NOTEBOOK",
        help="a file, or a name such as 04_attention; default: all",
    )
    parser.add_argument(
        "--stamp-only",
        action="store_true",
        help="refresh the generated cells without running anything",
    )
    parser.add_argument(
        "--replace-answers",
        action="store_true",
        help="replace a reader's answers by the open stubs",
    )
    arguments = parser.parse_args()
    solutions = NOTEBOOKS / f"{SOLUTIONS}.ipynb"
    chosen = [find(path) for path in arguments.notebooks] or sorted(
        {*NOTEBOOKS.glob("*.ipynb"), solutions}
    )
    if solutions not in chosen and is_stale(solutions):
        chosen.append(solutions)  # an exercise has changed
    if not arguments.replace_answers and (told := refusal(chosen)):
        print(told, file=sys.stderr)
        return 2
    fix_environment()
    failures = 0
    for path in chosen:
        try:
            print(update(path, not arguments.stamp_only, arguments.replace_answers), flush=True)
        except (CellFailed, ValueError, OSError) as error:
            failures += 1
            print(f"{path.name} was left as it was. {error}", file=sys.stderr, flush=True)
    return 1 if failures else 0


def is_stale(path: Path) -> bool:
    """Whether a notebook's generated cells are out of date."""
    notebook = nbformat.read(path, 4)
    return stamp(copy.deepcopy(notebook), path.stem) != notebook


def find(path: Path) -> Path:
    """A notebook by its file, or by its name in notebooks/."""
    if path.suffix == ".ipynb":
        return path.resolve()
    return NOTEBOOKS / f"{path.name}.ipynb"


if __name__ == "__main__":
    sys.exit(main())
