"""One encoder layer, post-norm beside pre-norm: they differ in where LayerNorm lies."""

from minibert.course.diagrams.drawing import Diagram, Drawing

ALT = (
    "Two encoder layers side by side. In each, the residual stream runs from top to bottom, and"
    " attention and the feed-forward network each read a copy of it and add their result."
    " Post-norm, as BERT was published: a LayerNorm lies on the stream after each addition."
    " Pre-norm: the two LayerNorms lie on the branches, before attention and before the"
    " feed-forward network; nothing lies on the stream itself, and one more LayerNorm follows the"
    " last layer. The stream and everything added to it have the shape [B, S, H]; inside the"
    " feed-forward network it is [B, S, I]."
)


def layer() -> Diagram:
    """An encoder layer in both forms, as `BertLayer` runs it."""
    d = Drawing(372, "An encoder layer, post-norm and pre-norm")
    _column(d, 6, "post-norm", "as BERT was published", "LayerNorm(x + f(x))", norm_first=False)
    d.line([(180, 12), (180, 360)], "line", 1)
    _column(d, 190, "pre-norm", "norm_first=True", "x + f(LayerNorm(x))", norm_first=True)
    return d.finish(ALT)


def _column(d: Drawing, left, name, note, formula, norm_first: bool) -> None:
    form = "pre" if norm_first else "post"
    stream, branch = left + 38, left + 112
    d.text(left, 18, name, 14, anchor="start", weight=700)
    d.text(left, 33, note, 10.5, "soft", "start")
    d.shape(stream + 6, 56, "[B, S, H]", f"{form} input")
    top = 44
    for sublayer, of, colour, inner in (
        ("attention", "attention", "head", "weights [B, A, S, S]"),
        ("feed-forward", "feed-forward", "token", "inside [B, S, I]"),
    ):
        leave = top + 22
        begin = leave + (46 if norm_first else 20)
        meet = begin + 52
        d.line([(stream, top), (stream, meet - 7)], "token", 3.2)
        d.line([(stream, leave), (branch, leave), (branch, leave + 10)], "ink", 1.3, curve=6)
        if norm_first:
            _norm(d, branch, leave + 12)
            d.arrow([(branch, leave + 30), (branch, begin - 1)], "ink", 1.3)
            d.shape(branch + 5, begin - 4, "[B, S, H]", f"{form} {of} input")
        else:
            d.arrow([(branch, leave + 8), (branch, begin - 1)], "ink", 1.3)
            d.shape(branch + 5, begin - 5, "[B, S, H]", f"{form} {of} input")
        d.box(branch - 56, begin, 112, 32, f"{colour}-wash", colour, 1.8)
        d.text(branch, begin + 14, sublayer, 12, weight=600)
        d.text(branch, begin + 26, inner, 9.5, "soft", family="mono")
        d.arrow([(branch, begin + 32), (branch, meet), (stream + 8, meet)], "ink", 1.3, curve=6)
        d.shape(branch + 5, begin + 47, "[B, S, H]", f"{form} {of}")
        d.circle(stream, meet, 7.5, "paper", "token", 2)
        d.text(stream, meet + 4.3, "+", 13, weight=700)
        top = meet + 8
        if not norm_first:
            d.line([(stream, top), (stream, top + 10)], "token", 3.2)
            _norm(d, stream, top + 10)
            top += 28
    d.arrow([(stream, top), (stream, 326)], "token", 3.2)
    d.shape(stream + 8, 320, "[B, S, H]", f"{form} output")
    d.text(left, 344, formula, 11.5, anchor="start", weight=600, family="mono")
    end = "after the last layer: LayerNorm" if norm_first else "twice in each layer"
    d.text(left, 360, end, 10.5, "soft", "start")


def _norm(d: Drawing, centre, top) -> None:
    d.box(centre - 36, top, 72, 18, "ink", "ink")
    d.text(centre, top + 13, "LayerNorm", 11, "paper", weight=600)
