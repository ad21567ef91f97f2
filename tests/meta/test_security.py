"""What SECURITY.md says is tested: by tests that are there, and nothing of the package unpickles."""

import ast
import re

import pytest

from tools.environment import ROOT

UNPICKLES = "minibert/summarization/convert/pickle_machine.py"


def readers_of_pickles(source: str) -> list[str]:
    """Calls and imports in a program that read a pickle, or may."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
            found += names & {
                "pickle",
                "_pickle",
                "pickletools",
                "cPickle",
                "dill",
                "joblib",
                "shelve",
                "marshal",
            }
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            allowed = {word.arg: ast.unparse(word.value) for word in node.keywords}
            if called == "torch.load" or allowed.get("allow_pickle", "False") != "False":
                found.append(ast.unparse(node))
    return found


def test_one_file_of_the_package_reads_pickles():
    reading = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "minibert").rglob("*.py")
        if readers_of_pickles(path.read_text(encoding="utf-8"))
    }
    assert reading == {UNPICKLES}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import pickletools",
        "import torch; torch.load('x', weights_only=True)",
        "import numpy; numpy.load('x', allow_pickle=True)",
    ],
)
def test_a_reader_of_pickles_is_noticed(source):
    assert readers_of_pickles(source)


def test_the_security_page_names_tests_that_are_there():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    promises = re.findall(r"^\| (?!promise|-)(.+?) \| (.+) \|$", text, re.MULTILINE)
    assert len(promises) >= 9
    for promise, tests in promises:
        files = re.findall(r"`([\w./]+)`", tests)
        assert any(name.startswith("tests/") for name in files), promise
        assert [name for name in files if not (ROOT / name).is_file()] == []


def test_it_reads_them_with_a_machine_of_its_own():
    """Python's unpickler, however restricted, can be kept busy for years by some bytes."""
    imported = {
        name.split(".")[0]
        for path in (ROOT / UNPICKLES).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ({alias.name for alias in node.names} | {getattr(node, "module", None) or ""})
    }
    assert "pickletools" in imported and not {"pickle", "_pickle"} & imported
