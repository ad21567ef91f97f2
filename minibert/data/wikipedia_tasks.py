"""Labelled examples that need no network and nobody's hand: built from the default corpus and what its writers marked.

Plain records of strings, which know no model; every record names its article. No article is in two splits. All of it is
deterministic. The labels are by-products of an encyclopaedia, so some are wrong: each function says how many.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from minibert.data.sentences import split_sentences
from minibert.data.wikipedia import wikipedia_articles, wikipedia_labels
from minibert.data.wikipedia_slots import SLOTS

SPLITS = ("train", "valid", "test")
WORD = re.compile(r"\w+")

# A topic by the names of an article's categories: the first rule that fits any of them decides. Other articles are left out.
TOPICS = {
    "people": r"\b(births|deaths)$",
    "places": r"\bcountries\b|^Countries|^States of the United States$|^Provinces and territories|^Continents$|^Oceans$",
    "culture": r"\b(films|novels|books|songs|compositions|essays|(?<!martial )arts|mythology|gods|characters|awards|fiction)\b|^Animation$",
    "science": r"\b(biology|chemistry|physics|mathematics|statistics|astronomy|agronomy|anatomy|climatology|algorithms|science|mammals|animals"
               r"|algae|fish|trilobites|amphibians|hydrocarbons|acids|periodic table|petroleum|disorders|units|scales|means)\b",
}
SENTENCES = 120             # of an article at most, evenly from its beginning to its end
WORDS = (8, 40)             # of a sentence: at least, at most
PAIRS = 40                  # of neighbours from an article at most
MENTIONS = 40               # sentences with mentions from an article at most
TOKEN = re.compile(r"\d+(?:[.,]\d+)+|\w+(?:(?:[-.]|['’](?!s\b))\w+)*|['’]s\b|[^\w\s]")
ANSWER = (2, 60)            # letters of an answer: at least, at most


@dataclass(frozen=True)
class TopicSentence:
    text: str
    topic: str              # of the article it is from; one of TOPICS
    article: str


@dataclass(frozen=True)
class SentencePair:
    first: str
    second: str
    is_next: bool           # whether `second` follows `first`, or is from another article
    article: str            # of `first`


@dataclass(frozen=True)
class MentionSentence:
    words: tuple[str, ...]  # words and punctuation
    tags: tuple[str, ...]   # as many: O, or B- or I- and "name" or "term"
    article: str


@dataclass(frozen=True)
class SlotQuestion:
    question: str
    context: str            # a paragraph
    answers: tuple[str, ...]    # every one of them is right
    starts: tuple[int, ...]     # where they begin in it: context[start:start + len(answer)] == answer
    article: str


# -- topics ------------------------------------------------------------------------------------------------------------

def topic_sentences(split: str = "train") -> list[TopicSentence]:
    """Sentences and the topic of the article they are from, equally many of each topic.

    A sentence says less than its article: of 60 that were read, a fifth could not be told without it. 2,000 / 516 / 1,300 sentences.

    Raises a ValueError for an unknown split, or that says what to install where the corpus is missing.
    """
    _check_split(split)
    by_topic = defaultdict(list)
    for article in _articles():
        if topic := topic_of(article["categories"]):
            sentences = [sentence for paragraph in article["paragraphs"] for sentence in paragraph if WORDS[0] <= len(sentence.split()) <= WORDS[1]]
            by_topic[topic].append([TopicSentence(text, topic, article["title"]) for text in _evenly(sentences, SENTENCES)])
    found = {topic: list(_in_turn(_of_split(by_topic[topic], split))) for topic in TOPICS}
    fewest = min(map(len, found.values()))
    return [example for examples in found.values() for example in examples[:fewest]]


def topic_of(categories: Iterable[str]) -> str | None:
    """The topic of an article by the names of its categories; None where no rule fits."""
    return next((topic for topic, rule in TOPICS.items() if any(re.search(rule, name, re.IGNORECASE) for name in categories)), None)


# -- pairs -------------------------------------------------------------------------------------------------------------

def sentence_pairs(split: str = "train") -> list[SentencePair]:
    """Pairs of sentences: neighbours in a paragraph, and as many whose second sentence is from another article.

    Two sentences about one thing share words, and counting these would solve the task. So the second sentences are dealt
    out again among the pairs: each stands once where it belongs, and once after a sentence of another article with
    which it shares words of about the same weight (`shared_weight`) as that one's true neighbour does. A sentence by itself says nothing.
    On the test pairs the best threshold on that weight is right in 57% of cases, the next-sentence head of minibert-small in 65%.

    Errors as `topic_sentences`.
    """
    _check_split(split)
    articles = _of_split(_articles(), split)
    weights = word_weights(sentence for article in _articles() for paragraph in article["paragraphs"] for sentence in paragraph)
    pairs = [SentencePair(first, second, True, article["title"]) for article in articles
             for first, second in _evenly(list(_neighbours(article["paragraphs"])), PAIRS)]
    words = [(word_set(pair.first), word_set(pair.second)) for pair in pairs]
    left, strangers = set(range(len(pairs))), []
    # those that share most have the fewest strangers to choose from, so they choose first
    for number in sorted(range(len(pairs)), key=lambda number: -shared_weight(*words[number], weights)):
        pair, wanted = pairs[number], shared_weight(*words[number], weights)
        chosen = min((other for other in left if pairs[other].article != pair.article), default=None,
                     key=lambda other: (abs(shared_weight(words[number][0], words[other][1], weights) - wanted), other))
        if chosen is not None:
            left.remove(chosen)
            strangers.append((number, SentencePair(pair.first, pairs[chosen].second, False, pair.article)))
    return [pair for number, stranger in sorted(strangers, key=lambda found: found[0]) for pair in (pairs[number], stranger)]


def word_weights(sentences: Iterable[str]) -> dict[str, float]:
    """How much a word tells by occurring: log(N / sentences with it) for N sentences."""
    counts, total = Counter(), 0
    for sentence in sentences:
        counts.update(word_set(sentence))
        total += 1
    return {word: math.log(total / count) for word, count in counts.items()}


def word_set(sentence: str) -> set[str]:
    return set(WORD.findall(sentence.lower()))


def shared_weight(first: set[str], second: set[str], weights: dict[str, float]) -> float:
    """The weights of the words that two sentences have in common, summed."""
    return sum(weights[word] for word in first & second)


def _neighbours(paragraphs: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Pairs of sentences that follow each other; no sentence is in two of them."""
    for sentences in paragraphs:
        for first, second in zip(sentences[::2], sentences[1::2]):
            if all(WORDS[0] <= len(sentence.split()) <= WORDS[1] for sentence in (first, second)):
                yield first, second


# -- mentions ----------------------------------------------------------------------------------------------------------

def mention_sentences(split: str = "train") -> list[MentionSentence]:
    """Sentences whose words are tagged by the links in their article: B- begins what has an article of its own, I- continues it.

    A "name" is written with a capital letter, a "term" without. Writers link what they mention once, and often not
    at all; so every place where an article holds its title, or the text of one of its own links, is tagged, the longest text first.
    In 30 sentences that were read, hardly a tagged text had wrong borders; but about every fifth name and many a term stood untagged,
    for no reason that a model could see. The best possible score is far from 1. 1,675 / 769 / 813 sentences.

    Errors as `topic_sentences`.
    """
    _check_split(split)
    examples = []
    for article in _of_split(_articles(), split):
        links = {tuple(TOKEN.findall(link)) for link in [_name(article), *article["links"]] if is_mention(link)}
        sentences = [MentionSentence(words, tags, article["title"]) for paragraph in article["paragraphs"] for sentence in paragraph
                     if WORDS[0] <= len(sentence.split()) <= WORDS[1]
                     and (tags := tag_mentions(words := tuple(TOKEN.findall(sentence)), links)).count("O") < len(tags)]
        examples += _evenly(sentences, MENTIONS)
    return examples


def is_mention(link: str) -> bool:
    """Whether the text of a link stands for something wherever it occurs: 'not', 'V' and '1961' do not."""
    return len(link) > 3 and link[0].isalpha() and link[-1].isalnum()


def tag_mentions(words: tuple[str, ...], links: set[tuple[str, ...]]) -> tuple[str, ...]:
    """A tag for each word: the longest link that begins at a place wins, from left to right."""
    longest, tags = max(map(len, links), default=0), []
    while len(tags) < len(words):
        at = len(tags)
        length = next((length for length in range(min(longest, len(words) - at), 0, -1) if words[at:at + length] in links), 0)
        kind = "name" if words[at][0].isupper() else "term"
        tags += [f"B-{kind}", *[f"I-{kind}"] * (length - 1)] if length else ["O"]
    return tuple(tags)


# -- questions ---------------------------------------------------------------------------------------------------------

def slot_questions(split: str = "train") -> list[SlotQuestion]:
    """Questions whose answers stand in a paragraph: what the infobox of an article says in a slot is looked for in its prose.

    SLOTS names the slots, the questions, and the words that must stand in the sentence of an answer. One paragraph for each question,
    the first in which any text from the slot is found. 140 questions: enough to see the head at work, too few for a score.

    Errors as `topic_sentences`.
    """
    _check_split(split)
    examples = {}
    for article in _of_split(_articles(), split):
        for slot, texts in article["infobox"].items():
            for rule, template, cue in SLOTS:
                question = template.format(name=_name(article))
                if re.fullmatch(rule, slot) and question not in examples:
                    wanted = [text for text in texts if ANSWER[0] <= len(text) <= ANSWER[1] and text != "capital"
                              and any(letter.isdigit() for letter in text) == question.startswith("When")]
                    for paragraph in article["paragraphs"]:
                        if spans := _answer_spans(paragraph, wanted, cue):
                            starts, answers = zip(*sorted(spans.items()))
                            examples[question] = SlotQuestion(question, " ".join(paragraph), answers, starts, article["title"])
                            break
    return list(examples.values())


def _answer_spans(paragraph: list[str], texts: list[str], cue: str) -> dict[int, str]:
    """Where the texts stand in the sentences of a paragraph that hold the cue; none lies within another."""
    spans, start = {}, 0
    for sentence in paragraph:
        taken = set()
        for text in sorted(texts, key=len, reverse=True):
            found = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", sentence)
            if found and taken.isdisjoint(range(*found.span())) and re.search(cue.replace("{answer}", re.escape(text)), sentence, re.IGNORECASE):
                spans[start + found.start()] = text
                taken |= set(range(*found.span()))
        start += len(sentence) + 1
    return spans


# ----------------------------------------------------------------------------------------------------------------------

def _name(article: dict) -> str:
    """The title without what tells it from its namesakes: 'Animalia (book)'."""
    return article["title"].split(" (")[0]


@cache
def _articles() -> list[dict]:
    """The articles of the corpus, their paragraphs as lists of sentences, with their labels."""
    labels = {article["title"]: article for article in wikipedia_labels()}
    return [labels[article["title"]] | {"paragraphs": [split_sentences(paragraph) for section in article["sections"]
                                                       for paragraph in section["paragraphs"]]} for article in wikipedia_articles()]


def _of_split(articles: list, split: str) -> list:
    """Of four articles the first and the third are for training, the second for the test, the fourth for validation."""
    return [article for number, article in enumerate(articles) if ("train", "test", "train", "valid")[number % 4] == split]


def _evenly(items: list, most: int) -> list:
    """At most so many of them, evenly from the first to the last."""
    return items if len(items) <= most else [items[number * len(items) // most] for number in range(most)]


def _in_turn(lists: list[list]) -> Iterator:
    """One item of each list, then the second of each, until all are empty."""
    for number in range(max(map(len, lists))):
        yield from (items[number] for items in lists if number < len(items))


def _check_split(split: str) -> None:
    if split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}, not {split!r}")
