"""Plants a bug in the running package and removes it again, by replacing the code of functions.

Function objects keep their identity, so every module that has imported a function sees the change.
What a constructor decides, such as a model's submodules, is affected only in models that are
constructed while the bug is planted.
"""

import ast
import importlib
import inspect
import linecache
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from types import FunctionType

from minibert.course.clinic.patient import Patient, healthy_source
from minibert.course.clinic.patients import PATIENTS
from minibert.model import BertPreTrainedModel

_present: list[str] = []  # the patient that is planted now; at most one


@contextmanager
def infected(patient_id: str):
    """Context manager that plants a patient's bug in minibert: `with infected("A1"): …`.

    Yields the Patient. The original code is restored at the end of the block, even after an error.
    Raises ValueError if the patient is unknown, if another patient is already planted, or if the
    package no longer contains the lines that the patient replaces.
    """
    patient = find(patient_id)
    with _planted(patient, patient.sources()):
        yield patient


@contextmanager
def operated(patient_id: str, *lines: str):
    """Like `infected`, but plants your own lines instead of the faulty ones: one string of code for
    each of the patient's edits.
    """
    patient = find(patient_id)
    with _planted(patient, patient.sources(lines)):
        yield patient


def find(patient_id: str) -> Patient:
    """Returns the patient with this id, or raises ValueError."""
    if patient_id not in PATIENTS:
        raise ValueError(
            f"no patient is called {patient_id!r}; the patients are {', '.join(PATIENTS)}"
        )
    return PATIENTS[patient_id]


@contextmanager
def _planted(patient: Patient, sources: dict[str, str]):
    if _present:
        raise ValueError(
            f"the package already has {_present[0]}: only one patient can be planted at a time,"
            " so leave its block first"
        )
    with ExitStack() as healing:
        _present.append(patient.id)
        healing.callback(_present.clear)
        for file, source in sources.items():
            for undo in _plant(file, source, f"<minibert/{file} with {patient.id}>"):
                healing.callback(undo)
        yield


def _plant(file: str, source: str, name: str):
    """Changes the imported module of `file` wherever `source` differs from the file.

    Yields a function after each step that undoes it.
    """
    module = importlib.import_module("minibert." + file.removesuffix(".py").replace("/", "."))
    linecache.cache[name] = (
        len(source),
        None,
        source.splitlines(keepends=True),
        name,
    )  # for tracebacks and inspect
    yield lambda: linecache.cache.pop(name, None)
    changed = {"__name__": module.__name__, "__file__": name}
    registered = dict(BertPreTrainedModel.classes)
    exec(compile(source, name, "exec"), changed)
    _refill(BertPreTrainedModel.classes, registered)  # drop the classes that exec registered
    before, after = (_definitions(ast.parse(text)) for text in (healthy_source(file), source))
    for path in [path for path in after if after[path] != before.get(path)]:
        *owners, last = path.split(".")
        live, sick = module, changed
        for owner in owners:
            live, sick = vars(live)[owner], vars(sick[owner])
        yield _exchange(live, last, sick[last], f"{name}: {path}")


def _exchange(owner, name: str, new, where: str) -> Callable[[], None]:
    """Gives the attribute `name` of `owner` the code or contents of `new`, and keeps its identity.

    Returns a function that undoes the change.
    """
    if name not in vars(owner):
        setattr(owner, name, new)
        return lambda: delattr(owner, name)
    old = vars(owner)[name]
    if isinstance(old, dict) and isinstance(new, dict):
        contents = dict(old)
        _refill(old, new)
        return lambda: _refill(old, contents)
    old, new = _function(old), _function(new)
    if old is None or new is None:
        raise ValueError(
            f"{where} can not be changed in place; only functions and dictionaries can"
        )
    kept = old.__code__, old.__defaults__, old.__kwdefaults__
    old.__code__, old.__defaults__, old.__kwdefaults__ = (
        new.__code__,
        new.__defaults__,
        new.__kwdefaults__,
    )

    def undo():
        old.__code__, old.__defaults__, old.__kwdefaults__ = kept

    return undo


def _refill(target: dict, contents: dict) -> None:
    target.clear()
    target.update(contents)


def _function(value) -> FunctionType | None:
    """The plain function behind a method, a property or a decorated function; None if there is
    none.
    """
    value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, FunctionType) else None


def _definitions(tree: ast.Module | ast.ClassDef, prefix: str = "") -> dict[str, str]:
    """The definitions of a module or class: qualified name -> dump of its syntax tree.

    Comments and line numbers are not part of the dump.
    """
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= _definitions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            found[prefix + node.name] = ast.dump(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {
                prefix + (alias.asname or alias.name.split(".")[0]): ast.dump(alias)
                for alias in node.names
            }
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[prefix + node.targets[0].id] = ast.dump(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[prefix + node.target.id] = ast.dump(node.value)
    return found
