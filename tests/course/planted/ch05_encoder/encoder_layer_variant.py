"""The layer of which most planted answers to `EncoderLayer` change one method."""

import torch.nn.functional as F

from minibert.course.exercises.ch05_encoder.encoder_layer import EncoderLayer


class Variant(EncoderLayer):
    """The ways to get the second half wrong, one method each."""

    def forward(self, hidden, mask=None, output_attentions=False):
        attended, weights = self.attention(hidden, mask, output_attentions)
        return self.second_half(hidden, attended), weights

    def back(self, attended):
        return self.dropout(self.output["dense"](F.gelu(self.intermediate["dense"](attended))))
