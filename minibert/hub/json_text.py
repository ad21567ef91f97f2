"""JSON from outside, read more strictly than `json.loads` does."""

import json
import re
from typing import Any

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # half a character, in JSON


class RefusedJSON(json.JSONDecodeError):
    """A text that is JSON, with something in it that is refused."""


def parse_json(text: str) -> Any:
    r"""The value of a JSON text.

    Raises a RefusedJSON for half of a surrogate pair ("\ud800"), which is no character: no
    tokenizer can read it, and no file can hold it; for a whole number with more digits than Python
    reads; and for a key that an object has twice. Raises another JSONDecodeError for no JSON.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise RefusedJSON(f"the key {key!r:.60} stands twice in one object", text, 0)
            found[key] = value
        return found

    try:
        value = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise RefusedJSON("a number has too many digits", text, 0) from error
    if first := SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise RefusedJSON(
                "half of a surrogate pair, which is no character", text, first.start()
            ) from error
    return value


def without_nan(value: Any) -> Any:
    """The same value with None for every NaN and infinity, which JSON does not have."""
    return json.loads(json.dumps(value), parse_constant=lambda name: None)
