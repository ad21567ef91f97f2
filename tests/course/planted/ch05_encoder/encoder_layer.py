"""Answers to `EncoderLayer` on which its check is tried."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.ch05_encoder.encoder_layer import EncoderLayer
from planted import Answers


class _Variant(EncoderLayer):
    """The ways to get the second half wrong, one method each."""

    def forward(self, hidden, mask=None, output_attentions=False):
        attended, weights = self.attention(hidden, mask, output_attentions)
        return self.second_half(hidden, attended), weights

    def back(self, attended):
        return self.dropout(self.output["dense"](F.gelu(self.intermediate["dense"](attended))))


class LayerByFunctional(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        x, weights = self.attention(hidden, mask, output_attentions)
        up, down, norm = self.intermediate["dense"], self.output["dense"], self.output["LayerNorm"]

        def normalised(vectors):
            return F.layer_norm(vectors, norm.normalized_shape, norm.weight, norm.bias, norm.eps)

        z = F.linear(normalised(x) if self.norm_first else x, up.weight, up.bias)
        y = F.linear(z.mul(torch.special.ndtr(z)), down.weight, down.bias)
        summed = F.dropout(y, self.dropout.p, self.training) + x
        return summed if self.norm_first else normalised(summed), weights


class LayerOfPieces(_Variant):
    def second_half(self, hidden, attended):
        before, after = self.output["LayerNorm"], nn.Identity()
        if not self.norm_first:
            before, after = after, before
        pieces = [
            self.back(before(attended[:, i : i + 1])) + attended[:, i : i + 1]
            for i in range(attended.size(1))
        ]  # token by token
        return after(torch.cat(pieces, dim=1))


class _FirstHalf(EncoderLayer):
    """The first half is `first_half`, the second is right."""

    def forward(self, hidden, mask=None, output_attentions=False):
        found, weights = self.attention.self(hidden, mask, output_attentions)
        half = self.attention.output
        if not self.norm_first:
            x = self.first_half(hidden, found, half)
            return self.output["LayerNorm"](x + self.feed(x)), weights
        x = hidden + half.dropout(half.dense(found))  # attention read the stream itself
        return x + self.feed(self.output["LayerNorm"](x)), weights

    def first_half(self, hidden, found, half):
        return half.LayerNorm(hidden + half.dropout(half.dense(found)))

    def feed(self, x):
        return self.dropout(self.output["dense"](F.gelu(self.intermediate["dense"](x))))


class LayerAttentionWithoutResidual(_FirstHalf):
    def first_half(self, hidden, found, half):
        return half.LayerNorm(half.dropout(half.dense(found)))


class LayerAttentionWithoutNorm(_FirstHalf):
    def first_half(self, hidden, found, half):
        return hidden + half.dropout(half.dense(found))


class LayerAttentionWithoutMatrix(_FirstHalf):
    def first_half(self, hidden, found, half):
        return half.LayerNorm(hidden + half.dropout(found))


class LayerWithoutResidual(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](self.back(attended))


class LayerWithoutNorm(_Variant):
    def second_half(self, hidden, attended):
        return attended + self.back(attended)


class LayerWrongResidual(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](hidden + self.back(attended))


class LayerNormBeforeSum(_Variant):
    def second_half(self, hidden, attended):
        return attended + self.output["LayerNorm"](self.back(attended))


class LayerPreNorm(_Variant):
    def second_half(self, hidden, attended):
        return attended + self.back(self.output["LayerNorm"](attended))


class LayerLinear(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended + self.dropout(self.output["dense"](self.intermediate["dense"](attended)))
        )


class LayerRelu(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended
            + self.dropout(self.output["dense"](self.intermediate["dense"](attended).relu()))
        )


class LayerTanhGelu(_Variant):
    def second_half(self, hidden, attended):
        wide = F.gelu(self.intermediate["dense"](attended), approximate="tanh")
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](wide)))


class LayerDefaultEps(_Variant):
    def second_half(self, hidden, attended):
        norm = self.output["LayerNorm"]
        return F.layer_norm(
            attended + self.back(attended), norm.normalized_shape, norm.weight, norm.bias
        )


class LayerWithoutMask(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, None, output_attentions)


class LayerWithoutWeights(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, mask)


class LayerEarlyDropout(_Variant):
    def second_half(self, hidden, attended):
        wide = F.gelu(self.dropout(self.intermediate["dense"](attended)))
        return self.output["LayerNorm"](attended + self.output["dense"](wide))


class LayerNoDropout(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended + self.output["dense"](F.gelu(self.intermediate["dense"](attended)))
        )


class LayerLateDropout(LayerNoDropout):
    def second_half(self, hidden, attended):
        return self.dropout(super().second_half(hidden, attended))


class LayerAlwaysDrops(_Variant):
    def second_half(self, hidden, attended):
        back = F.dropout(
            self.output["dense"](F.gelu(self.intermediate["dense"](attended))), self.dropout.p
        )
        return self.output["LayerNorm"](attended + back)


class LayerDropsTwice(_Variant):
    def second_half(self, hidden, attended):
        wide = self.dropout(F.gelu(self.intermediate["dense"](attended)))
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](wide)))


class LayerDropsTheStream(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](self.dropout(attended) + self.back(attended))


class LayerDropsTheSum(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            self.dropout(
                attended + self.output["dense"](F.gelu(self.intermediate["dense"](attended)))
            )
        )


class LayerActivationFirst(_Variant):
    def second_half(self, hidden, attended):
        wide = self.intermediate["dense"](F.gelu(attended))
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](wide)))


class LayerActivationTwice(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended
            + self.dropout(
                F.gelu(self.output["dense"](F.gelu(self.intermediate["dense"](attended))))
            )
        )


class LayerActivationLast(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended
            + self.dropout(F.gelu(self.output["dense"](self.intermediate["dense"](attended))))
        )


class LayerTwoResiduals(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + hidden + self.back(attended))


class LayerDropsTheInput(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + self.back(self.dropout(attended)))


class LayerWithoutTuple(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, mask, output_attentions)[0]


class LayerNormOfResidual(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended) + self.back(attended)


class LayerReadsInput(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + self.back(hidden))


class LayerIgnoresAttention(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](hidden + self.back(hidden))


class LayerOneNormTwice(_Variant):
    def second_half(self, hidden, attended):
        return self.attention.output.LayerNorm(attended + self.back(attended))


class LayerOtherRate(EncoderLayer):
    def __init__(self, config):
        super().__init__(config)
        self.dropout = nn.Dropout()


class _LayerAfterwards(EncoderLayer):
    """The right layer, with something done to what it gives."""

    def afterwards(self, out, hidden, mask):
        return out

    def forward(self, hidden, mask=None, output_attentions=False):
        out, weights = super().forward(hidden, mask, output_attentions)
        return self.afterwards(out, hidden, mask), weights


class LayerAddsInputLast(_LayerAfterwards):
    def afterwards(self, out, hidden, mask):
        return out + hidden


class LayerTwice(_LayerAfterwards):
    def afterwards(self, out, hidden, mask):
        return EncoderLayer.forward(self, out, mask)[0]


class LayerZeroesPadding(_LayerAfterwards):
    def afterwards(self, out, hidden, mask):
        return out if mask is None else out * mask[:, 0, 0, :, None]


class LayerOfFirstText(_LayerAfterwards):
    def afterwards(self, out, hidden, mask):
        return out[:1].expand_as(out)


class LayerDetached(_LayerAfterwards):
    def afterwards(self, out, hidden, mask):
        return out.detach()


class LayerInSinglePrecision(_LayerAfterwards):
    def afterwards(self, out, hidden, mask):
        return out.float()


class LayerOfFiveTokens(_LayerAfterwards):
    def afterwards(self, out, hidden, mask):
        return out.reshape(-1, 5, hidden.size(-1))


class LayerNeedsMask(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, mask[..., : hidden.size(1)], output_attentions)


class LayerOverwrites(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        out, weights = super().forward(hidden, mask, output_attentions)
        hidden.data.copy_(out)
        return out, weights


class LayerLackingNorm(EncoderLayer):
    def __init__(self, config):
        super().__init__(config)
        del self.output["LayerNorm"]


class _InBothOrders(_Variant):
    """Right for post-norm, and wrong for pre-norm in one way each."""

    def second_half(self, hidden, attended):
        if not self.norm_first:
            return self.output["LayerNorm"](attended + self.back(attended))
        return self.first(hidden, attended, self.output["LayerNorm"])


class LayerAlwaysPostNorm(_InBothOrders):
    def first(self, hidden, attended, norm):
        return norm(attended + self.back(attended))


class LayerLosesItsNorm(_InBothOrders):
    def first(self, hidden, attended, norm):
        return attended + self.back(attended)


class LayerNormalisesTwice(_InBothOrders):
    def first(self, hidden, attended, norm):
        return norm(attended + self.back(norm(attended)))


class LayerKeepsTheNormalised(_InBothOrders):
    def first(self, hidden, attended, norm):
        return norm(attended) + self.back(norm(attended))


class LayerNormalisesTheBranch(_InBothOrders):
    def first(self, hidden, attended, norm):
        return attended + norm(self.back(attended))


class LayerPreNormAddsInput(_InBothOrders):
    def first(self, hidden, attended, norm):
        return hidden + self.back(norm(attended))


def layer_of_nothing(config):
    return None


ANSWERS = Answers(
    right=(LayerByFunctional, LayerOfPieces),
    wrong={
        LayerAttentionWithoutResidual: "Attention's residual connection is missing",
        LayerAttentionWithoutNorm: "sum after attention is not normalised",
        LayerAttentionWithoutMatrix: "added without its output matrix",
        _FirstHalf: "attention reads the stream as it is",
        LayerAlwaysPostNorm: "it never asks norm_first",
        LayerLosesItsNorm: "no LayerNorm is left",
        LayerNormalisesTwice: "the sum is normalised as well",
        LayerKeepsTheNormalised: "you add to the normalised vector",
        LayerNormalisesTheBranch: "you normalise what the feed-forward layer gives",
        LayerPreNormAddsInput: "With norm_first=True your residual adds",
        LayerWithoutResidual: "residual connection is missing",
        LayerWithoutNorm: "sum is not normalised",
        LayerWrongResidual: "Your residual adds what came into the layer",
        LayerNormBeforeSum: "You normalise before adding",
        LayerPreNorm: "That is pre-norm",
        LayerLinear: "no activation",
        LayerRelu: "activation is ReLU",
        LayerTanhGelu: "tanh form",
        LayerDefaultEps: "default eps 1e-05; the config asks for 0.1",
        LayerWithoutMask: "mask does not reach",
        LayerWithoutWeights: "second thing that forward gives back",
        LayerEarlyDropout: "before the second linear map",
        LayerNoDropout: "nothing is dropped",
        LayerLateDropout: "stands after the LayerNorm",
        LayerOtherRate: "(49|50|51|52)% of the feed-forward's result",
        LayerAlwaysDrops: "In evaluation your layer gives two answers",
        LayerDropsTwice: "In training 5\\d% of the numbers at the three",
        LayerDropsTheStream: "never what came out of attention",
        LayerDropsTheSum: "the sum is dropped",
        LayerActivationFirst: "before the first linear map",
        LayerActivationTwice: "once more, after the second",
        LayerActivationLast: "activation comes after the second linear map",
        LayerTwoResiduals: "add the layer's input as well",
        LayerDropsTheInput: "(49|5\\d)% of the numbers at the three",
        LayerWithoutTuple: "not a Tensor",
        LayerNormOfResidual: "normalise the residual alone",
        LayerReadsInput: "reads what came into the layer",
        LayerIgnoresAttention: "used nowhere",
        LayerOneNormTwice: "attention's LayerNorm a second time",
        LayerAddsInputLast: "once more, after everything",
        LayerTwice: "through the layer twice",
        LayerZeroesPadding: "vectors of padding to zero",
        LayerOfFirstText: "vectors of the first one",
        LayerDetached: "no gradient goes",
        LayerInSinglePrecision: "torch.float32, where torch.float64",
        LayerOfFiveTokens: "3, 2, 12.* it stops",
        LayerNeedsMask: "Without a mask your layer stops",
        LayerOverwrites: "changes `hidden`",
        LayerLackingNorm: "2 of its names are missing, output.LayerNorm",
        layer_of_nothing: "is a NoneType",
    },
)
