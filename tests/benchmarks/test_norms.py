"""The benchmark of the norms' place, as two steps of a tiny model on a few texts."""

import json
import lzma
import sys

import pytest

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import norms as benchmark


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A corpus of a few texts, and a recipe of two steps."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name in ("train-00", "valid"):
        texts = [
            {
                "text": f"The {what} stood by the {name} river. It was very old. Nobody had ever painted it. "
                * 8
            }
            for what in ("house", "mill", "bridge", "church")
        ]
        (corpus / f"{name}.jsonl.xz").write_bytes(
            lzma.compress("\n".join(map(json.dumps, texts)).encode())
        )
    monkeypatch.setattr(benchmark, "CORPUS", corpus)
    monkeypatch.setattr(benchmark, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(benchmark, "STEPS", 2)
    monkeypatch.setattr(benchmark, "POINTS", 2)
    recipe = benchmark.RECIPE.replace("--preset mini", "--preset teaching")
    for option, size in (("--batch-size", 64), ("--micro-batch", 32)):
        recipe = recipe.replace(f"{option} {size}", f"{option} 4")
    monkeypatch.setattr(benchmark, "RECIPE", recipe)
    return tmp_path


def test_both_runs_are_alike_but_for_their_norms(small, monkeypatch):
    rows = {variant: benchmark.measure(variant, 0) for variant in benchmark.VARIANTS}
    assert (
        rows["pre-norm"]["mlm_loss"] != rows["post-norm"]["mlm_loss"]
        and rows["pre-norm"]["unigram_loss"] == rows["post-norm"]["unigram_loss"]
    )
    assert all(
        len(row["points"]) == 2 and row["points"][-1] == row["mlm_loss"] for row in rows.values()
    )
    monkeypatch.setattr(benchmark, "train", None)  # what is kept is not made again
    assert rows == {variant: benchmark.measure(variant, 0) for variant in benchmark.VARIANTS}


def test_without_the_corpus_it_says_so(small, monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "CORPUS", small / "elsewhere" / "corpus")
    assert benchmark.main([]) == 2
    assert (
        "the corpus is read from elsewhere/corpus beside the repository, which is not there"
        in capsys.readouterr().err
    )
