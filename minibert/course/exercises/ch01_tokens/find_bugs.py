"""Exercise `find_bugs`: task, hints, solution and check."""

import re
import unicodedata
from functools import cache

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake
from minibert.hub.find_pretrained import MINILM
from minibert.tokenization import WordPieceTokenizer

BUGS = {
    "keeps capitals": {"lower": False},
    "keeps accents": {"strip": False},
    "splits at spaces only": {"split": False},
    "takes the shortest piece first": {"longest": False},
    "searches for the rest of a word without ## (so `banks` counts as a piece)": {"mark": ""},
    "leaves out a word that cannot be cut": {"unknown": "nothing"},
    "keeps the known beginning of a word that cannot be cut": {"unknown": "rest"},
    "cuts a special token that is typed in the text": {"special": False},
}
OUTPUTS = (
    ("The riverbanks rose.", "the river banks rose ."),
    ("Is Zoë's boat old?", "is [UNK] ' s boat old ?"),
    ("Was the bank [MASK]?", "[UNK] the bank [MASK] ?"),
    ("The food was great☺ today.", "the food was today ."),
    ("The food was great☺ today.", "the food was great [UNK] today ."),
    ("The river, the bank.", "the river ##, the bank ##."),
)
NEXT_LINE = "\n" + 12 * " "  # indented like the task


def find_bugs():
    """The number of the bug that produced each of the six outputs."""
    output_a = 5  # blank: a number from 1 to 8
    output_b = 2  # blank: a number from 1 to 8
    output_c = 1  # blank: a number from 1 to 8
    output_d = 6  # blank: a number from 1 to 8
    output_e = 7  # blank: a number from 1 to 8
    output_f = 3  # blank: a number from 1 to 8
    return [output_a, output_b, output_c, output_d, output_e, output_f]


@cache
def trained():
    return WordPieceTokenizer.from_pretrained(MINILM)


def broken_tokenize(text, lower=True, strip=True, split=True, special=True, **options):
    """BERT's tokenizer with options, each of which is a bug."""
    tokens = []
    for part in re.split(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])" if special else r"($^)", text):
        if special and part in trained().vocab and part.startswith("["):
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
            tokens += _cut(word, **options)
    return tokens


def _apart(found):
    char = found[0]
    punctuation = char.isascii() or unicodedata.category(char).startswith("P")
    return f" {char} " if punctuation else char


def _cut(word, mark="##", longest=True, unknown="word"):
    pieces, start = [], 0
    while start < len(word):
        ends = range(len(word), start, -1) if longest else range(start + 1, len(word) + 1)
        marked = mark if start else ""
        end = next((end for end in ends if marked + word[start:end] in trained().vocab), None)
        if end is None:
            return {"word": ["[UNK]"], "nothing": [], "rest": [*pieces, "[UNK]"]}[unknown]
        pieces.append(marked + word[start:end])
        start = end
    return pieces


def check_find_bugs(answer):
    found = answer()
    if not isinstance(found, list | tuple) or len(found) != len(OUTPUTS):
        raise Mistake(f"you return {found!r}; expected a list of {len(OUTPUTS)} numbers.")
    for letter, number, (text, shown) in zip("ABCDEF", found, OUTPUTS):
        if number not in range(1, len(BUGS) + 1):
            raise Mistake(
                f"for output {letter} you give {number!r}; expected a number from 1 to 8."
            )
        bug, options = list(BUGS.items())[number - 1]
        made = " ".join(broken_tokenize(text, **options))
        if made != shown:
            raise Mistake(
                f"output {letter} has another cause: from “{text}” a tokenizer that {bug} makes “{made}”, and the output is “{shown}”."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="Find the bug from its output",
    paragraph="Your tokenizer in a real model",
    task=f"""
            Six broken tokenizers with MiniLM's vocabulary made these outputs, and each has exactly one of the eight bugs below.
            Match each output to its bug. Two of the bugs did not occur. The correct tokenizer here is the package's, which keeps a typed `[MASK]` as one token.

            | | text | tokens |
            |---|---|---|
            {NEXT_LINE.join(f"| {letter} | `{text}` | `{shown}` |" for letter, (text, shown) in zip("ABCDEF", OUTPUTS))}

            | | bug |
            |---|---|
            {NEXT_LINE.join(f"| {i} | It {bug}. |" for i, bug in enumerate(BUGS, 1))}
        """,
    hints=(
        "First write down what the correct tokenizer makes of each text, and then look for the first token that differs. An output can be wrong even if every word in it looks right.",
        "Where a word became `[UNK]`, ask which character of it is outside the vocabulary, and at which step it should have disappeared. In B and C, look also at the words that are intact. In F, ask which word each `##` continues. Build the bug you suspect and see whether it makes the output: a copy of `normalise` without `.lower()`, followed by `split_words` and `wordpiece`, has bug 1 (it also cuts the typed `[MASK]`, which is not part of the bug).",
    ),
    solution=find_bugs,
    check=check_find_bugs,
)
