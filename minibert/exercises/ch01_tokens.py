"""Chapter 01, text to tokens."""

import math
from collections import Counter

import torch
from torch import Tensor

from minibert.exercises.base import Exercise, Mistake, expect_tensor

CHAPTER = "01_tokens"


# ---------------------------------------------------------------- which pair is joined next?

def next_merge(words):
    """The pair of neighbours whose count is largest beside the counts of its two parts."""
    single, together = Counter(), Counter()
    for pieces, count in words.items():
        for piece in pieces:
            single[piece] += count
        for pair in zip(pieces, pieces[1:]):
            together[pair] += count
    scores = {(a, b): n / (single[a] * single[b]) for (a, b), n in together.items()}  # blank: a score for every pair
    return max(scores, key=scores.get)  # blank: the pair with the best score


def _counts(words):
    single, together = Counter(), Counter()
    for pieces, count in words.items():
        single.update({piece: count * pieces.count(piece) for piece in set(pieces)})
        for pair in zip(pieces, pieces[1:]):
            together[pair] += count
    return single, together


def _next_merge_by_fractions(words):
    single, together = _counts(words)
    best = None
    for pair, count in together.items():
        share = count / single[pair[0]] / single[pair[1]]
        if best is None or share > best[0]:
            best = share, pair
    return best[1]


def _next_merge_sorted(words):
    single, together = _counts(words)
    return sorted(together, key=lambda pair: single[pair[0]] * single[pair[1]] / together[pair])[0]


def _next_merge_most_frequent(words):
    return _counts(words)[1].most_common(1)[0][0]


def _next_merge_lowest(words):
    single, together = _counts(words)
    return min(together, key=lambda pair: together[pair] / (single[pair[0]] * single[pair[1]]))


def _next_merge_every_word_once(words):
    return next_merge(dict.fromkeys(words, 1))


def _next_merge_sum_below(words):
    single, together = _counts(words)
    return max(together, key=lambda pair: together[pair] / (single[pair[0]] + single[pair[1]]))


def _next_merge_left_part_only(words):
    single, together = _counts(words)
    return max(together, key=lambda pair: together[pair] / single[pair[0]])


def _next_merge_squared(words):
    single, together = _counts(words)
    return max(together, key=lambda pair: together[pair] ** 2 / (single[pair[0]] * single[pair[1]]))


def _next_merge_joined(words):
    left, right = next_merge(words)
    return left + right.removeprefix("##")


def _next_merge_any_two(words):
    return tuple(piece for piece, _ in _counts(words)[0].most_common(2))


def _next_merge_whole_gain(words):
    single, together = _counts(words)
    total = single.total()

    def gain(pair):
        a, b = pair
        n = together[pair]
        after = _n_log_n(n) - _n_log_n(total - n) + (
            _n_log_n(single[a] - 2 * n) if a == b else _n_log_n(single[a] - n) + _n_log_n(single[b] - n))
        return after - sum(_n_log_n(single[piece]) for piece in {a, b})
    return max(together, key=gain)


def _n_log_n(n):
    return n * math.log(n) if n > 0 else 0.0


def _next_merge_difference(words):
    single, together = _counts(words)
    return max(together, key=lambda pair: together[pair] - single[pair[0]] * single[pair[1]])


# Chosen so that every rule above picks another pair.
MERGE_WORDS = {("b", "##o", "##a", "##t"): 8, ("w", "##a", "##t", "##e", "##r"): 13, ("r", "##a", "##t", "##e", "##s"): 2,
               ("l", "##o", "##w"): 2, ("s", "##t", "##o", "##n", "##e"): 15, ("b", "##y"): 9,
               ("g", "##r", "##e", "##e", "##n"): 1, ("s", "##t", "##e", "##e", "##p"): 10}


def check_next_merge(answer):
    found = answer(dict(MERGE_WORDS))
    if isinstance(found, str):
        raise Mistake(f"you return the joined piece {found!r}; the pair of its two parts is wanted, as a tuple.")
    if not isinstance(found, tuple) or len(found) != 2:
        raise Mistake(f"you return {found!r}; a tuple of two pieces is wanted, such as ('b', '##a').")
    single, together = _counts(MERGE_WORDS)
    right = next_merge(MERGE_WORDS)
    if found == right:
        other = {("x", "##y"): 1, ("x", "##z"): 7, ("w", "##z"): 7}
        if answer(other) != ("x", "##y"):
            raise Mistake(f"for {other} you give {answer(other)}: a pair that is rare but always together scores highest.")
        frequent = {("x", "##y"): 10, ("v", "##z"): 1, ("w", "##z"): 11}
        if answer(frequent) != ("x", "##y"):
            raise Mistake(f"for {frequent} you give {answer(frequent)}: the score is a quotient, 10 / (10 · 10) against 1 / (1 · 12), no difference.")
        return
    if found not in together:
        raise Mistake(f"{found[0]!r} and {found[1]!r} never stand side by side in a word; only neighbours can be joined.")
    a, b = found
    numbers = (f"{a!r} and {b!r}: {together[found]} times together, {single[a]} and {single[b]} times in all, a score of "
               f"{together[found] / (single[a] * single[b]):.3f}; {right[0]!r} and {right[1]!r} score "
               f"{together[right] / (single[right[0]] * single[right[1]]):.3f}.")
    for rule, sentence in (
            (_next_merge_most_frequent, "you choose the most frequent pair, which is the rule of byte-pair encoding"),
            (_next_merge_lowest, "you choose the pair with the lowest score"),
            (_next_merge_every_word_once, "you count every word once, or leave out pairs that occur only once; the number beside a word says how often it occurs"),
            (_next_merge_sum_below, "you divide by the sum of the two counts; the score divides by their product"),
            (_next_merge_left_part_only, "you divide by the count of the left part only, or of one of the two; the score divides by both"),
            (_next_merge_squared, "you square the count of the pair, or take a root of the product below; the score has both as they are"),
            (_next_merge_whole_gain, "you choose by the gain of the whole likelihood, which also counts how often the pair occurs")):
        if found == rule(MERGE_WORDS):
            raise Mistake(f"{sentence}. {numbers}")
    raise Mistake(f"this is not the pair with the highest score. {numbers}")


# ---------------------------------------------------------------- longest match first

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
        else:                               # no piece fits here
            return ["[UNK]"]  # blank: what becomes of the whole word?
        pieces.append(piece)
        start = end  # blank: where does the next piece begin?
    return pieces


def _wordpiece_recursive(word, vocab, prefix=""):
    if len(word) > 100:
        return ["[UNK]"]
    for cut in range(len(word), 0, -1):
        if prefix + word[:cut] in vocab:
            rest = _wordpiece_recursive(word[cut:], vocab, "##") if word[cut:] else []
            return ["[UNK]"] if rest == ["[UNK]"] else [prefix + word[:cut], *rest]
    return ["[UNK]"]


def _wordpiece_shrinking(word, vocab):
    pieces, rest = [], word
    while rest and len(word) <= 100:
        piece = ("##" if pieces else "") + rest
        while piece not in vocab and piece not in ("", "#", "##"):
            piece = piece[:-1]
        if piece not in vocab:
            return ["[UNK]"]
        rest = rest[len(piece) - 2 * bool(pieces):]
        pieces.append(piece)
    return pieces if len(word) <= 100 else ["[UNK]"]


def _cut(word, vocab, prefix="##", first="", longest=True, unknown="word", limit=100):
    """Longest match first with one thing changed, for the planted wrong answers."""
    if len(word) > limit:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        ends = range(len(word), start, -1) if longest else range(start + 1, len(word) + 1)
        mark = prefix if start else first
        end = next((end for end in ends if mark + word[start:end] in vocab), None)
        if end is None:
            if unknown == "word":
                return ["[UNK]"]
            if unknown == "nothing":
                return []
            if unknown == "rest":
                return [*pieces, "[UNK]"]
            start += 1                      # "skip"
            continue
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def _wordpiece_without_marks(word, vocab):
    return _cut(word, vocab, prefix="")


def _wordpiece_marks_everywhere(word, vocab):
    return _cut(word, vocab, first="##")


def _wordpiece_shortest_first(word, vocab):
    return _cut(word, vocab, longest=False)


def _wordpiece_keeps_the_known_part(word, vocab):
    return _cut(word, vocab, unknown="rest")


def _wordpiece_skips_characters(word, vocab):
    return _cut(word, vocab, unknown="skip")


def _wordpiece_gives_nothing(word, vocab):
    return _cut(word, vocab, unknown="nothing")


def _wordpiece_without_limit(word, vocab):
    return _cut(word, vocab, limit=10**6)


def _wordpiece_limit_too_low(word, vocab):
    return _cut(word, vocab, limit=99)


def _wordpiece_from_the_right(word, vocab):
    pieces, end = [], len(word)
    while end > 0:
        start = next((s for s in range(end) if ("##" if s else "") + word[s:end] in vocab), None)
        if start is None:
            return ["[UNK]"]
        pieces.insert(0, ("##" if start else "") + word[start:end])
        end = start
    return pieces if len(word) <= 100 else ["[UNK]"]


def _wordpiece_goes_back(word, vocab, start=0):
    if len(word) > 100:
        return ["[UNK]"]
    for end in range(len(word), start, -1):
        piece = "##" * (start > 0) + word[start:end]
        rest = _wordpiece_goes_back(word, vocab, end) if piece in vocab and end < len(word) else []
        if piece in vocab and rest != ["[UNK]"]:
            return [piece, *rest]
    return ["[UNK]"]


def _wordpiece_never_one_letter(word, vocab):
    pieces, start = [], 0
    while start < len(word) <= 100:
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start + 1, -1) if mark + word[start:end] in vocab), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def _wordpiece_loses_a_letter(word, vocab):
    pieces, start = [], 0
    while start < len(word) <= 100:
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocab), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end + 1
    return pieces


def _wordpiece_numbers(word, vocab):
    return [vocab[piece] for piece in _cut(word, vocab)]


def _wordpiece_first_piece_only(word, vocab):
    return _cut(word, vocab)[:1]


def _wordpiece_stands_still(word, vocab):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocab), start)
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def _wordpiece_string(word, vocab):
    return " ".join(_cut(word, vocab))


class _Vocabulary(dict):
    """A vocabulary that loses patience, so that an endless loop ends with a sentence."""

    asked, word = 0, ""

    def __contains__(self, piece):
        self.asked += 1
        if self.asked > 20_000:
            raise Mistake(f"you have asked the vocabulary 20,000 times about the one word {self.word!r}: "
                          "the place where the next piece begins must move on after every piece, and a word without a piece must end the loop.")
        return super().__contains__(piece)


WORDPIECE_VOCAB = ["[UNK]", "river", "riverb", "##bank", "##ank", "##a", "##n", "##k", "##s", "bank", "b", "a", "r", "##er", "##e", "##r",
                   "the", "up", "ups", "##standing", "##st", "##tan", "##d", "##ding", "##b", "s", "ank", "##the", "##river", "##up"]
WORDPIECE_CASES = {
    "bank": ["bank"], "riverbanks": ["riverb", "##ank", "##s"], "banker": ["bank", "##er"], "upstanding": ["ups", "##tan", "##ding"],
    "riverxbank": ["[UNK]"], "xbank": ["[UNK]"], "bankx": ["[UNK]"], "upst": ["[UNK]"], "a" * 100: ["a"] + ["##a"] * 99, "a" * 101: ["[UNK]"]}


def check_wordpiece(answer):
    def run(word):
        vocab = _Vocabulary((token, number) for number, token in enumerate(WORDPIECE_VOCAB))
        vocab.word = word if len(word) < 30 else word[:5] + "…"
        return answer(word, vocab)

    for word, right in WORDPIECE_CASES.items():
        found = run(word)
        shown = f"{word!r}" if len(word) < 30 else f"a word of {len(word)} characters"
        if not isinstance(found, list):
            raise Mistake(f"for {shown} you return a {type(found).__name__}; a list of pieces is wanted, such as {right[:3]}.")
        if not all(isinstance(piece, str) for piece in found):
            raise Mistake(f"for {shown} you return {found[:3]}; the pieces themselves are wanted, not their numbers.")
        if found == right:
            continue
        yours = f"for {shown} you give {found if len(found) < 9 else str(found[:3])[:-1] + ', …]'}"
        if len(word) == 101:
            raise Mistake(f"{yours}; a word of more than 100 characters becomes ['[UNK]'].")
        if len(word) == 100:
            raise Mistake(f"{yours}, {len(found)} piece(s); exactly 100 characters are still allowed, and make {len(right)} pieces.")
        if found == ["up", "##st"]:
            raise Mistake(f"{yours}: you go back to a shorter first piece; 'ups' is the longest, nothing fits behind it, and so the word is ['[UNK]'].")
        if right == ["[UNK]"] and not found:
            raise Mistake(f"{yours}; a word that cannot be cut still leaves one token in the text: ['[UNK]'].")
        if right == ["[UNK]"] and found[-1] != "[UNK]":
            raise Mistake(f"{yours}; you leave out the 'x' in silence, but a word with an unknown character becomes ['[UNK]'].")
        if right == ["[UNK]"]:
            raise Mistake(f"{yours}; no piece of the vocabulary has an 'x', so the whole word becomes ['[UNK]'], one token.")
        if found == ["[UNK]"]:
            raise Mistake(f"{yours}, but it can be cut: {right}; the ends to try go from {len(word)}, the whole rest, down to start + 1, both included.")
        if found and found[0].startswith("##"):
            raise Mistake(f"{yours}; the first piece of a word carries no ##.")
        if found == right[:len(found)]:
            raise Mistake(f"{yours}; the rest of the word is missing: {right[len(found):]}.")
        if found == _cut(word, WORDPIECE_VOCAB, prefix="") or any(not piece.startswith("##") for piece in found[1:]):
            raise Mistake(f"{yours}; a piece that does not begin the word must be looked up with ## before it.")
        if (spelt := "".join(piece.removeprefix("##") for piece in found)) != word:
            raise Mistake(f"{yours}, which spells {spelt!r}: the next piece begins just where the last one ended.")
        if found == _cut(word, WORDPIECE_VOCAB, longest=False):
            raise Mistake(f"{yours}; you take the shortest piece that fits, the longest one comes first: {right}.")
        if found == _wordpiece_from_the_right(word, WORDPIECE_VOCAB):
            raise Mistake(f"{yours}; you cut from the end of the word, or for the fewest pieces; the original starts at the beginning and takes the longest: {right}.")
        raise Mistake(f"{yours}; right is {right}.")


# ---------------------------------------------------------------- greedy is not the best

TRAP_VOCAB = ["sea", "seas", "##side", "##shore", "##bed", "##weed", "##s", "##i", "##d", "##e", "##b", "##w", "under", "##sea"]


def greedy_trap():
    """A word that longest match first cuts badly, and a better cut of it."""
    word = "seaside"  # blank: a word that the vocabulary above can spell
    better = ["sea", "##side"]  # blank: its pieces, fewer than longest match first needs
    return word, better


def _greedy_trap_dead_end():
    return "seashore", ["sea", "##shore"]


def _greedy_trap_plural():
    return "seasides", ["sea", "##side", "##s"]


def _greedy_trap_no_trap():
    return "seabed", ["sea", "##bed"]


def _greedy_trap_worse():
    return "seabed", ["sea", "##b", "##e", "##d"]


def _greedy_trap_without_marks():
    return "seaside", ["sea", "side"]


def _greedy_trap_other_word():
    return "seaside", ["sea", "##shore"]


def _greedy_trap_unknown_piece():
    return "seafront", ["sea", "##front"]


def _greedy_trap_greedy_itself():
    return "seaside", ["seas", "##i", "##d", "##e"]


def _greedy_trap_word_only():
    return "seaside"


def _greedy_trap_starts_inside():
    return "seaside", ["##sea", "##side"]


def check_greedy_trap(answer):
    found = answer()
    if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], str) and isinstance(found[1], list)
            and all(isinstance(piece, str) for piece in found[1])):
        raise Mistake(f"you return {found!r}; a word and the list of its pieces are wanted.")
    word, better = found
    for place, piece in enumerate(better):
        if place and not piece.startswith("##"):
            raise Mistake(f"your piece number {place + 1}, {piece!r}, stands inside the word {word!r}, so it needs ## before it: '##{piece}'.")
        if not place and piece.startswith("##"):
            raise Mistake(f"your first piece {piece!r} has ##, which means that it cannot begin a word.")
        if piece not in TRAP_VOCAB:
            raise Mistake(f"your piece {piece!r} is not in the vocabulary of this exercise.")
    spelt = "".join(piece.removeprefix("##") for piece in better)
    if spelt != word:
        raise Mistake(f"your {len(better)} pieces spell {spelt!r} ({len(spelt)} letters), but your word is {word!r} ({len(word)}).")
    greedy = _cut(word, TRAP_VOCAB)
    if greedy == better:
        raise Mistake(f"{better}, {len(better)} pieces, is what longest match first itself gives for {word!r}; look for a cut with fewer.")
    if greedy != ["[UNK]"] and len(greedy) <= len(better):
        raise Mistake(f"longest match first cuts {word!r} into {greedy}, {len(greedy)} pieces; yours has {len(better)}, so it loses nothing here.")


def _greedy_trap_longer_is_no_gain():
    return "undersea", ["under", "##s", "##e", "##b"]


# ---------------------------------------------------------------- token types of a pair

def token_types(tokens):
    """0 up to and with the first [SEP], then 1, and 0 again on padding: one number for each token."""
    end = tokens.index("[PAD]") if "[PAD]" in tokens else len(tokens)
    first = tokens.index("[SEP]") + 1  # blank: how many tokens belong to the first text?
    second = end - first  # blank: and to the second? (none, if there is only one)
    padding = len(tokens) - end  # blank: how many are padding?
    return [0] * first + [1] * second + [0] * padding


def _token_types_walking(tokens):
    types, segment = [], 0
    for token in tokens:
        types.append(0 if token == "[PAD]" else segment)
        if token == "[SEP]":
            segment = 1
    return types


def _token_types_counting(tokens):
    return [int("[SEP]" in tokens[:place] and token != "[PAD]") for place, token in enumerate(tokens)]


def _token_types_middle(tokens):
    half = len(tokens) // 2
    return [0] * half + [1] * (len(tokens) - half)


def _token_types_sep_opens(tokens):
    first = tokens.index("[SEP]")
    return [0 if place < first or token == "[PAD]" else 1 for place, token in enumerate(tokens)]


def _token_types_padding_one(tokens):
    first = tokens.index("[SEP]") + 1
    return [0] * first + [1] * (len(tokens) - first)


def _token_types_turned_round(tokens):
    return [0 if token == "[PAD]" else 1 - kind for token, kind in zip(tokens, token_types(tokens))]


def _token_types_all_zero(tokens):
    return [0] * len(tokens)


def _token_types_from_one(tokens):
    return [kind + 1 for kind in token_types(tokens)]


def _token_types_without_padding(tokens):
    return token_types([token for token in tokens if token != "[PAD]"])


def _token_types_last_sep_zero(tokens):
    return [0 if token == "[SEP]" else kind for token, kind in zip(tokens, token_types(tokens))]


def _token_types_two_seps(tokens):
    first = tokens.index("[SEP]") + 1
    second = tokens.index("[SEP]", first) + 1 - first
    return [0] * first + [1] * second + [0] * (len(tokens) - first - second)


def _token_types_cls_one(tokens):
    return [1, *token_types(tokens)[1:]]


TYPE_CASES = ("[CLS] the bank [SEP] by the river at noon [SEP] [PAD] [PAD]", "[CLS] the bank by the river [SEP] rates [SEP]",
              "[CLS] the bank by the river [SEP]", "[CLS] the bank [SEP] [PAD] [PAD] [PAD]")


def check_token_types(answer):
    for text in TYPE_CASES:
        tokens = text.split()
        try:
            found = answer(list(tokens))
        except ValueError as error:
            raise Mistake(f"for “{text}” your function stops: {error}; a single text has only one [SEP].") from None
        right = token_types(tokens)
        found = found.tolist() if isinstance(found, Tensor) else found
        where = f"for “{text}”"
        if not isinstance(found, list):
            raise Mistake(f"you return a {type(found).__name__}; a list of numbers, one for each token, is wanted.")
        if len(found) != len(tokens):
            raise Mistake(f"{where} you give {len(found)} types for {len(tokens)} tokens; every token has one, padding too.")
        if found == right:
            continue
        first = tokens.index("[SEP]")
        if set(found) - {0, 1}:
            raise Mistake(f"{where} you give {found}; there are two types, 0 and 1, and you have {sorted(set(found))}.")
        if found == _token_types_middle(tokens):
            raise Mistake(f"{where} you change to 1 after {len(tokens) // 2} of {len(tokens)} tokens, in the middle; the first text ends "
                          f"with its [SEP], after {first + 1}.")
        if found == _token_types_padding_one(tokens):
            raise Mistake(f"{where} you give {found}: your padding has type 1, it should have type 0.")
        if not any(found):
            raise Mistake(f"{where} all your {len(found)} types are 0; the second text should have type 1.")
        if found == _token_types_turned_round(tokens):
            raise Mistake(f"{where} you give {found}: the first text has type 0 and the second type 1, not the other way round.")
        if found[first] == 1:
            raise Mistake(f"{where} you give {found}: the [SEP] at place {first} closes the first text, so it has type 0.")
        place = next(i for i, (a, b) in enumerate(zip(found, right)) if a != b)
        raise Mistake(f"{where} you give {found}: the token {tokens[place]} at place {place} should have type {right[place]}.")


# ---------------------------------------------------------------- a batch

def padded_batch(rows, pad_id):
    """Lists of ids to a batch: input_ids [B, S] and attention_mask [B, S], padding on the right."""
    length = max(len(row) for row in rows)  # blank: S, the number of columns
    filled = [row + [pad_id] * (length - len(row)) for row in rows]  # blank: every row, then padding
    mask = [[1] * len(row) + [0] * (length - len(row)) for row in rows]  # blank: 1 on tokens, 0 on padding
    return torch.tensor(filled), torch.tensor(mask)                     # [B, S], [B, S]


def _padded_batch_filled(rows, pad_id):
    input_ids = torch.full((len(rows), max(map(len, rows))), pad_id)
    attention_mask = torch.zeros_like(input_ids)
    for number, row in enumerate(rows):
        input_ids[number, :len(row)] = torch.tensor(row)
        attention_mask[number, :len(row)] = 1
    return input_ids, attention_mask


def _padded_batch_by_library(rows, pad_id):
    input_ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=pad_id)
    lengths = torch.tensor([len(row) for row in rows])
    return input_ids, torch.arange(input_ids.size(1)) < lengths[:, None]


def _padded_batch_left(rows, pad_id):
    input_ids, attention_mask = padded_batch([row[::-1] for row in rows], pad_id)
    return input_ids.flip(1), attention_mask.flip(1)


def _padded_batch_mask_turned_round(rows, pad_id):
    input_ids, attention_mask = padded_batch(rows, pad_id)
    return input_ids, 1 - attention_mask


def _padded_batch_zeros(rows, pad_id):
    return padded_batch(rows, 0)


def _padded_batch_shortest(rows, pad_id):
    return padded_batch([row[:min(map(len, rows))] for row in rows], pad_id)


def _padded_batch_all_ones(rows, pad_id):
    input_ids, _ = padded_batch(rows, pad_id)
    return input_ids, torch.ones_like(input_ids)


def _padded_batch_guessed_mask(rows, pad_id):
    input_ids, _ = padded_batch(rows, pad_id)
    return input_ids, (input_ids > 0).long()


def _padded_batch_floats(rows, pad_id):
    input_ids, attention_mask = padded_batch(rows, pad_id)
    return input_ids, attention_mask.float()


def _padded_batch_float_ids(rows, pad_id):
    input_ids, attention_mask = padded_batch(rows, pad_id)
    return input_ids.float(), attention_mask


def _padded_batch_in_place(rows, pad_id):
    input_ids, attention_mask = padded_batch(rows, pad_id)
    for row in rows:
        row += [pad_id] * (input_ids.size(1) - len(row))
    return input_ids, attention_mask


def _padded_batch_512(rows, pad_id):
    return padded_batch([*rows, [1] * 512], pad_id)[0][:-1], padded_batch([*rows, [1] * 512], pad_id)[1][:-1]


def _padded_batch_ids_only(rows, pad_id):
    return padded_batch(rows, pad_id)[0]


BATCH_ROWS, BATCH_PAD = [[2, 5, 6, 3], [2, 5, 6, 8, 5, 0, 3], [2, 3]], 9     # 0 is an ordinary token here


def check_padded_batch(answer):
    given = [list(row) for row in BATCH_ROWS]
    found = answer(given, BATCH_PAD)
    if not isinstance(found, tuple) or len(found) != 2:
        raise Mistake(f"you return a {type(found).__name__}; two tensors are wanted, input_ids and attention_mask.")
    input_ids, mask = found
    right_ids, right_mask = padded_batch(BATCH_ROWS, BATCH_PAD)
    lengths = [len(row) for row in BATCH_ROWS]
    for tensor, what in ((input_ids, "input_ids"), (mask, "attention_mask")):
        if isinstance(tensor, Tensor) and tensor.dim() == 2 and tensor.size(1) != max(lengths):
            raise Mistake(f"your {what} has {tensor.size(1)} columns; the rows have {lengths} tokens, so the longest needs {max(lengths)}.")
        expect_tensor(tensor, right_ids.shape, f"your {what}")
        if tensor.dtype.is_floating_point:
            raise Mistake(f"your {what} is {tensor.dtype}; whole numbers are wanted (the model refuses floating point).")
    if torch.equal(input_ids, _padded_batch_left(BATCH_ROWS, BATCH_PAD)[0]):
        raise Mistake(f"your last row is {input_ids[-1].tolist()}: the padding stands on the left, BERT's stands on the right.")
    if torch.equal(input_ids, _padded_batch_zeros(BATCH_ROWS, BATCH_PAD)[0]):
        raise Mistake(f"you pad with 0, but pad_id is {BATCH_PAD} here (and 0 is an ordinary token of this vocabulary).")
    if not torch.equal(input_ids, right_ids):
        raise Mistake(f"your input_ids are {input_ids.tolist()}; right is {right_ids.tolist()}.")
    if torch.equal(mask.long(), 1 - right_mask):
        raise Mistake(f"your mask for the last row is {mask[-1].long().tolist()}: it has 1 on padding; 1 means a real token.")
    if bool(mask.all()):
        raise Mistake(f"your mask is 1 everywhere, but {sum(max(lengths) - n for n in lengths)} of the {input_ids.numel()} places are padding.")
    if torch.equal(mask.long(), (input_ids > 0).long()):
        raise Mistake(f"your mask is 1 where the id is above 0; ids say nothing here: pad_id is {BATCH_PAD} and 0 is an ordinary token.")
    if not torch.equal(mask.long(), right_mask):
        raise Mistake(f"your attention_mask is {mask.long().tolist()}; right is {right_mask.tolist()}.")
    if given != BATCH_ROWS:
        raise Mistake(f"you changed the rows that you were given: the first one is {given[0]} afterwards; make new lists with row + […].")


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="build", minutes=8, title="Which pair is joined next?", paragraph="Three rules for choosing a pair",
        task="""
            The short rule looks at how often two neighbours stand together *beside how often each occurs at all*. `words` maps
            the pieces of every word, a tuple, to the number of times the word occurs. Return the pair of neighbours with the largest

            $$\\text{score}(a, b) = \\frac{\\text{count}(a\\,b)}{\\text{count}(a)\\;\\text{count}(b)}$$

            as a tuple such as `("b", "##a")`. The two counters are already filled for you.
        """,
        hints=("`together.items()` gives every pair with the number of times `n` that its parts stand side by side. Which two numbers of `single` does the formula need?",
               "A dict comprehension `{(a, b): … for (a, b), n in together.items()}` makes all scores; `max(scores, key=scores.get)` finds the best key."),
        solution=next_merge, check=check_next_merge, right=(_next_merge_by_fractions, _next_merge_sorted),
        wrong={_next_merge_most_frequent: "most frequent pair, which is the rule of byte-pair", _next_merge_lowest: "lowest score",
               _next_merge_every_word_once: "count every word once", _next_merge_sum_below: "sum of the two counts",
               _next_merge_left_part_only: "left part only", _next_merge_squared: "square the count of the pair",
               _next_merge_joined: "joined piece 'gr'", _next_merge_whole_gain: "gain of the whole likelihood",
               _next_merge_difference: "a quotient", _next_merge_any_two: "never stand side by side"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="Longest match first", paragraph="Longest match first",
        task="""
            Write the cutter that every BERT uses. `word` is one lower-case word, `vocab` anything that answers `piece in vocab`. Return the list
            of its pieces: from the left, always the longest piece that the vocabulary has; pieces after the first carry `##`. If at
            some place no piece fits, the *whole* word is `["[UNK]"]`. A word of more than 100 characters is `["[UNK]"]` at once.

            At the end of the chapter a real pretrained model will read with this function of yours.
        """,
        hints=("`start` is where the next piece begins. Its end can be anywhere from `len(word)` down to `start + 1`: which `range` counts down like that?",
               "`range(len(word), start, -1)`. The piece that was found ended at `end`; the next one begins where it ended."),
        solution=wordpiece, check=check_wordpiece, right=(_wordpiece_recursive, _wordpiece_shrinking),
        wrong={_wordpiece_without_marks: "must be looked up with ## before it", _wordpiece_marks_everywhere: "first piece of a word carries no ##",
               _wordpiece_shortest_first: "shortest piece that fits", _wordpiece_keeps_the_known_part: "whole word becomes",
               _wordpiece_skips_characters: "leave out the 'x' in silence", _wordpiece_gives_nothing: "leaves one token",
               _wordpiece_without_limit: "more than 100 characters", _wordpiece_limit_too_low: "exactly 100 characters are still allowed",
               _wordpiece_from_the_right: "cut from the end of the word", _wordpiece_first_piece_only: "rest of the word is missing",
               _wordpiece_stands_still: "20,000 times", _wordpiece_string: "you return a str",
               _wordpiece_goes_back: "go back to a shorter first piece", _wordpiece_never_one_letter: "it can be cut",
               _wordpiece_loses_a_letter: "begins just where", _wordpiece_numbers: "not their numbers"}),
    Exercise(
        chapter=CHAPTER, size="think", minutes=6, title="A trap for the greedy", paragraph="Greedy is not always best",
        task=f"""
            Longest match first never looks back. Here is a vocabulary in which that hurts:

            `{' '.join(TRAP_VOCAB)}`

            Find a word that this vocabulary can spell, and a cut of it that needs **fewer** pieces than longest match first (or any cut at all, where
            longest match first ends in `[UNK]`). There is more than one.
        """,
        hints=("The trap needs two tokens of which one is the beginning of the other. Which two are they?",
               "`seas` is longer than `sea`, so it is always taken first. What follows `sea` in a word that then has no good continuation?"),
        solution=greedy_trap, check=check_greedy_trap, right=(_greedy_trap_dead_end, _greedy_trap_plural),
        wrong={_greedy_trap_no_trap: "itself gives for 'seabed'", _greedy_trap_worse: "loses nothing here",
               _greedy_trap_without_marks: "needs ## before it: '##side'", _greedy_trap_other_word: "pieces spell 'seashore'",
               _greedy_trap_unknown_piece: "'##front' is not in the vocabulary", _greedy_trap_greedy_itself: "itself gives for 'seaside'",
               _greedy_trap_word_only: "a word and the list of its pieces", _greedy_trap_starts_inside: "cannot begin a word",
               _greedy_trap_longer_is_no_gain: "pieces spell 'underseb'"}),
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="Which text does a token belong to?", paragraph="Token types: which text is this?",
        task="""
            Given the tokens of `[CLS] first text [SEP]` or of `[CLS] first text [SEP] second text [SEP]`, perhaps with `[PAD]` at the end,
            return the token type ids, a list with one number for each token: 0 up to *and with* the first `[SEP]`, 1 for the second
            text and its `[SEP]`, and 0 on padding.
        """,
        hints=("`tokens.index(\"[SEP]\")` is the place of the first `[SEP]`, counted from 0. How many tokens stand up to it, itself included?",
               "The second text, its `[SEP]` included, is all that lies between the end of the first one and the padding: `end - first`."),
        solution=token_types, check=check_token_types, right=(_token_types_walking, _token_types_counting),
        wrong={_token_types_middle: "after 6 of 12 tokens, in the middle", _token_types_sep_opens: "closes the first text",
               _token_types_padding_one: "your padding has type 1", _token_types_turned_round: "not the other way round",
               _token_types_all_zero: "all your 12 types are 0", _token_types_from_one: r"you have \[1, 2\]",
               _token_types_without_padding: "10 types for 12 tokens", _token_types_two_seps: "has only one",
               _token_types_cls_one: r"token \[CLS\] at place 0", _token_types_last_sep_zero: r"token \[SEP\] at place 9 should have type 1"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=8, title="A batch and its mask", paragraph="Padding, and the mask that hides it",
        task="""
            `rows` is a list of lists of ids, of different lengths. Make the two tensors that a model takes: `input_ids` [B, S], every row filled up
            with `pad_id` on the right until it is as long as the longest one, and `attention_mask` [B, S], 1 on real tokens and 0 on padding.
        """,
        hints=("A row of 4 tokens in a batch whose longest row has 7 needs 3 times `pad_id`. In Python `[pad_id] * 3` is a list of three.",
               "`row + [pad_id] * (length - len(row))` is one row of ids; the row of the mask is `[1] * len(row)` and then as many zeros."),
        solution=padded_batch, check=check_padded_batch, right=(_padded_batch_filled, _padded_batch_by_library),
        wrong={_padded_batch_left: "padding stands on the left", _padded_batch_mask_turned_round: "it has 1 on padding",
               _padded_batch_zeros: "you pad with 0, but pad_id is 9", _padded_batch_shortest: "has 2 columns",
               _padded_batch_all_ones: "1 everywhere, but 8 of the 21", _padded_batch_guessed_mask: "where the id is above 0",
               _padded_batch_floats: "attention_mask is torch.float32", _padded_batch_float_ids: "input_ids is torch.float32",
               _padded_batch_in_place: "changed the rows", _padded_batch_512: "has 512 columns", _padded_batch_ids_only: "you return a Tensor"}),
]
