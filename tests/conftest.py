"""The book, built once for all tests that look at its pages; and which tests are slow."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from filelock import FileLock

import dev
from tools.environment import ROOT

SLOW_FILES = ("meta/test_shape_comments.py", "meta/test_mutation.py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whatever needs the built book or a browser is slow, and so are tests of the tools for tests.

    Tests marked `gpu` are deselected, and counted as such, where torch sees no GPU.
    """
    if not torch.cuda.is_available():
        gpu = [item for item in items if item.get_closest_marker("gpu")]
        config.hook.pytest_deselected(items=gpu)
        items[:] = [item for item in items if item not in gpu]
    for item in items:
        if {"site", "browser", "tab"} & {*getattr(item, "fixturenames", ())} or str(
            item.path
        ).endswith(SLOW_FILES):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id) -> Path:
    """The folder of the book's pages: those of `dev.py book` if nothing has changed since.

    Otherwise they are built in a copy, with warnings as errors, by one of the test processes for all.
    """
    if dev.BUILT_FROM.is_file() and dev.BUILT_FROM.read_text("utf-8") == dev.book_sources():
        return dev.SITE
    shared = tmp_path_factory.getbasetemp()
    shared = shared if worker_id == "master" else shared.parent
    with FileLock(shared / "book.lock"):
        if not (shared / "book" / "_build" / "html" / "index.html").is_file():
            _build(shared / "book")
    return shared / "book" / "_build" / "html"


def _build(source: Path) -> None:
    shutil.rmtree(source, ignore_errors=True)
    ignored = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
    for name in dev.BOOK_FOLDERS:
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("_config.yml", "_toc.yml", "README.md"):
        shutil.copy(ROOT / name, source)
    program = Path(sys.executable).parent / "jupyter-book"
    done = subprocess.run(
        [program, "build", source, "-W", "--keep-going"],
        capture_output=True,
        text=True,
    )
    warnings = [line for line in done.stderr.splitlines() if "WARNING" in line or "ERROR" in line]
    assert done.returncode == 0, "\n".join(warnings[:10]) or done.stderr[-4000:]
