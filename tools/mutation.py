"""Makes mistakes in minibert on purpose, one at a time, and sees which of them no test notices.

    python tools/mutation.py                                  # the files whose code has changed since the log was written
    python tools/mutation.py --file minibert/attention.py     # these; --all: every one
    python tools/mutation.py --file minibert/fast.py --survivors      # once more, those that survived

Writes benchmarks/logs/mutation.json. A file stands there with a hash of its code without docstrings and comments. Survivors that
no test can tell from the right code are in mutation_equivalent.toml, each with a reason.

Nothing is written into the package. Per file, one process imports torch, the package and the tests, runs these once to learn which
of them reach which line and how long each takes, and is then copied (fork) for every mutant. The copy puts the changed code into
the functions that exist already and runs the tests that reach the line until one fails, first those that are fast or have killed. A mistake that acts at
import (a default, a constant, a decorator) needs the package imported anew, and all tests of the file. Time limits count
processor time, so that a busy machine kills nobody.

Why not a kept tool. mutmut 3.8 forks as well, but it leaves out whatever has a decorator (`torch.no_grad`, properties, context
managers) and whatever is outside functions (the defaults of every config), draws no sample, and runs a second copy of the
repository in a folder inside it. cosmic-ray 8.7 writes every mutant into the checkout and starts Python, and torch, anew for each.
"""

import argparse
import ast
import gc
import hashlib
import importlib
import importlib.machinery
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import CodeType, FunctionType

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from tools.mutation_operators import Mutant, mutants  # noqa: E402

LOG = ROOT / "benchmarks" / "logs" / "mutation.json"
SEED = 0
TARGET = 0.95           # share of the mutants that have to be killed or judged equivalent, in the groups of SCOPE
SAMPLE, SMALL_SAMPLE = 40, 6        # mutants of a file, in SCOPE and elsewhere
GRACE = 3.0             # seconds of processor time that a test may take beyond four times what it needs
SCOPE = {
    "model": ("config", "positions", "embeddings", "attention", "encoder", "model", "heads", "fast", "sentence"),
    "data": ("data/corpora", "data/files", "data/hub_sets", "data/masking", "data/original", "data/rows", "data/sentences",
             "data/small_world", "data/tokens", "data/wikipedia", "data/wikipedia_slots", "data/wikipedia_tasks"),
    "training": ("training", "optim", "loop", "evaluation", "finetuning/metrics", "finetuning/training", "summarization/training"),
}
# Tests of a file that are not in the test file of its own name (data/rows: test_data_rows.py).
TESTS = {
    "embeddings": ("embeddings", "positions"), "attention": ("attention", "encoder"), "heads": ("heads", "finetuning_questions"),
    "data/corpora": ("data_corpora", "data_join"), "data/files": ("data_corpora", "data_join"), "data/masking": ("training", "data_statistics"),
    "data/rows": ("data_statistics", "training"), "data/tokens": ("data_join", "data_statistics", "training"),
    "data/original": ("data_original", "data_statistics"), "data/wikipedia": ("data_wikipedia", "data_wikipedia_tasks"),
    "data/wikipedia_slots": ("data_wikipedia_tasks",), "optim": ("training",), "loop": ("loop", "finetuning_training"),
}
# Exercises and clinic hold wrong code themselves, which tests of their own plant: they are not mutated.
NOT_MUTATED = ("exercises", "clinic")


def sources() -> list[str]:
    """The files that are mutated, from the root, those of SCOPE first."""
    scoped = [f"minibert/{name}.py" for names in SCOPE.values() for name in names]
    others = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "minibert").rglob("*.py")) if path.parent.name not in NOT_MUTATED]
    return scoped + [name for name in others if name not in scoped and tests_of(name) and path_mutants(name)]


def group_of(name: str) -> str:
    short = name.removeprefix("minibert/").removesuffix(".py")
    return next((group for group, names in SCOPE.items() if short in names), "rest")


def tests_of(name: str) -> list[str]:
    short = name.removeprefix("minibert/").removesuffix(".py")
    tests = [f"tests/test_{test}.py" for test in TESTS.get(short, (short.replace("/", "_"),))]
    return [test for test in tests if (ROOT / test).exists()]


def code_hash(source: str) -> str:
    """A sha256 of the code alone: docstrings, comments and layout count for nothing. The same in every version of Python."""
    return hashlib.sha256(json.dumps(_plain(ast.parse(source))).encode()).hexdigest()


def _plain(value):
    if isinstance(value, list):
        return [_plain(item) for item in value if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))]
    if isinstance(value, ast.AST):
        fields = ((name, getattr(value, name, None)) for name in value._fields if name not in ("kind", "type_comment"))
        return [type(value).__name__, *([name, _plain(item)] for name, item in fields if item is not None and item != [])]
    return value if isinstance(value, str | int | bool | None) else repr(value)


def path_mutants(name: str) -> list[Mutant]:
    return mutants(ast.parse((ROOT / name).read_text(encoding="utf-8")))


def sample(name: str, found: list[Mutant], size: int) -> list[Mutant]:
    """`size` of the mutants, in the order of the source. Each has a number from SEED and what it is, and the lowest are taken: a
    change of the file leaves the rest of the sample as it was."""
    def number(mutant: Mutant) -> str:
        return hashlib.sha256(f"{SEED}|{name}|{mutant.function}|{mutant.change}".encode()).hexdigest()
    chosen = set(sorted(map(number, found))[:size])
    return [mutant for mutant in found if number(mutant) in chosen]


# -- in the copies of the process --------------------------------------------------------------------------------------

def in_fork(work) -> int:
    """Run `work()` in a copy of this process, without output; its exit status, negative where a signal ended it."""
    process = os.fork()
    if process == 0:
        os.setsid()
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        status = 3
        try:
            status = int(work())
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        os.killpg(process, signal.SIGKILL)      # what a test may have started
    except (ProcessLookupError, PermissionError):
        pass
    return status


class Judge:
    """A plugin of pytest that, instead of running the tests, runs them against every mutant. Its findings are in a file."""

    def __init__(self, path: Path, chosen: list[Mutant], found: Path, limits: bool = False, fresh: dict[str, float] | None = None):
        self.path, self.chosen, self.found, self.fresh = path, chosen, found, fresh
        self.failed, self.seconds, self.limited, self.kills = set(), fresh or {}, limits, Counter()

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, call):
        if self.limited and call.excinfo is not None and not call.excinfo.errisinstance(pytest.skip.Exception):
            os._exit(1)         # killed; to write down how takes longer than many a test

    def pytest_collection_modifyitems(self, items):
        if self.fresh is not None:      # a mutant that acts at import: the tests that passed before, the fastest first
            items[:] = sorted((item for item in items if item.nodeid in self.fresh), key=lambda item: self.fresh[item.nodeid])

    def pytest_runtest_protocol(self, item):
        if self.limited:
            seconds = GRACE + 4 * self.seconds[item.nodeid]
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, resource.RLIM_INFINITY))
            signal.alarm(60 + int(20 * seconds))        # a test that only waits

    def pytest_runtestloop(self, session):
        if self.fresh is not None:
            return None
        lines = self.found.with_suffix(".lines")
        in_fork(lambda: self.measure(session, lines))
        measured = json.loads(lines.read_text())
        self.seconds, self.limited = measured["seconds"], True
        _import_all(measured["modules"])
        live = {}
        for function in gc.get_objects():
            if type(function) is FunctionType and function.__code__.co_filename == str(self.path):
                live.setdefault(_key(function.__code__), []).append(function)
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        gc.freeze()         # copies share what is there already
        fates = [self.fate(session, mutant, compile(mutant.tree(tree), str(self.path), "exec"), live, measured["tests"]) for mutant in self.chosen]
        self.found.write_text(json.dumps({**measured, "fates": fates}))
        return True

    def measure(self, session, lines: Path) -> int:
        """Which tests reach which line, and their seconds."""
        import coverage
        tracer = coverage.Coverage(data_file=None, include=[str(self.path)], config_file=False)
        tracer.start()
        for item, following in zip(session.items, [*session.items[1:], None]):
            tracer.switch_context(item.nodeid)
            started = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.seconds[item.nodeid] = time.process_time() - started
        tracer.stop()
        tests = tracer.get_data().contexts_by_lineno(str(self.path))
        lines.write_text(json.dumps({"failed": sorted(self.failed), "tests": tests, "modules": _foreign_modules(),
                                     "seconds": {test: seconds for test, seconds in self.seconds.items() if test not in self.failed}}))
        return 0

    def fate(self, session, mutant: Mutant, changed: CodeType, live: dict, tests: dict[str, list[str]]) -> str:
        """'killed', 'survived', or 'import' where the package has to be imported anew."""
        code = {_key(code): code for code in _codes(changed)}
        functions = [(function, code[key]) for key, found in live.items() if key[0] == mutant.function and key in code for function in found]
        if not mutant.in_body or not functions or any(function.__code__.co_freevars != new.co_freevars for function, new in functions):
            return "import"
        reached = {test for line in range(mutant.lines[0], mutant.lines[1] + 1) for test in tests.get(str(line), ())}
        items = sorted((item for item in session.items if item.nodeid in reached and item.nodeid in self.seconds),
                       key=lambda item: (1 + 4 * self.kills[item.nodeid]) ** -1 * (0.02 + self.seconds[item.nodeid]))
        running = self.found.with_suffix(".running")

        def run() -> bool:
            for function, new in functions:
                function.__code__ = new
            for item, following in zip(items, [*items[1:], None]):
                running.write_text(item.nodeid)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            return False
        if not items or in_fork(run) == 0:
            return "survived"
        self.kills[running.read_text()] += 1        # what has seen one mistake here may see the next
        return "killed"


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _codes(code: CodeType):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _foreign_modules() -> list[str]:
    """What the tests imported that is not ours: imported once, then every copy has it."""
    return sorted(name for name, module in list(sys.modules.items())
                  if (file := getattr(module, "__file__", None)) and not Path(file).is_relative_to(ROOT / "minibert")
                  and ("site-packages" in file or not Path(file).is_relative_to(ROOT)))


def _import_all(modules: list[str]) -> None:
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception:       # some cannot be imported by themselves; it is a matter of speed only
            pass


def _pytest(tests: list[str], folder: Path, judge: Judge) -> int:
    os.chdir(ROOT)
    return pytest.main(["-q", *(["-x"] if judge.fresh is not None else []), "-p", "no:cacheprovider", "-p", "no:xdist", "--assert", "plain", "-m", "not slow", "--basetemp", str(folder / "tests"), *tests],
                       plugins=[judge])


def _run_anew(path: Path, changed: CodeType, tests: list[str], folder: Path, seconds: dict[str, float]) -> int:
    """The tests against a package that is imported with the changed code."""
    plain = importlib.machinery.SourceFileLoader.get_code
    importlib.machinery.SourceFileLoader.get_code = lambda loader, name: changed if loader.path == str(path) else plain(loader, name)
    return _pytest(tests, folder, Judge(path, [], folder, limits=True, fresh=seconds))


# -- a file, and all of them -------------------------------------------------------------------------------------------

def examine(path: Path, chosen: list[Mutant], tests: list[str]) -> list[Mutant]:
    """The mutants of a file that survive its tests. Raises a ValueError where a test fails without any mutant."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = folder / "found.json"
        status = in_fork(lambda: _pytest(tests, folder, Judge(path, chosen, found)))
        if not found.exists():
            raise ValueError(f"the tests of {path.name} could not be run: status {status} of pytest {' '.join(tests)}")
        results = json.loads(found.read_text())
        if results["failed"]:
            raise ValueError(f"these fail without any mutant: {', '.join(results['failed'])}")
        _import_all(results["modules"])
        tree = ast.parse(path.read_text(encoding="utf-8"))
        survivors = []
        for mutant, fate in zip(chosen, results["fates"]):
            if fate == "import":
                changed = compile(mutant.tree(tree), str(path), "exec")
                shutil.rmtree(folder / "tests", ignore_errors=True)
                fate = "survived" if in_fork(lambda: _run_anew(path, changed, tests, folder, results["seconds"])) == 0 else "killed"
            if fate == "survived":
                survivors.append(mutant)
        return survivors


def row(name: str, only: set[tuple[str, str]] | None = None, size: int | None = None) -> dict:
    """What the log says of a file. `only` names the mutants that are to be tried, the others count as killed."""
    path, group = ROOT / name, group_of(name)
    every, started = path_mutants(name), os.times()
    chosen = sample(name, every, size or (SMALL_SAMPLE if group == "rest" else SAMPLE))
    tried = [mutant for mutant in chosen if only is None or (mutant.function, mutant.change) in only]
    survivors = examine(path, tried, tests_of(name))
    ended = os.times()
    return {"group": group, "sha256": code_hash(path.read_text(encoding="utf-8")), "tests": tests_of(name), "possible": len(every),
            "mutants": len(chosen), "killed": len(chosen) - len(survivors),
            "survivors": [{"line": mutant.lines[0], "function": mutant.function, "operator": mutant.operator, "change": mutant.change}
                          for mutant in survivors],
            "seconds": round(ended.children_user + ended.children_system - started.children_user - started.children_system, 1)}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--file", action="append", metavar="PATH", help="examine this file, from the root of the repository; may be given again")
    parser.add_argument("--all", action="store_true", help="examine every file, not those alone whose code has changed")
    parser.add_argument("--survivors", action="store_true", help="try those alone that survived the last time; the others count as killed")
    options = parser.parse_args(argv)
    os.environ.update(OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false", HYPOTHESIS_STORAGE_DIRECTORY=tempfile.gettempdir(), TQDM_DISABLE="1")
    sys.dont_write_bytecode = True              # a copy has other code than the file
    import log as benchmarks
    import torch
    import transformers  # noqa: F401       # copies have it already
    torch.set_num_threads(1)
    rows = json.loads(LOG.read_text(encoding="utf-8"))["files"] if LOG.exists() else {}
    known, status = sources(), 0
    for name in options.file or known:
        if name not in known:
            print(f"{name} is not among the files that are mutated: {', '.join(known)}", file=sys.stderr)
            return 2
        before = rows.get(name)
        if not (options.file or options.all) and before and before["sha256"] == code_hash((ROOT / name).read_text(encoding="utf-8")):
            continue
        only = {(mutant["function"], mutant["change"]) for mutant in before["survivors"]} if options.survivors and before else None
        try:
            rows[name] = row(name, only)
        except ValueError as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
            continue
        print(f"{name}: {rows[name]['killed']} of {rows[name]['mutants']} killed, {rows[name]['seconds']} s", flush=True)
        for mutant in rows[name]["survivors"]:
            print(f"    {mutant['line']:4} {mutant['function']}: {mutant['change']}", flush=True)
        totals = Counter()
        for entry in rows.values():
            totals[entry["group"], "mutants"] += entry["mutants"]
            totals[entry["group"], "killed"] += entry["killed"]
        LOG.write_text(json.dumps({
            "benchmark": "which mistakes in minibert no test notices", "command": "python tools/mutation.py", "machine": benchmarks.machine(),
            "versions": benchmarks.versions(), "seed": SEED, "target": TARGET,
            "groups": {group: {what: totals[group, what] for what in ("mutants", "killed")} for group in (*SCOPE, "rest")},
            "files": {name: rows[name] for name in known if name in rows}}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
