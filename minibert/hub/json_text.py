"""JSON from outside, read more strictly than `json.loads` does."""

import json
import re
from typing import Any

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # half a character, in JSON


def parse_json(text: str) -> Any:
    r"""The value of a JSON text.

    Raises a JSONDecodeError also for half of a surrogate pair
    ("\ud800"), which is no character: no tokenizer can read it, and no file can hold it; and for a
    whole number with more digits than Python reads.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise json.JSONDecodeError("a number has too many digits", text, 0) from error
    if first := SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise json.JSONDecodeError(
                "half of a surrogate pair, which is no character", text, first.start()
            ) from error
    return value


def without_nan(value: Any) -> Any:
    """The same value with None for every NaN and infinity, which JSON does not have."""
    return json.loads(json.dumps(value), parse_constant=lambda name: None)
