"""From a run of train-sentences to the encoder inside the package, in a copy of the few files that shipping touches."""

import json
from dataclasses import replace

import pytest
import torch
from reference import draw_weights, small_config

from minibert import BertModel, WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.hub.atomic_io import sha256
from minibert.hub.find_pretrained import SENTENCES, SMALL
from tools import ship_sentences

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(56))]


@pytest.fixture
def root(tmp_path):
    hub = tmp_path / "minibert" / "hub"
    (hub / "pretrained" / SMALL).mkdir(parents=True)
    (hub / "find_pretrained.py").write_text('DIGESTS = {SMALL: "12",\n           SENTENCES: ""}\n')
    for name in ("LICENSE", "CREDITS.md"):
        (hub / "pretrained" / SMALL / name).write_text(f"{name}: whose text minibert-small read")
    (tmp_path / "benchmarks" / "logs").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def run_folder(tmp_path):
    """A finished run as `minibert train-sentences` leaves it."""
    path = tmp_path / "run"
    model = draw_weights(BertModel(replace(small_config(), norm_first=True))).eval()
    tokenizer = WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})
    save_pretrained(model, path / "model", tokenizer)
    record = {
        "settings": {
            "corpus": ["/home/me/texts/corpus"],
            "options": {"steps": 20, "batch_size": 8, "held_out": 5},
        },
        "sources": {"/home/me/texts/corpus/train.jsonl": "ab"},
        "sessions": [
            {"command": "/usr/bin/minibert train-sentences --out /home/me/run"},
            {"command": "/usr/bin/minibert train-sentences --out /home/me/run --resume"},
        ],
        "config": {},
        "digests": {},
    }
    (path / "run.json").write_text(json.dumps(record))
    (path / "texts.txt").write_text("one\ntwo\nthree\n")
    held_out = {"spearman": 0.5, "cosine": 0.75}
    steps = [{"step": step, "loss": 0.5} for step in (10, 15, 20)]
    steps[2]["held_out"] = steps[0]["held_out"] = held_out
    (path / "log.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))
    return path


def test_a_run_becomes_the_packages_encoder(root, run_folder, capsys):
    ship_sentences.ship(run_folder, root)
    target = root / "minibert" / "hub" / "pretrained" / SENTENCES
    shipped, model = from_pretrained(target), from_pretrained(run_folder / "model")
    for name, tensor in shipped.state_dict().items():
        assert torch.equal(tensor, model.state_dict()[name].half().float())
    assert (target / "CREDITS.md").read_text() == "CREDITS.md: whose text minibert-sentences read"
    digest = sha256(target / "model.safetensors")
    hub = (root / "minibert" / "hub" / "find_pretrained.py").read_text()
    assert f'SENTENCES: "{digest}"' in hub and 'SMALL: "12"' in hub
    log = json.loads((root / ship_sentences.RUN_LOG).read_text())
    assert [record["step"] for record in log["curve"]] == [10, 20] and log["texts"] == 3
    assert log["sources"] == {"train.jsonl": "ab"} and "/home/me" not in json.dumps(log)
    assert capsys.readouterr().out.startswith("shipped: minibert/hub/pretrained/minibert-sent")


def test_the_card_is_made_of_both_logs(root, run_folder):
    ship_sentences.ship(run_folder, root)
    rows = [("untrained", 0.74), ("untrained", 0.76), ("bag of words", 0.528)]
    rows = [{"variant": variant, "spearman": score} for variant, score in rows]
    (root / ship_sentences.MEASURED).write_text(json.dumps({"rows": rows}))
    blocks = ship_sentences.card_blocks(root)
    assert (
        "| mean vectors of its untrained control | 0.750 | 0.740 to 0.760 | 2 |"
        in blocks["results"]
    )
    assert "| bag of words | 0.528 |  | 1 |" in blocks["results"]
    assert blocks["recipe"].startswith("    minibert train-sentences --out run\n\n20 steps of 8")
    assert "--resume" not in blocks["recipe"] and "0.750 on 5 texts" in blocks["recipe"]


def test_what_cannot_be_shipped(root, run_folder, monkeypatch):
    monkeypatch.setattr(ship_sentences, "LIMIT", 100)
    with pytest.raises(ValueError, match="at most 100 are shipped"):
        ship_sentences.ship(run_folder, root)
    with pytest.raises(ValueError, match="is no finished run"):
        ship_sentences.ship(root, root)
