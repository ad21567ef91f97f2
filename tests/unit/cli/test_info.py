"""`minibert info`."""

import json

import pytest
from tiny_cli import SHAPE

from minibert import BertConfig, BertForPreTraining
from minibert.hub.find_pretrained import MINILM


def test_info_on_a_preset(run):
    status, out, _ = run("info", "base")
    assert status == 0
    for part in (
        "109,482,240",
        "23,440,896",
        "417.6 MiB",
        "208.8 MiB",
        "1,670.6 MiB",
        "12 heads of 64",
        "22.35 billion a sequence",
    ):
        assert part in out


def test_info_as_json(run):
    status, out, _ = run("info", "base", "--length", "512", "--batch", "4", "--json")
    values = json.loads(out)
    assert (
        status == 0
        and values["parameters"]["total"] == 109_482_240
        and values["class"] == "BertModel"
    )
    assert (
        values["flops"]["training_step"]
        == 3 * values["flops"]["forward"]
        == 3 * 4 * 512 * values["flops"]["forward_per_token"]
    )
    assert values["memory_bytes"]["weights float16"] == 2 * 109_482_240


def test_a_folder_with_the_name_of_a_preset_is_not_taken_for_it(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mini").mkdir()
    status, _, err = run("info", "mini")
    assert status == 0 and "mini is the preset, not the folder here: that is ./mini" in err


def test_info_on_the_cost_of_training(run):
    status, out, _ = run("info", "base", "--train-tokens", "3.67e10")
    assert (
        status == 0
        and "Pretraining on 36,700,000,000 tokens" in out
        and "A100" in out
        and "89.07 hours at 20% of 312 trillion" in out
    )
    status, out, _ = run(
        "info", "base", "--train-tokens", "3.67e10", "--utilisation", "0.4", "--json"
    )
    assert json.loads(out)["training"]["gpu_hours"]["A100"] == pytest.approx(89.1 / 2, abs=0.03)
    for bad, sentence in (
        (("--train-tokens", "-1"), "tokens must be above 0 and at most 1e30, not -1.0"),
        (("--train-tokens", "1e308"), "tokens must be above 0 and at most 1e30, not 1e+308"),
        (("--train-tokens", "1e9", "--utilisation", "1e-320"), "between 1e-6 and 1"),
        (("--train-tokens", "1e9", "--utilisation", "20"), "utilisation is a share of the peak"),
    ):
        status, out, err = run("info", "base", *bad)
        assert status == 2 and not out and sentence in err


def test_info_on_folders_and_names(needs_minilm, run, saved):
    assert "22,713,216" in run("info", MINILM)[1]
    model = BertForPreTraining(BertConfig(**SHAPE))
    total = sum(parameter.numel() for parameter in model.parameters())
    status, out, _ = run("info", saved(BertForPreTraining), "--length", "12")
    assert status == 0 and f"{total:,}" in out and "heads" in out and "BertForPreTraining" in out
    longest = SHAPE["max_position_embeddings"]
    assert f"1 x {longest} tokens" in run("info", saved(BertForPreTraining))[1]  # not 128
    for option in ("--length", "--batch"):
        said = f"argument {option}: expected a whole number of at least 1, not '0'"
        assert said in run("info", "base", option, "0")[2]
