"""The texts in the folder of a run: written once, checked afterwards, without what is excluded."""

import pytest
from tiny_sentences import write_folders

from minibert.finetuning.sentence_vectors.options import SentenceOptions, SentenceSettings
from minibert.finetuning.sentence_vectors.preparation import SentenceRunDir, prepare_texts


@pytest.fixture
def folders(tmp_path):
    write_folders(tmp_path)
    return tmp_path


def settings(
    folders, corpus="texts", valid=None, exclude=(), texts_of=None, **changes
) -> SentenceSettings:
    options = SentenceOptions(**dict(phrases=4, words=3, start_from_bag=False) | changes)
    names = tuple(str(folders / name) for name in exclude)
    valid = valid and str(folders / valid)
    return SentenceSettings(options, (str(folders / corpus),), False, "x", valid, names, texts_of)


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


def test_the_texts_of_another_run(folders):
    """Another seed would choose others. What is taken over is checked like what was written here."""
    few = dict(sentences=20)
    texts = prepare_texts(SentenceRunDir.create(folders / "run", settings(folders, **few), {}))
    (folders / "run" / "teacher").mkdir()
    (folders / "run" / "teacher" / "vectors-00000.safetensors").write_bytes(b"vectors")
    (folders / "run" / "teacher" / ".half").write_bytes(b"of a process that was killed")
    own = prepare_texts(
        SentenceRunDir.create(folders / "own", settings(folders, seed=1, **few), {})
    )
    assert own.items != texts.items
    asked = settings(folders, seed=1, texts_of=str(folders / "run"), **few)
    run_dir = SentenceRunDir.create(folders / "other", asked, {})
    assert prepare_texts(run_dir).items == texts.items
    assert [path.name for path in (folders / "other" / "teacher").iterdir()] == [
        "vectors-00000.safetensors"
    ]
    run_dir.abandon()
    assert not (folders / "other").exists()


def test_texts_that_another_run_did_not_write_are_not_taken_over(folders):
    prepare_texts(SentenceRunDir.create(folders / "run", settings(folders), {}))
    with open(folders / "run" / "texts.txt", "a") as texts:
        texts.write("Another sentence here.\n")
    run_dir = SentenceRunDir.create(
        folders / "other", settings(folders, texts_of=str(folders / "run")), {}
    )
    with pytest.raises(ValueError, match="texts.txt is not what the run in .*run wrote there"):
        prepare_texts(run_dir)


def test_a_folder_without_a_run_lends_no_texts(folders):
    asked = settings(folders, texts_of=str(folders / "texts"))
    with pytest.raises(ValueError, match=r"there is no run in .*texts: it has no run.json$"):
        prepare_texts(SentenceRunDir.create(folders / "other", asked, {}))
    asked = settings(folders, texts_of=str(folders / "itself"))
    with pytest.raises(ValueError, match=r"itself has no texts.txt to take: it has chosen no"):
        prepare_texts(SentenceRunDir.create(folders / "itself", asked, {}))


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(phrases=5), r"the run in .*run has phrases 4, and this one 5"),
        (dict(teacher="x"), "teacher 'sentence-transf.*', and this one 'x'"),
        (dict(corpus="texts/a.jsonl"), r"has corpus \('.*texts',\), and this one"),
    ],
)
def test_a_run_with_other_texts_lends_none(changes, message, folders):
    prepare_texts(SentenceRunDir.create(folders / "run", settings(folders), {}))
    asked = settings(folders, texts_of=str(folders / "run"), **changes)
    with pytest.raises(ValueError, match=message):
        prepare_texts(SentenceRunDir.create(folders / "other", asked, {}))


@pytest.mark.parametrize("how", [dict(valid="pairs.tsv"), dict(exclude=("pairs.tsv",))])
def test_a_run_that_read_other_judged_pairs_lends_none(how, folders):
    """Its texts may be those that are never to be trained on now."""
    run_dir = SentenceRunDir.create(folders / "run", settings(folders, **how), {})
    one, other = (text for (text,) in prepare_texts(run_dir).items[:2])
    (folders / "pairs.tsv").write_text(f"{one}\t{other}\t1\n")
    asked = settings(folders, texts_of=str(folders / "run"), **how)
    with pytest.raises(ValueError, match=r"pairs\.tsv is not as the run in .*run read it"):
        prepare_texts(SentenceRunDir.create(folders / "other", asked, {}))


@pytest.mark.parametrize("name", ["texts.txt", "teacher"])
def test_a_new_run_takes_no_texts_or_vectors_that_lie_in_its_folder(name, folders):
    """They may be of another corpus or another teacher: --texts-of compares."""
    if name == "teacher":
        (folders / "run" / name).mkdir(parents=True)
    else:
        (folders / "run").mkdir()
        (folders / "run" / name).write_text("Another sentence here.\n")
    with pytest.raises(ValueError, match="already exists and is not empty"):
        SentenceRunDir.create(folders / "run", settings(folders), {})
    assert [path.name for path in (folders / "run").iterdir()] == [name]


def test_titles_come_with_the_first_sentence(folders):
    (folders / "titled").mkdir()
    (folders / "titled" / "a.jsonl").write_text(
        '{"title": "The  Aare", "text": "The Aare is a river here. It is long.\\n\\nIt flows on."}\n'
        '{"title": "Nothing", "text": "Too short."}\n'
        '{"text": "No title has this one."}\n'
    )
    asked = settings(folders, "titled", objective="titles", phrases=0, words=0)
    texts = prepare_texts(SentenceRunDir.create(folders / "run", asked, {}))
    assert texts.items == [("The Aare", "The Aare is a river here.")]


def test_titles_need_jsonl(folders):
    (folders / "a.txt").write_text("One sentence is here.\n")
    asked = settings(folders, "a.txt", objective="titles", phrases=0, words=0)
    with pytest.raises(ValueError, match="titles are read from .jsonl files only"):
        prepare_texts(SentenceRunDir.create(folders / "run", asked, {}))
