"""Exercise `bertsum_input`: task, hints, solution and check."""

from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch10_bertsum.common import (
    CHAPTER,
    _name,
)
from minibert.course.exercises.compare import Mistake


def bertsum_input(sentences, cls_id, sep_id):
    """A document as BertSum reads it. `sentences`: for each its list of piece ids.

    -> the ids of all tokens, their segments, and the place of each sentence's [CLS]: three lists.
    """
    ids, segments, places = [], [], []
    for n, pieces in enumerate(sentences):
        tokens = [cls_id, *pieces, sep_id]  # blank: the sentence, with a special token on either side  # fmt: skip
        segment = n % 2  # blank: 0 for the first sentence, 1 for the second, 0 for the third, …
        place = len(ids)  # blank: where this [CLS] is going to stand
        ids += tokens
        segments += [segment] * len(tokens)
        places.append(place)
    return ids, segments, places


def check_bertsum_input(answer):
    sentences = [[7, 8, 9], [4], [5, 6], [3, 3]]
    found = answer([list(pieces) for pieces in sentences], 101, 102)
    if not isinstance(found, tuple | list) or len(found) != 3:
        raise Mistake(
            f"bertsum_input should give back three lists, ids, segments and places, not a {type(found).__name__}."
        )
    ids, segments, places = (
        part.tolist() if isinstance(part, Tensor) else list(part) for part in found
    )
    if inner := [token for token in ids if isinstance(token, list)]:
        raise Mistake(
            f"Your ids hold lists, {inner[0]} the first of them: the pieces have to be unpacked into the row, *pieces."
        )
    right = [101, 7, 8, 9, 102, 101, 4, 102, 101, 5, 6, 102, 101, 3, 3, 102]
    _name(
        ids,
        right,
        [
            (
                [101, 7, 8, 9, 102, 4, 102, 5, 6, 102, 3, 3, 102],
                f"Your ids have 1 [CLS] for {len(sentences)} sentences: that is one vector for the whole document. Every sentence gets its own.",
            ),
            (
                [101, 7, 8, 9, 101, 4, 101, 5, 6, 101, 3, 3],
                "No sentence of yours ends: the [SEP]s are missing.",
            ),
            (
                [101, 7, 8, 9, 101, 4, 101, 5, 6, 101, 3, 3, 102],
                "Your only [SEP] stands at the end of the document; one belongs behind every sentence.",
            ),
            (
                [102, 7, 8, 9, 101, 102, 4, 101, 102, 5, 6, 101, 102, 3, 3, 101],
                "Your sentences begin with [SEP] and end with [CLS]: it is the other way round.",
            ),
            (
                [7, 8, 9, 4, 5, 6, 3, 3],
                "Your ids have no special token at all; nothing could be read off for a sentence.",
            ),
            (
                [7, 8, 9, 102, 4, 102, 5, 6, 102, 3, 3, 102],
                "No sentence of yours has a [CLS], and that is where its vector is going to be read off.",
            ),
            (
                [101, 7, 8, 9, 101, 101, 4, 101, 101, 5, 6, 101, 101, 3, 3, 101],
                "Your sentences end with a [CLS]; behind a sentence stands [SEP].",
            ),
        ],
        "the ids",
    )
    if len(segments) != len(ids):
        raise Mistake(
            f"You have {len(segments)} segments for {len(ids)} tokens; every token has one, [CLS] and [SEP] too."
        )
    if isinstance(segments[0], list):
        raise Mistake(
            "Each of your segments is a list: `segment` is one number, and the stub repeats it for every token."
        )
    lengths = [len(pieces) + 2 for pieces in sentences]

    def spread(values):
        return [value for value, length in zip(values, lengths) for _ in range(length)]

    shown = f"Your segments are {segments}"
    _name(
        segments,
        spread([0, 1, 0, 1]),
        [
            (
                spread([0, 1, 2, 3]),
                f"{shown}: a number for each sentence. BERT's table has two rows, 0 and 1; they take turns.",
            ),
            (
                spread([0, 1, 1, 1]),
                f"{shown}: 0 for the first and 1 for all others, as in a pair. Here they take turns.",
            ),
            (spread([1, 0, 1, 0]), f"{shown}: they begin with 1; the first sentence has 0."),
            (
                [0] * len(ids),
                f"{shown}: all the same, so that nothing marks where a sentence begins. They take turns.",
            ),
            (
                [i % 2 for i in range(len(ids))],
                f"{shown}: they change with every token; they should change with every sentence.",
            ),
            (
                [0] + spread([0, 1, 0, 1])[:-1],
                f"{shown}: one token too late. A sentence's segment begins with its [CLS].",
            ),
            (
                spread([0, 0, 1, 1]),
                f"{shown}: the half of n, rounded down, so they change with every second sentence. Wanted is the remainder, n % 2.",
            ),
            (spread([0, 0.5, 1, 1.5]), f"{shown}: the half of n. Wanted is the remainder, n % 2."),
            (
                spread([0, 1, 2, 0]),
                f"{shown}: there is a 2 in them; BERT's table has the rows 0 and 1.",
            ),
            (
                spread([0, 0, 0, 1]),
                f"{shown}: 1 for the last sentence alone. Here they take turns.",
            ),
        ],
        "the segments",
    )
    _name(
        places,
        [0, 5, 8, 12],
        [
            (
                [4, 7, 11, 15],
                f"Your places are {places}: there stand the [SEP]s. Wanted is where each [CLS] stands.",
            ),
            (
                [5, 8, 12, 16],
                f"Your places are {places}: one sentence too late, each is where the *next* [CLS] stands. Look before you append.",
            ),
            (
                [1, 6, 9, 13],
                f"Your places are {places}: the first piece of each sentence, one behind its [CLS].",
            ),
            ([0, 1, 2, 3], f"Your places are {places}: you count sentences; count tokens."),
            (
                [0, 3, 4, 6],
                f"Your places are {places}: the special tokens are not counted, but they stand in the row like all others.",
            ),
            (
                [0, 4, 6, 9],
                f"Your places are {places}: you count one special token a sentence; there are two, [CLS] and [SEP].",
            ),
            (
                [-1, 4, 7, 11],
                f"Your places are {places}: the last token before each [CLS]. Places count from 0.",
            ),
            (
                [5, 3, 4, 4],
                f"Your places are {places}: the lengths of the sentences. Wanted is where each begins in the document.",
            ),
            (
                [0, 0, 0, 0],
                f"Your places are {places}: where each [CLS] stands in its own sentence. Wanted is where it stands in the document.",
            ),
            (
                [101] * 4,
                f"Your places are {places}: that is what a [CLS] is. Wanted is where it stands.",
            ),
        ],
        "the places",
    )
    again = answer([[9], [8, 8]], 1, 2)
    for part, wanted, name in zip(
        again, bertsum_input([[9], [8, 8]], 1, 2), ("ids", "segments", "places")
    ):
        mine = part.tolist() if isinstance(part, Tensor) else list(part)
        if mine != wanted:
            raise Mistake(
                f"With cls_id 1 and sep_id 2, for two sentences of 1 and 2 pieces, your {name} are {mine}; {wanted} is right. Take the ids of [CLS] and [SEP] as they are given."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=8,
    title="A document, ready to be read",
    solution=bertsum_input,
    check=check_bertsum_input,
    task="Write a document as BertSum reads it: a [CLS] before every sentence, a [SEP] behind it, segments in turn. Give back where each [CLS] stands, "
    "for that is where the sentence's vector will be read off.",
    hints=(
        "Three things for each sentence: its tokens, its segment, the place at which its [CLS] lands. Find the place *before* you append.",
        "`[cls_id, *pieces, sep_id]`; the remainder of n by 2; and the length of what is there already.",
    ),
    paragraph="The input, by hand",
)
