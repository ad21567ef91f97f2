"""The mutation run: its log is of the code that is here, no test-less mistake in it is unjudged; and the tool sees what it should see."""

import ast
import json
import os
import subprocess
import sys
import tomllib

import pytest

from tools import mutation
from tools.environment import ROOT
from tools.mutation_operators import mutants

LOG = json.loads(mutation.LOG.read_text(encoding="utf-8"))
EQUIVALENT = tomllib.loads(
    (ROOT / "tools" / "mutation_equivalent.toml").read_text(encoding="utf-8")
)["survivor"]
JUDGED = {(entry["file"], entry["function"], entry["change"]) for entry in EQUIVALENT}


def survivors(files) -> set[tuple[str, str, str]]:
    return {
        (name, mutant["function"], mutant["change"])
        for name in files
        for mutant in LOG["files"][name]["survivors"]
    }


# -- the log -----------------------------------------------------------------------------------------------------------


def test_a_log_that_is_out_of_date_is_named_and_fails_nothing_but_the_weekly_job(
    monkeypatch, capsys
):
    name = mutation.sources()[0]
    rows = {
        file: {
            "sha256": mutation.code_hash((ROOT / file).read_text(encoding="utf-8")),
            "tests": mutation.tests_of(file),
        }
        for file in mutation.sources()
    }
    assert mutation.stale(rows) == []
    rows[name]["sha256"] = "0" * 64
    assert mutation.stale(rows) == [name]
    del rows[name]
    assert mutation.stale(rows) == [name]
    monkeypatch.setattr(mutation, "stale", lambda _: [name])
    assert mutation.main(["--stale"]) == 1
    assert capsys.readouterr().out == f"{name}\n"


def test_every_file_in_scope_has_tests_that_exist():
    assert {mutation.group_of(name) for name in mutation.sources()} == {*mutation.SCOPE, "rest"}
    for begins in (begin for group in mutation.SCOPE.values() for begin in group):
        assert (ROOT / "minibert" / begins).exists(), begins
    for tests in mutation.ALSO.values():
        assert all((ROOT / "tests" / "unit" / test).exists() for test in tests), tests


@pytest.mark.parametrize("group", mutation.SCOPE)
def test_nearly_all_mistakes_in_the_model_the_data_and_the_training_are_noticed(group):
    """Of all that are made: those that no test can notice are not taken out."""
    rows = [row for row in LOG["files"].values() if row["group"] == group]
    killed, made = (sum(row[what] for row in rows) for what in ("killed", "mutants"))
    assert killed >= mutation.TARGET * made >= 0.95 * made > 0


@pytest.mark.parametrize("name", LOG["files"])
def test_every_survivor_is_judged(name):
    """In all files, those of which few mutants are tried as well."""
    assert not survivors([name]) - JUDGED, (
        "write a test that fails, or say in tools/mutation_equivalent.toml why none can"
    )


def test_every_judgement_is_about_a_survivor_and_has_a_reason():
    assert survivors(LOG["files"]) >= JUDGED and len(JUDGED) == len(EQUIVALENT)
    assert all(len(entry["reason"]) > 20 for entry in EQUIVALENT)


def test_the_counts_of_the_log_add_up():
    for name, row in LOG["files"].items():
        assert row["mutants"] - row["killed"] == len(row["survivors"]), name
    for group, totals in LOG["groups"].items():
        assert totals == {
            what: sum(row[what] for row in LOG["files"].values() if row["group"] == group)
            for what in ("mutants", "killed")
        }


# -- the operators -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source, changes",
    [
        ("x = a + b", ["x = a - b"]),
        ("x = q @ k", ["x = k @ q"]),
        ("x = -a", ["x = a"]),
        ("x = a < b", ["x = a <= b", "x = a >= b"]),
        ("x = a and b", ["x = a or b"]),
        ("x = 3", ["x = 4", "x = 2"]),
        ("x = 0.5", ["x = 1.0"]),
        ("x = True", ["x = False"]),
        ("x = y.sum(dim)", ["x = y.mean(dim)"]),
        ("x = f(a, b)", ["x = f(b, a)", "x = f(a)"]),
        ("x = f(a, keepdim=c)", ["x = f(a)"]),
        ("x = y.transpose(a, b)", ["x = y.transpose(a)"]),
        ("x = a if b else c", ["x = c if b else a"]),
        ("x = y[a:b]", ["x = y[:b]", "x = y[a:]"]),
        ("x = [a for a in b if c]", ["x = [a for a in b]"]),
        ("x += a", ["pass", "x -= a"]),
        ("x[a] = b", ["pass"]),
        ("f()", ["pass"]),
        ("if a:\n    b = c", ["if not a:"]),
        ("for a in b:\n    break", ["for a in ():", "continue"]),
        ("def f(a):\n    return a", ["return None"]),
        ("def f(a):\n    return False", ["return True"]),
        ("x = 'word'", ["x = 'wordXX'"]),
        ("x = 'one two three four five six seven eight nine ten eleven twelve thirteen'", []),
        ("@no_grad()\ndef f(a):\n    b = a", ["def f(a):"]),
        ("if a is None:\n    raise E(f'{1 + 1}', 2)", ["if a is not None:", "pass"]),
        ("import a\ndef f(a: T[1] = b) -> T[2]:\n    'Text 3.'\n    c = f'{a:4}'", []),
    ],
)
def test_the_operators_make_these_changes_and_no_others(source, changes):
    tree = ast.parse(source)
    assert [mutant.change.split(" → ")[1] for mutant in mutants(tree)] == changes
    for mutant in mutants(tree):
        changed = ast.unparse(mutant.tree(tree))
        assert changed != ast.unparse(tree) and ast.unparse(ast.parse(changed)) == changed
    assert ast.unparse(tree) == ast.unparse(ast.parse(source))


def test_a_mutant_knows_where_it_is_and_when_it_acts():
    source = "A = 1\nclass C:\n    b = 2\n    def f(self, c=3):\n        def g():\n            return (4,\n                    5)\n"
    found = mutants(ast.parse(source))
    places = {
        mutant.change.split(" → ")[0]: (mutant.function, mutant.in_body, mutant.lines)
        for mutant in found
        if mutant.operator != "return value"
    }
    assert places == {
        "A = 1": ("", False, (1, 1)),
        "b = 2": ("C", False, (3, 3)),
        "def f(self, c=3):": ("C.f", False, (4, 4)),
        "return (4, 5)": ("C.f", True, (6, 7)),
    }


def test_the_hash_sees_code_and_nothing_else():
    code = "def f(a):\n    return a + 1\n"
    assert mutation.code_hash(code) == mutation.code_hash(
        "# why\ndef f( a ):\n    'What it does.'\n\n    return a + 1     # [B]\n"
    )
    assert (
        len(
            {
                mutation.code_hash(text)
                for text in (
                    code,
                    code.replace("1", "2"),
                    code.replace("1", "1.0"),
                    code.replace("+", "-"),
                )
            }
        )
        == 4
    )


def test_a_sample_stays_when_something_else_changes():
    lines = [f"x{number} = f(a{number}, b{number})" for number in range(50)]
    before, after = (
        {
            mutant.change
            for mutant in mutation.sample("file", mutants(ast.parse("\n".join(text))), 30)
        }
        for text in (lines, lines[:20] + ["y = 1"] + lines[21:])
    )
    assert len(before) == len(after) == 30 and len(before & after) >= 26


# -- the run -----------------------------------------------------------------------------------------------------------

TINY = """LIMIT = 10

def clamp(x, low=0):
    if x < low:
        return low
    return LIMIT if x > LIMIT else x

def halvings(x):
    count = 0
    while x > 1:
        x //= 2
        count += 1
    return count
"""
TESTS = """from tiny import clamp, halvings

def test_clamp():
    assert [clamp(x) for x in (-1, 0, 5, 10, 12)] == [0, 0, 5, 10, 10]

def test_halvings():
    assert halvings(9) == 3
"""
RUN = """import sys
from pathlib import Path
from tools import mutation, mutation_judge
mutation_judge.GRACE = 0.1
path = Path(sys.argv[1])
chosen = mutation.path_mutants(path)
print(len(chosen), *(mutant.change for mutant in mutation_judge.examine(path, chosen, [sys.argv[2]])), sep="\\n")
"""


forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def run_tiny(folder, tests: str) -> subprocess.CompletedProcess:
    (folder / "tiny.py").write_text(TINY, encoding="utf-8")
    (folder / "test_tiny.py").write_text(tests, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-B", "-c", RUN, folder / "tiny.py", folder / "test_tiny.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


@forking
def test_what_a_test_notices_is_killed_and_what_none_can_notice_survives(tmp_path):
    """Survivors: two comparisons that are equal at their bounds. Killed: the endless loops too, and what acts at import."""
    done = run_tiny(tmp_path, TESTS)
    number, *found = done.stdout.splitlines()
    assert int(number) > 20, done.stderr
    assert found == [
        "if x < low: → if x <= low:",
        "return LIMIT if x > LIMIT else x → return LIMIT if x >= LIMIT else x",
    ]
    assert (tmp_path / "tiny.py").read_text(encoding="utf-8") == TINY and {
        path.name for path in tmp_path.iterdir()
    } == {"tiny.py", "test_tiny.py"}


@forking
def test_without_its_test_a_mistake_survives(tmp_path):
    found = run_tiny(
        tmp_path, TESTS.replace(", 10, 12)] == [0, 0, 5, 10, 10]", ")] == [0, 0, 5]")
    ).stdout.splitlines()
    assert (
        "return LIMIT if x > LIMIT else x → return x if x > LIMIT else LIMIT" not in found
        and "LIMIT = 10 → LIMIT = 11" in found
    )


@forking
def test_tests_that_fail_anyway_prove_nothing(tmp_path):
    done = run_tiny(tmp_path, TESTS.replace("== 3", "== 4"))
    assert (
        done.returncode == 1
        and "fail without any mutant: " in done.stderr
        and "test_halvings" in done.stderr
    )
