"""Saving over an older save, from a compiled model, and from several processes at once."""

import os
import shutil
import subprocess
import sys
import time

import pytest
import torch
from safetensors.torch import load_file
from tiny_cli import SHAPE, VOCABULARY
from torch.nn.utils import prune

from minibert import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertModel,
    WordPieceTokenizer,
    from_pretrained,
    save_pretrained,
)
from minibert.config import InputError
from minibert.hub import pretrained_io
from tools.environment import ROOT

WORDS = WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})
OTHER = WordPieceTokenizer(
    {f"{token}x" * (n > 4) or token: n for n, token in enumerate(VOCABULARY)}
)
LARGER = WordPieceTokenizer(WORDS.vocab | {"far": 10, "away": 11})


def model(model_class=BertModel, **changes):
    torch.manual_seed(0)
    return model_class(BertConfig.from_dict(SHAPE | changes)).eval()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# The tokenizer of an older save


def test_no_file_of_the_older_tokenizer_is_left(tmp_path):
    save_pretrained(model(), tmp_path, OTHER)
    for name in ("tokenizer.json", "special_tokens_map.json", "added_tokens.json", "vocab.json"):
        (tmp_path / name).write_text("of an older save")
    save_pretrained(model(), tmp_path, WORDS)
    names = ["config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"]
    assert sorted(os.listdir(tmp_path)) == names
    assert WordPieceTokenizer.from_pretrained(tmp_path).vocab == WORDS.vocab


def test_a_tokenizer_json_replaces_an_older_vocab_txt(tmp_path):
    """The reader prefers vocab.txt, so an old one would win over the new tokenizer.json."""
    source, target = tmp_path / "source", tmp_path / "target"
    save_pretrained(model(), source, WORDS)
    (source / "vocab.txt").unlink()
    WORDS._tokenizer.save(str(source / "tokenizer.json"))
    (source / "special_tokens_map.json").write_text("{}")
    save_pretrained(model(), target, OTHER)
    save_pretrained(from_pretrained(source), target)
    assert WordPieceTokenizer.from_pretrained(target).vocab == WORDS.vocab
    assert sorted(os.listdir(target)) == sorted(os.listdir(source))


def test_a_model_saved_where_it_was_opened_keeps_its_tokenizer(tmp_path):
    save_pretrained(model(), tmp_path, WORDS)
    (tmp_path / "special_tokens_map.json").write_text("{}")
    before = contents(tmp_path)
    save_pretrained(from_pretrained(tmp_path), tmp_path)
    assert contents(tmp_path) == before


def test_without_a_tokenizer_one_of_the_same_size_is_kept(tmp_path):
    save_pretrained(model(), tmp_path, WORDS)
    save_pretrained(model(), tmp_path)
    assert WordPieceTokenizer.from_pretrained(tmp_path).vocab == WORDS.vocab


def test_without_a_tokenizer_one_of_another_size_is_refused(tmp_path):
    save_pretrained(model(vocab_size=12), tmp_path, LARGER)
    before = contents(tmp_path)
    with pytest.raises(InputError, match=r"tokenizer of 12 tokens.* vocab_size is 10"):
        save_pretrained(model(), tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["config.json", "added_tokens.json"])
def test_a_folder_in_the_place_of_a_file_leaves_the_older_save_as_it_was(name, tmp_path):
    save_pretrained(model(), tmp_path, OTHER)
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).mkdir()
    before = load_file(tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=f"{name} is a folder"):
        save_pretrained(model(initializer_range=0.5), tmp_path, WORDS)
    after = load_file(tmp_path / "model.safetensors")
    assert all(torch.equal(tensor, before[key]) for key, tensor in after.items())
    assert (tmp_path / "vocab.txt").read_text().split() == list(OTHER.vocab)


# Compiled models


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("part", ["all of it", "its encoder"])
def test_a_compiled_model_is_saved_as_the_original(part, norm_first, tmp_path):
    """torch.compile puts `_orig_mod.` into the names of what it wraps."""
    original = model(BertForMaskedLM, norm_first=norm_first)
    ids = torch.tensor([[2, 5, 4, 3]])
    expected = original(ids).logits
    compiled = original
    if part == "all of it":
        compiled = torch.compile(original)
    else:
        original.bert.encoder = torch.compile(original.bert.encoder)
    save_pretrained(compiled, tmp_path / "function", WORDS)
    compiled.save_pretrained(tmp_path / "method", WORDS)
    for way in ("function", "method"):
        assert not [
            key for key in load_file(tmp_path / way / "model.safetensors") if "_orig" in key
        ]
        opened = from_pretrained(tmp_path / way)
        assert type(opened) is BertForMaskedLM and torch.equal(opened(ids).logits, expected)


# Several processes at once


@pytest.mark.parametrize("exists", [True, False])
def test_a_save_inside_a_save_into_the_same_folder(exists, tmp_path, monkeypatch):
    folder = tmp_path / "model"
    if exists:
        save_pretrained(model(), folder)
    write, outer, inner = pretrained_io.write_weights, model(), model()
    inner.pooler.dense.bias.data += 1

    def another_process_saves(*arguments):
        monkeypatch.setattr(pretrained_io, "write_weights", write)
        save_pretrained(inner, folder)
        assert torch.equal(from_pretrained(folder).pooler.dense.bias, inner.pooler.dense.bias)
        write(*arguments)

    monkeypatch.setattr(pretrained_io, "write_weights", another_process_saves)
    save_pretrained(outer, folder)
    assert torch.equal(from_pretrained(folder).pooler.dense.bias, outer.pooler.dense.bias)
    assert sorted(os.listdir(folder)) == ["config.json", "model.safetensors"]
    assert os.listdir(tmp_path) == ["model"]


def test_only_abandoned_staging_folders_are_removed(tmp_path):
    """And only of names that the program gives: others are somebody's own."""
    old, new = ".saving-4711-0123abcd", ".saving-4712-0123abcd"
    own = [".saving-my-thesis", ".saving-2024-01", ".saving-4711-0123ABCD", ".saving-0123abcd"]
    for parent in (tmp_path, tmp_path / "model"):
        for name in (old, new, *own):
            staging = parent / name
            staging.mkdir(parents=True)
            (staging / "model.safetensors").write_bytes(b"half")
            for path in (staging / "model.safetensors", staging):
                then = time.time() - (0 if name == new else 7200)
                os.utime(path, times=(then, then))
    save_pretrained(model(), tmp_path / "model")
    save_pretrained(model(), tmp_path / "other")
    assert sorted(os.listdir(tmp_path)) == sorted([new, *own, "model", "other"])
    names = sorted([new, *own, "config.json", "model.safetensors"])
    assert sorted(os.listdir(tmp_path / "model")) == names


@pytest.mark.skipif(os.name == "nt", reason="on Windows nothing tells that a process is gone")
def test_the_staging_folder_of_a_process_that_is_gone_is_removed_at_once(tmp_path):
    """But not that of a living one, nor of another machine, where the number is another process."""
    code = f"""
import os, signal
from pathlib import Path
from minibert.hub.atomic_io import staging_folder
with staging_folder(Path({str(tmp_path / "model")!r})) as staging:
    (staging / "model.safetensors").write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGTERM)
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    (left,) = os.listdir(tmp_path)
    process, unique = left.split("-")[1:]
    living = f".saving-{os.getppid()}-{unique}"
    elsewhere = f".saving-{process}-{int(unique[0], 16) ^ 1:x}{unique[1:]}"
    kept = [living, elsewhere, f".saving-{process}-{unique[8:]}", f".saving-{10**30}-{unique}"]
    for name in kept:
        (tmp_path / name).mkdir()
    save_pretrained(model(), tmp_path / "model")
    assert sorted(os.listdir(tmp_path)) == sorted([*kept, "model"])


def test_a_folder_of_staging_names_the_process(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(
        pretrained_io, "_write_tokenizer", lambda *given: seen.append(given[2].name)
    )
    save_pretrained(model(), tmp_path)
    assert seen[0].startswith(f".saving-{os.getpid()}-")


# The vocabulary of the folder that a model came from


def test_a_model_keeps_its_vocabulary_when_the_current_folder_changes(tmp_path, monkeypatch):
    for name, tokenizer in (("one", WORDS), ("other", OTHER)):
        save_pretrained(model(), tmp_path / name / "model", tokenizer)
    monkeypatch.chdir(tmp_path / "one")
    opened = from_pretrained("model")
    monkeypatch.chdir(tmp_path / "other")
    save_pretrained(opened, tmp_path / "saved")
    assert WordPieceTokenizer.from_pretrained(tmp_path / "saved").vocab == WORDS.vocab


def test_a_vocabulary_that_is_gone_is_said(tmp_path):
    save_pretrained(model(), tmp_path / "model", WORDS)
    opened = from_pretrained(tmp_path / "model")
    shutil.rmtree(tmp_path / "model")
    with pytest.warns(UserWarning, match="no vocabulary is saved: the folder .*model.* is gone"):
        save_pretrained(opened, tmp_path / "saved")
    assert sorted(os.listdir(tmp_path / "saved")) == ["config.json", "model.safetensors"]
    save_pretrained(opened, tmp_path / "given", WORDS)


# Permissions and names


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize("umask", [0o022, 0o002, 0o077])
def test_weights_have_the_permissions_of_the_other_files(umask, tmp_path):
    """safetensors makes files that only their owner may read."""
    old = os.umask(umask)
    try:
        save_pretrained(model(), tmp_path / "model", WORDS)
    finally:
        os.umask(old)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "model").iterdir()}
    assert set(modes.values()) == {0o666 & ~umask}, modes


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_saving_again_keeps_the_permissions(tmp_path):
    folder = tmp_path / "model"
    save_pretrained(model(), folder, WORDS)
    for path in folder.iterdir():
        path.chmod(0o640)
    save_pretrained(model(), folder, WORDS)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o640}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems know no such names")
def test_a_folder_whose_name_is_not_utf_8(tmp_path):
    folder = tmp_path / os.fsdecode(b"odd-\xff")
    save_pretrained(model(), folder, WORDS)
    assert torch.equal(from_pretrained(folder).pooler.dense.bias, model().pooler.dense.bias)


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="the model must be one of minibert's, not a Linear"):
        save_pretrained(torch.nn.Linear(2, 2), tmp_path / "saved")
    assert not os.listdir(tmp_path)


def test_a_model_without_numbers_is_refused(tmp_path):
    with torch.device("meta"):
        empty = BertModel(BertConfig.from_dict(SHAPE))
    with pytest.raises(InputError, match="cannot save to .*word_embeddings.*on the meta device"):
        save_pretrained(empty, tmp_path / "new", WORDS)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("norm_first", [False, True])
def test_layers_that_share_their_weights_are_refused(norm_first, tmp_path):
    shared = model(num_hidden_layers=2, norm_first=norm_first)
    shared.encoder.layer[1] = shared.encoder.layer[0]
    message = r"cannot save to .*: encoder.layer.0.\S* and encoder.layer.1.\S* are one tensor"
    with pytest.raises(InputError, match=message):
        save_pretrained(shared, tmp_path / "new", WORDS)
    assert not (tmp_path / "new").exists()


@pytest.mark.filterwarnings("ignore")
def test_a_quantized_model_is_refused(tmp_path):
    kinds = {torch.nn.Linear}
    quantized = torch.ao.quantization.quantize_dynamic(model(), kinds, dtype=torch.qint8)
    with pytest.raises(InputError, match=r"encoder.layer.0.attention.* to a quantized layer"):
        save_pretrained(quantized, tmp_path / "new", WORDS)
    assert not (tmp_path / "new").exists()


def test_a_name_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot save to .*: File name too long"):
        save_pretrained(model(), tmp_path / ("n" * 300))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_file_can_have_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="zero byte|no file can have the name"):
        save_pretrained(model(), name, WORDS)
    assert not list(tmp_path.iterdir())


# Models that were changed after they were built


CHANGES = {
    "one layer left": (
        lambda model: setattr(model.encoder, "layer", model.encoder.layer[:1]),
        r"encoder\.layer\.1\.\S+ is missing \(expected shape",
    ),
    "a larger vocabulary": (
        lambda model: setattr(model.embeddings, "word_embeddings", torch.nn.Embedding(12, 8)),
        r"word_embeddings\.weight has the shape \[12, 8\], expected \[10, 8\]",
    ),
    "a matrix without a bias": (
        lambda model: setattr(model.pooler, "dense", torch.nn.Linear(8, 8, bias=False)),
        r"pooler\.dense\.bias is missing \(expected shape \[8\]\)",
    ),
    "a part of its own": (
        lambda model: setattr(model, "extra", torch.nn.Linear(2, 2)),
        r"extra\.weight of shape \[2, 2\] has no place in the model",
    ),
    "pruned": (
        lambda model: prune.l1_unstructured(
            model.encoder.layer[0].output.dense, "weight", amount=0.5
        ),
        r"output\.dense\.weight_orig of shape \S+ \S+ has no place",
    ),
}


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_a_model_that_is_not_what_its_config_describes_is_refused(change, norm_first, tmp_path):
    save_pretrained(model(), tmp_path, WORDS)
    before, changed = contents(tmp_path), model(norm_first=norm_first, num_hidden_layers=2)
    how, says = CHANGES[change]
    how(changed)
    with pytest.raises(InputError, match=r"do not fit BertModel as model\.config.*" + says):
        save_pretrained(changed, tmp_path)
    assert contents(tmp_path) == before


def test_another_classifier_is_saved_where_the_config_names_its_classes(tmp_path):
    changed = model(BertForSequenceClassification, num_labels=2)
    changed.classifier = torch.nn.Linear(8, 5)
    with pytest.raises(InputError, match=r"classifier\.bias has the shape \[5\], expected \[2\]"):
        save_pretrained(changed, tmp_path / "out", WORDS)
    assert not (tmp_path / "out").exists()
    changed.config = BertConfig.from_dict(SHAPE | {"num_labels": 5})
    save_pretrained(changed, tmp_path / "out", WORDS)
    opened = from_pretrained(tmp_path / "out")
    assert torch.equal(opened.classifier.weight, changed.classifier.weight)


def test_a_model_without_a_pooler_and_a_class_of_ones_own_are_saved(tmp_path):
    without = BertModel(model().config, add_pooling_layer=False)
    save_pretrained(without, tmp_path / "without")

    class WithMore(BertModel):
        def __init__(self, config, more):
            super().__init__(config)
            self.more = torch.nn.Linear(more, more)

    save_pretrained(WithMore(model().config, 3), tmp_path / "own")
    assert "more.weight" in load_file(tmp_path / "own" / "model.safetensors")
