"""The whole model with the names of its weights, and the three things that are read off it."""

from minibert.course.diagrams.drawing import Diagram, Drawing

ALT = (
    "BERT from top to bottom, each part with the beginning of its names in a checkpoint. Ids"
    " [B, S] go through embeddings and encoder and become vectors [B, S, H]. From there three"
    " ways lead on. All vectors go to the MLM head, named cls.predictions, which scores every"
    " token of the vocabulary, [B, S, V], and uses the word table of the embeddings a second"
    " time. The vector of [CLS] goes through the pooler to the NSP head, named"
    " cls.seq_relationship, [B, 2]. The mean over the real tokens, which has no weights, is a"
    " sentence vector [B, H]. Embeddings, encoder and pooler are the BertModel."
)


def whole_model() -> Diagram:
    """The model of chapter 6: BertModel, the two heads of pretraining, and the mean."""
    d = Drawing(352, "The whole model")
    d.shape(196, 13, "[B, S]", "input_ids", "ink")
    d.arrow([(190, 4), (190, 20)], "ink", 1.4)
    _part(d, 90, 21, 200, "embeddings", "embeddings.", "token")
    d.shape(196, 72, "[B, S, H]", "embeddings", "ink")
    d.arrow([(190, 57), (190, 80)], "ink", 1.4)
    _part(d, 90, 81, 200, "encoder, L layers", "encoder.layer.0. …", "position")
    d.line([(190, 117), (190, 138)], "ink", 1.4)
    d.shape(196, 131, "[B, S, H]", "hidden states", "ink")
    d.line([(62, 138), (304, 138)], "ink", 1.4)
    for x, read in ((62, "all tokens"), (190, "[CLS]"), (304, "real tokens")):
        d.arrow([(x, 138), (x, 172 if x > 62 else 244)], "ink", 1.4)
        beside = (x - 5, "end") if x > 300 else (x + 5, "start")
        d.text(beside[0], 160, read, 10.5, "soft", beside[1])
    _part(d, 130, 173, 120, "pooler", "pooler.dense", "segment")
    d.arrow([(190, 209), (190, 244)], "ink", 1.4)
    d.shape(196, 230, "[B, H]", "pooled", "ink")
    _part(d, 130, 245, 120, "NSP head", "cls.seq_relationship", "mask")
    d.arrow([(190, 281), (190, 304)], "ink", 1.4)
    d.shape(190, 318, "[B, 2]", "nsp output", "ink", "middle")
    d.text(190, 334, "does B follow A?", 11)
    _part(d, 4, 245, 116, "MLM head", "cls.predictions", "mask")
    d.arrow([(62, 281), (62, 304)], "ink", 1.4)
    d.shape(62, 318, "[B, S, V]", "mlm output", "ink", "middle")
    d.text(62, 334, "a word for a gap", 11)
    d.arrow([(90, 39), (24, 39), (24, 244)], "token", 1.3, dash="4 3")
    d.text(29, 98, "same", 10, "soft", "start")
    d.text(29, 110, "word table", 10, "soft", "start")
    d.box(262, 173, 84, 36, dash="4 3")
    d.text(304, 188, "mean", 12, weight=600)
    d.text(304, 201, "no weights", 9.5, "soft")
    d.arrow([(304, 209), (304, 304)], "ink", 1.4)
    d.shape(304, 318, "[B, H]", "text vector", "ink", "middle")
    d.text(304, 334, "sentence vector", 11)
    return d.finish(ALT)


def _part(d: Drawing, x, y, width, label, names, colour) -> None:
    d.box(x, y, width, 36, f"{colour}-wash", colour, 1.8)
    d.text(x + width / 2, y + 15, label, 12, weight=600)
    d.text(x + width / 2, y + 28, names, 9.5, "soft", family="mono")
