"""Exercise `rows_to_keep`: task, hints, solution and check."""

from torch import Tensor

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch02_embeddings.common import CHAPTER
from minibert.course.exercises.compare import Mistake, Unforeseen

SPECIAL = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}


def rows_to_keep(tokens, size):
    """The ids of the tokens of a smaller vocabulary: list of V str, size -> sorted list of ints."""
    special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    needed = {i for i, token in enumerate(tokens) if token in special or len(token.removeprefix("##")) == 1}  # blank: ids without which a text could not be written  # fmt: skip
    others = [i for i, token in enumerate(tokens) if i not in needed and not token.startswith("[unused")]  # blank: ids of the other useful tokens, the most frequent first  # fmt: skip
    return sorted([*needed, *others[: size - len(needed)]])  # blank: `size` ids, in ascending order


VOCABULARIES = (
    (
        "[PAD] [unused0] [unused1] [UNK] [CLS] [SEP] [MASK] [unused2] a b c the of bank ##s river"
        " ##a ##ing money ##b loan é ##c ##é creek",
        (16, 18, 22),
    ),
    ("[PAD] [unused0] [UNK] [CLS] [SEP] [MASK] x y and ##er hand ##x hang ##y", (10, 12)),
)


def check_rows_to_keep(answer) -> None:
    for words, sizes in VOCABULARIES:
        tokens = words.split()
        for size in sizes:
            right = rows_to_keep(tokens, size)
            found = answer(tokens, size)
            if isinstance(found, Tensor):
                found = found.tolist()
            _compare(found, right, tokens, size)


def _compare(found, right: list[int], tokens: list[str], size: int) -> None:
    if not isinstance(found, list | tuple) or any(
        not isinstance(i, int) or isinstance(i, bool) for i in found
    ):
        raise Mistake(
            f"return a list of ids, whole numbers such as {right[:4]}; you return {str(found)[:60]}."
        )
    found = list(found)
    if found == right:
        return
    here = f"of {len(tokens)} tokens, {size} of them to keep, you keep {len(found)}"
    for wrong, sentence in known(rows_to_keep):
        if found == wrong(tokens, size):
            lost = " ".join(tokens[i] for i in right if i not in found)
            raise Mistake(f"{here}{f' and lose {lost}' if lost else ''}: {sentence}")
    raise Unforeseen(f"{here}: {found}; right is {right}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=12,
    title="A vocabulary of 8,192",
    task="""Write `rows_to_keep(tokens, size)`, which chooses `size` tokens for a smaller vocabulary and returns their ids in ascending
        order. `tokens` is the old vocabulary as a list, in which a smaller id means a more frequent word or piece. Every text that could be
        encoded without [UNK] must still be encoded without it. Which tokens are needed for that, and which are of no use at all?""",
    hints=(
        "WordPiece cuts a word into the longest pieces that it knows. In the worst case these are single characters: one that opens a word, such as `a`, and one that continues it, such as `##a`. The five special tokens have to stay as well. The [unused] rows never occur in a text.",
        "`token.removeprefix('##')` leaves the characters of a piece. The necessary tokens count towards `size` too, so only `size - len(needed)` of the others fit.",
    ),
    paragraph="Where 23,837,184 parameters are",
    solution=rows_to_keep,
    check=check_rows_to_keep,
)
