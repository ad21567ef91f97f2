"""Checks of a run.json: it must have the types that minibert writes there."""

import dataclasses
import types
import typing
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any

from minibert.config import MOST, InputError
from minibert.pretraining.options import MOST_THREADS
from minibert.pretraining.settings import TIME

# the parts of a run.json, of which all but the first two may be missing
PARTS: dict[str, Any] = {
    "settings": dict,
    "sessions": list,
    "sources": dict | None,
    "given": dict,
    "config": dict,
    "digests": dict,
}
COUNT, SWITCH = "a whole number of at least 1", "true or false"
THREADS = f"a whole number from 1 to {MOST_THREADS:,}"
# the options of a session that are kept, also by the names of older versions
GIVEN = {
    "log_every": COUNT,
    "eval_every": COUNT,
    "eval_sequences": COUNT,
    "eval_rows": COUNT,
    "checkpoint_every": "a text such as '100' (steps) or '10m'",
    "time_limit": "a number of seconds",
    "tensorboard": SWITCH,
    "shard": SWITCH,
    "threads": THREADS,
}


def check_record(record: dict[str, Any]) -> None:
    """Raise an InputError that names a part of a run.json that is missing or of a wrong type."""
    for name, kind in PARTS.items():
        required = name in ("settings", "sessions")
        if (required or name in record) and not isinstance(record.get(name), kind):
            raise InputError(f"{name} is missing or of a wrong type")
    given = [record.get("given", {})]
    for session in record["sessions"]:
        if not isinstance(session, dict) or not isinstance(session.get("given"), dict):
            raise InputError("a session lacks what was given")
        given.append(session["given"])
    for options in given:
        for name, value in options.items():
            if name in GIVEN and not _is_option(name, value):
                raise InputError(f"{name} is {shown(value)}, expected {GIVEN[name]}")


def _is_option(name: str, value: Any) -> bool:
    """Whether a value is what GIVEN says of an option."""
    if GIVEN[name] == SWITCH:
        return isinstance(value, bool)
    if GIVEN[name] in (COUNT, THREADS):
        return type(value) is int and 1 <= value <= (MOST if GIVEN[name] == COUNT else MOST_THREADS)
    if name == "time_limit":
        return type(value) in (int, float) and 0 <= value <= MOST
    if not isinstance(value, str) or len(value) > 40:
        return False
    return 1 <= int(value) <= MOST if value.isdecimal() else bool(TIME.fullmatch(value))


def check_settings(settings: Any) -> None:
    """Raise an InputError that names a field of a wrong type; `settings` is a dataclass."""
    for name, hint in typing.get_type_hints(type(settings)).items():
        value = getattr(settings, name)
        if typing.get_origin(hint) is tuple:
            fits = isinstance(value, tuple) and all(isinstance(part, str) for part in value)
        else:
            parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
            fits = isinstance(value, hint) or (isinstance(value, int) and float in parts)
        if not fits:
            raise InputError(f"{name} is of a wrong type")
        if isinstance(value, int) and abs(value) > MOST:
            raise InputError(f"{name} is {shown(value)}, expected at most {MOST:,}")
        if dataclasses.is_dataclass(value):
            check_settings(value)
