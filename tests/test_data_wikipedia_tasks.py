"""Labelled examples from the default corpus: by which rules, from which articles, and what cannot be read from words alone."""

import math
from collections import Counter
from itertools import combinations

import pytest

from minibert.data.wikipedia import wikipedia_articles, wikipedia_texts
from minibert.data.wikipedia_slots import SLOTS
from minibert.data.wikipedia_tasks import (
    SPLITS, TOPICS, SentencePair, TopicSentence, _answer_spans, is_mention, mention_sentences, sentence_pairs, shared_weight,
    slot_questions, tag_mentions, topic_of, topic_sentences, word_set, word_weights)

MAKERS = [topic_sentences, sentence_pairs, mention_sentences, slot_questions]


@pytest.mark.parametrize("make", MAKERS)
def test_no_article_is_in_two_splits(make):
    articles = {split: {example.article for example in make(split)} for split in SPLITS}
    titles = {article["title"] for article in wikipedia_articles()}
    assert all(found and found <= titles for found in articles.values())
    assert all(articles[one].isdisjoint(articles[other]) for one, other in combinations(SPLITS, 2))


@pytest.mark.parametrize("make", MAKERS)
def test_an_unknown_split_is_named(make):
    with pytest.raises(ValueError, match="split must be one of train, valid, test, not 'dev'"):
        make("dev")


# -- topics ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("categories", "topic"), [
    (["Autism", "1879 births", "20th-century physicists"], "people"),
    (["384 BC", "320s BC deaths", "Logicians"], "people"),
    (["South Asian countries"], "places"), (["States of the United States"], "places"), (["Oceans"], "places"),
    (["1997 films"], "culture"), (["Characters in the Iliad"], "culture"), (["Visual arts"], "culture"),
    (["Mammals of Africa"], "science"), (["Nuclear physics"], "science"), (["SI base units"], "science"),
    (["Legal terms"], None), (["Japanese martial arts"], None), (["Departments of France"], None), ([], None),
])
def test_the_topic_of_an_article(categories, topic):
    assert topic_of(categories) == topic


def test_topics_are_balanced_and_their_sentences_stand_in_their_articles():
    texts = dict(zip((article["title"] for article in wikipedia_articles()), wikipedia_texts()))
    for split in SPLITS:
        examples = topic_sentences(split)
        assert len(set(Counter(example.topic for example in examples).values())) == 1 and {example.topic for example in examples} == set(TOPICS)
        assert all(example.text in texts[example.article] and 8 <= len(example.text.split()) <= 40 for example in examples)
        assert len(set(examples)) == len(examples)
        assert all(len({example.article for example in examples if example.topic == topic}) >= 2 for topic in TOPICS)
    assert {example.topic for split in SPLITS for example in topic_sentences(split) if example.article == "Albert Einstein"} == {"people"}
    assert topic_sentences() == topic_sentences("train") and isinstance(topic_sentences()[0], TopicSentence)


# -- pairs -------------------------------------------------------------------------------------------------------------

def test_pairs_are_neighbours_or_from_two_articles():
    articles = wikipedia_articles()
    paragraphs = [paragraph for article in articles for section in article["sections"] for paragraph in section["paragraphs"]]
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
        sides = [Counter(getattr(example, side) for example in examples if example.is_next == is_next) for is_next in (True, False)]
        # a few stand once only: where the last pairs found nothing left but their own article
        assert (sides[0] - sides[1]).total() == (sides[1] - sides[0]).total() <= 0.02 * len(examples)


def test_shared_words_do_not_solve_it():
    """The share of neighbours that outdo a stranger in shared weight is near a half; of the plain overlap as well."""
    examples = sentence_pairs("test")
    weights = word_weights(sentence for example in examples for sentence in (example.first, example.second))

    def overlap(example: SentencePair) -> float:
        return shared_weight(word_set(example.first), word_set(example.second), weights)

    near, far = [[overlap(example) for example in examples if example.is_next == is_next] for is_next in (True, False)]
    wins = sum((one > other) + (one == other) / 2 for one in near for other in far) / (len(near) * len(far))
    assert 0.47 < wins < 0.57


def test_the_weight_of_words():
    sentences = ["The cat sat.", "The dog ran.", *["Other words."] * 198]
    weights = word_weights(sentences)
    assert weights["cat"] == pytest.approx(math.log(200)) and weights["cat"] > weights["the"] > weights["other"] > 0
    assert word_set("The CAT, words!") == {"the", "cat", "words"}
    assert shared_weight({"cat", "dog"}, {"dog", "the"}, weights) == weights["dog"]


# -- mentions ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("words", "tags"), [
    ("He led the American Civil War .", "O O O B-name I-name I-name O"),        # the longest wins
    ("A civil war of American people", "O B-term I-term O B-name O"),
    ("Civil War War", "O O O"),                                                 # a part of a link is none
    ("American American", "B-name B-name"),
    ("civil", "O"),
])
def test_tags_of_mentions(words, tags):
    links = {("American",), ("American", "Civil", "War"), ("civil", "war")}
    assert tag_mentions(tuple(words.split()), links) == tuple(tags.split())


def test_texts_that_stand_for_something():
    assert [link for link in ("not", "V", "1961", "(Ambundu)", "36th state", "iron", "Washington, D.C.", "AK-47") if is_mention(link)] == ["iron", "AK-47"]


def test_mentions_are_words_of_their_sentences_with_valid_tags():
    texts = dict(zip((article["title"] for article in wikipedia_articles()), wikipedia_texts()))
    for split in SPLITS:
        examples = mention_sentences(split)
        assert len(examples) > 500
        for example in examples:
            assert len(example.words) == len(example.tags)
            assert all(word in texts[example.article] for word in example.words)
            assert any(tag != "O" for tag in example.tags)
            for before, tag in zip(("O", *example.tags), example.tags):
                assert tag[0] != "I" or before[2:] == tag[2:], "an entity begins with B-"


# -- questions ---------------------------------------------------------------------------------------------------------

def test_answers_stand_where_they_are_said_to():
    texts = dict(zip((article["title"] for article in wikipedia_articles()), wikipedia_texts()))
    questions = [question for split in SPLITS for question in slot_questions(split)]
    assert len(questions) == len({example.question for example in questions}) == 140
    for example in questions:
        assert example.context in texts[example.article].split("\n\n")
        assert len(example.answers) == len(example.starts) >= 1
        for answer, start in zip(example.answers, example.starts):
            assert example.context[start:start + len(answer)] == answer
            assert any(character.isdigit() for character in answer) == example.question.startswith("When")


@pytest.mark.parametrize(("question", "answers"), [
    ("What is the capital of Alaska?", ("Juneau",)), ("When was Albert Einstein born?", ("14 March 1879",)),
    ("Where was Aristotle born?", ("Stagira",)), ("Who wrote Animal Farm?", ("George Orwell",)),
    ("Which people live in Angola?", ("Ovimbundu", "Ambundu", "Bakongo")), ("Who is the president of Andorra?", None),
])
def test_some_questions(question, answers):
    found = {example.question: example.answers for split in SPLITS for example in slot_questions(split)}
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
        assert any(template.format(name=example.article.split(" (")[0]) == example.question for example in questions), template
