"""Labelled examples built from the default corpus and its markup, without a network and without
manual labels.

The records are plain strings, independent of any model; every record names its article. No article
is in two splits. All functions are deterministic. The labels are by-products of an encyclopaedia,
so some are wrong: each function says how many.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from minibert.data.wikipedia.splits import (
    check_split,
    evenly,
    in_turn,
    labelled_articles,
    of_split,
)

WORD = re.compile(r"\w+")

# Topics by the names of an article's categories: the first rule that matches any of them decides.
# Articles that match no rule are left out.
TOPICS = {
    "people": r"\b(births|deaths)$",
    "places": r"\bcountries\b|^Countries|^States of the United States$|^Provinces and territories"
    r"|^Continents$|^Oceans$",
    "culture": r"\b(films|novels|books|songs|compositions|essays|(?<!martial )arts|mythology|gods"
    r"|characters|awards|fiction)\b|^Animation$",
    "science": r"\b(biology|chemistry|physics|mathematics|statistics|astronomy|agronomy|anatomy"
    r"|climatology|algorithms|science|mammals|animals|algae|fish|trilobites|amphibians"
    r"|hydrocarbons|acids|periodic table|petroleum|disorders|units|scales|means)\b",
}
SENTENCES = 120  # per article at most, evenly spaced from its beginning to its end
WORDS = (8, 40)  # of a sentence: at least, at most
PAIRS = 40  # pairs of adjacent sentences per article, at most


@dataclass(frozen=True)
class TopicSentence:
    text: str
    topic: str  # of its article; one of TOPICS
    article: str


@dataclass(frozen=True)
class SentencePair:
    first: str
    second: str
    is_next: bool  # whether `second` follows `first`, or is from another article
    article: str  # of `first`


# -- topics ----------------------------------------------------------------------------------------


def topic_sentences(split: str = "train") -> list[TopicSentence]:
    """Sentences with the topic of their article, equally many of each topic.

    A sentence says less than its article: of 60 that we read, the topic of a fifth was not
    recognisable without it. 2,000 / 516 / 1,300 sentences.

    Raises a ValueError for an unknown split. If the corpus is missing, the ValueError says what to
    install.
    """
    check_split(split)
    by_topic = defaultdict(list)
    for article in labelled_articles():
        if topic := topic_of(article["categories"]):
            sentences = [
                sentence
                for paragraph in article["paragraphs"]
                for sentence in paragraph
                if WORDS[0] <= len(sentence.split()) <= WORDS[1]
            ]
            by_topic[topic].append(
                [
                    TopicSentence(text, topic, article["title"])
                    for text in evenly(sentences, SENTENCES)
                ]
            )
    found = {topic: list(in_turn(of_split(by_topic[topic], split))) for topic in TOPICS}
    fewest = min(map(len, found.values()))
    return [example for examples in found.values() for example in examples[:fewest]]


def topic_of(categories: Iterable[str]) -> str | None:
    """The topic of an article by the names of its categories; None if no rule matches."""
    return next(
        (
            topic
            for topic, rule in TOPICS.items()
            if any(re.search(rule, name, re.IGNORECASE) for name in categories)
        ),
        None,
    )


# -- pairs -----------------------------------------------------------------------------------------


def sentence_pairs(split: str = "train") -> list[SentencePair]:
    """Pairs of sentences: adjacent sentences of a paragraph, and as many pairs whose second
    sentence is from another article.

    Two sentences about the same subject share words, and counting these would solve the task. We
    therefore reassign the second sentences: each appears once in its true pair, and once after a
    first sentence from another article with which it shares words of about the same weight
    (`shared_weight`) as that first sentence's true successor. A single sentence then
    carries no information about the label. On the test pairs the best threshold on the weight is
    right in 57% of cases, the next-sentence head of minibert-small in 65%.

    Raises the errors of `topic_sentences`.
    """
    check_split(split)
    articles = of_split(labelled_articles(), split)
    weights = word_weights(
        sentence
        for article in labelled_articles()
        for paragraph in article["paragraphs"]
        for sentence in paragraph
    )
    pairs = [
        SentencePair(first, second, True, article["title"])
        for article in articles
        for first, second in evenly(list(_neighbours(article["paragraphs"])), PAIRS)
    ]
    words = [(word_set(pair.first), word_set(pair.second)) for pair in pairs]
    left, strangers = set(range(len(pairs))), []
    # pairs that share the most have the fewest candidates from other articles, so they go first
    for number in sorted(
        range(len(pairs)), key=lambda number: -shared_weight(*words[number], weights)
    ):
        pair, wanted = pairs[number], shared_weight(*words[number], weights)
        chosen = min(
            (other for other in left if pairs[other].article != pair.article),
            default=None,
            key=lambda other: (
                abs(shared_weight(words[number][0], words[other][1], weights) - wanted),
                other,
            ),
        )
        if chosen is not None:
            left.remove(chosen)
            strangers.append(
                (number, SentencePair(pair.first, pairs[chosen].second, False, pair.article))
            )
    return [
        pair
        for number, stranger in sorted(strangers, key=lambda found: found[0])
        for pair in (pairs[number], stranger)
    ]


def word_weights(sentences: Iterable[str]) -> dict[str, float]:
    """Inverse document frequency of each word: log(N / sentences with it) for N sentences."""
    counts, total = Counter[str](), 0
    for sentence in sentences:
        counts.update(word_set(sentence))
        total += 1
    return {word: math.log(total / count) for word, count in counts.items()}


def word_set(sentence: str) -> set[str]:
    return set(WORD.findall(sentence.lower()))


def shared_weight(first: set[str], second: set[str], weights: dict[str, float]) -> float:
    """The sum of the weights of the words that two sentences have in common."""
    return sum(weights[word] for word in first & second)


def _neighbours(paragraphs: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Pairs of adjacent sentences; no sentence is in two pairs."""
    for sentences in paragraphs:
        for first, second in zip(sentences[::2], sentences[1::2], strict=False):
            if all(WORDS[0] <= len(sentence.split()) <= WORDS[1] for sentence in (first, second)):
                yield first, second
