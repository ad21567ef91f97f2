"""Exercise `fair_triples`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch00_first_look.common import CHAPTER
from minibert.course.exercises.compare import Mistake

ENOUGH = 8


def fair_triples():
    """At least eight triples (sentence, one that agrees with it, one that contradicts it).

    In each triple, the second and the third share equally many words with the first, and they
    bring equally many new words.
    """
    # blank from here: a list of triples (sentence, agrees, contradicts)
    pairs = (
        ("The film was {}.", ("good", "great"), ("bad", "awful")),
        ("The room is {}.", ("cold", "chilly"), ("hot", "warm")),
        ("She was {}.", ("happy", "glad"), ("sad", "unhappy")),
        ("Prices {} again.", ("rose", "climbed"), ("fell", "dropped")),
        ("The exam was {}.", ("difficult", "hard"), ("easy", "simple")),
        ("Her uncle is {}.", ("rich", "wealthy"), ("poor", "needy")),
        ("The street was {}.", ("quiet", "silent"), ("noisy", "loud")),
        ("This bag is too {}.", ("big", "large"), ("small", "tiny")),
        ("The concert {} at noon.", ("began", "started"), ("ended", "finished")),
        ("His answer was {}.", ("right", "correct"), ("wrong", "incorrect")),
        ("The train was {}.", ("fast", "quick"), ("slow", "sluggish")),
        ("The soldier was {}.", ("brave", "courageous"), ("afraid", "scared")),
    )
    return [
        tuple(frame.format(word) for word in (*same, opposite[0]))
        for frame, *sides in pairs
        for same, opposite in (sides, sides[::-1])
    ]


def words(text):
    """The different words of a text, lowercase and without punctuation."""
    return set("".join(c if c.isalnum() or c in "'’" else " " for c in text.lower()).split())


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
            f"You give {len(triples)} triples. In so few, an untrained model is often all right by chance; write at least {ENOUGH}."
        )
    if len({tuple(frozenset(words(text)) for text in triple) for triple in triples}) < len(triples):
        raise Mistake(
            f"A triple occurs twice among your {len(triples)}. Repeating it adds no evidence."
        )
    for number, (sentence, agrees, contradicts) in enumerate(triples, 1):
        if len({sentence.lower(), agrees.lower(), contradicts.lower()}) < 3:
            raise Mistake(
                f"Triple {number} has the same sentence twice, so one of its cosines is known before any model has run."
            )
        near, far = (len(words(sentence) & words(other)) for other in (agrees, contradicts))
        if near == far == 0:
            raise Mistake(
                f"In triple {number}, neither sentence shares a word with {sentence!r}. Then they may differ in topic and in "
                "everything else; keep the words and change what is tested."
            )
        if near < far:
            raise Mistake(
                f"In triple {number}, the sentence that contradicts shares {far} words with the first one, and the sentence that agrees "
                f"shares {near}: a model that counts words gets this triple wrong, whatever it knows about meaning."
            )
        if near > far:
            raise Mistake(
                f"In triple {number}, the sentence that agrees shares {near} words with the first one, and the sentence that contradicts "
                f"shares {far}: a model that counts words gets this triple right without any knowledge of meaning."
            )
        near, far = (len(words(other) - words(sentence)) for other in (agrees, contradicts))
        if near != far:
            raise Mistake(
                f"In triple {number}, the number of shared words is equal, but the sentence that agrees brings {near} new words and the "
                f"sentence that contradicts {far}. New words move a vector too, so make their number equal as well."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Design a test that a trick cannot pass",
    task="""
            Choose a claim about MiniLM: that it tells *opposites* apart, as *good* and *bad*; that it reads *numbers*,
            as *three* and *3*; that it knows which of two things came *first*; or one of your own. Write at least eight triples for it: a
            sentence, one that agrees with it, and one that contradicts it.

            Two tricks must fail. A model that counts words must find both equally close: in each triple, the second and the third sentence share equally
            many words with the first and bring equally many new ones. (The check counts; whether they agree and contradict, only you can judge.) And
            a liking for certain words must not help: for each triple that begins with *good*, write one that begins with *bad*.

            Before you run the cell after the exercise, enter in it how many triples you expect MiniLM to get right, and from how many on you will believe the claim.
            """,
    hints=(
        "Write one triple and ask what each of the two tricks would answer. Count the words that the second and the third sentence share with the first, and those that they add. Which change makes both counts equal?",
        "For the second trick, take the triple that you have and begin with the sentence that contradicted. Which of your sentences agrees now? A function that makes triples from a sentence with a gap saves work.",
    ),
    paragraph="Design a test of your own",
    solution=fair_triples,
    check=check_fair_triples,
)
