"""Pictures of the moving figures on pages that are no notebooks: `python tools/page_stills.py` draws in book/stills what is not current.

A picture carries the digest of its figure's script, look and data, so that a test notices when it has become another figure.
"""

import io
import re
import sys
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, from anywhere
from minibert.course import figures
from tools.environment import ROOT
from tools.stills import SCALE, browser, digest, picture

FOLDER = ROOT / "book" / "stills"
WIDTH = (
    960  # wider than in a chapter: so a whole page of numbers is no longer than a sheet of paper
)


def named() -> list[str]:
    """The figures that pages of the book place with the directive `moving-figure`."""
    return sorted(
        {
            name
            for page in (ROOT / "book").rglob("*.md")
            for name in re.findall(
                r"^```\{moving-figure\} (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE
            )
        }
    )


def drawn_from(file: Path) -> str:
    """The digest of the figure of which a stored picture was drawn; empty where there is no picture."""
    return Image.open(file).text.get("still", "") if file.is_file() else ""


def store(folder: Path = FOLDER) -> list[str]:
    """Draw every picture that is not that of its figure. -> the names of those. Raises a ValueError where there is no browser."""
    states = {name: getattr(figures, name)().get_state() for name in named()}
    stale = [
        name
        for name, state in states.items()
        if drawn_from(folder / f"{name}.png") != digest(state)
    ]
    if stale:
        folder.mkdir(exist_ok=True)
        with browser() as started:
            tab = started.new_page(
                viewport={"width": WIDTH, "height": 900}, device_scale_factor=SCALE
            )
            for name in stale:
                about = PngInfo()
                about.add_text("still", digest(states[name]))
                Image.open(io.BytesIO(picture(tab, states[name]))).save(
                    folder / f"{name}.png", pnginfo=about, optimize=True
                )
    return stale


def main() -> int:
    try:
        stale = store()
    except ValueError as error:
        print(error, file=sys.stderr)  # no browser
        return 2
    print(f"drawn anew: {', '.join(stale) or 'nothing, all are current'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
