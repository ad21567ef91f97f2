"""Figures that move by a script of their own: the same in a notebook and in the page, with no
kernel and no request.

A figure is one JavaScript file in `static/`, in the form of anywidget (https://anywidget.dev): it
ends in `export default { render({ model, el }) { … } }`. `static/common.js` stands before it, so
that its functions are at hand.
"""

import hashlib
import json
from functools import cache
from pathlib import Path

import anywidget
import torch
import traitlets
from torch import Tensor

from minibert.course.figures.packed import unpacked

STATIC = Path(__file__).resolve().parent / "static"


class Moving(anywidget.AnyWidget):
    """A moving figure; `moving` makes them. Its state is all that the script gets to see."""

    name = traitlets.Unicode().tag(sync=True)  # of the script
    data = traitlets.Dict().tag(sync=True)  # what it draws
    label = traitlets.Unicode().tag(sync=True)  # the heading
    alt = traitlets.Unicode().tag(sync=True)  # what one sees, in words
    try_this = traitlets.Unicode().tag(sync=True)  # what to do with it

    def __repr__(self):
        """What a stored notebook compares. Late digits of floats differ between processors, so only
        their mean counts.
        """
        numbers: list[float] = []
        digest = hashlib.sha256(
            json.dumps(without_floats(self.data, numbers), sort_keys=True).encode()
        ).hexdigest()[:8]
        mean = (
            f", {len(numbers):,} numbers with a mean of {sum(numbers) / len(numbers) + 0:.2f}"
            if numbers
            else ""
        )
        return f"moving figure “{self.label}”: {digest}{mean}"


def moving(
    name: str,
    data: dict,
    *,
    label: str,
    alt: str,
    try_this: str,
    needs: tuple[str, ...] | list[str] = (),
) -> Moving:
    """The figure of `static/NAME.js` with its `data`, which is made of dicts, lists, texts,
    numbers, True, False and None.

    `needs` names other files in `static/` whose functions the script calls. `alt` says in words
    what the first state shows, `try_this` what to do. Raises a ValueError for a figure that does
    not exist or data that JSON cannot hold.
    """
    if not (STATIC / f"{name}.js").is_file():
        known = sorted(
            path.stem
            for path in STATIC.glob("*.js")
            if "export default" in path.read_text(encoding="utf-8")
        )
        raise ValueError(f"name: there is no moving figure {name!r}; there are {', '.join(known)}")
    try:
        data = json.loads(json.dumps(data, allow_nan=False))  # a copy, as the page will get it
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"data of the figure {name!r} must be JSON values without nan and inf: {error}"
        ) from None
    figure = type(
        name,
        (Moving,),
        {
            "_esm": read("common.js", *needs, f"{name}.js"),
            "_css": read("common.css", f"{name}.css"),
        },
    )
    return figure(name=name, data=data, label=label, alt=alt, try_this=try_this)


def rounded(tensor: Tensor, digits: int = 3) -> list:
    """A tensor as nested lists of numbers with `digits` decimals, for the data of a figure."""
    return json.loads(
        json.dumps(
            torch.as_tensor(tensor, dtype=torch.float64).round(decimals=digits).add(0.0).tolist()
        )
    )


@cache
def read(*files: str) -> str:
    """Files of `static/`, joined; a figure may lack a style sheet of its own."""
    return "\n".join(
        (STATIC / file).read_text(encoding="utf-8") for file in files if (STATIC / file).exists()
    )


def without_floats(value, floats: list[float]):
    """`value` with None for each float in it; the floats are added to `floats`."""
    match value:
        case float():
            return floats.append(value)
        case {"packed": str()}:
            return floats.extend(unpacked(value).flatten().tolist()) or value["shape"]
        case dict():
            return {key: without_floats(inside, floats) for key, inside in value.items()}
        case list():
            return [without_floats(inside, floats) for inside in value]
    return value
