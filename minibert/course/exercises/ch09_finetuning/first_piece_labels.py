"""Exercise `first_piece_labels`: task, hints, solution and check."""

from minibert.config import IGNORE
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch09_finetuning.common import (
    CHAPTER,
    _listed,
    _name,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
)


def first_piece_labels(word_ids, tags, number):
    """A label for each token: a word's tag at its first piece, -100 (nothing to predict) everywhere else.

    word_ids: for each token the number of its word, None for [CLS] and [SEP]; tags: one for each word; number: {tag: its number}.
    A word of which nothing is left, such as a control character, has no token.
    """
    labels, before = [], None
    for word in word_ids:
        is_first = word is not None and word != before  # blank: True at the first piece of a word, and nowhere else  # fmt: skip
        label = number[tags[word]] if is_first else IGNORE  # blank: the tag's number, or -100
        labels.append(label)
        before = word
    return labels


# Word 2 is a control character, which the tokenizer removes.
_WORD_IDS = [None, 0, 1, 1, 1, 3, 4, 4, None]


_TAGS = ["O", "B-per", "O", "I-per", "B-loc"]


_NUMBER = {"O": 0, "B-per": 1, "I-per": 2, "B-loc": 3, "I-loc": 4}


def check_first_piece_labels(answer):
    labels = _listed(answer(list(_WORD_IDS), list(_TAGS), dict(_NUMBER)), "first_piece_labels")
    if len(labels) != len(_WORD_IDS):
        raise Mistake(
            f"You give {len(labels)} labels for {len(_WORD_IDS)} tokens; every token needs one, [CLS] and [SEP] too."
        )
    n = IGNORE
    shown = f"Your labels are {labels}"
    _name(
        labels,
        [n, 0, 1, n, n, 2, 3, n, n],
        [
            (
                [n, 0, 1, 1, 1, 2, 3, 3, n],
                f"{shown}: every piece of a word is labelled. A name of three pieces is then three names to the loss, and a long word counts more than a short one.",
            ),
            (
                [n, 0, 1, 2, 2, 2, 3, 4, n],
                f"{shown}: every piece is labelled, the later ones as inside. One label for a word, at its first piece.",
            ),
            (
                [n, 0, n, n, 1, 2, n, 3, n],
                f"{shown}: a word's tag stands at its *last* piece; it belongs to the first.",
            ),
            (
                [0, 0, 1, 0, 0, 2, 3, 0, 0],
                f"{shown}: where nothing is to be predicted you have 0, which is the tag O. So the model is taught that a later piece of a name is no name.",
            ),
            (
                [0, 0, 1, n, n, 2, 3, n, 0],
                f"{shown}: [CLS] and [SEP] are taught to be O. Nobody asks them: -100.",
            ),
            (
                [n, 0, 1, 0, 0, 2, 3, 0, n],
                f"{shown}: the later pieces of a word are taught to be O. Nobody asks them: -100.",
            ),
            (
                [n, 0, 1, n, n, 0, 2, n, n],
                f"{shown}: you count the words that you meet. Word 2 has no token, and from there on every word gets the tag of the word before. word_ids says which word it is.",
            ),
            (
                [n, 0, 1, 0, 2, 3, n, n, n],
                f"{shown}: tag i stands at token i + 1, as if every word were one piece. From the first long word on, all tags are in the wrong place.",
            ),
            (
                [n, 0, n, 1, 1, n, n, 3, n],
                f"{shown}: the later pieces are labelled and the first is not, where a word has several.",
            ),
            ([n, n, 0, 1, n, n, 2, 3, n], f"{shown}: one token too late."),
            (
                [n, n, 1, n, n, 2, 3, n, n],
                f"{shown}: word 0 gets none. Its number is 0, which Python takes for false; ask whether it `is not None`.",
            ),
            (
                [n, "O", "B-per", n, n, "I-per", "B-loc", n, n],
                f"{shown}: names. The loss wants numbers, which `number` gives.",
            ),
        ],
        "the labels",
    )
    also(
        answer,
        first_piece_labels,
        ([None, 0, 1, 1, None], ["X", "Y"], {"X": 7, "Y": 2}),
        ([2, None, 3], ["O", "O", "Z", "O"], {"O": 0, "Z": 1}),
    )
    again = _listed(answer([None, 0, 0, None], ["B-loc"], dict(_NUMBER)), "first_piece_labels")
    _name(again, [n, 3, n, n], [], "the labels of one word of two pieces")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="The right label on the right piece",
    solution=first_piece_labels,
    check=check_first_piece_labels,
    task="A tag for each word, several tokens for a word: write the labels of all tokens. A word's tag stands at its first piece; nothing is predicted at the other "
    "pieces, at [CLS] and at [SEP]. Your function will label real sentences further down.",
    hints=(
        "A token is the first piece of its word where its word is another than that of the token before it. [CLS] and [SEP] have no word.",
        "`word is not None and word != before`; and `number[tags[word]]`: ask for the word by its number, do not count along.",
    ),
    paragraph="The right piece",
)
