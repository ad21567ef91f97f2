"""Answers to `only_the_name` on which its check is tried."""

from minibert.data.small_world import TALES
from planted import Answers

ROWS = {
    cells[0].strip(): [cell.strip().split()[0] for cell in cells]
    for cells in (row.split("|") for row in TALES.strip().splitlines()[1:])
}


def name_once(name):
    return (
        f"{name} ran to the [MASK] . the [MASK] was [MASK] that day .",
        "[MASK] [MASK] with [MASK] [MASK] . [MASK] was glad and sang .",
    )


def name_in_three_sentences(name):
    return [
        f"{name} was sleepy and dreamed . {name} came to the [MASK] .",
        f"[MASK] found a new [MASK] . {name} was glad and laughed .",
    ]


def name_with_she(name):
    return (
        f"{name} was happy and laughed . {name} went to the [MASK] .",
        "the [MASK] was [MASK] that morning . she found a small [MASK] .",
    )


def name_with_own_pronoun(name):
    return (
        f"{name} was happy and laughed . {name} went to the [MASK] .",
        f"the [MASK] was [MASK] that morning . {ROWS[name][1]} found a small [MASK] .",
    )


def name_with_a_sister(name):
    return (
        f"she swam with her sister . {name} went to the [MASK] .",
        f"the [MASK] was [MASK] that morning . {name} was tired and rested .",
    )


def name_in_text_b_only(name):
    return (
        "the [MASK] was [MASK] that morning . [MASK] was tired and rested .",
        f"{name} was happy and laughed . {name} went to the [MASK] .",
    )


def name_with_the_place_before_the_gap(name):
    return (
        f"{name} went to the {ROWS[name][4]} . the [MASK] was [MASK] that morning .",
        f"{name} was happy and laughed . {name} was tired and rested .",
    )


def name_of_anna(name):
    return (
        "anna was happy and laughed . anna went to the [MASK] .",
        "the [MASK] was [MASK] that morning . [MASK] was tired and rested .",
    )


def name_left_out(name):
    return (
        "the [MASK] was [MASK] that morning . [MASK] was happy and laughed .",
        "[MASK] went to the [MASK] . [MASK] was tired and rested .",
    )


def name_with_a_gap_of_the_verb(name):
    return (
        f"{name} was happy and laughed . {name} [MASK] to the [MASK] .",
        f"the [MASK] was [MASK] that morning . {name} was tired and rested .",
    )


def name_without_gap(name):
    return (
        f"{name} was happy and laughed . {name} was tired and rested .",
        f"{name} went to the [MASK] . the [MASK] was [MASK] that morning .",
    )


def name_in_one_sentence(name):
    return f"{name} went to the [MASK] .", f"{name} was tired and rested ."


def name_with_another_word(name):
    return (
        f"{name} was happy and cheerful . {name} went to the [MASK] .",
        f"the [MASK] was [MASK] that morning . {name} was tired and rested .",
    )


def name_with_special_tokens(name):
    a, b = name_once(name)
    return f"[CLS] {a} [SEP]", f"{b} [SEP]"


def name_in_one_text(name):
    return " ".join(name_once(name))


ANSWERS = Answers(
    right=(name_once, name_in_three_sentences),
    wrong={
        name_with_she: r"With the name hidden, the exact probability of 'river' is 0\.\d\d and not 1/8",
        name_with_own_pronoun: r"anna and ben differ in more than the name: 'she' and 'he'",
        name_with_a_sister: r"for ben .* is 0\.\d\d\. Another word contradicts the name",
        name_in_text_b_only: r"0\.\d\d\. The name is in text B only",
        name_with_the_place_before_the_gap: r"differ in more than the name: 'river' and 'forest'",
        name_of_anna: r"name another hero",
        name_left_out: r"no name in your texts",
        name_with_a_gap_of_the_verb: r"which is no place",
        name_without_gap: r"has 12 words and no",
        name_in_one_sentence: r"No story of the small world",
        name_with_another_word: r"'cheerful' is in your texts",
        name_with_special_tokens: r"\[CLS\] is in your texts",
        name_in_one_text: r"expected two strings",
    },
)
