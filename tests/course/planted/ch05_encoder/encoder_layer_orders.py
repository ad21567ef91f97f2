"""Wrong answers to `EncoderLayer`: the first half, and the order of norm and sublayer."""

import torch.nn.functional as F

from minibert.course.exercises.ch05_encoder.encoder_layer import EncoderLayer
from planted.ch05_encoder.encoder_layer_variant import Variant


class FirstHalf(EncoderLayer):
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


class LayerAttentionWithoutResidual(FirstHalf):
    def first_half(self, hidden, found, half):
        return half.LayerNorm(half.dropout(half.dense(found)))


class LayerAttentionWithoutNorm(FirstHalf):
    def first_half(self, hidden, found, half):
        return hidden + half.dropout(half.dense(found))


class LayerAttentionWithoutMatrix(FirstHalf):
    def first_half(self, hidden, found, half):
        return half.LayerNorm(hidden + half.dropout(found))


class LayerExchangesItsNorms(EncoderLayer):
    """Each of the two LayerNorms is where the other belongs."""

    def forward(self, hidden, mask=None, output_attentions=False):
        half, last = self.attention.output, self.output["LayerNorm"]
        read = last(hidden) if self.norm_first else hidden
        mixed, weights = self.attention.self(read, mask, output_attentions)
        hidden = hidden + half.dropout(half.dense(mixed))
        hidden = hidden if self.norm_first else last(hidden)
        read = half.LayerNorm(hidden) if self.norm_first else hidden
        up, down = self.intermediate["dense"], self.output["dense"]
        hidden = hidden + self.dropout(down(self.activation(up(read))))
        return hidden if self.norm_first else half.LayerNorm(hidden), weights


class LayerExchangesItsNormsInPreNorm(LayerExchangesItsNorms):
    def forward(self, hidden, mask=None, output_attentions=False):
        right = super() if self.norm_first else super(LayerExchangesItsNorms, self)
        return right.forward(hidden, mask, output_attentions)


class _InBothOrders(Variant):
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


class LayerUsesItsFirstNormTwice(_InBothOrders):
    def first(self, hidden, attended, norm):
        return attended + self.back(self.attention.output.LayerNorm(attended))


class LayerKeepsItsFirstNorm(_InBothOrders):
    def first(self, hidden, attended, norm):
        attended = self.attention.output.LayerNorm(attended)
        return attended + self.back(norm(attended))


class LayerAddsToTheNormalised(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        if not self.norm_first:
            return super().forward(hidden, mask, output_attentions)
        half = self.attention.output
        read = half.LayerNorm(hidden)
        found, weights = self.attention.self(read, mask, output_attentions)
        x = read + half.dropout(half.dense(found))
        wide = F.gelu(self.intermediate["dense"](self.output["LayerNorm"](x)))
        return x + self.dropout(self.output["dense"](wide)), weights


class LayerFirstNormDefaultEps(FirstHalf):
    def first_half(self, hidden, found, half):
        norm = half.LayerNorm
        total = hidden + half.dropout(half.dense(found))
        return F.layer_norm(total, norm.normalized_shape, norm.weight, norm.bias)


class LayerPreNormWithoutMask(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, None if self.norm_first else mask, output_attentions)


class LayerPreNormWithoutWeights(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, mask, output_attentions and not self.norm_first)


class LayerPreNormAddsInput(_InBothOrders):
    def first(self, hidden, attended, norm):
        return hidden + self.back(norm(attended))
