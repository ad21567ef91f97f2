"""The book, built once for all tests that look at its pages."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.environment import ROOT


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """Build the book in a copy, with warnings as errors; returns the folder of its pages."""
    source = tmp_path_factory.mktemp("book")
    for name in ("_config.yml", "_toc.yml", "README.md"):
        shutil.copy(ROOT / name, source)
    for name in ("book", "notebooks", "minibert", "tests", "benchmarks"):     # the last three: equations and numbers are looked up there
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__"))
    command = [Path(sys.executable).parent / "jupyter-book", "build", source, "-W", "--keep-going"]
    done = subprocess.run(command, capture_output=True, text=True)
    warnings = [line for line in done.stderr.splitlines() if "WARNING" in line or "ERROR" in line]
    assert done.returncode == 0, "\n".join(warnings[:10]) or done.stderr[-4000:]
    return source / "_build" / "html"
