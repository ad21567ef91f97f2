"""From text to a result in one call; more in tests/unit/test_init.py."""

import warnings
from pathlib import Path

import pytest

import minibert


def test_a_path_means_a_folder_also_where_it_has_the_name_of_a_packaged_model(
    tmp_path, monkeypatch
):
    minibert.save_pretrained(
        minibert.from_pretrained("minibert-sentences"), tmp_path / "minibert-small"
    )
    monkeypatch.chdir(tmp_path)
    expected = minibert.embed(["A boat."], model="minibert-sentences")
    assert (minibert.embed(["A boat."], model=Path("minibert-small")) == expected).all()
    assert (minibert.embed(["A boat."], model="./minibert-small") == expected).all()
    with pytest.warns(UserWarning, match="is part of minibert; the folder of that name here"):
        assert (minibert.embed(["A boat."], model="minibert-small") != expected).any()


def test_a_model_opened_before_the_current_folder_changes_keeps_its_vocabulary(
    tmp_path, monkeypatch
):
    for name in ("one", "other"):
        minibert.save_pretrained(
            minibert.from_pretrained("minibert-small"), tmp_path / name / "model"
        )
    vocab = tmp_path / "other" / "model" / "vocab.txt"
    lines = vocab.read_text(encoding="utf-8").split("\n")[:-1]
    vocab.write_text("\n".join(lines[:5] + lines[:4:-1]) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "one")
    model = minibert.from_pretrained("model")
    before = minibert.fill_mask("The queen said that [MASK] would return.", model=model)
    monkeypatch.chdir(tmp_path / "other")
    assert minibert.fill_mask("The queen said that [MASK] would return.", model=model) == before


def test_a_vocabulary_that_is_replaced_changes_nothing_for_a_model_that_is_open(tmp_path):
    minibert.save_pretrained(minibert.from_pretrained("minibert-sentences"), tmp_path)
    model, texts = minibert.from_pretrained(tmp_path), ["A boat on the river."]
    before = minibert.embed(texts, model=model)
    path = tmp_path / "vocab.txt"
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    path.write_text("\n".join(lines[:5] + lines[:4:-1]) + "\n", encoding="utf-8")
    assert (minibert.embed(texts, model=model) == before).all()
    assert (minibert.embed(texts, model=tmp_path) != before).any()


@pytest.mark.parametrize("call", [minibert.embed, minibert.fill_mask, minibert.summarize])
def test_a_name_that_no_disk_can_hold_is_refused(call):
    with pytest.raises(minibert.InputError, match="name too long"):
        call(["[MASK]"] if call is minibert.embed else "[MASK].", model="a" * 5000)


def test_heads_that_give_no_vectors_are_no_reason_for_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vectors = minibert.embed(["A boat."], model="minibert-small")
    assert vectors.shape == (1, 256)
