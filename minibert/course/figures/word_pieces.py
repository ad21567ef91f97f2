"""An interactive figure of WordPiece tokenization, which runs in the page."""

from minibert.course.figures.moving import Moving, moving
from minibert.tokenization import WordPieceTokenizer


def word_pieces(tokenizer: WordPieceTokenizer, text: str, word: int = 0) -> Moving:
    """Returns a figure of the words, pieces and ids of a text that the reader types, and of every
    lookup that greedy longest-match-first makes for one of its words.

    The figure contains the whole vocabulary, and `static/wordpiece.js` tokenizes like the Python
    tokenizer.

    tokenizer  supplies the vocabulary and the lowercase setting
    text       the initial text
    word       index in `text` of the word whose lookups are shown first; punctuation marks count
               as words
    Raises ValueError if the tokenizer lowercases without stripping accents or the reverse, or if
    the word does not exist.
    """
    if tokenizer.strip_accents not in (None, tokenizer.lowercase):
        raise ValueError(
            f"tokenizer: strip_accents={tokenizer.strip_accents} with"
            f" lowercase={tokenizer.lowercase}; the figure strips accents if and only if it"
            " lowercases"
        )
    encoding = tokenizer.encoding(text)
    words = [number for number in encoding.word_ids if number is not None]
    count = len({*words})
    if word not in range(count):
        raise ValueError(f"word must be 0 to {count - 1}, a word of {text!r}, not {word!r}")
    pieces = [piece for piece, number in zip(encoding.tokens, encoding.word_ids) if number == word]
    first, last = encoding.word_to_chars(word)
    return moving(
        "word_pieces",
        {
            "vocabulary": "\n".join(tokenizer.vocab),
            "lowerCase": tokenizer.lowercase,
            "text": text,
            "word": word,
        },
        needs=["stage.js", "wordpiece.js"],
        label=(
            f"WordPiece takes the longest piece that it knows, again and again:"
            f" “{text[first:last]}” becomes {' '.join(pieces)}"
        ),
        alt=(
            f"The words of “{text}”, under each its pieces with their ids, and below them every"
            " piece that was looked up for one word."
        ),
        try_this=(
            "Type a word that you made up. Then add an accent, a capital, an emoji or a Chinese"
            " character."
        ),
    )
