"""Definitions that several exercises of this chapter share."""

CHAPTER = "01_tokens"


def wordpiece(word, vocab):
    """Longest match first: "riverbanks" becomes ["river", "##bank", "##s"]."""
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        prefix = "##" if start > 0 else ""  # blank: what marks a piece inside the word?
        ends = range(len(word), start, -1)  # blank: all its possible ends, the longest piece first
        for end in ends:
            piece = prefix + word[start:end]
            if piece in vocab:
                break
        else:  # no piece fits here
            return ["[UNK]"]  # blank: what becomes of the whole word?
        pieces.append(piece)
        start = end  # blank: where does the next piece begin?
    return pieces
