"""Answers to `fair_triples` on which its check is tried."""

from minibert.course.exercises.ch00_first_look.fair_triples import fair_triples
from planted import Answers

NEGATED = (
    ("The bank is open.", "The bank is now open.", "The bank is not open."),
    ("She can swim.", "She can surely swim.", "She can not swim."),
    ("You should wait.", "You should always wait.", "You should never wait."),
    ("He was at home.", "He was still at home.", "He was not at home."),
    ("The soup is hot.", "The soup is very hot.", "The soup is not hot."),
    ("They are married.", "They are also married.", "They are not married."),
    ("The train is late.", "The train is often late.", "The train is never late."),
    ("I am hungry.", "I am quite hungry.", "I am not hungry."),
    ("The shop was full.", "The shop was again full.", "The shop was not full."),
    ("The water is deep.", "The water is really deep.", "The water is not deep."),
    ("The door was locked.", "The door was usually locked.", "The door was never locked."),
    ("This road is safe.", "This road is certainly safe.", "This road is not safe."),
)


def of_negation():
    """Another right answer: one word is added."""
    return NEGATED


def of_numbers():
    """Another right answer: a number written in another way, and another number."""
    pairs = (("three", "3", "9"), ("two", "2", "7"), ("five", "5", "6"), ("ten", "10", "40"))
    things = (
        *("eggs", "dollars", "children", "miles", "hours", "rooms"),
        *("days", "books", "horses", "letters", "ships", "chairs"),
    )
    return [
        [f"It was {word} {thing}.", f"It was {same} {thing}.", f"It was {other} {thing}."]
        for (word, same, other), thing in zip(pairs * 3, things)
    ]


def with_the_first_replaced(*triple):
    return [triple, *fair_triples()[1:]]


def repeats_the_sentence():
    return with_the_first_replaced(
        "The bank is open.", "You can go there now.", "The bank is not open."
    )


def agrees_in_more_words():
    return with_the_first_replaced(
        "The bank is open.", "The bank is now open.", "Nobody can enter the bank."
    )


def no_common_word():
    return with_the_first_replaced("Prices rose.", "Goods became dearer.", "Goods became cheaper.")


def more_new_words():
    return with_the_first_replaced(
        "The bank is open.", "The bank is open all day today.", "The bank is not open."
    )


def too_few():
    return fair_triples()[:2]


def one_twelve_times():
    return fair_triples()[:1] * 12


def agrees_word_for_word():
    return with_the_first_replaced("The film was good.", "The film was good.", "The film was bad.")


def pairs_only():
    return [triple[:2] for triple in fair_triples()]


ANSWERS = Answers(
    right=(of_negation, of_numbers),
    wrong={
        repeats_the_sentence: r"shares 4 words .* gets this triple wrong",
        agrees_in_more_words: r"gets this triple right",
        no_common_word: r"neither sentence shares a word",
        more_new_words: r"brings 3 new words",
        too_few: r"You give 2 triples",
        one_twelve_times: r"occurs twice",
        agrees_word_for_word: r"the same sentence twice",
        pairs_only: r"three sentences as strings",
    },
)
