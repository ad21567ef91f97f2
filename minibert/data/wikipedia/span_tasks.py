"""Tagging and question answering built from the default corpus, without manual labels.

The records are plain strings, independent of any model. The labels are by-products of an
encyclopaedia, so some are wrong: each function says how many.
"""

import re
from dataclasses import dataclass

from minibert.data.wikipedia.slots import SLOTS
from minibert.data.wikipedia.splits import (
    check_split,
    evenly,
    labelled_articles,
    of_split,
    short_title,
)
from minibert.data.wikipedia.tasks import WORDS

MENTIONS = 40  # sentences with mentions per article, at most
TOKEN = re.compile(r"\d+(?:[.,]\d+)+|\w+(?:(?:[-.]|['’](?!s\b))\w+)*|['’]s\b|[^\w\s]")
ANSWER = (2, 60)  # characters of an answer: at least, at most


@dataclass(frozen=True)
class MentionSentence:
    words: tuple[str, ...]  # words and punctuation
    tags: tuple[str, ...]  # one per word: O, or B- or I- followed by "name" or "term"
    article: str


@dataclass(frozen=True)
class SlotQuestion:
    question: str
    context: str  # a paragraph
    answers: tuple[str, ...]  # each of them is correct
    starts: tuple[int, ...]  # where they begin: context[start:start + len(answer)] == answer
    article: str


def mention_sentences(split: str = "train") -> list[MentionSentence]:
    """Sentences whose words are tagged according to the links in their article: B- begins a mention
    of something that has an article, I- continues it.

    A "name" begins with a capital letter, a "term" does not. Writers link a mention only once, and
    often not at all. Therefore every occurrence of an article's title, or of the text of one of its
    links, is tagged, the longest text first. In 30 sentences that we read, hardly any tagged text
    had wrong boundaries, but about one in five names and many terms were untagged, for no reason
    that a model could see. The best possible score is therefore far from 1. 1,675 / 769 / 813
    sentences.

    Raises the errors of `topic_sentences`.
    """
    check_split(split)
    examples = []
    for article in of_split(labelled_articles(), split):
        links = {
            tuple(TOKEN.findall(link))
            for link in [short_title(article), *article["links"]]
            if is_mention(link)
        }
        sentences = [
            MentionSentence(words, tags, article["title"])
            for paragraph in article["paragraphs"]
            for sentence in paragraph
            if WORDS[0] <= len(sentence.split()) <= WORDS[1]
            and (tags := tag_mentions(words := tuple(TOKEN.findall(sentence)), links)).count("O")
            < len(tags)
        ]
        examples += evenly(sentences, MENTIONS)
    return examples


def is_mention(link: str) -> bool:
    """Whether the text of a link is a mention wherever it occurs; 'not', 'V' and '1961' are
    not."""
    return len(link) > 3 and link[0].isalpha() and link[-1].isalnum()


def tag_mentions(words: tuple[str, ...], links: set[tuple[str, ...]]) -> tuple[str, ...]:
    """A tag for each word. From left to right, the longest link that begins at a word is tagged."""
    longest, tags = max(map(len, links), default=0), list[str]()
    while len(tags) < len(words):
        at = len(tags)
        length = next(
            (
                length
                for length in range(min(longest, len(words) - at), 0, -1)
                if words[at : at + length] in links
            ),
            0,
        )
        kind = "name" if words[at][0].isupper() else "term"
        tags += [f"B-{kind}", *[f"I-{kind}"] * (length - 1)] if length else ["O"]
    return tuple(tags)


def slot_questions(split: str = "train") -> list[SlotQuestion]:
    """Questions whose answers are in a paragraph: we search an article's prose for the texts of its
    infobox slots.

    SLOTS lists the slots, the questions, and the cue that must match the sentence of an answer.
    Each question has one paragraph, the first in which any text from the slot is found. 140
    questions: enough to see the head at work, too few for a score.

    Raises the errors of `topic_sentences`.
    """
    check_split(split)
    examples = {}
    for article in of_split(labelled_articles(), split):
        for slot, texts in article["infobox"].items():
            for rule, template, cue in SLOTS:
                question = template.format(name=short_title(article))
                if re.fullmatch(rule, slot) and question not in examples:
                    wanted = [
                        text
                        for text in texts
                        if ANSWER[0] <= len(text) <= ANSWER[1]
                        and text != "capital"
                        and any(letter.isdigit() for letter in text) == question.startswith("When")
                    ]
                    for paragraph in article["paragraphs"]:
                        if spans := _answer_spans(paragraph, wanted, cue):
                            starts, answers = zip(*sorted(spans.items()), strict=True)
                            examples[question] = SlotQuestion(
                                question, " ".join(paragraph), answers, starts, article["title"]
                            )
                            break
    return list(examples.values())


def _answer_spans(paragraph: list[str], texts: list[str], cue: str) -> dict[int, str]:
    """The texts by their start in the paragraph, from those sentences that match the cue. The spans
    do not overlap."""
    spans, start = {}, 0
    for sentence in paragraph:
        taken = set[int]()
        for text in sorted(texts, key=len, reverse=True):
            found = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", sentence)
            if (
                found
                and taken.isdisjoint(range(*found.span()))
                and re.search(cue.replace("{answer}", re.escape(text)), sentence, re.IGNORECASE)
            ):
                spans[start + found.start()] = text
                taken |= set(range(*found.span()))
        start += len(sentence) + 1
    return spans
