"""The package's structure: imports point one way, files are short, and tests mirror the package."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import minibert
from minibert.model import PACKAGE_MODELS
from tools.environment import ROOT

PACKAGE = ROOT / "minibert"
FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_model_of_the_package_can_be_opened_by_its_name():
    """A new head has to be listed in PACKAGE_MODELS, or `from_pretrained` opens a plain BertModel."""
    named = {
        node.name
        for path in FILES
        if "course" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and {"BertPreTrainedModel", "BertWithHead"} & {ast.unparse(base) for base in node.bases}
    }
    assert named - {"BertWithHead"} == set(PACKAGE_MODELS)
    assert {name for name in named if name != "BertWithHead"} <= set(minibert.__all__)


def test_imports_point_one_way():
    """The contracts in pyproject.toml hold."""
    program = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    command = [program, "--no-cache", "--config", "pyproject.toml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_at_most_twenty_entries_at_the_top():
    entries = sorted(path.name for path in PACKAGE.iterdir() if path.name != "__pycache__")
    assert len(entries) <= 20, entries


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_file_is_short_and_says_what_it_does(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 300
    assert ast.get_docstring(ast.parse(text)), "a module begins with what it does"


# Tests of something that is no module: the package's interface as a whole, and the shipped model.
OF_NO_MODULE = {"tests/unit/test_init.py", "tests/unit/hub/test_minibert_small.py"}


def test_unit_tests_mirror_the_package():
    unit = ROOT / "tests" / "unit"
    lost = []
    for test in sorted(unit.rglob("test_*.py")):
        folder = PACKAGE / test.parent.relative_to(unit)
        name = test.stem.removeprefix("test_")
        known = {path.stem for path in folder.glob("*.py")} | {
            path.name for path in folder.iterdir()
        }
        if not any(name == module or name.startswith(f"{module}_") for module in known):
            lost.append(test.relative_to(ROOT).as_posix())
    assert set(lost) == OF_NO_MODULE


def test_no_code_stands_twice():
    """Neither a function with the same body, nor the label that is ignored, -100."""
    bodies, labels = {}, []
    for path in FILES:
        if "course" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            place = f"{path.relative_to(PACKAGE)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.FunctionDef):
                body = node.body[ast.get_docstring(node) is not None :]
                bodies.setdefault(" ".join(map(ast.dump, body)), []).append(place)
            elif isinstance(node, ast.UnaryOp) and ast.unparse(node) == "-100":
                labels.append(place.split(":")[0])
    # shorter ones, such as a single return, may be alike
    assert not [places for body, places in bodies.items() if len(body) > 400 and len(places) > 1]
    assert labels == ["config.py"]


def test_no_private_name_of_torch_or_numpy_is_used():
    """What begins with an underscore there may be gone in the next version."""
    found = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = ""
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                name = " ".join(f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Attribute):
                name = ast.unparse(node)
            if re.search(r"\b(torch|nn|F|numpy|np)\.([\w.]*\.)?_(?!_)", name):
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: {name}")
    assert not found


def test_importing_the_package_imports_no_torch():
    code = "import sys, minibert; print('torch' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
