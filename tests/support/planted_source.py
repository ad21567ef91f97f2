"""A module of minibert with one mistake in it, for tests that have to go red."""

import inspect
import sys
import types


def planted(module: types.ModuleType, right: str, wrong: str) -> types.ModuleType:
    """The module once more, with `wrong` where its source says `right` (exactly once)."""
    source = inspect.getsource(module)
    assert source.count(right) == 1, f"{source.count(right)} times: {right}"
    changed = types.ModuleType(f"planted_{module.__name__}")
    sys.modules[changed.__name__] = changed  # dataclasses look their module up
    try:
        exec(compile(source.replace(right, wrong), changed.__name__, "exec"), changed.__dict__)
    finally:
        del sys.modules[changed.__name__]
    return changed
