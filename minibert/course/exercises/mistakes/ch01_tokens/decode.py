"""Wrong answers to `decode` that its check recognises, each with the feedback for it.

They take tokens instead of ids.
"""

DROPPED = ("[PAD]", "[CLS]", "[SEP]")


def _text(case, dropped=DROPPED, space=" ", inside=lambda token: token[2:]):
    """Decoding with options, each of which plants a mistake."""
    words = []
    for token in case:
        if token in dropped:
            continue
        if token.startswith("##") and words:
            words[-1] += inside(token)
        else:
            words.append(token)
    return space.join(words)


def _keeps_marks(case):
    return _text(case, inside=lambda token: token)


def _strips_all_signs(case):
    return _text(case, inside=lambda token: token.lstrip("#"))


def _without_spaces(case):
    return _text(case, space="")


def _space_before_pieces(case):
    return _text(case, inside=lambda token: " " + token[2:])


def _keeps_special_tokens(case):
    return _text(case, dropped=())


def _keeps_padding(case):
    return _text(case, dropped=("[CLS]", "[SEP]"))


def _drops_unknown_words(case):
    return _text(case, dropped=(*DROPPED, "[UNK]"))


def _drops_masks(case):
    return _text(case, dropped=(*DROPPED, "[MASK]"))


def _stops_at_the_first_separator(case):
    return _text(case[: case.index("[SEP]")])


KNOWN = (
    (_keeps_marks, "the two signs ## mark a piece; they are not part of the text"),
    (
        _strips_all_signs,
        "you remove every #, but only the first two are the mark, and the third belongs to the text",
    ),
    (_without_spaces, "the spaces between words are missing"),
    (_space_before_pieces, "a piece with ## continues the word, so no space goes before it"),
    (_keeps_special_tokens, "[CLS], [SEP] and [PAD] do not come from the text"),
    (_keeps_padding, "[PAD] fills up the batch and does not come from the text"),
    (
        _drops_unknown_words,
        "you leave [UNK] out, so nobody can see that a word was lost",
    ),
    (_drops_masks, "you leave [MASK] out, but it occupies the position of a word"),
    (
        _stops_at_the_first_separator,
        "you stop at the first [SEP], and a second text can follow",
    ),
)
