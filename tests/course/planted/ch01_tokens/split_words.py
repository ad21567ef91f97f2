"""Answers to `split_words` on which its check is tried."""

import re
import string
import unicodedata

from minibert.course.exercises.ch01_tokens.split_words import split_words
from minibert.course.exercises.mistakes.ch01_tokens.split_words import KNOWN
from planted import Answers, patterns


def _by_pattern(text):
    text = re.sub(r"[\t\n\r]", " ", text)
    text = "".join(c for c in text if unicodedata.category(c) not in {"Cc", "Cf"})
    return _words(text)


def _words(text):
    words = [""]
    for c in text:
        alone = c in string.punctuation or unicodedata.category(c).startswith("P")
        if alone or 0x4E00 <= ord(c) <= 0x9FFF:
            words += [c, ""]
        elif c.isspace():
            words.append("")
        else:
            words[-1] += c
    return [word for word in words if word]


def _word_by_word(text):
    words, word = [], ""
    for c in [*text, " "]:
        kind = unicodedata.category(c)
        alone = "一" <= c <= "鿿" or kind[0] == "P" or c in string.punctuation
        if word and (alone or c.isspace()) and (kind != "Cc" or c in "\n\r\t"):
            words.append(word)
            word = ""
        if alone:
            words.append(c)
        elif kind not in ("Cc", "Cf") and not c.isspace():
            word += c
    return words


def _one_string(text):
    return " ".join(split_words(text))


def _first_word_lost(text):
    return split_words(text)[1:]


ANSWERS = Answers(
    right=(_by_pattern, _word_by_word),
    wrong={
        **patterns(KNOWN),
        _one_string: "you return a str",
        _first_word_lost: "you give",
    },
)
