"""An interactive figure of sinusoidal positions: each pair of columns is a clock hand, and the
same number of steps turns it by the same angle from any position.
"""

from collections.abc import Sequence

from minibert.course.figures.moving import Moving, moving

LENGTH, FURTHEST = 64, 32  # number of positions, and the largest distance to a second one


def position_clocks(
    dim: int = 8,
    positions: tuple[int, int] = (1, 30),
    distance: int = 2,
    tokens: Sequence[str] = (),
) -> Moving:
    """Returns a figure of clock hands, one for each pair of columns of the sinusoidal table with
    `dim` columns, at two positions and some steps further on.

    The page computes the hands from their formula, equation 3.1.

    positions  the position of the upper clocks, and the initial one of the lower clocks
    distance   the initial number of steps
    tokens     the tokens at the first positions
    Raises ValueError if dim is odd or above 16, or if a position or the distance is out of range.
    """
    if dim % 2 or not 2 <= dim <= 16:
        raise ValueError(f"dim must be an even number from 2 to 16, not {dim!r}")
    if len(positions) != 2 or any(each not in range(LENGTH) for each in positions):
        raise ValueError(f"positions must be two, each 0 to {LENGTH - 1}, not {positions!r}")
    if distance not in range(FURTHEST + 1):
        raise ValueError(f"distance must be 0 to {FURTHEST}, not {distance!r}")
    return moving(
        "position_clocks",
        {
            "dim": dim,
            "positions": list(positions),
            "distance": distance,
            "tokens": list(tokens),
            "length": LENGTH,
            "furthest": FURTHEST,
        },
        needs=["sinusoidal.js", "stage.js"],
        label="The same number of steps turns a hand by the same angle, from any position",
        alt=(
            f"Two rows of {dim // 2} clocks. In each clock the angle between a solid hand and a"
            f" dashed one, {distance} positions further on, is shaded. The upper row starts at"
            f" position {positions[0]}, the lower one at position {positions[1]}: the hands point"
            " elsewhere, and the angles are equal."
        ),
        try_this=(
            "Move the lower position: the hands turn, and the angles stay. Then change the number"
            " of steps: now the angles change, in both rows alike."
        ),
    )
