"""The encoder: activations, one layer, the stack; against loops, PyTorch's own layers and the reference."""

import math

import pytest
import torch
from deviation import deviation
from reference import TOLERANCE, assert_parity, draw_weights, reference_twin, small_config
from torch import nn

from minibert import BertModel
from minibert.attention import BertSelfOutput
from minibert.encoder import ACTIVATIONS, BertEncoder, BertLayer, BertOutput

IDS = torch.randint(1, 61, (3, 7), generator=torch.Generator().manual_seed(0))
GRID = torch.linspace(-6, 6, 241, dtype=torch.float64)


def hidden_and_mask():
    """hidden [B, S, H] and a mask [B, 1, 1, S] that pads the first text on the right and the second on the left."""
    hidden = torch.randn(
        3, 7, 24, dtype=torch.float64, generator=torch.Generator().manual_seed(2)
    ).requires_grad_()
    real = torch.ones(3, 7, dtype=torch.bool)
    real[0, 5:] = False
    real[1, :3] = False
    return hidden, real[:, None, None]


# Activations

FORMULAS = {
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "gelu_new": lambda x: x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "relu": lambda x: max(x, 0.0),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_equal_their_formulas(name):
    formula = torch.tensor([FORMULAS[name](x) for x in GRID.tolist()], dtype=torch.float64)
    torch.testing.assert_close(ACTIVATIONS[name](GRID), formula, rtol=0, atol=1e-12)


def test_gelu_is_no_even_function(gelu=ACTIVATIONS["gelu"]):
    minus_one, one = gelu(torch.tensor([-1.0, 1.0])).tolist()
    assert round(minus_one, 4) == -0.1587 and round(one, 4) == 0.8413


def test_a_times_for_a_plus_in_gelu_is_caught():  # G1
    with pytest.raises(AssertionError):
        test_gelu_is_no_even_function(lambda x: x * 0.5 * (1.0 * torch.erf(x / math.sqrt(2))))


@deviation(
    "Which GELU",
    paper="names GELU and gives no formula",
    original="erf at first, the tanh approximation in later versions; BertSum has tanh in its sentence layers over a BERT with erf",
    reference='"gelu" is erf, "gelu_new" is tanh',
    here="the names of the reference, both exact",
    why="a checkpoint must be computed with the one that it was trained with",
)
def test_both_gelus_differ_by_up_to_5e_4():  # G2
    gap = (ACTIVATIONS["gelu"](GRID) - ACTIVATIONS["gelu_new"](GRID)).abs().max().item()
    assert 4e-4 < gap < 5e-4


# One layer


@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_a_layer_equals_torch_transformer_encoder_layer(norm_first, activation):
    ours = (
        draw_weights(BertLayer(small_config(norm_first=norm_first, hidden_act=activation)))
        .double()
        .train()
    )
    theirs = nn.TransformerEncoderLayer(
        24, 4, 40, 0.0, activation, 1e-12, True, norm_first, dtype=torch.float64
    ).train()
    attention = ours.attention.self
    names = {
        "self_attn.out_proj": ours.attention.output.dense,
        "norm1": ours.attention.output.LayerNorm,
        "linear1": ours.intermediate.dense,
        "linear2": ours.output.dense,
        "norm2": ours.output.LayerNorm,
    }
    weights = {
        f"{name}.{kind}": getattr(module, kind)
        for name, module in names.items()
        for kind in ("weight", "bias")
    }
    joined = {
        f"self_attn.in_proj_{kind}": [
            getattr(module, kind) for module in (attention.query, attention.key, attention.value)
        ]
        for kind in ("weight", "bias")
    }
    theirs.load_state_dict(
        {**weights, **{name: torch.cat(parts) for name, parts in joined.items()}}
    )

    hidden, mask = hidden_and_mask()
    results = []
    for out in (ours(hidden, mask)[0], theirs(hidden, src_key_padding_mask=~mask[:, 0, 0])):
        hidden.grad = None
        out.sin().sum().backward()
        results.append((out, hidden.grad))
    for mine, reference in zip(*results):
        torch.testing.assert_close(mine, reference, rtol=0, atol=1e-10)
    gradients = dict(theirs.named_parameters())
    for name, parameter in weights.items():
        torch.testing.assert_close(parameter.grad, gradients[name].grad, rtol=0, atol=1e-10)
    for name, parts in joined.items():
        torch.testing.assert_close(
            torch.cat([part.grad for part in parts]), gradients[name].grad, rtol=0, atol=1e-10
        )


@pytest.mark.parametrize("module, width", [(BertSelfOutput, 24), (BertOutput, 40)])
def test_a_sublayer_that_says_nothing_lets_its_input_pass(module, width):
    """The residual connection: with a zero linear map nothing is left but LayerNorm(x), or x itself before the norm."""
    residual = torch.randn(2, 3, 24)
    for norm_first, wanted in ((False, nn.LayerNorm(24, eps=1e-12)(residual)), (True, residual)):
        sublayer = module(small_config(norm_first=norm_first))
        nn.init.zeros_(sublayer.dense.weight), nn.init.zeros_(sublayer.dense.bias)
        torch.testing.assert_close(
            sublayer(torch.randn(2, 3, width), residual), wanted, rtol=0, atol=1e-5
        )


def dropped_before_the_activation(layer) -> float:
    """Share of exact zeros among the wide activations in train mode: the erf GELU itself makes none."""
    seen = []
    layer.output.dense.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    torch.manual_seed(0)
    layer.train()(torch.randn(2, 5, 24))
    return (seen[0] == 0).float().mean().item()


def test_dropout_comes_after_the_second_linear_map():  # E4
    config = small_config(hidden_dropout_prob=0.5)
    assert dropped_before_the_activation(BertLayer(config)) == 0
    planted = BertLayer(config)
    planted.intermediate.dense = nn.Sequential(planted.intermediate.dense, nn.Dropout(0.5))
    assert dropped_before_the_activation(planted) > 0.4


# The stack


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    "sizes",
    [
        {},
        {"num_hidden_layers": 1, "num_attention_heads": 1},
        {"hidden_size": 36, "num_attention_heads": 12},
        {"intermediate_size": 7, "layer_norm_eps": 1e-2},
    ],
    ids=str,
)
def test_every_layer_and_every_gradient_equals_the_reference(sizes, activation, dtype):
    model = draw_weights(BertModel(small_config(hidden_act=activation, **sizes))).to(dtype)
    assert_parity(
        model,
        reference_twin(model),
        input_ids=IDS,
        output_hidden_states=True,
        output_attentions=True,
    )


def test_hidden_states_are_the_embeddings_and_then_every_layer():
    encoder, (hidden, mask) = draw_weights(BertEncoder(small_config())).double(), hidden_and_mask()
    states, weights = encoder(hidden, mask, output_attentions=True)
    assert len(states) == 4 and len(weights) == 3 and states[0] is hidden
    for index, layer in enumerate(encoder.layer):
        torch.testing.assert_close(
            layer(states[index], mask)[0], states[index + 1], rtol=0, atol=1e-12
        )


def test_weights_are_given_only_where_they_are_asked_for():
    hidden, mask = hidden_and_mask()
    config = small_config(num_hidden_layers=2)
    encoder = BertEncoder(config).double()
    layer = encoder.layer[0]
    assert (
        encoder(hidden, mask)[1] == [None, None]
        and layer(hidden, mask)[1] is None
        and layer.attention(hidden, mask)[1] is None
    )
    for weights in (
        *encoder(hidden, mask, True)[1],
        layer(hidden, mask, True)[1],
        layer.attention(hidden, mask, True)[1],
    ):
        assert weights.shape == (3, 4, 7, 7)


@deviation(
    "Where the norm stands",
    paper="post-norm, LayerNorm(x + Sublayer(x)), as in Vaswani et al. 2017",
    original="post-norm",
    reference="post-norm; pre-norm as a model of another name, RobertaPreLayerNorm",
    here="post-norm; `norm_first=True` is pre-norm (Xiong et al. 2020), and that stack ends in one more LayerNorm, `encoder.norm`. "
    "The shipped `minibert-small` is pre-norm; it would have learned as much post-norm, as far as three seeds can tell (`benchmarks/logs/norms.json`)",
    why="without it the sum of all layers would reach the heads unnormalised",
)
def test_a_pre_norm_stack_ends_in_a_norm():
    encoder, (hidden, mask) = BertEncoder(small_config(norm_first=True)).double(), hidden_and_mask()
    last = encoder(hidden, mask)[0][-1]
    torch.testing.assert_close(last.mean(-1), torch.zeros(3, 7, dtype=torch.float64))
    assert not hasattr(BertEncoder(small_config()), "norm")


def test_without_residual_connections_fresh_layers_make_all_tokens_one_vector(monkeypatch):  # E1
    """Fresh attention mixes all tokens nearly evenly: what tells them apart passes through the residual connection."""

    def likeness_after_one_layer():
        torch.manual_seed(0)
        state = BertModel(small_config(hidden_size=128))(
            IDS, output_hidden_states=True
        ).hidden_states[1]
        return nn.functional.cosine_similarity(state[:, :, None], state[:, None], dim=-1).min()

    assert likeness_after_one_layer() < 0.5
    for module in (BertSelfOutput, BertOutput):
        monkeypatch.setattr(
            module, "forward", lambda self, x, residual: self.LayerNorm(self.dropout(self.dense(x)))
        )
    assert likeness_after_one_layer() > 0.95


@deviation(
    "The eps of LayerNorm",
    original="1e-12 inside the root; BertSum has 1e-6 in its sentence layers",
    reference="1e-12 from the config, where PyTorch alone would take 1e-5",
    here="from the config, 1e-12; 1e-6 in the sentence layers",
    why="a difference of eps is a difference of every output",
)
@pytest.mark.parametrize("norm_first", [False, True])
def test_every_layer_norm_takes_its_eps_from_the_config(norm_first):
    norms = [
        m
        for m in BertModel(small_config(norm_first=norm_first, layer_norm_eps=1e-7)).modules()
        if isinstance(m, nn.LayerNorm)
    ]
    assert len(norms) == 1 + 2 * 3 + norm_first and {norm.eps for norm in norms} == {1e-7}


def test_layers_start_different(make=lambda: BertModel(small_config()).encoder.layer):
    layers = make()
    for name, parameter in layers[0].named_parameters():
        same = torch.equal(parameter, layers[1].get_parameter(name))
        assert same == (name.endswith("bias") or "LayerNorm" in name), name


def test_copies_of_one_layer_are_caught():  # E3
    with pytest.raises(AssertionError):
        test_layers_start_different(lambda: nn.ModuleList([BertLayer(small_config())] * 2))


def test_a_layer_of_bert_base_has_7_087_872_parameters():
    with torch.device("meta"):
        layer = BertLayer(
            small_config(hidden_size=768, num_attention_heads=12, intermediate_size=3072)
        )
    parts = {
        name: sum(p.numel() for p in module.parameters())
        for name, module in (
            ("queries, keys, values", layer.attention.self),
            ("attention out", layer.attention.output.dense),
            ("up", layer.intermediate.dense),
            ("down", layer.output.dense),
        )
    }
    assert parts == {
        "queries, keys, values": 1_771_776,
        "attention out": 590_592,
        "up": 2_362_368,
        "down": 2_360_064,
    }
    assert sum(p.numel() for p in layer.parameters()) == sum(parts.values()) + 3_072 == 7_087_872


# Mistakes planted in a whole model, with the same weights: the reference must disagree.


def no_residual(model):  # E1
    for layer in model.encoder.layer:
        layer.output.forward = lambda wide, residual, self=layer.output: self.LayerNorm(
            self.dense(wide)
        )


def one_layer_only(model):  # E2
    model.encoder.forward = lambda hidden, mask, output, self=model.encoder: BertEncoder.forward(
        self, self.layer[0](hidden, mask)[0], mask, output
    )


def always_gelu(model):  # B2
    for layer in model.encoder.layer:
        layer.intermediate.activation = nn.functional.gelu


def torch_default_eps(model):  # N1
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            module.eps = 1e-5


def layers_share_weights(model):
    model.encoder.layer[1] = model.encoder.layer[0]


def forgotten_mask(model):  # R15
    for layer in model.encoder.layer:
        layer.forward = lambda hidden, mask, output, self=layer: BertLayer.forward(
            self, hidden, None, output
        )


@pytest.mark.parametrize(
    "plant",
    [
        no_residual,
        one_layer_only,
        always_gelu,
        torch_default_eps,
        layers_share_weights,
        forgotten_mask,
    ],
)
def test_planted_mistakes_are_caught_by_the_reference(plant):
    model = draw_weights(
        BertModel(small_config(hidden_act="gelu_new", num_hidden_layers=2))
    ).double()
    twin = reference_twin(model)
    inputs = dict(input_ids=IDS, attention_mask=hidden_and_mask()[1][:, 0, 0])
    assert_parity(model, twin, **inputs)
    plant(model)
    with pytest.raises(AssertionError, match="apart"):
        assert_parity(model, twin, **inputs)
