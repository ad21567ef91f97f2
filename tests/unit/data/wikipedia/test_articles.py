"""The default corpus: what cleaning takes away and leaves, the whole of it, its cache, and life
without gensim."""

import bz2
import errno
import functools
import hashlib
import importlib.metadata
import io
import lzma
import os
import re
import sys

import mwparserfromhell
import pytest
from tqdm import tqdm

from minibert.data.corpora import documents
from minibert.data.wikipedia import articles as wikipedia
from minibert.data.wikipedia import cache, clean_markup, labels
from minibert.data.wikipedia.clean_markup import clean_sections


def clean(source):
    return [
        paragraph
        for section in clean_sections(mwparserfromhell.parse(source))
        for paragraph in section["paragraphs"]
    ]


# -- cleaning --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "paragraphs"),
    [
        (
            "'''Art''' is [[old]] and [[youth|young]]{{citation needed}}.<ref>A note.</ref> "
            "It&nbsp;is.",
            ["Art is old and young. It is."],
        ),
        (
            "{{Infobox|a=b}}\nOne.\n\n[[File:A.jpg|thumb|A caption with a "
            "[[link]].]]\nTwo.\n[[Category:Arts]]\n[[fr:Art]]",
            ["One.", "Two."],
        ),
        (
            "One.\n== Heading ==\nTwo.\n\n{| class=wikitable\n|-\n| A cell.\n|}\nThree.",
            ["One.", "Two.", "Three."],
        ),
        (
            "One.\n== See also ==\nAn article.\n=== More ===\nMore.\n== Life ==\nTwo.",
            ["One.", "Two."],
        ),
        (
            "They are:\n* short\n* This is an item that is long enough to be prose.\n* A book of "
            "a long title, by somebody. ISBN 0-123.\nAfter.",
            ["This is an item that is long enough to be prose.", "After."],
        ),
        (
            "One. It is <math>x^2</math>. Or 10<sup>5</sup>. The 5<sup>th</sup> H<sub>2</sub>O. "
            "{{chem|C}} too.",
            ["One. The 5th H2O."],
        ),
        (
            "It is {{convert|5|km|mi}} long ({{IPA-en|x}}; {{lang|fr|été}} or "
            "{{lang-de|Sommer}}) , ( ) see {{as of|2014}}.",
            ["It is 5 km long (été or Sommer), see As of 2014."],
        ),
        (
            "It weighs {{convert|5|to|8|kg}} (; {{IPAc-en|x}}; , now). The vowel {{IPA|a}} is.",
            ["It weighs 5 to 8 kg (now)."],
        ),
        (
            "See [http://a.org the site] and http://b.org or [http://c.org]. <!-- not this --> "
            "''Hamlet'''s end.",
            ["See the site and or. Hamlet's end."],
        ),
        ("A caption without a stop\n\nA sentence. As follows:", ["A sentence."]),
        ("Broken [[ link. Fine. A || cell.", ["Fine."]),
        ("[[Alien: Resurrection]] is a film.", ["Alien: Resurrection is a film."]),
    ],
)
def test_what_is_left_of_markup(source, paragraphs):
    assert clean(source) == paragraphs


@pytest.mark.parametrize(
    "name",
    [
        "chem",
        "coord",
        "currentyear",
        "dentalformula",
        "eqm",
        "frac",
        "IPA",
        "math",
        "pop density",
        "railgauge",
        "sup",
        "US patent",
        "US$",
        "USS",
        "val",
        "vr",
    ],
)
def test_a_sentence_with_a_template_that_says_something_unreadable_is_left_out(name):
    """Not the template alone: the rest would be no sentence."""
    assert clean(f"One. It is {{{{{name}|a|b}}}} here. Two.") == ["One. Two."]


@pytest.mark.parametrize(
    ("template", "left"),
    [
        ("lang|fr|été", "été"),
        ("transl|ar|kitab", "kitab"),
        ("lang-fr|été", "été"),
        ("Nihongo|sword|剣|ken", "sword"),
        ("as of|2014|df=US", "As of 2014"),
        ("quote|He came.", "He came."),
        ("smaller|few", "few"),
        ("nowrap|a b", "a b"),
        ("vanchor|place", "place"),
        ("angbr|th", "th"),
        ("sc|bc", "bc"),
        ("convert|5|km|mi", "5 km"),
        ("cvt|5|km|0", "5 km"),
        ("cite book|Book|2", ""),
        ("lang", ""),
        ("convert|5", "5"),
    ],
)
def test_what_a_template_leaves_behind(template, left):
    assert clean(f"It is {{{{{template}}}}} here.") == [f"It is {left} here.".replace("  ", " ")]


@pytest.mark.parametrize("between", ["-", "–", "to", "and", "or", "x", "by"])
@pytest.mark.parametrize("name", ["convert", "cvt"])
def test_a_range_keeps_both_its_ends(name, between):
    assert clean(f"It is {{{{{name}|5| {between} |8|km|mi}}}} long.") == [
        f"It is 5 {between} 8 km long."
    ]


@pytest.mark.parametrize(
    "tag",
    [
        "ref",
        "references",
        "table",
        "gallery",
        "timeline",
        "source",
        "syntaxhighlight",
        "pre",
        "imagemap",
    ],
)
def test_tags_that_hold_no_prose(tag):
    assert clean(f"One.<{tag}>Gone.</{tag}> Two.") == ["One. Two."]


@pytest.mark.parametrize(
    ("source", "paragraphs"),
    [
        *(
            (f"One.<{tag}>Two.</{tag}>Three.", ["One.", "Two.", "Three."])
            for tag in ("blockquote", "div", "center")
        ),
        ("One<br>two <small>three</small> <SUB>four</SUB>.", ["One two three four."]),
        (
            "Two<sup>nd</sup>. So <math>x</math> is a letter, <math>x+1</math> none. A "
            "<chem>C2</chem> too.",
            ["Twond."],
        ),
        *(
            (
                f"One.\n{mark} Short.\n{mark} This is an item that is long enough now.\nTwo.",
                ["One.", "This is an item that is long enough now.", "Two."],
            )
            for mark in "*#:;"
        ),
        # the mark counts as a word where a space stands behind it
        (
            "One.\n*Now an item of eight words is enough.\n* Seven words are enough with their "
            "mark.\n*Seven words are a few too few.\n* Six words are a few less.",
            [
                "One.",
                "Now an item of eight words is enough.",
                "Seven words are enough with their mark.",
            ],
        ),
        (
            "One.\n* It is a book of the Oxford Press, long enough.\n* A Pressing matter that is "
            "long enough as well.",
            ["One.", "A Pressing matter that is long enough as well."],
        ),
        ("<dl><dt>Said in tags.</dt></dl>", ["Said in tags."]),
    ],
)
def test_tags_that_stand_between_paragraphs_and_items_of_lists(source, paragraphs):
    assert clean(source) == paragraphs


@pytest.mark.parametrize(
    "heading",
    [
        "Reference",
        "References",
        "Bibliography",
        "Further reading",
        "Sources",
        "Notes and references",
        "Footnotes",
        "Citation",
        "Works cited",
        "External links",
        "See also",
        "Modern editions",
        "Publications",
        "Textbooks",
    ],
)
def test_sections_that_hold_no_prose(heading):
    assert clean(
        f"One.\n== {heading} ==\nGone.\n=== Inside ===\nGone.\n== Life ==\nTwo.\n=== Notebooks "
        "===\nThree."
    ) == ["One.", "Two.", "Three."]


@pytest.mark.parametrize(
    "trace",
    [
        "[[a",
        "a]]",
        "{{a",
        "a}}",
        "</p",
        "<p a",
        "''a",
        "thumb|a",
        "a || b",
        "a !! b",
        "style=a",
        "align=a",
        "class=a",
    ],
)
def test_a_sentence_with_markup_that_was_not_understood_is_left_out(trace):
    assert clean(f"One. It has {trace} left. Two.") == ["One. Two."]


@pytest.mark.parametrize(
    ("source", "paragraphs"),
    [
        *(
            (f"A {before} c.", [f"A {now} c."])
            for before, now in (
                ("(; b)", "(b)"),
                ("(: b)", "(b)"),
                ("(, ; b)", "(b)"),
                ("(b ; )", "(b)"),
                ("(b,)", "(b)"),
                ("( b)", "(b)"),
                ("(b )", "(b)"),
                ("b , c , , d", "b, c, d"),
            )
        ),
        *((f"A {nothing} c.", ["A c."]) for nothing in ("()", "( )", "(or)", "( also )")),
        ("A ; b : c ! d ?", ["A; b: c! d?"]),
        ("A :b .5 is.", ["A :b .5 is."]),
        ("''Hamlet'''s and the ''Enterprise''{{'s}} end.", ["Hamlet's and the Enterprise's end."]),
        ("A &amp; B &lt; C.", ["A & B < C."]),
        *(
            (f"It ends{mark}{closing}\n\nNot this", [f"It ends{mark}{closing}"])
            for mark in ".!?…"
            for closing in ("", '"', "'", "’", "”", ")", "]", ".)")
        ),
        (
            "[[File:A.jpg]] [[ :Category:Arts]] [[Wikipedia talk:A-b]] [[2001: A Space Odyssey|A "
            "film]] is. [[2001: A Space Odyssey]] and [[1 Samuel:2]] too.",
            ["A film is. 2001: A Space Odyssey and 1 Samuel:2 too."],
        ),
    ],
)
def test_what_is_tidied_and_what_links_leave(source, paragraphs):
    assert clean(source) == paragraphs


def test_the_sections_of_an_article():
    source = (
        "A {{x}}lead.\n\nMore.\n== Life &amp; [[work|works]] ==\nOne.\n=== Early "
        "===\nTwo.\n<div>\n=== Inside ===\nThree.\n</div>\n"
        "== Table ==\n{|\n| A cell.\n|}\n== References ==\nA book.\n=== More "
        "===\nAnother.\n==Death==\nFour."
    )
    assert clean_sections(mwparserfromhell.parse(source)) == [
        {"heading": "", "level": 1, "paragraphs": ["A lead.", "More."]},
        {"heading": "Life & works", "level": 2, "paragraphs": ["One."]},
        {"heading": "Early", "level": 3, "paragraphs": ["Two."]},
        {"heading": "Inside", "level": 3, "paragraphs": ["Three."]},
        {"heading": "Death", "level": 2, "paragraphs": ["Four."]},
    ]


def test_an_article_without_a_lead_has_an_empty_one():
    assert [
        section["paragraphs"] for section in clean_sections(mwparserfromhell.parse("== A ==\nOne."))
    ] == [[], ["One."]]


def test_the_structure_holds_the_same_text():
    articles = wikipedia.wikipedia_articles()
    texts = [
        "\n\n".join(
            paragraph for section in article["sections"] for paragraph in section["paragraphs"]
        )
        for article in articles
    ]
    assert texts == wikipedia.wikipedia_texts()
    assert articles[0]["title"] == "Anarchism" and [
        section["heading"] for section in articles[0]["sections"]
    ][:3] == ["", "Etymology and terminology", "Origins"]
    headings = [section["heading"] for article in articles for section in article["sections"]]
    assert len(headings) > 1500 and not any(
        re.search(r"==|[\[\]{}<>\n]|''|^ | $", heading) for heading in headings
    )


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
    assert texts[0].startswith(
        "Anarchism is a political philosophy that advocates self-governed societies based on "
        "voluntary institutions."
    )
    assert any(
        "one aardwolf can eat about 250,000 termites during a single night" in text
        for text in texts
    )


def test_no_markup_is_left():
    whole = "\n\n".join(wikipedia.wikipedia_texts())
    for trace in (
        "[[",
        "]]",
        "{{",
        "}}",
        "<ref",
        "</",
        "''",
        "http",
        "thumb|",
        "&nbsp;",
        "==",
        "|-",
        "||",
        "ISBN",
        "()",
        "( ",
        " )",
        "  ",
        clean_markup.HOLE,
        clean_markup.ITEM.strip(),
    ):
        assert trace not in whole, (trace, whole[whole.index(trace) - 50 :][:100])
    assert len(re.findall(r"(?m)^[*#:;]", whole)) == 0
    assert len(re.findall(r" [,.;:!?](?= |$)", whole)) < 10


@pytest.mark.slow
def test_cleaning_makes_what_the_cache_holds(monkeypatch, tmp_path):
    cached = wikipedia.wikipedia_texts()
    monkeypatch.setenv("MINIBERT_CACHE_DIR", str(tmp_path / "new" / "folder"))
    assert wikipedia.wikipedia_texts() == cached
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == [
        "wikipedia-extract-1.jsonl.xz"
    ]
    assert "gensim" not in sys.modules, "it is never imported"


# -- labels ----------------------------------------------------------------------------------------


def test_what_writers_marked():
    source = (
        "{{Infobox person|Name = '''A''' & B|birth_date={{birth date|df=yes|1879|3|4}}<br>in "
        "[[Ulm]]|empty= }}\n"
        "[[File:A.jpg|thumb|of a [[link]]]] He lived in [[Ulm]], [[Germany|the ''south'']] and "
        "[[:Category:Cities]].<ref>[[A note]]</ref>\n"
        "[[Category:1879 births|A]][[category:Physicists]][[fr:Ulm]]"
    )
    assert labels.labels_of(mwparserfromhell.parse(source)) == {
        "categories": ["1879 births", "Physicists"],
        "links": ["Ulm", "link", "the south", "A note"],
        "infobox": {
            "name": ["A & B"],
            "birth_date": ["in Ulm", "4 March 1879", "March 4, 1879", "Ulm"],
            "empty": [],
        },
    }


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("Infobox person", True),
        (" infobox", True),
        ("Automatic taxobox", True),
        ("Taxobox", True),
        ("Speciesbox", True),
        ("geobox", False),
        ("x infobox", False),
    ],
)
def test_what_counts_as_an_infobox(name, is_one):
    assert labels.labels_of(mwparserfromhell.parse(f"{{{{{name}\n| Slot = [[A]] & b }}}}"))[
        "infobox"
    ] == ({"slot": ["A & b", "A"]} if is_one else {})


@pytest.mark.parametrize(
    ("template", "dates"),
    [
        ("birth date|1879|3|14", ["14 March 1879", "March 14, 1879"]),
        ("Birth date and age|df=y|1879|03|04", ["4 March 1879", "March 4, 1879"]),
        ("death-date|1955|12|1", ["1 December 1955", "December 1, 1955"]),
        ("death date and age|mf=yes|1955|4|18|1879|3|14", ["18 April 1955", "April 18, 1955"]),
        ("birth date|1879|13|1", []),
        ("start date|1879|3|14", []),
        ("birth year|1879", []),
        ("birth date|79|3|14", []),
    ],
)
def test_dates_as_people_write_them(template, dates):
    assert labels.labels_of(mwparserfromhell.parse(f"{{{{Infobox x|a={{{{{template}}}}}}}}}"))[
        "infobox"
    ] == {"a": dates}


def test_labels_come_once_and_empty_ones_not_at_all():
    source = "{{Infobox x|a={{flag|b}}|b=[[A]]<br />[[A]]|b=[[C]]}} {{Infobox y|c=d &amp; e}} [[A]] [[ ]] [[B|]] {{y|{{Infobox z|e=f}}}} [[category : Arts|A]] [[x Category:B]] [[1 Samuel:2]]"
    assert labels.labels_of(mwparserfromhell.parse(source)) == {
        "categories": ["Arts"],
        "links": ["A", "C", "1 Samuel:2"],
        "infobox": {"a": [], "b": ["A A", "A"], "c": ["d & e"]},
    }


def test_every_article_has_its_labels():
    labels = {article["title"]: article for article in wikipedia.wikipedia_labels()}
    assert {article["title"] for article in wikipedia.wikipedia_articles()} <= set(labels)
    assert (
        "1879 births" in labels["Albert Einstein"]["categories"]
        and "Princeton, New Jersey" in labels["Albert Einstein"]["links"]
    )
    assert labels["Alaska"]["infobox"]["capital"] == ["Juneau"]
    assert labels["Albert Einstein"]["infobox"]["birth_date"] == ["14 March 1879", "March 14, 1879"]


# -- the extract -----------------------------------------------------------------------------------

PAGE = "<page><title>{}</title><ns>{}</ns>{}<revision><text>{}</text></revision></page>"
PROSE = "It is an article. It has four sentences. This is the third. Here is the last of them."


@pytest.fixture
def dump(monkeypatch, tmp_path):
    """An installed extract of five pages: two articles, a redirect, a page of talk, an article that
    is too short by a sentence."""
    pages = [
        PAGE.format(
            "Art",
            0,
            "",
            f"{PROSE}\n== Life ==\nA &lt;ref&gt;note&lt;/ref&gt;fifth. [[Category:Arts]]",
        ),
        PAGE.format("Arts", 0, '<redirect title="Art" />', PROSE * 2),
        PAGE.format("Talk:Art", 1, "", PROSE * 2),
        PAGE.format("Stub", 0, "", PROSE),
        PAGE.format("Ark", 0, "", f"{PROSE}\n\nA [[boat]]."),
    ]
    data = bz2.compress(f'<mediawiki xmlns="http://a.org/">{"".join(pages)}</mediawiki>'.encode())
    path = tmp_path / wikipedia.EXTRACT
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    monkeypatch.setattr(
        importlib.metadata,
        "distribution",
        {"gensim": importlib.metadata.PathDistribution(tmp_path / "gensim.dist-info")}.__getitem__,
    )
    monkeypatch.setattr(wikipedia, "DIGEST", hashlib.sha256(data).hexdigest())
    monkeypatch.setenv("MINIBERT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def test_articles_come_from_the_extract_in_its_order(dump):
    """Redirects and talk are none, and one with fewer than five sentences tells nobody anything."""
    lead = {"heading": "", "level": 1, "paragraphs": [PROSE]}
    assert wikipedia.wikipedia_articles() == [
        {
            "title": "Art",
            "sections": [lead, {"heading": "Life", "level": 2, "paragraphs": ["A fifth."]}],
        },
        {"title": "Ark", "sections": [lead | {"paragraphs": [PROSE, "A boat."]}]},
    ]
    assert wikipedia.wikipedia_texts() == [f"{PROSE}\n\nA fifth.", f"{PROSE}\n\nA boat."]
    assert list(wikipedia.clean_extract())[1] == {"title": "Ark", "text": f"{PROSE}\n\nA boat."}
    assert wikipedia.wikipedia_labels() == [
        {"title": "Art", "categories": ["Arts"], "links": [], "infobox": {}},
        {"title": "Stub", "categories": [], "links": [], "infobox": {}},
        {"title": "Ark", "categories": [], "links": ["boat"], "infobox": {}},
    ]


def test_each_kind_has_a_cache_that_a_later_version_would_find(dump):
    for read in (
        wikipedia.wikipedia_texts,
        wikipedia.wikipedia_articles,
        wikipedia.wikipedia_labels,
    ):
        first = read()
        (dump / wikipedia.EXTRACT).unlink(
            missing_ok=True
        ) if read is wikipedia.wikipedia_labels else None
        assert read() == first
    assert sorted(path.name for path in (dump / "cache").iterdir()) == [
        f"wikipedia-{what}-1.jsonl.xz" for what in ("articles", "extract", "labels")
    ]
    with pytest.raises(
        ValueError, match="is not installed: pip install gensim==4.4.0 mwparserfromhell"
    ):
        next(wikipedia.clean_articles())


def test_a_bar_tells_what_the_first_call_is_waiting_for(dump, monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(wikipedia, "tqdm", functools.partial(tqdm, file=screen, disable=False))
    wikipedia.wikipedia_texts()
    assert re.search(r"Cleaning Wikipedia articles: 100%.*\| 3/3 \[.*article", screen.getvalue())
    wikipedia.wikipedia_labels()
    assert "Reading labels of Wikipedia articles: 100%" in screen.getvalue()


def test_where_the_caches_are(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name, folder in (
        (str(tmp_path / "here"), tmp_path / "here"),
        ("", tmp_path / ".cache" / "minibert"),
        (None, tmp_path / ".cache" / "minibert"),
    ):
        monkeypatch.setenv("MINIBERT_CACHE_DIR", name) if name is not None else monkeypatch.delenv(
            "MINIBERT_CACHE_DIR"
        )
        assert cache.cache_folder() == folder


def test_a_home_folder_that_is_not_there_is_not_made(small, monkeypatch, tmp_path):
    """The corpus is cleaned, and a warning says that it is not kept."""
    _, cleaned = small
    home = tmp_path / "home"
    for name, value in (("MINIBERT_CACHE_DIR", ""), ("HOME", home), ("USERPROFILE", home)):
        monkeypatch.setenv(name, str(value))
    for count in (1, 2):
        with pytest.warns(UserWarning, match="corpus is not kept: there is no home folder for"):
            assert wikipedia.wikipedia_texts() == TEXTS
        assert len(cleaned) == count
    assert not home.exists()


# -- the cache -------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A dump of two articles; returns the folder of the cache and how often the articles were
    cleaned."""
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


@pytest.mark.parametrize(
    "damage", ["cut short", "another byte", "foreign", "a line is missing", "empty"]
)
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


def test_a_cache_that_cannot_be_written_leaves_no_part_of_it(small, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    folder, _ = small
    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(UserWarning, match="No space left on device"):
        assert wikipedia.wikipedia_texts() == TEXTS
    assert not list(folder.iterdir())


def test_a_line_separator_in_a_text_is_no_damage(small, monkeypatch):
    _, cleaned = small
    records = [{"title": "A", "text": "One.\u2028Two."}]
    monkeypatch.setattr(wikipedia, "clean_extract", lambda: cleaned.append(1) or records)
    for _ in range(2):
        assert wikipedia.wikipedia_texts() == ["One.\u2028Two."]
    assert len(cleaned) == 1


# -- without the packages
# ----------------------------------------------------------------------------------------------


@pytest.fixture
def no_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("MINIBERT_CACHE_DIR", str(tmp_path))


def test_without_gensim_it_says_what_to_install(no_cache, monkeypatch):
    def distribution(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    with pytest.raises(
        ValueError,
        match="part of the package gensim, version 4.4.0, which is not installed: pip install gensim==4.4.0 mwparserfromhell",
    ):
        documents("default")


def test_without_the_parser_it_says_what_to_install(no_cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(
        ValueError,
        match="needs the package mwparserfromhell: pip install gensim==4.4.0 mwparserfromhell",
    ):
        documents("default")


def test_another_extract_is_refused(no_cache, monkeypatch):
    monkeypatch.setattr(wikipedia, "DIGEST", "0" * 64)
    with pytest.raises(
        ValueError, match="is not the extract that this course uses: its sha256 is a53f46"
    ):
        documents("default")
