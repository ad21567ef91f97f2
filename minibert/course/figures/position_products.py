"""An interactive figure of the similarity of two sinusoidal positions as a function of their
distance, for two bases.
"""

from minibert.course.figures.moving import Moving, moving

REACH = 511  # the largest distance drawn


def position_products(dim: int, distance: int = 64) -> Moving:
    """Returns a figure of the dot product of sinusoidal positions by distance (equation 3.3),
    divided by dim / 2: for a base that the reader chooses, beside base 10.

    dim       number of columns of the sinusoidal table
    distance  the initial position of the cursor
    Raises ValueError if dim is odd, or if the distance is not drawn.
    """
    if dim % 2 or dim < 2:
        raise ValueError(f"dim must be an even number of at least 2, not {dim!r}")
    if not 0 <= distance <= REACH:
        raise ValueError(f"distance must be 0 to {REACH}, not {distance!r}")
    return moving(
        "position_products",
        {"dim": dim, "reach": REACH, "distance": distance},
        needs=["sinusoidal.js", "stage.js"],
        label=(
            "With base 10,000 the similarity stays above 0.2 up to distance 511; with base 10 it"
            " stays below 0.1 from distance 5 on"
        ),
        alt=(
            "Two curves of the similarity of two positions over their distance, both from 1 at"
            " distance 0. The one for base 10,000 falls to about 0.73 within six positions and then"
            " slowly, with ripples, to about a quarter. The grey one for base 10 is at 0 after five"
            " positions, falls to about -0.2 near 17, and then wavers around 0."
        ),
        try_this="Move the base down to 10, step by step, and watch how soon the curve is near 0.",
    )
