"""Runs tests against the mutants of one file, each in a copy (fork) of a process that has imported everything; see mutation.py."""

import ast
import contextlib
import gc
import importlib
import importlib.machinery
import json
import math
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

from tools.environment import ROOT
from tools.mutation_operators import Mutant

THREADED = (
    "pyarrow",
    "datasets",
)  # start threads when they are imported, and a copy of a process has none of its threads
GRACE = 3.0  # seconds of processor time that a test may take beyond four times what it needs, its module's fixtures included
LONGEST = 4.0  # seconds of processor time; tests that take longer are not asked


def examine(path: Path, chosen: list[Mutant], tests: list[str]) -> list[Mutant]:
    """The mutants of a file that survive its tests. Raises a ValueError where a test fails without any mutant."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = folder / "found.json"
        status = in_fork(lambda: _pytest(tests, folder, Judge(path, chosen, found)))
        if not found.exists():
            raise ValueError(
                f"the tests of {path.name} could not be run: status {status} of pytest {' '.join(tests)}"
            )
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
                fate = (
                    "survived"
                    if in_fork(lambda: _run_anew(path, changed, tests, folder, results["seconds"]))
                    == 0
                    else "killed"
                )
            if fate == "survived":
                survivors.append(mutant)
        return survivors


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
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)  # what a test may have started
    return status


class Judge:
    """A plugin of pytest that, instead of running the tests, runs them against every mutant. Its findings are in a file."""

    def __init__(
        self,
        path: Path,
        chosen: list[Mutant],
        found: Path,
        limits: bool = False,
        fresh: dict[str, float] | None = None,
    ):
        self.path, self.chosen, self.found, self.fresh = path, chosen, found, fresh
        self.failed, self.seconds, self.limited, self.kills = set(), fresh or {}, limits, Counter()

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, call):
        if (
            self.limited
            and call.excinfo is not None
            and not call.excinfo.errisinstance(pytest.skip.Exception)
        ):
            os._exit(1)  # killed; to write down how takes longer than many a test

    def pytest_collection_modifyitems(self, items):
        if (
            self.fresh is not None
        ):  # a mutant that acts at import: the tests that passed before, the fastest first
            items[:] = sorted(
                (item for item in items if self.fresh.get(item.nodeid, math.inf) <= LONGEST),
                key=lambda item: self.fresh[item.nodeid],
            )

    def pytest_runtest_protocol(self, item):
        if self.limited:
            module = item.nodeid.split("::")[0]
            seconds = GRACE + 4 * (
                self.seconds[item.nodeid]
                + max(value for test, value in self.seconds.items() if test.startswith(module))
            )
            resource.setrlimit(
                resource.RLIMIT_CPU,
                (int(time.process_time() + seconds) + 1, resource.RLIM_INFINITY),
            )
            signal.alarm(60 + int(20 * seconds))  # a test that only waits

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
        gc.freeze()  # copies share what is there already
        fates = [
            self.fate(
                session,
                mutant,
                compile(mutant.tree(tree), str(self.path), "exec"),
                live,
                measured["tests"],
            )
            for mutant in self.chosen
        ]
        self.found.write_text(json.dumps({**measured, "fates": fates}))
        return True

    def measure(self, session, lines: Path) -> int:
        """Which tests reach which line, and the seconds of each; in one that comes first, what its module's fixtures take too."""
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
        lines.write_text(
            json.dumps(
                {
                    "failed": sorted(self.failed),
                    "tests": tests,
                    "modules": _foreign_modules(),
                    "seconds": self.seconds,
                }
            )
        )
        return 0

    def fate(
        self, session, mutant: Mutant, changed: CodeType, live: dict, tests: dict[str, list[str]]
    ) -> str:
        """'killed', 'survived', or 'import' where the package has to be imported anew."""
        code = {_key(code): code for code in _codes(changed)}
        functions = [
            (function, code[key])
            for key, found in live.items()
            if key[0] == mutant.function and key in code
            for function in found
        ]
        if (
            not mutant.in_body
            or not functions
            or any(function.__code__.co_freevars != new.co_freevars for function, new in functions)
        ):
            return "import"
        reached = {
            test
            for line in range(mutant.lines[0], mutant.lines[1] + 1)
            for test in tests.get(str(line), ())
        }
        items = sorted(
            (
                item
                for item in session.items
                if item.nodeid in reached and self.seconds[item.nodeid] <= LONGEST
            ),
            key=lambda item: (
                (1 + 4 * self.kills[item.nodeid]) ** -1 * (0.02 + self.seconds[item.nodeid])
            ),
        )
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
        self.kills[running.read_text()] += 1  # what has seen one mistake here may see the next
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
    return sorted(
        name
        for name, module in list(sys.modules.items())
        if not name.startswith(THREADED)
        and (file := getattr(module, "__file__", None))
        and not Path(file).is_relative_to(ROOT / "minibert")
        and ("site-packages" in file or not Path(file).is_relative_to(ROOT))
    )


def _import_all(modules: list[str]) -> None:
    for module in modules:
        # some cannot be imported by themselves; it is a matter of speed only
        with contextlib.suppress(Exception):
            importlib.import_module(module)


def _pytest(tests: list[str], folder: Path, judge: Judge) -> int:
    os.chdir(ROOT)
    return pytest.main(
        [
            "-q",
            *(["-x"] if judge.fresh is not None else []),
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "--assert",
            "plain",
            "-m",
            "not slow",
            "--basetemp",
            str(folder / "tests"),
            *tests,
        ],
        plugins=[judge],
    )


def _run_anew(
    path: Path, changed: CodeType, tests: list[str], folder: Path, seconds: dict[str, float]
) -> int:
    """The tests against a package that is imported with the changed code."""
    plain = importlib.machinery.SourceFileLoader.get_code
    importlib.machinery.SourceFileLoader.get_code = lambda loader, name: (
        changed if loader.path == str(path) else plain(loader, name)
    )
    return _pytest(tests, folder, Judge(path, [], folder, limits=True, fresh=seconds))
