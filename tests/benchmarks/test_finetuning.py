"""The benchmark of fine-tuning: its sets, its controls, its rows on a handful of texts, and what its committed log promises."""

import json
import sys
from collections import Counter
from dataclasses import replace
from statistics import mean

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from minibert.finetuning import FineTuningOptions, TextExample
from minibert.finetuning.tasks.questions import QuestionExample
from minibert.finetuning.tasks.tagging import TaggedExample
from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import finetuning
import finetuning_controls as controls
import finetuning_data as data
import log

GOOD, BAD = "a fine film , warm and funny", "a dull film , cold and stupid"
TEXTS = data.Dataset(
    *(
        [
            TextExample(f"{text} {number}", label=label)
            for number in range(count)
            for text, label in ((GOOD, "positive"), (BAD, "negative"))
        ]
        for count in (8, 3, 4)
    ),
    data.SENTIMENTS,
)


# -- the sets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, sizes",
    [
        ("SST-2", (6920, 872, 1821)),
        ("TREC", (4906, 546, 500)),
        ("STS-B", (5749, 1500, 1379)),
        ("WNUT17", (3394, 1009, 1287)),
        ("XQuAD", (1024, 0, 166)),
        ("XQuAD held out", (790, 234, 166)),
    ],
)
def test_the_sets_are_whole(name, sizes, needs_shared_data):
    found = data.dataset(name)
    assert (len(found.train), len(found.dev), len(found.test)) == sizes
    assert {
        "SST-2": "classification",
        "TREC": "classification",
        "STS-B": "similarity",
        "WNUT17": "tagging",
        "XQuAD": "questions",
        "XQuAD held out": "questions",
    }[name] == found.task().name


def test_what_the_sets_hold(needs_shared_data):
    assert Counter(example.label for example in data.dataset("SST-2").dev) == {
        "negative": 428,
        "positive": 444,
    }
    assert data.dataset("TREC").labels == ["ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"]
    assert Counter(example.label for example in data.dataset("TREC").test) == {
        "ABBR": 9,
        "DESC": 138,
        "ENTY": 94,
        "HUM": 65,
        "LOC": 81,
        "NUM": 113,
    }
    wnut = data.dataset("WNUT17")
    assert [
        sum(tag.startswith("B-") for example in split for tag in example.tags)
        for split in (wnut.train, wnut.dev, wnut.test)
    ] == [1975, 836, 1079]
    assert wnut.labels[0] == "O" and len(wnut.labels) == 13


def test_no_article_of_xquad_is_on_both_sides(needs_shared_data):
    xquad = data.dataset("XQuAD held out")
    splits = [
        {example.context for example in split} for split in (xquad.train, xquad.dev, xquad.test)
    ]
    assert len(set.union(*splits)) == sum(map(len, splits)) == 240
    assert sorted(splits[2]) == sorted({example.context for example in data.dataset("XQuAD").test})


def test_without_the_data_a_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(data, "FOLDER", tmp_path)
    with pytest.raises(
        ValueError,
        match=r"there is no train.tsv.gz in ../shared/data/sst2: the data is on the developers' machines only",
    ):
        data.sst2()


# -- controls ----------------------------------------------------------------------------------------------------------


def test_logistic_regression_finds_the_minimum():
    """Against scipy's minimiser on a dense matrix."""
    rng = np.random.default_rng(0)
    bags = [
        sorted(rng.choice(5, size=rng.integers(0, 4), replace=False).tolist()) for _ in range(40)
    ]
    targets = rng.integers(3, size=40)
    dense = np.array([[column in bag for column in range(5)] + [True] for bag in bags], dtype=float)

    def loss(flat):
        weights = flat.reshape(6, 3)
        logits = dense @ weights
        return (
            np.mean(np.logaddexp.reduce(logits, axis=1) - logits[np.arange(40), targets])
            + 0.01 * np.square(weights[:-1]).sum()
        )

    starts = torch.tensor([0, *map(len, bags)]).cumsum(0)[:-1]
    found = controls.logistic_regression(
        (torch.tensor([n for bag in bags for n in bag]), starts), torch.tensor(targets), 5, 3, 0.01
    )
    wanted = minimize(loss, np.zeros(18), tol=1e-10)
    assert loss(found.double().numpy().ravel()) == pytest.approx(wanted.fun, abs=1e-6)
    assert torch.allclose(found[:-1].double(), torch.tensor(wanted.x.reshape(6, 3)[:-1]), atol=5e-3)


def test_counted_words_classify_texts():
    assert controls.control("majority", TEXTS) == {"dev": 0.5, "test": 0.5}
    assert controls.control("bag of words", TEXTS) == {"dev": 1.0, "test": 1.0}
    assert controls.items(TextExample("Not bad!", label="positive")) == [
        (["not", "bad", "!", "not bad", "bad !"], "positive")
    ]


def test_counted_words_find_names():
    rows = [
        TaggedExample(["In", place, "we", "met", who], ["O", "B-location", "O", "O", "B-person"])
        for place in ("Rome", "Paris")
        for who in ("Ann", "Bob")
    ]
    found = data.Dataset(rows, rows, rows[:2], ["O", "B-location", "B-person"])
    assert controls.control("majority", found) == {"dev": 0.0, "test": 0.0}
    assert controls.control("bag of words", found) == {"dev": 1.0, "test": 1.0}
    features, tag = controls.items(rows[0])[1]
    assert tag == "B-location" and {
        "word rome",
        "before in",
        "after we",
        "begins Rom",
        "ends ome",
        "shape Aa",
    } <= {*features}
    assert "shape Aa0-a" in controls.items(TaggedExample(["Ab12-xy"], ["O"]))[0][0]


def test_counted_words_compare_sentences_and_answer_questions():
    pairs = [
        TextExample("a cat sat", "a cat sat", 5.0),
        TextExample("a cat sat", "a dog ran", 1.0),
        TextExample("a cat sat", "no", 0.0),
    ]
    found = data.Dataset(pairs, pairs, pairs)
    assert controls.control("bag of words", found) == {
        "dev": 1.0,
        "test": 1.0,
    } and controls.control("majority", found) == {"dev": 0.0, "test": 0.0}
    question = QuestionExample("Who fed the cat?", "Rome is old. Ann fed the cat.", ["Ann"])
    found = data.Dataset([question], [], [question])
    assert controls.control("majority", found) == {"test": 0.0}
    assert controls.control("bag of words", found) == {
        "test": 0.5
    }  # one right word of three that count: 2 · 1 / (3 + 1)


# -- rows --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setattr(finetuning, "CACHE", tmp_path)
    monkeypatch.setattr(finetuning, "dataset", lambda name: TEXTS)
    recipe = finetuning.Recipe(
        "SST-2",
        finetuning.SMALL,
        options=FineTuningOptions(epochs=8, learning_rate=1e-3, batch_size=8, precision="float32"),
    )
    monkeypatch.setitem(finetuning.LEARNED, "SST-2, minibert-small", recipe)
    monkeypatch.setitem(finetuning.LEARNED, "SST-2, untrained", replace(recipe, untrained=True))
    return recipe


def test_a_row_is_learned_and_kept(toy, tmp_path, monkeypatch):
    values = finetuning.measure("SST-2, minibert-small", 0)
    assert (
        values["test"] == 1
        and values["test_macro_f1"] == 1
        and values["steps"] == 16
        and len(values["curve"]) == 8
    )
    assert values["dev"] == max(values["curve"]) == values["curve"][values["epoch"] - 1]
    kept = list(tmp_path.glob("*.json"))
    assert len(kept) == 1 and json.loads(kept[0].read_text()) == values
    kept[0].write_text('{"test": 0}')
    assert finetuning.measure("SST-2, minibert-small", 0) == {"test": 0}  # not made anew
    assert (
        finetuning.measure("SST-2, minibert-small", 1)["test"] == 1
    )  # another seed is another row
    monkeypatch.setattr(finetuning, "checking", True)
    assert finetuning.measure("SST-2, minibert-small", 0)["test"] == 1


def test_a_changed_recipe_is_another_row(toy, tmp_path, monkeypatch):
    finetuning.measure("SST-2, minibert-small", 0)
    monkeypatch.setitem(
        finetuning.LEARNED,
        "SST-2, minibert-small",
        replace(toy, options=replace(toy.options, epochs=1)),
    )
    assert finetuning.measure("SST-2, minibert-small", 0)["steps"] == 2
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_what_a_run_starts_from(toy, monkeypatch):
    """The pretrained weights, or random ones of the seed in the same shape; a few labels are not helped by the dev set."""
    seen = []
    monkeypatch.setattr(
        finetuning,
        "finetune",
        lambda run, judge: (
            seen.append(
                (run.model.bert.embeddings.word_embeddings.weight.detach().clone(), len(judge))
            )
            or []
        ),
    )
    monkeypatch.setattr(finetuning, "scores", lambda *_: {})
    shipped = finetuning.model_for(
        TEXTS.task(), finetuning.SMALL
    ).bert.embeddings.word_embeddings.weight
    for recipe, seed in (
        (toy, 0),
        (replace(toy, untrained=True), 0),
        (replace(toy, untrained=True), 1),
        (replace(toy, labels=4), 0),
    ):
        with pytest.raises(ValueError):  # no epoch came back
            finetuning.learned(recipe, seed)
    same = [torch.equal(weights, shipped) for weights, _ in seen]
    assert same == [True, False, False, True] and not torch.equal(seen[1][0], seen[2][0])
    assert seen[1][0].shape == shipped.shape and [judges for _, judges in seen] == [6, 6, 6, 0]


def test_a_few_labels_are_drawn_by_the_seed():
    some, more = finetuning.chosen(TEXTS, 4, 0), finetuning.chosen(TEXTS, 8, 0)
    assert (
        more[:4] == some
        and len({example.text for example in more}) == 8
        and finetuning.chosen(TEXTS, 8, 1) != more
    )
    assert finetuning.chosen(TEXTS, None, 0) == TEXTS.train


def test_untrained_models_learn_as_minibert_small_does():
    for name in finetuning.SETS:
        assert (
            replace(finetuning.LEARNED[f"{name}, untrained"], untrained=False)
            == finetuning.LEARNED[f"{name}, minibert-small"]
        )


def test_a_row_of_the_sweep_does_not_read_the_test_set(toy, monkeypatch):
    recipe = replace(toy, options=replace(toy.options, epochs=1))
    monkeypatch.setitem(finetuning.SWEEP, "SST-2, a rate", recipe)
    monkeypatch.setattr(finetuning, "scores", None)
    found = finetuning.measure("SST-2, a rate", 0)
    assert found["dev"] == max(found["curve"]) and "test" not in found


# -- the committed log -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows():
    found = {}
    for row in json.loads((log.LOGS / "finetuning.json").read_text(encoding="utf-8"))["rows"]:
        found.setdefault(row["variant"], []).append(row)
    return found


def average(rows, variant, split="test"):
    return mean(row[split] for row in rows[variant])


def test_every_row_is_there(rows):
    assert [
        (row["variant"], row["seed"]) for some in rows.values() for row in some
    ] == finetuning.ROWS
    assert all(len(rows[f"{name}, MiniLM"]) == 3 for name in finetuning.SETS)


def test_the_marks_are_reached_by_every_seed(rows):
    for variant, split, mark in (
        ("SST-2, MiniLM", "dev", 0.87),
        ("TREC, MiniLM", "test", 0.96),
        ("STS-B, MiniLM", "dev", 0.88),
        ("WNUT17, MiniLM", "test", 0.35),
    ):
        assert min(row[split] for row in rows[variant]) >= mark, variant
    assert rows["STS-B, MiniLM untouched"][0]["dev"] == pytest.approx(
        0.867, abs=0.001
    )  # what the mark is held against
    assert rows["STS-B, MiniLM untouched"][0]["test"] == pytest.approx(
        0.820, abs=0.001
    )  # as published


def test_no_control_comes_near(rows):
    for name in finetuning.SETS:
        for kind in controls.CONTROLS:
            assert average(rows, f"{name}, MiniLM") > average(rows, f"{name}, {kind}") + 0.05, name
        assert average(rows, f"{name}, bag of words") > average(rows, f"{name}, majority"), name


def test_what_pretraining_bought(rows):
    """The small model gains by its own pretraining on questions, names and answers; on sentiment hardly, and by its mean vectors it compares sentences worse."""
    assert (
        min(row["test"] for row in rows["TREC, minibert-small"])
        > max(row["test"] for row in rows["TREC, untrained"]) + 0.05
    )
    for name, gain in (("TREC", 0.08), ("WNUT17", 0.12), ("XQuAD", 0.13)):
        assert average(rows, f"{name}, minibert-small") > average(rows, f"{name}, untrained") + gain
        assert (
            average(rows, f"{name}, minibert-small") > average(rows, f"{name}, bag of words") + 0.03
        )
    for other in ("untrained", "bag of words"):
        assert abs(average(rows, "SST-2, minibert-small") - average(rows, f"SST-2, {other}")) < 0.03
    assert average(rows, "STS-B, minibert-small") < average(rows, "STS-B, untrained") - 0.04
    for name in finetuning.SETS:
        assert average(rows, f"{name}, MiniLM") > average(rows, f"{name}, minibert-small") + 0.02


def test_the_epoch_is_chosen_on_dev_and_only_there(rows):
    for name in finetuning.SETS:
        for row in rows[f"{name}, MiniLM"]:
            if name == "XQuAD":
                assert "dev" not in row and row["epoch"] == finetuning.MINILM_OPTIONS[name].epochs
            else:
                assert row["curve"].index(max(row["curve"])) + 1 == row["epoch"] and row[
                    "dev"
                ] == pytest.approx(max(row["curve"]), abs=1e-4)


def test_the_learning_rates_are_the_best_of_the_sweep_on_dev(rows):
    for name, rates in finetuning.RATES.items():
        own, *others = (
            some[0]["dev"]
            for variant, some in rows.items()
            if variant.startswith(f"{name}, minibert-sentences")
        )
        assert len(others) == len(rates) - 1 and own >= max(others), name


def test_the_encoder_of_sentences_is_a_start_for_similarity_and_for_little_else(rows):
    """One seed: far ahead on STS-B, behind minibert-small on questions, nothing on answers."""
    sentences = {name: average(rows, f"{name}, minibert-sentences") for name in finetuning.SETS}
    assert sentences["STS-B"] > average(rows, "STS-B, untrained") + 0.04
    assert sentences["TREC"] < average(rows, "TREC, minibert-small")
    assert abs(sentences["XQuAD"] - average(rows, "XQuAD, untrained")) < 0.02


def test_more_labels_more_right(rows):
    found = [average(rows, f"SST-2, MiniLM, {labels} labels") for labels in finetuning.FEW] + [
        average(rows, "SST-2, MiniLM")
    ]
    assert found == sorted(found)


@pytest.mark.slow
def test_the_benchmark_can_be_repeated(needs_shared_data, monkeypatch, capsys):
    """The rows that take seconds; `dev.py bench finetuning --check` trains on whole data sets too."""
    quick = [row for row in finetuning.CHECKED if row[1] is None or "50 labels" in row[0]]
    assert any(seed is not None for _, seed in quick), "one that trains"
    monkeypatch.setattr(finetuning, "CHECKED", quick)
    assert finetuning.main(["--check"]) == 0, capsys.readouterr().out
