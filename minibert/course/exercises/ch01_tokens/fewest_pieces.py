"""Exercise `fewest_pieces`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch01_tokens.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def fewest_pieces(word, vocab):
    """A cut of the word into as few pieces as possible."""
    best = {0: []}  # best[end]: the best cut of word[:end]
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = ("##" if start > 0 else "") + word[start:end]
            if start not in best or piece not in vocab:
                continue
            candidate = [*best[start], piece]  # blank: a list of pieces for word[:end]
            better = end not in best or len(candidate) < len(best[end])  # blank: worth keeping?
            if better:
                best[end] = candidate
    return best.get(len(word), ["[UNK]"])  # blank: the result, also when no cut exists


VOCAB = {"mist", "mis", "##rus", "##t", "##trust", "##s", "##ful", "trust", "un", "una", "##ffa"}
VOCAB |= {"##ble", "##aff", "##able", "b", "##a", "##b", "ab", "##ab", "##bab", "a", "aba", "##aba"}
WORDS = ("mistrust", "trust", "mistrusts", "unaffable", "ababab", "babab", "a", "mistake", "", "z")
LATER = {"mist", "##rust"}  # another vocabulary


def check_fewest_pieces(answer):
    for word, vocab in [*((word, VOCAB) for word in WORDS), ("mistrust", LATER)]:
        found, right = answer(word, set(vocab)), fewest_pieces(word, vocab)
        if not isinstance(found, list):
            raise Mistake(f"you return a {type(found).__name__}; expected a list of pieces.")
        if right == ["[UNK]"] or not right:
            if found != right:
                raise Mistake(f"for {word!r} expected {right}, and you give {found}.")
            continue
        where = f"for {word!r} you give {found}"
        for wrong, sentence in known(fewest_pieces):
            if found == wrong(word, vocab) and found != right and len(found) != len(right):
                raise Mistake(f"{where}: {sentence}. {right} has {len(right)}.")
        missing = [piece for piece in found if piece not in vocab]
        if missing:
            raise Mistake(f"{where}; {missing[0]!r} is not in the vocabulary.")
        marks = [piece.startswith("##") for piece in found]
        if marks != [False] + [True] * (len(found) - 1):
            raise Mistake(f"{where}; all pieces but the first carry ##, and the first does not.")
        if "".join(piece.removeprefix("##") for piece in found) != word:
            raise Mistake(f"{where}, and these pieces do not spell the word.")
        if len(found) != len(right):
            raise Mistake(f"{where}, {len(found)} pieces; {right} has {len(right)}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=12,
    title="Repair a cut: as few pieces as possible",
    paragraph="A bad cut can cost the meaning",
    task="""
            Cut a word into as few pieces of `vocab` as possible; if two cuts have the same number of pieces, either is right. If the word cannot be cut,
            return `["[UNK]"]`. The loop visits the ends of the word from left to right, so when it reaches `end`, the best cut of every shorter
            beginning is already known. (The name of this idea is *dynamic programming*.)
        """,
    hints=(
        "A cut of `word[:end]` whose last piece begins at `start` is the best cut of `word[:start]` followed by that piece.",
        "Keep the candidate if there is no cut for this `end` so far, or if the candidate is a shorter list. `best.get(key, default)` returns the default when the key is missing.",
    ),
    solution=fewest_pieces,
    check=check_fewest_pieces,
)
