"""Answers to `fair_triples` on which its check is tried."""

from minibert.course.exercises.ch00_first_look.fair_triples import fair_triples
from planted import Answers

PAIRS = (("dog", "cat"), ("boy", "girl"), ("nurse", "doctor"), ("king", "queen"))


def of_opposites():
    """Another right answer: the order of two opposites, of which the first sentence has neither."""
    states = (
        ("film", "great", "good", "awful", "bad"),
        ("room", "chilly", "cold", "warm", "hot"),
        ("exam", "hard", "difficult", "simple", "easy"),
        ("street", "silent", "quiet", "loud", "noisy"),
    )
    return [
        (
            f"The {what} was {said}.",
            f"The {what} was {same}, not {other}.",
            f"The {what} was {other}, not {same}.",
        )
        for what, one, like_one, two, like_two in states
        for said, same, other in ((one, like_one, like_two), (two, like_two, like_one))
    ]


def of_numbers():
    """Another right answer: who has more; the mirror exchanges the numbers."""
    names = (("Anna", "Ben"), ("Tom", "Mary"), ("Paul", "Lisa"), ("John", "Kate"))
    return [
        [
            f"{one} has {9 if more == one else 3} apples and {two} has {3 if more == one else 9}.",
            f"{more} has more apples than {less}.",
            f"{less} has more apples than {more}.",
        ]
        for one, two in names
        for more, less in ((one, two), (two, one))
    ]


def clefts():
    """The sentence that agrees has its nouns in the old order."""
    return [
        (
            f"The {one} called the {other}.",
            f"It was the {one} that called the {other}.",
            f"It was the {other} that called the {one}.",
        )
        for pair in PAIRS
        for one, other in (pair, pair[::-1])
    ]


def passives():
    """The sentence that agrees has its nouns in the new order."""
    return [
        (
            f"The {one} called the {other}.",
            f"The {other} was called by the {one}.",
            f"The {one} was called by the {other}.",
        )
        for pair in PAIRS
        for one, other in (pair, pair[::-1])
    ]


def of_roles():
    """Another right answer: the chapter's own, half of it in the passive."""
    return clefts() + passives()


def of_heights():
    """Another right answer: who is taller, half of it in the converse."""
    names = (("Anna", "Ben"), ("Tom", "Mary"), ("Paul", "Lisa"), ("John", "Kate"))
    return [
        (
            f"{one} is taller than {two}.",
            form.format(*((one, two) if word == "taller" else (two, one)), word),
            form.format(*((two, one) if word == "taller" else (one, two)), word),
        )
        for pair in names
        for one, two in (pair, pair[::-1])
        for form, word in (("It is {0} who is {2} than {1}.", "taller"), ("{0} is {2} than {1}.", "shorter"))
    ]  # fmt: skip


def same_opening():
    """Opposites: the sentence that agrees begins with all words of the first one."""
    return [
        (f"It is {said}.", f"It is {said}, not {other}.", f"It is {other}, not {said}.")
        for pair in (("good", "bad"), ("old", "new"), ("hot", "cold"), ("big", "small"), ("dry", "wet"))
        for said, other in (pair, pair[::-1])
    ]  # fmt: skip


def shared_word_last():
    """Opposites: the word of the first sentence comes later in the one that agrees."""
    return [
        (f"It is {said}.", f"It is not {other}, it is {said}.", f"It is not {said}, it is {other}.")
        for pair in (("good", "bad"), ("old", "new"), ("hot", "cold"), ("big", "small"))
        for said, other in (pair, pair[::-1])
    ]


def with_the_first_replaced(*triple):
    return [triple, *fair_triples()[1:]]


def other_words():
    return [
        (f"The film was {one}.", f"The film was {same}.", f"The film was {other}.")
        for one, same, other in (
            ("good", "great", "awful"),
            ("bad", "awful", "great"),
            ("long", "endless", "brief"),
            ("short", "brief", "endless"),
            ("funny", "comical", "sad"),
            ("gloomy", "sad", "comical"),
            ("new", "recent", "ancient"),
            ("old", "ancient", "recent"),
        )
    ]


def a_word_repeated():
    return with_the_first_replaced(
        "The bell rang before the dog barked.", "The dog barked after the bell.", "The dog barked after bell."
    )  # fmt: skip


def another_comma():
    return with_the_first_replaced(
        "The bell rang before the dog barked.",
        "After the bell rang, the dog barked.",
        "The bell rang after the dog barked.",
    )


def too_few():
    return fair_triples()[:2]


def one_twelve_times():
    return fair_triples()[:1] * 12


def agrees_word_for_word():
    return with_the_first_replaced(
        "The bell rang before the dog barked.",
        "The bell rang before the dog barked.",
        "The dog barked before the bell rang.",
    )


def one_direction_only():
    """Before and after, but the events never change places."""
    return fair_triples()[:12]


def one_mirror_too_few():
    """Every triple has a mirror, but two share theirs."""
    late = (
        "After the bell had rung, the dog barked.",
        "Before the dog barked, the bell rang.",
        "Before the bell rang, the dog barked.",
    )
    return [*fair_triples(), late]


def mirror_with_the_same_beginning():
    triples = of_roles()
    return [*triples[:-1], (triples[-2][0], triples[-1][1], triples[-1][2])]


def pairs_only():
    return [triple[:2] for triple in fair_triples()]


ANSWERS = Answers(
    right=(of_opposites, of_numbers, of_roles, of_heights),
    wrong={
        other_words: r"only the sentence that agrees has 'great'.*contradicts has 'awful'",
        a_word_repeated: r"agrees has 'the'.*contradicts has 'nothing'",
        another_comma: r"agrees has ','.*same words and marks",
        too_few: r"You give 2 triples",
        one_twelve_times: r"occurs twice",
        agrees_word_for_word: r"the same sentence twice",
        one_direction_only: r"In 1 of your 12 triples, .*Give each triple a mirror",
        one_mirror_too_few: r"In 2 of your 25 triples, .* in 1 it is the other way round",
        mirror_with_the_same_beginning: r"begin with the same sentence",
        clefts: r"right in 8 of your triples and wrong in 0.*keeps 5 words.*keeps 3",
        passives: r"right in 0 of your triples and wrong in 8.*keeps 3 words.*keeps 5",
        same_opening: r"right in 10 of your triples and wrong in 0.*it 1, is 2, good 3 in 'It is good, not bad.', and it 1, is 2, good 5",
        shared_word_last: r"right in 0 of your triples and wrong in 8.*good 7 in 'It is not bad, it is good.'",
        pairs_only: r"three sentences as strings",
    },
)
