"""The default corpus: what cleaning takes away and leaves, the whole of it, its cache, and life without gensim."""

import importlib.metadata
import lzma
import re
import sys

import mwparserfromhell
import pytest

from minibert.data import wikipedia
from minibert.data.corpora import documents
from minibert.data.wikipedia import clean_sections


def clean(source):
    return [paragraph for section in clean_sections(mwparserfromhell.parse(source)) for paragraph in section["paragraphs"]]


# -- cleaning ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("source", "paragraphs"), [
    ("'''Art''' is [[old]] and [[youth|young]]{{citation needed}}.<ref>A note.</ref> It&nbsp;is.", ["Art is old and young. It is."]),
    ("{{Infobox|a=b}}\nOne.\n\n[[File:A.jpg|thumb|A caption with a [[link]].]]\nTwo.\n[[Category:Arts]]\n[[fr:Art]]", ["One.", "Two."]),
    ("One.\n== Heading ==\nTwo.\n\n{| class=wikitable\n|-\n| A cell.\n|}\nThree.", ["One.", "Two.", "Three."]),
    ("One.\n== See also ==\nAn article.\n=== More ===\nMore.\n== Life ==\nTwo.", ["One.", "Two."]),
    ("They are:\n* short\n* This is an item that is long enough to be prose.\n* A book of a long title, by somebody. ISBN 0-123.\nAfter.",
     ["This is an item that is long enough to be prose.", "After."]),
    ("One. It is <math>x^2</math>. Or 10<sup>5</sup>. The 5<sup>th</sup> H<sub>2</sub>O. {{chem|C}} too.", ["One. The 5th H2O."]),
    ("It is {{convert|5|km|mi}} long ({{IPA-en|x}}; {{lang|fr|été}} or {{lang-de|Sommer}}) , ( ) see {{as of|2014}}.",
     ["It is 5 km long (été or Sommer), see As of 2014."]),
    ("It weighs {{convert|5|to|8|kg}} (; {{IPAc-en|x}}; , now). The vowel {{IPA|a}} is.", ["It weighs 5 to 8 kg (now)."]),
    ("See [http://a.org the site] and http://b.org or [http://c.org]. <!-- not this --> ''Hamlet'''s end.", ["See the site and or. Hamlet's end."]),
    ("A caption without a stop\n\nA sentence. As follows:", ["A sentence."]),
    ("Broken [[ link. Fine. A || cell.", ["Fine."]),
    ("[[Alien: Resurrection]] is a film.", ["Alien: Resurrection is a film."]),
])
def test_what_is_left_of_markup(source, paragraphs):
    assert clean(source) == paragraphs


def test_the_sections_of_an_article():
    source = ("A {{x}}lead.\n\nMore.\n== Life &amp; [[work|works]] ==\nOne.\n=== Early ===\nTwo.\n<div>\n=== Inside ===\nThree.\n</div>\n"
              "== Table ==\n{|\n| A cell.\n|}\n== References ==\nA book.\n=== More ===\nAnother.\n==Death==\nFour.")
    assert clean_sections(mwparserfromhell.parse(source)) == [
        {"heading": "", "level": 1, "paragraphs": ["A lead.", "More."]}, {"heading": "Life & works", "level": 2, "paragraphs": ["One."]},
        {"heading": "Early", "level": 3, "paragraphs": ["Two."]}, {"heading": "Inside", "level": 3, "paragraphs": ["Three."]},
        {"heading": "Death", "level": 2, "paragraphs": ["Four."]}]


def test_an_article_without_a_lead_has_an_empty_one():
    assert [section["paragraphs"] for section in clean_sections(mwparserfromhell.parse("== A ==\nOne."))] == [[], ["One."]]


def test_the_structure_holds_the_same_text():
    articles = wikipedia.wikipedia_articles()
    texts = ["\n\n".join(paragraph for section in article["sections"] for paragraph in section["paragraphs"]) for article in articles]
    assert texts == wikipedia.wikipedia_texts()
    assert articles[0]["title"] == "Anarchism" and [section["heading"] for section in articles[0]["sections"]][:3] == ["", "Etymology and terminology", "Origins"]
    headings = [section["heading"] for article in articles for section in article["sections"]]
    assert len(headings) > 1500 and not any(re.search(r"==|[\[\]{}<>\n]|''|^ | $", heading) for heading in headings)


def test_the_whole_corpus():
    """About 99 articles and 416,000 words were counted by another cleaner of the same extract."""
    texts = wikipedia.wikipedia_texts()
    assert 90 <= len(texts) <= 105
    words = sum(len(text.split()) for text in texts)
    assert 380_000 < words < 440_000
    train, valid = list(documents("default")), list(documents("default", "valid"))
    assert len(valid) == len(texts) // 12 and len(train) + len(valid) == len(texts)
    assert all(len(document) >= wikipedia.LEAST for document in train + valid)
    assert 20 < words / sum(map(len, train + valid)) < 24, "words in a sentence"
    assert texts[0].startswith("Anarchism is a political philosophy that advocates self-governed societies based on voluntary institutions.")
    assert any("one aardwolf can eat about 250,000 termites during a single night" in text for text in texts)


def test_no_markup_is_left():
    whole = "\n\n".join(wikipedia.wikipedia_texts())
    for trace in ("[[", "]]", "{{", "}}", "<ref", "</", "''", "http", "thumb|", "&nbsp;", "==", "|-", "||", "ISBN", "()", "( ", " )", "  ", wikipedia.HOLE, wikipedia.ITEM.strip()):
        assert trace not in whole, (trace, whole[whole.index(trace) - 50:][:100])
    assert len(re.findall(r"(?m)^[*#:;]", whole)) == 0
    assert len(re.findall(r" [,.;:!?](?= |$)", whole)) < 10


@pytest.mark.slow
def test_cleaning_makes_what_the_cache_holds(monkeypatch, tmp_path):
    cached = wikipedia.wikipedia_texts()
    monkeypatch.setenv("MINIBERT_CACHE_DIR", str(tmp_path / "new" / "folder"))
    assert wikipedia.wikipedia_texts() == cached
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == ["wikipedia-extract-1.jsonl.xz"]
    assert "gensim" not in sys.modules, "it is never imported"


# -- labels ------------------------------------------------------------------------------------------------------------

def test_what_writers_marked():
    source = ("{{Infobox person|Name = '''A''' & B|birth_date={{birth date|df=yes|1879|3|4}}<br>in [[Ulm]]|empty= }}\n"
              "[[File:A.jpg|thumb|of a [[link]]]] He lived in [[Ulm]], [[Germany|the ''south'']] and [[:Category:Cities]].<ref>[[A note]]</ref>\n"
              "[[Category:1879 births|A]][[category:Physicists]][[fr:Ulm]]")
    assert wikipedia.labels_of(mwparserfromhell.parse(source)) == {
        "categories": ["1879 births", "Physicists"], "links": ["Ulm", "link", "the south", "A note"],
        "infobox": {"name": ["A & B"], "birth_date": ["in Ulm", "4 March 1879", "March 4, 1879", "Ulm"], "empty": []}}


def test_every_article_has_its_labels():
    labels = {article["title"]: article for article in wikipedia.wikipedia_labels()}
    assert {article["title"] for article in wikipedia.wikipedia_articles()} <= set(labels)
    assert "1879 births" in labels["Albert Einstein"]["categories"] and "Princeton, New Jersey" in labels["Albert Einstein"]["links"]
    assert labels["Alaska"]["infobox"]["capital"] == ["Juneau"]
    assert labels["Albert Einstein"]["infobox"]["birth_date"] == ["14 March 1879", "March 14, 1879"]


# -- the cache ---------------------------------------------------------------------------------------------------------

@pytest.fixture
def small(monkeypatch, tmp_path):
    """A dump of two articles; returns the folder of the cache and how often the articles were cleaned."""
    cleaned = []

    def clean_extract():
        cleaned.append(1)
        yield {"title": "A", "text": "One.\n\nTwo."}
        yield {"title": "B", "text": "Été."}
    monkeypatch.setattr(wikipedia, "clean_extract", clean_extract)
    monkeypatch.setenv("MINIBERT_CACHE_DIR", str(tmp_path))
    return tmp_path, cleaned


TEXTS = ["One.\n\nTwo.", "Été."]


def test_the_cache_is_used(small):
    folder, cleaned = small
    assert wikipedia.wikipedia_texts() == wikipedia.wikipedia_texts() == TEXTS
    assert len(cleaned) == 1 and len(list(folder.iterdir())) == 1


def test_another_version_of_the_cleaner_has_another_cache(small, monkeypatch):
    _, cleaned = small
    wikipedia.wikipedia_texts()
    monkeypatch.setattr(wikipedia, "CLEANER", wikipedia.CLEANER + 1)
    wikipedia.wikipedia_texts()
    assert len(cleaned) == 2


@pytest.mark.parametrize("damage", ["cut short", "another byte", "foreign", "a line is missing", "empty"])
def test_a_damaged_cache_is_made_anew(damage, small):
    folder, cleaned = small
    wikipedia.wikipedia_texts()
    (path,) = folder.iterdir()
    data = bytearray(path.read_bytes())
    if damage == "cut short":
        data = data[:-20]
    elif damage == "another byte":
        data[len(data) // 2] ^= 1
    elif damage == "foreign":
        data = lzma.compress(b'{"text": "Something else."}\n')
    elif damage == "a line is missing":
        data = lzma.compress(b"\n".join(lzma.decompress(data).splitlines()[:-1]))
    else:
        data = b""
    path.write_bytes(data)
    assert wikipedia.wikipedia_texts() == TEXTS
    assert wikipedia.wikipedia_texts() == TEXTS and len(cleaned) == 2, "and the new one is whole"


def test_without_a_place_for_the_cache_it_goes_on(small, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("MINIBERT_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="the cleaned corpus could not be kept in"):
        assert wikipedia.wikipedia_texts() == TEXTS


# -- without the packages ----------------------------------------------------------------------------------------------

@pytest.fixture
def no_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("MINIBERT_CACHE_DIR", str(tmp_path))


def test_without_gensim_it_says_what_to_install(no_cache, monkeypatch):
    def distribution(name):
        raise importlib.metadata.PackageNotFoundError(name)
    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    with pytest.raises(ValueError, match="carried by the package gensim, version 4.4.0, which is not installed: pip install gensim==4.4.0 mwparserfromhell"):
        documents("default")


def test_without_the_parser_it_says_what_to_install(no_cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(ValueError, match="needs the package mwparserfromhell: pip install gensim==4.4.0 mwparserfromhell"):
        documents("default")


def test_another_extract_is_refused(no_cache, monkeypatch):
    monkeypatch.setattr(wikipedia, "DIGEST", "0" * 64)
    with pytest.raises(ValueError, match="is not the extract that this course knows: its sha256 is a53f46"):
        documents("default")
