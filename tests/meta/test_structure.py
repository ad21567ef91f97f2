"""The package's structure: imports point one way, files are short, and tests mirror the package."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import minibert
from minibert.model import PACKAGE_MODELS
from tools.environment import ROOT

PACKAGE = ROOT / "minibert"
FILES = sorted(PACKAGE.rglob("*.py"))

# From the ground up. A file imports from its own row and from rows above it.
LAYERS = [
    {"config", "positions"},
    {"tokenization", "data"},
    {"embeddings", "attention", "encoder", "model", "heads"},
    {"hub", "training"},
    {"summarization", "pretraining", "finetuning", "inference"},
    {"cli"},
    {"course"},
]
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}

# Readers and writers of files in hub/ that import nothing but config, so that anybody may use them.
LEAVES = {"find_pretrained", "tokenizer_files", "atomic_io"}

# Imports inside a function that lead upwards on purpose: (file, what it imports).
DEFERRED_UPWARDS = {("model.py", "minibert.hub.pretrained_io")}  # BertModel.from_pretrained


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def imported(path: Path, deferred: bool) -> set[str]:
    """The modules of the package that a file imports: at once, or with `deferred` in functions too."""
    found = set()

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and not deferred:
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import):
                found.update(alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom) and child.module:
                for alias in child.names:
                    full = f"{child.module}.{alias.name}"
                    found.add(full if full in MODULES else child.module)
            visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return {name for name in found if name in MODULES}


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


def test_no_cycle_between_files():
    graph = {name: imported(path, deferred=False) - {name} for name, path in MODULES.items()}
    list(graphlib.TopologicalSorter(graph).static_order())  # raises a CycleError that names it


def test_the_cycle_check_sees_a_cycle():
    with pytest.raises(graphlib.CycleError):
        list(graphlib.TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())
    assert "minibert.config" in imported(PACKAGE / "model.py", deferred=False)


def test_imports_point_one_way():
    climbing = []
    for name, path in MODULES.items():
        parts = name.split(".")
        if len(parts) == 1 or parts[1] == "__main__":
            continue
        for other in imported(path, deferred=True):
            above = other.split(".")[1:]
            if above[:1] == ["hub"] and LEAVES & {*above}:
                continue
            if above and LAYER[above[0]] > LAYER[parts[1]]:
                climbing.append((path.relative_to(PACKAGE).as_posix(), other))
    assert set(climbing) == DEFERRED_UPWARDS


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_a_leaf_imports_nothing_but_the_ground(name):
    leaves = {f"minibert.hub.{leaf}" for leaf in LEAVES}
    assert imported(PACKAGE / "hub" / f"{name}.py", deferred=True) <= {"minibert.config", *leaves}


def test_at_most_twenty_entries_at_the_top():
    entries = sorted(path.name for path in PACKAGE.iterdir() if path.name != "__pycache__")
    assert len(entries) <= 20, entries
    assert {name.removesuffix(".py") for name in entries} == {
        "__init__",
        "__main__",
        "py.typed",
        *LAYER,
    }


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


def test_importing_the_package_imports_no_torch():
    code = "import sys, minibert; print('torch' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
