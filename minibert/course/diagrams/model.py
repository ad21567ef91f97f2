"""The architecture of the whole course in one drawing, with the parts of one chapter lit."""

from minibert.course.diagrams.drawing import WIDTH, Diagram, Drawing

# what a chapter lights, by the name of its notebook without the number
LIT = {
    "first_look": {"text", "word", "frame", "states", "mlm"},
    "tokens": {"text", "tokenizer"},
    "embeddings": {"word", "segment", "position", "norm"},
    "positions": {"position"},
    "attention": {"attention", "weights"},
    "encoder": {"frame", "add1", "feedforward", "add2"},
    "bert": {"word", "segment", "position", "norm", "frame", "attention", "add1", "feedforward",
             "add2", "mlm", "pooler", "mask"},
    "pretraining_data": {"text", "tokenizer", "masking"},
    "pretraining": {"masking", "mlm", "nsp", "loss"},
    "finetuning": {"pooler", "task"},
    "bertsum": {"sentences"},
    "what_it_learned": {"weights", "states"},
    "when_training_fails": {"text", "masking", "attention", "mlm", "nsp", "loss"},
    "bug_clinic": {"tokenizer", "masking", "word", "segment", "position", "norm", "frame",
                   "attention", "weights", "add1", "feedforward", "add2", "states", "mlm", "pooler",
                   "nsp", "task", "sentences", "loss"},
}  # fmt: skip
SPOKEN = {
    "text": "the text",
    "tokenizer": "the tokenizer",
    "masking": "masking",
    "mask": "the attention mask",
    "word": "the word table",
    "segment": "the segment table",
    "position": "the position table",
    "norm": "LayerNorm",
    "frame": "the encoder",
    "attention": "attention",
    "weights": "the attention weights",
    "add1": "the first residual connection with its LayerNorm",
    "feedforward": "the feed-forward layer",
    "add2": "the second residual connection with its LayerNorm",
    "states": "the hidden states",
    "mlm": "the MLM head",
    "pooler": "the pooler",
    "nsp": "the NSP head",
    "task": "a task head",
    "sentences": "the sentence head of BertSum",
    "loss": "the losses",
}
FLOW = (
    "BERT from top to bottom. A text becomes word pieces and their ids; in pretraining some are"
    " masked. Vectors for word, segment and position are added and normalised. L encoder layers"
    " follow, each with attention and a feed-forward layer, both with a residual connection and"
    " LayerNorm. The hidden states go to the MLM head, through the pooler to the NSP head or a"
    " task head, or to the sentence head of BertSum."
)
TOKENS = [
    ("[CLS]", 44),
    ("the", 34),
    ("bank", 42),
    ("by", 28),
    ("the", 34),
    ("river", 46),
    ("[SEP]", 44),
]


class _Model(Drawing):
    def __init__(self, lit: set[str]):
        super().__init__(594, "The architecture of BERT")
        self.lit = lit

    def part(self, name, x, y, width, height, label, colour="token", note="", dash="") -> None:
        """A named box: grey, or in its colour when it is lit."""
        self.box(x, y, width, height, *_tone(name in self.lit, colour), dash=dash)
        middle = y + height / 2 + (4 if not note else -1.5)
        self.text(x + width / 2, middle, label, 11.5, self.ink(name), weight=self.weight(name))
        if note:
            self.text(x + width / 2, middle + 12, note, 9.5, self.ink(name, "soft"), family="mono")

    def ink(self, name, otherwise="soft"):
        return "ink" if name in self.lit else otherwise

    def weight(self, name):
        return 700 if name in self.lit else 400

    def flow(self, points, *names, dash="") -> None:
        """An arrow that is dark when one of its parts is lit."""
        lit = bool(self.lit & set(names))
        self.arrow(points, "ink" if lit else "edge", 1.8 if lit else 1.1, dash)

    def tensor(self, x, y, shape, of, *names, anchor="start") -> None:
        lit = bool(self.lit & set(names))
        self.shape(x, y, shape, of, "ink" if lit else "soft", anchor, weight=600 if lit else 400)


def model(chapter: str) -> Diagram:
    """The model with the part lit that `chapter` is about, such as "attention"."""
    if chapter not in LIT:
        raise ValueError(f"no chapter is called {chapter!r}; there are {', '.join(LIT)}")
    d = _Model(LIT[chapter])
    _input(d)
    _embeddings(d)
    _encoder(d)
    _heads(d)
    d.text(
        WIDTH / 2,
        574,
        "B texts · S tokens · N sentences · H hidden · A heads · D = H / A",
        10,
        "soft",
    )
    d.text(
        WIDTH / 2, 587, "I inner · L layers · V vocabulary · P positions · C classes", 10, "soft"
    )
    lit = [SPOKEN[name] for name in SPOKEN if name in d.lit]
    return d.finish(f"{FLOW} Lit here: {', '.join(lit)}.")


def _input(d: _Model) -> None:
    lit = "text" in d.lit
    d.box(8, 6, 156, 26, *_tone(lit, "token"), radius=13)
    d.text(86, 23.5, "the bank by the river", 12.5, d.ink("text"), family="serif", italic=True)
    d.flow([(164, 19), (190, 19)], "text", "tokenizer")
    d.part("tokenizer", 191, 6, 161, 26, "WordPiece tokenizer")
    d.flow([(272, 32), (272, 46)], "tokenizer")
    lit = bool(d.lit & {"tokenizer", "text"})
    x = 40.0
    for token, width in TOKENS:
        d.box(x, 47, width - 4, 17, *_tone(lit, "token")[:2], radius=3)
        d.text(x + width / 2 - 2, 59.5, token, 10, "ink" if lit else "soft", family="mono")
        x += width
    # in pretraining some ids are replaced, and the true ones become labels
    d.flow([(80, 64), (80, 78)], "tokenizer", "masking")
    d.tensor(85, 75, "[B, S]", "input_ids", "tokenizer", "masking")
    d.part("masking", 22, 79, 116, 19, "masking*", "mask", dash="4 3")
    d.flow([(22, 88.5), (8, 88.5), (8, 545), (21, 545)], "masking", "loss", dash="4 3")
    d.text(13, 216, "labels", 10, "ink" if d.lit & {"masking", "loss"} else "soft", "start")
    d.tensor(13, 228, "[B, S]", "labels", "masking", "loss")


def _embeddings(d: _Model) -> None:
    d.flow([(80, 98), (80, 128)], "word", "masking")
    d.tensor(85, 115, "[B, S]", "masked input_ids", "word", "masking")
    d.flow([(188, 64), (188, 128)], "segment")
    d.text(193, 93, "segment", 10, d.ink("segment"), "start")
    d.tensor(193, 105, "[B, S]", "token_type_ids", "segment")
    d.text(292, 93, "position 0, 1, 2, …", 10, d.ink("position"))
    d.flow([(292, 98), (292, 128)], "position")
    d.tensor(297, 115, "[1, S]", "position_ids", "position")
    d.part("word", 22, 129, 112, 30, "word table", "token", "[V, H]")
    d.part("segment", 140, 129, 96, 30, "segment table", "segment", "[2, H]")
    d.part("position", 242, 129, 102, 30, "position table", "position", "[P, H]")
    d.shapes |= {"word table": "[V, H]", "segment table": "[2, H]", "position table": "[P, H]"}
    d.flow([(80, 159), (80, 184), (178, 184)], "word", "norm")
    d.tensor(85, 173, "[B, S, H]", "word vectors", "word", "norm")
    d.flow([(188, 159), (188, 174)], "segment", "norm")
    d.tensor(193, 171, "[B, S, H]", "segment vectors", "segment", "norm")
    d.flow([(292, 159), (292, 184), (198, 184)], "position", "norm")
    d.tensor(297, 173, "[1, S, H]", "position vectors", "position", "norm")
    lit = "norm" in d.lit
    d.circle(188, 184, 8.5, *_tone(lit, "token"))
    d.line([(183.5, 184), (192.5, 184)], "ink" if lit else "edge", 1.5)
    d.line([(188, 179.5), (188, 188.5)], "ink" if lit else "edge", 1.5)
    d.flow([(188, 193), (188, 207)], "norm")
    d.tensor(193, 204, "[B, S, H]", "sum", "norm")
    d.part("norm", 107, 208, 162, 18, "LayerNorm")


def _encoder(d: _Model) -> None:
    d.box(64, 241, 212, 175, "panel", *_tone("frame" in d.lit, "token")[1:], radius=9)
    d.flow([(188, 226), (188, 263)], "norm", "frame", "attention")
    d.tensor(193, 237, "[B, S, H]", "embeddings", "norm", "frame", "attention")
    d.text(270, 255, "× L layers", 10.5, d.ink("frame"), "end", d.weight("frame"))
    d.flow([(188, 250), (84, 250), (84, 321), (106, 321)], "add1")
    d.part("attention", 107, 264, 162, 32, "attention, A heads", "head", "Q, K, V [B, A, S, D]")
    d.shapes["query"] = "[B, A, S, D]"
    d.flow([(188, 296), (188, 311)], "attention", "add1")
    d.tensor(193, 307, "[B, S, H]", "attention", "attention", "add1")
    d.part("add1", 107, 312, 162, 18, "add, LayerNorm")
    d.flow([(188, 330), (188, 347)], "add1", "feedforward")
    d.tensor(193, 342, "[B, S, H]", "after attention", "add1", "feedforward")
    d.flow([(188, 334), (84, 334), (84, 402), (106, 402)], "add2")
    d.part("feedforward", 107, 348, 162, 30, "feed-forward", note="H → I → H   [B, S, I]")
    d.shapes["intermediate"] = "[B, S, I]"
    d.flow([(188, 378), (188, 392)], "feedforward", "add2")
    d.tensor(193, 389, "[B, S, H]", "feed-forward", "feedforward", "add2")
    d.part("add2", 107, 393, 162, 18, "add, LayerNorm")
    # the mask comes in; the weights and the states can be looked at
    d.flow([(336, 32), (336, 39), (353, 39), (353, 271), (270, 271)], "attention")
    if "mask" in d.lit:  # as the tokenizer returns it
        d.tensor(348, 54, "[B, S]", "attention_mask", "mask", anchor="end")
    d.text(348, 254, "mask", 10, d.ink("attention"), "end")
    d.tensor(348, 266, "[B, 1, 1, S]", "mask", "attention", anchor="end")
    d.flow([(269, 289), (284, 289)], "weights")
    if "weights" in d.lit:
        d.box(285, 276, 72, 34, *_tone(True, "head"))
    d.text(321, 290, "weights", 10.5, d.ink("weights"), weight=d.weight("weights"))
    d.tensor(321, 303, "[B, A, S, S]", "weights", "weights", anchor="middle")
    d.flow([(276, 373), (284, 373)], "states")
    if "states" in d.lit:
        d.box(285, 347, 72, 52, *_tone(True, "token"))
    d.text(321, 361, "hidden", 10.5, d.ink("states"), weight=d.weight("states"))
    d.text(321, 374, "states, L + 1", 10.5, d.ink("states"), weight=d.weight("states"))
    d.tensor(321, 390, "[B, S, H]", "hidden states", "states", anchor="middle")


def _heads(d: _Model) -> None:
    d.flow([(188, 411), (188, 425), (62, 425), (62, 441)], "add2", "mlm")
    d.flow([(188, 411), (188, 425), (313, 425), (313, 441)], "sentences")
    d.flow([(188, 411), (188, 441)], "pooler", "nsp", "task")
    d.tensor(67, 437, "[B, S, H]", "to the MLM head", "mlm")
    d.tensor(193, 437, "[B, H]", "[CLS]", "pooler")
    d.tensor(308, 437, "[B, N, H]", "sentence vectors", "sentences", anchor="end")
    d.part("mlm", 22, 442, 80, 56, "MLM head", note="× word table")
    d.part("pooler", 118, 442, 140, 18, "pooler: [CLS], tanh")
    for name, x, label in (("nsp", 152, "NSP head"), ("task", 224, "task head")):
        d.flow([(x, 460), (x, 477)], name)
        d.part(name, x - 34, 478, 68, 20, label)
    d.tensor(188, 472, "[B, H]", "pooled", "nsp", "task", anchor="middle")
    d.part("sentences", 274, 442, 78, 56, "sentences", note="BertSum")
    outputs = [("mlm", 62, "[B, S, V]"), ("nsp", 152, "[B, 2]"), ("task", 224, "[B, C]"),
               ("sentences", 313, "[B, N]")]  # fmt: skip
    for name, x, shape in outputs:
        d.flow([(x, 498), (x, 511)], name)
        d.tensor(x, 521, shape, f"{name} output", name, anchor="middle")
    d.text(224, 533, "classes", 10, d.ink("task"))
    d.text(313, 533, "scores", 10, d.ink("sentences"))
    for x in (62, 152):
        d.flow([(x, 525), (x, 535)], "loss")
    d.part("loss", 22, 536, 164, 18, "MLM loss + NSP loss*", "mask")
    d.text(192, 549, "* only in pretraining", 10, "soft", "start")


def _tone(lit: bool, colour: str) -> tuple[str, str, float]:
    """Ground, edge and thickness of a part."""
    return (f"{colour}-wash", colour, 2.2) if lit else ("paper", "edge", 1.0)
