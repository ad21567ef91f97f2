"""Answers to `Embeddings` on which its check is tried."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.ch02_embeddings.common import layer_norm
from minibert.course.exercises.ch02_embeddings.embeddings import Embeddings
from minibert.course.exercises.mistakes.ch02_embeddings.embeddings import (
    _FirstTextOnly,
    _FixedEps,
    _MeanOfThree,
    _NoNorm,
    _NoPositions,
    _NormOfWords,
    _NormOneByOne,
    _NormTwice,
    _NoSegments,
    _NoWords,
    _PaddingIsZero,
    _Planted,
    _PositionsFromOne,
    _PositionsFromTheEnd,
    _PositionsIgnored,
    _PositionsOfTexts,
    _Product,
    _Residual,
    _SamePosition,
    _Scaled,
    _SegmentAsQuantity,
    _SegmentOneByDefault,
    _SegmentsIgnored,
    _TorchEps,
)
from minibert.embeddings import BertEmbeddings
from planted import Answers


class _OneLineSum(BertEmbeddings):
    """The package's own class, and so a right answer."""


class _ThroughFunctions(Embeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        x = self.word_embeddings(input_ids)
        places = torch.arange(x.size(1)) if position_ids is None else position_ids
        x = x + F.embedding(places, self.position_embeddings.weight)
        x = x + self.token_type_embeddings(
            input_ids * 0 if token_type_ids is None else token_type_ids
        )
        x = layer_norm(x, self.LayerNorm.weight, self.LayerNorm.bias, self.LayerNorm.eps)
        return F.dropout(x, self.dropout.p, self.training)


class _WholePositionTable(_Planted):
    def places(self, ids, given):
        return (
            torch.arange(self.position_embeddings.num_embeddings)[None] if given is None else given
        )


class _PositionsOfBatch(_Planted):
    def places(self, ids, given):
        return torch.arange(ids.size(0))[None] if given is None else given


class _FixedPositions(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.position_embeddings = nn.Embedding(512, config.hidden_size)


class _DropoutFirst(_Planted):
    def finish(self, total):
        return self.LayerNorm(self.dropout(total))


class _NoDropout(_Planted):
    def finish(self, total):
        return self.LayerNorm(total)


class _SegmentPerWord(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.token_type_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)


class _OtherNames(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.norm = self.LayerNorm
        del self.LayerNorm


class _SegmentZeroFrozen(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.token_type_embeddings = nn.Embedding(
            config.type_vocab_size, config.hidden_size, padding_idx=0
        )


class _PlaceZeroFrozen(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.position_embeddings = nn.Embedding(
            config.max_position_embeddings, config.hidden_size, padding_idx=0
        )


class _DropoutForEver(_Planted):
    def finish(self, total):
        return F.dropout(self.LayerNorm(total), self.dropout.p)


class _RemembersPositions(_Planted):
    def places(self, ids, given):
        self.kept = getattr(self, "kept", torch.arange(ids.size(1))[None])
        return self.kept if given is None else given


class _SideBySide(_Planted):
    def parts(self, ids, types, places):
        return (
            torch.cat(
                [part.expand(*ids.shape, -1) for part in super().parts(ids, types, places)], dim=-1
            ),
        )

    def finish(self, total):
        return total


class _DropoutTwice(_Planted):
    def finish(self, total):
        return self.dropout(super().finish(total))


class _PositionsDetached(_Planted):
    def parts(self, ids, types, places):
        word, segment, position = super().parts(ids, types, places)
        return word, segment, position.detach()


class _NoGradient(_Planted):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        with torch.no_grad():
            return super().forward(input_ids, token_type_ids, position_ids)


class _SinglePrecision(_Planted):
    def finish(self, total):
        return super().finish(total).float()


class _TypesOverwritten(_Planted):
    def types(self, ids, given):
        return torch.zeros_like(ids) if given is None else given.zero_()


class _PaddingIsZeroth(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=0)


class _TwoKindsOfSegment(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.token_type_embeddings = nn.Embedding(2, config.hidden_size)


class _KeepsPositionIds(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.register_buffer("position_ids", torch.arange(config.max_position_embeddings))


def _a_function(config):
    return lambda input_ids, token_type_ids=None, position_ids=None: None


class _TwoArguments(_Planted):
    def forward(self, input_ids, token_type_ids=None):
        return super().forward(input_ids, token_type_ids)


class _PaddingLearns(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)


class _IdsAsPositions(_Planted):
    def places(self, ids, given):
        return ids if given is None else given


class _NormOfEps(_Planted):
    def __init__(self, config):
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.layer_norm_eps)


class _JoinedParts(_Planted):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        word, segment, position = self.parts(
            input_ids, self.types(input_ids, token_type_ids), self.places(input_ids, position_ids)
        )
        return self.finish(torch.cat([word, segment, position.expand_as(word)], dim=-1))


ANSWERS = Answers(
    right=(_OneLineSum, _ThroughFunctions),
    wrong={
        _NoPositions: "position vectors are not in your sum",
        _NoSegments: "segment vectors are not in your sum",
        _Scaled: "√H = 2.45",
        _WholePositionTable: "with segments given do not fit each other .*: this batch has 2 texts of 5 tokens, and the position table 9 rows",
        _PositionsFromOne: "start at 1",
        _PositionsIgnored: "position_ids that are passed in are ignored",
        _SegmentsIgnored: "token_type_ids that are passed in are ignored",
        _SegmentOneByDefault: "the default is 0",
        _NoNorm: "LayerNorm is not applied",
        _DropoutFirst: "dropout comes last",
        _NoDropout: "dropout with p = 0.25 is missing",
        _SegmentPerWord: "13 rows, as many as the vocabulary",
        _TorchEps: "eps = 1e-5",
        _OtherNames: "a BERT has LayerNorm.weight",
        _PaddingLearns: "row 4 of your word table",
        _SegmentZeroFrozen: "row 0 of your token_type_embeddings gets no gradient, though 10",
        _PlaceZeroFrozen: "position_embeddings gets no gradient, though 2",
        _DropoutForEver: "in evaluation .* of your numbers are 0",
        _RemembersPositions: r"of 3 texts of 7 tokens do not fit",
        _PositionsOfTexts: "count the texts",
        _PositionsFromTheEnd: "from the end",
        _FirstTextOnly: "vectors of the first one",
        _PaddingIsZero: "padding \\(id 4\\) to zero",
        _NormTwice: "applied twice",
        _NormOneByOne: "one by one",
        _MeanOfThree: "mean of the three",
        _Product: "multiply the three",
        _SideBySide: r"\[2, 5, 6\], but it has \[2, 5, 18\]",
        _NoWords: "word vectors are not in your sum",
        _FixedEps: "eps = 1e-12",
        _DropoutTwice: "dropout comes once",
        _PositionsDetached: "position_embeddings get no gradient",
        _NoGradient: "no torch.no_grad",
        _SinglePrecision: "is torch.float32 and right to",
        _TypesOverwritten: "changes `token_type_ids`",
        _PaddingIsZeroth: "has the id 4, and you say that it is 0",
        _TwoKindsOfSegment: r"\[2, 6\]; this config asks for \[3, 6\]: config.type_vocab_size = 3",
        _PositionsOfBatch: "this batch has 2 texts of 5 tokens",
        _FixedPositions: "config.max_position_embeddings = 9",
        _KeepsPositionIds: "position_ids",
        _a_function: "should be an nn.Module",
        _TwoArguments: "will be called as forward",
        _SamePosition: "same for every token",
        _Residual: "no residual connection",
        _NormOfWords: "word vectors alone",
        _SegmentAsQuantity: "which row to take",
        _IdsAsPositions: "a row that it does not have",
        _NormOfEps: "cannot be made",
        _JoinedParts: "not set side by side",
    },
)
