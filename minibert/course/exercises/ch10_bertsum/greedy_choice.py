"""Exercise `greedy_choice`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch10_bertsum.common import (
    CHAPTER,
    _name,
    _numbers_of,
)
from minibert.course.exercises.compare import Mistake
from minibert.summarization.oracle import ngrams, overlap_f1


def greedy_choice(sentences, summary, k):
    """At most k sentences that together overlap most with a summary, found greedily: their numbers, in document order.

    sentences: lists of words; summary: one list of words. Words count by F1 on sets, and so do pairs of neighbours; a pair
    never runs from one sentence of the document into the next.
    """

    def overlap(numbers):
        words, pairs = (
            set().union(*(ngrams(sentences[n], size) for n in numbers)) for size in (1, 2)
        )
        return overlap_f1(words, ngrams(summary, 1)) + overlap_f1(pairs, ngrams(summary, 2))

    chosen, best = [], 0.0
    while len(chosen) < k:
        left = [n for n in range(len(sentences)) if n not in chosen]
        scores = {n: overlap([*chosen, n]) for n in left}  # blank: for each number left, the overlap that it would lead to  # fmt: skip
        winner = max(left, key=scores.get, default=None)  # blank: the number with the highest, the first of equals  # fmt: skip
        if winner is None or scores[winner] <= best:
            break
        chosen.append(winner)
        best = scores[winner]  # blank: what the next one has to beat
    return sorted(chosen)  # blank: in document order


# Sentence 2 covers most of the summary and sentence 0 covers the rest. Sentence 1 says
# nearly the same as sentence 2, and sentence 3 shares one word with it.
_DOCUMENT = [
    text.split()
    for text in (
        "police saw nothing at the gate",
        "the dog barked at the old cat",
        "at night the dog barked at the cat",
        "rain fell all night",
        "the dog barked at the old cat",
    )
]


_SUMMARY = ["the", "dog", "barked", "at", "the", "cat", "police", "saw", "nothing"]


def check_greedy_choice(answer):
    def run(document, summary, k):
        try:
            return _numbers_of(
                answer([list(words) for words in document], list(summary), k), "greedy_choice"
            )
        except ValueError as error:
            if "empty" not in str(error):
                raise
            raise Mistake(
                f"Asked for {k} of {len(document)} sentences, your function takes the largest of nothing: when no sentence is left, max(left, …, default=None) gives None."
            ) from None
        except KeyError as error:
            raise Mistake(
                f"Your winner is {error}, and `scores` knows no such sentence: the winner is the number of a sentence, a key of `scores`, not a score and not a place in `left`."
            ) from None

    found = run(_DOCUMENT, _SUMMARY, 3)

    def overlap(numbers, sizes=(1, 2), joined=False):
        parts = (
            [sum((_DOCUMENT[n] for n in numbers), [])]
            if joined
            else [_DOCUMENT[n] for n in numbers]
        )
        return sum(
            overlap_f1(
                set().union(*(ngrams(words, size) for words in parts)), ngrams(_SUMMARY, size)
            )
            for size in sizes
        )

    alone = sorted(range(5), key=lambda n: -overlap([n]))
    _name(
        found,
        [0, 2],
        [
            (
                sorted(alone[:3]),
                f"You choose {found}, the three that overlap most *alone*. Sentences 1 and 4 say what 2 has said: score each together with what is chosen already.",
            ),
            (
                [2, 0],
                f"You choose {found}, in the order of choice; a summary is read in the order of the document.",
            ),
            (
                [2],
                f"You choose {found} and stop: sentence 0 overlaps less alone ({overlap([0]):.2f}) than sentence 2 ({overlap([2]):.2f}), but both together reach {overlap([0, 2]):.2f}.",
            ),
            (
                [0, 1, 2],
                f"You choose {found}: with sentence 1 the overlap falls from {overlap([0, 2]):.2f} to {overlap([0, 1, 2]):.2f}. Stop as soon as nothing raises it.",
            ),
            (
                [0, 2, 4],
                f"You choose {found}: with sentence 4 the overlap falls from {overlap([0, 2]):.2f} to {overlap([0, 2, 4]):.2f}. Stop as soon as nothing raises it.",
            ),
            (
                [4],
                "You choose sentence 4, the largest *number*: max of a dict compares its keys. Compare their scores, with key=scores.get.",
            ),
            (
                [],
                f"You choose nothing, though sentence 2 has an overlap of {overlap([2]):.2f}. Do you look for the lowest overlap, or begin with a `best` that nothing beats?",
            ),
        ],
        "your choice",
    )
    twice = run(
        [_DOCUMENT[1], _DOCUMENT[4], _DOCUMENT[3]],
        ["the", "dog", "barked", "at", "the", "old", "cat"],
        3,
    )
    _name(
        twice,
        [0],
        [
            (
                [1],
                "Sentences 0 and 1 are the same, and you choose 1. Of equals the first one is chosen.",
            ),
            (
                [0, 1],
                "Sentences 0 and 1 are the same, and you choose both: one that adds nothing does not *raise* the overlap.",
            ),
        ],
        "your choice from two equal sentences",
    )
    cut = run(_DOCUMENT, _SUMMARY, 1)
    _name(
        cut,
        [2],
        [
            ([0, 2], "Asked for 1 sentence you choose 2."),
            (
                [],
                "Asked for 1 sentence you choose none: the loop goes on as long as fewer than k are chosen.",
            ),
        ],
        "your choice of 1 sentence",
    )
    thirds = run([list("abc"), list("def"), list("ghi")], list("abcdefghi"), 3)
    _name(
        thirds,
        [0, 1, 2],
        [
            (
                [0, 1],
                "Three sentences each bring a third of the summary, and you choose two: what the next one has to beat is the overlap that is reached, "
                "not a sum of overlaps.",
            )
        ],
        "your choice from three thirds of a summary",
    )
    none = run([["rain"], ["snow"]], ["sun"], 2)
    _name(
        none,
        [],
        [
            (
                [0, 1],
                "No word of the document is in the summary, and you choose 2 sentences all the same: an overlap of 0 is none.",
            )
        ],
        "your choice where nothing overlaps",
    )
    crossing = run([["b"], ["a", "x"], ["a", "b"]], ["a", "b"], 2)
    _name(crossing, [2], [], "your choice from 'b', 'a x', 'a b' for the summary 'a b'")
    few = run([["a", "b"]], ["a", "b", "c"], 3)
    _name(few, [0], [], "your choice of 3 from a document of one sentence")
    trap = run(
        [text.split() for text in ("b b b a", "a f b c", "e f f", "e b e f", "f f")],
        ["d", "f", "b", "f", "e"],
        3,
    )
    _name(
        trap,
        [1, 3],
        [
            (
                [1, 2],
                "Where the best set of sentences does not hold the best sentence, you find the best set. That is no greedy choice: begin with sentence 3, the best alone, and keep it.",
            ),
            (
                [2, 3],
                "You join sentences and count pairs that run from one into the next; a pair stands inside a sentence.",
            ),
            (
                [0, 2, 3],
                "You join sentences in the order of choice and count pairs that run from one into the next; a pair stands inside a sentence.",
            ),
            ([1], "Pairs of neighbours alone decide with you; single words count as well."),
            ([3], "Single words alone decide with you; pairs of neighbours count as well."),
        ],
        "your choice where the best sentence is not in the best set",
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="The greedy oracle",
    solution=greedy_choice,
    check=check_greedy_choice,
    task="Write the oracle. Start from nothing; add the sentence with which the overlap becomes largest; stop when none raises it, or when there are $k$. "
    "The overlap itself is written for you.",
    hints=(
        "A sentence is never judged alone: only together with those that are chosen already.",
        "`{n: overlap([*chosen, n]) for n in left}`; `max(left, key=scores.get, default=None)` takes the first of equals.",
    ),
    paragraph="Labels that nobody wrote",
)
