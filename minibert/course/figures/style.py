"""The colour palette of the book, safe for colour-blind readers, and the style of its plots."""

import matplotlib
from matplotlib.colors import LinearSegmentedColormap

# Based on Okabe & Ito's palette for colour-blind readers, and dark enough for text on white. Each
# concept has the same colour in every chapter and the same shape in every drawing.
# book/_static/minibert.css and static/common.css repeat these colours, with lighter ones for dark
# mode.
COLORS = {
    "token": "#0072b2",  # blue, a box
    "segment": "#c44e00",  # vermilion, a bar
    "position": "#00805e",  # green, a circle
    "head": "#a64d79",  # purple, an arc
    "mask": "#ffb000",  # amber, a box: what the model or the reader has to predict
    "right": "#17222c",  # the right way: a solid line
    "wrong": "#b3162f",  # the wrong way; always with another line style or marker as well
    "control": "#5d7183",  # untrained models, chance, baselines
}
# Runs, models and texts that are compared: none of them is a concept.
SERIES = ("#5b33b0", "#6b6a00", "#7a3b1d", "#17222c")  # indigo, olive, brown, ink
# One neutral heat scale: slate, and brown below zero. Zero is white. In dark mode the book inverts
# figures, so that zero becomes black.
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "minibert", ["#ffffff", "#a9bac7", "#54758f", "#1d2f3e"]
)
DIVERGING = LinearSegmentedColormap.from_list(
    "minibert_diverging", ["#5e3a14", "#a8743e", "#ffffff", "#54758f", "#1d2f3e"]
)


def use_style() -> None:
    """Sets matplotlib's defaults for the book: white background, no top or right spine, and text
    that is legible on a phone.
    """
    matplotlib.rcParams.update(
        {
            "figure.figsize": (6.4, 3.6),
            "figure.dpi": 120,
            "figure.facecolor": "white",
            "figure.constrained_layout.use": True,
            "savefig.facecolor": "white",
            "font.size": 11,
            "axes.titlesize": 11,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": "#555555",
            "axes.grid": False,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "axes.prop_cycle": matplotlib.cycler(color=SERIES, linestyle=["-", "--", "-.", ":"]),
            "image.cmap": "minibert",
            "image.interpolation": "nearest",
        }
    )


matplotlib.colormaps.register(SEQUENTIAL, force=True)
matplotlib.colormaps.register(DIVERGING, force=True)
