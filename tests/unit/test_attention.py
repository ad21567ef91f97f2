"""Attention against loops, against PyTorch, and against itself; and mistakes that published tutorials made in it."""

import math

import pytest
import torch
import torch.nn.functional as F
from deviation import deviation
from reference import TOLERANCE, draw_weights, small_config
from torch import nn

from minibert.attention import BertAttention, BertSelfAttention, attend, fused_attend

BOTH_FORMS = pytest.mark.parametrize("form", [attend, fused_attend])
HALF = [torch.float16, torch.bfloat16]


def random_qkv(batch=2, heads=3, queries=4, keys=6, size=5, dtype=torch.float64, seed=0):
    """Query [B, A, S, D], key and value [B, A, T, D]; scores of a few units, so that no softmax saturates."""
    generator = torch.Generator().manual_seed(seed)
    shapes = [(batch, heads, length, size) for length in (queries, keys, keys)]
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
        for shape in shapes
    ]


def random_mask(*shape, seed=0):
    """About a third hidden; every query may look at the first key at least."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) > 0.33
    mask[..., 0] = True
    return mask


def mixed_values(form, query, key, value, mask=None):
    """The first result of either form."""
    out = form(query, key, value, mask)
    return out[0] if isinstance(out, tuple) else out


def loops(query, key, value, mask):
    """softmax(Q K^T / √D) V, one number at a time, in plain Python."""
    batch, heads, queries, size = query.shape
    out = torch.zeros(batch, heads, queries, size, dtype=torch.float64)
    weights = torch.zeros(batch, heads, queries, key.size(2), dtype=torch.float64)
    mask = mask.expand(weights.shape)
    for b, a, s in torch.cartesian_prod(*map(torch.arange, (batch, heads, queries))).tolist():
        visible = [t for t in range(key.size(2)) if mask[b, a, s, t]]
        power = {
            t: math.exp(
                sum(query[b, a, s, d].item() * key[b, a, t, d].item() for d in range(size))
                / math.sqrt(size)
            )
            for t in visible
        }
        for t in visible:
            weights[b, a, s, t] = power[t] / sum(power.values())
            for d in range(size):
                out[b, a, s, d] += weights[b, a, s, t].item() * value[b, a, t, d].item()
    return out, weights


# The tests with a default argument hold for anything that claims to be `attend`: each planted mistake must fail its own.


def test_attention_equals_its_formula_written_with_loops(form=attend):
    query, key, value = random_qkv()
    mask = random_mask(2, 1, 4, 6)
    out, weights = form(query, key, value, mask)
    for ours, theirs in zip((out, weights), loops(query, key, value, mask)):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_rows_of_the_weights_sum_to_one_before_dropout(form=attend):
    weights = form(*random_qkv(), random_mask(2, 1, 4, 6), 0.5)[1]
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 4, dtype=torch.float64))


def test_masked_keys_have_zero_weight_and_zero_gradient(form=attend):
    query, key, value = random_qkv(keys=6)
    mask = torch.tensor([True, False, True, True, False, False])
    out, weights = form(query, key, value, mask)
    out.sin().sum().backward()
    assert (weights[..., ~mask] == 0).all() and (weights[..., mask] > 0).all()
    for tensor in (key, value):
        assert (tensor.grad[:, :, ~mask] == 0).all() and (tensor.grad[:, :, mask] != 0).any()


@deviation(
    "The mask in attention",
    original="adds -10000 to the scores of padding: a large score leaks through",
    reference="the lowest number of the precision",
    here="a boolean mask; a hidden key has weight 0 exactly",
    why="right in every precision and for scores of any size",
)
def test_large_scores_do_not_leak_through_the_mask(form=attend):
    query, key, value = random_qkv(dtype=torch.float32)
    mask = torch.tensor([True, True, False, False, False, False])
    weights = form(query * 1e4, key * 1e4, value, mask)[1]
    assert (weights[..., ~mask] == 0).all()


def test_appended_padding_changes_nothing_for_real_tokens(form=attend):
    query, key, value = random_qkv()
    more = random_qkv(keys=9, queries=3, seed=1)
    longer = [torch.cat(pair, dim=2) for pair in zip((query, key, value), more)]
    mask = torch.arange(15) < 6
    torch.testing.assert_close(
        form(*longer, mask)[0][:, :, :4], form(query, key, value, None)[0], rtol=0, atol=1e-12
    )


def test_attention_leaves_its_inputs_alone(form=attend):
    inputs = [*(x.detach() for x in random_qkv()), random_mask(2, 1, 4, 6)]
    inputs[3][0, 0, 1] = False  # a query with nothing to look at
    before = [x.clone() for x in inputs]
    form(*inputs)
    assert all(torch.equal(x, y) for x, y in zip(inputs, before))


def an_empty_row_gets_the_mean_of_all_values(form=attend, dtype=torch.float64):
    query, key, value = random_qkv(dtype=dtype)
    mask = random_mask(2, 1, 4, 6)
    mask[0, 0, 1] = False
    out = mixed_values(form, query, key, value, mask)
    out.float().pow(2).sum().backward()
    mean = value.detach().double().mean(dim=2)[0]
    torch.testing.assert_close(
        out[0, :, 1].detach().double(), mean, rtol=0, atol=TOLERANCE.get(dtype, 1e-2)
    )
    assert all(x.isfinite().all() for x in (out, query.grad, key.grad, value.grad))


def variant(
    scale=lambda q, k: math.sqrt(q.size(-1)),
    hide=lambda s, mask: s.masked_fill(~mask, -1e30),
    axis=-1,
    keep_dropped=False,
):
    """`attend` with one decision changed."""

    def form(query, key, value, mask=None, dropout=0.0):
        scores = query @ key.transpose(-2, -1) / scale(query, key)
        weights = (hide(scores, mask) if mask is not None else scores).softmax(axis)
        mixed = F.dropout(weights, dropout) if dropout else weights
        return mixed @ value, mixed if keep_dropped else weights

    return form


def flipping_the_mask_in_place(query, key, value, mask=None, dropout=0.0):
    return attend(
        query, key, value, mask.logical_not_().logical_not() if mask is not None else None, dropout
    )


MISTAKES = {
    "A1 scale √S": (
        variant(scale=lambda q, k: math.sqrt(k.size(2))),
        test_appended_padding_changes_nothing_for_real_tokens,
    ),
    "no scale": (
        variant(scale=lambda q, k: 1),
        test_attention_equals_its_formula_written_with_loops,
    ),
    "A3 polarity": (
        variant(hide=lambda s, mask: s.masked_fill(mask, -1e30)),
        test_masked_keys_have_zero_weight_and_zero_gradient,
    ),
    "A3 in place": (flipping_the_mask_in_place, test_attention_leaves_its_inputs_alone),
    "A4 -10000": (
        variant(hide=lambda s, mask: s - 10000.0 * ~mask),
        test_large_scores_do_not_leak_through_the_mask,
    ),
    "A4 -inf": (
        variant(hide=lambda s, mask: s.masked_fill(~mask, -math.inf)),
        an_empty_row_gets_the_mean_of_all_values,
    ),
    "A5 softmax over queries": (
        variant(axis=-2),
        test_rows_of_the_weights_sum_to_one_before_dropout,
    ),
    "R14 weights after dropout": (
        variant(keep_dropped=True),
        test_rows_of_the_weights_sum_to_one_before_dropout,
    ),
}


@pytest.mark.parametrize("form, check", MISTAKES.values(), ids=MISTAKES)
def test_planted_mistakes_are_caught(form, check):
    test_attention_equals_its_formula_written_with_loops(
        variant()
    )  # without any change the variant is right
    with pytest.raises(AssertionError):
        check(form)


# Both forms, and the modules around them.


@deviation(
    "A query with nothing to look at",
    original="attends by its scores, as if nothing were masked",
    reference="attends to all keys alike, or gives NaN, depending on the form of attention",
    here="the mean of all values, finite in every precision and in both forms",
    why="a row of padding must not poison the others with NaN",
)
@BOTH_FORMS
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, *HALF])
def test_a_query_with_nothing_to_look_at_gets_the_mean_of_all_values(form, dtype):
    an_empty_row_gets_the_mean_of_all_values(form, dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    "mask",
    [None, random_mask(2, 1, 1, 6), random_mask(2, 1, 4, 6), random_mask(2, 3, 4, 6)],
    ids=lambda mask: "no mask" if mask is None else str(list(mask.shape)),
)
def test_readable_and_fused_form_are_equal_forward_and_gradient(mask, dtype):
    results = []
    for form in (attend, fused_attend, F.scaled_dot_product_attention):
        query, key, value = random_qkv(dtype=dtype)
        out = mixed_values(form, query, key, value, mask)
        out.sin().sum().backward()
        results.append((out, query.grad, key.grad, value.grad))
    for readable, fused, pytorch in zip(*results):
        torch.testing.assert_close(fused, readable, rtol=0, atol=TOLERANCE[dtype])
        torch.testing.assert_close(pytorch, readable, rtol=0, atol=TOLERANCE[dtype])


@BOTH_FORMS
def test_dropout_keeps_the_mean(form):
    torch.manual_seed(0)
    query, key = torch.randn(2, 1, 1, 400, 8)
    out = form(query, key, torch.ones(1, 1, 400, 8), None, 0.5)
    out = out[0] if isinstance(out, tuple) else out
    assert out.std() > 0.01 and abs(out.mean() - 1) < 0.02


def self_attention(**changes):
    return draw_weights(BertSelfAttention(small_config(**changes))).double()


def padded_batch():
    """hidden [B, S, H] and a mask [B, 1, 1, S] that pads the first text on the right and the second on the left."""
    hidden = torch.randn(
        3, 7, 24, dtype=torch.float64, generator=torch.Generator().manual_seed(2)
    ).requires_grad_()
    real = torch.ones(3, 7, dtype=torch.bool)
    real[0, 5:] = False
    real[1, :3] = False
    return hidden, real[:, None, None]


def differs_from_multihead_attention(ours: BertSelfAttention) -> float:
    """Largest difference to nn.MultiheadAttention with the same weights: outputs, weights, and gradients."""
    theirs = nn.MultiheadAttention(24, ours.num_heads, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(
            torch.cat([ours.query.weight, ours.key.weight, ours.value.weight])
        )
        theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
        theirs.out_proj.weight.copy_(torch.eye(24))
    hidden, mask = padded_batch()
    results = []
    for out, weights in (
        ours(hidden, mask, output_attentions=True),
        theirs(hidden, hidden, hidden, key_padding_mask=~mask[:, 0, 0], average_attn_weights=False),
    ):
        hidden.grad = None
        (out.sin().sum() + weights.cos().sum()).backward()
        results.append((out, weights, hidden.grad))
    mine = torch.cat([ours.query.weight.grad, ours.key.weight.grad, ours.value.weight.grad])
    pairs = [*zip(*results), (mine, theirs.in_proj_weight.grad)]
    return max((x - y).abs().max().item() for x, y in pairs)


@pytest.mark.parametrize("heads", [1, 4, 24])
def test_self_attention_equals_torch_multihead_attention(heads):
    assert differs_from_multihead_attention(self_attention(num_attention_heads=heads)) < 1e-10


def test_heads_merged_without_moving_their_axis_back_are_caught(monkeypatch):  # A7
    monkeypatch.setattr(
        "minibert.attention.attend",
        lambda *inputs: ((out := attend(*inputs))[0].reshape(3, 7, 4, 6).transpose(1, 2), out[1]),
    )
    assert differs_from_multihead_attention(self_attention()) > 0.1


def test_asking_for_the_weights_changes_nothing_else():
    module = self_attention().train()
    hidden, mask = padded_batch()
    (fused, none), (readable, weights) = (
        module(hidden, mask),
        module(hidden, mask, output_attentions=True),
    )
    torch.testing.assert_close(fused, readable, rtol=0, atol=1e-12)
    assert none is None and weights.shape == (3, 4, 7, 7)


@deviation(
    "The attention weights that are shown",
    original="not given out",
    reference="after dropout: rows that do not sum to 1 in training",
    here="before dropout",
    why="what is drawn should be what the model attends to",
)
def test_weights_are_before_dropout():
    hidden, mask = padded_batch()
    weights = self_attention(attention_probs_dropout_prob=0.5).train()(
        hidden, mask, output_attentions=True
    )[1]
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 4, 7, dtype=torch.float64))


@pytest.mark.parametrize("output_attentions", [False, True])
def test_weights_are_dropped_in_training_and_only_there(output_attentions):
    module, (hidden, mask) = self_attention(attention_probs_dropout_prob=0.5), padded_batch()
    undropped = self_attention()(hidden, mask)[0]
    torch.testing.assert_close(
        module.eval()(hidden, mask, output_attentions)[0], undropped, rtol=0, atol=1e-12
    )
    assert (module.train()(hidden, mask, output_attentions)[0] - undropped).abs().max() > 0.01


def test_without_positions_attention_is_permutation_equivariant():
    module, (hidden, _) = self_attention(), padded_batch()
    order = torch.randperm(7, generator=torch.Generator().manual_seed(3))
    torch.testing.assert_close(
        module(hidden[:, order])[0], module(hidden)[0][:, order], rtol=0, atol=1e-12
    )


def test_a_bias_on_the_keys_changes_nothing():
    """It adds the same number to all scores of a query, and softmax does not see that: its gradient is 0."""
    module, (hidden, mask) = self_attention(), padded_batch()
    before = module(hidden, mask)[0]
    before.sin().sum().backward()
    assert module.key.bias.grad.abs().max() < 1e-13 < 1e-3 < module.query.bias.grad.abs().max()
    nn.init.normal_(module.key.bias, std=3)
    torch.testing.assert_close(module(hidden, mask)[0], before, rtol=0, atol=1e-12)


def test_the_number_of_heads_does_not_change_the_number_of_parameters():  # A2
    counts = {
        sum(p.numel() for p in BertAttention(small_config(num_attention_heads=heads)).parameters())
        for heads in (1, 4, 24)
    }
    assert counts == {4 * (24 * 24 + 24) + 2 * 24}
