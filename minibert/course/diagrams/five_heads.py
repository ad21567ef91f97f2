"""Five task heads on one encoder: which vectors each of them reads, and what comes out."""

from minibert.course.diagrams.drawing import Diagram, Drawing

# name, what is read, maps on the way with shapes, output, what the softmax runs over
CLASSES, TOKENS = "softmax over classes", "softmax over tokens, twice"
LANES = [
    ("a text", "cls", "pooled", "[B, H]", "H → C", "text logits", "[B, C]", CLASSES),
    ("a pair of texts", "pair", "pooled pair", "[B, H]", "H → C", "pair logits", "[B, C]", CLASSES),
    ("every token", "all", "states", "[B, S, H]", "H → C", "token logits", "[B, S, C]", CLASSES),
    ("an answer in a passage", "all", "states for span", "[B, S, H]", "H → 2", "span logits",
     "2 × [B, S]", TOKENS),
    ("one of K choices", "choices", "pooled choices", "[B·K, H]", "H → 1", "choice logits",
     "[B, K]", "softmax over choices"),
]  # fmt: skip
ALT = (
    "One encoder, five heads. Each lane shows which vectors a head reads, its linear map, and"
    " its output. A text: the pooled [CLS] vector [B, H] gives [B, C], a softmax over the"
    " classes. A pair of texts: the same, with two segments in the input. Every token: all"
    " vectors [B, S, H] give [B, S, C]. An answer in a passage: all vectors give two scores for"
    " each token, start and end, each [B, S], with a softmax over the tokens. One of K choices:"
    " each choice is a sequence of its own, so the pooled vectors are [B·K, H], and one score"
    " for each gives [B, K], with a softmax over the choices."
)


def five_heads() -> Diagram:
    """The heads of chapter 9, as `minibert.heads` builds them."""
    top, high = 70, 66
    d = Drawing(top + high * len(LANES) + 22, "Five heads on one encoder")
    d.shape(180, 11, "[B, S]", "input_ids", anchor="middle")
    d.arrow([(180, 14), (180, 25)], "ink", 1.3)
    d.box(8, 26, 344, 26, "token-wash", "token", 2.2, 7)
    d.text(180, 43.5, "one pretrained encoder, about all of the weights", 12, weight=600)
    for i, (name, reads, of, shape, linear, out_of, out, softmax) in enumerate(LANES):
        y = top + high * i
        d.line([(8, y - 8), (352, y - 8)], "line", 1)
        d.text(8, y + 9, name, 12.5, anchor="start", weight=700)
        d.text(352, y + 9, softmax, 10.5, "soft", "end")
        _read(d, 8, y + 19, reads)
        d.arrow([(110, y + 34), (184, y + 34)], "ink", 1.3)
        d.shape(146, y + 29, shape, of, "ink", "middle")
        d.text(146, y + 46, "all tokens" if reads == "all" else "pooled [CLS]", 9.5, "soft")
        d.box(186, y + 22, 62, 24, "mask-wash", "mask", 1.8)
        d.text(217, y + 38, linear, 11.5, weight=700, family="mono")
        d.arrow([(248, y + 34), (274, y + 34)], "ink", 1.3)
        d.shape(278, y + 38, out, out_of, "ink", "start", 11, 600)
    d.text(
        180,
        top + high * len(LANES) + 12,
        "B texts · S tokens · H hidden size · C classes · K choices",
        10,
        "soft",
    )
    return d.finish(ALT)


def _read(d: Drawing, x, y, reads) -> None:
    """A row of tokens; the vectors that the head reads are filled."""
    for line in range(3 if reads == "choices" else 1):
        at = y + (10 * line if reads == "choices" else 8)
        for j in range(7):
            filled = reads == "all" or j == 0
            second = reads in ("pair", "choices") and j > 3
            size = 8 if reads == "choices" else 12
            d.box(
                x + 14 * j,
                at,
                12,
                size,
                "token" if filled else "paper",
                "token" if filled else "edge",
                1,
                2,
            )
            if reads == "pair":
                d.box(
                    x + 14 * j,
                    at + 14,
                    12,
                    3,
                    "segment" if second else "segment-wash",
                    "segment",
                    0.7,
                    0,
                )
