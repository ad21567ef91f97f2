"""A picture of the model page's attention tool, for readers without scripts, e-books and paper: what the tool shows first.

In `book/model.md` the line `<!-- arcs -->` becomes a drawing as book/_static/model/attention.js makes it, and its sentence.
"""

import re
from functools import cache
from html import escape, unescape
from pathlib import Path

import torch

from minibert import WordPieceTokenizer, from_pretrained
from minibert.course.figures import COLORS
from minibert.hub.find_pretrained import SMALL

PAGE, PLACE = "book/model", "<!-- arcs -->"
TEXT = re.compile(r'id="model-fill-text"[^>]*>([^<]+)')
LETTER, GAP, FLAT = (
    9.2,
    14,
    0.32,
)  # of attention.js: width of a letter, room around a token, height of an arc by its width


@cache
def first_row(sentence):
    """The tokens of a sentence, the place of its blank, and the weights [S] with which it looks in layer 1, head 1."""
    model, tokenizer = from_pretrained(SMALL).eval(), WordPieceTokenizer.from_pretrained(SMALL)
    inputs = tokenizer([sentence])
    with torch.no_grad():
        weights = model.bert(**inputs, output_attentions=True).attentions[0][0, 0]  # [S, S]
    blank = inputs["input_ids"][0].tolist().index(tokenizer.token_to_id("[MASK]"))
    return (
        [tokenizer.id_to_token(number) for number in inputs["input_ids"][0].tolist()],
        blank,
        weights[blank].tolist(),
    )


def draw(tokens, blank, weights):
    """Boxes with the tokens, an arc from the blank to each of them, as wide as the weight is large; as SVG."""
    widths = [max(2, len(token)) * LETTER + GAP for token in tokens]
    lefts = [4 + sum(widths[:i]) + 4 * i for i in range(len(tokens))]
    middles = [left + width / 2 for left, width in zip(lefts, widths)]
    whole = lefts[-1] + widths[-1] + 4
    top = min(150, FLAT * whole) + 8
    arcs, boxes = [], []
    for i, (token, weight) in enumerate(zip(tokens, weights)):
        a, b = middles[blank], middles[i]
        lift = top - 1.33 * min(top - 8, max(18, FLAT * abs(a - b)))
        path = (
            f"M{a - 8:.0f} {top:.0f}C{a - 20:.0f} {top - 34:.0f} {a + 20:.0f} {top - 34:.0f} {a + 8:.0f} {top:.0f}"
            if i == blank
            else f"M{a:.0f} {top:.0f}C{a:.0f} {lift:.0f} {b:.0f} {lift:.0f} {b:.0f} {top:.0f}"
        )
        arcs.append(
            f'<path d="{path}" fill="none" stroke="{COLORS["head"]}" stroke-linecap="round" stroke-width="{1 + 9 * weight:.2f}" opacity="{0.08 + 0.92 * weight**0.5:.2f}"/>'
        )
        boxes.append(
            f'<rect x="{lefts[i]:.0f}" y="{top:.0f}" width="{widths[i]:.0f}" height="30" rx="6" fill="{COLORS["head"]}" fill-opacity="{0.08 + 0.5 * weight:.2f}"'
            f"{' stroke=' + chr(34) + COLORS['head'] + chr(34) if i == blank else ''}/>"
            f'<text x="{middles[i]:.0f}" y="{top + 20:.0f}" text-anchor="middle" font-family="monospace" font-size="14" fill="currentColor">{escape(token)}</text>'
            f'<text x="{middles[i]:.0f}" y="{top + 46:.0f}" text-anchor="middle" font-size="12" fill="currentColor">{weight:.0%}</text>'
        )
    return (
        f'<svg viewBox="0 0 {whole:.0f} {top + 52:.0f}" width="{whole:.0f}" style="max-width: 100%; height: auto" role="img" aria-label="Arcs from {escape(tokens[blank])} to all tokens; the widest '
        f'lead where it looks most.">{"".join(arcs + boxes)}</svg>'
    )


def still(sentence):
    """The drawing and what one sees in it, as Markdown."""
    tokens, blank, weights = first_row(sentence)
    most = sorted(range(len(tokens)), key=lambda i: -weights[i])[:3]
    seen = ", ".join(f"“{tokens[i]}” ({i + 1}) {weights[i]:.0%}" for i in most)
    return f"```{{raw}} html\n{draw(tokens, blank, weights)}\n<p>Layer 1, head 1: “{escape(tokens[blank])}” ({blank + 1}) looks most at {escape(seen)}.</p>\n```"


def fill_page(app, docname, source):
    if docname == PAGE:
        fields = (Path(app.srcdir) / "book" / "model" / "fill.html").read_text(encoding="utf-8")
        source[0] = source[0].replace(PLACE, still(unescape(TEXT.search(fields)[1])))


def setup(app):
    """Sphinx calls this."""
    app.connect("source-read", fill_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
