"""Reading documents: sentences in their places, the three formats, other scripts, and everything that is no text."""

import gzip
import io
import sys
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minibert.config import InputError
from minibert.data.sentences import split_sentences
from minibert.summarization.documents import reading
from minibert.summarization.documents.reading import read_file, read_text
from tools.environment import ROOT

DOCUMENTS = ROOT / "tests" / "support" / "documents"
FERRY = """
The ferry across the Lune stopped running in March, after 211 years.
The county had paid for it until the new bridge opened, two kilometres to the north, and nobody wanted to pay for both.
"We knew it was coming," said Dr. Ada Holm, who lives on the far bank.
"We did not know that it would be on a Tuesday."
For most drivers the bridge is faster.
For those without a car the way to the market has grown from four minutes to fifty:
The bus over the bridge goes twice a day, and not on Sundays.
Cyclists share a lane of 1.2 metres with lorries.
The school boat, which used the same landing, has no place to stop any more.
The county points to the accounts.
In its last year the ferry carried 9,300 people and cost 140,000 crowns, i.e. 15 crowns for each of them.
It sold tickets for a tenth of that.
A group of villagers now wants to run the boat in summer, with volunteers and a smaller engine.
They have asked for the old landing, free of rent, and for one thing more: a bell, so that someone on the other side can call them.
""".strip().split("\n")


def sentences(text, format="text"):
    document = read_text(text, format)
    hold(document)
    return [sentence.text for sentence in document.sentences]


def hold(document):
    """What is true of every document: spans give the sentences back, in order, none across two blocks."""
    assert document.sentences
    at = 0
    for sentence in document.sentences:
        assert (
            document.text[sentence.start : sentence.end]
            == sentence.text
            == " ".join(sentence.text.split())
            != ""
        )
        assert at <= sentence.start < sentence.end
        at = sentence.end
        block = document.blocks[sentence.block]
        assert (
            block.kind in ("paragraph", "item")
            and block.start <= sentence.start
            and sentence.end <= block.end
        )
    assert all(one.end < other.start for one, other in zip(document.blocks, document.blocks[1:]))
    assert all(
        letter.isprintable() or letter in "\n\u200c\u200d" or not letter.isascii()
        for letter in document.text
    )


@pytest.mark.parametrize("name", ["ferry.txt", "ferry.md", "ferry.html"])
def test_one_document_in_three_formats_has_the_same_sentences(name):
    document = read_file(DOCUMENTS / name)
    hold(document)
    assert [sentence.text for sentence in document.sentences] == FERRY
    assert (
        "\n\nFor most drivers" in document.text
        and "\n- Cyclists share" in document.text
        and "Not of the text" not in document.text
    )
    assert {
        "ferry.txt": (None, "THE LAST FERRY"),
        "ferry.md": ("The last ferry", "The last ferry"),
        "ferry.html": ("The last ferry", "The last ferry"),
    }[name] == (document.title, document.text.split("\n")[0])


def test_what_is_left_out_is_counted():
    assert read_file(DOCUMENTS / "ferry.txt").left_out == {"headings": 2}
    assert read_file(DOCUMENTS / "ferry.md").left_out == {
        "front matter": 1,
        "code blocks": 1,
        "tables": 1,
        "headings": 2,
    }
    assert read_file(DOCUMENTS / "ferry.html").left_out == {
        "menus, headers, footers": 3,
        "hidden parts": 1,
        "blocks outside of <main>": 1,
        "headings": 3,
        "cells of tables": 6,
    }


@pytest.mark.parametrize("name", ["ferry.txt", "ferry.md", "ferry.html"])
def test_line_ends_and_standard_input_and_a_guessed_format(name, monkeypatch):
    data = (DOCUMENTS / name).read_bytes()
    wanted = read_file(DOCUMENTS / name)
    for changed in (
        data,
        data.replace(b"\n", b"\r\n"),
        data.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + data,
        data.decode().encode("utf-16"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(changed)))
        found = read_file("-")
        assert (found.text, found.sentences, found.format) == (
            wanted.text,
            wanted.sentences,
            wanted.format,
        )
        assert found.name == "standard input"


# -- any text ----------------------------------------------------------------------------------------------------------

PIECES = [
    "The end",
    "the",
    "A",
    "Mr",
    ".",
    "!",
    "…",
    "。",
    "؟",
    "「",
    "」",
    "と",
    "中文",
    "한국어",
    "؛",
    "###",
    "# ",
    "- ",
    "1. ",
    "*",
    "**",
    "_",
    "`",
    "```",
    "~~~",
    "[a]",
    "(b)",
    "![",
    "](",
    "[x]: y",
    "|",
    "---",
    "|-|",
    "===",
    ": ",
    "> ",
    "<p>",
    "</p>",
    "<li>",
    "<b",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<table><td>",
    "<![",
    "<!",
    "<?",
    "</",
    "<h1>",
    "<div hidden>",
    "<pre>",
    "<br>",
    "<main>",
    "&amp;",
    "&#27;",
    "&nbsp",
    "\\",
    "\0",
    "\x1b[31m",
    "\b",
    "\t",
    "\r",
    "\f",
    "\u2028",
    "\u200b",
    "\u00ad",
    "\ud800",
    " ",
    " ",
    "  \n",
    "\n",
    "\n",
    "\n\n",
    "    ",
    "‐\n",
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(["text", "markdown", "html", None]))
def test_any_text_has_its_sentences_in_their_places_or_a_clear_error(text, format):
    try:
        document = read_text(text, format)
    except ValueError as error:
        assert "the text is empty" in str(error) or "the text holds no sentence, read as" in str(
            error
        )
    else:
        hold(document)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "The end",
                "the",
                "is",
                "A list:",
                "Mr",
                "U.S",
                ".",
                "!",
                ",",
                "\n",
                "\n\n",
                "5",
                "。",
                "중국",
            ]
        ),
        max_size=60,
    ).map(" ".join)
)
def test_no_word_of_a_plain_text_is_lost(text):
    try:
        document = read_text(text, "text")
    except ValueError:
        assert not any(letter.isalnum() for letter in text)
    else:
        assert document.text.split() == text.split()
        said = "".join(sentence.text for sentence in document.sentences)
        headings = "".join(
            document.text[block.start : block.end]
            for block in document.blocks
            if block.kind == "heading"
        )
        assert sorted(filter(str.isalnum, said + headings)) == sorted(filter(str.isalnum, text))


def test_one_english_paragraph_is_cut_as_the_corpora_are():
    text = 'Mr. Smith left. He came to the U.S. The war was over... I think. See No. 5. "Stop!" he said. It ended.[3] Then peace.'
    assert sentences(text) == split_sentences(text) and len(sentences(text)) == 7


# -- plain text --------------------------------------------------------------------------------------------------------

# '|' is where a sentence ends, '#' stands before a heading; line breaks are those of the text.
PLAIN = {
    "wrapped prose": (
        "The house stood at the end of a long road that nobody had\nmended since the war. It had a red door and, on the roof, an old\nweather cock that\npointed east.",
        [
            "The house stood at the end of a long road that nobody had mended since the war.",
            "It had a red door and, on the roof, an old weather cock that pointed east.",
        ],
    ),
    "a break after each clause": (
        "We count the words,\nwhich takes a while,\nand then we sort them. Then\nwe stop.",
        ["We count the words, which takes a while, and then we sort them.", "Then we stop."],
    ),
    "a paragraph a line": (
        "A title\n"
        + "Long words follow here. " * 9
        + "\nShort.\n"
        + "More of them follow here. " * 9,
        ["Long words follow here."] * 9 + ["Short."] + ["More of them follow here."] * 9,
    ),
    "a poem without stops": (
        "The rain is on the hill\nThe wind is in the tree\nAnd no one at the mill\nHas any word for me",
        [
            "The rain is on the hill",
            "The wind is in the tree",
            "And no one at the mill",
            "Has any word for me",
        ],
    ),
    "small letters, no stop": (
        "milk and bread\ntwo eggs\na bar of soap",
        ["milk and bread", "two eggs", "a bar of soap"],
    ),
    "a table": (
        "name,year,place\nAda,1815,London\nGrace,1906,New York",
        ["name,year,place", "Ada,1815,London", "Grace,1906,New York"],
    ),
    "a log": (
        "12:00:01 INFO Started.\n12:00:02 WARN disk at 91%\n12:00:07 INFO Done",
        ["12:00:01 INFO Started.", "12:00:02 WARN disk at 91%", "12:00:07 INFO Done"],
    ),
    "headings": (
        "CHAPTER I\nThe boy slept. He dreamt.\n\nAn island\n\nIt rained.\n\nThe sea\n-------\nIt shone.",
        ["The boy slept.", "He dreamt.", "It rained.", "It shone."],
    ),
    "a manual page": (
        "NAME\n       tac - the reverse of cat\n\nOPTIONS\n       -b, --before\n              attach the separator before, and do so be‐\n              tween the records of the file, instead of after\n\n       It is old.",
        [
            "attach the separator before, and do so between the records of the file, instead of after",
            "It is old.",
        ],
    ),
    "a heading in a heading": (
        "TOOLS\n  tac\n    -b\n      It prints lines in reverse. It is old.",
        ["It prints lines in reverse.", "It is old."],
    ),
    "short lines alone are a list where there are many": (
        "One fish\n\nTwo fish\n\nRed fish\n\nBlue fish\n\nThat was all.",
        ["One fish", "Two fish", "Red fish", "Blue fish", "That was all."],
    ),
    "a signature": ("It is late. Good night.\n\nAda", ["It is late.", "Good night.", "Ada"]),
    "nothing but headings": ("ONE\n\nTwo", ["ONE", "Two"]),
    "items": (
        "Bring:\n- a rope\n- a lamp, and\n  some oil\n• bread\n\n1. Go.\n2. Come back.",
        ["a rope", "a lamp, and some oil", "bread", "Go.", "Come back."],
    ),
    "a number at the start of a line is no item": (
        "It was built, as everybody here will tell you, in the time of King George the\n5. The tower came later, and took all of the money that was there.",
        [
            "It was built, as everybody here will tell you, in the time of King George the 5.",
            "The tower came later, and took all of the money that was there.",
        ],
    ),
    "marks between parts": (
        "It rained.\n\n* * *\n\n-----\n\nIt stopped.",
        ["It rained.", "It stopped."],
    ),
    "Chinese": (
        "今天下雨。我们在家！你呢？好“再见。”他说。",
        ["今天下雨。", "我们在家！", "你呢？", "好“再见。”", "他说。"],
    ),
    "Chinese, wrapped": (
        "这条河上的渡船在三月停运了，它已经运行了二百一十一年，每天都把村里的学\n生送到对岸去，现在没有人知道以后要怎么办才好，因为新桥离这里有两公里远，公\n共汽车一天只有两班。完了。",
        [
            "这条河上的渡船在三月停运了，它已经运行了二百一十一年，每天都把村里的学生送到对岸去，现在没有人知道以后要怎么办才好，因为新桥离这里有两公里远，公共汽车一天只有两班。",
            "完了。",
        ],
    ),
    "Chinese, a headline a line": (
        "新桥开通\n运行了二百一十一年的渡船在三月停运，村里的学生没有办法去对岸\n集市搬家\n候鸟回来了",
        [
            "新桥开通",
            "运行了二百一十一年的渡船在三月停运，村里的学生没有办法去对岸",
            "集市搬家",
            "候鸟回来了",
        ],
    ),
    "Japanese": (
        "「もう行くよ。」と彼は言った。雨だ。",
        ["「もう行くよ。」と彼は言った。", "雨だ。"],
    ),
    "Korean": ("비가 온다. 우리는 집에 있다. 너는?", ["비가 온다.", "우리는 집에 있다.", "너는?"]),
    "Arabic": ("هل تمطر؟نعم. بقينا في البيت.", ["هل تمطر؟", "نعم.", "بقينا في البيت."]),
    "Hindi": ("बारिश हुई। हम घर पर रहे।", ["बारिश हुई।", "हम घर पर रहे।"]),
    "Russian": ("Шёл дождь. мы остались дома. А ты?", ["Шёл дождь.", "мы остались дома.", "А ты?"]),
}


@pytest.mark.parametrize("text, wanted", PLAIN.values(), ids=PLAIN)
def test_plain_texts(text, wanted):
    assert sentences(text) == wanted


def test_line_ends_of_every_kind():
    assert sentences(
        "One way\vOr two\fOr Three\u2028Or four\x85Or five\u2029Or six\rOr seven\r\nOr eight"
    ) == ["One way", "Or two", "Or Three", "Or four", "Or five", "Or six", "Or seven", "Or eight"]


def test_control_characters_are_neither_read_nor_shown():
    text = "\ufeff\x1b[1;31mRed\x1b[0m al\x00er\u00adt\u200b. N\bNA\bAME is \x1b]0;title\x07bold.\fA page.\vA line.\x9b \u202eMirror.\r\nNext.\rLast.\x85End.\ud800"
    assert sentences(text) == [
        "Red alert.",
        "NAME is bold.",
        "A page.",
        "A line.",
        "Mirror.",
        "Next.",
        "Last.",
        "End.",
    ]


# -- Markdown ----------------------------------------------------------------------------------------------------------

MARKDOWN = {
    "emphasis": (
        "This *is* **very** ***much*** _so_ and __so__, ~~not~~ snake_case_name or 2 * 3 * 4.",
        ["This is very much so and so, not snake_case_name or 2 * 3 * 4."],
    ),
    "emphasis of three signs": (
        "So ___very_much so___ it is, a___b___c is none. ___One___",
        ["So very_much so it is, a___b___c is none.", "One"],
    ),
    "numbers that begin a list, and one that does not": (
        "2. Two\n3. Three\n\nIn\n1984. It was cold. And\n1. one",
        ["Two", "Three", "In 1984.", "It was cold.", "And", "one"],
    ),
    "code in a line": (
        "Call `a_b_c(*x)` or ``a`b``. **Use `__init__` now**.",
        ["Call a_b_c(*x) or a`b.", "Use __init__ now."],
    ),
    "an option at the start of a sentence": (
        "It is small. `--preset` takes another. Use `-v` or `--quiet`.",
        ["It is small.", "--preset takes another.", "Use -v or --quiet."],
    ),
    "what is escaped": (r"Not \*bold\* and \[no\](link).", ["Not *bold* and [no](link)."]),
    "links": (
        'See [the *guide*](a.html "Title. More."), [this][1], [that][], [Spot] and <https://x.org/a_b_c>.\n\n[1]: b\n[that]: c\n[spot]: d',
        ["See the guide, this, that, Spot and https://x.org/a_b_c."],
    ),
    "brackets that are no link": ("An [aside] stays.", ["An [aside] stays."]),
    "pictures": ("[![a. b](x)](y) ![c. d](z)\n\nText ![e](f) here.", ["Text here."]),
    "headings": (
        'Title\n=====\nOne.\n\n## Two #\n\nThree.\nFour\n---\n<h2 align="center">Five</h2>\n\nSix.\n\n#hash is no heading.',
        ["One.", "Six.", "#hash is no heading."],
    ),
    "code": (
        "One.\n\n```py\nx = 1. Two.\n~~~\n```\n\n    indented. Code.\n\n~~~~\n~~~\n~~~~\nThree.\n\n> ```\n> four.\n> ```\n> Five.",
        ["One.", "Three.", "Five."],
    ),
    "code that never ends": ("One.\n```\nTwo.", ["One."]),
    "tables": (
        "One.\n\na. b|c. d\n-|-\ne. f|g. h\n\nTwo.\n\n<table><tr>\n<td>Three.</td>\n</table>\nFour.",
        ["One.", "Two.", "Four."],
    ),
    "lists": (
        "- one.\n  Still one.\n\n  More.\n- [ ] two\n    1. three\n- four `x`\n1. five\n\nEnd.",
        ["one.", "Still one.", "More.", "two", "three", "four x", "five", "End."],
    ),
    "quotes": (
        "> One\n> two. Three.\n>> Four.\n\n> [!NOTE]\n> Five.",
        ["One two.", "Three.", "Four.", "Five."],
    ),
    "HTML": (
        '<p align="center">\n  <b>One</b><br>Two &amp; &lt;three&gt;.\n</p>\n\n<details>\n<summary>More</summary>\nFour <!-- not. this. --> five.\n</details>\n<!--\nSix.\n-->\nSeven.',
        ["One", "Two & <three>.", "Four five.", "Seven."],
    ),
    "hard breaks": ("One  \nTwo\\\nThree. Four", ["One", "Two", "Three.", "Four"]),
    "a wrapped line that begins with a capital": (
        "We use\nPython for\nMost things.",
        ["We use Python for Most things."],
    ),
    "front matter": ("---\ntitle: X. Y.\n---\nOne.", ["One."]),
    "no front matter": ("---\n\nOne. Two.\n\n---\n\nThree.", ["One.", "Two.", "Three."]),
    "notes and terms": (
        "One[^1]. Two.\n\n[^1]: Three.\n\nterm\n: Its meaning.\n: Another.",
        ["One.", "Two.", "Three.", "Its meaning.", "Another."],
    ),
    "link definitions": (
        '[One][a] [two][b].\n\n[a]: /x\n[b]: /y\n  "a title\n  of two lines"\n[c]: /z\nThree \\* [four][c].',
        ["One two.", "Three * four."],
    ),
    "directives": (":::{note}\nOne.\n:::\n\n{% raw %}\nTwo.", ["One.", "Two."]),
}


@pytest.mark.parametrize("text, wanted", MARKDOWN.values(), ids=MARKDOWN)
def test_markdown(text, wanted):
    assert sentences(text, "markdown") == wanted


# -- HTML --------------------------------------------------------------------------------------------------------------

HTML = {
    "entities": (
        "<p>Fish &amp; chips&nbsp;cost &euro;5&#8230; &lt;b&gt; &bogus; AT&T.",
        ["Fish & chips cost €5…", "<b> &bogus AT&T."],  # Beautiful Soup drops that semicolon
    ),
    "blocks without their end": (
        "<p>One<p>Two<ul><li>Three<li>Four</ul>Five<dl><dt>Six<dd>Seven<dt>Eight</dl>",
        ["One", "Two", "Three", "Four", "Five", "Seven"],
    ),
    "terms without their ends": (
        "<dl><dt>One<dt>Two<dd>Three is here.<dd>Four is here.<dt>Five<dd>Six is here.</dl>",
        ["Three is here.", "Four is here.", "Six is here."],
    ),
    "breaks": (
        "<p>Roses are red<br>Violets are blue<br/><br>One. Two.",
        ["Roses are red", "Violets are blue", "One.", "Two."],
    ),
    "lines that were wrapped": ("<p>One\ntwo. Three\n  Four.", ["One two.", "Three Four."]),
    "words that are one": (
        "<p>un<b>believ</b>able <a href=x>link</a>, H<sub>2</sub>O.",
        ["unbelievable link, H2O."],
    ),
    "what is hidden": (
        "<p>One.<p hidden>Two.<p>Three.<div style='display: none'>Four.<p>Five.</div><span aria-hidden=true>Six.</span><div role=navigation>Seven.</div><p>Eight.",
        ["One.", "Three.", "Eight."],
    ),
    "what is no text": (
        "<nav>One.</nav><script>if (a<b) 'Two.'</script><style>p{}</style><svg><title>No</title><p>Three.</svg><select><option>Four.</select><textarea>Five.</textarea><p>Six.",
        ["Six."],
    ),
    "nested, of what is skipped": ("<nav><nav>One.</nav>Two.</nav>Three.", ["Three."]),
    "an end without a beginning": ("</div></nav>One.</p></body></html>Two.", ["One.", "Two."]),
    "a list of links": (
        "<ul><li><a href=a>Home</a><li><a href=b>About us</a></ul><p><a href=c>A sentence, all of it a link.</a><p>One.<a class=headerlink>¶</a>",
        ["A sentence, all of it a link.", "One."],
    ),
    "cells": (
        "<table><tr><td>3.5<td>4<tr><td>A page laid out in a table. It is old.</table>",
        ["A page laid out in a table.", "It is old."],
    ),
    "one <pre>": (
        "<html><pre>A text from long ago.\nIt was put\non the web.</pre>",
        ["A text from long ago.", "It was put on the web."],
    ),
    "<pre> beside text": ("<p>One.<pre>code. More.</pre>", ["One."]),
    "<main> without text": ("<main></main><p>One.", ["One."]),
    "empty comments": ("<p>One.<!--><p>Two.<!---><p>Three.", ["One.", "Two.", "Three."]),
    "a comment that ends with !": ("<p>One <!-- no. --!> two.", ["One two."]),
    "a comment": ("<p>One <!-- no. no. --> two.<!-- never closed", ["One two."]),
    "cut off": ("<p>One. Two <b", ["One.", "Two"]),
}


@pytest.mark.parametrize("text, wanted", HTML.values(), ids=HTML)
def test_html(text, wanted):
    assert sentences(text, "html") == wanted


def test_a_pre_in_a_pre_is_read_once():
    assert sentences("<pre>One. <pre>Two.</pre></pre><pre>Three.</pre>", "html") == [
        "One.",
        "Two.Three.",
    ]


def test_a_list_in_a_list():
    document = read_text("<p>One.<ul><li>Two<ul><li>three</ul>four<li>Five</ul>Six.", "html")
    assert document.text == "One.\n\n- Two\n- three\n- four\n- Five\n\nSix."


def test_the_title_of_a_page_is_no_sentence():
    document = read_text(
        "<html><head><title>A  title &amp; more.</title></head><body><p>One.</p></body></html>"
    )
    assert (
        document.title == "A title & more."
        and document.format == "html"
        and document.text == "One."
    )


@pytest.mark.parametrize(
    "head, encoding",
    [
        ('<meta charset="euc-kr">', "euc-kr"),
        ("<META http-equiv=Content-Type content='text/html; charset=windows-1251'>", "cp1251"),
        ("", "utf-8"),
        ('<meta charset="utf-8">', "utf-16"),
        ('<meta charset="utf-16">', "utf-8"),  # a declaration that can be read as ASCII is wrong
        ('<meta charset="UTF-32LE">', "utf-8"),
        ('<meta charset="latin-1">', "utf-8-sig"),
        ('<meta charset="cp037">', "utf-8"),  # so is one of an encoding in which it reads otherwise
        ('<!-- <meta charset="latin-1"> --><meta charset="utf-8">', "utf-8"),
        ("<script>'<meta charset=latin-1>'</script><meta charset=utf-8>", "utf-8"),
        ('<meta name="description" content="What charset=latin-1 means">', "utf-8"),
    ],
)
def test_a_page_in_the_encoding_that_it_names(head, encoding, tmp_path):
    text = {"euc-kr": "비가 온다.", "cp1251": "Шёл дождь."}.get(encoding, "Grüße – Ж.")
    (tmp_path / "page.html").write_bytes(f"<html><head>{head}</head><p>{text}</p>".encode(encoding))
    assert read_file(tmp_path / "page.html").text == text


def test_latin_1_is_what_browsers_take_it_for(tmp_path):
    (tmp_path / "page.htm").write_bytes(b"<meta charset=iso-8859-1><p>\x93Caf\xe9\x94 \x80 5.")
    assert read_file(tmp_path / "page.htm").text == "“Café” € 5."


# -- packages that may be missing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "package, format, message",
    [
        ("bs4", "html", "reading HTML needs .*: pip install beautifulsoup4"),
        ("bs4", "markdown", "reading HTML needs .*: pip install beautifulsoup4"),
        ("markdown_it", "markdown", "reading Markdown needs .*: pip install markdown-it-py"),
        ("mdit_py_plugins", "markdown", "reading Markdown needs .*: pip install markdown-it-py"),
    ],
)
def test_a_missing_parser_is_named_and_plain_text_needs_none(package, format, message, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ValueError, match=message):
        read_text("<div>One.</div>\n\nTwo.", format)
    assert sentences("One. Two.") == ["One.", "Two."]


# -- what cannot be read -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, data, message",
    [
        ("a.txt", b"", "a.txt is empty"),
        ("a.txt", b" \r\n\t\n", "a.txt is empty"),
        ("a.txt", b"\xef\xbb\xbf\x01\x1b[0m", "a.txt is empty"),
        (
            "a.txt",
            b"!!! ... ???",
            r"a.txt holds no sentence, read as text \(blocks without words: 1\)",
        ),
        (
            "a.md",
            b"# One\n\n```\nx\n```\n",
            r"a.md holds no sentence, read as markdown \(code blocks: 1, headings: 1\)",
        ),
        (
            "a.html",
            b"<script>x</script><nav>y</nav><h1>z</h1>",
            r"a.html holds no sentence, read as html \(menus, headers, footers: 1, headings: 1\)",
        ),
        (
            "a.txt",
            b"caf\xe9 is French.",
            "a.txt is not UTF-8 text: byte 3 is 0xe9; name its encoding with --encoding",
        ),
        ("a.html", b"<meta charset=utf-8><p>caf\xe9", "a.html is not utf-8 text: byte 26 is 0xe9"),
        (
            "a.html",
            b"<meta charset=klingon><p>x",
            "a.html: Python knows no text encoding 'klingon'",
        ),
        (
            "a.html",
            b"<meta charset=hex><p>x",
            "a.html: Python knows no text encoding 'hex', which the page declares",
        ),
        ("a.html", b"<meta charset=Unicode_Escape><p>\\new", "no text encoding 'Unicode_Escape'"),
        ("a.html", b"<meta charset=idna><p>x", "no text encoding 'idna'"),
        ("a.html", b"<p>x</p><<!-- x -->![foo[ y ]]><p>z", "a.html: Beautiful Soup cannot parse"),
        ("a.md", b"# T\n\n<div>\n<<!-- x -->![foo[ y ]]></div>\n", "a.md: Beautiful Soup cannot"),
        ("a.bin", b"abc\x00def", "a.bin is not text: byte 3 is 0x00"),
        ("a.pdf", b"%PDF-1.7\n", "a.pdf is a PDF; save it as text first"),
        ("a.docx", b"PK\x03\x04\x14", "a.docx is a ZIP archive"),
        ("a.txt.gz", gzip.compress(b"One.", mtime=0), r"is compressed \(gzip\); unpack it first"),
        ("a.txt", b"\xff\xfea", "a.txt is not utf-16 text"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_clear_error(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=message):
        read_file(tmp_path / name)


def test_a_missing_file_a_folder_and_a_wrong_format(tmp_path):
    with pytest.raises(ValueError, match="cannot read .*nowhere.txt: No such file or directory"):
        read_file(tmp_path / "nowhere.txt")
    with pytest.raises(ValueError, match="cannot read .*: Is a directory"):
        read_file(tmp_path)
    with pytest.raises(ValueError, match="format must be one of text, markdown, html, not 'pdf'"):
        read_file(DOCUMENTS / "ferry.txt", "pdf")


def test_a_named_encoding(tmp_path):
    (tmp_path / "a.txt").write_bytes("비가 온다.".encode("cp949"))
    assert read_file(tmp_path / "a.txt", encoding="cp949").text == "비가 온다."
    with pytest.raises(ValueError, match="is not ascii text"):
        read_file(tmp_path / "a.txt", encoding="ascii")
    with pytest.raises(ValueError, match="Python knows no text encoding 'x'"):
        read_file(tmp_path / "a.txt", encoding="x")
    for no_encoding in ("undefined", "unicode-escape", "base64", "\udcff", "utf-8\0"):
        with pytest.raises(ValueError, match="Python knows no text encoding"):
            read_file(tmp_path / "a.txt", encoding=no_encoding)


def test_the_look_is_at_the_first_four_thousand_characters():
    """A page shows what it is at its beginning; text that speaks of three tags somewhere is no page."""
    for length, format in ((4096, "html"), (4097, "text")):
        text = "<p>One</p>" + "x" * (length - 14) + "<br>" + " More."
        assert text.index("<br>") + 4 == length and read_text(text).format == format


def test_the_suffix_decides_before_the_look(tmp_path):
    for suffix, format, _found in (
        (".txt", "text", "# A title of a text. **One**."),
        (".md", "markdown", "One."),
        (".unknown", "markdown", "One."),
    ):
        path = tmp_path / f"a{suffix}"
        path.write_text("# A title of a text.\n\n**One**.")
        assert read_file(path).format == format and read_file(path).sentences[-1].text in (
            "**One**.",
            "One.",
        )
    assert read_file(path, "text").sentences[-1].text == "**One**."


# -- size --------------------------------------------------------------------------------------------------------------

LARGE = {
    "sentences": "It rained again today. " * 5_000,
    "lines": "one line of many\n" * 5_000,
    "paragraphs": "It rained.\n\n" * 5_000,
    "one word": "a" * 40_000,
    "no stop": "word " * 40_000,
    "stops": ". " * 40_000,
    "stars": "*a " * 10_000,
    "stars that close": "**a**b" * 5_000,
    "brackets": "[" * 40_000 + "a",
    "links": "[a](" * 5_000,
    "pictures": "![" * 10_000,
    "backticks": "`a``b" * 5_000,
    "smaller": "<" * 40_000 + " a.",
    "tags": "<b " * 10_000,
    "open": "<div>a" * 5_000,
    "closed": "<div>a" * 5_000 + "</p>" * 5_000,
    "lists": "<ul><li>a" * 5_000,
    "comments": "<!--" * 10_000 + "a.",
    "breaks": "<br>a" * 10_000,
    "entities": "&" * 40_000 + "a",
    "quotes": "> " * 10_000 + "a",
    "rulers": "---\na\n" * 5_000,
    "overstruck": "a\ba" * 10_000,
    "escape": "a\x1b]" * 10_000,
    "terms": "a\n b\n" * 5_000,
    "upper": "A\nb\n" * 5_000,
    "steps": "".join(" " * (n % 900) + "a\n" for n in range(900)),
    "stairs": "\n".join(" " * n + "ab" for n in range(1_500)),
    "wide stops": "。" * 40_000 + "a",
    "definitions": "[a]: /x\n" * 2_000 + "One.",
    "delimiters": "*" * 20_000 + "a " + "_" * 20_000,
    "front": "---\na: b\n" * 5_000,
    "title": f"---\ntitle: a{' ' * 40_000}b\n---\nOne.",
    "comments that close": "<!-- a -->\n" * 40 + "One.",
    "dots": "One" + "." * 40_000 + "a",
    "instructions": "a <? " * 10_000,
    "declarations": "a <!A " * 10_000,
    "sections": "a <![CDATA[ " * 2_000,
    "titles": "<svg>" + "<b>" * 4_000 + "<title>a</title>" * 4_000,
    "stray ends": "<p>One.</p>" * 10_000,
    "reference": f"One &#{'1' * 5_000}; two.",
}


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_nothing_takes_long(text, format):
    """All of them in some seconds; a step that is quadratic in one would take minutes."""
    try:
        hold(read_text(text, format))
    except ValueError as error:
        assert "holds no sentence" in str(error)


def test_the_time_for_markdown_is_not_quadratic_in_link_definitions():
    started = time.process_time()
    read_text("[a]: /x\n" * 2_000 + "\nOne sentence.", "markdown")
    assert time.process_time() - started < 5  # 0.2 s; 8 s where each one reads all the others


@pytest.mark.parametrize("mark", ["![", "["])
def test_nested_links_are_not_read_again_for_each_level(mark, monkeypatch):
    """The parser's own limit of 100 levels would mean ten times as many steps."""
    parser_inline = pytest.importorskip("markdown_it.parser_inline")
    steps, skip = [0], parser_inline.ParserInline.skipToken

    def counting(*given):
        steps[0] += 1
        return skip(*given)

    monkeypatch.setattr(parser_inline.ParserInline, "skipToken", counting)
    read_text("One sentence is here.\n\n" + mark * 1_000 + "]" * 1_000, "markdown")
    assert steps[0] < 60_000


def test_links_and_pictures_in_one_another_are_still_read():
    text = read_text("A [picture ![of a [ship](s)](p) is](l) here.", "markdown").sentences[0].text
    assert text.startswith("A picture") and text.endswith("is here.")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_document_that_takes_too_long_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(reading, "SECONDS", 0.1)
    with pytest.raises(InputError, match="^a.md: reading it as markdown takes more than 0 seconds"):
        read_text("One. " + "![[" * 10_000, "markdown", "a.md")
    assert read_text("<p>One.</p>", "html").sentences[0].text == "One."


def test_the_memory_for_markdown_is_not_quadratic_in_delimiters():
    tracemalloc.start()
    try:
        read_text("*" * 8_000 + "a " + "_" * 8_000, "markdown")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40e6  # 7 MB; 136 MB where every step of joining them is kept


def test_a_device_that_never_ends_is_refused(tmp_path):
    (tmp_path / "z.md").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="z.md: it is a device, and not a file"):
        read_file(tmp_path / "z.md")
