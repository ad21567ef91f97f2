"""One attention head, drawn with numbers that really come out of each other."""

import math

from minibert.course.diagrams.drawing import Diagram, Drawing

WORDS = ["the", "bank", "by", "the", "river"]
# a toy: H = 6, D = 3, chosen so that "bank" looks at "river"
HIDDEN = [
    [2, 0, 1, 0, 0, 1],
    [0, 2, 0, 1, 2, 0],
    [1, 0, 2, 0, 0, 1],
    [2, 0, 1, 0, 0, 1],
    [0, 1, 0, 2, 1, 0],
]
QUERY = [[1, 0, 0], [0, 2, 1], [1, 0, 1], [1, 0, 0], [0, 1, 1]]
KEY = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 2, 1]]
VALUE = [[1, 0, 0], [0, 2, 0], [0, 1, 1], [1, 0, 0], [0, 0, 3]]
CELL = 12
ALT = (
    "One attention head with matrices drawn as grids, one row for each of the words the, bank,"
    " by, the, river. Three linear maps make queries, keys and values of D numbers from hidden"
    " states of H numbers. Queries times keys, divided by the root of D, are a square of scores,"
    " a row for each word that looks and a column for each word that is looked at. The"
    " softmax makes each row sum to 1, and the row of bank is darkest at river. Weights times"
    " values are the result of the head. A mask hides padding before the"
    " softmax. The results of all A heads stand side by side"
    " and pass one more linear map, back to [B, S, H]."
)


def scores() -> list[list[float]]:
    """Q K^T / √D of the toy."""
    root = math.sqrt(len(KEY[0]))
    return [[sum(q * k for q, k in zip(a, b)) / root for b in KEY] for a in QUERY]


def weights() -> list[list[float]]:
    """The softmax of each row of the scores."""
    powers = [[math.exp(score) for score in row] for row in scores()]
    return [[power / sum(row) for power in row] for row in powers]


def mixed() -> list[list[float]]:
    """Weights times values."""
    return [[sum(w * v[i] for w, v in zip(row, VALUE)) for i in range(3)] for row in weights()]


def head() -> Diagram:
    """One head of `BertSelfAttention`, and how its result leaves `BertSelfOutput`."""
    d = Drawing(492, "One attention head")

    _grid(d, 144, 8, HIDDEN, "token", WORDS)
    d.shape(222, 34, "[B, S, H]", "hidden")
    d.text(222, 48, "hidden states", 10.5, "soft", "start")
    columns = [("query", 40, QUERY, "Q"), ("key", 146, KEY, "K"), ("value", 248, VALUE, "V")]
    for name, x, matrix, letter in columns:
        middle = x + 18
        points = [(180, 68), (180, 82), (middle, 82), (middle, 114)]
        d.arrow(points if x != 146 else [(180, 68), (180, 82), (164, 82), (164, 114)], "ink", 1.3)
        d.text(middle + 6, 98, f"{name}:", 10.5, "ink", "start", 600)
        d.text(middle + 6, 110, "Linear", 10, "soft", "start")
        _grid(d, x, 116, matrix, "token", WORDS if x == 40 else None)
        d.text(x + 41, 134, letter, 13, "ink", "start", 700)
        d.shape(x + 41, 150, "[B, A, S, D]", name, size=9.5)
    d.arrow([(58, 176), (58, 212), (94, 212), (94, 224)], "ink", 1.3)
    d.arrow([(164, 176), (164, 212), (138, 212), (138, 224)], "ink", 1.3)
    d.text(116, 199, "Q Kᵀ / √D", 11.5, weight=600)
    _grid(d, 86, 226, scores(), "edge", WORDS, top=3.0)
    d.text(152, 244, "scores", 11, "ink", "start", 600)
    d.shape(152, 258, "[B, A, S, S]", "scores")
    d.arrow([(116, 286), (116, 322)], "ink", 1.3)
    d.text(122, 302, "mask", 10.5, "soft", "start")
    d.shape(156, 302, "[B, 1, 1, S]", "mask")
    d.text(122, 315, "softmax of each row", 10.5, "soft", "start")
    _grid(d, 86, 324, weights(), "head", WORDS, top=0.75)
    d.text(116, 398, "rows sum to 1", 10.5, "soft")
    d.text(152, 342, "weights", 11, "ink", "start", 600)
    d.shape(152, 356, "[B, A, S, S]", "weights")
    d.arrow([(266, 176), (266, 322)], "ink", 1.3)
    d.arrow([(148, 371), (246, 371)], "ink", 1.3)
    d.text(197, 384, "weights × V", 10.5, "ink", weight=600)
    _grid(d, 248, 324, mixed(), "token", None, top=2.0)
    d.text(289, 344, "result", 11, "ink", "start", 600)
    d.shape(289, 358, "[B, A, S, D]", "mixed", size=9.5)
    d.arrow([(266, 386), (266, 414), (212, 414), (212, 425)], "ink", 1.3)
    d.text(260, 405, "A heads joined", 10.5, "soft", "end")
    d.shape(272, 405, "[B, S, H]", "joined")
    d.box(134, 426, 156, 24, "token-wash", "token", 1.8)
    d.text(212, 442, "output: Linear(H, H)", 12, weight=600)
    d.arrow([(212, 450), (212, 472)], "ink", 1.3)
    d.shape(218, 466, "[B, S, H]", "output")
    d.text(212, 486, "B texts · S tokens · H hidden size · A heads · D = H / A", 10, "soft")
    return d.finish(ALT)


def _grid(d: Drawing, x, y, rows, colour, names=None, top=2.0) -> None:
    """A matrix; a darker cell is a larger number."""
    wide, high = CELL * len(rows[0]), CELL * len(rows)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            strength = round(min(1.0, max(0.0, value / top)), 2)
            d.parts.append(
                f'<rect x="{x + CELL * j}" y="{y + CELL * i}" width="{CELL}" height="{CELL}"'
                f' class="f-{colour}" fill-opacity="{0.08 + 0.82 * strength:.2f}"/>'
            )
        if names:
            bold = 700 if names[i] == "bank" else 400
            d.text(
                x - 4,
                y + CELL * i + 9.5,
                names[i],
                9.5,
                "ink" if bold == 700 else "soft",
                "end",
                bold,
            )
    for j in range(len(rows[0]) + 1):
        d.line([(x + CELL * j, y), (x + CELL * j, y + high)], "paper", 1)
    for i in range(len(rows) + 1):
        d.line([(x, y + CELL * i), (x + wide, y + CELL * i)], "paper", 1)
