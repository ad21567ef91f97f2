"""Exercise `fair_triples`: task, hints, solution and check."""

import re
from collections import Counter

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch00_first_look.common import CHAPTER
from minibert.course.exercises.compare import Mistake

ENOUGH = 8


def fair_triples():
    """At least eight triples (sentence, one that agrees with it, one that contradicts it).

    The second and the third sentence of a triple have the same words. Each triple has a mirror:
    another first sentence, with the same two answers in exchanged roles. The sentence that agrees
    keeps more of the first one's order in as many triples as the sentence that contradicts.
    """
    # blank from here: a list of triples (sentence, agrees, contradicts)
    pairs = [
        ("the bell rang", "the dog barked"),
        ("the guests arrived", "the cake burned"),
        ("the rain stopped", "the bus left"),
        ("the singer bowed", "the lights went out"),
        ("the king died", "the war began"),
        ("the baby woke", "the phone rang"),
    ]
    triples = []
    for one, two in [*pairs, *(pair[::-1] for pair in pairs)]:
        sentence = f"{one} before {two}."
        triples.append((sentence, f"Before {two}, {one}.", f"Before {one}, {two}."))
        triples.append((sentence, f"After {one}, {two}.", f"After {two}, {one}."))
    return triples


def in_order(text):
    """The words of a text, lowercase and without punctuation."""
    return tuple(re.findall(r"\w+(?:['’]\w+)*", text.lower()))


def signs(text):
    """The words and the punctuation marks of a text, counted."""
    return Counter(re.findall(r"\w+(?:['’]\w+)*|[^\w\s]", text.lower()))


def kept(one, other):
    """How many words of two tuples are in the same order: the length of the longest common subsequence."""
    best = [0] * (len(other) + 1)
    for word in one:
        above = best[:]
        for i, each in enumerate(other, 1):
            best[i] = above[i - 1] + 1 if word == each else max(above[i], best[i - 1])
    return best[-1]


def check_fair_triples(answer):
    triples = answer()
    if not isinstance(triples, list | tuple) or not all(
        isinstance(triple, list | tuple)
        and len(triple) == 3
        and all(isinstance(text, str) for text in triple)
        for triple in triples
    ):
        raise Mistake("Expected a list of triples, each with three sentences as strings.")
    if len(triples) < ENOUGH:
        raise Mistake(
            f"You give {len(triples)} triples. In so few, a coin is often all right; write at least {ENOUGH}."
        )
    texts = [tuple(map(in_order, triple)) for triple in triples]
    if len(set(texts)) < len(triples):
        raise Mistake(
            f"A triple occurs twice among your {len(triples)}. Repeating it adds no evidence."
        )
    for number, triple in enumerate(triples, 1):
        if len(set(texts[number - 1])) < 3:
            raise Mistake(
                f"Triple {number} has the same sentence twice, so one of its cosines is known before any model has run."
            )
        agrees, contradicts = map(signs, triple[1:])
        if agrees != contradicts:
            alone = " ".join((agrees - contradicts).elements()) or "nothing"
            other = " ".join((contradicts - agrees).elements()) or "nothing"
            raise Mistake(
                f"In triple {number}, only the sentence that agrees has {alone!r}, and only the sentence that contradicts has {other!r}. So a "
                "bag of words can tell the two apart. Use the same words and marks in both, in another order."
            )
    check_mirrors(triples, texts)
    check_order(triples, texts)


def check_mirrors(triples, texts):
    """Refuse triples that a fixed liking for some of the answers could win by more than half."""
    roles = Counter((agrees, contradicts) for _, agrees, contradicts in texts)
    for number, (sentence, agrees, contradicts) in enumerate(texts, 1):
        if (sentence, contradicts, agrees) in texts:
            raise Mistake(
                f"Triple {number} and its mirror begin with the same sentence. One of its answers cannot both agree and contradict; "
                "begin the mirror with another sentence."
            )
        there, mirrored = roles[agrees, contradicts], roles[contradicts, agrees]
        if there != mirrored:
            raise Mistake(
                f"In {there} of your {len(triples)} triples, {triples[number - 1][1]!r} agrees and {triples[number - 1][2]!r} contradicts, and in "
                f"{mirrored} it is the other way round. So a model that always prefers one of the two, whatever the first sentence says, does "
                "not get exactly half of them right. Give each triple a mirror, with another first sentence."
            )


def check_order(triples, texts):
    """Refuse triples that a liking for the first sentence's word order could win or lose by more than half."""
    leads = [kept(first, agrees) - kept(first, contradicts) for first, agrees, contradicts in texts]
    wins, losses = (sum(sign * lead > 0 for lead in leads) for sign in (1, -1))
    if wins != losses:
        number = next(i for i, lead in enumerate(leads) if (lead > 0) == (wins > losses) and lead)
        first, *answers = texts[number]
        raise Mistake(
            f"A model that prefers the sentence with more of the first one's order is right in {wins} of your triples and wrong in {losses}. In triple "
            f"{number + 1}, for example, {triples[number][1]!r} keeps {kept(first, answers[0])} words of {triples[number][0]!r} in their order, and "
            f"{triples[number][2]!r} keeps {kept(first, answers[1])}. Say half of it in another form, so that the two numbers are equal."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Design a test that a trick cannot pass",
    task="""
            Choose a claim about MiniLM: that it knows which of two things came *first*, that it tells *opposites* apart
            (*good, not bad* and *bad, not good*), that it sees who has *more*, or one of your own. Write at least eight triples for it: a
            sentence, one that agrees with it, and one that contradicts it.

            Three tricks must each get exactly half:

            - a bag of words: the second and the third sentence of a triple have the same words, in another order;
            - a liking for certain answers, whatever the first sentence says: each triple has a *mirror*, in which another first sentence exchanges
              the roles of the same two answers;
            - a liking for the old order: the sentence that agrees keeps more of the first one's order in as many triples as the sentence
              that contradicts. (The check counts how many words it can read in both in the same order.)

            Whether your sentences agree and contradict, only you can judge. Before you run the next cell, enter in it how many
            triples you expect MiniLM to get right, and from how many on you will believe the claim.
            """,
    hints=(
        "Begin with one triple and ask what each of the tricks would answer. For the mirror, keep the second and the third sentence. What must the "
        "first sentence say, so that the one that contradicted agrees?",
        "If the sentence that agrees always has its parts in the old order, find another form that says the same with the parts exchanged, as the "
        "passive did, and use each form for half of the triples. A loop over pairs saves work.",
    ),
    paragraph="Design a test of your own",
    solution=fair_triples,
    check=check_fair_triples,
)
