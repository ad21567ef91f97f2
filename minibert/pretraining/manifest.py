"""Checks of a run.json: it must have the types that minibert writes there."""

import dataclasses
import types
import typing
from typing import Any

from minibert.config import InputError

# the parts of a run.json, of which all but the first two may be missing
PARTS: dict[str, Any] = {
    "settings": dict,
    "sessions": list,
    "sources": dict | None,
    "given": dict,
    "config": dict,
    "digests": dict,
}
# the options of a session that are kept, also by the names of older versions
GIVEN: dict[str, Any] = {
    "log_every": int,
    "eval_every": int,
    "eval_sequences": int,
    "eval_rows": int,
    "checkpoint_every": str,
    "tensorboard": bool,
    "shard": bool,
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
            if name in GIVEN and not isinstance(value, GIVEN[name]):
                raise InputError(f"{name} is of a wrong type")


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
        if dataclasses.is_dataclass(value):
            check_settings(value)
