"""Wrong answers to `words_of` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.ch07_pretraining_data.words_of import words_of


def _grouped(tokens, skipped, joins):
    words = []
    for position, token in enumerate(tokens):
        if token in skipped:
            continue
        if words and joins(token, words[-1][-1] == position - 1):
            words[-1].append(position)
        else:
            words.append([position])
    return words


ALL_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def words_across_sep(tokens):
    return _grouped(tokens, ALL_SPECIAL, lambda token, adjacent: token.startswith("##"))


def words_with_special(tokens):
    return _grouped(tokens, (), lambda token, adjacent: token.startswith("##") and adjacent)


def words_with_padding(tokens):
    return _grouped(
        tokens, ("[CLS]", "[SEP]"), lambda token, adjacent: token.startswith("##") and adjacent
    )


def single_pieces(tokens):
    return _grouped(tokens, ALL_SPECIAL, lambda token, adjacent: False)


def first_pieces(tokens):
    return [word[:1] for word in words_of(tokens)]


def words_as_tokens(tokens):
    return [[tokens[i] for i in word] for word in words_of(tokens)]


def words_by_any_hash(tokens):
    return _grouped(tokens, ALL_SPECIAL, lambda token, adjacent: "##" in token and adjacent)


def words_of_pieces_only(tokens):
    return [word for word in words_of(tokens) if len(word) > 1]


def words_lose_openers(tokens):
    return [word for word in words_of(tokens) if not tokens[word[0]].startswith("##")]


def words_without_brackets(tokens):
    return _grouped(
        tokens,
        [token for token in tokens if token.startswith("[")],
        lambda token, adjacent: token.startswith("##") and adjacent,
    )


def words_with_mask(tokens):
    return _grouped(
        tokens,
        ("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
        lambda token, adjacent: token.startswith("##") and adjacent,
    )


def words_by_one_hash(tokens):
    return _grouped(tokens, ALL_SPECIAL, lambda token, adjacent: token.startswith("#") and adjacent)


def words_of_two_pieces(tokens):
    words = []
    for position, token in enumerate(tokens):
        if token.startswith("##") and words and words[-1][0] == position - 1:
            words[-1].append(position)
        elif token not in ALL_SPECIAL:
            words.append([position])
    return words


def words_lose_the_last(tokens):
    """Adds a word to the list when the next one begins, and so loses the last word."""
    words, word = [], []
    for position, token in enumerate(tokens):
        if word and (token in ALL_SPECIAL or not token.startswith("##")):
            words.append(word)
            word = []
        if token not in ALL_SPECIAL:
            word.append(position)
    return words


WORDS_MISTAKES = (
    (
        words_across_sep,
        "piece {piece} stands right after [SEP], and you join it to a word of the other text",
    ),
    (words_with_special, "[CLS], [SEP] and [PAD] are in your list; they are never predicted"),
    (words_with_padding, "[PAD] and [UNK] are in your list; they are no words"),
    (
        single_pieces,
        "each piece is a word of its own in your list; `##` goes on the word before it",
    ),
    (first_pieces, "you keep only the first piece of each word"),
    (words_as_tokens, "you give tokens back; wanted are their positions"),
    (
        words_by_any_hash,
        "you take a token for a later piece when `##` stands anywhere in it; it must stand in front",
    ),
    (
        words_of_pieces_only,
        "you keep only words of several pieces; a word of one piece is a word too",
    ),
    (
        words_without_brackets,
        "you take whatever begins with `[` for a special token; a bracket that stands in a text is a word",
    ),
    (words_with_mask, "[MASK] is in your list; it is no word"),
    (
        words_lose_the_last,
        "the last word is lost: no [SEP] stands behind it, and it counts all the same",
    ),
    (
        words_of_two_pieces,
        "you compare with the first place of the word before, so a third piece falls off; compare with its last place",
    ),
    (
        words_by_one_hash,
        "you take a token for a later piece when one `#` stands in front; it must be `##`",
    ),
    (
        words_lose_openers,
        "a piece that opens a text is lost; its word was cut in two, and it stays as a word of its own",
    ),
)


KNOWN = WORDS_MISTAKES
