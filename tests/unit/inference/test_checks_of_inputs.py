"""What embeddings and filled masks refuse: broken weights, another vocabulary, wrong texts and batch sizes."""

import pytest
import torch
from safetensors.torch import save_file
from tiny_cli import SHAPE, VOCABULARY

import minibert
import minibert.cli.main as cli
from minibert import BertConfig, BertForMaskedLM, WordPieceTokenizer, from_pretrained
from minibert.config import InputError
from minibert.summarization.model import BertSumExt

WORDS = WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})
LARGER = WordPieceTokenizer(WORDS.vocab | {"far": 10, "away": 11})


@pytest.fixture
def model():
    torch.manual_seed(0)
    return BertForMaskedLM(BertConfig(**SHAPE)).eval()


# Weights that are NaN or infinite


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_result_that_is_not_finite_is_refused(value, model, tmp_path, capsys):
    model.save_pretrained(tmp_path, WORDS)
    with torch.no_grad():
        model.bert.encoder.layer[0].output.dense.weight[3, 2] = value
    name = "bert.encoder.layer.0.output.dense.weight"
    before = (tmp_path / "model.safetensors").read_bytes()
    with pytest.raises(InputError, match=f"cannot save to .*: {name} holds numbers that are NaN"):
        model.save_pretrained(tmp_path, WORDS)
    assert (tmp_path / "model.safetensors").read_bytes() == before
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=f"{name} holds numbers that are NaN or infinite"):
        from_pretrained(tmp_path)
    with pytest.raises(InputError, match=f"NaN or infinite.* {name}"):
        minibert.fill_mask("the [MASK]", model=model, tokenizer=WORDS)
    with pytest.raises(InputError, match="NaN or infinite.* encoder.layer.0.output.dense.weight"):
        minibert.embed(["the cat"], model=model, tokenizer=WORDS)
    with pytest.raises(InputError, match="NaN or infinite"):
        minibert.similarity("the cat", "the dog", model=model, tokenizer=WORDS)
    with pytest.raises(InputError, match="NaN or infinite"):
        summarizer = BertSumExt(model.bert, "classifier")
        minibert.summarize("The cat sat. A dog ran.", model=summarizer, tokenizer=WORDS)
    for command in (("fill-mask", "the [MASK]"), ("embed", "the cat")):
        assert cli.main([*command, "--model", str(tmp_path)]) == 2
        out, err = capsys.readouterr()
        assert not out and "NaN or infinite" in err and err.count("\n") == 1


# The texts and the batch size


def test_no_texts_give_no_vectors(model):
    vectors = minibert.embed([], model=model, tokenizer=WORDS)
    assert vectors.shape == (0, 8) and vectors.dtype == torch.float32


@pytest.mark.parametrize("empty", ["", " \n"])
def test_an_empty_text_is_refused(empty, model):
    with pytest.raises(InputError, match=r"texts\[1\] is empty"):
        minibert.embed(["the cat", empty], model=model, tokenizer=WORDS)


def test_a_cosine_is_at_most_one(model, monkeypatch):
    longer = torch.tensor([[1.0, 0.0], [1.0 + 2e-7, 0.0]])
    monkeypatch.setattr(minibert.inference.sentence_embeddings, "embed", lambda *_, **__: longer)
    assert minibert.similarity("the cat", "the cat", model=model, tokenizer=WORDS) == 1.0


def test_a_vocabulary_that_may_have_been_cut_short_is_told():
    small = BertForMaskedLM(BertConfig(**SHAPE | {"vocab_size": len(VOCABULARY) + 300})).eval()
    with pytest.warns(UserWarning, match="10 tokens, .* vocab_size is 310: .* cut short"):
        minibert.embed(["the cat"], model=small, tokenizer=WORDS)


@pytest.mark.parametrize("size", [0, -1, 2.0, "2", True])
def test_a_wrong_batch_size_is_refused(size, model):
    with pytest.raises(InputError, match=f"batch_size must be a whole number of .* not {size!r}"):
        minibert.embed(["the cat"], model=model, tokenizer=WORDS, batch_size=size)


@pytest.mark.parametrize("text", [None, 5, 1.5, b"cat", ["cat"]])
def test_a_text_that_is_no_string_is_named_by_its_index(text, model):
    with pytest.raises(InputError, match=rf"texts\[2\] must be a str, not {type(text).__name__}"):
        minibert.embed(["the cat", "a dog", text], model=model, tokenizer=WORDS, batch_size=1)


@pytest.mark.parametrize("texts", ["one text", None, 5])
def test_texts_that_are_no_list_are_refused(texts, model):
    with pytest.raises(InputError, match="texts must be a list of texts, not"):
        minibert.embed(texts, model=model, tokenizer=WORDS)


# A tokenizer of another model


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused(model, tmp_path, capsys):
    said = "the tokenizer has 12 tokens, but the model's vocab_size is 10"
    for call in (
        lambda: minibert.embed(["far away"], model=model, tokenizer=LARGER),
        lambda: minibert.fill_mask("far [MASK]", model=model, tokenizer=LARGER),
        lambda: minibert.summarize(
            "It is far away.", model=BertSumExt(model.bert, "classifier"), tokenizer=LARGER
        ),
    ):
        with pytest.raises(InputError, match=said):
            call()
    model.save_pretrained(tmp_path)
    LARGER.save(tmp_path)
    for command in (("fill-mask", "far [MASK]"), ("embed", "far")):
        assert cli.main([*command, "--model", str(tmp_path)]) == 2
        assert said in capsys.readouterr().err


# A user that does not exist


@pytest.mark.parametrize("name", ["~nosuch", "~nosuch/model"])
def test_an_unknown_user_is_named(name, capsys):
    said = f"there is no home folder for {name}"
    for call in (from_pretrained, WordPieceTokenizer.from_pretrained):
        with pytest.raises(InputError, match=said):
            call(name)
    for call in (minibert.fill_mask, minibert.summarize, minibert.embed):
        text = ["[MASK]"] if call is minibert.embed else "[MASK]"
        with pytest.raises(InputError, match=said):
            call(text, model=name)
    for command in (("fill-mask", "[MASK]", "--model"), ("embed", "a", "--model"), ("info",)):
        assert cli.main([*command, name]) == 2
        assert said in capsys.readouterr().err
