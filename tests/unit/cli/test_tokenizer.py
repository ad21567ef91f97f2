"""`minibert tokenizer`: the vocabulary it writes, what it refuses, and that nothing half is left behind."""

import sys
import tempfile

import pytest

from minibert import WordPieceTokenizer
from minibert.cli import main as cli
from minibert.cli import tokenizer as command
from minibert.hub.new_folder import new_folder
from minibert.pretraining.preparation import SENTENCES_FOR_VOCABULARY
from minibert.tokenization import SPECIAL_TOKENS

TEXT = "The café is old. The cafés are old.\n\n\nOld Cafés stay open. They are open.\n"


@pytest.fixture
def run(capsys):
    """Run `minibert tokenizer` with these arguments; returns its exit status, stdout and stderr."""

    def run(*argv):
        status = cli.main(["tokenizer", *(str(argument) for argument in argv)])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT * 3, encoding="utf-8")
    return path


def test_the_vocabulary_is_the_tokenizers_own(run, text, tmp_path):
    out = tmp_path / "a" / "vocabulary"
    status, told, _ = run("--corpus", text, "--vocab-size", 60, "--out", out)
    sentences = [
        "The café is old.",
        "The cafés are old.",
        "Old Cafés stay open.",
        "They are open.",
    ] * 3
    wanted = WordPieceTokenizer.train(sentences, 60)
    assert (
        status == 0
        and told
        == f"{out / 'vocab.txt'}: {wanted.vocab_size} tokens (not 60: nothing else occurs twice), learned from 12 sentences\n"
    )
    assert sorted(path.name for path in out.iterdir()) == ["tokenizer_config.json", "vocab.txt"]
    found = WordPieceTokenizer.from_pretrained(out)
    assert (
        found.vocab == wanted.vocab
        and found.lowercase
        and list(found.vocab)[:5] == list(SPECIAL_TOKENS)
    )
    assert found.tokenize("Cafés") == ["cafes"]


def test_cased(run, text, tmp_path):
    assert run("--corpus", text, "--cased", "--out", tmp_path / "v")[0] == 0
    found = WordPieceTokenizer.from_pretrained(tmp_path / "v")
    assert (
        not found.lowercase
        and found.tokenize("The Cafés") == ["The", "Cafés"]
        and "the" not in found.vocab
    )


def test_the_first_sentences_only(run, text, tmp_path):
    status, told, _ = run("--corpus", text, "--sentences", 2, "--out", tmp_path / "v")
    assert status == 0 and told.endswith("learned from 2 sentences\n")
    assert "open" not in (tmp_path / "v" / "vocab.txt").read_text(encoding="utf-8").split()


def test_a_sentence_a_line(run, text, tmp_path):
    assert run("--corpus", text, "--sentence-per-line", "--out", tmp_path / "v")[1].endswith(
        "learned from 6 sentences\n"
    )


def test_the_default_corpus(run, tmp_path):
    status, told, _ = run("--out", tmp_path / "v")
    assert status == 0 and "vocab.txt: 8,192 tokens, learned from 17," in told
    tokens = (tmp_path / "v" / "vocab.txt").read_text(encoding="utf-8").split("\n")
    assert (
        {"the", "##ing", "philosophy", "lincoln"} <= set(tokens)
        and tokens[-1] == ""
        and len(tokens) == 8193
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--corpus", "nowhere"], "there is no file or folder 'nowhere'"),
        (["--corpus", "default", "TEXT"], "the corpus 'default' is known by its name: give it"),
        (["--sentence-per-line"], "a sentence per line is a format of .txt files, and not for"),
        (["--corpus", "TEXT", "--vocab-size", "9"], "vocab_size=9 is too small"),
        (["--corpus", "TEXT", "--sentences", "0"], "--sentences must be at least 1, not 0"),
        (["--corpus", "EMPTY"], "blank.txt has no sentence to learn from"),
        (["--corpus", "LONG"], "long.txt has no words of at most 100 characters"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(arguments, message, run, text, tmp_path):
    (tmp_path / "blank.txt").write_text("\n \n", encoding="utf-8")
    (tmp_path / "long.txt").write_text("x" * 101, encoding="utf-8")
    places = {"TEXT": text, "EMPTY": tmp_path / "blank.txt", "LONG": tmp_path / "long.txt"}
    status, told, errors = run(
        *(places.get(argument, argument) for argument in arguments), "--out", tmp_path / "v"
    )
    assert status == 2 and told == "" and not (tmp_path / "v").exists()
    assert (
        errors.startswith("minibert tokenizer: ") and message in errors and errors.count("\n") == 1
    )


@pytest.mark.parametrize("name", ["vocab.txt", "tokenizer.json", "config.json"])
def test_a_vocabulary_or_a_model_is_never_overwritten(name, run, text, tmp_path):
    (tmp_path / name).write_text("precious", encoding="utf-8")
    status, _, errors = run("--corpus", text, "--out", tmp_path)
    assert status == 2 and "is not empty: name a new folder with --out" in errors
    assert (tmp_path / name).read_text(encoding="utf-8") == "precious" and not (
        tmp_path / "tokenizer_config.json"
    ).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_two_commands_do_not_write_into_one_folder(run, text, tmp_path):
    with new_folder(tmp_path / "v"):
        status, _, errors = run("--corpus", text, "--out", tmp_path / "v")
    assert status == 2 and f"another process is at work in {tmp_path / 'v'}" in errors
    assert not (tmp_path / "v").exists()


def test_a_disk_that_is_full_is_told_and_leaves_no_vocabulary(run, text, tmp_path, monkeypatch):
    def full(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("minibert.hub.atomic_io.sync", full)
    status, _, errors = run("--corpus", text, "--out", tmp_path / "v")
    assert (
        status == 2
        and errors
        == f"minibert tokenizer: cannot write the vocabulary to {tmp_path / 'v'}: No space left on device\n"
    )
    assert not (tmp_path / "v").exists()


def test_it_is_written_on_the_disk_that_it_goes_to(run, text, tmp_path, monkeypatch):
    """From another disk, where temporary files may be, nothing can be moved in one stroke."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert run("--corpus", text, "--out", tmp_path / "v")[0] == 0


def test_a_run_learns_its_vocabulary_from_as_many_sentences():
    """So that `minibert tokenizer` and `minibert pretrain` make the same one of the same corpus, as the README has it."""
    assert command.SENTENCES == SENTENCES_FOR_VOCABULARY == 200_000


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["tokenizer", "--help"])
    told = capsys.readouterr().out
    assert (
        end.value.code == 0
        and "minibert tokenizer --out vocabulary" in told
        and "(default: 8192)" in told
    )
