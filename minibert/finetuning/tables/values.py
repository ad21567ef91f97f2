"""The values of a row, checked: text, class name, number, list of words."""

import math
import re
from typing import Any

from minibert.config import InputError
from minibert.finetuning.tables.formats import listed
from minibert.finetuning.tables.rows import Row

LARGEST = 1e18  # number that is a label

# Lists as Python and numpy print them: ['a', 'b'], [0, 2, 1], [ 0  2 11]
PRINTED_WORDS = re.compile(r"\[\s*(['\"]).*\1\s*,?\s*\]", re.DOTALL)
PRINTED_NUMBERS = re.compile(r"\[\s*-?\d+(?:(?:,\s*|\s+)-?\d+)*\]")


def value_of(row: Row, column: str) -> Any:
    """The value of a column. Raises an InputError where the row lacks it."""
    if column not in row.values:
        raise InputError(f"has no {column!r}; it has {listed(list(row.values)) or 'nothing'}")
    return row.values[column]


def text_of(row: Row, column: str) -> str:
    """A text that is not empty, without white space around it."""
    value = value_of(row, column)
    if not isinstance(value, str):
        raise InputError(f"{column!r} must be a text, not {value!r:.60}")
    if not value.strip():
        raise InputError(f"{column!r} is empty")
    return value.strip()


def class_name_of(row: Row, column: str) -> str:
    """The name of a class: a text, a whole number or a truth value."""
    value = value_of(row, column)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool):
        value = str(value).lower()
    if value is None or (isinstance(value, str) and not value.strip()):
        raise InputError(f"has no label: {column!r} is {value!r}")
    if not isinstance(value, str | int):
        raise InputError(
            f"{column!r} is {value!r:.60}; a label is a name or a whole number, one for each row "
            "(for other numbers: regression)"
        )
    return str(value).strip()


def as_float(value: Any) -> float:
    """Like `float`, but a truth value, or the text "1_000", is a ValueError."""
    if isinstance(value, bool) or "_" in str(value):
        raise ValueError
    return float(value)


def number_of(row: Row, column: str) -> float:
    """A number that float32 can hold, also when it is squared."""
    value = value_of(row, column)
    try:
        number = as_float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{column!r} must be a number, such as 3.5, not {value!r:.60}")
    if abs(number) > LARGEST:
        raise InputError(
            f"{column!r} must lie between -{LARGEST:g} and {LARGEST:g}, but it is {number:g}"
        )
    return number


def list_of(row: Row, column: str) -> list[Any]:
    """A list that is not empty; a text is split at white space."""
    value = value_of(row, column)
    if isinstance(value, str) and (
        PRINTED_WORDS.fullmatch(value.strip()) or PRINTED_NUMBERS.fullmatch(value.strip())
    ):
        raise InputError(
            f"{column!r} is a list that was printed as text, {value!r:.60}: write its items "
            "with spaces between them, or the rows as JSON"
        )
    value = value.split() if isinstance(value, str) else value
    if not isinstance(value, list | tuple) or not value:
        raise InputError(
            f"{column!r} must be a list of at least one word, or words with spaces between them, "
            f"not {row.values[column]!r:.60}"
        )
    return list(value)
