"""`minibert search`."""

import json
import os

import pytest

from minibert import BertModel
from minibert.inference.passage_cache import cache_root


@pytest.fixture
def notes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("The cat sat.\n\nThe dog\nran.\n")
    (folder / "b.md").write_text("# Title\n\nThe dog ran ran ran.\n")
    return folder


def test_passages_with_file_lines_and_score(run, saved, notes):
    status, out, err = run("search", notes, "the dog", "--model", saved(BertModel), "--top", 1)
    head, *text = out.splitlines()
    assert status == 0 and err == "minibert search: 2 passages in 2 files, 2 of them read anew\n"
    score, place = head.split("  ")
    assert -1 <= float(score) <= 1
    assert (place, text) in [
        (f"{notes / 'a.txt'}:1-4", ["    The cat sat. The dog ran."]),
        (f"{notes / 'b.md'}:3", ["    The dog ran ran ran."]),
    ]


@pytest.mark.parametrize("given", ["", "cache", "./cache"])
def test_a_cache_folder_that_is_not_absolute_is_ignored(given, tmp_path, monkeypatch):
    """As the specification of XDG_CACHE_HOME says."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    assert cache_root() == tmp_path / ".cache" / "minibert" / "search"


def test_json_and_the_second_search(run, saved, notes, tmp_path):
    model = saved(BertModel)
    _, first, _ = run("search", notes, "the dog", "--model", model, "--json")
    status, again, err = run("search", notes, "the dog", "--model", model, "--json")
    rows = [json.loads(line) for line in again.splitlines()]
    assert status == 0 and again == first and "0 of them read anew" in err
    assert {*rows[0]} == {"score", "file", "line", "end_line", "text"}
    assert [row["score"] for row in rows] == sorted((r["score"] for r in rows), reverse=True)
    assert {(row["line"], row["end_line"]) for row in rows} == {(1, 4), (3, 3)}
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(kept) == 2 and {path.suffix for path in kept} == {".safetensors"}
    kept[0].write_bytes(b"damaged")
    status, out, err = run("search", notes, "the dog", "--model", model, "--json")
    assert status == 0 and out == first and "damaged" in err and "1 of them read anew" in err


def test_without_a_cache_nothing_is_written(run, saved, notes, tmp_path):
    status, _, err = run("search", notes, "cat", "--model", saved(BertModel), "--no-cache")
    assert status == 0 and "2 of them" in err and not (tmp_path / "cache").exists()


def test_what_was_left_out_is_said(run, saved, notes):
    (notes / "c.txt").write_bytes(b"\x00")
    status, out, err = run("search", notes, "cat", "--model", saved(BertModel))
    assert status == 0 and out and "left out: 1 (c.txt); the first: " in err


def test_files_of_another_encoding(run, saved, notes):
    """What is left out says how to read it, and then it is read; the cache does not mix the two up."""
    (notes / "c.txt").write_bytes("Café Noël, the cat.\n".encode("cp1252"))
    for path in ("a.txt", "b.md"):
        (notes / path).unlink()
    for _ in range(2):
        status, _, err = run("search", notes, "cat", "--model", saved(BertModel))
        assert status == 2 and "name its encoding with --encoding" in err
        status, out, err = run(
            "search", notes, "cat", "--model", saved(BertModel), "--encoding", "cp1252"
        )
        assert status == 0 and "Café Noël" in out and "1 passage in 1 file" in err
    assert run("search", notes, "cat", "--model", saved(BertModel), "--encoding", "x")[0] == 2


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nowhere", "a"], "there is no folder 'nowhere'"),
        ([os.devnull, "a"], "is neither a file nor a folder"),
        (["NOTES", "a", "--encoding", "punycode"], "Python knows no text encoding 'punycode'"),
        (["NOTES", " "], "the question is empty"),
        (["NOTES", "a", "--model", "./nowhere"], "no folder './nowhere'"),
        (["NOTES", "a", "--top", "0"], "expected a whole number of at least 1, not '0'"),
    ],
)
def test_bad_input(argv, message, run, saved, notes):
    argv = [notes if word == "NOTES" else word for word in argv]
    model = [] if "--model" in argv else ["--model", saved(BertModel)]
    status, out, err = run("search", *argv, *model)
    assert status == 2 and not out and message in err


def test_a_name_that_would_command_the_terminal_is_shown_without_its_commands(run, saved, notes):
    (notes / "\x1b[31m\u202ered.txt").write_bytes(b"\xff\xff")
    _, _, err = run("search", notes, "the dog", "--model", saved(BertModel), "--top", 1)
    assert "red.txt" in err and not {"\x1b", "\u202e"} & {*err}
