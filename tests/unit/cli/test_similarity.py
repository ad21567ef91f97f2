"""`minibert similarity`."""

import io
import sys

import pytest


def test_similarity_of_texts_closest_first(run):
    status, out, _ = run("similarity", "Stocks fell.", "The cat sleeps.", "A kitten is dozing.")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and len(rows) == 3
    assert rows[0][1:] == ["The cat sleeps.", "A kitten is dozing."] and float(rows[0][0]) > 0.4
    assert all(abs(float(row[0])) < 0.2 for row in rows[1:])


@pytest.mark.parametrize("source", ["file", "standard input"])
def test_similarity_of_pairs_in_their_order(source, run, tmp_path, monkeypatch):
    data = (
        "\ufeffStocks fell.\tThe cat sleeps.\r\nThe cat sleeps.\tA kitten is dozing.\n\n".encode()
    )
    path = tmp_path / "pairs.tsv"
    path.write_bytes(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    status, out, _ = run("similarity", "--pairs", path if source == "file" else "-")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and [row[1] for row in rows] == ["Stocks fell.", "The cat sleeps."]
    assert float(rows[0][0]) < 0.2 < 0.4 < float(rows[1][0])


@pytest.mark.parametrize(
    "data, message",
    [
        (
            b"one\ttwo\nonly one\n",
            "line 2: expected two texts with one tab between them, found 1 in 'only one'",
        ),
        (b"a\tb\tc\n", "line 1: expected two texts with one tab between them, found 3"),
        (b"a\tb\nc\t \n", "line 2: one of the two texts is empty"),
        (b"\n\n", "contains no text"),
        (b"caf\xe9\tb\n", "is not UTF-8 text: byte 3 is 0xe9"),
    ],
)
def test_a_wrong_file_of_pairs(data, message, run, tmp_path):
    (tmp_path / "pairs.tsv").write_bytes(data)
    status, _, err = run("similarity", "--pairs", tmp_path / "pairs.tsv")
    assert status == 2 and message in err and err.count("\n") == 1
