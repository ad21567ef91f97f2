"""Answers to `EncoderLayer` on which its check is tried."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.ch05_encoder.encoder_layer import EncoderLayer
from planted import Answers
from planted.ch05_encoder import encoder_layer_around as around
from planted.ch05_encoder import encoder_layer_dropout as dropout
from planted.ch05_encoder import encoder_layer_orders as orders
from planted.ch05_encoder import encoder_layer_second_half as second_half
from planted.ch05_encoder.encoder_layer_variant import Variant


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


class LayerOfPieces(Variant):
    def second_half(self, hidden, attended):
        before, after = self.output["LayerNorm"], nn.Identity()
        if not self.norm_first:
            before, after = after, before
        pieces = [
            self.back(before(attended[:, i : i + 1])) + attended[:, i : i + 1]
            for i in range(attended.size(1))
        ]  # token by token
        return after(torch.cat(pieces, dim=1))


ANSWERS = Answers(
    right=(LayerByFunctional, LayerOfPieces, dropout.LayerWithOneDropout),
    wrong={
        orders.LayerAttentionWithoutResidual: "Attention's residual connection is missing",
        orders.LayerAttentionWithoutNorm: "sum after attention is not normalised",
        orders.LayerAttentionWithoutMatrix: "added without its output matrix",
        orders.FirstHalf: "attention reads the stream as it is",
        orders.LayerAlwaysPostNorm: "it never asks norm_first",
        orders.LayerLosesItsNorm: "no LayerNorm is left",
        orders.LayerNormalisesTwice: "the sum is normalised as well",
        orders.LayerKeepsTheNormalised: "you add to the normalised vector",
        orders.LayerNormalisesTheBranch: "you normalise what the feed-forward network gives",
        orders.LayerUsesItsFirstNormTwice: "With norm_first=True you use attention's LayerNorm a second time",
        orders.LayerKeepsItsFirstNorm: "the sum after attention is normalised as well",
        orders.LayerAddsToTheNormalised: "add attention's result to the normalised vector",
        dropout.LayerFirstHalfDropsTheSum: "in the first half, the sum is dropped",
        dropout.LayerFirstHalfDropsTheStream: "in the first half, a part of `hidden` is dropped",
        dropout.LayerFirstHalfDropsNothing: "in the first half, nothing is dropped",
        dropout.LayerFirstHalfDropsEarly: "in the first half, dropout stands before `self.attention.output.dense`",
        orders.LayerExchangesItsNorms: "The two LayerNorms are exchanged: here",
        orders.LayerExchangesItsNormsInPreNorm: "With norm_first=True the two LayerNorms are exchanged",
        orders.LayerFirstNormDefaultEps: "Attention's LayerNorm has its default eps",
        orders.LayerPreNormWithoutMask: "With norm_first=True the mask does not reach",
        orders.LayerPreNormWithoutWeights: "With norm_first=True, the second thing",
        dropout.LayerPreNormDropsTheSum: "in training, a part of the stream itself is dropped",
        dropout.LayerPreNormDropsNothing: "in training, nothing of attention's result",
        dropout.LayerPreNormDropsWhatItReads: "something else than the feed-forward's result",
        dropout.LayerPreNormOtherRate: "something else than attention's result",
        orders.LayerPreNormAddsInput: "With norm_first=True your residual adds",
        second_half.LayerWithoutResidual: "residual connection is missing",
        second_half.LayerWithoutNorm: "sum is not normalised",
        second_half.LayerWrongResidual: "Your residual adds what came into the layer",
        second_half.LayerNormBeforeSum: "You normalise before adding",
        second_half.LayerPreNorm: "That is pre-norm",
        second_half.LayerLinear: "no activation",
        second_half.LayerRelu: "activation is ReLU",
        second_half.LayerTanhGelu: "tanh form",
        second_half.LayerDefaultEps: "default eps 1e-05; the config asks for 0.1",
        around.LayerWithoutMask: "mask does not reach",
        around.LayerWithoutWeights: "second thing that forward gives back",
        around.LayerGivesItsOutputTwice: "should be the attention weights, .*; yours has",
        dropout.LayerEarlyDropout: "before the second linear map",
        dropout.LayerNoDropout: "nothing is dropped",
        dropout.LayerLateDropout: "stands after the LayerNorm",
        dropout.LayerOtherRate: "(49|50|51|52)% of the feed-forward's result",
        dropout.LayerAlwaysDrops: "In evaluation your layer gives two answers",
        dropout.LayerDropsTwice: "In training 5\\d% of the numbers at the three",
        dropout.LayerDropsTheStream: "never what came out of attention",
        dropout.LayerDropsTheSum: "the sum is dropped",
        second_half.LayerActivationFirst: "before the first linear map",
        second_half.LayerActivationTwice: "once more, after the second",
        second_half.LayerActivationLast: "activation comes after the second linear map",
        second_half.LayerTwoResiduals: "add the layer's input as well",
        dropout.LayerDropsTheInput: "(49|5\\d)% of the numbers at the three",
        around.LayerWithoutTuple: "not a Tensor",
        second_half.LayerNormOfResidual: "normalise the residual alone",
        second_half.LayerReadsInput: "reads what came into the layer",
        second_half.LayerIgnoresAttention: "used nowhere",
        second_half.LayerOneNormTwice: "attention's LayerNorm a second time",
        around.LayerAddsInputLast: "once more, after everything",
        around.LayerTwice: "through the layer twice",
        around.LayerZeroesPadding: "vectors of padding to zero",
        around.LayerOfFirstText: "vectors of the first one",
        around.LayerDetached: "no gradient goes",
        around.LayerInSinglePrecision: "torch.float32, where torch.float64",
        around.LayerOfFiveTokens: "3, 2, 12.* it stops",
        around.LayerNeedsMask: "Without a mask your layer stops",
        around.LayerOverwrites: "changes `hidden`",
        around.LayerLackingNorm: "2 of its names are missing, output.LayerNorm",
        around.layer_of_nothing: "is a NoneType",
    },
)
