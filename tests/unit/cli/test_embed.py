"""`minibert embed`."""

import io
import json
import sys

import numpy
import pytest
import torch

from minibert import BertForPreTraining, BertModel, WordPieceTokenizer, from_pretrained
from minibert.inference.sentence_embeddings import embed

TEXTS = ["the cat sat", "the dog ran"]


@pytest.mark.parametrize("model_class", [BertModel, BertForPreTraining])
def test_vectors_as_json_text_and_file(model_class, run, saved, tmp_path):
    """All three forms hold the same vectors, those of `embed`."""
    folder = saved(model_class)
    bert, tokenizer = from_pretrained(folder, BertModel), WordPieceTokenizer.from_pretrained(folder)
    expected = embed(bert, tokenizer, TEXTS)
    status, out, err = run("embed", *TEXTS, "--model", folder, "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and not err and [row["text"] for row in rows] == TEXTS
    torch.testing.assert_close(torch.tensor([row["vector"] for row in rows]), expected)
    _, out, _ = run("embed", *TEXTS, "--model", folder)
    torch.testing.assert_close(
        torch.tensor(numpy.loadtxt(out.splitlines()), dtype=torch.float32), expected
    )
    status, out, _ = run("embed", *TEXTS, "--model", folder, "--out", tmp_path / "v.npy")
    assert status == 0 and out == f"{tmp_path / 'v.npy'}: 2 vectors of 8 numbers\n"
    torch.testing.assert_close(torch.from_numpy(numpy.load(tmp_path / "v.npy")), expected)


@pytest.mark.parametrize("source", ["file", "standard input"])
def test_texts_of_a_file(source, run, saved, tmp_path, monkeypatch):
    folder, data = saved(BertModel), "\ufeffthe cat sat\r\nthe dog ran\n\n".encode()
    (tmp_path / "lines.txt").write_bytes(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    name = tmp_path / "lines.txt" if source == "file" else "-"
    found = run("embed", "--file", name, "--model", folder)
    assert found == run("embed", *TEXTS, "--model", folder) and found[0] == 0


def test_a_row_for_each_line_whatever_is_in_it(run, saved, tmp_path):
    """A form feed and the like end no line, and a blank line is named."""
    folder, file = saved(BertModel), tmp_path / "lines.txt"
    texts = ["the cat\fsat", "the\x85dog", "a\u2028dog\rran"]
    file.write_bytes("\n".join(texts).encode())
    found = run("embed", "--file", file, "--model", folder)
    assert found == run("embed", *texts, "--model", folder) and found[1].count("\n") == 3
    file.write_bytes(b"the cat sat\n \r\nthe dog ran\n")
    status, out, err = run("embed", "--file", file, "--model", folder)
    assert (status, out) == (2, "") and f"{file}, line 2: the line is blank" in err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "give texts, or --file FILE (not both)"),
        (["a", "--file", "b"], "give texts, or --file FILE (not both)"),
        (["a", " "], "text 2 is empty"),
        (["a", "\u200b", "--model", "MODEL"], "texts[1] has no tokens: '\\u200b'"),
        (["\udcff", "--model", "MODEL"], "a byte that is not UTF-8"),
        (["--file", "nowhere.txt"], "cannot read --file nowhere.txt: No such file"),
        (["a", "--out", "vectors.txt"], "--out must end in .npy"),
        (["a", "--model", "./nowhere"], "no folder './nowhere'"),
        (["cat", "--out", "no/such/folder/v.npy", "--model", "MODEL"], "No such file or directory"),
    ],
)
def test_bad_input(argv, message, run, saved):
    folder = saved(BertModel)
    status, out, err = run("embed", *(folder if word == "MODEL" else word for word in argv))
    assert status == 2 and not out and message in err and err.count("\n") == 1


def test_the_texts_are_never_overwritten(run, saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lines.txt").write_text("the cat sat\n")
    (tmp_path / "v.npy").symlink_to("lines.txt")
    status, _, err = run(
        "embed", "--file", "lines.txt", "--out", "v.npy", "--model", saved(BertModel)
    )
    assert status == 2 and "--out v.npy is the file of --file: name another one" in err
    assert (tmp_path / "lines.txt").read_text() == "the cat sat\n"


def test_one_vector_and_a_character_that_commands_a_terminal(run, saved, tmp_path):
    folder = saved(BertModel)
    _, out, _ = run("embed", "a", "--model", folder, "--out", tmp_path / "v.npy")
    assert out.endswith("v.npy: 1 vector of 8 numbers\n")
    _, out, _ = run("embed", "a\x7f", "--model", folder, "--json")
    assert "\x7f" not in out and json.loads(out)["text"] == "a\x7f"


def test_a_disk_that_fills_leaves_the_old_file_as_it_was(run, saved, tmp_path, monkeypatch):
    import numpy

    out = tmp_path / "vectors.npy"
    out.write_text("old")

    def full(file, vectors):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(numpy, "save", full)
    status, _, err = run("embed", "cat", "--model", saved(BertModel), "--out", out)
    assert status == 2 and "cannot be written" in err and err.count("\n") == 1
    assert out.read_text() == "old" and not list(tmp_path.glob(".*"))
