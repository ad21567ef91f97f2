"""The choice of a summary in the page is the package's, and its ROUGE is that of rouge-score."""

import json
import math
import random
import sys

import nbformat
import pytest
from figure_page import load, show, status
from rouge_score.rouge_scorer import RougeScorer

from minibert.course.figures import summary_choice
from minibert.summarization import select_sentences
from tools.environment import NOTEBOOKS
from tools.stills import figures_of

STORY = [
    "On Monday the bank by the river stayed closed.",
    "The river had risen by two metres in the night.",
    "Water stood in the hall of the bank by the river and in forty cellars.",
    "Nobody was hurt.",
    "Some people say that the town will give up the old wall.",
    "The mayor says it will not: it will make the wall higher.",
]
SCORES = [0.9, 0.3, 0.8, 0.2, 0.5, 0.4]
REFERENCE = [
    "The bank by the river stayed closed after the river had risen.",
    "The town will make the old wall higher.",
]
DOCUMENTS = {
    "story": {"sentences": STORY, "scores": SCORES, "reference": REFERENCE, "source": "our own"},
    "bare": {
        "sentences": ["One.", "", "Two two two.", "Three."],
        "scores": [0.5, 0.9, -math.inf, 0.7],
    },
}
ROUGE = RougeScorer(["rouge1", "rouge2"], use_stemmer=False)


@pytest.fixture(scope="module")
def functions(tab):
    load(tab, "summary_choice.js")
    return tab


@pytest.fixture
def figure(tab):
    return show(tab, summary_choice(DOCUMENTS))


def random_documents(count):
    """Texts of few words, so that trigrams come back; equal scores, sentences without words, sentences that were not read."""
    rng = random.Random(0)
    for _ in range(count):
        sentences = [
            " ".join(
                rng.choice("a b E, e.".split()) for _ in range(rng.choice((0, 1, 2, 3, 6, 12)))
            )
            for _ in range(rng.randint(1, 12))
        ]
        scores = [
            -math.inf if rng.random() < 0.1 else rng.randint(0, 9) / 10
            for _ in range(max(1, len(sentences) - rng.choice((0, 0, 0, 2))))
        ]
        yield sentences, scores, rng.randint(1, 6), rng.random() < 0.7


def test_the_choice_is_the_packages(functions):
    cases = list(random_documents(1500))
    given = [
        [[None if score == -math.inf else score for score in scores], sentences, k, block]
        for sentences, scores, k, block in cases
    ]
    found = functions.evaluate("cases => cases.map(each => selectSentences(...each))", given)
    passed_over = 0
    for (sentences, scores, k, block), choice in zip(cases, found):
        assert sorted(choice["chosen"]) == select_sentences(scores, sentences, k, block)
        order = [(-scores[i], i) for i in choice["chosen"]]
        assert order == sorted(order), "the best first, the earlier of equals first"
        for over in choice["passed"]:
            one, other = (
                f" {' '.join(sentences[i].split())} " for i in (over["sentence"], over["by"])
            )
            assert (
                block
                and f" {over['trigram']} " in one
                and f" {over['trigram']} " in other
                and len(over["trigram"].split()) == 3
            )
            assert over["by"] in choice["chosen"] and over["sentence"] not in choice["chosen"]
            assert (-scores[over["by"]], over["by"]) < (-scores[over["sentence"]], over["sentence"])
            passed_over += 1
    assert passed_over > 300, "blocking is put to the test"


def test_words_are_split_where_python_splits_them(functions):
    blanks = [chr(i) for i in range(sys.maxunicode + 1) if chr(i).isspace()] + list(
        "\u200b\ufeff\u180e\u2060_-­"
    )
    texts = [f"a{blank}b{blank}{blank}c" for blank in blanks] + ["".join(blanks), " a ", ""]
    assert functions.evaluate("texts => texts.map(wordsOf)", texts) == [
        text.split() for text in texts
    ]


def test_rouge_is_that_of_rouge_score_without_its_stemmer(functions):
    rng = random.Random(1)
    words = "The the river, river's bank. don't 12.5 naïve -- É Straße x_y".split()
    texts = [
        [" ".join(rng.choices(words, k=rng.randint(0, 9))) for _ in range(rng.randint(1, 4))]
        for _ in range(300)
    ] + [STORY, REFERENCE, [""]]
    pairs = [(rng.choice(texts), rng.choice(texts)) for _ in range(400)]
    found = functions.evaluate(
        "pairs => pairs.map(([own, reference]) => [rouge(own, reference, 1), rouge(own, reference, 2)])",
        pairs,
    )
    for (own, reference), values in zip(pairs, found):
        scores = ROUGE.score("\n".join(reference), "\n".join(own))
        assert values == pytest.approx(
            [100 * scores[name].fmeasure for name in ("rouge1", "rouge2")], abs=1e-9
        )


def chosen(figure):
    """The sentences that are marked as chosen, without blocking and with it."""
    rows = [
        [mark.inner_text() for mark in row.locator(".mb-choice").all()]
        for row in figure.locator(".mb-sentences li").all()
    ]
    return [[i for i, marks in enumerate(rows) if marks[way] == "✓"] for way in range(2)]


def test_the_first_state_shows_both_choices_and_says_them(figure):
    assert chosen(figure) == [select_sentences(SCORES, STORY, 3, way) for way in (False, True)]
    assert chosen(figure) == [[0, 2, 4], [0, 4, 5]]
    differs = figure.locator(".mb-differs .mb-number").all_inner_texts()
    assert differs == ["2", "5"] and figure.locator(".mb-passed").inner_text() == "✗"
    assert figure.locator(".mb-note").all_inner_texts() == ["repeats “the bank by” of sentence 0"]
    assert (
        status(figure)
        == "Without blocking: sentences 0, 2, 4 (ROUGE-1 53.6). With blocking: sentences 0, 4, 5 (ROUGE-1 60.4)."
    )
    assert figure.locator(".mb-repeats").all_inner_texts() == ["the bank by"] * 2
    assert figure.locator(".mb-passed").get_attribute("aria-label") == "with blocking: passed over"
    assert (
        figure.locator(".mb-label").inner_text()
        == "Trigram blocking passes over sentence 2, which repeats three words, and takes sentence 5 instead"
    )
    figure.get_by_role("slider", name="Sentences").press("Home")
    assert status(figure).startswith("Without blocking: sentence 0 ")


def test_the_number_of_sentences_by_key(figure):
    slider = figure.get_by_role("slider", name="Sentences")
    slider.press("ArrowRight")
    assert chosen(figure) == [[0, 2, 4, 5], [0, 1, 4, 5]]
    slider.press("End")
    assert chosen(figure) == [[0, 1, 2, 3, 4, 5], [0, 1, 3, 4, 5]], "sentence 2 is never let in"
    assert slider.get_attribute("max") == "6"
    figure.get_by_text("The numbers").click()
    figure.locator("details table").wait_for()
    assert figure.locator("details tbody th").all_inner_texts() == [
        "without blocking",
        "with blocking",
    ]


def test_a_document_without_reference_and_with_sentences_that_were_not_read(figure):
    figure.get_by_role("combobox").select_option("bare")
    assert (
        chosen(figure) == [[0, 3]] * 2
        and not figure.locator("table").count()
        and "ROUGE" not in status(figure)
    )
    row = figure.locator(".mb-sentences li").nth(2)
    assert row.locator(".mb-score").inner_text() == "not read"
    assert figure.get_by_role("slider", name="Sentences").get_attribute("max") == "4"
    figure.get_by_role("combobox").select_option("story")
    assert figure.locator(".mb-source").inner_text() == "our own"


def test_a_title_claims_no_change_where_there_is_none():
    bare = summary_choice({"bare": DOCUMENTS["bare"]})
    assert bare.label.endswith("trigram blocking changes nothing")


def test_markup_in_a_text_stays_text(tab):
    show(
        tab,
        summary_choice(
            {
                "a": {
                    "sentences": ["<b>a b c</b> d", "x a b c</b> y", "see <i> here"],
                    "scores": [3, 2, 1],
                }
            }
        ),
    )
    assert (
        tab.locator(".mb-sentences .mb-text").all_inner_texts()[0] == "<b>a b c</b> d"
        and not tab.locator(".mb-sentences i").count()
    )


def test_what_chapter_10_says_of_its_two_articles():
    """The figure as it is stored: blocking gains from four sentences on in the one article, now and then in the other; three words keep two sentences of the one apart."""
    documents = next(
        state["data"]["documents"]
        for _, state in figures_of(nbformat.read(NOTEBOOKS / "10_bertsum.ipynb", 4))
        if state["name"] == "summary_choice"
    )

    def gain(title, k):
        text = documents[title]
        found = [
            ROUGE.score(
                "\n".join(text["reference"]),
                "\n".join(
                    text["sentences"][i]
                    for i in select_sentences(text["scores"], text["sentences"], k, block)
                ),
            )["rouge1"].fmeasure
            for block in (False, True)
        ]
        return 100 * (found[1] - found[0])

    assert all(gain("Animalia (book)", k) > 1.5 for k in (4, 5, 6)) and all(
        gain("Animalia (book)", k) < 0.5 for k in (1, 2, 3)
    )
    assert all(gain("Ampere", k) > 1.5 for k in (3, 5)) and gain("Ampere", 6) < 0.5
    book = documents["Animalia (book)"]
    assert all("letter of the" in sentence for sentence in book["sentences"][:2])
    assert not any(
        {0, 1} <= {*select_sentences(book["scores"], book["sentences"], k, True)}
        for k in range(1, 17)
    )
    assert json.dumps(documents).count("CC BY-SA") == 2


@pytest.mark.parametrize(
    "stem, name, first",
    [
        ("07_pretraining_data", "mask_sampler", "the Mole and the bank"),
        ("10_bertsum", "summary_choice", "the bank by the river"),
    ],
)
def test_what_comes_first_in_the_chapter_comes_first_in_the_page(stem, name, first):
    """A stored notebook sorts the keys of every object, so an order needs a list."""
    data = next(
        state["data"]
        for _, state in figures_of(nbformat.read(NOTEBOOKS / f"{stem}.ipynb", 4))
        if state["name"] == name
    )
    assert (data.get("titles") or data["names"])[0] == first


@pytest.mark.parametrize(
    "documents, sentence",
    [
        ({}, "documents is empty"),
        ({"a": {"sentences": [], "scores": []}}, r"\['sentences'\] is \[\]"),
        ({"a": {"sentences": "text", "scores": [1]}}, "is 'text'; expected a list"),
        ({"a": {"sentences": ["x", "y"], "scores": [1]}}, "one number for each of the 2 sentences"),
        ({"a": {"sentences": ["x"], "scores": [math.nan]}}, "one number for each of the 1"),
    ],
)
def test_what_cannot_be_shown_is_refused(documents, sentence):
    with pytest.raises(ValueError, match=sentence):
        summary_choice(documents)
