"""An interactive figure of the similarity of two positions as a function of their distance, for
sinusoidal and learned positions.
"""

from collections.abc import Mapping

import torch.nn.functional as F
from torch import Tensor

from minibert.course.figures.moving import Moving, moving
from minibert.course.figures.packed import packed

SHOWN = 64  # rows of a table


def position_products(
    dim: int, tables: Mapping[str, Tensor] | None = None, reach: int = 511, distance: int = 50
) -> Moving:
    """Returns a figure of the dot product of sinusoidal positions by distance (equation 3.3),
    divided by dim / 2, for a base that the reader chooses.

    With `tables`, the figure also shows the cosines between one row of each table and all others,
    and the reader chooses that row.

    dim       number of columns of the sinusoidal table
    tables    name -> S rows of H numbers; at most two tables, of at least 64 rows
    reach     the largest distance drawn if there are no tables
    distance  the initial position of the cursor
    Raises ValueError if dim is odd, if there are too many tables or too few rows, or if the
    distance is not drawn.
    """
    tables = dict(tables or {})
    if dim % 2 or dim < 2:
        raise ValueError(f"dim must be an even number of at least 2, not {dim!r}")
    if len(tables) > 2 or any(len(rows) < SHOWN for rows in tables.values()):
        raise ValueError(
            f"tables: at most two, each of at least {SHOWN} rows, not"
            f" {', '.join(f'{name} of {len(rows)}' for name, rows in tables.items())}"
        )
    if tables:
        reach = SHOWN - 1
    if not 0 <= distance <= reach:
        raise ValueError(f"distance must be 0 to {reach}, not {distance!r}")
    units = {
        name: F.normalize(rows[:SHOWN].detach().double(), dim=1) for name, rows in tables.items()
    }  # each [SHOWN, H]
    others = "".join(f", and {name}" for name in tables)
    return moving(
        "position_products",
        {
            "dim": dim,
            "reach": reach,
            "distance": distance,
            "tables": [
                {"name": name, "cosines": packed(rows @ rows.T)} for name, rows in units.items()
            ],
        },
        needs=["sinusoidal.js", "stage.js", *(["packed.js"] if tables else [])],
        label=(
            "By formula, nearby positions are alike; a table has to learn it"
            if tables
            else "The similarity of two positions depends only on how far apart they are"
        ),
        alt=(
            f"Curves over the distance of two positions: sinusoidal{others}. The sinusoidal one is"
            " 1 at distance 0 and falls in ripples."
        ),
        try_this=(
            "Move the position. Which curve stays where it is?"
            if tables
            else (
                "Move the base from one end to the other. Then go back to 10,000 and take away"
                " hands until only the fastest is left."
            )
        ),
    )
