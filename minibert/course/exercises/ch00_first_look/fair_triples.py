"""Exercise `fair_triples`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch00_first_look.common import CHAPTER
from minibert.course.exercises.compare import Mistake

ENOUGH = 5


def fair_triples():
    """Triples (sentence, one that agrees with it, one that contradicts it).

    In each triple, the second and the third have equally many words in common with the first, and
    they bring equally many new words.
    """
    film = ("The film was good.", "The film was great.", "The film was bad.")
    room = ("The room is cold.", "The room is chilly.", "The room is hot.")
    others = [
        ("She was happy.", "She was glad.", "She was sad."),
        ("The road is wide.", "The road is broad.", "The road is narrow."),
        ("Prices rose again.", "Prices climbed again.", "Prices fell again."),
    ]  # blank: a list of at least three more
    return [film, room, *others]


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
                f"In triple {number}, neither sentence has a word in common with {sentence!r}. Then they may differ in topic and in "
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
                f"In triple {number}, the number of common words is equal, but the sentence that agrees brings {near} new words and the "
                f"sentence that contradicts {far}. New words move a vector too, so make their number equal as well."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Design a test that counting words cannot decide",
    task="""
            Does MiniLM tell *opposites* apart, as in *The film was good* and *The film was bad*? Two triples that test it are given: a
            sentence, one that agrees with it, and one that contradicts it. Write at least three more. A model that counts common words must not be able to
            pass or fail your test: in each triple, the second and the third sentence have equally many words of the first, and equally many new ones. You may test another kind of meaning instead, such as numbers or time. The cell after this exercise
            runs your test on MiniLM and on five untrained models. (The check counts words. Whether your sentences agree and contradict, only you can
            judge.)
            """,
    hints=(
        "Start from one sentence and change a single word in it twice: once so that the meaning stays about the same, once so that it becomes the opposite.",
        "For each triple, count the words that the second and the third sentence have in common with the first, and the words that are new in them. Both counts have to be equal.",
    ),
    paragraph="Does it understand “not”?",
    solution=fair_triples,
    check=check_fair_triples,
)
