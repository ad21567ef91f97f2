"""Definitions that several exercises of this chapter share."""

CHAPTER = "01_tokens"


def wordpiece(word, vocab):
    """Longest match first: "unbanked" becomes ["un", "##bank", "##ed"]."""
    if len(word) > 100:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        prefix = "##" if start > 0 else ""  # blank: depends on start
        ends = range(len(word), start, -1)  # blank: in the order in which they are tried
        for end in ends:
            piece = prefix + word[start:end]
            if piece in vocab:
                break
        else:  # runs if the loop ended without a break
            return ["[UNK]"]  # blank: the result for this word
        pieces.append(piece)
        start = end  # blank: the next piece
    return pieces
