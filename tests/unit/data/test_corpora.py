"""Corpora: what is read of every kind of file, who reads it, and what a reader hears when it cannot
be read."""

import gzip
import json
import lzma
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minibert.config import InputError
from minibert.data import compressed, corpora, files
from minibert.data.corpora import documents, sourced_documents

TEXT = "One here. Two\nwrapped. Three.\n\nA second paragraph\n\n\nAnother document. It ends.\n"


def write(path, content):
    data = content if isinstance(content, bytes) else content.encode()
    packed = {".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix, bytes)(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed)
    return path


def jsonl(*texts):
    return "".join(
        json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(texts)
    )


# -- formats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_plain_text(suffix, tmp_path):
    wanted = [
        ["One here.", "Two wrapped.", "Three.", "A second paragraph"],
        ["Another document.", "It ends."],
    ]
    assert list(documents(write(tmp_path / f"a.txt{suffix}", TEXT), "all")) == wanted
    assert (
        list(
            documents(
                str(write(tmp_path / f"b.txt{suffix}", "\ufeff" + TEXT.replace("\n", "\r\n"))),
                "all",
            )
        )
        == wanted
    )


def test_a_sentence_a_line_is_the_format_of_the_original(needs_shared_data):
    """Its sample has three documents; their lines are counted by hand (an empty one between
    each)."""
    path = needs_shared_data / "google_bert" / "sample_text.txt"
    found = list(documents(path, "all", sentence_per_line=True))
    assert [len(document) for document in found] == [3, 13, 15]
    assert [sentence for document in found for sentence in document] == [
        line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]


def test_a_sentence_a_line_is_of_txt_files_only(tmp_path):
    """Documents in other forms have no such lines: whole paragraphs would be sentences."""
    path = write(tmp_path / "a.jsonl.gz", jsonl("One. Two."))
    for corpus in (path, tmp_path, [write(tmp_path / "b.txt", "b."), path], "default"):
        with pytest.raises(InputError, match="format of .txt files, and not for .*(a.jsonl|def)"):
            documents(corpus, "all", sentence_per_line=True)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_json_lines(suffix, tmp_path):
    path = write(
        tmp_path / f"a.jsonl{suffix}", jsonl("One. Two.\n\nThree", "", "Fou\u2028r.") + "\n"
    )
    assert list(documents(path, "all")) == [["One.", "Two.", "Three"], ["Fou r."]]


def test_a_folder_a_pattern_and_a_list(tmp_path):
    write(tmp_path / "b.txt", "b.")
    write(tmp_path / "sub" / "a.jsonl.xz", jsonl("a."))
    write(tmp_path / "notes.md", "not read.")
    assert list(documents(tmp_path, "all")) == [["b."], ["a."]]
    assert list(documents(f"{tmp_path}/**/*.jsonl*", "all")) == [["a."]]
    assert list(documents([tmp_path / "sub", tmp_path / "b.txt", tmp_path], "all")) == [
        ["a."],
        ["b."],
    ], "each file once"


def test_a_long_text_is_cut_into_documents_at_paragraphs(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST", 30)
    paragraphs = [f"This is paragraph {number}." for number in range(10)]
    found = list(documents(write(tmp_path / "a.txt", "\n\n".join(paragraphs)), "all"))
    assert found == [paragraphs[place : place + 2] for place in range(0, 10, 2)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_nothing_but_its_end_is_taken_from_a_line(tmp_path, end):
    lines = [" spaces around ", "XX", "n\\r", "\ttab"]
    assert list(files.read_lines(write(tmp_path / "a.txt", end.join(lines)))) == lines


def test_reading_is_lazy(tmp_path):
    """The fault on line 3 is met after two documents were handed over."""
    reading = documents(write(tmp_path / "a.jsonl", jsonl("One.", "Two.") + "{"), "all")
    assert [next(reading), next(reading)] == [["One."], ["Two."]]
    with pytest.raises(ValueError, match="line 3"):
        next(reading)


# -- splits and shards
# -------------------------------------------------------------------------------------------------


def test_names_of_files_decide_the_split(tmp_path):
    for name in ("train-00.txt", "train-01.txt", "valid.txt", "test.txt", "trains.txt"):
        write(tmp_path / name, name.removesuffix(".txt"))
    with pytest.warns(UserWarning, match="1 of the files .* left out, .* as .* does: trains.txt$"):
        assert list(documents(tmp_path)) == [["train-00"], ["train-01"]]
    with pytest.warns(UserWarning, match="left out"):
        assert list(documents(tmp_path, "valid")) == [["valid"]]
    with warnings.catch_warnings(action="error"):
        assert list(documents(f"{tmp_path}/train-*")) == [["train-00"], ["train-01"]]
        assert len(list(documents(tmp_path, "all"))) == 5
    with pytest.raises(
        ValueError,
        match="split is 'valid', but no file's name begins with valid or val or dev or "
        "validation: there are train-00.txt",
    ):
        documents(f"{tmp_path}/train-*", "valid")


@pytest.mark.parametrize("odd", ["Train_Dreams.txt", "dev-ops.txt", "Test of time.txt"])
def test_a_title_like_the_name_of_a_part_leaves_nothing_out_in_silence(odd, tmp_path):
    for name in ("a.txt", "b.txt", odd):
        write(tmp_path / name, "One.")
    for split in ("train", "valid"):
        with pytest.raises(
            InputError,
            match=rf"{odd} begins with '\w+', like a part .* 2 other files are no part \(a.txt, b.txt\)",
        ):
            documents(tmp_path, split)
    assert len(list(documents(tmp_path, "all"))) == 3


def test_hidden_folders_of_a_corpus_are_not_read(tmp_path):
    """Jupyter keeps a copy of every file that it opens, which would be trained on twice."""
    for name in ("a.txt", ".ipynb_checkpoints/a-checkpoint.txt", "part/.git/b.txt", "part/c.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("A text.")
    assert [path.name for path in files.find_files(tmp_path)] == ["a.txt", "c.txt"]
    assert [path.name for path in files.find_files(tmp_path / "part" / ".git")] == ["b.txt"]


@pytest.mark.parametrize("name", ["run.json", "tokenizer_config.json"])
def test_the_files_of_a_run_in_its_own_corpus_are_not_read(name, tmp_path):
    (tmp_path / "a.txt").write_text("A text.")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "b.txt").write_text("Another text.")
    (tmp_path / "run" / "model").mkdir(parents=True)
    for path in (f"run/{name}", "run/vocab.txt", "run/log.jsonl", "run/model/vocab.txt"):
        (tmp_path / path).write_text("[PAD]")
    assert [path.name for path in files.find_files(tmp_path)] == ["a.txt", "b.txt"]
    assert [path.name for path in files.find_files(tmp_path / "run")] == [
        "log.jsonl",
        "vocab.txt",
        "vocab.txt",
    ]


def test_a_file_counts_once_whatever_leads_to_it(tmp_path):
    write(tmp_path / "a.txt", "One.")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "same.txt").symlink_to("a.txt")
    assert list(documents(f"{tmp_path}/**/*.txt", "all")) == [["One."]]
    assert list(documents([tmp_path / "a.txt", tmp_path / "loop" / "a.txt"], "all")) == [["One."]]


@pytest.mark.parametrize(
    "name", ["valid", "validation", "val", "dev", "Validation-0001", "dev.en", "val_2"]
)
def test_held_out_files_go_by_several_names(name, tmp_path):
    write(tmp_path / f"{name}.txt", "held out.")
    write(tmp_path / "train.txt", "trained on.")
    assert list(documents(tmp_path, "valid")) == [["held out."]] and list(documents(tmp_path)) == [
        ["trained on."]
    ]


def test_every_twelfth_text_of_the_default_corpus_is_held_out():
    assert list(documents_of(["text"] * 30, "valid")) == [["11 text"], ["23 text"]]


@pytest.mark.parametrize("layout", ["one file", "a file each"])
def test_without_such_names_every_twelfth_document_is_held_out(layout, tmp_path):
    texts = [f"text {number}" for number in range(60)]
    if layout == "one file":
        write(tmp_path / "a.jsonl", jsonl(*texts))
    else:
        for number, text in enumerate(texts):
            write(tmp_path / f"{number:02d}.txt", text)
    valid = list(documents(tmp_path, "valid"))
    assert valid == [[text] for text in texts[11::12]]
    assert list(documents(tmp_path, "train")) == [[text] for text in texts if [text] not in valid]


@given(
    st.lists(st.sampled_from(["one.", "two.", "", "\n\n"]), max_size=40),
    st.integers(1, 7),
    st.sampled_from(["train", "valid", "all"]),
)
def test_shards_partition_the_documents(texts, count, split):
    whole = list(documents_of(texts, split))
    shards = [list(documents_of(texts, split, shard=(index, count))) for index in range(count)]
    assert sorted(document for shard in shards for document in shard) == sorted(whole)
    assert max(map(len, shards)) <= -(-len(texts) // count)


def test_shards_of_files_partition_their_documents(tmp_path):
    whole = [[f"text {number}"] for number in range(10)]
    write(tmp_path / "a.jsonl", jsonl(*(text for (text,) in whole)))
    assert [list(documents(tmp_path, "all", shard=(index, 3))) for index in range(3)] == [
        whole[0::3],
        whole[1::3],
        whole[2::3],
    ]


def test_a_set_of_the_hub_is_asked_for_the_split_and_the_shard(monkeypatch):
    monkeypatch.setattr(corpora, "hub_texts", lambda *asked: [repr(asked)])
    assert list(documents("imdb", "valid", shard=(1, 3))) == [["('imdb', 'valid', 1, 3)"]]


def documents_of(texts, split, **options):
    """Through the function itself, with numbered texts in the place of the default corpus."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            corpora,
            "wikipedia_texts",
            lambda: [
                f"{number} {text}" if text.strip() else text for number, text in enumerate(texts)
            ],
        )
        return documents("default", split, **options)


def test_the_corpus_of_the_shipped_model(needs_shared_corpus):
    """Its documents and words are counted in the table that lies beside it."""
    found = list(documents(needs_shared_corpus, "valid"))
    assert len(found) == 526
    assert sum(len(sentence.split()) for document in found for sentence in document) == 627_314
    assert 15 < 627_314 / sum(map(len, found)) < 22, "words in a sentence"


# -- what cannot be read
# -----------------------------------------------------------------------------------------------

GOOD = jsonl(*["A sentence of some length."] * 2000)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", jsonl("One.") + "{not json}\n", "a.jsonl, line 2: not JSON"),
        ("a.jsonl", jsonl("One.") + "[" * 100_000, "a.jsonl, line 2: not JSON"),
        (
            "a.jsonl",
            jsonl("One.") + '\n{"txt": "Two."}\n',
            'a.jsonl, line 3: expected an object with a "text" that is a string, found \'{"txt": '
            '"Two."}\'',
        ),
        ("a.jsonl", '{"text": 5}', 'line 1: expected an object with a "text"'),
        ("a.jsonl", '["text"]', 'line 1: expected an object with a "text"'),
        ("a.txt", "", "a.txt is empty"),
        ("a.txt.gz", "", "a.txt.gz is empty"),
        (
            "a.txt",
            b"One.\nTwo \xff.\n",
            "a.txt, line 2: not UTF-8 text (byte 5 of the line is 0xff)",
        ),
        (
            "a.txt",
            b"\x7fELF\x02\x01\x01\x00\x00",
            "a.txt, line 1: holds a zero byte, so this is not a text file",
        ),
        (
            "a.csv",
            "One.",
            "cannot read",
        ),
    ],
)
def test_faults_are_told_with_file_and_line(name, content, message, tmp_path):
    path = write(tmp_path / name, content)
    with pytest.raises(ValueError) as told:
        list(documents(path, "all"))
    assert message in str(told.value) and str(path) in str(told.value)


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
@pytest.mark.parametrize("damage", ["cut short", "another byte", "not compressed"])
def test_damaged_archives(suffix, damage, tmp_path):
    path = write(tmp_path / f"a.jsonl{suffix}", GOOD + jsonl(*map(str, range(2000))))
    data = bytearray(path.read_bytes())
    if damage == "cut short":
        data = data[: len(data) // 2]
    elif damage == "another byte":
        data[len(data) // 2] ^= 0xFF
    else:
        data = GOOD.encode()
    path.write_bytes(data)
    with pytest.raises(
        ValueError,
        match=rf"a\.jsonl\{suffix}, (after line \d+: the compressed file is damaged|line \d+: not)",
    ):
        list(documents(path, "all"))


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = write(tmp_path / "a.txt", "One.")

    def refused(*arguments):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(compressed, "open", refused, raising=False)
    with pytest.raises(ValueError, match=r"cannot read .*a\.txt: Permission denied"):
        list(documents(path, "all"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name_or_paths": "nowhere.txt"}, "there is no file or folder 'nowhere.txt'"),
        (
            {"name_or_paths": "wiki"},
            "the corpora known by name are default, wikitext-2, wikitext-103, wikipedia, imdb",
        ),
        (
            {"name_or_paths": "default", "split": "validation"},
            "split must be one of train, valid, all, not 'validation'",
        ),
        (
            {"name_or_paths": "default", "shard": (-1, 2)},
            "shard must be (index, count) with 0 <= index < count, not (-1, 2)",
        ),
        (
            {"name_or_paths": "default", "shard": (2, 2)},
            "shard must be (index, count) with 0 <= index < count, not (2, 2)",
        ),
    ],
)
def test_wrong_arguments_are_refused_at_once(arguments, message):
    with pytest.raises(ValueError) as told:
        documents(**arguments)  # before anything is read
    assert message in str(told.value)


def test_a_folder_without_text(tmp_path):
    with pytest.raises(ValueError, match="contains no file that ends in .txt"):
        documents(tmp_path)


# -- sources ---------------------------------------------------------------------------------------


def test_every_document_comes_with_its_source(tmp_path):
    records = [
        {"text": "One. Two.", "source": "a"},
        {"text": "Three."},
        {"text": "Four.", "source": 5},
    ]
    write(tmp_path / "x.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    write(tmp_path / "y.txt", "Five.")
    found = list(sourced_documents(tmp_path, "all"))
    assert found == [("a", ["One.", "Two."]), ("", ["Three."]), ("", ["Four."]), ("", ["Five."])]
    assert list(documents(tmp_path, "all")) == [document for _, document in found]
    assert list(sourced_documents(tmp_path, "all", shard=(1, 2))) == found[1::2]
