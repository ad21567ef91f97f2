"""Exercise `revealing_text`: task, hints, solution and check."""

import re
import unicodedata
from functools import cache

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake
from minibert.hub.find_pretrained import SMALL
from minibert.tokenization import WordPieceTokenizer

LONGEST = 40
BUGS = {
    "keeps capitals": {"lower": False},
    "keeps accents": {"strip": False},
    "splits at spaces only": {"split": False},
    "forgets the ## inside words": {"mark": ""},
    "keeps the known beginning of a word that ends in something unknown": {"keep": True},
    "cuts a special token that is typed in the text": {"special": False},
}


def revealing_text():
    """One short text that all six broken tokenizers cut wrongly."""
    text = "Zoë's riverbanks [MASK] great☺"  # blank: your text
    return text


@cache
def small():
    return WordPieceTokenizer.from_pretrained(SMALL)


def broken_tokenize(text, lower=True, strip=True, split=True, mark="##", keep=False, special=True):
    """BERT's tokenizer with options, each of which is a bug."""
    tokens = []
    for part in re.split(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])" if special else r"($^)", text):
        if special and part in small().vocab and part.startswith("["):
            tokens.append(part)
            continue
        if strip:
            part = "".join(
                c for c in unicodedata.normalize("NFD", part) if unicodedata.category(c) != "Mn"
            )
        part = part.lower() if lower else part
        if split:
            part = re.sub(r"([!-/:-@\[-`{-~]|[^\w\s])", _apart, part)
        for word in part.split():
            tokens += _cut(word, mark, keep)
    return tokens


def _apart(found):
    char = found[0]
    punctuation = char.isascii() or unicodedata.category(char).startswith("P")
    return f" {char} " if punctuation else char


def _cut(word, mark, keep):
    pieces, start = [], 0
    while start < len(word):
        ends = range(len(word), start, -1)
        found = ((mark if start else "") + word[start:end] for end in ends)
        piece = next((piece for piece in found if piece in small().vocab), None)
        if piece is None:
            return [*pieces, "[UNK]"] if keep else ["[UNK]"]
        pieces.append(piece)
        start += len(piece.removeprefix("##") if start and mark else piece)
    return pieces


def check_revealing_text(answer):
    text = answer()
    if not isinstance(text, str):
        raise Mistake(f"you return a {type(text).__name__}; expected one text.")
    if len(text) > LONGEST:
        raise Mistake(f"your text has {len(text)} characters; at most {LONGEST} are allowed.")
    right = small().tokenize(text)
    missed = [bug for bug, options in BUGS.items() if broken_tokenize(text, **options) == right]
    if missed:
        raise Mistake(
            f"your text reveals {len(BUGS) - len(missed)} of {len(BUGS)} bugs. It is cut the same, {' '.join(right)}, "
            f"by the tokenizer that {' and by the one that '.join(missed)}."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=8,
    title="One text that reveals six bugs",
    paragraph="The package's tokenizer, and yours in a real model",
    task=f"""
            Six tokenizers with the vocabulary of `minibert-small` have one bug each. {" ".join(f"({i}) It {bug}." for i, bug in enumerate(BUGS, 1))} Design a
            test: one text of at most {LONGEST} characters that every one of the six cuts differently from the correct tokenizer. The check
            names the bugs that your text leaves hidden.
        """,
    hints=(
        "Each bug needs one feature in the text. A bug about accents, for example, shows only where there is an accent, and one about `##` only where a word is cut.",
        "You need a capital letter, an accent, a punctuation mark that touches a word, a word that is cut into pieces, an emoji that touches a known word, and `[MASK]`.",
    ),
    solution=revealing_text,
    check=check_revealing_text,
)
