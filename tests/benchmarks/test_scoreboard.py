"""The scoreboard: its rows on a handful of pairs and sentences, how a run goes on, and what its committed log promises."""

import json
import sys

import pytest
import torch

from minibert.finetuning import TextExample
from minibert.inference.minimal_pairs import MinimalPair
from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import log
import scoreboard
import scoreboard_blimp as blimp
import scoreboard_cola as cola

LOG = json.loads((log.LOGS / "scoreboard.json").read_text(encoding="utf-8"))["rows"]
CELLS = {row["variant"]: row for row in LOG if row["seed"] is None}
PAIRS = [
    MinimalPair(paradigm, phenomenon, good, bad)
    for paradigm, phenomenon in (("first", "agreement"), ("second", "islands"))
    for good, bad in (
        ("The children were in the garden.", "The children was in the garden."),
        ("The men were in the city.", "The men was in the city."),
        ("She sees the river.", "She sees the river."),  # a tie
    )
]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A few pairs, and a cache of its own."""
    monkeypatch.setattr(blimp, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(blimp, "pairs", lambda: PAIRS)
    return tmp_path


# -- BLiMP -------------------------------------------------------------------------------------------------------------


def test_accuracies_of_a_score_that_is_known(toy, monkeypatch):
    score = lambda texts: [float("were" in text) for text in texts]  # noqa: E731
    monkeypatch.setattr(blimp, "scorer", lambda *_: score)
    monkeypatch.setattr(blimp, "SAMPLE", 1)
    values = blimp.measure("minibert-small", None)
    assert values["score"] == pytest.approx(2.5 / 3, abs=1e-4)
    assert values["phenomena"] == pytest.approx({"agreement": 0.8333, "islands": 0.8333})
    assert list(values["paradigms"]) == ["first", "second"]
    assert (values["pairs"], values["ties"]) == (6, 2)
    assert values["sample"] == blimp.sampled("minibert-small", None)["sample"]


def test_a_run_that_was_stopped_goes_on(toy, monkeypatch):
    asked = []

    def score(texts):
        if asked and asked[0] != "again":
            raise KeyboardInterrupt
        asked.append(texts[0])
        return [float("were" in text) for text in texts]

    monkeypatch.setattr(blimp, "scorer", lambda *_: score)
    with pytest.raises(KeyboardInterrupt):
        blimp.measure("minibert-small", None)
    assert len(list(blimp.CACHE.iterdir())) == 1
    asked[:] = ["again"]
    blimp.measure("minibert-small", None)
    assert len(asked) == 2 and len(list(blimp.CACHE.iterdir())) == 2
    blimp.measure("untrained", 0)  # another row is measured anew
    assert len(list(blimp.CACHE.iterdir())) == 4


def test_the_untrained_control_is_the_same_model_with_weights_of_the_seed(toy, monkeypatch):
    texts = [pair.good for pair in PAIRS]
    rows = {
        (who, seed): blimp.scorer(who, seed)(texts)
        for who, seed in (("minibert-small", None), ("untrained", 0), ("untrained", 1))
    }
    again = blimp.scorer("untrained", 0)(texts)
    assert rows["untrained", 0] == again and rows["untrained", 0] != rows["untrained", 1]
    assert sum(rows["minibert-small", None]) > sum(again) / 2  # it finds English more probable


def test_the_unigram_guess_counts_tokens(tmp_path, monkeypatch):
    import lzma

    path = tmp_path / "train-00.jsonl.xz"
    monkeypatch.setattr(blimp, "TEXT", path)
    blimp.unigram.cache_clear()
    with pytest.raises(ValueError, match="there is no train-00.jsonl.xz"):
        blimp.unigram()
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.write('{"text": "the the the river"}\n{"text": "the river"}\n')
    score = blimp.unigram()
    size = blimp.tokenizer().vocab_size + 6
    found = [5 / size, 5 / size * 3 / size, 1 / size]
    assert score(["the", "the river", "garden"]) == pytest.approx(
        torch.tensor(found).log().tolist()
    )
    blimp.unigram.cache_clear()


def test_published_accuracies_are_those_of_the_paper(needs_shared_data):
    """Table 3 of Warstadt et al. 2020."""
    for name, percent in (("ngram", 61.2), ("lstm", 69.8), ("txl", 69.6), ("gpt2", 83.0)):
        assert blimp.published(name)["score"] * 100 == pytest.approx(percent, abs=0.06)
    assert blimp.published("gpt2")["phenomena"]["island_effects"] == pytest.approx(0.727, abs=1e-3)


# -- CoLA --------------------------------------------------------------------------------------------------------------


def test_the_set_is_whole(needs_shared_data):
    data = cola.cola()
    assert [len(data.train), len(data.dev), len(data.test)] == [7695, 856, 527]
    assert data.test[0] == TextExample(
        "The sailors rode the breeze clear of the rocks.", label="acceptable"
    )
    share = sum(example.label == "acceptable" for example in data.test) / 527
    assert share == pytest.approx(0.6926, abs=1e-4)
    assert not {id(one) for one in data.train} & {id(one) for one in data.dev}


def test_matthews_correlation_of_a_table():
    """(tp · tn - fp · fn) / √(…), counted: 6 · 3 - 1 · 2 over √(7 · 8 · 4 · 5)."""
    bad, good = cola.LABELS
    found = [good] * 6 + [bad] * 3 + [good] + [bad] * 2
    expected = [good] * 6 + [bad] * 3 + [bad] + [good] * 2
    assert cola.matthews(found, expected) == pytest.approx(16 / (7 * 8 * 4 * 5) ** 0.5)
    assert cola.matthews([good] * 12, expected) == 0


@pytest.fixture
def sentences(toy, monkeypatch):
    def some(count):
        return [
            TextExample(f"{text} {number}", label=label)
            for number in range(count)
            for text, label in (("the cat sat", cola.LABELS[1]), ("cat the sat", cola.LABELS[0]))
        ]

    data = cola.Cola(some(12), some(4), some(5))
    monkeypatch.setattr(cola, "cola", lambda: data)
    monkeypatch.setattr(cola, "EPOCHS", 6)
    return data


def test_a_model_learns_the_word_order(sentences):
    values = cola.measure("minibert-small", 1e-3, 0)
    assert values["score"] == 1 == values["accuracy"] and values["dev"] == 1
    assert 1 <= values["epoch"] <= 6 and values["steps"] == 6


def test_what_a_run_starts_from(sentences, monkeypatch):
    starts = []

    def finetune(run, dev):
        starts.append((run, dev))
        raise KeyboardInterrupt

    monkeypatch.setattr(cola, "finetune", finetune)
    for who, seed in (("minibert-small", 0), ("untrained", 0), ("untrained", 1)):
        with pytest.raises(KeyboardInterrupt):
            cola.measure(who, 2e-4, seed)
    shipped = blimp.from_pretrained("minibert-small").bert.embeddings.word_embeddings.weight
    tables = [run.model.bert.embeddings.word_embeddings.weight for run, _ in starts]
    assert torch.equal(tables[0], shipped) and not torch.equal(tables[1], shipped)
    assert not torch.equal(tables[1], tables[2])
    assert all(run.options.learning_rate == 2e-4 and dev is sentences.dev for run, dev in starts)
    assert starts[0][0].options == starts[1][0].options  # the same recipe


def test_controls_of_cola(sentences):
    majority = cola.control("majority")
    assert majority["score"] == 0 and majority["accuracy"] == 0.5
    assert cola.control("bag of words")["score"] == 1  # pairs of neighbours tell the orders apart


# -- the table ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def board(toy, monkeypatch):
    """A scoreboard that measures nothing: returns it for groups, with the rows of an old log."""
    monkeypatch.setattr(
        blimp,
        "measure",
        lambda who, seed, device: {"score": 0.1 * (seed or 0), "phenomena": {"a": seed or 0.0}},
    )
    best = {"minibert-small": 2e-4, "untrained": 1e-3}
    monkeypatch.setattr(
        cola,
        "measure",
        lambda who, rate, seed, device: {"dev": float(rate == best[who]), "score": rate + seed},
    )
    monkeypatch.setattr(cola, "control", lambda who: {"score": 0.25})
    monkeypatch.setattr(blimp, "published", lambda name: {"score": 0.7})
    return lambda only=tuple(scoreboard.GROUPS), checking=False, old=(): scoreboard.Scoreboard(
        list(only), checking, "cpu", list(old)
    )


def test_cells_are_means_and_ranges(board):
    some = board()
    rows = {row: some.measure(*row) for row in some.rows()}
    assert list(rows) == scoreboard.ROWS
    untrained = rows["BLiMP, untrained", None]
    assert untrained == {
        "score": 0.1, "low": 0.0, "high": 0.2, "runs": 3, "phenomena": {"a": 1.0},
    }  # fmt: skip
    for who, rate in (("minibert-small", 2e-4), ("untrained", 1e-3)):
        found = rows[f"CoLA, {who}", None]
        assert found["learning_rate"] == rate and found["runs"] == 3
        assert found["score"] == pytest.approx(rate + 1, abs=1e-4)
    for cell, log_name, variant in (
        ("TREC, untrained", "equal_search", "TREC, untrained, chosen"),
        ("WNUT17, MiniLM", "finetuning", "WNUT17, MiniLM"),
    ):
        tests = [row["test"] for row in scoreboard.read_rows(log_name, variant)]
        assert rows[cell, None]["low"] == min(tests)
        assert rows[cell, None]["score"] == pytest.approx(sum(tests) / len(tests), abs=1e-4)
    assert rows["BLiMP, LSTM", None]["words"] == "83 million"


def test_one_group_keeps_the_others_as_they_are(board):
    old = [
        {"variant": "CoLA, majority", "seed": None, "score": 0.5, "seconds": 3},
        {"variant": "BLiMP, minibert-small", "seed": None, "score": 0.5, "seconds": 3},
    ]
    some = board(only=["blimp"], old=old)
    assert some.rows() == [*scoreboard.GROUPS["blimp"], ("CoLA, majority", None)]
    assert some.measure("CoLA, majority", None) == {"score": 0.5}
    assert some.measure("BLiMP, minibert-small", None)["score"] == 0.0  # measured


def test_a_check_leaves_out_what_costs_hours(board, monkeypatch):
    monkeypatch.setattr(blimp, "sampled", lambda who, seed, device: {"sample": 0.4})
    old = [{"variant": name, "seed": seed} for name, seed in scoreboard.ROWS]
    some = board(checking=True, old=old)
    rows = some.rows()
    assert ("BLiMP, minibert-small", None) in rows and ("CoLA, bag of words", None) in rows
    assert not {row for row in rows if row[1] is not None or row[0] in scoreboard.NOT_CHECKED}
    assert some.measure("BLiMP, minibert-small", None) == {"sample": 0.4}


def test_the_command_writes_the_log_and_checks_it(board, toy, monkeypatch, capsys):
    (toy / "logs").mkdir()
    for name in ("finetuning", "shipped"):
        (toy / "logs" / f"{name}.json").write_text((log.LOGS / f"{name}.json").read_text("utf-8"))
    monkeypatch.setattr(log, "LOGS", toy / "logs")
    monkeypatch.setattr(log, "ROOT", toy)
    monkeypatch.setattr(scoreboard, "BANDS", {"CoLA, majority": {"score": (0, 0.3)}})
    assert scoreboard.main(["--only", "logs"]) == 0
    path = toy / "logs" / "scoreboard.json"
    assert len(json.loads(path.read_text())["rows"]) == len(scoreboard.GROUPS["logs"])
    assert scoreboard.main(["--only", "cola"]) == 0
    written = json.loads(path.read_text())["rows"]
    assert len(written) == len(scoreboard.GROUPS["logs"]) + len(scoreboard.GROUPS["cola"])
    before = path.read_text()
    assert scoreboard.main(["--check"]) == 0 and path.read_text() == before
    path.write_text(before.replace('"score": 0.25', '"score": 0.29'))
    assert scoreboard.main(["--check"]) == 1 and "OUTSIDE" in capsys.readouterr().out


# -- the committed log -------------------------------------------------------------------------------------------------


def test_every_row_of_the_log_is_known_and_whole_groups_are_there():
    rows = [(row["variant"], row["seed"]) for row in LOG]
    assert len(set(rows)) == len(rows) and set(rows) <= set(scoreboard.ROWS)
    for name, group in scoreboard.GROUPS.items():
        held = [row for row in group if row in rows]
        assert held == group or (name in ("blimp", "cola") and not held), name


def test_copied_cells_are_those_of_the_other_logs():
    for variant, _ in scoreboard.GROUPS["logs"]:
        made = scoreboard.Scoreboard(["logs"], False, "cpu", []).measure(variant, None)
        assert made.items() <= CELLS[variant].items(), variant


def test_published_results_have_their_source_and_agree_with_the_file():
    works = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    for variant, _ in scoreboard.GROUPS["published"]:
        assert f"url = {{{CELLS[variant]['source']}}}" in works, variant
        assert 0 <= CELLS[variant]["score"] <= 1
