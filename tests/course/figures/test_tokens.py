"""WordPiece in the page: the script cuts every text as the package does, and the figure shows how."""

import json
import re
import unicodedata

import pytest
from figure_page import load, show, status
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minibert import WordPieceTokenizer
from minibert.course.figures import word_pieces
from tools.environment import ROOT

SMALL = WordPieceTokenizer.from_pretrained("minibert-small")
CASED = WordPieceTokenizer(SMALL.vocab, lowercase=False)
TEXT = "The riverbanks were flooded; Zoë's café was great☺"
# One long text comes back: many small values take playwright longer than all that is to be computed.
CUT = """([texts, lowerCase]) => JSON.stringify(texts.map((text) =>
    wordPieces(text, vocabulary, { lowerCase }).map(({ piece, id, start, end }) => [piece, id, start, end])))"""
BETWEEN = """([begin, end, lowerCase]) => JSON.stringify(Array.from({ length: end - begin }, (_, i) => begin + i >= 0xd800 && begin + i <= 0xdfff ? ""
    : basicTokens(`a${String.fromCodePoint(begin + i)}b`, { lowerCase }).map(({ word }) => word).join(" ")))"""
HARD = [
    "",
    " ",
    "\n\t\r",
    "unaffable",
    "Résumé, naïve; Ångström!",
    "e-mail: a.b@c.org (3,141.59)",
    "x" * 100,
    "x" * 101,
    "é" * 100,
    "é" * 101,
    "ﬁ" * 101,
    "a[MASK]b",
    "[MASK][SEP]",
    "[mask] [MASK",
    "[CLS] [PAD] [UNK]",
    "[MA\u200bSK]",
    "漢字かな",
    "가각힣 한국어",
    "ガラス ガ",
    "नमस्ते",
    "ภาษา",
    "tiếng Việt",
    "ёлка",
    "great🙂",
    "👩\u200d👩\u200d👧 fine",
    "\x00a\x07b\x1fc\x85d",
    "soft\u00adhyphen zero\u200bwidth \ufeff bom",
    "a\u00a0b\u2028c\u3000d",
    "\ufffd \ue000 x",
    "İstanbul ıI ẞß ΑΣ Σς ǅ",
    "\u037e \u1fef \u2126 \u212b",
    "𝔘𝓃𝒾 ①½ ⅔",
    "—…‘’“”„«»",
    "$+<=>^`|~ €£¥",
    "𠀀\U0002b740\U0002f800",
    "\u0301start mid\u0301dle",
    "__a_b__ ##ing #",
    "ﷺ",
]
# Letters, signs and marks of everywhere, and those that make trouble oftener than chance would have it. Marks that the
# library sorts (no accents, and of a class above 0) are left out: the script keeps them in the order of the text.
CHARACTERS = st.one_of(
    st.sampled_from(
        "aAbeéÉñİß漢가ガ🙂\u0301\u0300\u200b\u00ad\u00a0\u3000\t\n\x00\ufffd.,-'’—$[]#中1²"
    ),
    st.characters(codec="utf-8", max_codepoint=0x2FF),
    st.characters(codec="utf-8", exclude_categories=["Cs"]).filter(
        lambda char: (
            not unicodedata.combining(char)
            or (unicodedata.category(char) == "Mn" and ord(char) < 0x800)
        )
    ),
)
TEXTS = st.lists(
    st.one_of(
        st.text(CHARACTERS, max_size=12),
        st.sampled_from(["[MASK]", "[SEP]", "bank", "Riverbanks", "unaffable", " ", "x" * 101]),
    ),
    max_size=8,
).map("".join)


def expected(tokenizer: WordPieceTokenizer, text: str) -> list[list]:
    """Pieces, ids and offsets by the package; its offsets count characters, JavaScript's count halves of the long ones."""
    encoding = tokenizer.encoding(text)
    place = [0]
    for char in text:
        place.append(place[-1] + 1 + (ord(char) > 0xFFFF))
    return [
        [piece, number, place[start], place[end]]
        for piece, number, (start, end) in zip(
            encoding.tokens[1:-1], encoding.ids[1:-1], encoding.offsets[1:-1]
        )
    ]


@pytest.fixture(scope="module")
def script(tab):
    load(tab, "wordpiece.js", needs=())
    tab.evaluate(
        "lines => { globalThis.vocabulary = vocabularyOf(lines); }", "\n".join(SMALL.vocab)
    )
    return tab


def assert_cuts_as_the_package(script, tokenizer, texts):
    found = json.loads(script.evaluate(CUT, [texts, tokenizer.lowercase]))
    for text, pieces in zip(texts, found, strict=True):
        assert pieces == expected(tokenizer, text), ascii(text)


@pytest.mark.parametrize("tokenizer", [SMALL, CASED], ids=["uncased", "cased"])
def test_hard_texts_are_cut_as_by_the_package(script, tokenizer):
    assert_cuts_as_the_package(script, tokenizer, HARD)


@pytest.mark.parametrize("tokenizer", [SMALL, CASED], ids=["uncased", "cased"])
def test_every_character_is_treated_as_by_the_package(script, tokenizer):
    """Each character of Unicode between two letters: dropped, a space, a sign of its own, or part of the word, and as what."""
    library = tokenizer._tokenizer
    chinese = [
        (edge - 16, edge + 16)
        for edge in (
            0x20010,
            0x2A6E0,
            0x2A700,
            0x2B740,
            0x2B820,
            0x2B920,
            0x2CEB0,
            0x2F800,
            0x2FA20,
        )
    ]
    for begin, end in (
        (0, 0x20000),
        *chinese,
        (0xE0000, 0xE0200),
        (0x10FFF0, 0x110000),
    ):  # Chinese blocks at their edges; elsewhere there is nothing
        words = json.loads(script.evaluate(BETWEEN, [begin, end, tokenizer.lowercase]))
        for code, found in enumerate(words, begin):
            if not 0xD800 <= code <= 0xDFFF:
                split = library.pre_tokenizer.pre_tokenize_str(
                    library.normalizer.normalize_str(f"a{chr(code)}b")
                )
                assert found == " ".join(word for word, _ in split), f"U+{code:04X}"


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(texts=st.lists(TEXTS, min_size=25, max_size=25))
def test_any_text_is_cut_as_by_the_package(script, texts):
    assert_cuts_as_the_package(script, SMALL, texts)
    assert_cuts_as_the_package(script, CASED, texts)


def test_the_book_is_cut_as_by_the_package(script):
    """Prose, formulas and code: every line of the book's pages and chapters."""
    lines = {
        line
        for path in [*ROOT.glob("book/*.md"), *ROOT.glob("notebooks/*.ipynb")]
        for line in path.read_text(encoding="utf-8").splitlines()
        if len(line) < 400
    }
    assert len(lines) > 5000
    assert_cuts_as_the_package(script, SMALL, sorted(lines)[::6])


def test_the_questions_are_those_of_longest_match_first(script):
    def asked(word):
        questions, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                questions.append(("##" if start else "") + word[start:end])
                if questions[-1] in SMALL.vocab:
                    break
            else:
                return questions
            start = end
        return questions

    for word in ("the", "riverbanks", "unaffable", "xqzzyv", "mistrust", "great☺", "☺", "z" * 40):
        steps = script.evaluate(
            "word => longestMatch(basicTokens(word)[0], vocabulary).steps", word
        )
        assert [piece for step in steps for piece in step["tried"]] == asked(word), word


# -- the figure


@pytest.fixture(scope="module")
def figure():
    return word_pieces(SMALL, TEXT, word=1)


def words(tab):
    return tab.locator(".mb-words button").all_inner_texts()


def ids(tab):
    """What the model gets, in the folded table."""
    tab.locator("details.mb-numbers").evaluate("folded => { folded.open = true; }")
    tab.wait_for_timeout(50)
    return [
        int(each) for each in tab.locator(".mb-numbers tr").nth(1).locator("td").all_inner_texts()
    ]


def test_the_first_state_shows_words_pieces_ids_and_questions(tab, figure):
    show(tab, figure)
    assert words(tab) == [
        "the",
        "riverbanks",
        "were",
        "flooded",
        ";",
        "zoe",
        "'",
        "s",
        "cafe",
        "was",
        "great☺",
    ]
    assert tab.locator(".mb-words .mb-piece > span").all_inner_texts() == SMALL.tokenize(TEXT)
    assert ids(tab) == SMALL.encode(TEXT)
    assert tab.locator(".mb-unknown").count() == 1
    questions = tab.locator(".mb-questions li")
    assert (
        re.sub(r"\s+", " ", questions.nth(5).inner_text())
        == f"river ✓ {SMALL.token_to_id('river')}"
    )
    assert questions.count() == 10 and tab.locator(".mb-found").count() == 3
    assert [column.locator("li").count() for column in tab.locator(".mb-questions").all()] == [
        6,
        3,
        1,
    ]
    assert figure.label.endswith("“riverbanks” becomes river ##ban ##ks")
    assert (
        status(tab)
        == "“riverbanks” is river ##ban ##ks, after 10 questions. 11 words, 16 pieces, 1 unknown."
    )


def test_it_cuts_what_is_typed_and_follows_the_word_being_typed(tab, figure):
    show(tab, figure)
    box = tab.get_by_label("A sentence")
    box.press("End")
    tab.keyboard.type(" Moneylenders")
    assert words(tab)[-1] == "moneylenders"
    assert tab.locator(".mb-words button[aria-pressed=true]").inner_text() == "moneylenders"
    assert "“moneylenders” is money ##le ##nder ##s" in status(tab)
    assert (
        tab.locator(".mb-search")
        .inner_text()
        .startswith("“moneylenders”, in the text “Moneylenders”, is cut by longest match first")
    )
    box.fill("")
    assert status(tab) == "There is no word in the text." and words(tab) == []
    box.fill("x" * 101 + " [MASK]")
    assert "Beyond 100 nothing is looked up" in tab.locator(".mb-search").inner_text()
    assert ids(tab) == SMALL.encode("x" * 101 + " [MASK]")


def test_a_word_is_chosen_by_pointer_and_by_keyboard(tab, figure):
    show(tab, figure)
    tab.get_by_role("button", name="flooded").click()
    assert "“flooded” is flood ##ed" in status(tab)
    tab.keyboard.press("Tab")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert "“zoe” is z ##oe" in status(tab)
    tab.get_by_role("button", name="great☺").press("Enter")
    assert "the whole word is [UNK]" in status(tab)


def test_the_search_is_stepped_through_by_keyboard(tab, figure):
    show(tab, figure)
    question, height = (
        tab.get_by_role("slider", name="Question"),
        tab.locator(".mb-figure").bounding_box()["height"],
    )
    question.press("Home")
    assert tab.locator(".mb-figure").bounding_box()["height"] == height, (
        "nothing moves under the hand"
    )
    assert status(tab) == "“riverbanks” is not in the vocabulary. Cut so far: nothing."
    for _ in range(5):
        question.press("ArrowRight")
    assert status(tab) == "“river” is in the vocabulary. Cut so far: river."
    assert tab.locator(".mb-questions li").count() == 6


def test_a_very_long_search_stays_short_on_the_page(tab):
    show(tab, word_pieces(SMALL, "☺" + "q" * 98))
    assert tab.locator(".mb-questions li").count() == 60
    assert tab.locator(".mb-questions").get_attribute("start") == "40"


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="word must be 0 to 1, a word of 'the bank', not 2"):
        word_pieces(SMALL, "the bank", word=2)
    with pytest.raises(ValueError, match="strip_accents=False with lowercase=True"):
        word_pieces(WordPieceTokenizer(SMALL.vocab, strip_accents=False), "the bank")
