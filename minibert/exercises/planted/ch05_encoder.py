"""Answers on which the exercises of chapter 5 are tried: right ones, and wrong ones with what the check must say."""

import copy
import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn

from minibert.attention import BertAttention
from minibert.config import BertConfig
from minibert.encoder import BertLayer
from minibert.exercises.ch05_encoder import EncoderLayer, layer_parameters
from minibert.exercises.planted import Answers


# -- warm-up: GELU ---------------------------------------------------------------------------------------------------

def gelu_by_cdf(x):
    return x * torch.special.ndtr(x)


def gelu_by_erfc(x):
    return x * torch.erfc(-x / 2 ** 0.5) / 2


def gelu_even(x):
    return x * 0.5 * (1 * torch.erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def gelu_sigmoid(x):
    return x * torch.sigmoid(1.702 * x)


def gelu_silu(x):
    return x * torch.sigmoid(x)


def gelu_relu(x):
    return x.clamp(min=0)


def gelu_no_root(x):
    return 0.5 * x * (1 + torch.erf(x))


def gelu_probability_only(x):
    return torch.special.ndtr(x)


def gelu_doubled(x):
    return x * (1 + torch.erf(x / math.sqrt(2)))


def gelu_in_float32(x):
    return F.gelu(x.float())


def gelu_minus(x):
    return 0.5 * x * (1 - torch.erf(x / math.sqrt(2)))


def gelu_erf_alone(x):
    return x * torch.erf(x / math.sqrt(2))


def gelu_without_brackets(x):
    return x * (0.5 * 1 + torch.erf(x / math.sqrt(2)))


def gelu_times_root(x):
    return 0.5 * x * (1 + torch.erf(x * math.sqrt(2)))


def gelu_half(x):
    return 0.5 * x * (1 + torch.erf(x / 2))


def gelu_of_one_number(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def gelu_density(x):
    return x * torch.distributions.Normal(0, 1).log_prob(x).exp()


def gelu_in_place(x):
    x *= torch.special.ndtr(x)
    return x


# -- build: a stack of layers ----------------------------------------------------------------------------------------

def stack_by_append(config, count):
    stack = nn.ModuleList()
    for _ in range(count):
        stack.append(BertLayer(config))
    return stack


def stack_by_insert(config, count):
    stack = nn.ModuleList([BertLayer(config)])
    while len(stack) < count:
        stack.insert(0, BertLayer(config))
    return stack


def stack_shared(config, count):
    return nn.ModuleList([BertLayer(config)] * count)


def stack_of_copies(config, count):
    layer = BertLayer(config)
    return nn.ModuleList(copy.deepcopy(layer) for _ in range(count))


def stack_as_list(config, count):
    return [BertLayer(config) for _ in range(count)]


def stack_of_one(config, count):
    return nn.ModuleList([BertLayer(config)])


def stack_sequential(config, count):
    return nn.Sequential(*(BertLayer(config) for _ in range(count)))


def stack_of_attention(config, count):
    return nn.ModuleList(BertAttention(config) for _ in range(count))


def stack_of_base(config, count):
    return nn.ModuleList(BertLayer(BertConfig(vocab_size=11)) for _ in range(count))


def stack_of_the_config(config, count):
    return nn.ModuleList(BertLayer(config) for _ in range(config.num_hidden_layers))


def stack_of_two_by_turns(config, count):
    pair = BertLayer(config), BertLayer(config)
    return nn.ModuleList(pair[i % 2] for i in range(count))


def stack_with_a_late_copy(config, count):
    stack = nn.ModuleList(BertLayer(config) for _ in range(count))
    stack[-1] = copy.deepcopy(stack[-2])
    return stack


def stack_of_another_config(config, count):
    other = BertConfig(vocab_size=11, hidden_size=config.hidden_size, num_attention_heads=config.num_attention_heads,
                       intermediate_size=config.intermediate_size)
    return nn.ModuleList(BertLayer(other) for _ in range(count))


def stack_with_one_head(config, count):
    return nn.ModuleList(BertLayer(dataclasses.replace(config, num_attention_heads=1)) for _ in range(count))


# -- build, and swapped in: one encoder layer ------------------------------------------------------------------------

class _Variant(EncoderLayer):
    """The ways to get the second half wrong, one method each."""

    def forward(self, hidden, mask=None, output_weights=False):
        attended, weights = self.attention(hidden, mask, output_weights)
        return self.second_half(hidden, attended), weights

    def back(self, attended):
        return self.dropout(self.output["dense"](F.gelu(self.intermediate["dense"](attended))))


class LayerByFunctional(EncoderLayer):
    def forward(self, hidden, mask=None, output_weights=False):
        x, weights = self.attention(hidden, mask, output_weights)
        up, down, norm = self.intermediate["dense"], self.output["dense"], self.output["LayerNorm"]
        y = F.linear(F.linear(x, up.weight, up.bias).mul(torch.special.ndtr(F.linear(x, up.weight, up.bias))), down.weight, down.bias)
        return F.layer_norm(F.dropout(y, self.dropout.p, self.training) + x, norm.normalized_shape, norm.weight, norm.bias, norm.eps), weights


class LayerOfPieces(_Variant):
    def second_half(self, hidden, attended):
        pieces = [self.back(attended[:, i:i + 1]) + attended[:, i:i + 1] for i in range(attended.size(1))]   # token by token
        return self.output["LayerNorm"](torch.cat(pieces, dim=1))


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
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](self.intermediate["dense"](attended))))


class LayerRelu(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](self.intermediate["dense"](attended).relu())))


class LayerTanhGelu(_Variant):
    def second_half(self, hidden, attended):
        wide = F.gelu(self.intermediate["dense"](attended), approximate="tanh")
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](wide)))


class LayerDefaultEps(_Variant):
    def second_half(self, hidden, attended):
        norm = self.output["LayerNorm"]
        return F.layer_norm(attended + self.back(attended), norm.normalized_shape, norm.weight, norm.bias)


class LayerWithoutMask(EncoderLayer):
    def forward(self, hidden, mask=None, output_weights=False):
        return super().forward(hidden, None, output_weights)


class LayerWithoutWeights(EncoderLayer):
    def forward(self, hidden, mask=None, output_weights=False):
        return super().forward(hidden, mask)


class LayerEarlyDropout(_Variant):
    def second_half(self, hidden, attended):
        wide = F.gelu(self.dropout(self.intermediate["dense"](attended)))
        return self.output["LayerNorm"](attended + self.output["dense"](wide))


class LayerNoDropout(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + self.output["dense"](F.gelu(self.intermediate["dense"](attended))))


class LayerLateDropout(LayerNoDropout):
    def second_half(self, hidden, attended):
        return self.dropout(super().second_half(hidden, attended))


class LayerAlwaysDrops(_Variant):
    def second_half(self, hidden, attended):
        back = F.dropout(self.output["dense"](F.gelu(self.intermediate["dense"](attended))), self.dropout.p)
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
        return self.output["LayerNorm"](self.dropout(attended + self.output["dense"](F.gelu(self.intermediate["dense"](attended)))))


class LayerActivationFirst(_Variant):
    def second_half(self, hidden, attended):
        wide = self.intermediate["dense"](F.gelu(attended))
        return self.output["LayerNorm"](attended + self.dropout(self.output["dense"](wide)))


class LayerActivationTwice(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + self.dropout(F.gelu(self.output["dense"](F.gelu(self.intermediate["dense"](attended))))))


class LayerActivationLast(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + self.dropout(F.gelu(self.output["dense"](self.intermediate["dense"](attended)))))


class LayerTwoResiduals(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + hidden + self.back(attended))


class LayerDropsTheInput(_Variant):
    def second_half(self, hidden, attended):
        return self.output["LayerNorm"](attended + self.back(self.dropout(attended)))


class LayerWithoutTuple(EncoderLayer):
    def forward(self, hidden, mask=None, output_weights=False):
        return super().forward(hidden, mask, output_weights)[0]


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

    def forward(self, hidden, mask=None, output_weights=False):
        out, weights = super().forward(hidden, mask, output_weights)
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
    def forward(self, hidden, mask=None, output_weights=False):
        return super().forward(hidden, mask[..., :hidden.size(1)], output_weights)


class LayerOverwrites(EncoderLayer):
    def forward(self, hidden, mask=None, output_weights=False):
        out, weights = super().forward(hidden, mask, output_weights)
        hidden.data.copy_(out)
        return out, weights


class LayerWithoutNorm(EncoderLayer):
    def __init__(self, config):
        super().__init__(config)
        del self.output["LayerNorm"]


def layer_of_nothing(config):
    return None


# -- think: count one layer ------------------------------------------------------------------------------------------

def layer_parameters_by_building(hidden, intermediate):
    with torch.device("meta"):
        layer = BertLayer(BertConfig(vocab_size=1, hidden_size=hidden, num_attention_heads=1, intermediate_size=intermediate))
    return sum(p.numel() for p in layer.parameters())


def layer_parameters_by_matrices(hidden, intermediate):
    shapes = [(hidden, hidden), (hidden,)] * 4 + [(hidden,)] * 4 + [(intermediate, hidden), (intermediate,), (hidden, intermediate), (hidden,)]
    return sum(math.prod(shape) for shape in shapes)


def count_only_matrices(hidden, intermediate):
    return 4 * hidden ** 2 + 2 * hidden * intermediate


def count_without_biases(hidden, intermediate):
    return 4 * hidden ** 2 + 2 * hidden * intermediate + 4 * hidden


def count_without_feed_forward_biases(hidden, intermediate):
    return 4 * (hidden ** 2 + hidden) + 2 * hidden * intermediate + 4 * hidden


def count_without_norms(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - 4 * hidden


def count_one_norm(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - 2 * hidden


def count_without_output_map(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - hidden ** 2 - hidden


def count_one_way(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - hidden * intermediate - hidden


def count_the_rumour(hidden, intermediate):
    return 7_000_000


def count_three_norms(hidden, intermediate):
    return layer_parameters(hidden, intermediate) + 2 * hidden


def count_wide_biases(hidden, intermediate):
    return layer_parameters(hidden, intermediate) + intermediate - hidden


def count_five_maps(hidden, intermediate):
    return layer_parameters(hidden, intermediate) + hidden * (hidden + 1)


def count_single_biases(hidden, intermediate):
    return 4 * (hidden ** 2 + 1) + 2 * hidden * intermediate + intermediate + hidden + 4 * hidden


def count_no_bias_up(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - intermediate


def count_no_bias_down(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - hidden


def count_one_matrix(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - hidden * intermediate


def count_narrow_biases(hidden, intermediate):
    return layer_parameters(hidden, intermediate) - intermediate + hidden


def count_four_times(hidden, intermediate):
    return 12 * hidden ** 2 + 13 * hidden


def count_twelve(hidden, intermediate):
    return 12 * layer_parameters(hidden, intermediate)


ANSWERS = {
    "gelu": Answers(
        right=(gelu_by_cdf, gelu_by_erfc),
        wrong={gelu_even: "is even, g\\(-1\\) = g\\(1\\) = 0.3413", gelu_tanh: "the tanh approximation", gelu_sigmoid: "sigmoid approximation",
               gelu_silu: "that is SiLU", gelu_relu: "that is ReLU", gelu_no_root: "erf wants x / √2",
               gelu_probability_only: "probability Φ\\(x\\) alone", gelu_doubled: "twice the right value", gelu_in_float32: "turns torch.float64 into",
               gelu_minus: "being \\*above\\* x", gelu_erf_alone: "erf itself runs", gelu_without_brackets: "brackets round",
               gelu_times_root: "divide by the root", gelu_of_one_number: "stops at a vector of 7 numbers", gelu_half: "the \\*root\\* of 2", gelu_density: "the \\*density\\*",
               gelu_in_place: "changes `x`.*6 of its 7"}),
    "EncoderLayer": Answers(
        right=(LayerByFunctional, LayerOfPieces),
        wrong={LayerWithoutResidual: "residual connection is missing", LayerWithoutNorm: "sum is not normalised",
               LayerWrongResidual: "adds what came into the layer", LayerNormBeforeSum: "You normalise before adding",
               LayerPreNorm: "That is pre-norm", LayerLinear: "no activation", LayerRelu: "activation is ReLU",
               LayerTanhGelu: "tanh form", LayerDefaultEps: "default eps 1e-05; the config asks for 0.1",
               LayerWithoutMask: "mask does not reach", LayerWithoutWeights: "second thing that forward gives back",
               LayerEarlyDropout: "before the second linear map", LayerNoDropout: "nothing is dropped",
               LayerLateDropout: "stands after the LayerNorm", LayerOtherRate: "(49|50|51|52)% of the feed-forward's result",
               LayerAlwaysDrops: "In evaluation your layer gives two answers", LayerDropsTwice: "In training 5\\d% of the numbers at the three",
               LayerDropsTheStream: "never what came out of attention", LayerDropsTheSum: "the sum is dropped",
               LayerActivationFirst: "before the first linear map", LayerActivationTwice: "once more, after the second",
               LayerActivationLast: "activation comes after the second linear map", LayerTwoResiduals: "add the layer's input as well",
               LayerDropsTheInput: "(49|5\\d)% of the numbers at the three", LayerWithoutTuple: "not a Tensor",
               LayerNormOfResidual: "normalise the residual alone", LayerReadsInput: "reads what came into the layer",
               LayerIgnoresAttention: "used nowhere", LayerOneNormTwice: "attention's LayerNorm a second time",
               LayerAddsInputLast: "once more, after everything", LayerTwice: "through the layer twice", LayerZeroesPadding: "vectors of padding to zero", LayerOfFirstText: "vectors of the first one",
               LayerDetached: "no gradient goes", LayerInSinglePrecision: "torch.float32, where torch.float64", LayerOfFiveTokens: "3, 2, 12.* it stops", LayerNeedsMask: "Without a mask your layer stops",
               LayerOverwrites: "changes `hidden`", LayerWithoutNorm: "2 of its names are missing, output.LayerNorm", layer_of_nothing: "is a NoneType"}),
    "make_stack": Answers(
        right=(stack_by_append, stack_by_insert),
        wrong={stack_shared: "one and the same layer: .* parameters where", stack_of_copies: "Layers 0 and 1 start with exactly the same weights",
               stack_as_list: "plain list", stack_of_one: "Asked for 3 layers, your stack holds 1",
               stack_sequential: "but it is a Sequential", stack_of_attention: "holds a BertAttention where", stack_of_base: "has the hidden_size 768",
               stack_of_the_config: "the config's num_hidden_layers", stack_of_two_by_turns: "Places 0 and 2 hold one and the same",
               stack_with_a_late_copy: "Layers 1 and 2 start", stack_of_another_config: "hidden_dropout_prob 0.1; the config that was handed in says 0.3",
               stack_with_one_head: "num_attention_heads 1"}),
    "layer_parameters": Answers(
        right=(layer_parameters_by_building, layer_parameters_by_matrices),
        wrong={count_only_matrices: "All biases and both LayerNorms", count_without_biases: "All biases: four",
               count_without_feed_forward_biases: "biases of the feed-forward", count_without_norms: "The LayerNorms, or the four",
               count_one_norm: "One LayerNorm", count_without_output_map: "output map of attention",
               count_one_way: "way back through", count_the_rumour: "6,998,816 fewer. One encoder layer of BERT-base has 7,087,872",
               count_three_norms: "24 fewer. A third LayerNorm", count_wide_biases: "at width intermediate", count_five_maps: "A fifth map",
               count_single_biases: "not 1. They seem", count_no_bias_up: "bias of the way up", count_no_bias_down: "bias of the way back",
               count_one_matrix: "One of the two matrices", count_narrow_biases: "not hidden. They seem", count_four_times: "four times hidden",
               count_twelve: "that is twelve layers"}),
}
