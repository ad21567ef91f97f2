"""The benchmark of pretraining's trend: which models it trains, and what they learn."""

import sys

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import finetuning
import norms
import trend


def test_each_budget_is_pretrained_once_and_learns_every_set(tmp_path, monkeypatch):
    trained, learned = [], []

    def train(variant, seed, kept, steps, model):
        trained.append((variant, seed, steps))
        model.mkdir(parents=True)

    def learn(recipe, seed):
        learned.append((recipe.data, recipe.encoder, recipe.options, seed))
        return {"test": 0.5}

    monkeypatch.setattr(norms, "CACHE", tmp_path / "pretrained")
    monkeypatch.setattr(finetuning, "CACHE", tmp_path / "learned")
    monkeypatch.setattr(norms, "train", train)
    monkeypatch.setattr(finetuning, "checking", False)  # its own test leaves it on
    monkeypatch.setattr(finetuning, "learned", learn)
    monkeypatch.setattr(trend, "BUDGETS", trend.BUDGETS | {"20M tokens": 2400})
    rows = [trend.measure(variant, seed) for variant, seed in trend.rows()]
    assert {row["test"] for row in rows} == {0.5}
    assert trained == [("post-norm", 0, steps) for steps in (800, 2400)]
    folders = [str(tmp_path / "pretrained" / f"post-norm, {steps} steps") for steps in (800, 2400)]
    assert learned == [
        (name, folder, finetuning.SMALL_OPTIONS[name], seed)
        for folder in folders
        for name in finetuning.SETS
        for seed in finetuning.SEEDS
    ]
    assert rows == [trend.measure(variant, seed) for variant, seed in trend.rows()]
    assert len(learned) == len(rows)  # what is kept is not learned again
