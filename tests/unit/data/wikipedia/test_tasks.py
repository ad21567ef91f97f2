"""Labelled examples from the default corpus: by which rules, from which articles, and what cannot
be read from words alone."""

import dataclasses
import hashlib
import math
from collections import Counter
from itertools import combinations

import pytest

from minibert.data.wikipedia import span_tasks, splits
from minibert.data.wikipedia import tasks as wikipedia_tasks
from minibert.data.wikipedia.articles import wikipedia_articles, wikipedia_texts
from minibert.data.wikipedia.slots import SLOTS
from minibert.data.wikipedia.span_tasks import (
    _answer_spans,
    is_mention,
    mention_sentences,
    slot_questions,
    tag_mentions,
)
from minibert.data.wikipedia.splits import SPLITS
from minibert.data.wikipedia.tasks import (
    TOPICS,
    SentencePair,
    TopicSentence,
    sentence_pairs,
    shared_weight,
    topic_of,
    topic_sentences,
    word_set,
    word_weights,
)

MAKERS = [topic_sentences, sentence_pairs, mention_sentences, slot_questions]


@pytest.mark.parametrize("make", MAKERS)
def test_no_article_is_in_two_splits(make):
    articles = {split: {example.article for example in make(split)} for split in SPLITS}
    titles = {article["title"] for article in wikipedia_articles()}
    assert all(found and found <= titles for found in articles.values())
    assert all(articles[one].isdisjoint(articles[other]) for one, other in combinations(SPLITS, 2))


@pytest.mark.parametrize(
    ("make", "split", "digest"),
    [
        (topic_sentences, "valid", "ef46086259a5b612"),
        (sentence_pairs, "valid", "b3d21e1e33ca39f3"),
        (mention_sentences, "valid", "0a76679ef408c728"),
        (slot_questions, "train", "496e3201a6875cee"),
        (slot_questions, "valid", "a2b04b18a400702b"),
        (slot_questions, "test", "22af9edbae77f8fa"),
    ],
)
def test_what_was_read_by_hand_is_what_is_made(make, split, digest):
    """Every question, and samples of the others: what is said of their noise is of these records,
    in this order, and of no others."""
    records = "\n".join(repr(dataclasses.astuple(example)) for example in make(split))
    assert hashlib.sha256(records.encode()).hexdigest()[:16] == digest, (
        "read them again, then write the new digest here"
    )


# -- by their rules, on articles made up
# --------------------------------------------------------------------------------


def article(title, *paragraphs, categories=(), links=(), **infobox):
    return {
        "title": title,
        "categories": list(categories),
        "links": list(links),
        "infobox": {slot.replace("__", " "): texts for slot, texts in infobox.items()},
        "paragraphs": [list(paragraph) for paragraph in paragraphs],
    }


def sentence(word, count=8):
    return " ".join([word] * count)


@pytest.fixture
def corpus(monkeypatch):
    """Let these be the articles of the corpus."""

    def use(*articles):
        for module in (wikipedia_tasks, span_tasks):
            monkeypatch.setattr(module, "labelled_articles", lambda: list(articles))

    return use


def test_the_corpus_is_read_once_and_cut_into_sentences(monkeypatch):
    read = []
    articles = [
        {
            "title": "A",
            "sections": [{"paragraphs": ["One. Two."]}, {"paragraphs": ["Three.", "Four."]}],
        }
    ]
    monkeypatch.setattr(splits, "wikipedia_articles", lambda: read.append(1) or articles)
    monkeypatch.setattr(
        splits,
        "wikipedia_labels",
        lambda: [
            {"title": "Stub", "links": []},
            {"title": "A", "links": ["B"], "categories": [], "infobox": {}},
        ],
    )
    splits.labelled_articles.cache_clear()
    try:
        assert splits.labelled_articles() == [
            article("A", ["One.", "Two."], ["Three."], ["Four."], links=["B"])
        ]
        assert mention_sentences() == [] and sentence_pairs() == [] and len(read) == 1
    finally:
        splits.labelled_articles.cache_clear()


def test_of_four_articles_two_are_for_training(corpus):
    corpus(*(article(f"A{number}", [sentence("word")], links=["word"]) for number in range(9)))
    assert {
        split: [example.article for example in mention_sentences(split)] for split in SPLITS
    } == {"train": ["A0", "A2", "A4", "A6", "A8"], "test": ["A1", "A5"], "valid": ["A3", "A7"]}


def topics(words, topic="people", articles=1):
    categories = {
        "people": ["1879 births"],
        "places": ["Oceans"],
        "culture": ["Visual arts"],
        "science": ["Physics"],
    }
    return [
        article(
            f"{topic} {number}",
            [sentence(f"{topic}{number}x{word}") for word in range(words)],
            categories=categories[topic],
        )
        for number in range(articles)
    ]


def test_a_topic_takes_turns_among_its_articles_and_all_have_as_many(corpus):
    """Of the articles of a topic the first and the third are for training; the topic with the
    fewest sentences decides."""
    corpus(
        *topics(3, articles=3),
        article("none", [sentence("none")], categories=["Legal terms"]),
        *topics(5, "places"),
        *topics(4, "culture"),
        *topics(9, "science"),
    )
    found = [
        (example.topic, example.text.split()[0], example.article) for example in topic_sentences()
    ]
    assert found[:4] == [
        ("people", f"people{number}x{word}", f"people {number}")
        for word in range(2)
        for number in (0, 2)
    ]
    assert Counter(topic for topic, _, _ in found) == dict.fromkeys(TOPICS, 4)


def test_short_and_long_sentences_have_no_topic_and_few_articles_do_not_speak_for_all(corpus):
    """From 8 to 40 words, and 120 of an article at most, from its beginning to its end."""
    odd = article(
        "odd",
        [sentence("seven", 7), sentence("eight", 8)],
        [sentence("forty", 40), sentence("more", 41)],
        categories=["Oceans"],
    )
    many = [topics(240, topic)[0] for topic in TOPICS]
    corpus(odd, *many)
    assert [example.text for example in topic_sentences() if example.topic == "places"] == [
        sentence("eight", 8),
        sentence("forty", 40),
    ]
    corpus(*many)
    assert [
        example.text.split()[0] for example in topic_sentences() if example.topic == "people"
    ] == [f"people0x{word}" for word in range(0, 240, 2)]


def test_neighbours_are_cut_from_paragraphs_without_overlap(corpus):
    one = article(
        "one",
        [sentence(word) for word in "abcde"],
        [
            sentence("f"),
            sentence("g", 7),
            sentence("h"),
            sentence("i", 40),
            sentence("j"),
            sentence("k", 41),
        ],
    )
    other = article("other", [sentence(word) for word in "uvwx"], [sentence("y"), sentence("z")])
    corpus(one, article("test"), other)
    found = [
        (example.first[0], example.second[0], example.article)
        for example in sentence_pairs()
        if example.is_next
    ]
    assert found == [
        ("a", "b", "one"),
        ("c", "d", "one"),
        ("h", "i", "one"),
        ("u", "v", "other"),
        ("w", "x", "other"),
        ("y", "z", "other"),
    ]
    corpus(
        article("one", *([sentence(f"a{number}"), sentence(f"b{number}")] for number in range(80))),
        article("test"),
        article(
            "other", *([sentence(f"c{number}"), sentence(f"d{number}")] for number in range(80))
        ),
    )
    starts = [example.first.split()[0] for example in sentence_pairs() if example.is_next]
    assert starts == [f"{letter}{number}" for letter in "ac" for number in range(0, 80, 2)], (
        "forty of an article, evenly"
    )


def test_a_stranger_shares_as_much_as_the_true_neighbour(corpus):
    """Each second sentence is dealt out once more; those that share much choose first, of equals
    the first is taken."""
    shares_rare, shares_common = (
        "rare and {} one two three four five",
        "common and {} one two three four five",
    )
    one = article(
        "one",
        ["a rare b c d e f g", shares_rare.format("r1")],
        ["a common b c d e f g", shares_common.format("c1")],
    )
    other = article(
        "other",
        ["h common i j k l m n", shares_common.format("c2")],
        ["h rare i j k l m n", shares_rare.format("r2")],
        *(["common o p q s t u v"] for _ in range(6)),
    )
    corpus(one, article("test"), other)
    assert [(pair.first, pair.second, pair.is_next, pair.article) for pair in sentence_pairs()] == [
        ("a rare b c d e f g", shares_rare.format("r1"), True, "one"),
        ("a rare b c d e f g", shares_rare.format("r2"), False, "one"),
        ("a common b c d e f g", shares_common.format("c1"), True, "one"),
        ("a common b c d e f g", shares_common.format("c2"), False, "one"),
        ("h common i j k l m n", shares_common.format("c2"), True, "other"),
        ("h common i j k l m n", shares_common.format("c1"), False, "other"),
        ("h rare i j k l m n", shares_rare.format("r2"), True, "other"),
        ("h rare i j k l m n", shares_rare.format("r1"), False, "other"),
    ]


def test_a_pair_without_a_stranger_is_left_out(corpus):
    corpus(
        article("one", [sentence("a"), sentence("b")], [sentence("c"), sentence("d")]),
        article("test"),
        article("other", [sentence("e"), sentence("f")]),
    )
    found = sentence_pairs()
    assert [pair.is_next for pair in found] == [True, False] * 2 and Counter(
        pair.article for pair in found
    ) == {"one": 2, "other": 2}


def test_mentions_come_from_links_and_the_title_without_its_addition(corpus):
    words = "Animalia is a book by Graeme Base , with no link"
    corpus(
        article(
            "Animalia (book)",
            [
                f"{words}.",
                "Nothing of that is in this sentence , it has none",
                "Animalia is a few words short",
            ],
            [sentence("base", 41)],
            links=["Graeme Base", "book", "no", "base"],
        )
    )
    (example,) = mention_sentences()
    assert example.words == (*words.split(), ".") and example.tags == (
        "B-name",
        "O",
        "O",
        "B-term",
        "O",
        "B-name",
        "I-name",
        *["O"] * 5,
    )
    corpus(
        article(
            "Animalia",
            [f"Animalia number {number} is one of many such sentences" for number in range(80)],
        )
    )
    assert [example.words[2] for example in mention_sentences()] == [
        str(number) for number in range(0, 80, 2)
    ], "forty of an article, evenly"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hamlet's end, 'tis 3.5 or 1,000.", "Hamlet 's end , ' tis 3.5 or 1,000 ."),
        ("A so-called don’t of the U.S. (AK-47)", "A so-called don’t of the U.S . ( AK-47 )"),
        ("été's O'Neill", "été 's O'Neill"),
        ("5.", "5 ."),
    ],
)
def test_what_a_word_is_where_mentions_are_tagged(text, words):
    assert span_tasks.TOKEN.findall(text) == words.split()


def questions(corpus, *paragraphs, title="Foo (state)", split="train", **infobox):
    corpus(article(title, *paragraphs, **infobox))
    return [
        (example.question, example.context, example.answers, example.starts, example.article)
        for example in slot_questions(split)
    ]


def test_the_first_paragraph_that_says_what_the_slot_says_is_taken(corpus):
    paragraphs = (
        ["Bar was a capital once."],
        ["It is large.", "The capital of Foo is Bar City, which Bar is in."],
        ["The capital is Bar City."],
    )
    assert questions(
        corpus, *paragraphs, capital=["Bar City", "B", "Bar", "capital", "5 Bars", "x" * 61]
    ) == [("What is the capital of Foo?", "Bar was a capital once.", ("Bar",), (0,), "Foo (state)")]
    assert questions(corpus, *paragraphs[1:], capital=["Bar City", "B", "Bar", "capital"]) == [
        (
            "What is the capital of Foo?",
            " ".join(paragraphs[1]),
            ("Bar City",),
            (len("It is large. The capital of Foo is "),),
            "Foo (state)",
        )
    ]
    assert (
        questions(corpus, ["Its capital is Baz."], capital=["Bar"])
        == questions(corpus, ["Bar is large."], capital=["Bar"])
        == []
    )


def test_when_wants_a_date_and_where_none(corpus):
    text = ["He was born on 4 March 1879 in Ulm and died in 1955 in Princeton 2."]
    assert [
        (question, answers)
        for question, _, answers, _, _ in questions(
            corpus,
            text,
            title="A",
            birth_date=["4 March 1879", "Ulm"],
            death__place=["Princeton 2"],
            birthplace=["Bern"],
        )
    ] == [("When was A born?", ("4 March 1879",)), ("Where was A born?", ("Ulm",))]


def test_an_answer_has_from_two_to_sixty_letters_and_a_question_comes_once(corpus):
    for answer, count in (("B", 0), ("Bo", 1), ("B" * 60, 1), ("B" * 61, 0)):
        assert len(questions(corpus, [f"The capital is {answer}."], capital=[answer])) == count
    assert [
        answers
        for _, _, answers, _, _ in questions(
            corpus, ["Its largest city is Bar, not Baz."], largest_city=["Bar"], largestcity=["Baz"]
        )
    ] == [("Bar",)]
    assert questions(corpus, ["Its largest city is Bar."], the_largest_city=["Bar"]) == [], (
        "a slot's whole name counts"
    )


def test_answers_stand_in_the_order_of_the_text(corpus):
    ((_, context, answers, starts, _),) = questions(
        corpus,
        ["It is composed of many:", "composed of Bas 5%, Bar 7% and Barbas (few)."],
        ethnic_groups=["Bar", "Bas", "Barbas"],
    )
    assert answers == ("Bas", "Bar", "Barbas") and [
        context[start : start + len(answer)] for start, answer in zip(starts, answers)
    ] == list(answers)


def test_a_cue_may_be_written_in_any_case_and_names_the_answer_as_it_is():
    assert _answer_spans(["It DIED (in York)."], ["(in York)"], r"\bdied\b {answer}") == {
        8: "(in York)"
    }
    assert _answer_spans(["One.", "Two York.", "York again."], ["York"], "york") == {
        9: "York",
        15: "York",
    }
    assert _answer_spans(["A York York."], ["York"], "York") == {2: "York"}


def test_evenly_from_the_first_to_the_last():
    assert splits.evenly(list(range(10)), 4) == [0, 2, 5, 7] and splits.evenly([1, 2], 2) == [1, 2]
    assert list(splits.in_turn([[1, 2, 3], [], [4], [5, 6]])) == [1, 4, 5, 2, 6, 3]


@pytest.mark.parametrize("make", MAKERS)
def test_an_unknown_split_is_named(make):
    with pytest.raises(ValueError, match="split must be one of train, valid, test, not 'dev'"):
        make("dev")


# -- topics ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("categories", "topic"),
    [
        (["Autism", "1879 births", "20th-century physicists"], "people"),
        (["384 BC", "320s BC deaths", "Logicians"], "people"),
        (["South Asian countries"], "places"),
        (["States of the United States"], "places"),
        (["Oceans"], "places"),
        (["1997 films"], "culture"),
        (["Characters in the Iliad"], "culture"),
        (["Visual arts"], "culture"),
        (["Mammals of Africa"], "science"),
        (["Nuclear physics"], "science"),
        (["SI base units"], "science"),
        (["Legal terms"], None),
        (["Japanese martial arts"], None),
        (["Departments of France"], None),
        ([], None),
    ],
)
def test_the_topic_of_an_article(categories, topic):
    assert topic_of(categories) == topic


def test_topics_are_balanced_and_their_sentences_stand_in_their_articles():
    texts = dict(zip((article["title"] for article in wikipedia_articles()), wikipedia_texts()))
    for split, count in zip(SPLITS, (2000, 516, 1300)):
        examples = topic_sentences(split)
        assert len(examples) == count, "as the docstring says"
        assert len(set(Counter(example.topic for example in examples).values())) == 1 and {
            example.topic for example in examples
        } == set(TOPICS)
        assert all(
            example.text in texts[example.article] and 8 <= len(example.text.split()) <= 40
            for example in examples
        )
        assert len(set(examples)) == len(examples)
        assert all(
            len({example.article for example in examples if example.topic == topic}) >= 2
            for topic in TOPICS
        )
    assert {
        example.topic
        for split in SPLITS
        for example in topic_sentences(split)
        if example.article == "Albert Einstein"
    } == {"people"}
    assert topic_sentences() == topic_sentences("train") and isinstance(
        topic_sentences()[0], TopicSentence
    )


# -- pairs -----------------------------------------------------------------------------------------


def test_pairs_are_neighbours_or_from_two_articles():
    articles = wikipedia_articles()
    paragraphs = [
        paragraph
        for article in articles
        for section in article["sections"]
        for paragraph in section["paragraphs"]
    ]
    texts = dict(zip((article["title"] for article in articles), wikipedia_texts()))
    examples = sentence_pairs("valid")
    for example in examples:
        assert example.first in texts[example.article]
        if example.is_next:
            assert any(f"{example.first} {example.second}" in paragraph for paragraph in paragraphs)
        else:
            assert example.second not in texts[example.article]


@pytest.mark.parametrize("split", SPLITS)
def test_a_sentence_by_itself_says_nothing(split):
    examples = sentence_pairs(split)
    for side in ("first", "second"):
        sides = [
            Counter(getattr(example, side) for example in examples if example.is_next == is_next)
            for is_next in (True, False)
        ]
        # a few stand once only: where the last pairs found nothing left but their own article
        assert (
            (sides[0] - sides[1]).total() == (sides[1] - sides[0]).total() <= 0.02 * len(examples)
        )


def test_shared_words_do_not_solve_it():
    """The share of neighbours that outdo a stranger in shared weight is near a half; of the plain
    overlap as well."""
    examples = sentence_pairs("test")
    weights = word_weights(
        sentence for example in examples for sentence in (example.first, example.second)
    )

    def overlap(example: SentencePair) -> float:
        return shared_weight(word_set(example.first), word_set(example.second), weights)

    near, far = [
        [overlap(example) for example in examples if example.is_next == is_next]
        for is_next in (True, False)
    ]
    wins = sum((one > other) + (one == other) / 2 for one in near for other in far) / (
        len(near) * len(far)
    )
    assert 0.47 < wins < 0.57


def test_the_weight_of_words():
    sentences = ["The cat sat.", "The dog ran.", *["Other words."] * 198]
    weights = word_weights(sentences)
    assert (
        weights["cat"] == pytest.approx(math.log(200))
        and weights["cat"] > weights["the"] > weights["other"] > 0
    )
    assert word_set("The CAT, words!") == {"the", "cat", "words"}
    assert shared_weight({"cat", "dog"}, {"dog", "the"}, weights) == weights["dog"]


# -- mentions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        ("He led the American Civil War .", "O O O B-name I-name I-name O"),  # the longest wins
        ("A civil war of American people", "O B-term I-term O B-name O"),
        ("Civil War War", "O O O"),  # a part of a link is none
        ("American American", "B-name B-name"),
        ("civil", "O"),
    ],
)
def test_tags_of_mentions(words, tags):
    links = {("American",), ("American", "Civil", "War"), ("civil", "war")}
    assert tag_mentions(tuple(words.split()), links) == tuple(tags.split())


def test_texts_that_stand_for_something():
    assert [
        link
        for link in (
            "not",
            "V",
            "1961",
            "(Ambundu)",
            "36th state",
            "iron",
            "Washington, D.C.",
            "AK-47",
        )
        if is_mention(link)
    ] == ["iron", "AK-47"]


def test_mentions_are_words_of_their_sentences_with_valid_tags():
    texts = dict(zip((article["title"] for article in wikipedia_articles()), wikipedia_texts()))
    for split, count in zip(SPLITS, (1675, 769, 813)):
        examples = mention_sentences(split)
        assert len(examples) == count, "as the docstring says"
        for example in examples:
            assert len(example.words) == len(example.tags)
            assert all(word in texts[example.article] for word in example.words)
            assert any(tag != "O" for tag in example.tags)
            for before, tag in zip(("O", *example.tags), example.tags):
                assert tag[0] != "I" or before[2:] == tag[2:], "an entity begins with B-"


# -- questions -------------------------------------------------------------------------------------


def test_answers_stand_where_they_are_said_to():
    texts = dict(zip((article["title"] for article in wikipedia_articles()), wikipedia_texts()))
    questions = [question for split in SPLITS for question in slot_questions(split)]
    assert len(questions) == len({example.question for example in questions}) == 140
    for example in questions:
        assert example.context in texts[example.article].split("\n\n")
        assert len(example.answers) == len(example.starts) >= 1
        for answer, start in zip(example.answers, example.starts):
            assert example.context[start : start + len(answer)] == answer
            assert any(character.isdigit() for character in answer) == example.question.startswith(
                "When"
            )


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What is the capital of Alaska?", ("Juneau",)),
        ("When was Albert Einstein born?", ("14 March 1879",)),
        ("Where was Aristotle born?", ("Stagira",)),
        ("Who wrote Animal Farm?", ("George Orwell",)),
        ("Which people live in Angola?", ("Ovimbundu", "Ambundu", "Bakongo")),
        ("Who is the president of Andorra?", None),
    ],
)
def test_some_questions(question, answers):
    found = {
        example.question: example.answers for split in SPLITS for example in slot_questions(split)
    }
    assert found.get(question) == answers


def test_an_answer_needs_its_cue_and_lies_in_no_other():
    paragraph = ["Yorkers love New York.", "He died in New York City, not in York."]
    spans = _answer_spans(paragraph, ["New York", "New York City"], r"\bdied\b")
    assert spans == {" ".join(paragraph).index("New York City"): "New York City"}
    assert _answer_spans(paragraph, ["New York"], r"\bborn\b") == {}


def test_every_slot_makes_a_question():
    """No rule of the table is idle, and each template names the article."""
    questions = [example for split in SPLITS for example in slot_questions(split)]
    for _, template, _ in SLOTS:
        assert any(
            template.format(name=example.article.split(" (")[0]) == example.question
            for example in questions
        ), template
