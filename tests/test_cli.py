"""The command line as a user meets it: its output, its errors in one line, its exit statuses."""

import argparse
import hashlib
import io
import json
import os
import re
import subprocess
import sys

import pytest
import torch

from minibert import BertConfig, BertForMaskedLM, BertModel, BertForPreTraining, WordPieceTokenizer, cli, hub, save_pretrained
from minibert.hub import MINILM

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "dog", "ran"]
SHAPE = dict(vocab_size=10, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, max_position_embeddings=12)


@pytest.fixture
def run(capsys):
    """Run a command line; returns its exit status, stdout and stderr."""
    def run(*argv):
        try:
            status = cli.main([str(argument) for argument in argv])
        except SystemExit as exit:
            status = exit.code
        return status, *capsys.readouterr()
    return run


@pytest.fixture
def saved(tmp_path):
    """Save a model of a class with random weights; returns its folder."""
    def saved(model_class, **changes):
        torch.manual_seed(0)
        model = model_class(BertConfig.from_dict(SHAPE | changes)).eval()
        if hasattr(model, "cls"):
            with torch.no_grad():
                model.cls.predictions.bias[6:8] = torch.tensor([3.0, 6.0])      # it prefers 'sat', then 'cat'
        save_pretrained(model, tmp_path / "model", WordPieceTokenizer({token: i for i, token in enumerate(VOCABULARY)}))
        return tmp_path / "model"
    return saved


# -- info --------------------------------------------------------------------------------------------------------------

def test_info_on_a_preset(run):
    status, out, _ = run("info", "base")
    assert status == 0
    for part in ("109,482,240", "23,440,896", "417.6 MiB", "208.8 MiB", "1,670.6 MiB", "12 heads of 64", "22.35 billion a sequence"):
        assert part in out


def test_info_as_json(run):
    status, out, _ = run("info", "base", "--length", "512", "--batch", "4", "--json")
    values = json.loads(out)
    assert status == 0 and values["parameters"]["total"] == 109_482_240 and values["class"] == "BertModel"
    assert values["flops"]["training_step"] == 3 * values["flops"]["forward"] == 3 * 4 * 512 * values["flops"]["forward_per_token"]
    assert values["memory_bytes"]["weights float16"] == 2 * 109_482_240


def test_info_on_the_cost_of_training(run):
    status, out, _ = run("info", "base", "--train-tokens", "3.67e10")
    assert status == 0 and "Pretraining on 36,700,000,000 tokens" in out and "A100" in out and "89.07 hours at 20% of 312 trillion" in out
    status, out, _ = run("info", "base", "--train-tokens", "3.67e10", "--utilisation", "0.4", "--json")
    assert json.loads(out)["training"]["gpu_hours"]["A100"] == pytest.approx(89.1 / 2, abs=0.03)
    for bad, sentence in ((("--train-tokens", "-1"), "tokens must be above 0, not -1.0"),
                          (("--train-tokens", "1e9", "--utilisation", "20"), "utilisation is a share of the peak")):
        status, out, err = run("info", "base", *bad)
        assert status == 2 and not out and sentence in err


def test_info_on_folders_and_names(needs_minilm, run, saved):
    assert "22,713,216" in run("info", MINILM)[1]
    model = BertForPreTraining(BertConfig(**SHAPE))
    total = sum(parameter.numel() for parameter in model.parameters())
    status, out, _ = run("info", saved(BertForPreTraining), "--length", "12")
    assert status == 0 and f"{total:,}" in out and "heads" in out and "BertForPreTraining" in out


# -- similarity --------------------------------------------------------------------------------------------------------

def test_similarity_of_texts_closest_first(needs_minilm, run):
    status, out, _ = run("similarity", "Stocks fell.", "The cat sleeps.", "A kitten is dozing.")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and len(rows) == 3
    assert rows[0][1:] == ["The cat sleeps.", "A kitten is dozing."] and float(rows[0][0]) > 0.4
    assert all(abs(float(row[0])) < 0.2 for row in rows[1:])


@pytest.mark.parametrize("source", ["file", "standard input"])
def test_similarity_of_pairs_in_their_order(source, needs_minilm, run, tmp_path, monkeypatch):
    data = "\ufeffStocks fell.\tThe cat sleeps.\r\n\nThe cat sleeps.\tA kitten is dozing.\n".encode()
    path = tmp_path / "pairs.tsv"
    path.write_bytes(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    status, out, _ = run("similarity", "--pairs", path if source == "file" else "-")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and [row[1] for row in rows] == ["Stocks fell.", "The cat sleeps."]
    assert float(rows[0][0]) < 0.2 < 0.4 < float(rows[1][0])


# -- fill-mask ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("model_class", [BertForMaskedLM, BertForPreTraining])
def test_fill_mask(model_class, run, saved):
    status, out, _ = run("fill-mask", "the [MASK] sat", "--model", saved(model_class), "--top", "3")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and [row[1] for row in rows[:2]] == ["sat", "cat"] and len(rows) == 3
    assert 1 > float(rows[0][0]) > float(rows[1][0]) > float(rows[2][0]) > 0


def test_fill_mask_with_two_masks(run, saved):
    status, out, _ = run("fill-mask", "the [MASK] sat [MASK]", "--model", saved(BertForMaskedLM), "--top", "99")
    assert status == 0 and out.count("[MASK] 1\n") == out.count("[MASK] 2\n") == 1 and len(out.splitlines()) == 2 + 2 * len(VOCABULARY)
    probabilities = [float(line.split("\t")[0]) for line in out.splitlines() if "\t" in line]
    assert sum(probabilities) == pytest.approx(2, abs=0.01)


def test_fill_mask_takes_the_model_of_the_package_unless_told_otherwise(run, saved, monkeypatch):
    folder = saved(BertForPreTraining)
    monkeypatch.setattr(hub, "PACKAGED", folder.parent)
    monkeypatch.setitem(hub.DIGESTS, hub.SMALL, hub.DIGESTS[hub.SMALL])
    folder.rename(folder.parent / hub.SMALL)
    hub.DIGESTS[hub.SMALL] = hashlib.sha256((folder.parent / hub.SMALL / "model.safetensors").read_bytes()).hexdigest()
    assert run("fill-mask", "the [MASK] sat", "--top", "1")[:2] == run("fill-mask", "the [MASK] sat", "--top", "1", "--model", folder.parent / hub.SMALL)[:2]
    assert run("fill-mask", "the [MASK] sat", "--top", "1")[1].endswith("\tsat\n")


# -- errors ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("argv, message", [
    (["info", "./nowhere"], r"there is no folder './nowhere'.*name a preset: tiny, mini"),
    (["info", "base", "--length", "513"], "--length 513 is beyond the model's 512 positions"),
    (["info", "base", "--batch", "0"], "batch 0"),
    (["similarity"], "give two or more texts, or --pairs FILE"),
    (["similarity", "a"], "one text has nothing to be compared with"),
    (["similarity", "a", "b", "--pairs", "-"], "not both"),
    (["similarity", "--pairs", "nowhere.tsv"], "cannot read --pairs nowhere.tsv: No such file"),
    (["similarity", "a", "b", "--model", "./nowhere"], "no folder './nowhere'"),
    (["fill-mask", "the [mask] sat", "--model", "x"], r"the text has no \[MASK\] \(in capitals\): 'the \[mask\] sat'"),
    (["fill-mask", "the [MASK]", "--model", "x", "--top", "0"], "--top must be at least 1, not 0"),
    (["fill-mask", "the [MASK]", "--model", MINILM], "is a BertModel, which has no masked-word head"),
])
def test_bad_input_is_one_line_and_status_2(argv, message, needs_minilm, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*argv)
    assert status == 2 and not out and err.count("\n") == 1 and err.startswith(f"minibert {argv[0]}: ")
    assert re.search(message, err), err


@pytest.mark.parametrize("data, message", [
    (b"one\ttwo\nonly one\n", "line 2: wanted two texts with one tab between them, found 1 in 'only one'"),
    (b"a\tb\tc\n", "line 1: wanted two texts with one tab between them, found 3"),
    (b"\n\n", "has no lines"),
    (b"caf\xe9\tb\n", "is not UTF-8 text: byte 3 is 0xe9"),
])
def test_a_wrong_file_of_pairs(data, message, run, tmp_path):
    (tmp_path / "pairs.tsv").write_bytes(data)
    status, _, err = run("similarity", "--pairs", tmp_path / "pairs.tsv")
    assert status == 2 and message in err and err.count("\n") == 1


def test_fill_mask_never_answers_with_a_fresh_head(run, saved):
    folder = saved(BertModel)
    config = json.loads((folder / "config.json").read_text()) | {"architectures": ["BertForMaskedLM"]}
    (folder / "config.json").write_text(json.dumps(config))
    status, out, err = run("fill-mask", "the [MASK] sat", "--model", folder)
    assert status == 2 and not out and "has no cls.predictions" in err


@pytest.mark.parametrize("argv", [[], ["nonsense"], ["info"], ["info", "base", "--length", "many"], ["fill-mask"]])
def test_bad_usage_shows_the_usage(argv, run):
    status, out, err = run(*argv)
    assert status == 2 and err.startswith("usage: minibert") and "Traceback" not in err


@pytest.mark.parametrize("argv", [["--help"], ["info", "--help"], ["similarity", "--help"], ["fill-mask", "--help"]])
def test_help_is_friendly(argv, run):
    status, out, _ = run(*argv)
    assert status == 0 and ("examples:\n  minibert" in out or "explains a command" in out)


def options_of() -> dict[str, list[argparse.Action]]:
    """The arguments of every command, without --help."""
    commands = next(action for action in cli._parser()._actions if isinstance(action, argparse._SubParsersAction)).choices
    return {name: [action for action in parser._actions if action.dest != "help"] for name, parser in commands.items()}


COMMANDS = ("info", "similarity", "fill-mask", "pretrain", "finetune", "predict", "summarize", "tokenizer", "convert-bertsum")
# What stands in --help for what you fill in: few words, which mean the same in every command.
PLACEHOLDERS = {"A", "A,B,…", "COLUMN", "FILE", "FILE.pt", "FILE_OR_FOLDER", "FOLDER", "K", "MODEL", "N", "NAME", "P", "PRESET_OR_FOLDER", "SHARE", "TASK", "TEXT", "TIME", "WHEN"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_of_every_argument_what_it_is_and_what_to_fill_in(name):
    for action in options_of()[name]:
        assert action.help and len(action.help) > 3, action.dest
        if action.nargs != 0 and (action.metavar or not action.option_strings):      # without one argparse shows the option's own name in capitals
            assert action.metavar in PLACEHOLDERS, action.dest


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_to_be_a_number_is_one(name):
    for action in options_of()[name]:
        if action.metavar in ("A", "N", "K", "P", "SHARE"):
            with pytest.raises((ValueError, argparse.ArgumentTypeError)):
                action.type("many")


def test_what_has_to_be_given():
    """Where something is written, its place has no default."""
    assert set(options_of()) == set(COMMANDS)
    assert {name: {action.option_strings[0] for action in actions if action.required and action.option_strings} for name, actions in options_of().items()} == {
        name: {"pretrain": {"--out"}, "finetune": {"--train", "--out"}, "tokenizer": {"--out"}, "convert-bertsum": {"--out"}}.get(name, set()) for name in COMMANDS}


def test_ctrl_c_is_130(needs_minilm, run, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt
    monkeypatch.setattr(cli, "read_config", interrupted)
    status, out, err = run("info", MINILM)
    assert status == 130 and "Traceback" not in err


def test_a_reader_that_goes_away_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)                       # nobody will ever read: the first write fails
    buffered = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}      # as on most machines
    done = subprocess.run([sys.executable, "-m", "minibert", "info", "base"], stdout=writing, stderr=subprocess.PIPE, text=True, env=buffered)
    os.close(writing)
    assert done.returncode == 141 and done.stderr == ""
