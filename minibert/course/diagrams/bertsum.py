"""BertSum: from a document to a score for each sentence."""

from minibert.course.diagrams.drawing import PALETTE, Diagram, Drawing

CENTRES = (62, 180, 298)
SCORES = (0.81, 0.12, 0.56)
ALT = (
    "BertSum from top to bottom. A document of N sentences is written with a [CLS] before and a"
    " [SEP] after every sentence; the segments alternate, 0, 1, 0. BERT gives a vector for every"
    " token, [B, S, H]. The vectors of the [CLS] tokens are picked out, one for each sentence,"
    " [B, N, H]. Sinusoidal positions of the sentences are added. A second, pre-norm encoder of"
    " two layers lets the sentences attend to each other, [B, N, H]. A linear map and a sigmoid"
    " give each sentence a score between 0 and 1, [B, N]; the highest are the summary. In"
    " training the scores are compared with the labels of the oracle, [B, N]."
)


def bertsum() -> Diagram:
    """`BertSumExt` with the published head, `InterSentenceEncoder`."""
    d = Drawing(484, "BertSum")
    for i, x in enumerate(CENTRES):
        d.box(x - 54, 8, 38, 20, "token", "token", 1.5)
        d.text(x - 35, 21.8, "[CLS]", 10.5, "paper", weight=700, family="mono")
        d.box(x - 14, 8, 32, 20, "paper", "edge")
        d.line([(x - 9, 15), (x + 13, 15)], "edge", 1.5)
        d.line([(x - 9, 21), (x + 6, 21)], "edge", 1.5)
        d.box(x + 20, 8, 38, 20, "paper", "edge")
        d.text(x + 39, 21.8, "[SEP]", 10.5, "soft", family="mono")
        odd = i % 2
        d.box(x - 54, 32, 112, 12, "segment" if odd else "segment-wash", "segment", 1, 0)
        d.text(x + 2, 41.5, f"segment {odd}", 9.5, "paper" if odd else "ink", weight=600)
    d.arrow([(180, 46), (180, 66)], "ink", 1.3)
    d.shape(186, 60, "[B, S]", "input_ids")
    d.box(8, 67, 348, 34, "token-wash", "token", 2.2, 7)
    d.text(182, 82, "BERT", 13, weight=700)
    d.text(182, 95, "every token attends to every token", 10, "soft")
    for i, x in enumerate(CENTRES):
        at = x - 35
        d.arrow([(at, 101), (at, 143)], "token", 2)
        d.box(at - 19, 144, 38, 22, "token", "token", 1.5)
        d.text(at, 159.5, f"T{'₁₂₃'[i]}", 12, "paper", weight=700)
    d.shape(32, 120, "[B, S, H]", "hidden")
    d.text(32, 133, "pick the [CLS]", 10.5, "soft", "start")
    d.shape(290, 159, "[B, N, H]", "sentence vectors", "ink")
    for i, x in enumerate(CENTRES):
        at = x - 35
        d.line([(at, 166), (at, 180)], "ink", 1.3)
        d.circle(at, 188, 8, "paper", "position", 1.8)
        d.text(at, 192.3, "+", 13, weight=700)
        d.arrow([(at + 30, 188), (at + 9, 188)], "position", 1.4)
        d.circle(at + 40, 188, 10, "position-wash", "position", 1.4)
        d.text(at + 40, 192, str(i), 11, weight=600)
        d.arrow([(at, 196), (at, 225)], "ink", 1.3)
    d.text(151, 209, "sinusoidal positions", 10.5, "soft", "start")
    d.shape(151, 221, "[N, H]", "sentence positions")
    d.shape(272, 216, "[B, N, H]", "encoder input")
    d.box(8, 226, 348, 66, "head-wash", "head", 2.2, 7)
    d.text(182, 284, "inter-sentence encoder, 2 layers, pre-norm", 12, weight=700)
    ends = [(x - 35, 262) for x in CENTRES]
    for (x0, y), (x1, _), thick in (
        (ends[0], ends[2], 3),
        (ends[0], ends[1], 1.2),
        (ends[1], ends[2], 1.6),
    ):
        rise = 40 if x1 - x0 > 150 else 24
        d.parts.append(
            f'<path d="M{x0} {y}C{x0 + 20} {y - rise} {x1 - 20} {y - rise} {x1} {y}"'
            f' fill="none" class="s-head" stroke="{PALETTE["head"][0]}" stroke-width="{thick}"/>'
        )
    for x, y in ends:
        d.circle(x, y, 5, "head", "head")
    d.arrow([(182, 292), (182, 312)], "ink", 1.3)
    d.shape(188, 306, "[B, N, H]", "encoder output")
    d.box(96, 313, 172, 24, "mask-wash", "mask", 1.8)
    d.text(182, 329.3, "Linear(H, 1), sigmoid", 12, weight=600)
    d.arrow([(182, 337), (182, 357)], "ink", 1.3)
    d.shape(188, 351, "[B, N]", "scores")
    for i, (x, score) in enumerate(zip(CENTRES, SCORES)):
        left = x - 54
        d.box(left, 363, 78, 14, "paper", "edge")
        d.box(left, 363, 78 * score, 14, "mask", "mask", 0)
        d.text(left + 112, 374.3, f"{score:.2f}", 10.5, anchor="end", weight=600, family="mono")
        d.text(
            left,
            393,
            f"sentence {i + 1}" + (" ✓" if score > 0.5 else ""),
            11,
            "ink" if score > 0.5 else "soft",
            "start",
            700 if score > 0.5 else 400,
        )
    d.line([(8, 406), (356, 406)], "line", 1)
    d.text(8, 424, "in training:", 11, anchor="start", weight=600)
    d.text(92, 424, "labels of the oracle", 11, "soft", "start")
    d.shape(214, 424, "[B, N]", "labels")
    d.text(8, 440, "loss: binary cross-entropy, summed over the sentences", 11, "soft", "start")
    d.text(180, 474, "B documents · S tokens · N sentences · H hidden size", 10, "soft")
    return d.finish(ALT)
