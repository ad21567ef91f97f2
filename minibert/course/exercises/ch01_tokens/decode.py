"""Exercise `decode`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake, also


def decode(ids, tokens):
    """The text of a list of ids, as far as the ids still hold it."""
    words = []
    for token_id in ids:
        token = tokens[token_id]  # blank: the string that this id numbers
        inside = token.startswith("##")  # blank: does the piece continue a word?
        if token in ("[PAD]", "[CLS]", "[SEP]"):
            continue
        if inside:
            words[-1] = words[-1] + token[2:]  # blank: the word so far and this piece
        else:
            words.append(token)
    return " ".join(words)  # blank: the text


TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "river", "##bank", "##s", "bank"]
TOKENS += ["banks", "#", "###", "c"]
CASES = (
    (["[CLS]", "the", "river", "##bank", "##s", "[SEP]"], "the riverbanks"),
    (["[CLS]", "the", "river", "banks", "[SEP]", "[PAD]", "[PAD]"], "the river banks"),
    (["[CLS]", "the", "bank", "[SEP]", "the", "[UNK]", "[SEP]"], "the bank the [UNK]"),
    (["[CLS]", "[MASK]", "river", "river", "[SEP]"], "[MASK] river river"),
    (["[CLS]", "c", "###", "#", "[SEP]"], "c# #"),
)


def check_decode(answer):
    for case, right in CASES:
        ids = [TOKENS.index(token) for token in case]
        found = answer(ids, list(TOKENS))
        if found == right:
            continue
        where = f"for {ids}, which is “{' '.join(case)}”, you give {found!r}"
        if not isinstance(found, str):
            raise Mistake(f"{where}; expected one string, {right!r}.")
        for wrong, sentence in known(decode):
            if found == wrong(case):
                raise Mistake(f"{where}: {sentence}. Expected {right!r}.")
        raise Mistake(f"{where}; expected {right!r}.")
    also(
        answer,
        decode,
        ([2, 9, 8, 8, 6, 7, 3], [*TOKENS[:5], *TOKENS[:4:-1]]),
        ([2, 3], list(TOKENS)),
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=7,
    title="From ids back to text",
    paragraph="From ids back to text",
    task="""
            `ids` is a list of ids, and `tokens[i]` is the token with the id `i`. Return the text: pieces with `##` attached to the piece before
            them, one space between words, `[CLS]`, `[SEP]` and `[PAD]` left out. `[UNK]` and `[MASK]` stay, because they occupy the position of a word.
        """,
    hints=(
        "Collect words in a list. A piece without `##` begins a new word, and a piece with it makes the last word longer.",
        '`token[2:]` is a piece without its two signs; `" ".join(words)` puts one space between words.',
    ),
    solution=decode,
    check=check_decode,
)
