"""Exercise `words_of`: task, hints, solution and check."""

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch07_pretraining_data.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    also,
)


def words_of(tokens):
    """The positions that belong together, word by word, without special tokens: a list of lists."""
    words = []
    for position, token in enumerate(tokens):
        is_special = token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # blank: is this no word at all?  # fmt: skip
        goes_on = token.startswith("##") and words and words[-1][-1] == position - 1  # blank: does it continue the word that ends just before?  # fmt: skip
        if goes_on:
            words[-1].append(position)
        elif not is_special:
            words.append([position])
    return words


def check_words_of(answer):
    cases = [
        ["[CLS]", "play", "##ing", "[SEP]", "##s", "dog", "[SEP]"],
        [
            "[CLS]",
            "##ed",
            "by",
            "king",
            "##fish",
            "##er",
            "[SEP]",
            "[UNK]",
            "##a",
            "[PAD]",
            "[PAD]",
        ],
        ["[CLS]", "c", "a##b", "##d", "#", "[SEP]"],
        ["a", "[", "[MASK]", "##x", "]", "bank", "##s"],
    ]
    found = []
    for case in cases:
        try:
            found.append(answer(list(case)))
        except IndexError as error:
            raise Mistake(
                f"For {' '.join(case)} your function stops ({error}). A piece can come before any word has begun: ask whether there is a word before you look at the last one."
            ) from None
    for case, value in zip(cases, found):
        right = words_of(case)
        if (
            isinstance(value, (list, tuple))
            and [list(word) if isinstance(word, (list, tuple)) else word for word in value] == right
        ):
            continue
        for wrong, sentence in known(words_of):
            if [wrong(other) for other in cases] == found:
                raise Mistake(
                    f"For {' '.join(case)} you get {value}: {sentence.format(piece=4)}. Right is {right}."
                )
        raise Mistake(f"For {' '.join(case)} you get {value!r}; right is {right}.")
    also(
        answer,
        words_of,
        (["[CLS]", "a", "##b", "##c", "##d", "##e", "[SEP]", "f", "[SEP]"],),
        ([],),
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="Words out of pieces",
    task=(
        "Return the positions of the tokens, grouped by words, as a list of lists. A piece `##x` continues a word only if that word ends at the position before; "
        "after a [SEP] it is a word of its own. The special tokens ([PAD], [UNK], [CLS], [SEP] and [MASK]) belong to no word."
    ),
    hints=(
        "The last position of the last word is `words[-1][-1]`. Is it the position right before this one?",
        "Three conditions: it starts with `##`, there is a word, and that word ends at `position - 1`. An empty list counts as False.",
    ),
    paragraph="Whole words",
    solution=words_of,
    check=check_words_of,
)
