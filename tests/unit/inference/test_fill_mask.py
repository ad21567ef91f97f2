"""Filling masks: against the model's own logits, in the order of the text."""

import io

import pytest
import torch
from reference import draw_weights, small_config

import minibert.cli.main as cli
from minibert import BertForMaskedLM, BertForPreTraining, WordPieceTokenizer, tokenization
from minibert.hub import find_pretrained, model_folder
from minibert.inference.fill_mask import fill_mask

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(56))]


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})


@pytest.mark.parametrize("model_class", [BertForMaskedLM, BertForPreTraining])
def test_each_mask_gets_the_likeliest_words_in_order(model_class, tokenizer):
    model = draw_weights(model_class(small_config(hidden_dropout_prob=0.3))).train()
    filled = fill_mask(model, tokenizer, "w3 [MASK] w9 [MASK]", top=4)
    assert model.training
    outputs = model.eval()(torch.tensor([[2, 8, 4, 14, 4, 3]]))
    logits = (
        outputs.logits if model_class is BertForMaskedLM else outputs.prediction_logits
    )  # [1, S, V]
    assert len(filled) == 2
    for place, words in zip((2, 4), filled):
        probabilities = logits[0, place].softmax(0).tolist()
        best = sorted(range(61), key=lambda i: -probabilities[i])[:4]
        assert [word for word, _ in words] == [VOCABULARY[i] for i in best]
        assert [probability for _, probability in words] == pytest.approx(
            [probabilities[i] for i in best]
        )


def test_more_words_than_there_are(tokenizer):
    model = BertForMaskedLM(small_config())
    words = fill_mask(model, tokenizer, "[MASK]", top=100)[0]
    assert len(words) == 61 and sum(probability for _, probability in words) == pytest.approx(1)


def test_rows_without_a_token_are_left_out(tokenizer):
    """A model may have more rows than the vocabulary has tokens, and they may be the likeliest."""
    model = BertForMaskedLM(small_config(vocab_size=64))
    with torch.no_grad():
        model.cls.predictions.bias[61:] += 9
    words = fill_mask(model, tokenizer, "[MASK]", top=100)[0]
    assert {word for word, _ in words} == set(VOCABULARY)
    assert sum(probability for _, probability in words) < 0.1


def test_five_words_unless_told_otherwise(tokenizer):
    """As `minibert fill-mask` says in its help, and the README prints."""
    default = cli.parse(["fill-mask", "[MASK]"]).top
    assert len(fill_mask(BertForMaskedLM(small_config()), tokenizer, "[MASK]")[0]) == default == 5


@pytest.mark.parametrize(
    "text, top, message",
    [
        ("w1 [mask]", 5, r"the text has no \[MASK\] \(in capitals\): 'w1 \[mask\]'"),
        ("w1 [MASK]", 0, "top must be a whole number of at least 1, not 0"),
        ("w1 [MASK]", 1.5, "top must be a whole number of at least 1, not 1.5"),
        (None, 5, "the text must be a str, not None"),
        ("[MASK] " * 30, 5, "a sequence of 32 tokens is longer than max_position_embeddings 20"),
    ],
)
def test_errors(text, top, message, tokenizer):
    with pytest.raises(ValueError, match=message):
        fill_mask(BertForMaskedLM(small_config()), tokenizer, text, top)


def test_the_command_reads_config_json_once_and_finds_the_folder_once(monkeypatch, capsys):
    read, found = [], []
    real_open, real_find = io.open, find_pretrained.find_pretrained

    def watched_open(file, *arguments, **options):
        if str(file).endswith("config.json") and "tokenizer" not in str(file):
            read.append(str(file))
        return real_open(file, *arguments, **options)

    def watched_find(name):
        found.append(name)
        return real_find(name)

    monkeypatch.setattr(io, "open", watched_open)  # what pathlib calls
    for module in (find_pretrained, model_folder, tokenization):
        monkeypatch.setattr(module, "find_pretrained", watched_find)
    assert cli.main(["fill-mask", "Paris is the [MASK] of France."]) == 0
    assert len(read) == 1 and len(found) == 1
    assert "0." in capsys.readouterr().out
