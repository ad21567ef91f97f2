"""Wrong answers to `merge_step` that its check recognises, each with the feedback for it."""

from collections import Counter


def _step(words, weight=True, token=None, lowest=False, single=False, ties=True, once=False):
    """One merge with options, each of which plants a mistake."""
    pairs, pieces_seen = Counter(), Counter()
    for pieces, count in words.items():
        for piece in pieces:
            pieces_seen[piece] += count
        for pair in zip(pieces, pieces[1:]):
            pairs[pair] += count if weight else 1
    order = list(pairs)
    if not ties:
        order.reverse()
    score = {pair: n / (pieces_seen[pair[0]] * pieces_seen[pair[1]]) for pair, n in pairs.items()}
    pick = min if lowest else max
    best = pick(order, key=score.get if single else pairs.get)
    made = token(best) if token else best[0] + best[1].removeprefix("##")
    merged = {}
    for pieces, count in words.items():
        new, done = [], False
        for piece in pieces:
            if (*new[-1:], piece) == best and not (once and done):
                new[-1], done = made, True
            else:
                new.append(piece)
        merged[tuple(new)] = count
    return made, merged


def _merge_step_each_word_once(words):
    return _step(words, weight=False)


def _merge_step_keeps_marks(words):
    return _step(words, token="".join)


def _merge_step_drops_all_marks(words):
    return _step(words, token=lambda pair: "".join(pair).replace("##", ""))


def _merge_step_drops_every_hash(words):
    return _step(words, token=lambda pair: pair[0] + pair[1].lstrip("#"))


def _merge_step_rarest(words):
    return _step(words, lowest=True)


def _merge_step_by_ratio(words):
    return _step(words, single=True)


def _merge_step_first_place_only(words):
    return _step(words, once=True)


def _merge_step_last_of_equals(words):
    return _step(words, ties=False)


def _tied(words, pick):
    """A step that takes, of the pairs with the highest count, the one that `pick` chooses by its letters."""
    pairs = Counter()
    for pieces, count in words.items():
        for pair in zip(pieces, pieces[1:]):
            pairs[pair] += count
    best = pick(pair for pair, n in pairs.items() if n == max(pairs.values()))
    return _merged(words, best, lambda fits: 1 + fits)


def _merge_step_last_of_the_alphabet(words):
    return _tied(words, max)


def _merge_step_first_of_the_alphabet(words):
    return _tied(words, min)


def _merge_step_set_of_pairs(words):
    pairs = Counter()
    for pieces, count in words.items():
        for pair in dict.fromkeys(zip(pieces, pieces[1:])):
            pairs[pair] += count
    return _merged(words, max(pairs, key=pairs.get), lambda fits: 1 + fits)


def _merge_step_as_text(words):
    best = _most_frequent(words)
    token = best[0] + best[1].removeprefix("##")
    return token, {
        tuple(" ".join(pieces).replace(" ".join(best), token).split()): count
        for pieces, count in words.items()
    }


def _merge_step_changes_nothing(words):
    return _step(words)[0], dict(words)


def _merge_step_last_count(words):
    """Overwrites the count of a pair by that of the last word that holds it."""
    pairs = {}
    for pieces, count in words.items():
        for pair in zip(pieces, pieces[1:]):
            pairs[pair] = count
    best = max(pairs, key=pairs.get)
    return _merged(words, best, lambda fits: 1 + fits)


def _merge_step_always_two(words):
    return _merged(words, _most_frequent(words), lambda fits: 2)


def _merged(words, best, stride):
    """The token and the words after merging `best`; `stride(fits)` says how far the loop goes on."""
    token, merged = best[0] + best[1].removeprefix("##"), {}
    for pieces, count in words.items():
        new, i = [], 0
        while i < len(pieces):
            fits = pieces[i : i + 2] == best
            new.append(token if fits else pieces[i])
            i += stride(fits)
        merged[tuple(new)] = count
    return token, merged


def _most_frequent(words):
    pairs = Counter()
    for pieces, count in words.items():
        for pair in zip(pieces, pieces[1:]):
            pairs[pair] += count
    return max(pairs, key=pairs.get)


def _merge_half(words, half):
    """Merges wherever one piece of the pair fits, whatever the other one is."""
    token, _ = _step(words)
    best, merged = _most_frequent(words), {}
    for pieces, count in words.items():
        new = []
        for piece in pieces:
            fits = bool(new) and (new[-1] == best[0] if half == 0 else piece == best[1])
            new[-1:] = [token] if fits else [*new[-1:], piece]
        merged[tuple(new)] = merged.get(tuple(new), 0) + count
    return token, merged


def _merge_step_first_piece_only(words):
    return _merge_half(words, 0)


def _merge_step_second_piece_only(words):
    return _merge_half(words, 1)


KNOWN = (
    (
        _merge_step_set_of_pairs,
        "you count a pair once in each word that holds it, but a word can hold a pair several times; a set or the keys of a dict lose this",
    ),
    (
        _merge_step_last_of_the_alphabet,
        "of several pairs with the same count you take the last one of the alphabet, as `max` does with tuples (count, pair); the first one counted is asked for",
    ),
    (
        _merge_step_first_of_the_alphabet,
        "of several pairs with the same count you take the first one of the alphabet; the first one counted is asked for",
    ),
    (
        _merge_step_as_text,
        "you replace text, and the text 'b ##c' also ends '##b ##c', where the first piece is '##b'; compare whole pieces",
    ),
    (
        _merge_step_last_count,
        "the count of a pair is overwritten by each new word that holds it; add to the count that is already there",
    ),
    (
        _merge_step_always_two,
        "the loop moves on by two pieces after every step, so it loses pieces; where the pair does not fit, it moves on by one",
    ),
    (
        _merge_step_first_piece_only,
        "you look at the first piece of the pair only, so a pair with another second piece is merged, too",
    ),
    (
        _merge_step_second_piece_only,
        "you look at the second piece of the pair only, so a pair with another first piece is merged, too",
    ),
    (
        _merge_step_each_word_once,
        "you count a pair once for each word, but a pair occurs as often as the words that hold it",
    ),
    (
        _merge_step_drops_every_hash,
        "you drop every # of the second piece, but a # that follows the leading ## belongs to the word; `lstrip`, `strip` and `replace` take it away as well, `removeprefix` does not",
    ),
    (_merge_step_keeps_marks, "the second piece keeps its ## inside the new token"),
    (
        _merge_step_drops_all_marks,
        "the first piece has lost its ##, so a piece from inside a word looks like the beginning of one",
    ),
    (_merge_step_rarest, "you merge the rarest pair, and the most frequent one is asked for"),
    (
        _merge_step_by_ratio,
        "you divide the count of the pair by the counts of its parts; here the count alone decides",
    ),
    (
        _merge_step_first_place_only,
        "you merge the pair only once in a word, but a word can hold it several times",
    ),
    (
        _merge_step_last_of_equals,
        "of several pairs with the same count you take a later one; `max(pairs, key=pairs.get)` takes the one that was counted first",
    ),
    (
        _merge_step_changes_nothing,
        "the token is right, but no word has changed. Does your comparison ever hold? A list never equals a tuple",
    ),
)
