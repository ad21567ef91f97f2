"""Exercise `fair_triples`: task, hints, solution and check."""

import re
from collections import Counter

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch00_first_look.common import CHAPTER
from minibert.course.exercises.compare import Mistake

ENOUGH = 8


def fair_triples():
    """At least eight triples (sentence, one that agrees with it, one that contradicts it).

    Four tricks get exactly half: a bag of words, a liking for certain answers, a liking for the
    old order, and a liking for the first sentence's words near the beginning.
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


def earliness(first, other):
    """How near to the beginning of a tuple of words those are that `first` has as well: minus the sum of their positions."""
    return -sum(i for i, word in enumerate(other, 1) if word in first)


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
    check_beginnings(triples, texts)


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


def decided(score, texts):
    """(in how many triples a trick is right, wrong, and one triple of the commoner kind) if it goes by the higher score."""
    leads = [score(first, agrees) - score(first, contra) for first, agrees, contra in texts]
    wins, losses = (sum(sign * lead > 0 for lead in leads) for sign in (1, -1))
    kind = 1 if wins > losses else -1
    return wins, losses, next((i for i, lead in enumerate(leads) if kind * lead > 0), None)


def check_order(triples, texts):
    """Refuse triples that a liking for the first sentence's word order could win or lose by more than half."""
    wins, losses, number = decided(kept, texts)
    if wins != losses:
        first, *answers = texts[number]
        raise Mistake(
            f"A model that prefers the sentence with more of the first one's order is right in {wins} of your triples and wrong in {losses}. In triple "
            f"{number + 1}, for example, {triples[number][1]!r} keeps {kept(first, answers[0])} words of {triples[number][0]!r} in their order, and "
            f"{triples[number][2]!r} keeps {kept(first, answers[1])}. Say half of it in another form, so that the two numbers are equal."
        )


def check_beginnings(triples, texts):
    """Refuse triples that a liking for the first sentence's words near the beginning could win or lose by more than half."""
    wins, losses, number = decided(earliness, texts)
    if wins != losses:
        first, *answers = texts[number]
        at = [
            ", ".join(f"{word} {i}" for i, word in enumerate(answer, 1) if word in first)
            for answer in answers
        ]
        raise Mistake(
            f"A model that prefers the sentence with the first one's words nearer to the beginning is right in {wins} of your triples and wrong in "
            f"{losses}. In triple {number + 1}, for example, {triples[number][0]!r} shares these words, with their positions: {at[0]} in "
            f"{triples[number][1]!r}, and {at[1]} in {triples[number][2]!r}. Let the first sentence use both of the words that change places, or neither."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=25,
    title="Design a test that a trick cannot pass",
    task="""
            Choose a claim about MiniLM: that it knows which of two things came *first*, that it tells *opposites* apart, that it sees who
            has *more*, or one of your own. Write at least eight triples for it: a sentence, one that agrees with it, and one that
            contradicts it. For example, here are a triple about opposites and its *mirror*, in which another first sentence exchanges the roles of the same
            two answers:

            | sentence | agrees | contradicts |
            |---|---|---|
            | *It is good.* | *It is good, not bad.* | *It is bad, not good.* |
            | *It is bad.* | *It is bad, not good.* | *It is good, not bad.* |

            Four tricks must each get exactly half. The example passes the first three and fails the last.

            1. *A bag of words.* The second and the third sentence of a triple have the same words.
            2. *A liking for certain answers*, whatever the first sentence says. Each triple has a mirror.
            3. *A liking for the old order.* Count how many words of the first sentence can be read in an answer in the same order. The sentence
               that agrees must have the higher count as often as the one that contradicts.
            4. *A liking for early words.* Add up the positions of those words of an answer that the first sentence has as well. The sentence that agrees
               must have the lower sum as often as the one that contradicts. Above, *good* is word 3 in the sentence that
               agrees with *It is good*, and word 5 in the other.

            Whether your sentences agree and contradict, only you can judge. Before you run the next cell, enter in it how many
            triples you expect MiniLM to get right, and from how many on you will believe the claim.
            """,
    hints=(
        "Begin with one triple and ask what each of the tricks would answer. For the mirror, keep the second and the third sentence. What must the "
        "first sentence say, so that the one that contradicted agrees?",
        "If the sentence that agrees always has its parts in the old order, find another form that says the same with the parts exchanged, as the "
        "passive did, and use each form for half of the triples. If a word such as *good* gives the answer away by its position, say the first sentence with another "
        "word, such as *great*. A loop over pairs saves work.",
    ),
    paragraph="Design a test of your own",
    solution=fair_triples,
    check=check_fair_triples,
)
