"""The tokenizer: one text on its way to the three rows of numbers that a model reads."""

from minibert.course.diagrams.drawing import WIDTH, Diagram, Drawing

TEXT = "A café on riverbanks!"
NORMAL = "a cafe on riverbanks!"
WORDS = ["a", "cafe", "on", "riverbanks", "!"]
PIECES = [["a"], ["cafe"], ["on"], ["river", "##bank", "##s"], ["!"]]
IDS = [101, 1037, 7668, 2006, 2314, 9299, 2015, 999, 102, 0]  # of bert-base-uncased's vocabulary
WIDTHS = [36, 29, 36, 29, 38, 46, 29, 26, 36, 36]
ALT = (
    "The tokenizer from top to bottom. The text “A café on riverbanks!” is normalised to lowercase"
    " without accents, split into the words a, cafe, on, riverbanks, !, and each word is cut by"
    " longest match first, riverbanks into river ##bank ##s. [CLS] goes in front, [SEP] behind,"
    " and [PAD] fills up to the longest text of the batch. Three rows of numbers go to the model,"
    " each one row of a table [B, S]: input_ids, token_type_ids, all 0 for a single text, and"
    " attention_mask, 1 on tokens and 0 on the padding."
)


def tokens() -> list[str]:
    """All tokens of the drawing, with the special ones."""
    return ["[CLS]", *(piece for word in PIECES for piece in word), "[SEP]", "[PAD]"]


def tokenizer() -> Diagram:
    """What `WordPieceTokenizer` does with a text."""
    d = Drawing(366, "The tokenizer")
    d.box(98, 6, 164, 26, "token-wash", "token", 1.8, 13)
    d.text(180, 23.5, TEXT, 12.5, family="serif", italic=True)
    _step(d, 32, "normalise", "lowercase, accents off")
    d.text(180, 79, NORMAL, 12.5, family="mono")
    _step(d, 87, "split", "at spaces and punctuation")
    _strip(d, 119, WORDS, [29, 36, 29, 84, 26], "line")
    _step(d, 139, "cut each word", "longest match first")
    pieces = tokens()[1:-2]
    _strip(d, 171, pieces, WIDTHS[1:-2], "token")
    _step(d, 191, "add special tokens", "and pad to the longest text")
    _strip(d, 223, tokens(), WIDTHS, "token")
    _step(d, 243, "look up", "ids in the vocabulary")
    mask = [int(token != "[PAD]") for token in tokens()]
    rows = [
        ("input_ids", IDS, "token"),
        ("token_type_ids", [0] * len(IDS), "segment"),
        ("attention_mask", mask, "edge"),
    ]
    for i, (name, numbers, colour) in enumerate(rows):
        y = 283 + 29 * i
        d.text(17, y, name, 10.5, anchor="start", weight=600, family="mono")
        d.text(300, y, "one row of", 10.5, "soft", "end")
        d.shape(343, y, "[B, S]", name, anchor="end")
        _strip(d, y + 3, [str(number) for number in numbers], WIDTHS, colour, 13)
    return d.finish(ALT)


def _step(d: Drawing, y, what, how) -> None:
    """An arrow from y on, with what happens on the left and how on the right."""
    d.arrow([(180, y + 3), (180, y + 29)], "ink", 1.4)
    d.text(172, y + 19, what, 11, anchor="end", weight=700)
    d.text(189, y + 19, how, 10.5, "soft", "start")


def _strip(d: Drawing, y, labels, widths, colour, height=18) -> None:
    """Boxes side by side, in the middle of the drawing; padding is pale."""
    x = (WIDTH - sum(widths)) / 2
    for label, width in zip(labels, widths):
        inside, special = label.startswith("##"), label.startswith("[")
        ground = f"{colour}-wash" if colour in ("token", "segment") and not special else "paper"
        edge = "line" if label == "[PAD]" else colour
        gap = 0 if inside else 2  # a piece inside a word touches the piece before it
        d.box(x + gap, y, width - gap, height, ground, edge, 1.2, 2)
        size = 9.5 if height < 18 else 10
        d.text(x + (width + gap) / 2, y + height / 2 + 3.5, label, size, family="mono")
        x += width
