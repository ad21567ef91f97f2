"""The benchmark on SciTLDR: what it measures, on a set of three made-up abstracts, and what its committed log promises."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev

import pytest
import torch

from minibert.summarization.examples import Example

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import log
import scitldr

ABSTRACTS = [
    Example(
        "one",
        ["Cats are animals.", "We teach cats to read.", "It works."],
        [["A method to teach cats to read."], ["Reading for cats."]],
        [0, 0, 1],
    ),
    Example(
        "two",
        ["We count stars with a net.", "Stars are many."],
        [["Counting stars with a net."]],
        [0, 1],
    ),
    Example(
        "three",
        [
            "Nets forget.",
            "Here is a net that keeps what it has learned.",
            "It is small.",
            "It is fast.",
        ],
        [["A net that keeps what it learned."]],
        [0, 1, 0, 0],
    ),
]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """The three abstracts stand for every split; each sentence's vector says how good it is, in its first number."""
    monkeypatch.setattr(scitldr, "CACHE", tmp_path)
    monkeypatch.setattr(scitldr, "examples", lambda split: ABSTRACTS)
    monkeypatch.setattr(scitldr, "rouge_of_sentences", scitldr.rouge_of_sentences.__wrapped__)

    def vectors(split, segments, layer):
        found = [
            torch.full((len(document), 8), float(layer))
            for document in scitldr.rouge_of_sentences(split)
        ]
        for rows, document in zip(found, scitldr.rouge_of_sentences(split)):
            rows[:, 0] = torch.tensor([rouge["rouge1"] for rouge in document]) / 50
        return found

    monkeypatch.setattr(scitldr, "vectors", vectors)


def test_the_best_reference_counts(toy):
    rouge = scitldr.rouge_of_sentences("test")
    assert [len(document) for document in rouge] == [3, 2, 4]
    # "we teach cats to read" and "a method to teach cats to read": 4 of 5 and 4 of 7 words; stemmed, 2 of 5 and 2 of 3 of the other
    assert rouge[0][1]["rouge1"] == pytest.approx(100 * 2 * (4 / 5) * (4 / 7) / (4 / 5 + 4 / 7))


def test_controls(toy):
    for variant, wanted in (
        ("lead", [0, 0, 0]),
        ("labelled oracle", [2, 1, 1]),
        ("best sentence", [1, 0, 1]),
    ):
        assert scitldr._control(variant, None, "test") == wanted
    drawn = [tuple(scitldr._control("random", seed, "test")) for seed in range(20)]
    assert len(set(drawn)) > 5 and all(
        n < len(example.sentences) for row in drawn for n, example in zip(row, ABSTRACTS)
    )
    assert scitldr.measure("lead", None)["first"] == 1.0
    assert (
        scitldr.measure("best sentence", None)["rouge1"] > scitldr.measure("lead", None)["rouge1"]
    )


def test_without_stemming_a_word_has_to_be_the_same(toy, monkeypatch):
    example = Example("four", ["We count a star.", "Nothing."], [["Counting stars."]], [1, 0])
    monkeypatch.setattr(scitldr, "examples", lambda split: [example])
    assert scitldr.measure("lead", None)["rouge1"] == pytest.approx(
        100 * 2 * (2 / 4) * (2 / 2) / (2 / 4 + 2 / 2), abs=0.01
    )  # count, star
    assert scitldr.measure("lead, without stemming", None)["rouge1"] == 0


@pytest.mark.parametrize("loss", ("listwise", "bce"))
def test_a_head_learns_from_rouge_and_its_row_is_kept(toy, tmp_path, monkeypatch, loss):
    recipe = scitldr.Recipe(loss=loss, epochs=60, learning_rate=0.1)
    monkeypatch.setitem(scitldr.RECIPES, "BertSumExt", recipe)
    values = scitldr.measure("BertSumExt", 0)
    assert values == scitldr.measure("best sentence", None)
    kept = list(tmp_path.glob("row *.json"))
    assert len(kept) == 1 and json.loads(kept[0].read_text()) == values
    kept[0].write_text('{"rouge1": 0}')
    assert scitldr.measure("BertSumExt", 0) == {"rouge1": 0}  # not made anew
    monkeypatch.setattr(scitldr, "checking", True)
    assert scitldr.measure("BertSumExt", 0) == values


def test_every_recipe_differs_from_another_by_one_thing():
    recipes = {name: asdict(recipe) for name, recipe in scitldr.RECIPES.items()}
    for name, recipe in recipes.items():
        beside = recipes[
            "head: transformer, 2 layers" if name.startswith("head: transformer") else "BertSumExt"
        ]
        changed = {key for key in recipe if recipe[key] != beside[key]}
        if name.startswith("head: "):
            changed -= {"learning_rate", "epochs"} | ({"head"} if "sizes" in changed else set())
        assert len(changed) <= 1, name


# -- the committed log -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows():
    found = {}
    for row in json.loads((log.LOGS / "scitldr.json").read_text(encoding="utf-8"))["rows"]:
        found.setdefault(row["variant"], []).append(row)
    return found


def average(rows, variant, name="rouge1"):
    return mean(row[name] for row in rows[variant])


def test_every_row_is_there(rows):
    assert [(row["variant"], row["seed"]) for some in rows.values() for row in some] == scitldr.ROWS
    assert all(len(rows[variant]) == 5 for variant in scitldr.RECIPES)


def test_the_known_figures_are_made_again(rows):
    for variant, wanted in (
        ("lead", (31.3, 11.4, 24.1)),
        ("labelled oracle", (44.4, 22.8, 36.0)),
        ("best sentence", (49.3, 26.1, 40.0)),
    ):
        assert [rows[variant][0][name] for name in scitldr.MEASURES] == pytest.approx(
            wanted, abs=0.06
        )


def test_the_model_keeps_its_promise(rows):
    ours = [row["rouge1"] for row in rows["BertSumExt"]]
    assert mean(ours) >= 40.5 and min(ours) >= 40.5 and stdev(ours) < 0.3
    assert (
        mean(ours)
        > average(rows, "nearest to the mean") + 5
        > average(rows, "lead") + 5
        > average(rows, "random") + 5
    )
    assert average(rows, "BertSumExt", "rouge2") > 19 and average(rows, "BertSumExt", "rougeL") > 33


def test_without_stemming_every_figure_is_about_three_points_lower(rows):
    """As the authors score; what holds for a published figure holds for these rows."""
    for variant in ("lead", "labelled oracle", "BertSumExt"):
        assert 2 < average(rows, variant) - average(rows, variant + scitldr.UNSTEMMED) < 4


def test_it_has_not_merely_learned_to_take_the_first_sentence(rows):
    assert average(rows, "BertSumExt", "first") < 0.3 and rows["lead"][0]["first"] == 1
    assert rows["labelled oracle"][0]["first"] == pytest.approx(0.19, abs=0.01)


def test_the_recipe_was_chosen_on_the_validation_set(rows):
    """Layer, loss, segments and inner layer are the best there, not on the test set."""
    for variant, recipe in scitldr.RECIPES.items():
        if recipe.head == "classifier":
            assert average(rows, variant, "valid_rouge1") <= average(
                rows, "BertSumExt", "valid_rouge1"
            ), variant


def test_where_the_vectors_come_from_is_worth_most(rows):
    assert average(rows, "BertSumExt") > average(rows, "layer 6") + 1
    assert average(rows, "layer 0") > average(rows, "layer 6")
