"""`minibert evaluate`."""

import json

import pytest

from minibert import BertForMaskedLM, BertModel

# The tiny model prefers "sat" to any other token, and "cat" to the rest.
GROUPS = {
    "first": ("agreement", "the sat", "the dog"),
    "second": ("agreement", "the ran", "the sat"),
    "third": ("island_effects", "the cat", "the ran"),
}


@pytest.fixture
def blimp(tmp_path):
    folder = tmp_path / "blimp"
    folder.mkdir()
    for name, (phenomenon, good, bad) in GROUPS.items():
        row = {"UID": name, "linguistics_term": phenomenon}
        row |= {"sentence_good": good, "sentence_bad": bad}
        (folder / f"{name}.jsonl").write_text((json.dumps(row) + "\n") * 4)
    return folder


def test_a_line_for_each_phenomenon_and_the_total(run, saved, blimp):
    status, out, _ = run("evaluate", saved(BertForMaskedLM), "--blimp", blimp)
    rows = [line.split() for line in out.splitlines()]
    assert status == 0 and rows[0] == ["phenomenon", "paradigms", "accuracy"]
    assert rows[1] == ["agreement", "2", "0.500"]
    assert rows[2] == ["island", "effects", "1", "1.000"]
    assert rows[3] == ["all", "3", "0.667"] and out.count("\n") == 5
    assert "12 pairs; all is the mean over paradigms; a random choice gets 0.5" in out


def test_names_are_set_apart_and_command_no_terminal(run, saved, blimp):
    row = {"UID": "x", "linguistics_term": "\x1b[31mred\nx"}
    row |= {"sentence_good": "the sat", "sentence_bad": "the dog"}
    for path in blimp.iterdir():
        path.unlink()
    (blimp / "x.jsonl").write_text(json.dumps(row) + "\n")
    status, out, _ = run("evaluate", saved(BertForMaskedLM), "--blimp", blimp)
    rows = out.splitlines()
    assert status == 0 and rows[0] == "phenomenon  paradigms  accuracy"
    assert rows[1].split() == ["[31mred", "x", "1", "1.000"] and len(rows) == 4


def test_a_paradigm_belongs_to_one_phenomenon(run, saved, blimp):
    path = blimp / "first.jsonl"
    row = json.loads(path.read_text().splitlines()[0]) | {"linguistics_term": "island_effects"}
    path.write_text(path.read_text() + json.dumps(row) + "\n")
    status, out, err = run("evaluate", saved(BertForMaskedLM), "--blimp", blimp)
    assert status == 2 and not out and err.count("\n") == 1
    assert (
        "'first' belongs to one phenomenon, but its pairs name 'agreement' and 'island_eff" in err
    )


def test_json_and_limit(run, saved, blimp):
    folder = saved(BertForMaskedLM)
    status, out, _ = run(
        "evaluate", folder, "--blimp", blimp, "--json", "--limit", "2", "--seed", "3"
    )
    found = json.loads(out)
    assert status == 0 and found["paradigms"] == {"first": 1.0, "second": 0.0, "third": 1.0}
    assert found["phenomena"] == {"agreement": 0.5, "island_effects": 1.0}
    assert found["accuracy"] == pytest.approx(2 / 3) and found["pairs"] == 6
    assert (found["limit"], found["seed"], found["within_word"]) == (2, 3, False)
    assert found["model"] == str(folder)


def test_options_reach_the_model(run, saved, blimp, monkeypatch):
    asked = {}

    def score(model, tokenizer, texts, *, within_word, progress):
        asked.update(within_word=within_word, progress=progress, texts=len(texts))
        raise KeyboardInterrupt

    monkeypatch.setattr("minibert.inference.minimal_pairs.score_sentences", score)
    monkeypatch.setattr("torch.set_num_threads", lambda count: asked.update(threads=count))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    folder = saved(BertForMaskedLM)
    argv = ("--within-word", "--threads", "1", "--device", "cpu")
    assert run("evaluate", folder, "--blimp", blimp, *argv)[0] == 130
    assert asked == {"within_word": True, "progress": True, "texts": 24, "threads": 1}


def test_bad_input(run, saved, tmp_path, blimp):
    folder = saved(BertForMaskedLM)
    status, out, err = run("evaluate", folder, "--blimp", tmp_path / "nowhere")
    assert status == 2 and not out and "there is no folder" in err and err.count("\n") == 1
    (blimp / "first.jsonl").write_text("{}\n")
    status, out, err = run("evaluate", folder, "--blimp", blimp)
    assert status == 2 and not out and "first.jsonl, line 1: expected a text under 'UID'" in err
    assert run("evaluate", folder, "--blimp", blimp, "--limit", "0")[0] == 2


def test_a_model_without_the_head_is_refused(run, saved, blimp):
    status, out, err = run("evaluate", saved(BertModel), "--blimp", blimp)
    assert status == 2 and not out and "has no masked-language-model head" in err
