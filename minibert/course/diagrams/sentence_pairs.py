"""How a document is cut into pairs: collected sentences, a cut, and the outcomes of the toss."""

from minibert.course.diagrams.drawing import Diagram, Drawing

WIDTHS = (56, 36, 62, 42, 50, 40, 46)  # of the sentences
CUT, END = 2, 4  # sentences before the cut, and sentences collected
ELSEWHERE = (("x", 44), ("y", 54))  # sentences of another document
GAP, HIGH = 2, 22
ALT = (
    "A document as a row of seven sentences. Sentences 1 to 4 are collected, because together they"
    " reach the target; start is before sentence 1, the cut after sentence 2, end after sentence 4."
    " Below, the two outcomes of the toss. Heads, label 0: A is sentences 1 and 2, B is sentences 3"
    " and 4, and the next pair starts at 5. Tails, label 1: A is sentences 1 and 2, B is sentences"
    " x and y of another document, sentences 3 and 4 are put back, and the next pair starts at 3."
)


def sentence_pairs() -> Diagram:
    """What `pairs_of` does with the first sentences of a document."""
    d = Drawing(252, "How a document is cut into pairs")
    edges = [8]
    for width in WIDTHS:
        edges.append(edges[-1] + width + GAP)
    d.text(8, 16, "a document, one box for each sentence", 12, anchor="start", weight=700)
    for i, width in enumerate(WIDTHS):
        ground, edge = ("token-wash", "token") if i < END else ("paper", "line")
        d.box(edges[i], 28, width, HIGH, ground, edge, 1.2)
        d.text(edges[i] + width / 2, 43, str(i + 1), 11, "ink" if i < END else "soft")
    d.line([(8, 56), (edges[END] - GAP, 56)], "token", 2)
    d.text(edges[END] + 6, 70, "collected: enough tokens", 10.5, "soft", "start")
    for name, at, anchor in (("start", 0, "start"), ("cut", CUT, "middle"), ("end", END, "middle")):
        x = edges[at] - GAP / 2 if at else edges[0]
        d.line([(x, 23), (x, 78)], "ink", 1.6, "" if name == "cut" else "2 3")
        d.text(x, 90, name, 11, anchor=anchor, weight=700, family="mono")
    _outcome(d, 108, "heads · label 0, B follows A", False, edges)
    _outcome(d, 182, "tails · label 1, B is random", True, edges)
    return d.finish(ALT)


def _outcome(d: Drawing, y: float, name: str, random: bool, edges: list[float]) -> None:
    """A pair, and what becomes of the sentences after the cut."""
    d.text(8, y + 8, name, 12, anchor="start", weight=700)
    first = [(str(i + 1), WIDTHS[i]) for i in range(CUT)]
    second = ELSEWHERE if random else [(str(i + 1), WIDTHS[i]) for i in range(CUT, END)]
    colour = "head" if random else "segment"
    x = edges[0]
    for text, sentences, tone in (("A", first, "token"), ("B", second, colour)):
        start = x
        for label, width in sentences:
            d.box(x, y + 15, width, HIGH, f"{tone}-wash", tone, 1.2)
            d.text(x + width / 2, y + 30, label, 11)
            x += width + GAP
        d.text((start + x - GAP) / 2, y + 50, text, 11, weight=700)
        x += 10
    notes = ("3 and 4 are put back;", "next start: 3") if random else ("next start: 5",)
    for line, note in enumerate(notes):
        d.text(x + 4, y + (25 if random else 30) + 14 * line, note, 10.5, "soft", "start")
