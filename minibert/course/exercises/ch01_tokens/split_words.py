"""Exercise `split_words`: task, hints, solution and check."""

import string
import unicodedata

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake, also


def split_words(text):
    """Words in order, as BERT's tokenizer splits a text."""
    # blank from here: drop characters, set others apart, split
    apart = ""
    for c in text:
        kind = unicodedata.category(c)
        mark = c in string.punctuation or kind[0] == "P"
        if mark or "\u4e00" <= c <= "\u9fff":
            apart += f" {c} "
        elif c in "\t\n\r" or kind not in ("Cc", "Cf"):
            apart += c
    return apart.split()


TEXTS = (
    "the bank, the loan!",
    "cost: $9 + 1 = 10°",
    "人人生而自由，在尊严。",
    "the 人 bank",
    "bank\nloan\tand\r\nriver",
    "ri\xadver bank\x0cloan \x08by",
    "ri\xadver bank\u200bloan",
    "the\u2028river \u3000 bank ",
    "river\x85bank",
    "และ और bank",
    "ひらがな人",
    "모든 bank",
    "",
)


def check_split_words(answer):
    for text in TEXTS:
        found, right = answer(text), split_words(text)
        if not isinstance(found, list):
            raise Mistake(f"you return a {type(found).__name__}; expected a list of words.")
        if found == right:
            continue
        yours = f"for {text!r} you give {found!r}, expected {right!r}"
        for wrong, sentence in known(split_words):
            if found == wrong(text):
                raise Mistake(f"{sentence}: {yours}.")
        raise Mistake(f"{yours}.")
    also(answer, split_words, ("\ufeffa\x1eb 鿿!",), ("[MASK] \u202eit’s",))


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="What the tests did not contain",
    paragraph="Your tokenizer in a real model",
    task="""
            The search found characters of three categories: Cc (control), Cf (format) and Lo (letters without capitals; of these only the Chinese characters differed, and the Japanese kana did not). Find out what the package does with each kind. For example, compare the tokens of `"bank\\x0cloan"` (with a form feed), of `"ri\\xadver"` (with a soft hyphen)
            and of `"人人"` with the words of `split_words`.

            Then write `split_words` again, so that it returns the package's words. Chinese characters are here those from `"\\u4e00"` to `"\\u9fff"`. The characters `\\t`, `\\n`, `\\r` and those whose category begins with Z, such as the space,
            must still separate words, and a punctuation mark must still be a word of its own.
        """,
    hints=(
        '`tokenizer.tokenize("bank\\x0cloan")` cuts the same word as `tokenizer.tokenize("bankloan")`. The form feed has the category Cc (control), the soft hyphen Cf (format). But `\\t`, `\\n` and `\\r` have the category Cc, too.',
        "Python's `split()` treats a form feed and `\\x85` (next line) as spaces, so drop such characters before you split. Go through the text character by character, and build a new text: put spaces around a punctuation mark or a Chinese character, leave out what is invisible, and keep everything else.",
    ),
    solution=split_words,
    check=check_split_words,
)
