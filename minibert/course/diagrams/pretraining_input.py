"""The input of pretraining: one sequence as a table, a row for each token."""

from minibert.course.diagrams.drawing import Diagram, Drawing

TEXTS = ("the bank by the river", "it was closed today")
# what the model has to predict: row -> (the token it sees, what was done)
CHOSEN = {2: ("[MASK]", "masked"), 8: ("green", "random"), 9: ("closed", "kept")}
LENGTH = 13
IGNORED = "-100"
ALT = (
    "One sequence of pretraining as a table, a row for each of 13 tokens: [CLS] the bank by the"
    " river [SEP] it was closed today [SEP] [PAD]. First the position, which the model counts"
    " itself. Columns that go into the model: the token that it sees, segment (0 up to the first"
    " [SEP], then 1), attention mask (0 at padding). The column of labels goes to the loss: bank,"
    " which [MASK] replaces; was, which is replaced by a random token; closed, which was kept; and"
    " -100, which the loss ignores, everywhere else. One more label belongs to the whole pair: 0,"
    " the second text follows the first."
)


def rows() -> list[tuple[str, str, int, int, str]]:
    """True token, token seen, segment, mask and label of every position."""
    first, second = (text.split() for text in TEXTS)
    true = ["[CLS]", *first, "[SEP]", *second, "[SEP]"]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    padding = LENGTH - len(true)
    table = []
    for i, (token, segment) in enumerate(zip(true, segments)):
        label = token if i in CHOSEN else IGNORED
        table.append((token, CHOSEN[i][0] if i in CHOSEN else token, segment, 1, label))
    return table + [("[PAD]", "[PAD]", 0, 0, IGNORED)] * padding


def pretraining_input() -> Diagram:
    """What `mask_tokens` and the tokenizer hand to `BertForPreTraining`."""
    high, top = 22, 66
    table = rows()
    bottom = top + high * len(table)
    d = Drawing(bottom + 66, "The input of pretraining")
    d.text(60, 16, "goes into the model", 12, anchor="start", weight=700)
    d.line([(60, 22), (236, 22)], "ink", 1.5)
    d.text(352, 16, "goes to the loss", 12, anchor="end", weight=700)
    d.line([(248, 22), (352, 22)], "mask", 2.5)
    heads = [
        (30, "position", "position_ids", "[1, S]"),
        (92, "token", "input_ids", "[B, S]"),
        (156, "segment", "token_type_ids", "[B, S]"),
        (218, "attention", "attention_mask", "[B, S]"),
        (310, "labels", "labels", "[B, S]"),
    ]
    for x, name, of, shape in heads:
        d.text(x, 40, name, 11, weight=600)
        d.shape(x, 54, shape, of, anchor="middle", size=10)
    for i, (_, seen, segment, real, label) in enumerate(table):
        y = top + high * i
        chosen = i in CHOSEN
        d.circle(30, y + 11, 8.5, "position-wash", "position", 1.2)
        d.text(30, y + 14.6, str(i), 10)
        ground, edge = ("mask-wash", "mask") if chosen else ("token-wash", "token")
        if not real:
            ground, edge = "paper", "line"
        d.box(60, y + 2, 64, 18, ground, edge, 2 if chosen else 1.2)
        d.text(
            92,
            y + 14.8,
            seen,
            11,
            "ink" if real else "soft",
            weight=700 if chosen else 400,
            family="mono",
        )
        if segment:
            d.box(132, y + 0.5, 48, 21, "segment", "segment", 0, 0)
        elif real:
            d.box(132, y + 0.5, 48, 21, "segment-wash", "segment", 1, 0)
        d.text(
            156,
            y + 14.8,
            str(segment),
            11,
            "paper" if segment else "ink",
            weight=600 if real else 400,
        )
        d.text(218, y + 14.8, str(real), 11, "ink" if real else "soft", weight=600 if real else 400)
        if chosen:
            d.line([(230, y + 12), (274, y + 12)], "mask", 1.5, "2 3")
            d.box(276, y + 2, 68, 18, "mask-wash", "mask", 2)
        d.text(
            310,
            y + 14.8,
            label,
            11,
            "ink" if chosen else "soft",
            weight=700 if chosen else 400,
            family="mono",
        )
        if chosen:
            d.text(252, y + 8.5, CHOSEN[i][1], 9, "soft")
    d.box(150, bottom + 12, 202, 26, "mask-wash", "mask", 2)
    d.text(
        158, bottom + 29, "next_sentence_label = 0", 11, anchor="start", weight=700, family="mono"
    )
    d.shape(345, bottom + 29, "[B]", "next_sentence_label", "ink", "end")
    d.text(
        201,
        bottom + 55,
        "0: the second text follows the first · 1: it is a random one",
        10.5,
        "soft",
    )
    return d.finish(ALT)
