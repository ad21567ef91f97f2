"""Search: passages with their lines, the best of them, files that cannot be read, and vectors that are kept."""

import os
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from minibert import BertConfig, BertModel, WordPieceTokenizer
from minibert.config import InputError
from minibert.inference import passage_search
from minibert.inference.passage_cache import Passage, PassageCache
from minibert.inference.passage_search import passages_of, search, text_files
from minibert.inference.sentence_embeddings import embed

WORDS = (
    "cats sleep on warm mats dogs run in the park money is lent by banks rates went up .".split()
)
TOKENIZER = WordPieceTokenizer(
    {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
)
FILES = {
    "animals.txt": "Cats sleep on\nwarm mats.\n\nDogs run in the park.\n",
    "deep/er/money.md": "# Banks\n\nMoney is **lent** by\n[banks](http://x.y/rates).\n\nRates went up.\n",
    "page.html": "<html>\n<body><p>The park is\nwarm.</p><script>\nmats()\n</script>\n<p>Dogs sleep.</p>",
    ".hidden/secret.txt": "Cats run.",
    ".secret.txt": "Cats run.",
    "table.csv": "cats,dogs",
}


@pytest.fixture
def model():
    torch.manual_seed(0)
    return BertModel(
        BertConfig(
            vocab_size=5 + len(WORDS),
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=64,
        )
    ).eval()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def model_folder(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "vocab.txt").write_text("words")
    return folder


@pytest.fixture
def kept(model_folder, tmp_path):
    """Make a cache as a new process would."""
    return lambda: PassageCache(model_folder, tmp_path / "cache")


def about(found):
    return [(hit.path.name, hit.passage, round(hit.score, 5)) for hit in found.hits]


# -- files and passages ----------------------------------------------------------------------------


def test_files_of_a_folder(folder, tmp_path):
    names = [path.relative_to(folder).as_posix() for path in text_files(folder)]
    assert names == ["animals.txt", "deep/er/money.md", "page.html"]
    assert text_files(folder / "table.csv") == [folder / "table.csv"]
    (tmp_path / "empty").mkdir()
    for name, message in [("nowhere", "there is no folder"), ("empty", "has no file to search")]:
        with pytest.raises(InputError, match=message):
            text_files(tmp_path / name)


def test_passages_have_the_lines_of_their_file(folder):
    def of(name):
        return passages_of(FILES[name], folder / name)

    assert of("animals.txt") == [Passage("Cats sleep on warm mats. Dogs run in the park.", 1, 4)]
    assert of("deep/er/money.md") == [Passage("Money is lent by banks. Rates went up.", 3, 6)]
    assert of("page.html") == [Passage("The park is warm. Dogs sleep.", 2, 6)]


def test_a_passage_ends_at_a_heading_and_when_it_is_full(tmp_path):
    sentence = "Cats sleep on warm mats."
    text = " ".join([sentence] * 7) + "\n\n# Dogs\n\nDogs run.\n"
    passages = passages_of(text, tmp_path / "a.md")
    assert [(p.text.count("."), p.line) for p in passages] == [(3, 1), (3, 1), (1, 1), (1, 5)]
    long = " ".join(["Word"] * 150) + "."
    assert len(passages_of(f"{long} {long}", tmp_path / "a.txt")) == 2


def test_a_text_without_full_stops_is_cut_so_that_all_of_it_is_read(tmp_path):
    words = [f"word{n}" for n in range(450)]
    passages = passages_of(" ".join(words), tmp_path / "a.txt")
    assert [len(passage.text.split()) for passage in passages] == [200, 200, 50]
    assert " ".join(passage.text for passage in passages).split() == words
    assert {(passage.line, passage.end_line) for passage in passages} == {(1, 1)}


def test_lines_of_sentences_that_open_alike(tmp_path):
    text = "\n\n".join(f"The cat of number {n} sleeps here." for n in range(40))
    lines = [(p.line, p.end_line) for p in passages_of(text, tmp_path / "a.txt")]
    assert lines == [(1 + 6 * n, min(5 + 6 * n, 79)) for n in range(14)]


def test_line_ends_of_an_old_mac_and_references_to_no_character(tmp_path):
    assert [p.line for p in passages_of("Cats run.\r\r# A\r\rDogs run.\r", tmp_path / "a.md")] == [
        1,
        5,
    ]
    page = f"<p>Cats run.</p>\n<h1>A</h1><p>Dogs &#{'1' * 5000}; run.</p>"
    assert [p.line for p in passages_of(page, tmp_path / "a.html")] == [1, 2]


def test_the_time_is_not_quadratic_in_sentences_that_marks_cut(tmp_path):
    started = time.process_time()
    passages_of("The house i saw st*oo*d there.\n" * 4_000, tmp_path / "a.md")
    assert time.process_time() - started < 10  # 1 s; minutes where each is looked for everywhere


# -- search ----------------------------------------------------------------------------------------


def test_the_best_passages_come_first_with_their_cosines(model, folder):
    found = search(folder, "money is lent", model, TOKENIZER, top=2)
    passages = [p for path in text_files(folder) for p in passages_of(path.read_text(), path)]
    vectors = embed(model, TOKENIZER, [passage.text for passage in passages])
    cosines = vectors @ embed(model, TOKENIZER, ["money is lent"])[0]
    best = cosines.argsort(descending=True).tolist()[:2]
    assert [hit.passage for hit in found.hits] == [passages[n] for n in best]
    assert [hit.score for hit in found.hits] == pytest.approx(cosines[best].tolist(), abs=1e-6)
    assert (found.files, found.passages, found.embedded) == (3, 3, 3) and not found.left_out
    everything = search(folder, "money is lent", model, TOKENIZER, top=99)
    assert len(everything.hits) == 3 and everything.hits[:1] == found.hits[:1]


@pytest.mark.parametrize(
    ("question", "top", "message"), [(" ", 1, "question is empty"), ("a", 0, "top must be")]
)
def test_bad_input(question, top, message, model, folder):
    with pytest.raises(InputError, match=message):
        search(folder, question, model, TOKENIZER, top)


def test_a_file_that_cannot_be_read_is_left_out(model, folder):
    (folder / "binary.txt").write_bytes(b"\x00\x01")
    (folder / "empty.md").write_text("")
    seen = []
    found = search(folder, "cats", model, TOKENIZER, progress=lambda *now: seen.append(now))
    assert found.files == 3 and seen[-1] == (5, 5)
    assert [name.rpartition("/")[2] for name in found.left_out] == ["binary.txt", "empty.md"]
    assert "is not text" in found.left_out[str(folder / "binary.txt")]
    with pytest.raises(InputError, match=r"no file in .* could be read; .*is not text"):
        search(folder / "binary.txt", "cats", model, TOKENIZER)


def test_a_folder_that_cannot_be_read_is_left_out_and_named(model, folder, monkeypatch):
    """For root, too, who may read every folder."""
    closed, scandir = folder / "closed", os.scandir
    closed.mkdir()

    def refuse(path):
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = search(folder, "cats", model, TOKENIZER)
    assert found.files == 3 and list(found.left_out) == [str(closed)]


def test_many_files_go_through_the_model_in_parts(model, folder, monkeypatch, kept):
    expected = about(search(folder, "cats", model, TOKENIZER))
    monkeypatch.setattr(passage_search, "TOGETHER", 1)
    assert about(search(folder, "cats", model, TOKENIZER, cache=kept())) == expected


def test_equal_passages_come_in_the_order_of_their_files(model, folder, kept):
    search(folder, "cats", model, TOKENIZER, cache=kept())  # page.html is kept, a.html is not yet
    (folder / "a.html").write_text(FILES["page.html"] + "\n")
    found = search(folder, "cats", model, TOKENIZER, cache=kept())
    equal = [hit for hit in found.hits if hit.passage.text == "The park is warm. Dogs sleep."]
    assert [hit.path.name for hit in equal] == ["a.html", "page.html"]
    assert [hit.score for hit in equal[:1]] == pytest.approx([equal[1].score], abs=1e-6)


# -- what is kept ----------------------------------------------------------------------------------


def test_vectors_are_kept_until_a_file_changes(model, folder, kept):
    first = search(folder, "cats", model, TOKENIZER, cache=kept())
    again = search(folder, "cats", model, TOKENIZER, cache=kept())
    assert (first.embedded, again.embedded) == (3, 0) and about(again) == about(first)
    (folder / "animals.txt").rename(folder / "moved.txt")
    (folder / "page.html").write_text("<p>Rates run up.</p>")
    changed = search(folder, "cats", model, TOKENIZER, cache=kept())
    assert changed.embedded == 1
    assert {hit.passage.text for hit in changed.hits} >= {"Rates run up."}
    assert {hit.path.name for hit in changed.hits} == {"moved.txt", "money.md", "page.html"}


def test_another_format_is_read_anew(model, folder, kept):
    """The same bytes are other passages as text and as Markdown."""
    search(folder, "cats", model, TOKENIZER, cache=kept())
    (folder / "deep/er/money.md").rename(folder / "money.txt")
    assert search(folder, "cats", model, TOKENIZER, cache=kept()).embedded == 1


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.txt"])
def test_another_model_has_vectors_of_its_own(name, model, folder, kept, model_folder):
    search(folder, "cats", model, TOKENIZER, cache=kept())
    (model_folder / name).write_bytes(b"other")
    assert search(folder, "cats", model, TOKENIZER, cache=kept()).embedded == 3


def test_another_version_has_vectors_of_its_own(model, folder, kept, monkeypatch):
    search(folder, "cats", model, TOKENIZER, cache=kept())
    monkeypatch.setattr("minibert.inference.passage_cache.__version__", "99")
    assert search(folder, "cats", model, TOKENIZER, cache=kept()).embedded == 3


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-5])


def empty(path):
    path.write_bytes(b"")


def not_finite(path):
    rewrite(path, lambda vectors: vectors * torch.nan)


def too_few(path):
    rewrite(path, lambda vectors: vectors[:0])


def without_passages(path):
    save_file(load_file(path), path)


def of_another_type(path):
    save_file(load_file(path), path, {"passages": '[{"text": 5, "line": 1, "end_line": 1}]'})


def rewrite(path, change):
    vectors = load_file(path)["vectors"]
    entry = '[{"text": "Cats.", "line": 1, "end_line": 1}]'
    save_file({"vectors": change(vectors).contiguous()}, path, {"passages": entry})


def of_no_lines(path):
    save_file(load_file(path), path, {"passages": '[{"text": "Cats.", "line": 2, "end_line": 1}]'})


def of_other_lengths(path):
    """Their products would be no cosines."""
    rewrite(path, lambda vectors: vectors * 5)


@pytest.mark.parametrize(
    "damage",
    [
        cut_off,
        empty,
        not_finite,
        too_few,
        without_passages,
        of_another_type,
        of_no_lines,
        of_other_lengths,
    ],
)
def test_what_is_damaged_is_made_anew_with_a_note(damage, model, folder, kept):
    cache = kept()
    first = search(folder, "cats", model, TOKENIZER, cache=cache)
    damage(sorted(cache.folder.iterdir())[0])
    again = search(folder, "cats", model, TOKENIZER, cache=kept())
    assert again.embedded == 1 and about(again) == about(first)
    assert len(again.notes) == 1 and "are damaged" in again.notes[0] and "anew" in again.notes[0]
    last = search(folder, "cats", model, TOKENIZER, cache=kept())
    assert last.embedded == 0 and not last.notes


def test_vectors_of_another_size_are_damaged(model, folder, kept):
    """A file that was put there by hand, with vectors that are too short, must not break the search."""
    cache = kept()
    search(folder, "cats", model, TOKENIZER, cache=cache)
    rewrite(sorted(cache.folder.iterdir())[0], lambda vectors: vectors[:, :3])
    again = search(folder, "cats", model, TOKENIZER, cache=kept())
    assert again.embedded == 1 and len(again.notes) == 1


def test_a_link_in_the_cache_is_replaced_and_not_followed(model, folder, kept, tmp_path):
    cache = kept()
    search(folder, "cats", model, TOKENIZER, cache=cache)
    entry, elsewhere = sorted(cache.folder.iterdir())[0], tmp_path / "elsewhere"
    elsewhere.write_text("not yours")
    entry.unlink()
    entry.symlink_to(elsewhere)
    search(folder, "cats", model, TOKENIZER, cache=kept())
    assert elsewhere.read_text() == "not yours" and not entry.is_symlink()
    assert search(folder, "cats", model, TOKENIZER, cache=kept()).embedded == 0


def test_a_cache_that_cannot_be_written_is_said_once(model, folder, model_folder, tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = PassageCache(model_folder, tmp_path / "file")
    found = search(folder, "cats", model, TOKENIZER, cache=cache)
    assert len(found.hits) == 3 and len(found.notes) == 1
    assert found.notes[0].startswith("the vectors cannot be kept in")
