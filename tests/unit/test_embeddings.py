"""Embeddings: three rows looked up, added, normalised; against loops and against the reference."""

import pytest
import torch
from deviation import deviation
from reference import TOLERANCE, draw_weights, reference_twin, small_config
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from minibert import BertModel
from minibert.embeddings import BertEmbeddings
from minibert.positions import sinusoidal_table

IDS = torch.tensor([[5, 9, 5, 60, 0], [1, 2, 3, 4, 5]])
SEGMENTS = torch.tensor([[0, 0, 1, 1, 0], [0, 1, 1, 1, 1]])
PLACES = torch.tensor([[4, 3, 2, 1, 0], [0, 1, 0, 1, 19]])
KINDS = pytest.mark.parametrize("kind", ["absolute", "sinusoidal", "none"])


def embeddings(**changes) -> BertEmbeddings:
    return draw_weights(BertEmbeddings(small_config(**changes))).double()


def loops(module: BertEmbeddings, ids, segments, places):
    """LayerNorm(word + segment + position), one number at a time."""
    out = torch.zeros(*ids.shape, 24, dtype=torch.float64)
    for b, s in torch.cartesian_prod(torch.arange(ids.size(0)), torch.arange(ids.size(1))).tolist():
        vector = []
        for h in range(24):
            number = (
                module.word_embeddings.weight[ids[b, s], h]
                + module.token_type_embeddings.weight[segments[b, s], h]
            )
            if hasattr(module, "position_embeddings"):
                number = number + module.position_embeddings.weight[places[b, s], h]
            vector.append(number.item())
        mean = sum(vector) / 24
        variance = sum((number - mean) ** 2 for number in vector) / 24
        for h in range(24):
            normal = (vector[h] - mean) / (variance + module.LayerNorm.eps) ** 0.5
            out[b, s, h] = normal * module.LayerNorm.weight[h] + module.LayerNorm.bias[h]
    return out


@KINDS
@pytest.mark.parametrize(
    "eps", [1e-12, 1e-2]
)  # 1e-2: so large that its place inside the root shows
def test_embeddings_equal_their_formula_written_with_loops(kind, eps):
    module = embeddings(position_embedding_type=kind, layer_norm_eps=eps)
    with torch.no_grad():
        torch.testing.assert_close(
            module(IDS, token_type_ids=SEGMENTS, position_ids=PLACES),
            loops(module, IDS, SEGMENTS, PLACES),
            rtol=0,
            atol=1e-10,
        )


@KINDS
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("segments", [2, 16])
def test_embeddings_and_their_gradients_equal_the_reference(kind, dtype, segments):
    model = draw_weights(
        BertModel(
            small_config(position_embedding_type=kind, type_vocab_size=segments, pad_token_id=3)
        )
    ).to(dtype)
    ours, theirs = model.embeddings, reference_twin(model).embeddings
    results = []
    for module in (ours, theirs):
        out = module(IDS, token_type_ids=SEGMENTS * (segments - 1), position_ids=PLACES)
        out.sin().sum().backward()
        gradients = {name: parameter.grad for name, parameter in module.named_parameters()}
        results.append([out, *(gradients[name] for name, _ in ours.named_parameters())])
    for mine, reference in zip(*results):
        torch.testing.assert_close(mine, reference, rtol=0, atol=TOLERANCE[dtype])


@KINDS
def test_segments_are_0_and_positions_count_from_0_by_default(kind):
    module = embeddings(position_embedding_type=kind)
    counted = module(IDS, token_type_ids=torch.zeros_like(IDS), position_ids=torch.arange(5)[None])
    assert torch.equal(module(IDS), counted)
    assert torch.equal(module(IDS, position_ids=torch.arange(5).expand(2, 5)), counted)


class Devices(TorchDispatchMode):
    """Notes where every tensor is made."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor):
            self.found.add(out.device.type)
        return out


@KINDS
def test_everything_is_made_on_the_device_of_the_ids(kind):
    module = embeddings(position_embedding_type=kind).to("meta")
    with Devices() as devices:
        module(torch.zeros(2, 5, dtype=torch.int64, device="meta"))
    assert devices.found == {"meta"}


def test_one_word_at_two_places_has_two_vectors():
    out = embeddings()(IDS)
    assert (out[0, 0] - out[0, 2]).abs().max() > 0.1


def test_without_positions_one_word_has_one_vector_everywhere():
    out = embeddings(position_embedding_type="none")(IDS)
    assert torch.equal(out[0, 0], out[0, 2]) and torch.equal(out[0, 0], out[1, 4])


def test_a_shorter_batch_uses_the_first_positions():  # P4
    module = embeddings()
    assert torch.equal(module(IDS[:, :3]), module(IDS)[:, :3])


@deviation(
    "Sinusoidal positions beside the words",
    paper="Vaswani et al. 2017 multiply the word vectors by √H before they add the table",
    original="BERT learns its positions and scales nothing; BertSum adds the table raw",
    here="the table is added raw; there is no factor",
    why="BERT has a LayerNorm behind the sum, and its learned table has no factor either",
)
def test_the_sinusoidal_table_is_added_as_it_is():  # P3: no factor √H, neither on the table nor on the words
    config = small_config(position_embedding_type="sinusoidal")
    module = BertEmbeddings(config)
    added = []
    module.LayerNorm.register_forward_pre_hook(lambda _, inputs: added.append(inputs[0]))
    module(IDS)
    words = module.word_embeddings.weight[IDS] + module.token_type_embeddings.weight[0]
    assert torch.equal(added[0], words + sinusoidal_table(5, config.hidden_size))


@deviation(
    "The row of [PAD]",
    original="drawn and trained like every row",
    reference="zero at first, and the lookup gives it no gradient",
    here="as in the reference",
    why="a gradient that differs in one row would fail every comparison",
)
def test_the_padding_row_gets_no_gradient_from_the_lookup():
    module = embeddings(pad_token_id=5)
    module(IDS).sin().sum().backward()
    rows = module.word_embeddings.weight.grad.abs().sum(dim=1)
    assert rows[5] == 0 and (rows[[0, 1, 2, 3, 4, 9, 60]] > 0).all() and (rows > 0).sum() == 7


def test_every_token_is_normalised_on_its_own():
    out = BertEmbeddings(small_config())(IDS)
    torch.testing.assert_close(out.mean(-1), torch.zeros(2, 5), rtol=0, atol=1e-6)
    torch.testing.assert_close(out.var(-1, unbiased=False), torch.ones(2, 5), rtol=0, atol=1e-5)


def test_dropout_works_in_training_only():
    module = embeddings(hidden_dropout_prob=0.5)
    torch.manual_seed(0)
    zeros = (module.train()(IDS) == 0).double().mean()
    assert 0.4 < zeros < 0.6 and (module.eval()(IDS) != 0).all()


def test_the_segment_table_has_type_vocab_size_rows():  # S1
    assert embeddings(type_vocab_size=2).token_type_embeddings.weight.shape == (2, 24)
    assert embeddings(type_vocab_size=16).token_type_embeddings.weight.shape == (16, 24)


def test_embeddings_of_bert_base_have_23_837_184_parameters():
    with torch.device("meta"):
        parts = {
            name: p.numel()
            for name, p in BertEmbeddings(
                small_config(
                    vocab_size=30522,
                    hidden_size=768,
                    num_attention_heads=12,
                    max_position_embeddings=512,
                )
            ).named_parameters()
        }
    assert parts == {
        "word_embeddings.weight": 23_440_896,
        "token_type_embeddings.weight": 1_536,
        "position_embeddings.weight": 393_216,
        "LayerNorm.weight": 768,
        "LayerNorm.bias": 768,
    }
    assert sum(parts.values()) == 23_837_184


class UnbiasedNorm(nn.LayerNorm):  # R16: unbiased standard deviation, eps outside the root
    def forward(self, x):
        return (x - x.mean(-1, keepdim=True)) / (
            x.std(-1, keepdim=True) + self.eps
        ) * self.weight + self.bias


class EpsOutsideTheRoot(nn.LayerNorm):  # N1
    def forward(self, x):
        return (x - x.mean(-1, keepdim=True)) / (
            x.var(-1, keepdim=True, unbiased=False).sqrt() + self.eps
        ) * self.weight + self.bias


@pytest.mark.parametrize("norm, eps", [(UnbiasedNorm, 1e-12), (EpsOutsideTheRoot, 1e-2)])
def test_a_wrong_layer_norm_is_caught(monkeypatch, norm, eps):
    monkeypatch.setattr("minibert.embeddings.nn.LayerNorm", norm)
    with pytest.raises(AssertionError):
        test_embeddings_equal_their_formula_written_with_loops("absolute", eps)


def test_unbiased_deviation_on_one_and_three_zeros():
    """The bug clinic's example: the first number becomes 1.73, or 1.50 with the unbiased deviation."""
    x = torch.tensor([1.0, 0, 0, 0])
    assert (
        round(nn.LayerNorm(4, eps=1e-12)(x)[0].item(), 2) == 1.73
        and round(UnbiasedNorm(4, eps=1e-12)(x)[0].item(), 2) == 1.50
    )
