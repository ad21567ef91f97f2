"""What a link to a page shows elsewhere: a title, a description and a picture of 1200 x 630, drawn from the page's key figure.

The key figure is the first moving figure of a page that is more than a flipbook of tables, or else its first picture; a page without one gets
its title and its first sentences. The pictures lie in `_static/share`. Whoever reads the tags needs the whole address of a picture, and that
follows from the repository in _config.yml: a repository on github.com has its pages on github.io. Without one, no tag has an address.
"""

import re
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from minibert_search import plain
from PIL import Image, ImageDraw, ImageFont

FOLDER, SIZE = "_static/share", (1200, 630)
EDGE, SIDE, COLUMN = (
    48,
    470,
    650,
)  # the margin, what the title has, and what the figure has beside it
LONGEST = 200  # letters of a description
INK, SOFT, PANEL = "#17222c", "#4c5d6c", "#f5f8fa"
TOKEN, SEGMENT, POSITION, HEAD = "#0072b2", "#c44e00", "#00805e", "#a64d79"
FONTS = Path(__file__).resolve().parent.parent / "_static" / "vendor" / "fonts"
NOT_PROSE = (nodes.block_quote, nodes.list_item, nodes.table, nodes.definition)


def pages_address(repository: str) -> str:
    """Where GitHub serves the pages of a repository: https://github.com/me/course -> https://me.github.io/course/; else nothing."""
    parts = urlsplit(repository)
    owner, _, name = parts.path.strip("/").removesuffix(".git").partition("/")
    if parts.hostname != "github.com" or not name:
        return ""
    return f"https://{owner.lower()}.github.io/" + (
        "" if name.lower() == f"{owner.lower()}.github.io" else f"{name}/"
    )


def set_address(app, config):
    """The address of the pages, from that of the repository, unless the configuration names one."""
    config.html_baseurl = config.html_baseurl or pages_address(config.minibert_repository)


def description(doctree) -> str:
    """The first sentences of a page, as far as they are short enough; none of a list, of a box or of what is generated."""
    for paragraph in doctree.findall(nodes.paragraph):
        words = [*paragraph.findall(nodes.Text)]
        text = " ".join("".join(map(typed, words)).split())
        words = [word for word in words if word.strip()]
        aside = any(map(is_aside, ancestors(paragraph))) or (
            words and isinstance(words[0].parent, nodes.strong)
        )
        if not aside and len(text) >= 60:
            ends = [end.end() for end in re.finditer(r"[.!?](?= |$)", text[:LONGEST])]
            if ends and ends[-1] >= 60:
                return text[: ends[-1]]
            return f"{text[:LONGEST].rpartition(' ')[0]} …"
    return ""


def typed(text: nodes.Text) -> str:
    return plain(str(text)) if isinstance(text.parent, nodes.math) else str(text)


def ancestors(node):
    while node := node.parent:
        yield node


def is_aside(node) -> bool:
    return isinstance(node, NOT_PROSE) or "generated" in getattr(node, "attributes", {}).get(
        "classes", []
    )


def key_figure(doctree) -> nodes.image | None:
    """The picture that stands for a page."""
    pictures = [image for image in doctree.findall(nodes.image) if image["uri"].endswith(".png")]
    moving = [
        each for each in pictures if is_moving(each) and "figure-flipbook" not in each["classes"]
    ]
    return next(iter([*moving, *pictures]), None)


def is_moving(image: nodes.image) -> bool:
    return "figure-still" in image["classes"]


@cache
def font(family: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    letters = ImageFont.truetype(FONTS / family / f"{family}-latin-wght-normal.woff2", size)
    letters.set_variation_by_axes([weight])
    return letters


def lines(text: str, letters: ImageFont.FreeTypeFont, width: int, most: int) -> list[str]:
    """A text in lines of a width; what does not fit into so many lines is left out."""
    found = [""]
    for word in text.split():
        longer = f"{found[-1]} {word}".strip()
        if letters.getlength(longer) <= width:
            found[-1] = longer
        else:
            found.append(word)
    return found if len(found) <= most else [*found[: most - 1], f"{found[most - 1]} …"]


def picture(title: str, about: str, figure: Path | None, whole: bool = True) -> Image.Image:
    """The picture of a page: its title and what it is about, beside its figure. Where not the whole figure has to be seen, a long one runs
    over the edge below."""
    image = Image.new("RGB", SIZE, "white")
    pen, foot = ImageDraw.Draw(image), SIZE[1] - EDGE
    width = SIDE - 2 * EDGE if figure else SIZE[0] - 2 * EDGE
    heading = font("bricolage-grotesque", 42 if figure else 84, 700)
    text = font("source-serif-4", 23 if figure else 34, 400)
    if figure:
        pen.rectangle((0, 0, SIDE, SIZE[1]), PANEL)
        drawn = Image.open(figure).convert("RGB")
        scale = min(COLUMN / drawn.width, (SIZE[1] - 2 * EDGE) / drawn.height if whole else 2)
        drawn = drawn.resize(
            (round(scale * drawn.width), round(scale * drawn.height)), Image.Resampling.LANCZOS
        )
        top = max(EDGE, (SIZE[1] - drawn.height) // 2)
        image.paste(drawn, (SIDE + (SIZE[0] - SIDE - drawn.width) // 2, top))
    top = EDGE - 8
    for line in lines(title, heading, width, 5):
        pen.text((EDGE, top), line, INK, heading)
        top += round(1.1 * heading.size)
    top += round(0.4 * heading.size)
    for line in lines(about, text, width, (foot - 60 - top) // round(1.35 * text.size)):
        pen.text((EDGE, top), line, SOFT, text)
        top += round(1.35 * text.size)
    mark(pen, EDGE, foot - 26)
    pen.text((EDGE + 190, foot - 34), "minibert", INK, font("bricolage-grotesque", 32, 700))
    return image


def mark(pen: ImageDraw.ImageDraw, left: int, top: int) -> None:
    """The alphabet of the book: a token is a box, a segment a bar, a position a circle, a head an arc."""
    pen.rounded_rectangle((left, top, left + 34, top + 26), 6, TOKEN)
    pen.rounded_rectangle((left + 46, top + 8, left + 84, top + 18), 3, SEGMENT)
    pen.ellipse((left + 96, top, left + 122, top + 26), POSITION)
    pen.arc((left + 134, top + 2, left + 172, top + 46), 180, 360, HEAD, 6)


def add_tags(app, pagename, templatename, context, doctree):
    """The tags of one page, and its picture."""
    if doctree is None:
        return
    title = re.sub(r"<[^>]*>", "", context["title"])
    title = plain(title)
    about = description(doctree) or f"{title}: a page of minibert, a course that builds BERT."
    name = f"{FOLDER}/{pagename.replace('/', '-')}.png"
    figure = key_figure(doctree)
    sources = {image: source for source, image in app.builder.images.items()}
    (Path(app.outdir) / FOLDER).mkdir(parents=True, exist_ok=True)
    drawn = picture(
        title,
        about,
        Path(app.srcdir) / sources[Path(figure["uri"]).name] if figure else None,
        figure is None or not is_moving(figure),
    )
    drawn.quantize(256, Image.Quantize.MAXCOVERAGE).save(Path(app.outdir) / name, optimize=True)
    tags = {
        "og:site_name": "minibert",
        "og:type": "website" if pagename == app.config.root_doc else "article",
        "og:title": title,
        "og:description": about,
    }
    if app.config.html_baseurl:
        base = app.config.html_baseurl.rstrip("/")
        tags |= {
            "og:url": f"{base}/{pagename}.html",
            "og:image": f"{base}/{name}",
            "og:image:width": str(SIZE[0]),
            "og:image:height": str(SIZE[1]),
            "og:image:alt": f"{title}: the key figure of the page" if figure else title,
        }
    context["metatags"] += f'\n<meta name="description" content="{escape(about)}">' + "".join(
        f'\n<meta property="{key}" content="{escape(value)}">' for key, value in tags.items()
    )
    context["metatags"] += '\n<meta name="twitter:card" content="summary_large_image">'


def setup(app):
    """Sphinx calls this."""
    app.connect("config-inited", set_address, priority=900)  # after minibert_book
    app.connect("html-page-context", add_tags)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
