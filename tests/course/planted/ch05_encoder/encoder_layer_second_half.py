"""Wrong answers to `EncoderLayer`: the second half, in evaluation."""

import torch.nn.functional as F

from planted.ch05_encoder.encoder_layer_variant import Variant


class LayerWithoutResidual(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](self.back(attended))


class LayerWithoutNorm(Variant):
    def second_half(self, hidden, attended):
        return attended + self.back(attended)


class LayerWrongResidual(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](hidden + self.back(attended))


class LayerNormBeforeSum(Variant):
    def second_half(self, hidden, attended):
        return attended + self.output["LayerNorm"](self.back(attended))


class LayerPreNorm(Variant):
    def second_half(self, hidden, attended):
        return attended + self.back(self.output["LayerNorm"](attended))


class LayerLinear(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended + self.dropout(self.output["dense"](self.intermediate["dense"](attended)))
        )


class LayerRelu(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended
            + self.dropout(self.output["dense"](self.intermediate["dense"](attended).relu()))
        )


class LayerTanhGelu(Variant):
    def second_half(self, hidden, attended):
        wide = F.gelu(self.intermediate["dense"](attended), approximate="tanh")
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](wide)))


class LayerDefaultEps(Variant):
    def second_half(self, hidden, attended):
        norm = self.output["LayerNorm"]
        return F.layer_norm(
            attended + self.back(attended), norm.normalized_shape, norm.weight, norm.bias
        )


class LayerActivationFirst(Variant):
    def second_half(self, hidden, attended):
        wide = self.intermediate["dense"](F.gelu(attended))
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](wide)))


class LayerActivationTwice(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended
            + self.dropout(
                F.gelu(self.output["dense"](F.gelu(self.intermediate["dense"](attended))))
            )
        )


class LayerActivationLast(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended
            + self.dropout(F.gelu(self.output["dense"](self.intermediate["dense"](attended))))
        )


class LayerTwoResiduals(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + hidden + self.back(attended))


class LayerNormOfResidual(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended) + self.back(attended)


class LayerReadsInput(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + self.back(hidden))


class LayerIgnoresAttention(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](hidden + self.back(hidden))


class LayerOneNormTwice(Variant):
    def second_half(self, hidden, attended):
        return self.attention.output.LayerNorm(attended + self.back(attended))
