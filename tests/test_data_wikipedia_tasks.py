"""Labelled examples from the default corpus: by which rules, from which articles, and what cannot be read from words alone."""

from collections import Counter
from itertools import combinations

import pytest

from minibert.data.wikipedia import wikipedia_articles, wikipedia_texts
from minibert.data.wikipedia_tasks import (
    SPLITS, TOPICS, SentencePair, TopicSentence, content_words, sentence_pairs, shared_weight, topic_of, topic_sentences, word_weights)

MAKERS = [topic_sentences, sentence_pairs]


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
        return shared_weight(content_words(example.first, weights), content_words(example.second, weights), weights)

    near, far = [[overlap(example) for example in examples if example.is_next == is_next] for is_next in (True, False)]
    wins = sum((one > other) + (one == other) / 2 for one in near for other in far) / (len(near) * len(far))
    assert 0.47 < wins < 0.57


def test_the_weight_of_words():
    sentences = ["The cat sat.", "The dog ran.", *["Other words."] * 198]
    weights = word_weights(sentences)
    assert set(weights) == {"the", "cat", "sat", "dog", "ran"} and weights["cat"] > weights["the"] > 0
    assert content_words("The CAT, words!", weights) == {"the", "cat"}
    assert shared_weight({"cat", "dog"}, {"dog", "the"}, weights) == weights["dog"]
