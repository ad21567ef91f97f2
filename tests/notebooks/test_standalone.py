"""Every notebook alone, as on Colab: it installs the course through its first cell, and shows what it has stored.

Nbval compares, as `pytest --nbval notebooks/` does, so `dev.py test --all` need not run the notebooks once more.
Cost: about a minute for the environment, then about as long as the notebooks take to run.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from notebook_rules import code_cells, copy_settings

from tools.environment import FIXED, NOTEBOOKS, ROOT
from tools.stamp import setup_cells

pytestmark = pytest.mark.slow

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
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

COMPARES = ("pytest", "nbval")

WHERE = "import minibert, torch, numpy; print(minibert.__file__, torch.__file__, numpy.__file__, sep='\\n')"


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


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    """An environment with what Colab has, and without this course."""
    environment = tmp_path_factory.mktemp("colab") / "environment"
    call(sys.executable, "-m", "venv", environment)
    call(
        python_of(environment),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "-c",
        ROOT / "constraints.txt",
        *COLAB,
        *COMPARES,
    )
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
    shutil.copytree(
        ROOT / "minibert", folder / "minibert", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "benchmarks" / "logs", folder / "benchmarks" / "logs")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "LICENSE-text.md"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    call(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source
    )
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
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "MINIBERT", "VIRTUAL_ENV", "COV_"))
    }
    return {
        **kept,
        **{name: value for name, value in FIXED.items() if "DIR" not in name},
        **variables,
    }


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook_alone_shows_what_it_has_stored(path, fresh, tmp_path, request):
    address = request.getfixturevalue("git_address" if path.stem == FROM_GIT else "wheel")
    folder = tmp_path / "alone"
    copy_settings(folder)
    (folder / "notebooks").mkdir()
    shutil.copy(path, folder / "notebooks")
    variables = alone(fresh, MINIBERT_SOURCE=address)
    printed = call(
        *(python_of(fresh), "-m", "pytest", "-x", "--nbval", "notebooks/"),
        cwd=folder,
        env=variables,
    )
    compared = len(code_cells(nbformat.read(path, 4)))
    assert re.search(rf"^=+ {compared} passed\b.* in ", printed, re.MULTILINE), printed[-2000:]
    printed = call(python_of(fresh), "-c", WHERE, cwd=folder, env=variables)
    used, *kept = [Path(line) for line in printed.splitlines()]
    assert used.is_relative_to(packages_of(fresh)), "the package that the first cell installed"
    for path in kept:
        assert not path.is_relative_to(packages_of(fresh)), "torch and numpy were left as they were"


def test_an_install_that_fails_says_what_to_do(fresh, tmp_path):
    set_up = setup_cells("00_first_look")[0].source
    done = subprocess.run(
        [python_of(fresh), "-c", set_up],
        cwd=tmp_path,
        env=alone(fresh, MINIBERT_SOURCE="nothing-here.whl"),
        capture_output=True,
        text=True,
    )
    last = done.stderr.strip().split("\n")[-1]
    assert done.returncode == 1 and "During handling" not in done.stderr
    assert re.fullmatch(
        r"RuntimeError: pip could not install minibert-course: check the network connection, or set .*MINIBERT_SOURCE.* run this cell again\.",
        last,
    )
