"""The way of a text through `minibert pretrain`: what is found, read and hashed, and how often."""

import builtins
import collections
import gzip
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from minibert.cli import main as cli
from minibert.config import InputError
from minibert.data.tokens import TokenFile
from minibert.hub.find_pretrained import weights_digest
from minibert.pretraining import preparation
from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.run_dir import RunDir
from minibert.pretraining.settings import Settings
from minibert.tokenization import WordPieceTokenizer

SENTENCES = [
    f"The {animal} {verb} near the house."
    for animal in "cat dog bird fox".split()
    for verb in "runs sits eats sings sleeps".split()
]


@pytest.fixture(scope="module")
def argv(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("given")
    (folder / "texts").mkdir()
    for name in ("a.txt", "b.txt"):
        text = "\n\n\n".join(" ".join(SENTENCES[n:] + SENTENCES[:n]) for n in range(15))
        (folder / "texts" / name).write_text(text)
    shape = {
        "vocab_size": 9,
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 8,
        "max_position_embeddings": 16,
    }
    (folder / "config.json").write_text(json.dumps(shape))
    return [
        "pretrain",
        "--corpus",
        str(folder / "texts"),
        "--preset",
        str(folder / "config.json"),
        "--vocab-size",
        "60",
        "--length",
        "16",
        "--short-share",
        "0",
        "--long-share",
        "0",
        "--batch-size",
        "4",
        "--steps",
        "2",
        "--eval-sequences",
        "4",
        "--device",
        "cpu",
    ]


@pytest.fixture
def counted(monkeypatch):
    """How often each function is called, by the name of the file that it is given."""
    calls = collections.Counter()

    def count(place, name):
        original = getattr(place, name)

        def counting(*inputs, **more):
            path = inputs[0] if inputs else ""
            calls[name, Path(path).name if isinstance(path, (str, Path)) else ""] += 1
            return original(*inputs, **more)

        monkeypatch.setattr(place, name, counting)

    for name in ("prepare", "open_prepared"):
        count(preparation, name)
        monkeypatch.setattr(f"minibert.cli.pretrain_run.{name}", getattr(preparation, name))
    for name in ("sha256", "find_files", "documents"):
        count(preparation, name)
    checked = TokenFile._checksum

    def checksum(self):
        calls["checksum", self.path.name] += 1
        return checked(self)

    monkeypatch.setattr(TokenFile, "_checksum", checksum)
    opened = io.open

    def counting_open(file, *inputs, **more):
        if isinstance(file, (str, os.PathLike)):
            calls["open", Path(file).name] += 1
        return opened(file, *inputs, **more)

    monkeypatch.setattr(builtins, "open", counting_open)
    monkeypatch.setattr(io, "open", counting_open)
    return calls


def test_a_new_run_prepares_once_and_hashes_each_file_once(argv, tmp_path, counted):
    assert cli.main([*argv, "--out", str(tmp_path / "run")]) == 0
    assert counted["prepare", "run"] + counted["prepare", ""] == 1
    assert not counted["open_prepared", ""]
    assert counted["find_files", ""] == 1
    hashed = {file: n for (name, file), n in counted.items() if name == "sha256"}
    assert hashed == {"a.txt": 1, "b.txt": 1, "vocab.txt": 1}
    # hashed, then read for the vocabulary, the training tokens and the validation tokens
    assert counted["documents", ""] == 3
    assert {counted["open", name] for name in ("a.txt", "b.txt")} == {4}
    assert not counted["checksum", "train.tokens"], "what was just written is not read through"


def test_a_resumed_run_only_compares(argv, tmp_path, counted):
    out = str(tmp_path / "run")
    assert cli.main([*argv, "--out", out, "--time-limit", "0s"]) == 0
    counted.clear()
    assert cli.main(["pretrain", "--out", out, "--resume"]) == 0
    assert counted["prepare", ""] == 1
    assert not counted["find_files", ""] and not counted["documents", ""]
    for name in ("a.txt", "b.txt"):
        assert counted["sha256", name] == counted["open", name] == 1
    assert counted["checksum", "train.tokens"] == counted["checksum", "valid.tokens"] == 1
    assert counted["sha256", "vocab.txt"] == 1


def test_other_processes_open_what_the_first_has_checked(argv, tmp_path, counted):
    out = tmp_path / "run"
    assert cli.main([*argv, "--out", str(out), "--time-limit", "0s"]) == 0
    counted.clear()
    text = preparation.open_prepared(RunDir.open(out, writes=False))
    assert text.validation is not None and text.training.vocab_size == text.tokenizer.vocab_size
    assert not any(name in ("sha256", "checksum", "documents") for name, _ in counted)


def settings(folder: Path) -> Settings:
    return Settings(PretrainingOptions(steps=1), corpus=(str(folder),), vocab_size=60)


def test_a_run_killed_before_its_text_was_hashed_hashes_it_later(argv, tmp_path):
    folder = tmp_path / "texts"
    shutil.copytree(argv[2], folder)
    RunDir.create(tmp_path / "run", settings(folder), {})
    run_dir = RunDir.open(tmp_path / "run", writes=False)
    assert run_dir.record["sources"] is None
    run_dir.writes = True
    preparation.prepare(run_dir)
    assert [Path(name).name for name in run_dir.record["sources"]] == ["a.txt", "b.txt"]


@pytest.mark.parametrize("cased", [True, False])
def test_a_vocab_txt_is_cased_if_the_file_beside_it_says_so(cased, tmp_path):
    made = WordPieceTokenizer.train(SENTENCES, 60, lowercase=not cased)
    made.save(tmp_path)
    for given in (tmp_path, tmp_path / "vocab.txt"):
        tokenizer = preparation.load_vocabulary(str(given))
        assert tokenizer.vocab == made.vocab and tokenizer.lowercase is not cased
    other = tmp_path / "words.txt"
    (tmp_path / "vocab.txt").rename(other)
    assert preparation.load_vocabulary(str(other)).lowercase


def test_the_vocabulary_says_which_token_is_padding(argv, tmp_path):
    shape = json.loads(Path(argv[4]).read_text()) | {"pad_token_id": 3}
    (tmp_path / "config.json").write_text(json.dumps(shape))
    given = [*argv[:4], str(tmp_path / "config.json"), *argv[5:]]
    assert cli.main([*given, "--out", str(tmp_path / "run")]) == 0
    made = json.loads((tmp_path / "run" / "model" / "config.json").read_text())
    assert made["pad_token_id"] == 0


@pytest.mark.parametrize("way", ["itself", "copy", "link"])
def test_what_is_trained_on_is_not_held_out(way, argv, tmp_path, capsys):
    trained = Path(argv[2]) / "b.txt"
    held_out = trained if way == "itself" else tmp_path / f"{way}.txt"
    if way == "copy":
        shutil.copy(trained, held_out)
    elif way == "link":
        held_out.symlink_to(trained)
    given = [*argv, "--held-out", str(held_out), "--out", str(tmp_path / "run")]
    assert cli.main(given) == 2
    shown = f", as its copy {trained.with_name('a.txt')}," if way == "copy" else ""
    assert f"{held_out} is in the corpus{shown} and in --held-out" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("way", ["compressed", "one line more", "other text"])
def test_held_out_documents_that_are_trained_on_are_noted(way, argv, tmp_path, capsys):
    """No file is a copy of another, but its text is."""
    text = Path(argv[2], "a.txt").read_text()
    if way == "compressed":
        (tmp_path / "held.txt.gz").write_bytes(gzip.compress(text.encode()))
    elif way == "one line more":
        (tmp_path / "held.txt").write_text(text + "\n")
    else:
        text = text.replace("the house", "a house")
        (tmp_path / "held.txt").write_text(text)
    held_out = str(next(tmp_path.iterdir()))
    assert cli.main([*argv, "--held-out", held_out, "--out", str(tmp_path / "run")]) == 0
    said = "note: 15 of 15 documents of --held-out are in the corpus, too"
    assert (said in capsys.readouterr().out) == (way != "other text")


def test_a_part_of_the_corpus_that_is_not_trained_on_may_be_held_out(tmp_path):
    for name in ("train", "valid"):
        (tmp_path / f"{name}.txt").write_text(f"The {name} text.\n")
    options = PretrainingOptions(steps=1)
    for held_out in ("valid", "train"):
        names = (str(tmp_path / f"{held_out}.txt"),)
        settings = Settings(options, corpus=(str(tmp_path),), held_out=names)
        if held_out == "valid":
            assert preparation.Sources.find(settings).held_out == [tmp_path / "valid.txt"]
        else:
            with pytest.raises(InputError, match="what is trained on is not held out"):
                preparation.Sources.find(settings)


def test_a_corpus_without_a_validation_part_is_refused_before_it_is_read(
    argv, tmp_path, counted, capsys
):
    """The names of the files tell it. A run that needs no such part begins."""
    corpus, out = tmp_path / "texts", tmp_path / "run"
    corpus.mkdir()
    text = Path(argv[2], "a.txt").read_text()
    (corpus / "train.txt").write_text(text)
    (corpus / "test.txt").write_text(text + " Another end.")  # a copy would be refused
    counted.clear()
    changed = [str(corpus) if given == argv[2] else given for given in argv]
    assert cli.main([*changed, "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "the held-out text: split is 'valid', but no file's name begins with valid" in said
    assert "there are test.txt, train.txt" in said and "(--held-out names other text" in said
    assert not [call for call in counted if call[1] in ("train.txt", "test.txt")]
    assert not out.exists()
    assert cli.main([*changed, "--held-out", "none", "--out", str(tmp_path / "none")]) == 0
    held_out = str(corpus / "test.txt")
    assert cli.main([*changed, "--held-out", held_out, "--out", str(out)]) == 0
    prepared = tmp_path / "prepared"  # by another run
    prepared.mkdir()
    for name in ("vocabulary", "train.tokens", "valid.tokens"):
        (prepared / name).symlink_to(out / name)
    assert cli.main([*changed, "--out", str(prepared)]) == 0


@pytest.mark.parametrize(
    "corpus, held_out, message",
    [
        ("default", ("default",), "holds text of the corpus default: leave it out"),
        ("wikitext-103", ("wikitext-2",), "wikitext-2 holds text of the corpus wikitext-103"),
        ("default", ("none", "a.txt"), "--held-out none is no held-out text at all"),
    ],
)
def test_held_out_names_that_cannot_be_meant(corpus, held_out, message):
    settings = Settings(PretrainingOptions(steps=1), corpus=(corpus,), held_out=held_out)
    with pytest.raises(InputError, match=message):
        preparation.Sources.find(settings)


def test_text_without_a_word_is_told_with_its_name(argv, tmp_path, capsys):
    path = tmp_path / "long.txt"
    path.write_text("\n\n\n".join(["x" * 101] * 24), encoding="utf-8")
    changed = [str(path) if given.endswith("texts") else given for given in argv]
    assert cli.main([*changed, "--out", str(tmp_path / "run")]) == 2
    said = f"minibert pretrain: the corpus {path} has no words of at most 100 characters\n"
    assert capsys.readouterr().err.endswith(said)


def test_a_corpus_known_by_name_has_no_files():
    known = Settings(PretrainingOptions(steps=1), held_out=("wikitext-2",))
    sources = preparation.Sources.find(known)
    assert (sources.corpus, sources.held_out, sources.files()) == ("default", "wikitext-2", [])


def test_a_pipe_among_the_weights_is_not_waited_for(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    empty = weights_digest(str(tmp_path))
    os.mkfifo(tmp_path / "model.safetensors")
    assert weights_digest(str(tmp_path)) == empty
