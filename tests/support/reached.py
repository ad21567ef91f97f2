"""A plugin for pytest: writes down which functions of minibert each test calls, its fixtures included. `pytest -p reached`

The file named in MINIBERT_REACHED gets {test: ["minibert/attention.py::attend", …]}, all cases of a test together.
"""

import json
import os
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = f"{ROOT / 'minibert'}{os.sep}"
calls: set[tuple[str, str]] = set()  # (file, qualified name), of what runs now
calls_of_fixture: dict[
    object, set[tuple[str, str]]
] = {}  # a fixture of a whole module is set up once, for all its tests
reached: dict[str, set[tuple[str, str]]] = defaultdict(set)


def _note(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
        calls.add((frame.f_code.co_filename, frame.f_code.co_qualname))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    before = set(calls)
    calls.clear()
    result = yield
    calls_of_fixture[fixturedef] = set(calls)
    calls.update(before)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    calls.clear()
    sys.setprofile(_note)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        fixtures = [
            calls_of_fixture.get(definition, set())
            for found in item._fixtureinfo.name2fixturedefs.values()
            for definition in found
        ]
        reached[item.nodeid.split("[")[0]] |= calls.union(*fixtures)


def pytest_sessionfinish():
    found = {
        test: sorted(f"{Path(file).relative_to(ROOT).as_posix()}::{name}" for file, name in names)
        for test, names in reached.items()
    }
    Path(os.environ["MINIBERT_REACHED"]).write_text(json.dumps(found), encoding="utf-8")
