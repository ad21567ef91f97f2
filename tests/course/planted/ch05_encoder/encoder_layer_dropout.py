"""Wrong answers to `EncoderLayer`: dropout."""

import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.ch05_encoder.encoder_layer import EncoderLayer
from planted.ch05_encoder.encoder_layer_orders import FirstHalf
from planted.ch05_encoder.encoder_layer_variant import Variant


class LayerEarlyDropout(Variant):
    def second_half(self, hidden, attended):
        wide = F.gelu(self.dropout(self.intermediate["dense"](attended)))
        return self.output["LayerNorm"](attended + self.output["dense"](wide))


class LayerNoDropout(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            attended + self.output["dense"](F.gelu(self.intermediate["dense"](attended)))
        )


class LayerLateDropout(LayerNoDropout):
    def second_half(self, hidden, attended):
        return self.dropout(super().second_half(hidden, attended))


class LayerAlwaysDrops(Variant):
    def second_half(self, hidden, attended):
        back = F.dropout(
            self.output["dense"](F.gelu(self.intermediate["dense"](attended))), self.dropout.p
        )
        return self.output["LayerNorm"](attended + back)


class LayerDropsTwice(Variant):
    def second_half(self, hidden, attended):
        wide = self.dropout(F.gelu(self.intermediate["dense"](attended)))
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](wide)))


class LayerDropsTheStream(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](self.dropout(attended) + self.back(attended))


class LayerDropsTheSum(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](
            self.dropout(
                attended + self.output["dense"](F.gelu(self.intermediate["dense"](attended)))
            )
        )


class LayerDropsTheInput(Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + self.back(self.dropout(attended)))


class LayerFirstHalfDropsTheSum(FirstHalf):
    def first_half(self, hidden, found, half):
        return half.LayerNorm(half.dropout(hidden + half.dense(found)))


class LayerFirstHalfDropsTheStream(FirstHalf):
    def first_half(self, hidden, found, half):
        return half.LayerNorm(half.dropout(hidden) + half.dense(found))


class LayerFirstHalfDropsNothing(FirstHalf):
    def first_half(self, hidden, found, half):
        return half.LayerNorm(hidden + half.dense(found))


class LayerFirstHalfDropsEarly(FirstHalf):
    def first_half(self, hidden, found, half):
        return half.LayerNorm(hidden + half.dense(half.dropout(found)))


class LayerOtherRate(EncoderLayer):
    def __init__(self, config):
        super().__init__(config)
        self.dropout = nn.Dropout()


class LayerWithOneDropout(EncoderLayer):
    """Right: both halves use the same dropout, whose rate is that of both."""

    def forward(self, hidden, mask=None, output_attentions=False):
        half, norm = self.attention.output, self.output["LayerNorm"]
        read = half.LayerNorm(hidden) if self.norm_first else hidden
        found, weights = self.attention.self(read, mask, output_attentions)
        x = self.add(hidden, half.dense(found))
        x = x if self.norm_first else half.LayerNorm(x)
        wide = F.gelu(self.intermediate["dense"](self.read(norm(x) if self.norm_first else x)))
        x = self.add(x, self.output["dense"](wide))
        return x if self.norm_first else norm(x), weights

    def add(self, stream, found):
        return stream + self.dropout(found)

    def read(self, x):
        return x


class LayerPreNormDropsTheSum(LayerWithOneDropout):
    def add(self, stream, found):
        return self.dropout(stream + found) if self.norm_first else super().add(stream, found)


class LayerPreNormDropsNothing(LayerWithOneDropout):
    def add(self, stream, found):
        return stream + found if self.norm_first else super().add(stream, found)


class LayerPreNormDropsWhatItReads(LayerWithOneDropout):
    def read(self, x):
        return self.dropout(x) if self.norm_first else x


class LayerPreNormOtherRate(LayerWithOneDropout):
    def add(self, stream, found):
        rate = 0.1 if self.norm_first else self.dropout.p
        return stream + F.dropout(found, rate, self.training)
