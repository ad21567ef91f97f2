"""Models with mistakes for the exercises of this chapter. (To read on would spoil them.)"""

import copy
import math

import torch

from minibert.attention import BertSelfAttention, fused_attend
from minibert.encoder import BertIntermediate, BertOutput


class _ScaledByWidth(BertSelfAttention):
    """Divides the scores by the square root of H; it should be that of H / A."""

    def forward(self, hidden, mask=None, output_attentions=False):
        query, key, value = (
            self.split_heads(part(hidden)) for part in (self.query, self.key, self.value)
        )
        mixed = fused_attend(query / math.sqrt(self.num_heads), key, value, mask)  # [B, A, S, D]
        return mixed.transpose(1, 2).flatten(2), None


class _WithoutMask(BertSelfAttention):
    def forward(self, hidden, mask=None, output_attentions=False):
        return super().forward(hidden, None, output_attentions)


class _OtherActivation(BertIntermediate):
    def forward(self, hidden):
        wide = self.dense(hidden)  # [B, S, I]
        return wide * torch.sigmoid(1.702 * wide)  # [B, S, I]


class _WithoutResidual(BertOutput):
    def forward(self, wide, residual):
        return self.LayerNorm(self.dropout(self.dense(wide)))


class _NormTwice(BertOutput):
    def forward(self, wide, residual):
        return self.LayerNorm(super().forward(wide, residual))


# where a mistake is in a layer, and the output at which a comparison finds it; in the order of a layer
KINDS = (
    (_ScaledByWidth, "attention.self", "attention.self"),
    (_WithoutMask, "attention.self", "attention.self"),
    (_OtherActivation, "intermediate", "intermediate"),
    (_WithoutResidual, "output", "output.LayerNorm"),
    (_NormTwice, "output", "output"),
)


def with_mistakes(model, places):
    """A copy of a model with mistakes: `places` has pairs of a layer and a number in KINDS.

    They are in the code alone: weights, attributes and the printed modules are those of the model.
    """
    broken = copy.deepcopy(model)
    for layer, number in places:
        kind, part, _ = KINDS[number]
        module = broken.encoder.layer[layer].get_submodule(part)
        module.__class__ = type(type(module).__name__, (kind,), {})
    return broken


def names_of(places):
    """The outputs at which a comparison finds these mistakes, in order."""
    return [f"encoder.layer.{layer}.{KINDS[number][2]}" for layer, number in sorted(places)]


def with_two_mistakes(model):
    """The broken model of exercise 6.4, made from a model of at least four layers."""
    return with_mistakes(model, [(1, 0), (3, 3)])


def three_wrong_models(model):
    """The models A, B and C of exercise 6.5: copies of a model, each with one mistake."""

    class WithoutSegments(type(model)):
        def forward(self, input_ids, token_type_ids=None, attention_mask=None):
            return super().forward(input_ids, attention_mask=attention_mask)

    class WithoutMask(type(model)):
        def forward(self, input_ids, token_type_ids=None, attention_mask=None):
            return super().forward(input_ids, token_type_ids=token_type_ids)

    wrong = {letter: copy.deepcopy(model) for letter in "ABC"}
    wrong["A"].__class__ = WithoutSegments
    wrong["B"].__class__ = WithoutMask
    with torch.no_grad():
        wrong["C"].embeddings.position_embeddings.weight[64:] = 0
    return wrong
