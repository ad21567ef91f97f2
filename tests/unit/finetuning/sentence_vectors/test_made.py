"""Made sentences: of the words that stand where nouns and verbs stand, in groups that differ in a word or two."""

import random

import pytest

from minibert.finetuning.sentence_vectors.made import LITTLE, VARIANTS, Scenes
from minibert.finetuning.sentence_vectors.options import SentenceOptions
from minibert.finetuning.sentence_vectors.texts import choose_texts

CORPUS = [
    "She saw a dog in the yard.",
    "A horse is pulling the cart.",
    "There was an old horse with a bell, and a dog.",
    "The cat was sitting on the wall.",
    "They were running through a forest and carrying the boxes.",
    "Nothing is nothing.",
]


@pytest.fixture
def scenes():
    scenes = Scenes()
    for sentence in CORPUS:
        scenes.read(sentence)
    return scenes


def test_the_words_come_from_their_places(scenes):
    assert set(scenes.counts["noun"]) == {"dog", "horse", "bell", "forest"}
    assert scenes.counts["noun"]["dog"] == 2
    assert set(scenes.counts["verb"]) == {"pulling"}
    assert set(scenes.counts["scene"]) == {"sitting on wall", "running through forest"}


def test_made_sentences(scenes):
    scenes.read("A small dog is here.")
    made = scenes.sentences(300, random.Random(0))
    assert len(made) == len(set(made)) > 200
    known = LITTLE | {"dog", "horse", "bell", "pulling", "sitting", "on", "wall", "running"}
    known |= {"through", "forest", "small"}
    assert {word for text in made for word in text.removesuffix(".").lower().split()} <= known
    assert all(text[0].isupper() for text in made)
    assert {text.endswith(".") for text in made} == {True, False}


def test_variants_differ_in_one_or_two_words(scenes):
    scenes.read("A small dog is here.")
    made = scenes.sentences(VARIANTS + 1, random.Random(3))
    words = [text.split() for text in made]
    assert {len(text) for text in words} == {len(words[0])}
    for variant in words[1:]:
        assert 1 <= sum(one != other for one, other in zip(words[0], variant, strict=True)) <= 2


def test_without_words_there_are_no_sentences():
    assert Scenes().sentences(5, random.Random(0)) == []


def test_they_are_added_to_the_texts():
    documents = [("a", [*CORPUS, "A small dog is here."])]
    settings = dict(phrases=0, words=0, start_from_bag=False)
    plain = choose_texts(documents, SentenceOptions(**settings, sample=4))
    more = choose_texts(documents, SentenceOptions(**settings, sample=4, made=9))
    assert len(plain) == 4 and len(more) == 13 and set(plain) < set(more)
    again = choose_texts(documents, SentenceOptions(**settings, sample=4, made=9))
    assert again == more
