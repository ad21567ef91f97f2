"""Exercises of chapter 5: GELU, a stack of layers, one encoder layer, and counting it."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from minibert.attention import BertAttention
from minibert.config import BertConfig
from minibert.encoder import BertLayer
from minibert.exercises.base import Exercise, Mistake, expect_tensor, recognise

CHAPTER = "05_encoder"


# -- warm-up: GELU ---------------------------------------------------------------------------------------------------

def gelu(x):
    """x times the probability that a standard normal number is below x, in its exact form: [...] -> [...]."""
    probability = 0.5 * (1 + torch.erf(x / math.sqrt(2)))   # blank: Φ(x), by the error function torch.erf
    return x * probability                                  # blank: let x through in that proportion


def check_gelu(answer):
    x = torch.tensor([-3.0, -1.0, -0.3, 0.0, 0.7, 1.0, 2.5], dtype=torch.float64)
    right = F.gelu(x)
    found = answer(x)
    expect_tensor(found, x.shape, "your GELU of a vector")
    if found.dtype != x.dtype:
        raise Mistake(f"your GELU turns {x.dtype} into {found.dtype}: compute with torch functions, in the precision that came in.")
    one = f"At x = -1 you have {found[1]:.4f}"
    recognise(found, right, [
        (x * 0.5 * torch.erf(x / math.sqrt(2)),
         f"Your function is even, g(-1) = g(1) = {found[5]:.4f}: the 1 is multiplied with the error function, not added to it."),
        (F.gelu(x, approximate="tanh"), f"{one}, the tanh approximation; the exact form with erf gives {right[1]:.4f}."),
        (x * torch.sigmoid(1.702 * x), f"{one}, the sigmoid approximation x·σ(1.702x); the exact form gives {right[1]:.4f}."),
        (F.silu(x), f"{one}: that is SiLU, x·σ(x); GELU weighs x with the normal distribution and gives {right[1]:.4f}."),
        (F.relu(x), f"{one}: that is ReLU, which cuts hard at zero; GELU lets {right[1]:.4f} through."),
        (0.5 * x * (1 + torch.erf(x)), f"{one} instead of {right[1]:.4f}: erf wants x / √2, yours gets x."),
        (0.5 * (1 + torch.erf(x / math.sqrt(2))), f"{one}, the probability Φ(x) alone; it still has to be multiplied by x."),
        (x * (1 + torch.erf(x / math.sqrt(2))), f"At x = 1 you have {found[5]:.4f}, twice the right value: erf runs from -1 to 1, a probability from 0 to 1."),
    ], "your GELU", tolerance=1e-6)


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


# -- build: a stack of layers ----------------------------------------------------------------------------------------

def make_stack(config, count):
    """`count` encoder layers, each with weights of its own, so that every one of them is trained."""
    layers = [BertLayer(config) for _ in range(count)]      # blank: a list of `count` fresh BertLayers
    return nn.ModuleList(layers)                            # blank: a container that PyTorch looks into


def check_make_stack(answer):
    config = BertConfig(vocab_size=11, hidden_size=12, num_attention_heads=3, intermediate_size=20)
    count = 3
    stack = answer(config, count)
    if isinstance(stack, (list, tuple)):
        raise Mistake(f"Your stack is a plain {type(stack).__name__}: a model that holds it registers none of its "
                      f"{len(stack)} layers, so the optimiser never sees their weights. Use nn.ModuleList.")
    if not isinstance(stack, nn.ModuleList):
        raise Mistake(f"Your stack should be an nn.ModuleList of {count} layers, but it is a {type(stack).__name__}.")
    if len(stack) != count:
        raise Mistake(f"Asked for {count} layers, your stack holds {len(stack)}.")
    others = [type(layer).__name__ for layer in stack if not isinstance(layer, BertLayer)]
    if others:
        raise Mistake(f"Your stack holds a {others[0]} where a BertLayer belongs.")
    if len({id(layer) for layer in stack}) == 1:
        wanted = sum(p.numel() for layer in stack for p in layer.parameters())
        raise Mistake(f"All {count} places hold one and the same layer: {sum(p.numel() for p in stack.parameters()):,} "
                      f"parameters where {wanted:,} were announced.")
    first, second = (layer.intermediate.dense.weight for layer in (stack[0], stack[1]))     # [I, H] each
    if torch.equal(first, second):
        raise Mistake("Layers 0 and 1 start with exactly the same weights: copies of one initialised layer. Make each anew.")
    if stack[0].intermediate.dense.in_features != config.hidden_size or stack[0].intermediate.dense.out_features != config.intermediate_size:
        raise Mistake(f"Your layers are {stack[0].intermediate.dense.in_features} wide; the config asks for {config.hidden_size}.")


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


# -- build, and swapped in: one encoder layer ------------------------------------------------------------------------

class EncoderLayer(nn.Module):
    """One post-norm encoder layer, with the parameter names of the published checkpoints."""

    def __init__(self, config):
        super().__init__()
        self.attention = BertAttention(config)      # attention with its own residual and norm: chapter 4
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(config.hidden_size, config.intermediate_size)})
        self.output = nn.ModuleDict({"dense": nn.Linear(config.intermediate_size, config.hidden_size),
                                     "LayerNorm": nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)})
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden, mask=None, output_weights=False):
        attended, weights = self.attention(hidden, mask, output_weights)        # [B, S, H], [B, A, S, S]
        wide = F.gelu(self.intermediate["dense"](attended))                     # blank: [B, S, I], the activation last
        back = self.dropout(self.output["dense"](wide))                         # blank: [B, S, H], dropout last
        hidden = self.output["LayerNorm"](attended + back)                      # blank: [B, S, H], residual, then norm
        return hidden, weights


def check_encoder_layer(answer):
    config = BertConfig(vocab_size=11, hidden_size=12, num_attention_heads=3, intermediate_size=20, hidden_dropout_prob=0.3,
                        attention_probs_dropout_prob=0.0, layer_norm_eps=0.1)   # large, so that a forgotten eps is seen
    layer = _random_weights(BertLayer(config).double().eval())
    mine = answer(config)
    if not isinstance(mine, nn.Module):
        raise Mistake(f"{answer.__name__}(config) should be an nn.Module, but it is a {type(mine).__name__}.")
    mine = mine.double().eval()
    try:
        mine.load_state_dict(layer.state_dict())
    except RuntimeError as error:
        raise Mistake(f"Your layer cannot take the weights of the package's: {error}.") from None
    x = torch.randn(2, 5, 12, dtype=torch.float64)                              # [B, S, H]
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])[:, None, None]  # [B, 1, 1, S]
    result = mine(x, mask, True)
    if not isinstance(result, tuple) or len(result) != 2:
        raise Mistake(f"forward should give back two things, the hidden states and the attention weights, not {type(result).__name__}.")
    right, right_weights = layer(x, mask, True)                                 # [B, S, H], [B, A, S, S]
    attended, _ = layer.attention(x, mask)                                      # [B, S, H]
    linear = layer.intermediate.dense(attended)                                 # [B, S, I]
    norm, down = layer.output.LayerNorm, layer.output.dense
    back = down(F.gelu(linear))                                                 # [B, S, H]
    unmasked, _ = layer.attention(x)                                            # [B, S, H]
    suspects = [
        (norm(back), "The residual connection is missing: your layer forgets what attention found."),
        (attended + back, "The sum is not normalised: LayerNorm has to follow it (post-norm, as BERT was published)."),
        (norm(x + back), "Your residual adds what came into the layer; add what came out of attention, which the feed-forward read."),
        (attended + norm(back), "You normalise before adding; in BERT the sum is normalised: LayerNorm(attended + back)."),
        (attended + down(F.gelu(layer.intermediate.dense(norm(attended)))),
         "That is pre-norm, x + f(LayerNorm(x)); this checkpoint was trained post-norm, LayerNorm(x + f(x))."),
        (norm(attended + down(linear)), "There is no activation: without it two linear maps are one."),
        (norm(attended + down(F.relu(linear))), "Your activation is ReLU; this config says GELU."),
        (norm(attended + down(F.gelu(linear, approximate="tanh"))), "Your GELU is the tanh form; hidden_act \"gelu\" is the exact one, with erf."),
        (F.layer_norm(attended + back, (12,), norm.weight, norm.bias),
         f"Your LayerNorm has its default eps 1e-05; the config asks for {config.layer_norm_eps}."),
        (norm(unmasked + down(F.gelu(layer.intermediate.dense(unmasked)))), "The mask does not reach attention: padding is looked at."),
    ]
    recognise(result[0], right, suspects, "the output of your layer", tolerance=1e-7)
    if result[1] is None or not torch.allclose(result[1], right_weights):
        raise Mistake("The second thing that forward gives back should be the attention weights, as attention returned them.")
    _check_dropout(mine.train(), config)


def _check_dropout(layer, config):
    """In training the feed-forward's result, and nothing before it, is dropped at the config's rate."""
    layer.attention.eval()
    norm, down = layer.output["LayerNorm"], layer.output["dense"]
    x = torch.randn(8, 25, config.hidden_size, dtype=torch.float64)             # [B, S, H]
    moved = not torch.allclose(layer(x)[0], layer.eval()(x)[0])                 # does training change anything at all?
    layer.train().attention.eval()
    with torch.no_grad():       # the second map now answers 1000 everywhere: what falls below the mean was dropped after it
        for vector, value in ((down.weight, 0.0), (down.bias, 1000.0), (norm.weight, 1.0), (norm.bias, 0.0)):
            vector.fill_(value)
    out, _ = layer(x)                                                           # [B, S, H]
    attended, _ = layer.attention(x)                                            # [B, S, H]
    rate = config.hidden_dropout_prob
    if torch.allclose(out, norm(attended + 1000)):
        where = ("dropout stands before the second linear map; it belongs after it" if moved
                 else f"nothing is dropped; the config asks for hidden_dropout_prob {rate} after the second linear map")
        raise Mistake(f"In training {where}.")
    if (out == 0).any():
        raise Mistake("In training some of the layer's outputs are zero: dropout stands after the LayerNorm; it belongs before the sum.")
    dropped = float((out < 0).double().mean())
    if abs(dropped - rate) > 0.05:
        raise Mistake(f"In training {dropped:.0%} of the feed-forward's result is dropped; the config asks for hidden_dropout_prob {rate}.")


def _random_weights(module):
    """Weights large enough that no mistake hides behind small numbers."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


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


class LayerOtherRate(EncoderLayer):
    def __init__(self, config):
        super().__init__(config)
        self.dropout = nn.Dropout()


# -- think: count one layer ------------------------------------------------------------------------------------------

def layer_parameters(hidden, intermediate):
    """The number of parameters of one encoder layer of width `hidden` with a feed-forward of width `intermediate`."""
    attention = 4 * (hidden * hidden + hidden)                              # blank: query, key, value, output
    feed_forward = 2 * hidden * intermediate + intermediate + hidden        # blank: there and back
    norms = 2 * 2 * hidden                                                  # blank: two LayerNorms
    return attention + feed_forward + norms


def check_layer_parameters(answer):
    for h, i in ((12, 20), (768, 3072)):
        found = answer(h, i)
        right = 4 * (h * h + h) + 2 * h * i + i + h + 4 * h
        if found == right:
            continue
        difference = {
            9 * h + i: "All biases and both LayerNorms",
            5 * h + i: "All biases: four of width hidden in attention, intermediate + hidden in the feed-forward",
            i + h: "The biases of the feed-forward, intermediate + hidden",
            4 * h: "The LayerNorms, or the four biases of attention (both are 4 · hidden)",
            2 * h: "One LayerNorm, or one of its two vectors in both",
            h * h + h: "The output map of attention, hidden² + hidden",
            h * i + h: "The way back through the feed-forward, intermediate · hidden + hidden",
        }.get(right - found)
        missing = f"{difference} seem to be missing." if difference else "One encoder layer of BERT-base has 7,087,872."
        raise Mistake(f"For hidden {h} and intermediate {i} you count {found:,}; there are {right:,}, {right - found:+,} more. {missing}")


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


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="GELU, exactly", solution=gelu, check=check_gelu,
        task="Write GELU in its exact form: $\\text{gelu}(x) = x\\,\\Phi(x)$, where $\\Phi(x)$ is the probability that a "
             "standard normal number is below $x$. PyTorch has the error function, `torch.erf`, and "
             "$\\Phi(x) = \\tfrac12\\,(1 + \\text{erf}(x / \\sqrt 2))$.",
        hints=("At $x = 0$ the probability is one half, far to the right it is 1, far to the left 0. Check your Φ there first.",
               "`probability = 0.5 * (1 + torch.erf(x / math.sqrt(2)))`. Mind the plus."),
        paragraph="An activation with a soft knee",
        right=(gelu_by_cdf, gelu_by_erfc),
        wrong={gelu_even: "is even, g\\(-1\\) = g\\(1\\) = 0.3413", gelu_tanh: "the tanh approximation", gelu_sigmoid: "sigmoid approximation",
               gelu_silu: "that is SiLU", gelu_relu: "that is ReLU", gelu_no_root: "erf wants x / √2",
               gelu_probability_only: "probability Φ\\(x\\) alone", gelu_doubled: "twice the right value", gelu_in_float32: "turns torch.float64 into"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=8, title="A stack whose layers all learn", solution=make_stack, check=check_make_stack,
        task="Make `count` layers from one config. Each has weights of its own, no two start alike, and a model that "
             "holds the stack hands *all* of their parameters to the optimiser.",
        hints=("Three Python habits go wrong here: `[layer] * n`, copies of one layer, and a plain list. What is wrong with each?",
               "A list comprehension that calls `BertLayer(config)` anew for each layer, in an `nn.ModuleList`."),
        paragraph="Twelve of them",
        right=(stack_by_append, stack_by_insert),
        wrong={stack_shared: "one and the same layer: .* parameters where", stack_of_copies: "start with exactly the same weights",
               stack_as_list: "plain list", stack_of_one: "Asked for 3 layers, your stack holds 1",
               stack_sequential: "but it is a Sequential", stack_of_attention: "holds a BertAttention where", stack_of_base: "are 768 wide"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="One encoder layer", solution=EncoderLayer, check=check_encoder_layer,
        task="Write the second half of an encoder layer: after attention comes the feed-forward (up to $I$, GELU, back to $H$), "
             "dropout, the residual connection and LayerNorm, post-norm as BERT was published. The parts are made for you, "
             "under the names of the published checkpoints; your class will run inside a real BERT below.",
        hints=("Three lines: wide = activation of the first linear map; back = dropout of the second; hidden = norm of a sum. Which two things are added?",
               "The feed-forward reads `attended`, so `attended` is what it adds itself to: `LayerNorm(attended + back)`."),
        paragraph="One layer by hand",
        right=(LayerByFunctional, LayerOfPieces),
        wrong={LayerWithoutResidual: "residual connection is missing", LayerWithoutNorm: "sum is not normalised",
               LayerWrongResidual: "adds what came into the layer", LayerNormBeforeSum: "You normalise before adding",
               LayerPreNorm: "That is pre-norm", LayerLinear: "no activation", LayerRelu: "activation is ReLU",
               LayerTanhGelu: "tanh form", LayerDefaultEps: "default eps 1e-05; the config asks for 0.1",
               LayerWithoutMask: "mask does not reach", LayerWithoutWeights: "second thing that forward gives back",
               LayerEarlyDropout: "before the second linear map", LayerNoDropout: "nothing is dropped",
               LayerLateDropout: "stands after the LayerNorm", LayerOtherRate: "5\\d% of the feed-forward's result"}),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="Seven million, to the last one", solution=layer_parameters, check=check_layer_parameters,
        task="With pencil and paper first: how many parameters has one encoder layer, as a function of its two widths? The "
             "number of heads is not among them. Why not?",
        hints=("A linear map from $a$ to $b$ has $ab + b$. A LayerNorm has two vectors. There are six linear maps and two norms.",
               "Four maps of $H^2 + H$ in attention; $HI + I$ up and $IH + H$ back; $2 \\cdot 2H$ for the norms."),
        paragraph="Where 109,482,240 come from",
        right=(layer_parameters_by_building, layer_parameters_by_matrices),
        wrong={count_only_matrices: "All biases and both LayerNorms", count_without_biases: "All biases: four",
               count_without_feed_forward_biases: "biases of the feed-forward", count_without_norms: "The LayerNorms, or the four",
               count_one_norm: "One LayerNorm", count_without_output_map: "output map of attention",
               count_one_way: "way back", count_the_rumour: "has 7,087,872"}),
]
