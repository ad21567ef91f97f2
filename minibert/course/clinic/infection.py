"""Making the package itself sick, in place, and healing it: functions get the code of a changed
source and then their own again.

A function stays the same object, so everything that has imported it sees the change. What is
decided when a model is made, such as its parts, is sick only in models that are made meanwhile.
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

_present: list[str] = []  # who is in the package now: one at a time


@contextmanager
def infected(patient_id: str):
    """Within it, minibert has this patient's mistake: `with infected("A1"): …`; after it, also
    after an error, it is healthy.

    Gives the Patient. Raises a ValueError for an unknown patient, for a second one at a time, and
    where the patient's lines are no longer in the package.
    """
    patient = find(patient_id)
    with _planted(patient, patient.sources()):
        yield patient


@contextmanager
def operated(patient_id: str, *lines: str):
    """Within it, minibert has your lines where this patient's mistake was, one piece of code for
    each of its edits.
    """
    patient = find(patient_id)
    with _planted(patient, patient.sources(lines)):
        yield patient


def find(patient_id: str) -> Patient:
    if patient_id not in PATIENTS:
        raise ValueError(
            f"no patient is called {patient_id!r}; the patients are {', '.join(PATIENTS)}"
        )
    return PATIENTS[patient_id]


@contextmanager
def _planted(patient: Patient, sources: dict[str, str]):
    if _present:
        raise ValueError(
            f"the package already has {_present[0]}: one patient at a time, so leave its block"
            " first"
        )
    with ExitStack() as healing:
        _present.append(patient.id)
        healing.callback(_present.clear)
        for file, source in sources.items():
            for undo in _plant(file, source, f"<minibert/{file} with {patient.id}>"):
                healing.callback(undo)
        yield


def _plant(file: str, source: str, name: str):
    """Give the live module what differs in `source`; yields what undoes each step."""
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
    _refill(BertPreTrainedModel.classes, registered)  # without the classes of the changed source
    before, after = (_definitions(ast.parse(text)) for text in (healthy_source(file), source))
    for path in [path for path in after if after[path] != before.get(path)]:
        *owners, last = path.split(".")
        live, sick = module, changed
        for owner in owners:
            live, sick = vars(live)[owner], vars(sick[owner])
        yield _exchange(live, last, sick[last], f"{name}: {path}")


def _exchange(owner, name: str, new, where: str) -> Callable[[], None]:
    """Put `new` in the place of what `owner` has under `name`, as the same object; returns what
    takes it back.
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
            f"{where} can not be changed in place: only functions and dictionaries can"
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
    """The plain function in a method, a property or a decorated function."""
    value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, FunctionType) else None


def _definitions(tree: ast.Module | ast.ClassDef, prefix: str = "") -> dict[str, str]:
    """What a module or class defines: its qualified name, and its syntax without comments and
    places.
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
