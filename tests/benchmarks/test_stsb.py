"""The STS benchmark and the log that every benchmark shares: what passes, what fails, and what the error says."""

import gzip
import json
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import log
import stsb

BANDS = {"ours": {"score": (0.7, 0.9)}}
ROWS = [("ours", None), ("control", 0), ("control", 1)]


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A benchmark whose values can be set; returns a function that runs it with a command line."""
    monkeypatch.setattr(log, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(log, "ROOT", tmp_path)
    path = tmp_path / "toy.py"
    path.write_text("# a benchmark")
    values = {"ours": 0.8, "control": 0.3}
    asked = []

    def measure(variant, seed):
        asked.append((variant, seed))
        return {"score": values[variant]}

    def run(*argv):
        asked.clear()
        return log.run(str(path), "a toy", measure, ROWS, BANDS, tolerance=0.01, argv=list(argv))

    run.values, run.asked, run.log = values, asked, tmp_path / "logs" / "toy.json"
    return run


def test_a_log_says_all_that_is_needed_to_repeat_it(script):
    assert script() == 0
    written = json.loads(script.log.read_text())
    assert written["command"] == "python benchmarks/toy.py" and written["benchmark"] == "a toy"
    assert [(row["variant"], row["seed"], row["score"]) for row in written["rows"]] == [
        ("ours", None, 0.8),
        ("control", 0, 0.3),
        ("control", 1, 0.3),
    ]
    assert len(written["code"]["sha256"]) == 64 and "toy.py" in written["code"]["files"]
    assert {"cores", "threads", "processor"} <= written["machine"].keys() and {
        "python",
        "torch",
    } <= written["versions"].keys()
    assert written["bands"] == {"ours": {"score": [0.7, 0.9]}} and "seconds" in written


def test_check_makes_one_seed_of_each_variant(script, capsys):
    script()
    assert script("--check") == 0 and script.asked == [("ours", None), ("control", 0)]
    assert "within its bands" in capsys.readouterr().out


def test_check_fails_where_a_value_has_moved(script, capsys):
    script()
    before = script.log.read_bytes()
    script.values["control"] = 0.32
    assert script("--check") == 1
    assert "control, seed 0: score is 0.32, the log has 0.3" in capsys.readouterr().out
    assert script.log.read_bytes() == before


def test_a_run_outside_its_band_writes_nothing(script, capsys):
    script.values["ours"] = 0.69
    assert script() == 1 and not script.log.exists()
    assert "ours, seed None: score 0.69 is not between 0.7 and 0.9" in capsys.readouterr().out


def test_changed_code_is_said_but_no_failure(script, tmp_path, capsys):
    script()
    (tmp_path / "toy.py").write_text("# another benchmark")
    assert script("--check") == 0 and "the code has changed" in capsys.readouterr().out


def test_check_without_a_log_is_status_2(script, capsys):
    assert script("--check") == 2 and "toy.json" in capsys.readouterr().err


def test_the_test_set_from_a_file(tmp_path):
    path = tmp_path / "sts.csv.gz"
    path.write_bytes(gzip.compress(b'"One, two",three,2.5\n"a ""b""",c,0\n'))
    assert stsb.load(path) == [("One, two", "three", 2.5), ('a "b"', "c", 0.0)]


def test_the_test_set_from_the_datasets_library(tmp_path, monkeypatch):
    fake = types.ModuleType("datasets")
    fake.load_dataset = lambda name, split: [{"sentence1": name, "sentence2": split, "score": 0.5}]
    monkeypatch.setitem(sys.modules, "datasets", fake)
    assert stsb.load(tmp_path / "absent.csv.gz") == [("sentence-transformers/stsb", "test", 2.5)]
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(
        ValueError, match=r"no file absent.csv.gz at .*ModuleNotFoundError.*pip install datasets"
    ):
        stsb.load(tmp_path / "absent.csv.gz")


def test_words_in_common():
    assert stsb._words_in_common("A cat, a dog.", "a CAT", "word overlap") == pytest.approx(2 / 3)
    assert stsb._words_in_common("A cat, a dog.", "a CAT", "bag of words") == pytest.approx(
        2 / 6**0.5
    )
    assert stsb._words_in_common("", "", "word overlap") == 0


def test_the_committed_log_reaches_the_published_figure():
    rows = json.loads((ROOT / "benchmarks" / "logs" / "stsb.json").read_text())["rows"]
    by_variant = {}
    for row in rows:
        by_variant.setdefault(row["variant"], []).append(row["spearman"])
        assert row["pairs"] == 1379
    assert by_variant["MiniLM"] == [pytest.approx(0.820, abs=0.001)]
    assert (
        len(by_variant["untrained"]) == 3
        and max(by_variant["untrained"]) < 0.5 < by_variant["bag of words"][0] < 0.6
    )
    assert (
        len(by_variant["untrained, MiniLM's scales"]) == 3
        and max(by_variant["untrained, MiniLM's scales"])
        < by_variant["static vectors"][0]
        < by_variant["word overlap"][0]
    )


@pytest.mark.slow
def test_the_benchmark_can_be_repeated(needs_shared_data, needs_minilm, capsys):
    assert stsb.main(["--check"]) == 0, capsys.readouterr().out
