"""Exercise `choose_sentences`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch10_bertsum.common import (
    CHAPTER,
    _name,
    _numbers_of,
)
from minibert.course.exercises.compare import Mistake
from minibert.summarization.oracle import ngrams


def choose_sentences(scores, sentences, k):
    """At most k sentences, the best first, none that shares three words in a row with one already chosen.

    scores: a number for each sentence; sentences: texts, cut into words at white space. -> their numbers, in document order.
    """
    order = sorted(range(len(scores)), key=lambda n: -scores[n])  # blank: numbers of the sentences, the best score first  # fmt: skip
    chosen, taken = [], set()
    for n in order:
        if len(chosen) == k:
            break
        trigrams = ngrams(sentences[n].split(), 3)  # blank: every three words in a row, as a set
        repeats = bool(trigrams & taken)  # blank: True where one of them is taken
        if not repeats:
            chosen.append(n)
            taken |= trigrams
    return sorted(chosen)  # blank: in the order of the document


_TEXTS = [
    "the old bank by the river",
    "it rained",
    "a flood at the bank by the river",
    "the town is old",
    "nobody stood by the door",
]


_SCORES = [0.7, 0.2, 0.9, 0.3, 0.4]


def check_choose_sentences(answer):
    found = _numbers_of(answer(list(_SCORES), list(_TEXTS), 3), "choose_sentences")
    shown = f"You choose {found}"
    if found == [0, 2, 4] and answer([0.2, 0.9], ["a b c", "a b c"], 2) == [1]:
        raise Mistake(
            f"{shown}: 'bank by the' stands in sentences 0 and 2. You pass over a text that is the same word for word, but one run of three in common is enough, "
            "anywhere in the sentence: what two sets have in common is `&`."
        )
    if found == [1, 2] and answer([0.9, 0.8], ["a rainbow", "no bow"], 2) != [0, 1]:
        raise Mistake(
            f"{shown}: 'a rainbow' and 'no bow' would block each other with you. Those are three *letters* in a row; cut the sentence into words first, by .split()."
        )
    _name(
        found,
        [2, 3, 4],
        [
            (
                [],
                f"{shown}, nothing: `repeats` is True where nothing is repeated. The best sentence cannot repeat anything.",
            ),
            (
                [1],
                f"{shown}, the one that is too short for three words in a row: for all others `repeats` is True, though nothing is taken yet. What two sets have in common is `&`.",
            ),
            ([4, 3, 2], f"{shown}, from the end; a summary is read in the order of the document."),
            (
                [0, 2, 4],
                f"{shown}: 'bank by the' stands in sentences 0 and 2, and 2 has the better score. Without blocking the reader is told of the bank twice; `repeats` is True where the two sets have *any* trigram in common.",
            ),
            ([2, 0, 4], f"{shown}, in order of score and without blocking."),
            (
                [0, 1, 3],
                f"{shown}: sentence 2 has the best score of all ({_SCORES[2]}). Choose by score, not by place.",
            ),
            (
                [2, 4, 3],
                f"{shown}, in order of score; a summary is read in the order of the document.",
            ),
            (
                [2, 4],
                f"{shown}: sentence 0 is passed over, and its place should go to the next best. Stop when 3 are *chosen*, not when 3 were looked at.",
            ),
            (
                [2],
                f"{shown}: a sentence that repeats is passed over; the ones behind it still have their turn.",
            ),
            (
                [1, 2],
                f"{shown}: single words in common, such as 'the', are no repetition. Three in a row are.",
            ),
            (
                [1, 2, 3],
                f"{shown}: sentence 4 shares 'by the' with sentence 2, two words in a row. Three are wanted, so it is free, and better than 1.",
            ),
            ([1, 3, 4], f"{shown}, beginning with the lowest scores."),
        ],
        "your choice",
    )
    one = _numbers_of(answer([0.1, 0.8, 0.5], ["a b c d", "a b", "a b"], 2), "choose_sentences")
    _name(
        one,
        [1, 2],
        [
            (
                [1],
                "Two texts of two words block each other with you. Fewer than three words have no three in a row.",
            ),
            (
                [0, 1],
                "Two texts of two words block each other with you, or the last two words of a longer text. Fewer than three words are no trigram: stop two words before the end.",
            ),
        ],
        "your choice from texts of two words",
    )
    apart = _numbers_of(
        answer(
            [0.9, 0.8, 0.7], ["rain by the old bank", "snow by an old bank", "the by old hail"], 3
        ),
        "choose_sentences",
    )
    _name(
        apart,
        [0, 1, 2],
        [
            (
                [0],
                "You pass over sentences that have three words in common which do not stand in a row, such as 'by … old bank'.",
            ),
            (
                [0, 2],
                "You pass over a sentence that has three words in common which do not stand in a row, 'by … old bank'.",
            ),
            (
                [0, 1],
                "You pass over 'the by old', since 'by the old' is taken: three words in a row are the same only in the same order.",
            ),
        ],
        "your choice from sentences with the same words in other places",
    )
    tie = _numbers_of(answer([0.5, 0.5, 0.1], ["a b c", "d e f", "g h i"], 1), "choose_sentences")
    _name(
        tie,
        [0],
        [
            (
                [1],
                "Two sentences have the score 0.5, and you choose the later. The first of equals is chosen.",
            )
        ],
        "your choice between equal scores",
    )
    both = _numbers_of(answer([0.5, 0.5, 0.1], ["a b c", "d e f", "g h i"], 2), "choose_sentences")
    _name(
        both,
        [0, 1],
        [
            (
                [0, 2],
                "Sentences 0 and 1 have the score 0.5, and you choose 0 and 2: looked up by its score, sentence 1 is taken for sentence 0. Sort the numbers, not the scores.",
            )
        ],
        "your choice of 2 where two scores are equal",
    )
    logits = _numbers_of(
        answer([-3.0, -1.0, -2.0], ["a b c", "d e f", "g h i"], 2), "choose_sentences"
    )
    _name(
        logits,
        [1, 2],
        [
            (
                [],
                "Of scores below 0 you choose none: logits are scores as well, only their order counts.",
            )
        ],
        "your choice from scores below 0",
    )
    few = _numbers_of(answer([0.2, 0.9], ["a b c d", "a b c d"], 2), "choose_sentences")
    _name(
        few,
        [1],
        [
            (
                [0, 1],
                "From two equal texts you choose both, to have 2: a shorter summary is better than one that says a thing twice.",
            )
        ],
        "your choice from two equal texts",
    )
    end = _numbers_of(answer([0.9, 0.8], ["a b c d", "x b c d"], 2), "choose_sentences")
    _name(
        end,
        [0],
        [
            (
                [0, 1],
                "'a b c d' and 'x b c d' share their last three words, and you choose both: a text of n words has n - 2 trigrams, one from each of its first n - 2 words on.",
            )
        ],
        "your choice from 'a b c d' and 'x b c d'",
    )
    spelt = _numbers_of(
        answer([0.9, 0.8, 0.7], ["the old bank", "the old, bank", "The old bank"], 3),
        "choose_sentences",
    )
    _name(
        spelt,
        [0, 1, 2],
        [
            (
                [0, 1],
                "You choose [0, 1] from 'the old bank', 'the old, bank' and 'The old bank': you take 'The' and 'the' for one word. Cut at white space, and change no letter.",
            ),
            (
                [0, 2],
                "You choose [0, 2] from 'the old bank', 'the old, bank' and 'The old bank': you drop the comma. Cut at white space only, so that 'old,' and 'old' are two words.",
            ),
            (
                [0],
                "You choose [0] from 'the old bank', 'the old, bank' and 'The old bank': you lowercase the words and drop the comma. Cut at white space, and change nothing else.",
            ),
        ],
        "your choice from sentences that differ in a comma or a capital",
    )
    spaced = _numbers_of(answer([0.9, 0.8], ["a b  c", "a b\nc"], 2), "choose_sentences")
    _name(
        spaced,
        [0],
        [
            (
                [0, 1],
                "'a b  c', with two spaces, and 'a b\\nc', with a line break, are the same three words, and you choose both: .split(' ') cuts at each single space, .split() at any white space.",
            )
        ],
        "your choice from two texts that differ in their white space",
    )
    many = _numbers_of(answer([0.2, 0.9], ["a b", "c d"], 5), "choose_sentences")
    _name(many, [0, 1], [], "your choice of 5 from 2 sentences")
    chain = ["a b c x", "d e f y", "z a b c", "w d e f", "b c x", "z a b", "r s t r s t"]
    found = _numbers_of(
        answer([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3], list(chain), 7), "choose_sentences"
    )
    _name(
        found,
        [0, 1, 5, 6],
        [
            (
                [0, 1, 2, 3, 4, 5, 6],
                "You compare a sentence with the one chosen last; it must repeat none of those that are chosen.",
            ),
            (
                [0, 1, 3, 5, 6],
                "You compare a sentence with the one chosen first; it must repeat none of those that are chosen.",
            ),
            (
                [0, 1, 6],
                "You keep the trigrams of sentences that were passed over: 'z a b' stands in one of them, which no reader will see. Only what is chosen is taken.",
            ),
            ([0, 1, 5], "You pass over 'r s t r s t', which repeats itself and no other sentence."),
        ],
        "your choice from sentences that repeat others",
    )
    nothing = _numbers_of(answer([0.9], ["a b c"], 0), "choose_sentences")
    _name(
        nothing,
        [],
        [
            (
                [0],
                "Asked for 0 sentences you choose 1: look whether there are k *before* you choose.",
            )
        ],
        "your choice of 0 sentences",
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=12,
    title="Choose, and do not repeat",
    solution=choose_sentences,
    check=check_choose_sentences,
    task="Write the choice: the best scores first, a sentence is passed over that has three words in a row in common with one already chosen, and the summary comes "
    "in the order of the document.",
    hints=(
        "Go through the sentences from the best score to the worst, and remember all trigrams of those that you have chosen.",
        "`sorted(range(len(scores)), key=lambda n: -scores[n])` keeps the first of equals first. Two sets have something in common where `one & other` is not empty.",
    ),
    paragraph="From scores to a summary",
)
