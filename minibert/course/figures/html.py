"""Tables in plain HTML, which GitHub, Colab and the book all display, and printed source code."""

import inspect
from collections.abc import Sequence
from html import escape

import torch


def heat_table(
    matrix, rows=None, columns=None, digits: int = 2, caption: str = "", corner: str = ""
):
    """Formats a matrix [R, C] as a table with cells coloured by value: slate above zero, brown
    below.

    Returns an object that a notebook displays; its `.data` is the HTML text (for `flipbook`). Every
    cell also contains its number, so no information depends on colour alone.
    """
    from IPython.display import HTML

    # Round first, so that the colours depend only on the digits shown. The digits after them may
    # differ between machines.
    matrix = torch.as_tensor(matrix, dtype=torch.float64).round(decimals=digits)  # [R, C]
    if matrix.dim() != 2 or not matrix.numel():
        raise ValueError(
            f"matrix must have the shape [rows, columns], and a number, not {list(matrix.shape)}"
        )
    rows = list(rows) if rows is not None else [""] * matrix.size(0)
    columns = list(columns) if columns is not None else [""] * matrix.size(1)
    if [len(rows), len(columns)] != list(matrix.shape):
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


def marks(
    label: str,
    filled: Sequence[bool],
    *,
    here: int | None = None,
    texts: Sequence[str] = (),
    wrong: bool = False,
) -> str:
    """Formats one small mark for each case in a row, for a frame of `flipbook`, as HTML text.

    label   what a filled mark means; it comes first, and the count of filled marks last
    here    the number of the case that is framed
    texts   a short text in each mark, for example a rank
    wrong   whether the filled marks count mistakes, which are red
    """
    if texts and len(texts) != len(filled):
        raise ValueError(f"texts must be one for each of {len(filled)} marks, not {len(texts)}")
    count = sum(map(bool, filled))
    said = f"{count}" if count == len(filled) else f"{count} of {len(filled)}"
    row = "".join(
        f'<i class="{"mb-filled" if full else ""}{" mb-here" if i == here else ""}">'
        f"{escape(texts[i]) if texts else ''}</i>"
        for i, full in enumerate(filled)
    )
    return (
        f'<p class="mb-marks{" mb-wrong" if wrong else ""}{" mb-texts" if texts else ""}"'
        f' role="img" aria-label="{escape(label)}: {said}" data-tip="{escape(label)}: {said}">'
        f"<span>{escape(label)}</span><b>{said}</b><span>{row}</span></p>"
    )


def _cell(value: float, largest: float, digits: int) -> str:
    color = "84, 117, 143" if value >= 0 else "168, 116, 62"
    strength = round(0.6 * abs(value) / largest, 2)
    return (  # + 0: no "-0.00"
        f'<td style="background: rgba({color}, {strength})">{value + 0:.{digits}f}</td>'
    )


def show_source(thing) -> None:
    """Prints the source code of a class or function of the package.

    A test compares the stored outputs of the notebooks with the current source.
    """
    print(inspect.getsource(thing), end="")
