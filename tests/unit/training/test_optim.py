"""The optimisers' parameter groups, and the learning-rate schedule."""

import dataclasses
import functools

import pytest
import torch
from deviation import deviation
from tiny_run import CONFIG

from minibert import BertForPreTraining
from minibert.training import optim
from minibert.training.muon import Float32Muon
from minibert.training.optim import (
    cosine_schedule,
    decayed,
    learning_rate_schedule,
    make_optimizers,
    set_learning_rate,
)


def groups_of(optimizers) -> dict[str, tuple[str, float]]:
    """Parameter name: its optimiser and its weight decay."""
    return {
        name: (type(optimizer).__name__, group["weight_decay"])
        for optimizer in optimizers
        for group in optimizer.param_groups
        for name in group["param_names"]
    }


@pytest.mark.parametrize("norm_first", [False, True])
def test_weight_decay_spares_biases_and_norms_and_nothing_else(norm_first):
    model = BertForPreTraining(dataclasses.replace(CONFIG, norm_first=norm_first))
    found = groups_of(make_optimizers(model, "adamw", 1e-3, 1e-3, 0.01))
    # independent of names: norms are the parameters of the LayerNorm modules, biases what is called so
    spared = {
        f"{place}.{name}"
        for place, module in model.named_modules()
        for name, _ in module.named_parameters(recurse=False)
        if isinstance(module, torch.nn.LayerNorm) or name == "bias"
    }
    assert found == {
        name: ("AdamW", 0.0 if name in spared else 0.01) for name, _ in model.named_parameters()
    }
    assert (
        len(spared) > 20
        and "cls.predictions.bias" in spared
        and "bert.embeddings.word_embeddings.weight" not in spared
    )


@deviation(
    "What weight decay spares",
    paper='"L2 weight decay of 0.01"',
    original="decoupled decay, on everything but biases and norms; on the word table too",
    reference="the same by convention",
    here="the same",
    why="decay on a norm pulls its factor from 1 to 0",
)
def test_the_groups_are_those_of_the_original():
    """google-research/bert leaves out what contains LayerNorm, layer_norm or bias: under its own names for the same parameters."""
    for name, _ in BertForPreTraining(CONFIG).named_parameters():
        original = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        )
        assert decayed(name) == (
            not any(part in original for part in ("LayerNorm", "layer_norm", "bias"))
        )


def test_muon_gets_the_matrices_inside_and_nothing_else():
    found = groups_of(make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 2e-3, 0.01))
    matrices = {
        f"bert.encoder.layer.{layer}.{part}.weight"
        for layer in (0, 1)
        for part in (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "intermediate.dense",
            "output.dense",
        )
    } | {"bert.pooler.dense.weight", "cls.predictions.transform.dense.weight"}
    assert {name for name, (kind, _) in found.items() if kind.endswith("Muon")} == matrices
    assert found.keys() == dict(BertForPreTraining(CONFIG).named_parameters()).keys(), (
        "each parameter once"
    )


def test_muon_decays_its_matrices_like_the_tables():
    found = groups_of(make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 1e-3, 0.03))
    assert {decay for name, (_, decay) in found.items() if decayed(name)} == {0.03}
    assert len({kind for kind, _ in found.values()}) == 2


def a_step_each(optimizer_class, steps=3):
    """Two matrices and the state that belongs to them, after some steps of Muon."""
    generator = torch.Generator().manual_seed(0)
    draw = functools.partial(torch.randn, generator=generator)
    matrices = [torch.nn.Parameter(draw(8, 24)), torch.nn.Parameter(draw(40, 16))]
    optimizer = optimizer_class(
        matrices, lr=0.02, weight_decay=0.1, momentum=0.9, adjust_lr_fn="match_rms_adamw"
    )
    for _ in range(steps):
        for matrix in matrices:
            matrix.grad = draw(*matrix.shape)
        optimizer.step()
    return [matrix.detach() for matrix in matrices], optimizer.state_dict()["state"]


def test_float32_muon_equals_pytorchs_when_that_computes_in_float32_too(monkeypatch):
    ours, state = a_step_each(Float32Muon)
    in_bfloat16, _ = a_step_each(torch.optim.Muon)
    monkeypatch.setattr(torch.Tensor, "bfloat16", torch.Tensor.float)
    reference, reference_state = a_step_each(torch.optim.Muon)
    torch.testing.assert_close(ours, reference, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(state, reference_state, rtol=1e-5, atol=1e-6)
    assert max((a - b).abs().max() for a, b in zip(ours, in_bfloat16, strict=True)) > 1e-5


@pytest.mark.parametrize(
    ("dtype", "expected"), [(torch.float32, Float32Muon), (torch.bfloat16, torch.optim.Muon)]
)
def test_muon_computes_in_bfloat16_only_where_that_is_fast(monkeypatch, dtype, expected):
    monkeypatch.setattr(optim, "choose_precision", lambda name, device: dtype)
    _, muon = make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 1e-3, 0.01)
    assert type(muon) is expected


def test_an_unknown_optimiser_is_not_taken_for_adamw():
    with pytest.raises(ValueError, match="optimizer must be one of muon, adamw, not 'sgd'"):
        make_optimizers(BertForPreTraining(CONFIG), "sgd", 1e-3, 1e-3, 0.01)


def test_the_recipe_does_not_rest_on_the_defaults_of_pytorch(monkeypatch):
    """beta 0.9 and 0.999 are in the paper (Devlin et al. 2018, appendix A.2), epsilon 1e-6 in the original program."""
    strange = functools.partial(torch.optim.AdamW, betas=(0.5, 0.5), eps=0.5, weight_decay=0.5)
    monkeypatch.setattr(torch.optim, "AdamW", strange)
    monkeypatch.setattr(
        torch.optim, "Muon", functools.partial(torch.optim.Muon, momentum=0.5, weight_decay=0.5)
    )
    adamw, muon = make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 1e-3, 0.01)
    assert all(
        (group["betas"], group["eps"]) == ((0.9, 0.999), 1e-6) for group in adamw.param_groups
    )
    assert {group["weight_decay"] for group in adamw.param_groups} == {0.01, 0.0}
    assert [(group["momentum"], group["weight_decay"]) for group in muon.param_groups] == [
        (0.95, 0.01)
    ]


def test_adamw_is_fused_where_pytorch_can():
    """The tokens a second in benchmarks/logs/speed.json were counted with the fused form; PyTorch has it for some devices only."""
    model = BertForPreTraining(CONFIG)
    assert all(
        group["fused"]
        for group in make_optimizers(model, "adamw", 1e-3, 1e-3, 0.01)[0].param_groups
    )
    model.bert.pooler.to("meta")
    assert not any(
        group["fused"]
        for group in make_optimizers(model, "adamw", 1e-3, 1e-3, 0.01)[0].param_groups
    )


@deviation(
    "The learning rate after warm-up",
    paper="warm-up over 10,000 steps, then linear decay",
    original="the decay counts from step 0: at the end of the warm-up the rate drops a little",
    here="the same; with `decay` below 1 the peak is held first",
    why="the course of the rate is part of the recipe",
)
def test_the_schedule_is_the_originals():
    """1000 steps, 100 of warm-up: t / 100 below 100, then 1 - t / 1000, with its drop from 0.99 to 0.90 at the hand-over."""
    factors = [learning_rate_schedule(step, 1000, 100) for step in range(1000)]
    assert factors == [step / 100 if step < 100 else 1 - step / 1000 for step in range(1000)]
    assert factors[0] == 0.0 and factors[99:101] == [0.99, 0.9]


def test_the_cosine_schedule_is_pytorchs():
    """After the warm-up it is torch.optim.lr_scheduler.CosineAnnealingLR."""
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    reference = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=90)
    for step in range(10, 100):
        assert cosine_schedule(step, 100, 10) == pytest.approx(optimizer.param_groups[0]["lr"])
        optimizer.step()
        reference.step()
    assert [cosine_schedule(step, 100, 10) for step in (0, 5, 10)] == [0, 0.5, 1]
    assert cosine_schedule(100, 100, 10) == pytest.approx(0)
    assert cosine_schedule(5, 5, 5) == 1, "a run that is all warm-up"


def test_a_late_decay_keeps_the_peak_before():
    factors = [learning_rate_schedule(step, 100, 10, decay_share=0.2) for step in range(100)]
    assert (
        factors[10:81] == pytest.approx([1.0] * 71)
        and factors[90] == pytest.approx(0.5)
        and factors[99] == pytest.approx(0.05)
    )


def test_no_warmup_begins_at_the_peak():
    assert learning_rate_schedule(0, 10, 0) == 1.0


def test_one_factor_moves_all_groups_from_their_own_peaks():
    optimizers = make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 4e-3, 0.01)
    for factor in (0.5, 0.25):  # twice: the peak itself does not move
        set_learning_rate(optimizers, factor)
    assert [[group["lr"] for group in optimizer.param_groups] for optimizer in optimizers] == [
        [0.25e-3, 0.25e-3],
        [1e-3],
    ]
