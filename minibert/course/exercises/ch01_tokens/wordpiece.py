"""Exercise `wordpiece`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake, also


def wordpiece(word, vocab):
    """Longest match first: "unbanked" becomes ["un", "##bank", "##ed"]."""
    # blank from here: a loop over the pieces of the word
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start > 0 else ""
        for end in range(len(word), start, -1):
            piece = mark + word[start:end]
            if piece in vocab:
                break
        else:  # the loop ended without a break: no piece fits
            return ["[UNK]"]
        pieces.append(piece)
        start = end
    return pieces


class _Vocabulary(dict):
    """A vocabulary that raises Mistake after 20,000 lookups, which ends an infinite loop."""

    asked, word = 0, ""

    def __contains__(self, piece):
        self.asked += 1
        if self.asked > 20_000:
            raise Mistake(
                f"you have asked the vocabulary 20,000 times about the one word {self.word!r}: "
                "the position where the next piece begins must move on after every piece, and a word without a piece must end the loop."
            )
        return super().__contains__(piece)


WORDPIECE_VOCAB = [
    "[UNK]",
    "river",
    "riverb",
    "##bank",
    "##ank",
    "##a",
    "##n",
    "##k",
    "##s",
    "bank",
    "b",
    "a",
    "r",
    "##er",
    "##e",
    "##r",
    "the",
    "up",
    "ups",
    "##standing",
    "##st",
    "##tan",
    "##d",
    "##ding",
    "##b",
    "s",
    "ank",
    "##the",
    "##river",
    "##up",
]


WORDPIECE_CASES = {
    "bank": ["bank"],
    "riverbanks": ["riverb", "##ank", "##s"],
    "banker": ["bank", "##er"],
    "upstanding": ["ups", "##tan", "##ding"],
    "riverxbank": ["[UNK]"],
    "xbank": ["[UNK]"],
    "bankx": ["[UNK]"],
    "upst": ["[UNK]"],
    "a" * 100: ["a"] + ["##a"] * 99,
    "a" * 101: ["[UNK]"],
}


def check_wordpiece(answer):
    def run(word):
        vocab = _Vocabulary((token, number) for number, token in enumerate(WORDPIECE_VOCAB))
        vocab.word = word if len(word) < 30 else word[:5] + "…"
        return answer(word, vocab)

    for word, right in WORDPIECE_CASES.items():
        found = run(word)
        shown = f"{word!r}" if len(word) < 30 else f"a word of {len(word)} characters"
        shown += ", with a small vocabulary that the check brings along,"
        if not isinstance(found, list):
            raise Mistake(
                f"for {shown} you return a {type(found).__name__}; expected a list of pieces, such as {right[:3]}."
            )
        if not all(isinstance(piece, str) for piece in found):
            raise Mistake(
                f"for {shown} you return {found[:3]}; expected the pieces themselves, not their numbers."
            )
        if found == right:
            continue
        yours = f"for {shown} you give {found if len(found) < 9 else str(found[:3])[:-1] + ', …]'}"
        recognised = next(
            (
                sentence
                for wrong, sentence in known(wordpiece)
                if all(run(each) == wrong(each, WORDPIECE_VOCAB) for each in WORDPIECE_CASES)
            ),
            None,
        )
        if len(word) == 101:
            raise Mistake(f"{yours}; a word of more than 100 characters becomes ['[UNK]'].")
        if len(word) == 100:
            raise Mistake(
                f"{yours}, {len(found)} piece(s); exactly 100 characters are still allowed, and make {len(right)} pieces."
            )
        if found == ["up", "##st"]:
            raise Mistake(
                f"{yours}: you go back to a shorter first piece; 'ups' is the longest, nothing fits behind it, and so the word is ['[UNK]']."
            )
        if right == ["[UNK]"] and not found:
            raise Mistake(
                f"{yours}; a word that cannot be cut still leaves one token in the text: ['[UNK]']."
            )
        if right == ["[UNK]"] and found[-1] != "[UNK]":
            raise Mistake(
                f"{yours}; you leave out the 'x' without a trace, but a word with an unknown character becomes ['[UNK]']."
            )
        if right == ["[UNK]"]:
            raise Mistake(
                f"{yours}; no piece of the vocabulary has an 'x', so the whole word becomes ['[UNK]'], one token."
            )
        if found == ["[UNK]"] and recognised:
            raise Mistake(f"{yours}; {recognised}: {right}.")
        if found == ["[UNK]"]:
            raise Mistake(
                f"{yours}, but it can be cut: {right}; the ends to try go from {len(word)}, the whole rest, down to start + 1, both included."
            )
        if found and found[0].startswith("##"):
            raise Mistake(f"{yours}; the first piece of a word carries no ##.")
        if found == right[: len(found)]:
            raise Mistake(f"{yours}; the rest of the word is missing: {right[len(found) :]}.")
        if any(not piece.startswith("##") for piece in found[1:]):
            raise Mistake(
                f"{yours}; a piece that does not begin the word must be looked up with ## before it."
            )
        if (spelt := "".join(piece.removeprefix("##") for piece in found)) != word:
            raise Mistake(
                f"{yours}, which spells {spelt!r}: the next piece begins just where the last one ended."
            )
        raise Mistake(f"{yours}; {f'{recognised}: ' if recognised else 'right is '}{right}.")
    also(
        answer,
        wordpiece,
        ("riverbanks", {"river": 0, "##bank": 1, "##s": 2}),
        ("bank", {"river": 0, "##bank": 1}),
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=20,
    title="Longest match first",
    paragraph="Longest match first",
    task="""
            Write the rule as a function. `word` is one lowercase word, and `vocab` can be a list, a set or a dict: all you need is `piece in vocab`.
            Return the list of pieces. The search goes from left to right and always takes the longest piece that the vocabulary holds;
            every piece after the first is looked up, and returned, with `##` in front. If no piece fits at some position, return `["[UNK]"]` for the whole word.
            Return the same at once for a word of more than 100 characters. (The check uses a small vocabulary of its own. If the cell does not come back, a loop of yours never ends: interrupt it with the stop button.)
        """,
    hints=(
        "Keep the position where the next piece begins, and repeat until it reaches the end of the word. For each piece, try the whole rest of the word first, and then shorter and shorter beginnings of it.",
        "You need two loops, one inside the other. The outer one runs until `start` reaches the end of the word. The inner one shortens `word[start:end]` by moving `end`: which value of `end` is tried first, and which last? What does `start` become when a piece is found, and what do you return when the inner loop finds none?",
    ),
    solution=wordpiece,
    check=check_wordpiece,
)
