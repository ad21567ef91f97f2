"""Wrong answers to `Embeddings` that its check recognises, each with the feedback for it."""

import torch
from torch import nn

from minibert.course.exercises.ch02_embeddings.embeddings import Embeddings


class _Planted(Embeddings):
    """The solution split into small methods, so that each wrong answer overrides one of them."""

    def parts(self, ids, types, places):
        return (
            self.word_embeddings(ids),
            self.token_type_embeddings(types),
            self.position_embeddings(places),
        )

    def places(self, ids, given):
        return torch.arange(ids.size(1))[None] if given is None else given

    def types(self, ids, given):
        return torch.zeros_like(ids) if given is None else given

    def finish(self, total):
        return self.dropout(self.LayerNorm(total))

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        return self.finish(
            sum(
                self.parts(
                    input_ids,
                    self.types(input_ids, token_type_ids),
                    self.places(input_ids, position_ids),
                )
            )
        )


class _NoPositions(_Planted):
    def parts(self, ids, types, places):
        return super().parts(ids, types, places)[:2]


class _NoSegments(_Planted):
    def parts(self, ids, types, places):
        return super().parts(ids, types, places)[::2]


class _Scaled(_Planted):
    def parts(self, ids, types, places):
        word, *others = super().parts(ids, types, places)
        return word * word.size(-1) ** 0.5, *others


class _PositionsFromOne(_Planted):
    def places(self, ids, given):
        return super().places(ids, given) + 1 if given is None else given


class _PositionsIgnored(_Planted):
    def places(self, ids, given):
        return torch.arange(ids.size(1))[None]


class _SegmentsIgnored(_Planted):
    def types(self, ids, given):
        return torch.zeros_like(ids)


class _SegmentOneByDefault(_Planted):
    def types(self, ids, given):
        return torch.ones_like(ids) if given is None else given


class _NoNorm(_Planted):
    def finish(self, total):
        return self.dropout(total)


class _TorchEps(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size)


class _PositionsOfTexts(_Planted):
    def places(self, ids, given):
        return torch.arange(len(ids))[:, None] if given is None else given


class _SamePosition(_Planted):
    def places(self, ids, given):
        return torch.zeros_like(ids) if given is None else given


class _PositionsFromTheEnd(_Planted):
    def places(self, ids, given):
        return torch.arange(ids.size(1)).flip(0)[None] if given is None else given


class _FirstTextOnly(_Planted):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        return (
            super()
            .forward(input_ids, token_type_ids, position_ids)[:1]
            .expand(len(input_ids), -1, -1)
        )


class _PaddingIsZero(_Planted):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        return (
            super().forward(input_ids, token_type_ids, position_ids)
            * (input_ids != self.word_embeddings.padding_idx)[..., None]
        )


class _NormTwice(_Planted):
    def finish(self, total):
        return self.dropout(self.LayerNorm(self.LayerNorm(total)))


class _NormOneByOne(_Planted):
    def parts(self, ids, types, places):
        return tuple(map(self.LayerNorm, super().parts(ids, types, places)))

    def finish(self, total):
        return self.dropout(total)


class _MeanOfThree(_Planted):
    def finish(self, total):
        return super().finish(total / 3)


class _Product(_Planted):
    def parts(self, ids, types, places):
        word, segment, position = super().parts(ids, types, places)
        return (word * segment * position,)


class _NoWords(_Planted):
    def parts(self, ids, types, places):
        return super().parts(ids, types, places)[1:]


class _FixedEps(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=1e-12)


class _Residual(_Planted):
    def finish(self, total):
        return super().finish(total) + total


class _NormOfWords(_Planted):
    def parts(self, ids, types, places):
        word, *others = super().parts(ids, types, places)
        return self.LayerNorm(word), *others

    def finish(self, total):
        return self.dropout(total)


class _SegmentAsQuantity(_Planted):
    def parts(self, ids, types, places):
        word, _, position = super().parts(ids, types, places)
        return word, types[..., None] * self.token_type_embeddings.weight[1], position


EMBEDDING_MISTAKES = (
    (_NoPositions, "the position vectors are not in your sum."),
    (_NoSegments, "the segment vectors are not in your sum."),
    (_NoWords, "the word vectors are not in your sum."),
    (_NoNorm, "your sum is right, but LayerNorm is not applied to it."),
    (_NormTwice, "LayerNorm is applied twice."),
    (
        _NormOneByOne,
        "you normalise the three vectors one by one; the sum comes first, then one LayerNorm.",
    ),
    (
        _MeanOfThree,
        "you take the mean of the three vectors; they are added. LayerNorm cancels the factor 1/3, but not exactly, because its eps stays the same.",
    ),
    (_Product, "you multiply the three vectors; they are added."),
    (_TorchEps, "your LayerNorm has eps = 1e-5, torch's own choice; the config says {eps}."),
    (_FixedEps, "your LayerNorm has eps = 1e-12; the config says {eps}."),
    (_PositionsFromOne, "your positions start at 1; the first position is 0."),
    (
        _Scaled,
        "you multiply the word vectors by √H = {root:.2f}, as the first Transformer did; BERT does not.",
    ),
    (
        _PaddingIsZero,
        "you set the vectors of padding (id {pad}) to zero; padding is hidden in attention, not here.",
    ),
    (_FirstTextOnly, "every text gets the vectors of the first one."),
    (
        _PositionsOfTexts,
        "your positions count the texts of the batch, not the tokens of a text: they run along the second axis.",
    ),
    (
        _PositionsFromTheEnd,
        "your positions count from the end of the text; the first token has position 0.",
    ),
    (_SamePosition, "your positions are the same for every token."),
    (
        _SegmentsIgnored,
        "the token_type_ids that are passed in are ignored: you use segment 0 for every token.",
    ),
    (
        _PositionsIgnored,
        "the position_ids that are passed in are ignored: you count 0, 1, 2, … in any case.",
    ),
    (
        _SegmentOneByDefault,
        "where no token_type_ids are given you use segment 1; the default is 0.",
    ),
    (
        _Residual,
        "you add the sum once more after LayerNorm; the embeddings have no residual connection.",
    ),
    (_NormOfWords, "LayerNorm is applied to the word vectors alone; it comes after the sum."),
    (
        _SegmentAsQuantity,
        "you multiply a segment vector by the segment's number; the number says which row to take.",
    ),
)


KNOWN = EMBEDDING_MISTAKES
