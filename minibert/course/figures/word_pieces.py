"""A sentence that the reader types, cut into pieces in the page."""

from minibert.course.figures.moving import Moving, moving
from minibert.tokenization import WordPieceTokenizer


def word_pieces(tokenizer: WordPieceTokenizer, text: str, word: int = 0) -> Moving:
    """Words, pieces and ids of a text, and every question that longest match first asks for one of
    its words.

    The whole vocabulary goes with the figure, so any text can be typed; `static/wordpiece.js` cuts
    it as the tokenizer does.

    tokenizer  its vocabulary is used, and whether it lower-cases
    text       the sentence to begin with
    word       the word that is cut first: its number in `text`, from 0, with punctuation set apart
    Errors: a ValueError for a tokenizer that lowercases and keeps accents, or the reverse, and
    for a word that does not exist.
    """
    if tokenizer.strip_accents not in (None, tokenizer.lowercase):
        raise ValueError(
            f"tokenizer: strip_accents={tokenizer.strip_accents} with"
            f" lowercase={tokenizer.lowercase}; the figure strips accents where it lower-cases, and"
            " nowhere else"
        )
    count = len({number for number in tokenizer.encoding(text).word_ids if number is not None})
    if word not in range(count):
        raise ValueError(f"word must be 0 to {count - 1}, a word of {text!r}, not {word!r}")
    return moving(
        "word_pieces",
        {
            "vocabulary": "\n".join(tokenizer.vocab),
            "lowerCase": tokenizer.lowercase,
            "text": text,
            "word": word,
        },
        needs=["wordpiece.js"],
        label="WordPiece, step by step",
        alt=(
            f"The words of “{text}”, under each its pieces with their ids, and below them every"
            " piece that was looked up for one word."
        ),
        try_this=(
            "Type a word that you made up. Then add an accent, a capital, an emoji or a Chinese"
            " character."
        ),
    )
