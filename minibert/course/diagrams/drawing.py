"""What every diagram is drawn with: boxes, arrows, text, and the shapes of tensors.

A drawing is one SVG. Its colours are those of the book. Each is a variable: a page of the book sets
them for its theme, and alone (on GitHub, in Colab, as a file) the drawing follows the reader's
system. Paper is always light.
"""

from dataclasses import dataclass
from html import escape

# name: (light, dark), as in book/_static/minibert.css
PALETTE = {
    "paper": ("#ffffff", "#10161c"),
    "panel": ("#f5f8fa", "#182129"),
    "line": ("#d5dee5", "#2e3b47"),
    "edge": ("#5d7183", "#8497a7"),
    "ink": ("#17222c", "#dfe7ed"),
    "soft": ("#4c5d6c", "#a3b3c0"),
    "token": ("#0072b2", "#56aee3"),
    "segment": ("#c44e00", "#f58b4c"),
    "position": ("#00805e", "#3fbf97"),
    "head": ("#a64d79", "#df8fb8"),
    "mask": ("#ffb000", "#ffb000"),
    "mask-ink": ("#7a4b00", "#ffc95c"),
    "token-wash": ("#e8f3fa", "#14293a"),
    "segment-wash": ("#fdf0e8", "#2f1e14"),
    "position-wash": ("#e7f5f0", "#12291f"),
    "head-wash": ("#fbf0f5", "#2b1d26"),
    "mask-wash": ("#fff6df", "#2a2312"),
}
FAMILIES = {
    "sans": "var(--mb-sans, 'Segoe UI', system-ui, 'Helvetica Neue', Arial, sans-serif)",
    "mono": "var(--mb-mono, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace)",
    "serif": "var(--mb-serif, Charter, Georgia, 'DejaVu Serif', serif)",
}
WIDTH = 360  # of a drawing in a chapter: a phone shows it at full size


def _style() -> str:
    light = ";".join(f"--d-{name}:{colours[0]}" for name, colours in PALETTE.items())
    dark = ";".join(f"--d-{name}:{colours[1]}" for name, colours in PALETTE.items())
    uses = "".join(
        f".mbd .f-{name}{{fill:var(--d-{name})}}.mbd .s-{name}{{stroke:var(--d-{name})}}"
        for name in PALETTE
    )
    families = "".join(f".mbd .{name}{{font-family:{font}}}" for name, font in FAMILIES.items())
    return (
        f".mbd{{{light}}}@media screen and (prefers-color-scheme:dark){{.mbd{{{dark}}}}}"
        f"{uses}{families}"
    )


@dataclass(frozen=True)
class Diagram:
    """A drawing as a notebook shows it.

    `shapes` says what stands on its arrows: the name of a tensor -> its shape in the letters of the
    package. A test compares them with the tensors of a run.
    """

    svg: str
    alt: str
    shapes: dict[str, str]

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"image/svg+xml": self.svg, "text/plain": self.alt}


class Drawing:
    """One SVG in the making; x goes right, y goes down."""

    def __init__(self, height: float, title: str, width: float = WIDTH):
        self.height, self.title, self.width = height, title, width
        self.parts: list[str] = []
        self.shapes: dict[str, str] = {}

    def box(
        self, x, y, width, height, fill="paper", stroke="edge", thick=1.0, radius=4.0, dash=""
    ) -> None:
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"'
            f'{_paint(fill, stroke)} stroke-width="{thick:g}"{dashes}/>'
        )

    def circle(self, x, y, radius, fill="paper", stroke="edge", thick=1.0) -> None:
        self.parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"{_paint(fill, stroke)}'
            f' stroke-width="{thick:g}"/>'
        )

    def text(
        self,
        x,
        y,
        text,
        size=12.0,
        fill="ink",
        anchor="middle",
        weight=400,
        family="sans",
        italic=False,
    ) -> None:
        bold = f' font-weight="{weight}"' if weight != 400 else ""
        slant = ' font-style="italic"' if italic else ""
        slant += ' word-spacing="-2.5"' if family == "mono" else ""  # a gap as wide as a letter
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}"{bold}{slant}'
            f"{_paint(fill, None, family)}>{_raised(text, size)}</text>"
        )

    def shape(self, x, y, shape, of, fill="soft", anchor="start", size=10.5, weight=400) -> None:
        """The shape of a tensor; `of` names the tensor."""
        self.shapes[of] = shape
        self.text(x, y, shape, size, fill, anchor, weight, "mono")

    def line(self, points, stroke="edge", thick=1.2, dash="", curve=0.0) -> None:
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<path d="{_path(points, curve)}"{_paint(None, stroke)}'
            f' stroke-width="{thick:g}" stroke-linejoin="round"{dashes}/>'
        )

    def arrow(self, points, stroke="edge", thick=1.2, dash="", curve=5.0) -> None:
        """A line with a head at its last point; corners are rounded."""
        (x0, y0), (x, y) = points[-2:]
        length = max(abs(x - x0) + abs(y - y0), 1e-9)
        u, v = (x - x0) / length, (y - y0) / length
        self.line([*points[:-1], (x - 4 * u, y - 4 * v)], stroke, thick, dash, curve)
        wide = 3.2 if thick < 1.8 else 4.2
        tip = [
            (x, y),
            (x - 6.5 * u - wide * v, y - 6.5 * v + wide * u),
            (x - 6.5 * u + wide * v, y - 6.5 * v - wide * u),
        ]
        corners = " ".join(f"{a:g},{b:g}" for a, b in tip)
        self.parts.append(f'<polygon points="{corners}"{_paint(stroke, None)}/>')

    def finish(self, alt: str) -> Diagram:
        title = escape(alt, quote=True)
        size = f'width="{self.width:g}" height="{self.height:g}"'
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="mbd"'
            f' viewBox="0 0 {self.width:g} {self.height:g}" {size}'
            f' role="img" aria-label="{title}">'
            f"<title>{escape(self.title)}</title><style>{_style()}</style>"
            f'<rect class="f-paper" {size} fill="#ffffff"/>' + "".join(self.parts) + "</svg>"
        )
        return Diagram(svg, alt, self.shapes)


def _raised(text: str, size: float) -> str:
    """Escaped text; a "ᵀ" becomes a raised T, because some bold fonts draw U+1D40 like an s."""
    before, sign, after = escape(text).partition("ᵀ")
    if not sign:
        return before
    up = f"{0.35 * size:.1f}"
    return (
        f'{before}<tspan dy="-{up}" font-size="{0.7 * size:.1f}">T</tspan>'
        f'<tspan dy="{up}">{after}</tspan>'
    )


def _paint(fill: str | None, stroke: str | None, *classes: str) -> str:
    """Classes for programs that know variables, attributes for those that do not."""
    names = [*classes]
    attributes = ' fill="none"'
    if fill:
        names.append(f"f-{fill}")
        attributes = f' fill="{PALETTE[fill][0]}"'
    if stroke:
        names.append(f"s-{stroke}")
        attributes += f' stroke="{PALETTE[stroke][0]}"'
    return f' class="{" ".join(names)}"{attributes}' if names else attributes


def _path(points, curve: float) -> str:
    """Straight lines through the points, with corners of radius `curve`."""
    begin = f"M{points[0][0]:g} {points[0][1]:g}"
    for before, at, after in zip(points, points[1:], points[2:]):
        enter, leave = _towards(at, before, curve), _towards(at, after, curve)
        begin += f"L{enter[0]:g} {enter[1]:g}Q{at[0]:g} {at[1]:g} {leave[0]:g} {leave[1]:g}"
    return begin + f"L{points[-1][0]:g} {points[-1][1]:g}"


def _towards(start, end, distance: float):
    length = max(((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5, 1e-9)
    share = min(distance, length / 2) / length
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
