"""Examples for summarization: what is read of each set, on files and on a stand-in for the hub, and
how bad rows are told."""

import gzip
import json
import lzma
import random

import datasets
import huggingface_hub
import pytest
from rouge_score.rouge_scorer import RougeScorer

from minibert.data.wikipedia.articles import wikipedia_texts
from minibert.summarization import examples as module
from minibert.summarization.examples import (
    Example,
    gap_sentences,
    lead_examples,
    overlaps,
    section_examples,
)
from minibert.summarization.published_sets import (
    CNN_DAILYMAIL,
    SCITLDR,
    cnndm_examples,
    scitldr_examples,
)

ABSTRACT = {
    "source": ["We look at it.\n", "  ", "It  is new."],
    "source_labels": [0, 0, 1],
    "rouge_scores": [0.1, 0.9],
    "paper_id": "x1",
    "target": ["A new  thing.", "New."],
    "title": "It",
}
ARTICLE = {
    "article": 'One is here . Two are in the U.S. now . "Three?"',
    "highlights": "One and two .\n\nThree , too ",
    "id": "ab",
}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


# -- the default corpus
# ------------------------------------------------------------------------------------------------


def article(lead, *sections):
    return {
        "title": "T",
        "sections": [
            {"heading": str(number or ""), "level": 1 + bool(number), "paragraphs": section}
            for number, section in enumerate((lead, *sections))
        ],
    }


def test_lead_against_body(monkeypatch):
    body = [
        ["The cat sat. A dog sat."],
        ["Nothing is here. Birds fly. Fish swim.", "The dog barked. It rained. The sun shone."],
    ]
    monkeypatch.setattr(
        module,
        "wikipedia_articles",
        lambda: [
            article(["The dog barked.", "The cat sat. Yes."], *body),
            article(["One. Two."], *body),
            article(["One. Two. Three."], body[1]),
        ],
    )
    (example,) = lead_examples()
    assert example == Example(
        "T",
        [
            "The cat sat.",
            "A dog sat.",
            "Nothing is here.",
            "Birds fly.",
            "Fish swim.",
            "The dog barked.",
            "It rained.",
            "The sun shone.",
        ],
        [["The dog barked.", "The cat sat.", "Yes."]],
        [1, 0, 0, 0, 0, 1, 0, 0],
    )
    monkeypatch.setattr(module, "BODY", (3, 4))
    assert [len(example.sentences) for example in lead_examples()] == [4, 4], (
        "the second body begins with the cut"
    )


def test_sections(monkeypatch):
    sentences = [f"It is {number}." for number in range(8)]
    monkeypatch.setattr(
        module,
        "wikipedia_articles",
        lambda: [
            article(
                [" ".join(sentences)],
                [" ".join(sentences[:7])],
                [" ".join(sentences[:5]), " ".join(sentences[5:])],
                ["Yes. " * 41],
            )
        ],
    )
    (example,) = section_examples(2)
    assert example.name == "T" and example.sentences == sentences and sum(example.labels) == 2
    assert example.references == [
        [sentence for sentence, label in zip(sentences, example.labels) if label]
    ]


def test_gap_sentences_by_rouge_itself():
    """Against rouge-score: each sentence as the summary of all others."""
    scorer, generator = RougeScorer(["rouge1"]), random.Random(0)
    for _ in range(30):
        sentences = [
            " ".join(generator.choices("abcdefghijkl", k=generator.randint(1, 12)))
            for _ in range(generator.randint(3, 9))
        ]
        scores = [
            scorer.score(" ".join(sentences[:i] + sentences[i + 1 :]), sentence)["rouge1"].fmeasure
            for i, sentence in enumerate(sentences)
        ]
        chosen = gap_sentences(sentences, 3)
        assert chosen == sorted(set(chosen)) and len(chosen) == 3
        assert (
            sorted(round(scores[i], 9) for i in chosen)
            == sorted(round(score, 9) for score in scores)[-3:]
        ), "up to equal scores"


def test_gap_sentences_where_there_is_little():
    assert (
        gap_sentences([], 3) == []
        and gap_sentences(["One."], 3) == [0]
        and gap_sentences(["안녕.", "!", ""], 2) == [0, 1]
    )


def test_overlaps_by_hand():
    example = Example(
        "", ["The cat sat.", "Dogs bark.", "A dog"], [["the cat"], ["A dog,", "Dogs"]]
    )
    assert overlaps(example) == pytest.approx(
        [2 * 2 / 5 + 2 * 1 / 3, 2 * 1 / 5, 2 * 2 / 5 + 2 * 1 / 3], abs=1e-6
    )


def test_the_default_corpus():
    leads, sections = lead_examples(), section_examples()
    assert 80 <= len(leads) <= 90 and 800 <= len(sections) <= 850
    assert 10 < sum(len(example.references[0]) for example in leads) / len(leads) < 12
    assert all(
        len(example.sentences) == len(example.labels) <= 60 and 1 <= sum(example.labels) <= 3
        for example in leads
    )
    assert (
        all(sum(example.labels) == 3 for example in sections)
        and len({example.name for example in sections}) > 75
    )
    texts = wikipedia_texts()
    for example in (*leads, *sections):
        assert any(example.sentences[-1] in text for text in texts)


# -- SciTLDR ---------------------------------------------------------------------------------------


def test_scitldr(tmp_path):
    (tmp_path / "train.jsonl").write_text(lines(ABSTRACT, ABSTRACT | {"paper_id": "x2"}))
    (tmp_path / "dev.jsonl.gz").write_bytes(gzip.compress(lines(ABSTRACT).encode()))
    (tmp_path / "test.jsonl.xz").write_bytes(lzma.compress(lines(ABSTRACT).encode()))
    wanted = Example("x1", ["We look at it.", "It is new."], [["A new thing."], ["New."]], [0, 1])
    assert [example.name for example in scitldr_examples("train", tmp_path)] == ["x1", "x2"]
    assert scitldr_examples("train", tmp_path)[0] == wanted
    assert scitldr_examples("valid", tmp_path) == scitldr_examples("test", tmp_path) == [wanted]


@pytest.mark.parametrize(
    ("split", "documents", "sentences"),
    [("train", 1992, 14283 - 1), ("valid", 619, 4489), ("test", 618, 4859)],
)
def test_the_real_scitldr(split, documents, sentences, needs_shared_data):
    """The numbers of its card; one sentence of the training part is blank."""
    found = scitldr_examples(split, needs_shared_data / "scitldr")
    assert len(found) == documents and sum(len(example.sentences) for example in found) == sentences
    assert all(
        sum(example.labels) == 1 and len(example.labels) == len(example.sentences)
        for example in found
    )
    assert {len(example.references) for example in found} == (
        {1} if split == "train" else {1, 2, 3, 4} if split == "valid" else {2, 3, 4}
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"source": []},
            'wanted "source" and "target", lists of at least one sentence each, found {',
        ),
        ({"target": "A new thing."}, 'wanted "source" and "target"'),
        ({"source": ["One.", 2, "Three."]}, 'wanted "source" and "target"'),
        (
            {"source_labels": [0, 1]},
            r'wanted "source_labels" with 0 or 1 for each of the 3 sentences, found \[0, 1\]',
        ),
        ({"source_labels": [0, 0, 2]}, 'wanted "source_labels"'),
        ({"source_labels": None}, 'wanted "source_labels"'),
        ({"source": ["", " ", "\n"]}, "an empty document or summary"),
        ({"target": [" "]}, "an empty document or summary"),
    ],
)
def test_a_bad_row_of_scitldr_is_told_with_file_and_line(change, message, tmp_path):
    (tmp_path / "train.jsonl").write_text(lines(ABSTRACT) + "\n" + lines(ABSTRACT | change))
    with pytest.raises(ValueError, match=f"train.jsonl, line 3: {message}"):
        scitldr_examples("train", tmp_path)


def test_no_json_no_object_no_file_no_split(tmp_path):
    (tmp_path / "train.jsonl").write_text("[1]\n")
    with pytest.raises(ValueError, match=r"train.jsonl, line 1: wanted .* found \[1\]"):
        scitldr_examples("train", tmp_path)
    (tmp_path / "train.jsonl").write_text("{'a': 1}\n")
    with pytest.raises(ValueError, match="train.jsonl, line 1: not JSON"):
        scitldr_examples("train", tmp_path)
    with pytest.raises(ValueError, match="holds none of dev.jsonl, dev.jsonl.gz, dev.jsonl.xz"):
        scitldr_examples("valid", tmp_path)
    with pytest.raises(ValueError, match="split must be one of train, valid, test, not 'dev'"):
        scitldr_examples("dev", tmp_path)


# -- CNN/DailyMail ---------------------------------------------------------------------------------

READ = Example(
    "ab", ["One is here.", "Two are in the U.S. now.", '"Three?"'], [["One and two.", "Three, too"]]
)


def test_cnndm_rows(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        lines(ARTICLE, ARTICLE | {"article": " "}, ARTICLE | {"highlights": ""})
    )
    assert cnndm_examples(tmp_path / "a.jsonl") == [READ], (
        "rows without an article or highlights are left out"
    )
    (tmp_path / "a.csv.gz").write_bytes(
        gzip.compress(
            (
                'n,id,article,highlights\r\n0,ab,"'
                + ARTICLE["article"].replace('"', '""')
                + '","'
                + ARTICLE["highlights"]
                + '"\r\n'
            ).encode()
        )
    )
    assert cnndm_examples(str(tmp_path / "a.csv.gz")) == [READ]


def test_bertsums_own_form(tmp_path):
    (tmp_path / "a.train.0.json").write_text(
        json.dumps([{"src": [["one", "is"], ["two", "."]], "tgt": [["one", "'s"]]}])
    )
    assert cnndm_examples(tmp_path / "a.train.0.json") == [
        Example("a.train.0.json, article 1", ["one is", "two ."], [["one 's"]])
    ]


@pytest.mark.parametrize(
    ("name", "documents", "sentences", "highlights"),
    [
        ("bertsum_cnndm_sample.train.0.json", 6, 267, 19),
        ("cnndm_train_100_article_highlights.csv.gz", 100, None, None),
        ("cnndm_validation_15.jsonl.gz", 15, None, None),
    ],
)
def test_the_real_cnndm(name, documents, sentences, highlights, needs_shared_data):
    found = cnndm_examples(needs_shared_data / "cnndm" / name)
    assert len(found) == documents and all(
        len(example.references) == 1 and example.labels is None for example in found
    )
    assert sentences in (None, sum(len(example.sentences) for example in found))
    assert highlights in (None, sum(len(example.references[0]) for example in found))
    if not name.endswith(".json"):
        assert not any(
            sentence.endswith(" .") or " , " in sentence
            for example in found
            for sentence in example.sentences + example.references[0]
        )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.jsonl",
            lines(ARTICLE, {"article": "One."}),
            'a.jsonl, line 2: wanted the strings "article" and "highlights", found {',
        ),
        ("a.csv", "article,summary\nOne.,Two.\n", "a.csv, line 2: wanted the strings"),
        (
            "a.csv",
            'article,highlights\nOne.,Two.\n"One.\n\nTwo."\n',
            "a.csv, line 5: wanted the strings",
        ),
        ("a.csv", "", "a.csv is empty"),
        ("a.json", "{", "a.json: not JSON"),
        ("a.json", "[" + "7" * 5_000 + "]", "a.json: not JSON"),
        ("a.json", "{}", r"a.json: wanted a list of articles, found {}"),
        (
            "a.json",
            '[{"src": [["a"]], "tgt": [["a"]]}, {"src": ["a b"], "tgt": [["a"]]}]',
            'a.json, article 2: wanted "src" and "tgt"',
        ),
        ("a.txt", "", "its name must end in .json, .csv or .jsonl"),
    ],
)
def test_a_bad_row_of_cnndm_is_told_with_file_and_place(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        cnndm_examples(tmp_path / name)


def test_a_missing_file_of_cnndm(tmp_path):
    for name in ("a.json", "a.csv.gz", "a.jsonl"):
        with pytest.raises(ValueError, match=f"cannot read .*{name}: No such file"):
            cnndm_examples(tmp_path / name)


# -- the hub ---------------------------------------------------------------------------------------


@pytest.fixture
def hub(monkeypatch):
    """A hub with two small sets, in the schemas of the real ones, streamed by the library itself;
    returns what was asked for."""
    asked = []

    def load_dataset(path, split, streaming, **options):
        asked.append((path, split, options))
        assert streaming
        row = (
            {
                name: ABSTRACT[name]
                for name in ("source", "source_labels", "rouge_scores", "paper_id", "target")
            }
            if path == SCITLDR
            else ARTICLE
        )
        return datasets.Dataset.from_list([row, row]).to_iterable_dataset()

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda self, path, timeout: None)
    return asked


def test_from_the_hub(hub, tmp_path):
    (tmp_path / "train.jsonl").write_text(lines(ABSTRACT))
    assert scitldr_examples("train") == 2 * scitldr_examples("train", tmp_path)
    assert cnndm_examples() == cnndm_examples(split="valid") == [READ, READ]
    assert hub == [
        (SCITLDR, "train", {"data_dir": "Abstract", "revision": "refs/convert/parquet"}),
        (CNN_DAILYMAIL, "test", {"name": "3.0.0"}),
        (CNN_DAILYMAIL, "validation", {"name": "3.0.0"}),
    ]


def test_without_a_network(monkeypatch):
    def offline(self, path, timeout):
        raise ConnectionError("Name or service not known")

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", offline)
    with pytest.raises(
        ValueError,
        match="cannot read SciTLDR .allenai/scitldr on the hub.: ConnectionError: .* or give the "
        "folder that holds its files",
    ):
        scitldr_examples("test")
    with pytest.raises(
        ValueError, match="cannot read CNN/DailyMail .*: check the network; or give a file of it"
    ):
        cnndm_examples(split="train")
    with pytest.raises(ValueError, match="split must be one of train, valid, test, not 'dev'"):
        cnndm_examples(split="dev")
