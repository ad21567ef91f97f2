"""An interactive figure of sinusoidal positions: the table, and each pair of columns as a clock
hand that rotates with the position.
"""

from collections.abc import Sequence

from minibert.course.figures.moving import Moving, moving

LENGTH, FURTHEST = 64, 32  # number of positions, and the largest distance to a second one


def position_clocks(
    dim: int = 8, position: int = 4, distance: int = 3, tokens: Sequence[str] = ()
) -> Moving:
    """Returns a figure of the sinusoidal table with `dim` columns, a clock for each column pair,
    and the matrix that rotates a clock hand (equation 3.2).

    The page computes the table from its formula, equation 3.1.

    position  the initial position
    distance  the initial distance from there to the position of the second hand
    tokens    the tokens at the first positions
    Raises ValueError if dim is odd or above 16, or if position or distance is out of range.
    """
    if dim % 2 or not 2 <= dim <= 16:
        raise ValueError(f"dim must be an even number from 2 to 16, not {dim!r}")
    if position not in range(LENGTH) or distance not in range(FURTHEST + 1):
        raise ValueError(
            f"position must be 0 to {LENGTH - 1} and distance 0 to {FURTHEST}, not {position!r} and"
            f" {distance!r}"
        )
    return moving(
        "position_clocks",
        {
            "dim": dim,
            "position": position,
            "distance": distance,
            "tokens": list(tokens),
            "length": LENGTH,
            "furthest": FURTHEST,
        },
        needs=["sinusoidal.js", "stage.js"],
        label="Clock hands: k steps turn each by the same angle, from any position",
        alt=(
            f"A picture of the sinusoidal table, {dim} columns lying on their side over"
            f" {LENGTH + FURTHEST} positions: waves from fast to slow. Below it {dim // 2} clocks,"
            f" each with a hand for position {position} and one for {distance} positions"
            " further on."
        ),
        try_this=(
            "Move the position and keep your eye on the angle between the two hands of one clock."
            " Then change the steps."
        ),
    )
