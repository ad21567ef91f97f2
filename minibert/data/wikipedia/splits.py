"""The labelled articles of the default corpus, and how examples from them are split."""

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeVar

from minibert.config import InputError
from minibert.data.sentences import split_sentences
from minibert.data.wikipedia.articles import wikipedia_articles, wikipedia_labels

Item = TypeVar("Item")
SPLITS = ("train", "valid", "test")


def short_title(article: dict[str, Any]) -> str:
    """The title without its disambiguation: 'Animalia (book)' -> 'Animalia'."""
    return str(article["title"]).split(" (")[0]


@cache
def labelled_articles() -> list[dict[str, Any]]:
    """The articles of the corpus with their labels; each paragraph is a list of sentences."""
    labels = {article["title"]: article for article in wikipedia_labels()}
    return [
        labels[article["title"]]
        | {
            "paragraphs": [
                split_sentences(paragraph)
                for section in article["sections"]
                for paragraph in section["paragraphs"]
            ]
        }
        for article in wikipedia_articles()
    ]


def of_split(articles: list[Item], split: str) -> list[Item]:
    """The articles of a split. Of every four articles the first and the third are for training,
    the second is for the test and the fourth for validation."""
    return [
        article
        for number, article in enumerate(articles)
        if ("train", "test", "train", "valid")[number % 4] == split
    ]


def evenly(items: list[Item], most: int) -> list[Item]:
    """At most `most` of the items, evenly spaced from the first to the last."""
    return (
        items
        if len(items) <= most
        else [items[number * len(items) // most] for number in range(most)]
    )


def in_turn(lists: list[list[Item]]) -> Iterator[Item]:
    """The first item of each list, then the second of each, until all are used."""
    for number in range(max(map(len, lists))):
        yield from (items[number] for items in lists if number < len(items))


def check_split(split: str) -> None:
    if split not in SPLITS:
        raise InputError(f"split must be one of {', '.join(SPLITS)}, not {split!r}")
