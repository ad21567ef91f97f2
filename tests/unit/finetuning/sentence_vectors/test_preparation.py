"""The texts in the folder of a run: written once, checked afterwards, without what is excluded."""

import pytest
from tiny_sentences import write_folders

from minibert.finetuning.sentence_vectors.options import SentenceOptions, SentenceSettings
from minibert.finetuning.sentence_vectors.preparation import SentenceRunDir, prepare_texts


@pytest.fixture
def folders(tmp_path):
    write_folders(tmp_path)
    return tmp_path


def settings(folders, corpus="texts", valid=None, exclude=(), **changes) -> SentenceSettings:
    options = SentenceOptions(**dict(phrases=4, words=3, start_from_bag=False) | changes)
    names = tuple(str(folders / name) for name in exclude)
    return SentenceSettings(
        options, (str(folders / corpus),), False, "x", valid and str(folders / valid), names
    )


def test_written_and_read_again(folders):
    run_dir = SentenceRunDir.create(folders / "run", settings(folders), {})
    texts = prepare_texts(run_dir)
    lines = (folders / "run" / "texts.txt").read_text().split("\n")
    assert [item[0] for item in texts.items] == lines[:-1] and lines[-1] == ""
    again = prepare_texts(run_dir)
    assert again == texts and set(run_dir.record["digests"]) == {"texts.txt"}
    assert list(run_dir.record["sources"]) == [str((folders / "texts" / "a.jsonl").resolve())]


def test_neighbours_come_back_as_pairs(folders):
    options = dict(objective="neighbours", phrases=0, words=0)
    run_dir = SentenceRunDir.create(folders / "run", settings(folders, **options), {})
    texts = prepare_texts(run_dir)
    assert {len(item) for item in texts.items} == {2} and prepare_texts(run_dir) == texts


def test_every_source_gives_as_much(folders):
    """`small` has a quarter of the documents; the file names it."""
    run_dir = SentenceRunDir.create(
        folders / "run", settings(folders, sentences=20, phrases=0, words=0), {}
    )
    chosen = {item[0] for item in prepare_texts(run_dir).items}
    small = [line for line in (folders / "texts" / "a.jsonl").open() if '"source": "small"' in line]
    assert sum(any(text in line for line in small) for text in chosen) in (10, 11)


@pytest.mark.parametrize("how", [dict(valid="pairs.tsv"), dict(exclude=("pairs.tsv",))])
def test_judged_pairs_are_never_trained_on(how, folders):
    first = prepare_texts(SentenceRunDir.create(folders / "run", settings(folders), {}))
    known = [text for (text,) in first.items if len(text.split()) > 3][:6]
    (folders / "pairs.tsv").write_text(
        "".join(f"{one.upper()}\t{other}!\t1\n" for one, other in zip(known[::2], known[1::2]))
    )
    run_dir = SentenceRunDir.create(folders / "other", settings(folders, **how), {})
    chosen = [text for (text,) in prepare_texts(run_dir).items]
    assert not set(known) & set(chosen) and len(chosen) >= len(first.items) - 6
    assert any(name.endswith("pairs.tsv") for name in run_dir.record["sources"])


def test_a_changed_corpus_and_changed_texts_are_noticed(folders):
    run_dir = SentenceRunDir.create(folders / "run", settings(folders), {})
    prepare_texts(run_dir)
    (folders / "run" / "texts.txt").write_text("Another sentence here.\n")
    with pytest.raises(ValueError, match="texts.txt is not the one that this run began with"):
        prepare_texts(run_dir)
    (folders / "texts" / "a.jsonl").write_text('{"text": "Another sentence here."}\n')
    with pytest.raises(ValueError, match="a.jsonl has changed since this run began"):
        prepare_texts(run_dir)


def test_where_the_corpus_is_gone_the_texts_are_enough(folders):
    texts = prepare_texts(SentenceRunDir.create(folders / "run", settings(folders), {}))
    (folders / "texts" / "a.jsonl").unlink()
    assert prepare_texts(SentenceRunDir.open(folders / "run")) == texts
