"""Short sentences about simple scenes, put together at random from words of the corpus.

Books and encyclopaedias have few sentences such as "A child is sitting on the grass.", and a
teacher gives a vector to every sentence, whether anybody ever wrote it or not. Many of these are
nonsense. They come in groups that differ in a word or two, so that the student sees what a word
changes.
"""

import random
import re
from collections import Counter

NOUN = re.compile(
    r"\b[Aa]n? ([a-z]{3,})(?= (?:is|was|are|in|on|at|with|of|and|to|for|from|by)\b|[.,;])"
)
TRANSITIVE = re.compile(r"\b(?:is|was|are|were) ([a-z]{2,}ing) (?:an?|the|his|her|their)\b")
SCENE = re.compile(
    r"\b(?:is|was|are|were) ([a-z]{2,}ing) (in|on|at|over|through|with|down|up|into|along|by|"
    r"across|near|under|around) (?:an?|the|his|her|their) ([a-z]{3,})\b"
)
DESCRIBED = re.compile(
    r"\b[Aa] ([a-z]{3,}) ([a-z]{3,})(?= (?:is|was|in|on|at|with|of|and)\b|[.,;])"
)
NOT_NOUNS = frozenset(["few", "little", "lot", "nothing", "while", "whole"])
MOST = {"noun": 1500, "verb": 400, "scene": 1200, "described": 3000}  # the most frequent ones
VARIANTS = 2  # of each sentence, beside itself
LITTLE = frozenset(["a", "an", "and", "are", "is", "the"])


class Scenes:
    """Counts words in sentences, and makes sentences of the most frequent ones."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {kind: Counter() for kind in MOST}

    def read(self, sentence: str) -> None:
        """Count the words of a sentence that stand where a noun, a verb or a scene stands."""
        self.counts["noun"].update(NOUN.findall(sentence))
        if "ing " in sentence:
            self.counts["verb"].update(TRANSITIVE.findall(sentence))
            self.counts["scene"].update(map(" ".join, SCENE.findall(sentence)))
        self.counts["described"].update(map(" ".join, DESCRIBED.findall(sentence)))

    def sentences(self, number: int, draw: random.Random) -> list[str]:
        """Different made sentences; fewer where the words do not suffice."""
        words = {
            kind: sorted(counts, key=lambda word: (-counts[word], word))[: MOST[kind]]
            for kind, counts in self.counts.items()
        }
        words["noun"] = [word for word in words["noun"] if word not in NOT_NOUNS]
        known = set(words["noun"])
        words["described"] = [
            pair for pair in words["described"] if pair.partition(" ")[2] in known
        ]
        if not all(words.values()):
            return []
        made: dict[str, None] = {}
        for _ in range(number):
            sentence = _sentence(words, draw)
            made[sentence] = None
            for _ in range(VARIANTS):
                made[_variant(sentence, words, draw)] = None
            if len(made) >= number:
                break
        return list(made)[:number]


def _sentence(words: dict[str, list[str]], draw: random.Random) -> str:
    """As "A dog is carrying the stick.", or with a scene: "The old man is sitting at a table."."""
    subject, kind = _noun(words, draw), draw.random()
    if kind < 0.45:
        rest = f"is {draw.choice(words['verb'])} {_noun(words, draw)}"
    else:
        verb, preposition, noun = draw.choice(words["scene"]).split(" ")
        be = "is" if kind < 0.9 else f"and {_noun(words, draw)} are"
        rest = f"{be} {verb} {preposition} {draw.choice(('a', 'the', 'the'))} {noun}"
    return f"{subject[0].upper()}{subject[1:]} {rest}" + "." * (draw.random() < 0.8)


def _noun(words: dict[str, list[str]], draw: random.Random) -> str:
    noun = draw.choice(words["described" if draw.random() < 0.35 else "noun"])
    article = "an" if noun[0] in "aeiou" else "a"
    return f"{article if draw.random() < 0.6 else 'the'} {noun}"


def _variant(sentence: str, words: dict[str, list[str]], draw: random.Random) -> str:
    """The sentence with one or two other words."""
    end = "." * sentence.endswith(".")
    parts = sentence.removesuffix(".").split(" ")
    places = [place for place, part in enumerate(parts) if part.lower() not in LITTLE]
    for place in draw.sample(places, k=draw.choice((1, 1, 2))):
        parts[place] = draw.choice(words["verb" if parts[place].endswith("ing") else "noun"])
    return " ".join(parts) + end
