"""Which code a run's numbers depend on."""

import ast
import shutil
from pathlib import Path

from minibert.pretraining.environment import PACKAGE, code_digest, deciding_files


def imported(path: Path) -> set[Path]:
    """The files of the package that a file imports, those inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "minibert" and len(parts) > 1:
                place = PACKAGE.joinpath(*parts[1:])
                candidates = (place.with_suffix(".py"), place / "__init__.py")
                found |= {file for file in candidates if file.is_file()}
    return found


def test_everything_that_a_run_imports_is_in_the_digest():
    """But for the package's own __init__, which computes nothing."""
    waiting = [PACKAGE / "pretraining" / name for name in ("session.py", "setup.py")]
    seen = set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += imported(path)
    missing = {path.relative_to(PACKAGE).as_posix() for path in seen - set(deciding_files())}
    # what only some corpora or models need, and nothing of a run's numbers comes from
    assert missing <= {"__init__.py"} | {
        name for name in missing if name.startswith(("summarization", "inference"))
    }, missing


def test_an_exercise_another_command_and_a_figure_do_not_count(tmp_path):
    package = tmp_path / "minibert"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "minilm"))
    before = code_digest(package)
    assert before == code_digest()
    for name in ("course/exercises/card.py", "cli/predict.py", "course/figures/style.py"):
        with open(package / name, "a", encoding="utf-8") as file:
            file.write("# changed\n")
    assert code_digest(package) == before
    with open(package / "pretraining" / "batches.py", "a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert code_digest(package) != before
