"""Every notebook alone, as on Colab: it installs the course through its first cell and runs to the end.

Cost: about a minute for the environment, then about as long as the notebooks take to run.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.environment import FIXED, NOTEBOOKS, ROOT
from tools.stamp import launch_cells

pytestmark = pytest.mark.slow

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
FROM_GIT = "05_encoder"     # installs from a git address; the others from a wheel

# Of what Colab has, all that the course can use.
COLAB = ("torch", "numpy", "scipy", "matplotlib", "tqdm", "transformers", "tokenizers", "safetensors", "huggingface_hub", "requests", "PyYAML",
         "ipykernel", "nbclient", "nbformat", "ipywidgets")

DRIVER = """
import sys, nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell
notebook = nbformat.read(sys.argv[1], 4)
notebook.cells.append(new_code_cell("import minibert, torch\\nprint(minibert.__file__)\\nprint(torch.__file__)"))
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
print(notebook.cells[-1].outputs[0].text)
"""


def python_of(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def packages_of(environment: Path) -> Path:
    return next(environment.glob("[Ll]ib/python*/site-packages"), environment / "Lib" / "site-packages")


def call(*command, **options) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=580, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
    return done.stdout


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    """An environment with what Colab has, and without this course."""
    environment = tmp_path_factory.mktemp("colab") / "environment"
    call(sys.executable, "-m", "venv", environment)
    call(python_of(environment), "-m", "pip", "install", "--quiet", "--no-compile", "-c", ROOT / "constraints.txt", *COLAB)
    return environment


@pytest.fixture
def fresh(colab, tmp_path):
    """A fresh environment on top of Colab's: what is installed here stays here."""
    environment = tmp_path / "environment"
    call(sys.executable, "-m", "venv", "--without-pip", environment)
    (packages_of(environment) / "colab.pth").write_text(str(packages_of(colab)), encoding="utf-8")
    return environment


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of what the distribution is made of."""
    folder = tmp_path_factory.mktemp("source") / "minibert-course"
    shutil.copytree(ROOT / "minibert", folder / "minibert", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "benchmarks" / "logs", folder / "benchmarks" / "logs")
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-text.md"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source)
    return str(next(folder.glob("minibert_course-*.whl")))


@pytest.fixture(scope="module")
def git_address(source, needs_git):
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    call(needs_git, "init", "--quiet", source)
    call(needs_git, "-C", source, "add", ".")
    call(needs_git, *identity, "-C", source, "commit", "--quiet", "--message", "a copy")
    return "git+" + source.as_uri()


def alone(environment, **variables):
    """The variables of a process that knows nothing of this checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MINIBERT", "VIRTUAL_ENV", "COV_"))}
    return {**kept, **{name: value for name, value in FIXED.items() if "DIR" not in name}, **variables}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook_runs_alone(path, fresh, tmp_path, request):
    address = request.getfixturevalue("git_address" if path.stem == FROM_GIT else "wheel")
    folder = tmp_path / "empty"
    folder.mkdir()
    shutil.copy(path, folder)
    printed = call(python_of(fresh), "-c", DRIVER, path.name, cwd=folder, env=alone(fresh, MINIBERT_SOURCE=address, MINIBERT_CACHE_DIR=str(tmp_path / "cache")))
    used, torch = [Path(line) for line in printed.split("\n")[:2]]
    assert used.is_relative_to(packages_of(fresh)), "the package that the first cell installed"
    assert not torch.is_relative_to(packages_of(fresh)), "torch was left as it was"


def test_an_install_that_fails_says_what_to_do(fresh, tmp_path):
    set_up = launch_cells("00_first_look")[1].source
    done = subprocess.run([python_of(fresh), "-c", set_up], cwd=tmp_path, env=alone(fresh, MINIBERT_SOURCE="nothing-here.whl"), capture_output=True, text=True)
    last = done.stderr.strip().split("\n")[-1]
    assert done.returncode == 1 and "During handling" not in done.stderr
    assert re.fullmatch(r"RuntimeError: pip could not install minibert-course: check the network connection, or set .*MINIBERT_SOURCE.* run this cell again\.", last)
