"""The fast form of the pretraining forward: equal to the readable model, its loss and every gradient."""

import pkgutil

import pytest
import torch
from reference import TOLERANCE, draw_weights, small_config
from torch import nn

import minibert.pretraining.fused
import minibert.pretraining.fused_layer
from minibert import BertForPreTraining
from minibert.pretraining.fused import FusedPreTraining, pretraining_sums, stack_sums
from minibert.pretraining.fused_layer import QueryPositions

B, S, V = 4, 9, 61
GENERATOR = torch.Generator().manual_seed(0)
IDS = torch.randint(1, V, (B, S), generator=GENERATOR)
SEGMENTS = (torch.arange(S) > 4).long().repeat(B, 1)
LABELS = IDS.masked_fill(torch.rand(B, S, generator=GENERATOR) > 0.4, -100)
LABELS[2] = -100  # a row without a masked word
PAIRS = torch.tensor([0, 1, -100, 1])
RAGGED = (torch.arange(S) < torch.tensor([[9], [5], [2], [7]])).long()
TEXT = torch.tensor(
    [[0, 0, 0, 1, 1, 1, 1, 2, 2], [0] * 9, [0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 1, 1, 1, 1]]
)
BLOCKS = TEXT[:, :, None] == TEXT[:, None, :]  # [B, S, S], several texts in a row
GAPS = BLOCKS & (torch.arange(S) < 7)[:, None]  # … and queries that may look at nothing
MASKS = {
    "none": None,
    "full": torch.ones(B, S),
    "ragged": RAGGED,
    "blocks": BLOCKS,
    "gaps": GAPS,
    "empty row": RAGGED * torch.tensor([[1], [0], [1], [1]]),
}
MASKS["full"] = MASKS["full"].bool()
CONFIGS = {
    "published": {},
    "norm_first": {"norm_first": True},
    "sinusoidal": {"position_embedding_type": "sinusoidal"},
    "no positions": {"position_embedding_type": "none"},
    "relu": {"hidden_act": "relu"},
    "gelu_new": {"hidden_act": "gelu_new"},
    "one layer": {"num_hidden_layers": 1, "norm_first": True},
}


def build(**changes) -> BertForPreTraining:
    return draw_weights(BertForPreTraining(small_config(**changes)))


def batch(**changes) -> dict:
    return {
        "input_ids": IDS,
        "token_type_ids": SEGMENTS,
        "attention_mask": None,
        "labels": LABELS,
        "next_sentence_label": PAIRS,
        **changes,
    }


def gradients(model) -> dict:
    return {
        name: parameter.grad if parameter.grad is None else parameter.grad.clone()
        for name, parameter in model.named_parameters()
    }


def assert_equal(
    model, dtype, mask=None, labels=LABELS, pairs=PAIRS, sums=pretraining_sums, **changes
):
    """Loss, accuracies and the gradient of every parameter, against BertForPreTraining's own."""
    model = model.to(dtype)
    out = model(
        IDS,
        token_type_ids=SEGMENTS,
        attention_mask=mask,
        labels=labels,
        next_sentence_label=pairs,
        **changes,
    )
    out.loss.backward()
    wanted = gradients(model)
    masked = labels != -100
    model.zero_grad()
    found = sums(
        model,
        IDS,
        token_type_ids=SEGMENTS,
        attention_mask=mask,
        labels=labels,
        next_sentence_label=pairs,
        precision=dtype,
        **changes,
    )
    loss = found.mlm_loss / found.mlm_count.clamp(min=1) + found.nsp_loss / found.nsp_count.clamp(
        min=1
    )
    loss.backward()
    assert (found.mlm_count, found.nsp_count) == (
        masked.sum(),
        0 if pairs is None else (pairs != -100).sum(),
    )
    assert found.mlm_correct == (out.prediction_logits.argmax(-1) == labels)[masked].sum()
    assert found.nsp_correct == (
        0 if pairs is None else (out.seq_relationship_logits.argmax(-1) == pairs).sum()
    )
    tolerance = TOLERANCE[dtype]
    assert abs(loss.item() - out.loss.item()) <= tolerance * out.loss.item()
    for name, gradient in gradients(model).items():
        if wanted[name] is None:
            assert gradient is None, name
        else:
            torch.testing.assert_close(
                gradient,
                wanted[name],
                rtol=0,
                atol=tolerance * max(1.0, wanted[name].abs().max().item()),
                msg=name,
            )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("mask", MASKS)
def test_it_equals_the_readable_model(mask, config, dtype):
    assert_equal(build(**CONFIGS[config]), dtype, MASKS[mask])


@pytest.mark.parametrize("config", ["published", "norm_first"])
def test_words_only_pairs_only_and_nothing_to_predict(config):
    nothing, all_of_a_row = torch.full_like(LABELS, -100), LABELS.clone()
    all_of_a_row[1] = IDS[1]  # [CLS] too
    for labels in (nothing, LABELS, all_of_a_row):
        for pairs in (None, torch.full_like(PAIRS, -100), PAIRS):
            assert_equal(build(**CONFIGS[config]), torch.float64, RAGGED, labels, pairs)


@pytest.mark.parametrize("config", ["published", "norm_first", "sinusoidal"])
def test_rows_may_begin_at_other_positions(config):
    assert_equal(
        build(**CONFIGS[config]),
        torch.float64,
        RAGGED,
        position_ids=torch.arange(S) + torch.tensor([[3], [0], [1], [2]]),
    )


@pytest.mark.parametrize("mask", ["none", "ragged", "blocks"])
@pytest.mark.parametrize("config", ["published", "norm_first", "sinusoidal"])
def test_bfloat16_is_close_and_its_gradients_are_float32(config, mask):
    torch.manual_seed(0)
    model = BertForPreTraining(small_config(hidden_size=32, **CONFIGS[config]))
    inputs = batch(attention_mask=MASKS[mask])
    exact = pretraining_sums(model, **inputs)
    (exact.mlm_loss + exact.nsp_loss).backward()
    wanted = gradients(model)
    model.zero_grad()
    found = pretraining_sums(model, **inputs, precision=torch.bfloat16)
    (found.mlm_loss + found.nsp_loss).backward()
    assert found.mlm_loss.dtype == found.nsp_loss.dtype == torch.float32
    assert found.mlm_loss.item() == pytest.approx(exact.mlm_loss.item(), rel=2e-3)
    assert found.nsp_loss.item() == pytest.approx(exact.nsp_loss.item(), rel=2e-3)
    for name, gradient in gradients(model).items():
        assert gradient.dtype == torch.float32
        if (
            "key.bias" in name
        ):  # its true gradient is zero: a number added to all scores changes nothing
            continue
        error = (gradient - wanted[name]).norm() / wanted[name].norm()
        assert error < 0.05, (name, error)


def test_on_a_gpu_the_fused_form_computes_the_same():
    """PyTorch's own attention, which is taken where the queries say that they are on one; here they only say so."""

    class OnGpu(torch.Tensor):
        is_cuda = True

    generator = torch.Generator().manual_seed(0)
    query, key, value = (
        torch.randn(2, 3, size, 4, dtype=torch.float64, generator=generator) for size in (5, 7, 7)
    )
    for bias in (None, torch.randn(2, 1, 1, 7, dtype=torch.float64, generator=generator)):
        found = minibert.pretraining.fused_layer.attend_with_bias(
            query.as_subclass(OnGpu), key, value, bias, 0.0
        )
        torch.testing.assert_close(
            found.as_subclass(torch.Tensor),
            minibert.pretraining.fused_layer.attend_with_bias(query, key, value, bias, 0.0),
        )


def test_it_holds_the_very_parameters_of_the_model():
    model = build()
    fast = FusedPreTraining(model)
    assert {id(p) for p in fast.parameters()} == {id(p) for p in model.parameters()}
    assert len(list(fast.parameters())) == len(list(model.parameters()))


def test_dropout_acts_in_training_only_and_everywhere():
    model = build(hidden_dropout_prob=0.2, attention_probs_dropout_prob=0.3)
    inputs = batch(attention_mask=RAGGED)

    def loss(seed):
        torch.manual_seed(seed)
        return pretraining_sums(model, **inputs).mlm_loss.item()

    quiet = model.eval() and loss(0)
    assert (
        quiet
        == loss(1)
        == pytest.approx(pretraining_sums(build(), **inputs).mlm_loss.item(), rel=1e-6)
    )
    model.train()
    assert loss(0) == loss(0) != loss(1)
    rates = [module for module in model.modules() if isinstance(module, nn.Dropout)]
    for module in rates:
        module.p = 0.0
    assert loss(0) != quiet  # attention's own is left
    for layer in model.bert.encoder.layer:
        layer.attention.self.dropout_prob = 0.0
    assert loss(0) == quiet
    for module in rates:
        module.p = 0.2
        assert loss(0) != quiet
        module.p = 0.0


@torch.no_grad()
def test_dropout_has_the_distribution_of_the_readable_model():
    model = build(hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.3).train()
    words = int((LABELS != -100).sum())
    inputs = batch(next_sentence_label=None)
    fast = torch.tensor([pretraining_sums(model, **inputs).mlm_loss for _ in range(400)]) / words
    plain = torch.stack(
        [model(IDS, token_type_ids=SEGMENTS, labels=LABELS).loss for _ in range(400)]
    )
    assert abs(fast.mean() - plain.mean()) < 4 * ((fast.var() + plain.var()) / 400).sqrt()
    assert fast.std() == pytest.approx(plain.std().item(), rel=0.15)


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(input_ids=IDS + 50), r"input_ids must lie between 0 and 60"),
        (
            dict(labels=LABELS[:, 1:]),
            r"labels must have the shape \[4, 9\] of input_ids, not \[4, 8\]",
        ),
        (dict(labels=LABELS + 100), r"labels must lie between 0 and 60, or be -100"),
        (dict(next_sentence_label=PAIRS + 1), r"next_sentence_label must lie between 0 and 1"),
        (
            dict(next_sentence_label=PAIRS[1:]),
            r"next_sentence_label must have the shape \[4\], not \[3\]",
        ),
        (dict(attention_mask=torch.ones(B, S + 1).bool()), r"attention_mask must have the shape"),
        (dict(precision=torch.float16), r"precision must be one of"),
        (dict(position_ids=torch.arange(S)[None] + 99), r"position_ids must lie between 0 and"),
    ],
)
def test_errors_name_the_argument(change, message):
    with pytest.raises(ValueError, match=message):
        pretraining_sums(build(), **batch(**change))


def test_the_grid_of_wanted_positions_has_one_place_for_each_and_no_column_too_many():
    masked = LABELS != -100
    queries = QueryPositions.find(masked)
    assert queries.columns == masked.sum(1).max() + 1
    rows, columns = masked.nonzero(as_tuple=True)
    assert queries.positions.tolist() == [
        *(rows * S + columns).tolist(),
        *range(0, B * S, S),
    ]  # the words in order, then every [CLS]
    places = [place.tolist() for place in queries.cells.split([int(masked.sum()), B])]
    assert places[0] == [
        row * queries.columns + rank
        for row, count in enumerate(masked.sum(1).tolist())
        for rank in range(count)
    ]
    assert places[1] == [
        row * queries.columns + count for row, count in enumerate(masked.sum(1).tolist())
    ]


@pytest.mark.parametrize("config", ["published", "norm_first", "sinusoidal"])
@pytest.mark.parametrize("mask", MASKS)
def test_a_batch_on_the_cpu_never_waits_for_the_device(config, mask):
    """On the meta device there are no values: whoever asks for one there, as a wait would, fails."""
    fast = FusedPreTraining(build(**CONFIGS[config])).to("meta")
    sums = fast(**batch(attention_mask=MASKS[mask]))
    (sums.mlm_loss + sums.nsp_loss).backward()
    stacked = stack_sums(sums)
    assert stacked.device.type == "meta" and stacked.shape == (6,)


@pytest.mark.gpu
@pytest.mark.parametrize("mask", MASKS)
def test_on_a_gpu_no_micro_batch_waits(mask):
    model = build(hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1).cuda().train()
    fast = FusedPreTraining(model, torch.bfloat16)
    inputs = batch(attention_mask=MASKS[mask])
    fast(**inputs).mlm_loss.backward()  # the first call initialises
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        sums = fast(**inputs)
        (sums.mlm_loss + sums.nsp_loss).backward()
        stack_sums(sums)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.gpu
def test_on_a_gpu_the_sums_are_those_of_the_cpu():
    for mask in MASKS.values():
        inputs = batch(attention_mask=mask)
        on_cpu = stack_sums(pretraining_sums(build(), **inputs))
        on_gpu = stack_sums(pretraining_sums(build().cuda(), **inputs)).cpu()
        torch.testing.assert_close(on_gpu, on_cpu, rtol=1e-4, atol=1e-4)


# Planted bugs

PLANTED = {
    "scores not divided by the root of D": (
        "_project",
        lambda old: (
            lambda self, inner, queries: [
                x * (1 + i % 2) for i, x in enumerate(old(self, inner, queries))
            ]
        ),
    ),
    "the residual connection left out": (
        "_close",
        lambda old: (
            lambda self, output, x, residual: old(self, output, x, torch.zeros_like(residual))
        ),
    ),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_a_changed_layer_is_caught(bug, monkeypatch):
    name, change = PLANTED[bug]
    monkeypatch.setattr(
        minibert.pretraining.fused_layer.FusedLayer,
        name,
        change(getattr(minibert.pretraining.fused_layer.FusedLayer, name)),
    )
    with pytest.raises(AssertionError):
        assert_equal(build(), torch.float64, RAGGED)


FUNCTIONS = {
    "fused.attention_bias": lambda old: lambda mask, dtype: (None, None),  # the mask forgotten
    "fused_layer.mask_of_queries": lambda old: (
        lambda mask, queries, batch: mask if mask is None else mask[:, :, : queries.columns]
    ),  # the mask of other queries
    "fused_layer.QueryPositions.find": lambda old: (
        lambda masked: old(masked.flip(1))
    ),  # other positions than those with labels
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_changed_function_is_caught(name, monkeypatch):
    place = f"minibert.pretraining.{name}"
    monkeypatch.setattr(place, FUNCTIONS[name](pkgutil.resolve_name(place)))
    with pytest.raises(AssertionError):
        assert_equal(build(), torch.float64, BLOCKS)


def test_a_fraction_of_the_words_would_be_caught():
    def mean(*model_and_ids, **inputs):
        found = pretraining_sums(*model_and_ids, **inputs)
        found.mlm_loss = found.mlm_loss / B
        return found

    with pytest.raises(AssertionError):
        assert_equal(build(), torch.float64, RAGGED, sums=mean)
