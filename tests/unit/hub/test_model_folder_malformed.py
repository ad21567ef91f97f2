"""Files of a saved model with values of the wrong type: one InputError that names the file, the field and the value."""

import json
import os

import pytest
import torch
from tiny_cli import SHAPE, VOCABULARY

import minibert.cli.main as cli
from minibert import BertConfig, BertForMaskedLM, WordPieceTokenizer, from_pretrained
from minibert.config import InputError

TOKENIZER = WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})
NUMBER = "must be a whole number of at least 1, not "
# The value of a field in config.json, and what the error says after the file's name.
CONFIG = [
    ("hidden_size", "128", f"hidden_size {NUMBER}'128'"),
    ("hidden_size", -8, f"hidden_size {NUMBER}-8"),
    ("hidden_size", 8.0, f"hidden_size {NUMBER}8.0"),
    ("hidden_size", True, f"hidden_size {NUMBER}True"),
    ("hidden_size", None, f"hidden_size {NUMBER}None"),
    ("hidden_size", [8], f"hidden_size {NUMBER}[8]"),
    ("hidden_size", {"value": 8}, f"hidden_size {NUMBER}{{'value': 8}}"),
    ("hidden_size", 10**12, "hidden_size must be at most 100,000,000, not 1000000000000"),
    ("vocab_size", "10", f"vocab_size {NUMBER}'10'"),
    ("vocab_size", float("nan"), f"vocab_size {NUMBER}nan"),
    ("vocab_size", 10**30, "vocab_size must be at most 100,000,000, not 1000000"),
    ("num_hidden_layers", 1e9, f"num_hidden_layers {NUMBER}1000000000.0"),
    ("num_hidden_layers", 10**9, "num_hidden_layers must be at most 1,000, not 1000000000"),
    ("num_attention_heads", 0, f"num_attention_heads {NUMBER}0"),
    ("num_attention_heads", 3, "num_attention_heads 3"),
    ("intermediate_size", [], f"intermediate_size {NUMBER}[]"),
    ("max_position_embeddings", float("inf"), f"max_position_embeddings {NUMBER}inf"),
    ("type_vocab_size", "", f"type_vocab_size {NUMBER}''"),
    ("num_labels", 10**9, "num_labels must be at most 1,000,000, not 1000000000"),
    ("num_labels", "3", f"num_labels {NUMBER}'3'"),
    ("num_labels", True, f"num_labels {NUMBER}True"),
    ("num_labels", 2.0, f"num_labels {NUMBER}2.0"),
    ("num_labels", [2], f"num_labels {NUMBER}[2]"),
    ("id2label", "no", "id2label must name classes 0, 1, 2, … differently, not 'no'"),
    ("id2label", 3, "id2label must name classes 0, 1, 2, … differently, not 3"),
    ("id2label", ["a", "b"], "id2label must name classes 0, 1, 2, … differently, not ['a', 'b']"),
    ("id2label", {"a": "no"}, "id2label must name classes 0, 1, 2, … differently, not {'a': 'no'}"),
    (
        "id2label",
        {"0": ["no"]},
        "id2label must name classes 0, 1, 2, … differently, not {'0': ['no']}",
    ),
    ("id2label", {"0": None}, "id2label must name classes 0, 1, 2, … differently, not {'0': None}"),
    ("hidden_act", ["gelu"], "hidden_act must be one of gelu, gelu_new, relu, not ['gelu']"),
    ("hidden_act", None, "hidden_act must be one of gelu, gelu_new, relu, not None"),
    ("position_embedding_type", {}, "position_embedding_type must be one of absolute, sinusoidal"),
    ("hidden_dropout_prob", "0.1", "hidden_dropout_prob is a probability"),
    ("hidden_dropout_prob", float("nan"), "hidden_dropout_prob is a probability"),
    ("classifier_dropout", [0.1], "classifier_dropout is a probability"),
    ("initializer_range", None, "initializer_range must be a number between 0 and 1e38, not None"),
    ("layer_norm_eps", float("inf"), "layer_norm_eps must be a number between 0 and 1e38, not inf"),
    ("layer_norm_eps", "1e-12", "layer_norm_eps must be a number between 0 and 1e38, not '1e-12'"),
    ("pad_token_id", True, "pad_token_id must be an id below vocab_size 10, not True"),
    ("pad_token_id", "0", "pad_token_id must be an id below vocab_size 10, not '0'"),
    ("norm_first", "no", "norm_first must be true or false, not 'no'"),
    ("model_type", ["bert"], "model_type is ['bert']"),
    ("model_type", None, "model_type is None"),
    ("minibert", "sinusoidal", "minibert must be an object of fields, not 'sinusoidal'"),
    ("minibert", [["a", 1]], "minibert must be an object of fields, not [['a', 1]]"),
    ("is_decoder", "yes", "'is_decoder' is 'yes'"),
    ("architectures", "BertForMaskedLM", "architectures must be a list of names"),
    ("architectures", [5], "architectures must be a list of names, not [5]"),
    ("architectures", {"a": 1}, "architectures must be a list of names, not {'a': 1}"),
    ("sentence_head", "rnn", "sentence_head must be an object, not 'rnn'"),
]
TEXTS = [
    ("", "is not a JSON file"),
    ("null", "holds a NoneType; a config is a JSON object"),
    ("[" * 100_000, "is not a JSON file"),
    ('{"vocab_size": ' + "9" * 5000 + "}", "is not a JSON file"),
    ("\x00\x01", "is not a JSON file"),
]


@pytest.fixture
def folder(tmp_path):
    torch.manual_seed(0)
    BertForMaskedLM(BertConfig(**SHAPE)).save_pretrained(tmp_path, TOKENIZER)
    return tmp_path


def edit(path, **changes):
    values = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(values | changes))


def assert_refused(path, said, *commands, capsys):
    """Every command ends with status 2 and one line on stderr."""
    for command in commands:
        status = cli.main([str(word) for word in command])
        out, err = capsys.readouterr()
        assert (status, out) == (2, "") and err.count("\n") == 1, err
        assert f"{path}" in err and said in err and len(err) < 600, err


def assert_config_refused(folder, said, capsys):
    path = folder / "config.json"
    with pytest.raises(InputError) as caught:
        from_pretrained(folder)
    assert f"{path}" in str(caught.value) and said in str(caught.value)
    fill = ("fill-mask", "the [MASK]", "--model", folder)
    assert_refused(path, said, ("info", folder), fill, capsys=capsys)


@pytest.mark.parametrize("field, value, said", CONFIG)
def test_a_field_of_config_json(field, value, said, folder, capsys):
    edit(folder / "config.json", **{field: value})
    assert_config_refused(folder, said, capsys)


@pytest.mark.parametrize("size", ["5", -5, [5], 10**12])
def test_a_size_of_a_sentence_head(size, folder):
    head = {"kind": "classifier", "vector": "cls", "segments": True, "sizes": {"inner_size": size}}
    edit(folder / "config.json", architectures=["BertSumExt"], sentence_head=head)
    with pytest.raises(InputError, match=r"config.json: the head .* sizes {'inner_size': ") as said:
        from_pretrained(folder)
    assert repr(size) in str(said.value)


@pytest.mark.parametrize("text, said", TEXTS, ids=range(len(TEXTS)))
def test_a_config_json_that_is_no_object(text, said, folder, capsys):
    (folder / "config.json").write_text(text)
    assert_config_refused(folder, said, capsys)


def test_sizes_far_beyond_the_weights_take_no_memory(folder):
    edit(folder / "config.json", vocab_size=10**8, hidden_size=10**7, num_attention_heads=2)
    with pytest.raises(InputError, match=r"config.json.*vocab_size 100,000,000.*hidden_size 10,0"):
        from_pretrained(folder)


OPTIONS = [
    ("do_lower_case", "yes", "do_lower_case must be true or false, not 'yes'"),
    ("do_lower_case", 1, "do_lower_case must be true or false, not 1"),
    ("do_lower_case", None, "do_lower_case must be true or false, not None"),
    ("do_lower_case", [True], "do_lower_case must be true or false, not [True]"),
    ("strip_accents", "no", "strip_accents must be true, false or null, not 'no'"),
    ("strip_accents", 0.5, "strip_accents must be true, false or null, not 0.5"),
    ("strip_accents", {}, "strip_accents must be true, false or null, not {}"),
    ("tokenize_chinese_chars", False, "tokenize_chinese_chars is False; minibert implements True"),
    ("split_special_tokens", True, "split_special_tokens is True; minibert implements False"),
    ("cls_token", "[SEP]", "cls_token is '[SEP]'; minibert implements '[CLS]'"),
    ("unk_token", {"content": "[MASK]"}, "unk_token is '[MASK]'; minibert implements '[UNK]'"),
    ("word_tokenizer_type", "mecab", "word_tokenizer_type is 'mecab'; minibert implements 'basic'"),
]
WORDPIECE = {"type": "WordPiece", "vocab": TOKENIZER.vocab}
IDS = "the ids of a vocabulary must be whole numbers, but '[PAD]' has "
JSON = [
    ({"model": []}, "model must be an object, not []"),
    ({"model": "WordPiece"}, "model must be an object, not 'WordPiece'"),
    ({"model": None}, "model must be an object, not None"),
    ({"model": {"type": "BPE"}}, "holds a BPE tokenizer; expected WordPiece with its vocab"),
    ({"model": WORDPIECE | {"vocab": VOCABULARY}}, "expected WordPiece with its vocab"),
    ({"model": WORDPIECE | {"vocab": TOKENIZER.vocab | {"[PAD]": "0"}}}, f"{IDS}'0'"),
    ({"model": WORDPIECE | {"vocab": TOKENIZER.vocab | {"[PAD]": 0.0}}}, f"{IDS}0.0"),
    ({"model": WORDPIECE | {"vocab": TOKENIZER.vocab | {"[PAD]": False}}}, f"{IDS}False"),
    ({"model": WORDPIECE | {"vocab": TOKENIZER.vocab | {"[PAD]": None}}}, f"{IDS}None"),
    ({"model": WORDPIECE | {"vocab": TOKENIZER.vocab | {"[PAD]": -1}}}, "must be 0 to 9"),
    ({"model": WORDPIECE | {"vocab": TOKENIZER.vocab | {"[PAD]": 10**20}}}, "must be 0 to 9"),
    ({"model": WORDPIECE | {"vocab": {}}}, "the vocabulary of 0 tokens lacks [PAD], [UNK]"),
    ({"model": WORDPIECE, "normalizer": "lower"}, "normalizer must be an object, not 'lower'"),
    ({"model": WORDPIECE, "normalizer": [1]}, "normalizer must be an object, not [1]"),
    (
        {"model": WORDPIECE, "normalizer": {"lowercase": "yes"}},
        "lowercase must be true or false, not 'yes'",
    ),
    (
        {"model": WORDPIECE, "normalizer": {"strip_accents": 1}},
        "strip_accents must be true, false or null, not 1",
    ),
    ({"model": WORDPIECE, "normalizer": None}, "has no normalizer"),
    ({"model": WORDPIECE, "normalizer": {"type": "NFC"}}, "normalizer.type is 'NFC'"),
    (
        {"model": WORDPIECE, "normalizer": {"handle_chinese_chars": False}},
        "normalizer.handle_chinese_chars is False; minibert implements True only",
    ),
    ({"model": WORDPIECE, "pre_tokenizer": {"type": "Metaspace"}}, "pre_tokenizer.type is"),
    ({"model": WORDPIECE | {"continuing_subword_prefix": "@"}}, "continuing_subword_prefix is '@'"),
]


def test_a_config_that_is_a_pipe_is_refused_at_once(folder, capsys):
    (folder / "config.json").unlink()
    os.mkfifo(folder / "config.json")
    fill = ("fill-mask", "the [MASK]", "--model", folder)
    message = "is a pipe or a device; expected a config file"
    assert_refused(folder / "config.json", message, fill, capsys=capsys)
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("/dev/zero")
    assert_refused(folder / "config.json", message, fill, capsys=capsys)


def assert_tokenizer_refused(path, said, capsys):
    with pytest.raises(InputError) as caught:
        WordPieceTokenizer.from_pretrained(path.parent)
    assert f"{path}" in str(caught.value) and said in str(caught.value)
    fill = ("fill-mask", "the [MASK]", "--model", path.parent)
    assert_refused(path, said, fill, ("embed", "a", "--model", path.parent), capsys=capsys)


@pytest.mark.parametrize("option, value, said", OPTIONS)
def test_an_option_of_tokenizer_config_json(option, value, said, folder, capsys):
    edit(folder / "tokenizer_config.json", **{option: value})
    assert_tokenizer_refused(folder / "tokenizer_config.json", said, capsys)


@pytest.mark.parametrize("values, said", JSON, ids=range(len(JSON)))
def test_a_field_of_tokenizer_json(values, said, folder, capsys):
    (folder / "vocab.txt").unlink()
    (folder / "tokenizer_config.json").unlink()
    edit(folder / "tokenizer.json", **values)
    assert_tokenizer_refused(folder / "tokenizer.json", said, capsys)


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("text", ["", "[]", "[" * 100_000, "5", '"text"'], ids=range(5))
def test_a_tokenizer_file_that_is_no_object(name, text, folder, capsys):
    if name == "tokenizer.json":
        (folder / "vocab.txt").unlink()
    (folder / name).write_text(text)
    assert_tokenizer_refused(folder / name, "JSON", capsys)


@pytest.mark.parametrize("weight_map", [5, [], "x", {"a": 5}, {"a": ["b"]}, {"a": None}, {"a": ""}])
def test_an_index_of_shards(weight_map, folder, capsys):
    (folder / "model.safetensors").unlink()
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": weight_map}))
    with pytest.raises(InputError, match="index.json"):
        from_pretrained(folder)
    fill = ("fill-mask", "the [MASK]", "--model", folder)
    assert_refused(path, "", fill, capsys=capsys)
