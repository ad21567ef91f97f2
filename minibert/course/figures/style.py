"""One palette for the whole book, told apart by the colour-blind, and one style for every plot."""

import matplotlib
from matplotlib.colors import LinearSegmentedColormap

# After Okabe & Ito's colour-universal set, dark enough for letters on white. Each idea keeps its
# colour in every chapter
# and its shape in every drawing; book/_static/minibert.css and static/common.css have the same, and
# lighter ones for dark pages.
COLORS = {
    "token": "#0072b2",  # blue, a box
    "segment": "#c44e00",  # vermilion, a bar
    "position": "#00805e",  # green, a circle
    "head": "#a64d79",  # purple, an arc
    "mask": "#ffb000",  # amber, a box: what the model, or the reader, has to guess
    "right": "#0072b2",  # the right way: a solid line
    "wrong": "#c44e00",  # the wrong way; always with another line style or marker as well
    "control": "#5d7183",  # untrained models, chance, baselines
}
# White is nothing. The book turns figures over in dark mode, so that nothing is then black.
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "minibert", ["#ffffff", "#7fb8dd", "#0072b2", "#00304d"]
)
DIVERGING = LinearSegmentedColormap.from_list(
    "minibert_diverging", ["#8a3c00", "#e69a61", "#ffffff", "#6fb1d9", "#00466f"]
)


def use_style() -> None:
    """Set matplotlib up for the book: white ground, no top or right frame, legible on a phone."""
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
            "axes.prop_cycle": matplotlib.cycler(
                color=[
                    COLORS["token"],
                    COLORS["segment"],
                    COLORS["position"],
                    COLORS["head"],
                    "#e69f00",
                    "#555555",
                ],
                linestyle=["-", "--", "-.", ":", "-", "--"],
            ),
            "image.cmap": "minibert",
            "image.interpolation": "nearest",
        }
    )


matplotlib.colormaps.register(SEQUENTIAL, force=True)
matplotlib.colormaps.register(DIVERGING, force=True)
