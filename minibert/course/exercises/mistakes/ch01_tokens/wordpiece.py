"""Wrong answers to `wordpiece` that its check recognises, each with the feedback for it."""


def _cut(word, vocab, prefix="##", first="", longest=True, unknown="word", limit=100, asked=None):
    """Greedy longest match first with options, each of which plants a mistake."""
    if len(word) > limit:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        ends = range(len(word), start, -1) if longest else range(start + 1, len(word) + 1)
        mark = prefix if start else first
        ask = mark if asked is None else asked
        end = next((end for end in ends if ask + word[start:end] in vocab), None)
        if end is None:
            if unknown == "word":
                return ["[UNK]"]
            if unknown == "nothing":
                return []
            if unknown == "rest":
                return [*pieces, "[UNK]"]
            start += 1  # unknown == "skip"
            continue
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def _wordpiece_shortest_first(word, vocab):
    return _cut(word, vocab, longest=False)


def _wordpiece_asks_without_marks(word, vocab):
    return _cut(word, vocab, asked="")


def _wordpiece_from_the_right(word, vocab):
    pieces, end = [], len(word)
    while end > 0:
        start = next((s for s in range(end) if ("##" if s else "") + word[s:end] in vocab), None)
        if start is None:
            return ["[UNK]"]
        pieces.insert(0, ("##" if start else "") + word[start:end])
        end = start
    return pieces if len(word) <= 100 else ["[UNK]"]


WORDPIECE_MISTAKES = (
    (
        _wordpiece_asks_without_marks,
        "you write ## in front of a later piece but look it up without, and '##er' and 'er' are two different entries of the vocabulary",
    ),
    (
        _wordpiece_shortest_first,
        "you take the shortest piece that fits, the longest one comes first",
    ),
    (
        _wordpiece_from_the_right,
        "you cut from the end of the word, or for the fewest pieces; the original starts at the beginning and takes the longest",
    ),
)


KNOWN = WORDPIECE_MISTAKES
