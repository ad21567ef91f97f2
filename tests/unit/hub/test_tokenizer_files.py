"""A tokenizer's files: what is refused of other tokenizers, and how older files are replaced."""

import json
import os

import pytest
import transformers

from minibert import WordPieceTokenizer
from minibert.config import InputError

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "queen", "##s"]
SMALL = WordPieceTokenizer({token: number for number, token in enumerate(TOKENS)})
LARGER = WordPieceTokenizer(SMALL.vocab | {"king": 8})


@pytest.mark.parametrize("token", ["covid19", "queen"])
@pytest.mark.parametrize("special", [False, True])
def test_a_token_that_transformers_added_is_refused(token, special, tmp_path):
    """A token of the vocabulary too: as an added one it is cut out of "queens"."""
    SMALL.save(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    theirs.add_tokens([token], special_tokens=special)
    theirs.save_pretrained(tmp_path / "theirs")
    with pytest.raises(InputError, match=f"tokenizer.json: the token '{token}' was added"):
        WordPieceTokenizer.from_pretrained(tmp_path / "theirs")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("added_tokens.json", {"[MASK]": 4, "covid19": 8}),
        ("tokenizer_config.json", {"added_tokens_decoder": {"8": {"content": "covid19"}}}),
        ("tokenizer_config.json", {"additional_special_tokens": ["covid19"]}),
        ("tokenizer_config.json", {"extra_special_tokens": {"virus": "covid19"}}),
        ("special_tokens_map.json", {"additional_special_tokens": ["covid19"]}),
    ],
)
def test_where_other_versions_name_added_tokens(name, content, tmp_path):
    SMALL.save(tmp_path)
    (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"{name}: the token 'covid19' was added"):
        WordPieceTokenizer.from_pretrained(tmp_path)


def test_the_five_special_tokens_are_no_added_ones(tmp_path):
    SMALL.save(tmp_path)
    (tmp_path / "added_tokens.json").write_text('{"[MASK]": 4}')
    decoder = {str(number): {"content": token} for number, token in enumerate(TOKENS[:5])}
    config = {"added_tokens_decoder": decoder, "additional_special_tokens": None}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    assert WordPieceTokenizer.from_pretrained(tmp_path).vocab == SMALL.vocab


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("special_tokens_map.json", {"cls_token": "[SEP]"}, r"cls_token is '\[SEP\]'"),
        ("tokenizer_config.json", {"never_split": ["bad-film"]}, r"never_split is \['bad-film'\]"),
    ],
)
def test_settings_that_would_change_the_tokens_are_refused(name, content, says, tmp_path):
    SMALL.save(tmp_path)
    (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(InputError, match=says):
        WordPieceTokenizer.from_pretrained(tmp_path)


@pytest.mark.parametrize("content", [7, "covid19", [["covid19"]], [{"id": 8}], {"8": 7}])
def test_added_tokens_of_no_known_form_are_refused(content, tmp_path):
    SMALL.save(tmp_path)
    config = json.dumps({"added_tokens_decoder": content})
    (tmp_path / "tokenizer_config.json").write_text(config)
    with pytest.raises(InputError, match="tokenizer_config.json: the token .* was added"):
        WordPieceTokenizer.from_pretrained(tmp_path)


def test_two_vocabularies_that_differ_are_refused(tmp_path):
    """As where transformers 5, which writes tokenizer.json only, saved into an older folder."""
    SMALL.save(tmp_path)
    SMALL._tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert WordPieceTokenizer.from_pretrained(tmp_path).vocab == SMALL.vocab
    LARGER._tokenizer.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(InputError, match=r"vocab.txt differs from its tokenizer.json"):
        WordPieceTokenizer.from_pretrained(tmp_path)


def test_a_tokenizer_json_beside_a_vocab_txt_says_whether_it_is_cased(tmp_path):
    cased = WordPieceTokenizer(SMALL.vocab, lowercase=False)
    cased.save(tmp_path)
    cased._tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").unlink()
    assert WordPieceTokenizer.from_pretrained(tmp_path).lowercase is False


def test_saving_replaces_every_file_of_an_older_tokenizer(tmp_path):
    LARGER.save(tmp_path)
    transformers.AutoTokenizer.from_pretrained(tmp_path).save_pretrained(tmp_path)
    (tmp_path / "special_tokens_map.json").write_text("{}")
    SMALL.save(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["tokenizer_config.json", "vocab.txt"]
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert theirs("the queens")["input_ids"] == SMALL.encode("the queens")


def test_a_save_that_fails_leaves_the_older_vocabulary(tmp_path, monkeypatch):
    SMALL.save(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def disk_full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("minibert.hub.atomic_io.sync", disk_full)
    with pytest.raises(OSError, match="No space left"):
        LARGER.save(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
