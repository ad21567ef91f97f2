"""Exercises of chapter 5: GELU, a stack of layers, one encoder layer, and counting it."""

import itertools
import math

import torch
import torch.nn.functional as F
from torch import nn

from minibert.attention import BertAttention
from minibert.config import BertConfig
from minibert.encoder import BertLayer
from minibert.exercises.base import Exercise, Mistake, also, draw, expect_module, expect_tensor, give_weights, recognise

CHAPTER = "05_encoder"


# -- warm-up: GELU ---------------------------------------------------------------------------------------------------

def gelu(x):
    """x times the probability that a standard normal number is below x, in its exact form: [...] -> [...]."""
    probability = 0.5 * (1 + torch.erf(x / math.sqrt(2)))   # blank: Φ(x), by the error function torch.erf
    return x * probability                                  # blank: let x through in that proportion


def check_gelu(answer):
    x = torch.tensor([-3.0, -1.0, -0.3, 0.0, 0.7, 1.0, 2.5], dtype=torch.float64)
    right = F.gelu(x)
    try:
        found = answer(x)
    except (TypeError, ValueError) as error:
        if "only one element tensors" not in str(error):
            raise
        raise Mistake(f"Your GELU stops at a vector of {len(x)} numbers: the functions of `math` take one number, those of `torch` take tensors.") from None
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
        (0.5 * x * (1 - torch.erf(x / math.sqrt(2))),
         f"At x = 1 you have {found[5]:.4f} instead of {right[5]:.4f}: with a minus you take the probability of being *above* x."),
        (x * torch.erf(x / math.sqrt(2)),
         f"{one} instead of {right[1]:.4f}: erf itself runs from -1 to 1; half of 1 + erf runs from 0 to 1, as a probability does."),
        (x * (0.5 + torch.erf(x / math.sqrt(2))),
         f"At x = 1 you have {found[5]:.4f} instead of {right[5]:.4f}: the factor 0.5 takes 1 only; brackets round 1 + erf are missing."),
        (0.5 * x * (1 + torch.erf(x * math.sqrt(2))), f"{one} instead of {right[1]:.4f}: erf gets x · √2; divide by the root."),
        (0.5 * x * (1 + torch.erf(x / 2)), f"{one} instead of {right[1]:.4f}: erf gets x / 2; divide by the *root* of 2."),
        (x * torch.exp(-x ** 2 / 2) / math.sqrt(2 * math.pi),
         f"{one}: that weighs x with the *density* of the normal distribution; Φ is the probability below x, and gives {right[1]:.4f}."),
        (x * (1 + torch.erf(x / math.sqrt(2))), f"At x = 1 you have {found[5]:.4f}, twice the right value: erf runs from -1 to 1, a probability from 0 to 1."),
    ], "your GELU", tolerance=1e-6)
    also(answer, gelu, (draw(2, 3).float(),), (draw(4, seed=1),), gradient=True)


# -- build: a stack of layers ----------------------------------------------------------------------------------------

def make_stack(config, count):
    """`count` encoder layers, each with weights of its own, so that every one of them is trained."""
    layers = [BertLayer(config) for _ in range(count)]      # blank: a list of `count` fresh BertLayers
    return nn.ModuleList(layers)                            # blank: a container that PyTorch looks into


def check_make_stack(answer):
    config = BertConfig(vocab_size=11, hidden_size=12, num_hidden_layers=5, num_attention_heads=3, intermediate_size=20,
                        hidden_dropout_prob=0.3)
    count = 3
    stack = answer(config, count)
    if isinstance(stack, (list, tuple)):
        raise Mistake(f"Your stack is a plain {type(stack).__name__}: a model that holds it registers none of its "
                      f"{len(stack)} layers, so the optimiser never sees their weights. Use nn.ModuleList.")
    if not isinstance(stack, nn.ModuleList):
        raise Mistake(f"Your stack should be an nn.ModuleList of {count} layers, but it is a {type(stack).__name__}.")
    if len(stack) != count:
        hint = " That is the config's num_hidden_layers; the caller asked for `count`." if len(stack) == config.num_hidden_layers else ""
        raise Mistake(f"Asked for {count} layers, your stack holds {len(stack)}.{hint}")
    others = [type(layer).__name__ for layer in stack if not isinstance(layer, BertLayer)]
    if others:
        raise Mistake(f"Your stack holds a {others[0]} where a BertLayer belongs.")
    if len({id(layer) for layer in stack}) == 1:
        wanted = sum(p.numel() for layer in stack for p in layer.parameters())
        raise Mistake(f"All {count} places hold one and the same layer: {sum(p.numel() for p in stack.parameters()):,} "
                      f"parameters where {wanted:,} were announced.")
    for (i, one), (j, other) in itertools.combinations(enumerate(stack), 2):
        if one is other:
            raise Mistake(f"Places {i} and {j} hold one and the same layer: what one learns the other has to follow.")
        if torch.equal(one.intermediate.dense.weight, other.intermediate.dense.weight):
            raise Mistake(f"Layers {i} and {j} start with exactly the same weights: copies of one initialised layer. Make each anew.")
    for i, layer in enumerate(stack):
        built = {"hidden_size": layer.intermediate.dense.in_features, "intermediate_size": layer.intermediate.dense.out_features,
                 "num_attention_heads": layer.attention.self.num_heads, "hidden_dropout_prob": layer.output.dropout.p,
                 "layer_norm_eps": layer.output.LayerNorm.eps}
        for name, value in built.items():
            if value != getattr(config, name):
                raise Mistake(f"Layer {i} has the {name} {value}; the config that was handed in says {getattr(config, name)}.")
    other = answer(BertConfig(vocab_size=11, hidden_size=8, num_attention_heads=2, intermediate_size=16), 2)
    if len(other) != 2 or other[0].intermediate.dense.in_features != 8:
        raise Mistake(f"For 3 layers of 12 numbers you are right; asked for 2 layers of 8 you make {len(other)} of {other[0].intermediate.dense.in_features}. Use the config and the count that are handed in.")


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
    expect_module(mine := answer(config), f"{answer.__name__}(config)")
    mine = mine.double().eval()
    give_weights(mine, layer.state_dict(), "Your layer")
    x = torch.randn(2, 5, 12, dtype=torch.float64)                              # [B, S, H]
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])[:, None, None]  # [B, 1, 1, S]
    result, again = mine(x, mask, True), mine(x, mask, True)
    if not isinstance(result, tuple) or len(result) != 2:
        given = f"a tuple of {len(result)}" if isinstance(result, tuple) else f"a {type(result).__name__}"
        raise Mistake(f"forward should give back two things, the hidden states and the attention weights, not {given}.")
    if isinstance(result[0], torch.Tensor) and not torch.equal(result[0], again[0]):
        raise Mistake("In evaluation your layer gives two answers to one question: something is still dropped. "
                      "F.dropout drops always, unless it is told training=self.training; nn.Dropout knows by itself.")
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
        (norm(attended + down(layer.intermediate.dense(F.gelu(attended)))),
         "Your activation comes before the first linear map; it belongs between the two."),
        (norm(attended + F.gelu(back)), "Your activation comes once more, after the second linear map; the way back is linear."),
        (norm(attended + F.gelu(down(linear))), "Your activation comes after the second linear map; it belongs between the two."),
        (norm(attended + x + back), "You add the layer's input as well; attention has its own residual for that, inside `self.attention`."),
        (norm(attended) + back, "You normalise the residual alone; in BERT the sum is normalised: LayerNorm(attended + back)."),
        (norm(attended + down(F.gelu(layer.intermediate.dense(x)))),
         "Your feed-forward reads what came into the layer; it should read what came out of attention."),
        (norm(x + down(F.gelu(layer.intermediate.dense(x)))), "What attention found is used nowhere: your feed-forward reads and adds the layer's input."),
        (layer.attention.output.LayerNorm(attended + back),
         "You use attention's LayerNorm a second time; the second norm of a layer has weights of its own, `self.output[\"LayerNorm\"]`."),
        (right + x, "You add the layer's input once more, after everything."),
        (layer(right, mask)[0], "Your vectors go through the layer twice."),
        (right * mask[:, 0, 0, :, None], "You set the vectors of padding to zero; the mask hides what is looked *at*, nothing else."),
        (right[:1].expand_as(right), "Every text of yours has the vectors of the first one."),
        (norm(unmasked + down(F.gelu(layer.intermediate.dense(unmasked)))), "The mask does not reach attention: padding is looked at."),
    ]
    recognise(result[0], right, suspects, "the output of your layer", tolerance=1e-7)
    if result[1] is None or not torch.allclose(result[1], right_weights):
        raise Mistake("The second thing that forward gives back should be the attention weights, as attention returned them.")
    try:
        mine(x)
    except (TypeError, AttributeError) as error:
        raise Mistake(f"Without a mask your layer stops ({error}): mask is None then, and nothing is hidden.") from None
    also(mine, layer, (draw(3, 2, 12),), (draw(1, 7, 12), torch.ones(1, 1, 7, 7, dtype=torch.bool).tril()), gradient=True)
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
    spreads = [float((token[token < 0].max() - token[token < 0].min()).detach()) for token in out.flatten(0, 1) if (token < 0).any()]
    if sorted(spreads)[len(spreads) // 2] < 1e-9:       # what was dropped is equal, so it was dropped together with the residual
        raise Mistake("In training the sum is dropped, the residual with it; drop the feed-forward's result before you add.")
    with torch.no_grad():       # the second map answers 0: whatever is dropped of it, attention's result has to pass whole
        down.bias.zero_()
    if not torch.allclose(layer(x)[0], norm(attended)):
        raise Mistake("In training a part of the residual is dropped: drop the feed-forward's result before the sum, never what came out of attention.")
    _check_share(out < 0, rate, "the feed-forward's result")
    with torch.no_grad():       # attention's result is 1 everywhere, and each of its numbers goes up and down on a way of its own
        layer.attention.output.LayerNorm.weight.zero_()
        layer.attention.output.LayerNorm.bias.fill_(1)
        layer.intermediate["dense"].weight.copy_(10 * torch.eye(*layer.intermediate["dense"].weight.shape))
        layer.intermediate["dense"].bias.zero_()
        down.weight.copy_(100 * torch.eye(*down.weight.shape))
    _check_share(layer(x)[0] < 0, rate, "the numbers at the three places of the feed-forward (coming in, wide, going out) together",
                 " Drop once, what goes out.")


def _check_share(dropped, rate, what, advice=""):
    share = float(dropped.double().mean())
    if abs(share - rate) > 0.05:
        raise Mistake(f"In training {share:.0%} of {what} is dropped; the config asks for hidden_dropout_prob {rate}.{advice}")


def _random_weights(module):
    """Weights large enough that no mistake hides behind small numbers."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


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
        if isinstance(found, bool) or not isinstance(found, int | float) or found != int(found):
            raise Mistake(f"For hidden {h} and intermediate {i} you return {found!r}; a count of parameters is a whole number.")
        right = 4 * (h * h + h) + 2 * h * i + i + h + 4 * h
        if found == right:
            continue
        if found == 12 * right:
            raise Mistake(f"For hidden {h} and intermediate {i} you count {found:,}: that is twelve layers. Asked for is one, {right:,}.")
        if found == 12 * h * h + 13 * h:
            raise Mistake(f"For hidden {h} and intermediate {i} you count {found:,}, 12·{h}² + 13·{h}: that takes intermediate for four times hidden.")
        missing = {
            9 * h + i: "All biases and both LayerNorms",
            5 * h + i: "All biases: four of width hidden in attention, intermediate + hidden in the feed-forward",
            4 * h - 4: "Most of attention's biases: a map to hidden numbers has hidden of them, not 1. They",
            i + h: "The biases of the feed-forward, intermediate + hidden",
            h * i: "One of the two matrices of the feed-forward, there or back,",
            i - h: "Some biases: the way up ends in intermediate numbers, not hidden. They",
            i: "The bias of the way up, intermediate",
            h: "The bias of the way back, hidden",
            4 * h: "The LayerNorms, or the four biases of attention (both are 4 · hidden)",
            2 * h: "One LayerNorm, or one of its two vectors in both",
            h * h + h: "The output map of attention, hidden² + hidden",
            h * i + h: "The way back through the feed-forward, intermediate · hidden + hidden",
        }.get(right - found)
        surplus = {
            2 * h: "A third LayerNorm? The one of the embeddings belongs to no layer.",
            i - h: "Both biases of the feed-forward at width intermediate? The way back ends in hidden.",
            h * h + h: "A fifth map in attention? Query, key, value and output are four.",
        }.get(found - right)
        if missing:
            explanation = f"{missing} seem to be missing."
        else:
            explanation = surplus or "One encoder layer of BERT-base has 7,087,872."
        too = f"{right - found:,} more" if found < right else f"{found - right:,} fewer"
        raise Mistake(f"For hidden {h} and intermediate {i} you count {found:,}; there are {right:,}, {too}. {explanation}")


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="GELU, exactly", solution=gelu, check=check_gelu,
        task="Write GELU in its exact form: $\\text{gelu}(x) = x\\,\\Phi(x)$, where $\\Phi(x)$ is the probability that a "
             "standard normal number is below $x$. PyTorch has the error function, `torch.erf`, and "
             "$\\Phi(x) = \\tfrac12\\,(1 + \\text{erf}(x / \\sqrt 2))$.",
        hints=("At $x = 0$ the probability is one half, far to the right it is 1, far to the left 0. Check your Φ there first.",
               "`probability = 0.5 * (1 + torch.erf(x / math.sqrt(2)))`. Mind the plus."),
        paragraph="An activation with a soft knee"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="One encoder layer", solution=EncoderLayer, check=check_encoder_layer,
        task="Write the second half of an encoder layer: after attention comes the feed-forward (up to $I$, GELU, back to $H$), "
             "dropout, the residual connection and LayerNorm, post-norm as BERT was published. The parts are made for you, "
             "under the names of the published checkpoints; your class will run inside a real BERT below.",
        hints=("Three lines: wide = activation of the first linear map; back = dropout of the second; hidden = norm of a sum. Which two things are added?",
               "The feed-forward reads `attended`, so `attended` is what it adds itself to: `LayerNorm(attended + back)`."),
        paragraph="One layer by hand"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=8, title="A stack whose layers all learn", solution=make_stack, check=check_make_stack,
        task="Make `count` layers from one config. Each has weights of its own, no two start alike, and a model that "
             "holds the stack hands *all* of their parameters to the optimiser.",
        hints=("Three Python habits go wrong here: `[layer] * n`, copies of one layer, and a plain list. What is wrong with each?",
               "A list comprehension that calls `BertLayer(config)` anew for each layer, in an `nn.ModuleList`."),
        paragraph="Twelve of them"),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="Seven million, to the last one", solution=layer_parameters, check=check_layer_parameters,
        task="With pencil and paper first: how many parameters has one encoder layer, as a function of its two widths? The "
             "number of heads is not among them. Why not?",
        hints=("A linear map from $a$ to $b$ has $ab + b$. A LayerNorm has two vectors. There are six linear maps and two norms.",
               "Four maps of $H^2 + H$ in attention; $HI + I$ up and $IH + H$ back; $2 \\cdot 2H$ for the norms."),
        paragraph="Where 109,482,240 come from"),
]
