"""Tables and source code for the page, in plain HTML that GitHub, Colab and the book all show."""

import inspect
from html import escape

import torch


def heat_table(
    matrix, rows=None, columns=None, digits: int = 2, caption: str = "", corner: str = ""
):
    """A matrix [R, C] as a table whose cells are coloured by value: blue above zero, orange below.

    Returns an object that a notebook shows and whose `.data` is the HTML text (for `flipbook`). The
    numbers stand in the cells, so the colour is never the only carrier.
    """
    from IPython.display import HTML

    # rounded first, so that the colours follow from the numbers shown and not from digits that a
    # machine may move
    matrix = torch.as_tensor(matrix, dtype=torch.float64).round(decimals=digits)  # [R, C]
    rows = list(rows) if rows is not None else [""] * matrix.size(0)
    columns = list(columns) if columns is not None else [""] * matrix.size(1)
    if matrix.dim() != 2 or [len(rows), len(columns)] != list(matrix.shape):
        raise ValueError(
            f"a table of {len(rows)} rows and {len(columns)} columns cannot hold a matrix"
            f" {list(matrix.shape)}"
        )
    largest = max(float(matrix.abs().max()), 1e-12)
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(str(name))}</th>'
        + "".join(_cell(float(v), largest, digits) for v in values)
        + "</tr>"
        for name, values in zip(rows, matrix)
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return HTML(
        "<table"
        f' class="heat">{title}<thead><tr><td>{escape(corner)}</td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _cell(value: float, largest: float, digits: int) -> str:
    color = "0, 114, 178" if value >= 0 else "213, 94, 0"
    strength = round(0.6 * abs(value) / largest, 2)
    return (  # + 0: no "-0.00"
        f'<td style="background: rgba({color}, {strength})">{value + 0:.{digits}f}</td>'
    )


def show_source(thing) -> None:
    """Print the source of a class or function of the package: a stored output that drifts fails its
    test.
    """
    print(inspect.getsource(thing), end="")
