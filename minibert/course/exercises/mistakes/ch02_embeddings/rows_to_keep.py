"""Wrong answers to `rows_to_keep` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.ch02_embeddings.rows_to_keep import SPECIAL
from minibert.course.exercises.mistakes import named


def _variant(
    name,
    needed=lambda token: token in SPECIAL or len(token.removeprefix("##")) == 1,
    useless=lambda token: token.startswith("[unused"),
    order=lambda others, tokens: others,
    fill=lambda others, room: others[:room],
    finish=sorted,
):
    """Returns a choice of rows in which one step is replaced."""

    def answer(tokens, size):
        first = [i for i, token in enumerate(tokens) if needed(token)]
        others = [i for i, token in enumerate(tokens) if i not in first and not useless(token)]
        return finish(first + fill(order(others, tokens), size - len(first)))

    return named(name, answer)


def _the_first(tokens, size):
    return list(range(size))


def _the_first_used(tokens, size):
    return [i for i, token in enumerate(tokens) if not token.startswith("[unused")][:size]


def _everything(tokens, size):
    return list(range(len(tokens)))


_no_special = _variant(
    "_no_special",
    needed=lambda token: len(token.removeprefix("##")) == 1,
    useless=lambda token: token.startswith("["),
)
_no_continuations = _variant(
    "_no_continuations", needed=lambda token: token in SPECIAL or len(token) == 1
)
_no_openings = _variant(
    "_no_openings",
    needed=lambda token: token in SPECIAL or (token.startswith("##") and len(token) == 3),
)
_ascii_only = _variant(
    "_ascii_only",
    needed=lambda token: (
        token in SPECIAL or (token.isascii() and len(token.removeprefix("##")) == 1)
    ),
)
_unused_kept = _variant("_unused_kept", useless=lambda token: False)
_rarest = _variant("_rarest", order=lambda others, tokens: others[::-1])
_longest = _variant(
    "_longest", order=lambda others, tokens: sorted(others, key=lambda i: -len(tokens[i]))
)
_alphabetical = _variant(
    "_alphabetical", order=lambda others, tokens: sorted(others, key=lambda i: tokens[i])
)
_not_sorted = _variant("_not_sorted", finish=list)
_needed_on_top = _variant("_needed_on_top", fill=lambda others, room: others[: room + 5])


def _size_of_the_others(tokens, size):
    return _variant("all", fill=lambda others, room: others[:size])(tokens, size)


_needed_only = _variant("_needed_only", fill=lambda others, room: [])
_one_short = _variant("_one_short", fill=lambda others, room: others[: max(room - 1, 0)])
_words_only = _variant(
    "_words_only", useless=lambda token: token.startswith("[unused") or token.startswith("##")
)

KNOWN = (
    (
        _the_first,
        "you take the first ids. These include [unused] rows, and the characters further down are lost, so some words would become [UNK].",
    ),
    (
        _the_first_used,
        "you take the first ids that are in use, and the characters further down are lost, so some words would become [UNK].",
    ),
    (_everything, "nothing is left out."),
    (
        _no_special,
        "the special tokens are missing; without [CLS], [SEP], [UNK], [PAD] and [MASK] no batch can be built.",
    ),
    (
        _no_continuations,
        "single characters that continue a word, such as ##a, are not all kept, so some words could not be spelled to their end.",
    ),
    (
        _no_openings,
        "single characters that open a word, such as a, are not all kept, so some words could not even begin.",
    ),
    (
        _ascii_only,
        "you keep the ASCII characters only; the old vocabulary could also write é and ##é.",
    ),
    (_unused_kept, "[unused] rows are among them; they never occur in a text and cost a row each."),
    (_rarest, "you fill up with the rarest tokens; a smaller id means a more frequent one."),
    (
        _longest,
        "you fill up with the longest tokens; take the most frequent, with the smallest ids.",
    ),
    (
        _alphabetical,
        "you fill up in alphabetical order; take the most frequent, with the smallest ids.",
    ),
    (
        _not_sorted,
        "these are the right ids in another order; return them in ascending order, so that the new vocabulary keeps the old order.",
    ),
    (_needed_on_top, "that is more than `size`: the necessary tokens count too."),
    (
        _size_of_the_others,
        "you keep `size` tokens besides the necessary ones; take only `size - len(needed)` of them.",
    ),
    (_needed_only, "only the necessary ones are there; fill up with the most frequent others."),
    (_one_short, "one is missing; keep exactly `size`."),
    (_words_only, "you leave out pieces such as ##s and ##ing, though they are frequent."),
)
