"""Every notebook alone and solved, as a reader ends with it on Colab: it installs the course through its first cell, all exercises
are filled in, and the rest of the chapter shows what it has stored.

And every shape in a comment or a docstring of a cell is that of the tensor (tools/shape_cells.py). What a cell shows whose exercise
is not solved is compared by `pytest --nbval notebooks/`. Cost: about a minute for the environment, then about as long as the
notebooks take to run.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from filelock import FileLock
from nbformat.v4 import new_code_cell
from notebook_rules import code_cells, ignored_cells, opening, sanitize

from minibert.course.exercises.base import exercises
from tools.environment import FIXED, NOTEBOOKS, ROOT, fix_environment
from tools.execute import read_log, run
from tools.shape_cells import complaints, watch_cells
from tools.stamp import checked, setup_cells

pytestmark = pytest.mark.slow

SECONDS = read_log()["notebooks"]
PATHS = sorted(
    NOTEBOOKS.glob("*.ipynb"),
    key=lambda path: -SECONDS.get(path.stem, {}).get("processor_seconds", 0),
)  # the longest first, so that two processes end at about the same time
FROM_GIT = "05_encoder"  # installs from a git address; the others from a wheel

# Of what Colab has, all that the course can use.
COLAB = (
    "pip==24.1.2",  # older ones take no address of a local repository with an extra
    "torch",
    "numpy",
    "scipy",
    "matplotlib",
    "tqdm",
    "transformers",
    "tokenizers",
    "safetensors",
    "huggingface_hub",
    "requests",
    "PyYAML",
    "ipykernel",
    "nbclient",
    "nbformat",
    "ipywidgets",
)

# The last cell: where the kernel has what it used, and whatever it has of this checkout.
WHERE = f"""import json, sys
import minibert, numpy, torch
print(json.dumps([minibert.__file__, torch.__file__, numpy.__file__]))
print(json.dumps(sorted(
    file for module in [*sys.modules.values()] if (file := getattr(module, "__file__", None) or "").startswith({str(ROOT / "minibert")!r}))))"""

# Shapes in docstrings that are those of the arguments of a function that is handed in.
OF_FUNCTIONS_GIVEN = (
    "cells: k functions (input [B, H], state [B, H]) -> the next state [B, H]",
    "model(inputs) gives logits [B, S, V], labels are [B, S]",
)


def python_of(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def packages_of(environment: Path) -> Path:
    return next(
        environment.glob("[Ll]ib/python*/site-packages"), environment / "Lib" / "site-packages"
    )


def call(*command, **options) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=580, **options
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done.stdout


@pytest.fixture(scope="session")
def once(tmp_path_factory, worker_id):
    """A function that makes a folder which all test processes share: the first that asks makes it."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared if worker_id == "master" else shared.parent

    def folder_made_by(make, *arguments) -> Path:
        folder = shared / make.__name__
        with FileLock(shared / f"{make.__name__}.lock"):
            if not (folder / "is-made").exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder, *arguments)
                (folder / "is-made").touch()
        return folder

    return folder_made_by


def make_colab(folder):
    call(sys.executable, "-m", "venv", folder / "environment")
    call(
        python_of(folder / "environment"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "-c",
        ROOT / "constraints.txt",
        *COLAB,
    )


@pytest.fixture(scope="session")
def colab(once):
    """An environment with what Colab has, and without this course."""
    return once(make_colab) / "environment"


@pytest.fixture
def fresh(colab, tmp_path):
    """A fresh environment on top of Colab's: what is installed here stays here."""
    environment = tmp_path / "environment"
    call(sys.executable, "-m", "venv", "--without-pip", environment)
    (packages_of(environment) / "colab.pth").write_text(str(packages_of(colab)), encoding="utf-8")
    return environment


def make_source(made):
    folder = made / "minibert-course"
    shutil.copytree(
        ROOT / "minibert", folder / "minibert", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "benchmarks" / "logs", folder / "benchmarks" / "logs")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "LICENSE-text.md"):
        shutil.copy(ROOT / name, folder)


def make_wheel(folder, source):
    call(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source
    )


def make_repository(folder, source, git):
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    shutil.copytree(source, folder / source.name)
    call(git, "init", "--quiet", folder / source.name)
    call(git, "-C", folder / source.name, "add", ".")
    call(git, *identity, "-C", folder / source.name, "commit", "--quiet", "--message", "a copy")


@pytest.fixture(scope="session")
def source(once):
    """A copy of what the distribution is made of."""
    return once(make_source) / "minibert-course"


@pytest.fixture(scope="session")
def wheel(once, source):
    return str(next(once(make_wheel, source).glob("minibert_course-*.whl")))


@pytest.fixture(scope="session")
def git_address(once, source, needs_git):
    return "git+" + (once(make_repository, source, needs_git) / source.name).as_uri()


def alone(**variables):
    """The variables of a process that knows nothing of this checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in FIXED
        and not name.startswith(("PYTHON", "MINIBERT", "JUPYTER", "VIRTUAL_ENV", "COV_"))
    }
    return {**kept, **variables}


@pytest.fixture
def kernel(fresh, tmp_path, monkeypatch):
    """The name of the fresh environment's kernel, which will know nothing of this checkout."""
    jupyter = fresh / "share" / "jupyter"
    command = [str(python_of(fresh)), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (jupyter / "kernels" / "fresh").mkdir(parents=True)
    (jupyter / "kernels" / "fresh" / "kernel.json").write_text(
        json.dumps({"argv": command, "display_name": "fresh", "language": "python"}),
        encoding="utf-8",
    )
    variables = alone(JUPYTER_PATH=str(jupyter))
    fix_environment(variables, tmp_path)
    for name in {*os.environ} - {*variables}:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return "fresh"


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
    outputs = []
    for output in cell.outputs:
        if output.output_type == "stream":
            texts = {output.name: output.text}
        elif output.output_type == "error":
            texts = {"ename": output.ename, "evalue": output.evalue}
        else:
            texts = {kind: text for kind, text in output.data.items() if kind.startswith("text/")}
        outputs.append({kind: sanitize(text) for kind, text in texts.items()})
    return outputs


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook_alone_and_solved_shows_what_it_has_stored(
    path, fresh, kernel, tmp_path, monkeypatch, request
):
    address = request.getfixturevalue("git_address" if path.stem == FROM_GIT else "wheel")
    monkeypatch.setenv("MINIBERT_SOURCE", address)
    before, after = nbformat.read(path, 4), nbformat.read(path, 4)
    stubs = solve(after)
    after.cells.append(new_code_cell(WHERE))
    watch_cells(after)
    (tmp_path / "notebooks").mkdir()
    run(after, path.stem, tmp_path / "notebooks", kernel)
    wrong_shapes = complaints(after, path.stem)
    where = after.cells.pop().outputs[0].text.splitlines()
    skipped = {cell.id for cell in ignored_cells(before)}
    for old, new in zip(code_cells(before), code_cells(after), strict=True):
        if new in stubs:
            assert shown(new)[0]["stdout"].startswith(f"right: {new.metadata.minibert['name']}")
        elif old.id not in skipped:
            assert shown(new) == shown(old), f"another output, alone and solved: {opening(old)}"
    used, *kept = map(Path, json.loads(where[0]))
    assert used.is_relative_to(packages_of(fresh)), "the package that the first cell installed"
    for file in kept:
        assert not file.is_relative_to(packages_of(fresh)), "torch and numpy were left as they were"
    assert json.loads(where[1]) == [], "nothing of this checkout"
    wrong_shapes = [
        line for line in wrong_shapes if not any(known in line for known in OF_FUNCTIONS_GIVEN)
    ]
    assert not wrong_shapes, "\n".join(wrong_shapes)


def test_an_install_that_fails_says_what_to_do(fresh, tmp_path):
    variables = alone(MINIBERT_SOURCE="nothing-here.whl")
    fix_environment(variables, tmp_path)
    set_up = setup_cells("00_first_look")[0].source
    done = subprocess.run(
        [python_of(fresh), "-c", set_up],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
    )
    last = done.stderr.strip().split("\n")[-1]
    assert done.returncode == 1 and "During handling" not in done.stderr
    assert re.fullmatch(
        r"RuntimeError: pip could not install minibert-course: check the network connection, or set .*MINIBERT_SOURCE.* run this cell again\.",
        last,
    )
