"""Wrong answers to `EncoderLayer`: what goes in and what comes out."""

from minibert.course.exercises.ch05_encoder.encoder_layer import EncoderLayer


class LayerWithoutMask(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, None, output_attentions)


class LayerWithoutWeights(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, mask)


class LayerGivesItsOutputTwice(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        out, _ = super().forward(hidden, mask, output_attentions)
        return out, out


class LayerWithoutTuple(EncoderLayer):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, mask, output_attentions)[0]


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


def layer_of_nothing(config):
    return None
