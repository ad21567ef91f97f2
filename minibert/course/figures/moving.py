"""Interactive figures, which work in a notebook and in the static page without a kernel or network
requests.

Each figure is one JavaScript file in `static/`, in the format of anywidget (https://anywidget.dev):
it ends in `export default { render({ model, el }) { … } }`. It may call the functions of
`static/common.js`, which is put in front of it.
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
    """An interactive figure, created by `moving`. The script receives these traits and nothing
    else.
    """

    name = traitlets.Unicode().tag(sync=True)  # of the script, without .js
    data = traitlets.Dict().tag(sync=True)  # what it draws
    label = traitlets.Unicode().tag(sync=True)  # the heading
    alt = traitlets.Unicode().tag(sync=True)  # a description of what is visible
    try_this = traitlets.Unicode().tag(sync=True)  # a suggestion for the reader

    def __repr__(self):
        """A summary of the data, which tests compare with the stored notebook.

        The last digits of floats differ between processors, so only their mean is included.
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
    """Returns the figure of `static/NAME.js` with its `data`, which must be JSON values.

    `needs` lists other files in `static/` whose functions the script calls; a style sheet of the
    same name comes along. `alt` describes the initial state in words, and `try_this` suggests what
    to do. Raises ValueError if the figure does not exist, or if the data cannot be converted to
    JSON.
    """
    if not (STATIC / f"{name}.js").is_file():
        known = sorted(
            path.stem
            for path in STATIC.glob("*.js")
            if "export default" in path.read_text(encoding="utf-8")
        )
        raise ValueError(f"name: there is no moving figure {name!r}; there are {', '.join(known)}")
    try:
        data = json.loads(
            json.dumps(data, allow_nan=False)
        )  # a copy, in the form that the page receives
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"data of the figure {name!r} must be JSON values without nan and inf: {error}"
        ) from None
    figure = type(
        name,
        (Moving,),
        {
            "_esm": read("common.js", *needs, f"{name}.js"),
            "_css": read(
                "common.css", *(f"{Path(file).stem}.css" for file in needs), f"{name}.css"
            ),
        },
    )
    return figure(name=name, data=data, label=label, alt=alt, try_this=try_this)


def rounded(tensor: Tensor, digits: int = 3) -> list:
    """Converts a tensor to nested lists, rounded to `digits` decimals, for the data of a figure."""
    return json.loads(
        json.dumps(
            torch.as_tensor(tensor, dtype=torch.float64).round(decimals=digits).add(0.0).tolist()
        )
    )


@cache
def read(*files: str) -> str:
    """The concatenated text of files in `static/`; files that do not exist are skipped, because not
    every figure has a style sheet.
    """
    return "\n".join(
        (STATIC / file).read_text(encoding="utf-8") for file in files if (STATIC / file).exists()
    )


def without_floats(value, floats: list[float]):
    """Returns `value` with every float replaced by None, and appends the floats to `floats`."""
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
