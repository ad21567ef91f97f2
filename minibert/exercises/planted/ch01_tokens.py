"""Answers on which the exercises of chapter 1 are tried: right ones, and wrong ones with what the check must say."""

import math

import torch

from minibert.exercises.ch01_tokens import counts, next_merge, padded_batch, token_types
from minibert.exercises.planted import Answers


# ---------------------------------------------------------------- which pair is joined next?

def _next_merge_by_fractions(words):
    single, together = counts(words)
    best = None
    for pair, count in together.items():
        share = count / single[pair[0]] / single[pair[1]]
        if best is None or share > best[0]:
            best = share, pair
    return best[1]


def _next_merge_sorted(words):
    single, together = counts(words)
    return sorted(together, key=lambda pair: single[pair[0]] * single[pair[1]] / together[pair])[0]


def _next_merge_most_frequent(words):
    return counts(words)[1].most_common(1)[0][0]


def _next_merge_lowest(words):
    single, together = counts(words)
    return min(together, key=lambda pair: together[pair] / (single[pair[0]] * single[pair[1]]))


def _next_merge_every_word_once(words):
    return next_merge(dict.fromkeys(words, 1))


def _next_merge_sum_below(words):
    single, together = counts(words)
    return max(together, key=lambda pair: together[pair] / (single[pair[0]] + single[pair[1]]))


def _next_merge_left_part_only(words):
    single, together = counts(words)
    return max(together, key=lambda pair: together[pair] / single[pair[0]])


def _next_merge_squared(words):
    single, together = counts(words)
    return max(together, key=lambda pair: together[pair] ** 2 / (single[pair[0]] * single[pair[1]]))


def _next_merge_joined(words):
    left, right = next_merge(words)
    return left + right.removeprefix("##")


def _next_merge_any_two(words):
    return tuple(piece for piece, _ in counts(words)[0].most_common(2))


def _next_merge_whole_gain(words):
    single, together = counts(words)
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
    single, together = counts(words)
    return max(together, key=lambda pair: together[pair] - single[pair[0]] * single[pair[1]])


MERGE_MISTAKES = (
    (_next_merge_most_frequent, "you choose the most frequent pair, which is the rule of byte-pair encoding"),
    (_next_merge_lowest, "you choose the pair with the lowest score"),
    (_next_merge_every_word_once, "you count every word once, or leave out pairs that occur only once; the number beside a word says how often it occurs"),
    (_next_merge_sum_below, "you divide by the sum of the two counts; the score divides by their product"),
    (_next_merge_left_part_only, "you divide by the count of the left part only, or of one of the two; the score divides by both"),
    (_next_merge_squared, "you square the count of the pair, or take a root of the product below; the score has both as they are"),
    (_next_merge_whole_gain, "you choose by the gain of the whole likelihood, which also counts how often the pair occurs"),
)


# ---------------------------------------------------------------- longest match first

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


WORDPIECE_MISTAKES = (
    (_wordpiece_shortest_first, "you take the shortest piece that fits, the longest one comes first"),
    (_wordpiece_from_the_right, "you cut from the end of the word, or for the fewest pieces; the original starts at the beginning and takes the longest"),
)


# ---------------------------------------------------------------- greedy is not the best

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


def _greedy_trap_longer_is_no_gain():
    return "undersea", ["under", "##s", "##e", "##b"]


# ---------------------------------------------------------------- token types of a pair

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


# ---------------------------------------------------------------- a batch

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


def _padded_batch_mask_of_ids(rows, pad_id):
    input_ids, _ = padded_batch(rows, pad_id)
    return input_ids, (input_ids != pad_id).long()


def _padded_batch_ids_only(rows, pad_id):
    return padded_batch(rows, pad_id)[0]


ANSWERS = {
    "next_merge": Answers(
        right=(_next_merge_by_fractions, _next_merge_sorted),
        wrong={_next_merge_most_frequent: "most frequent pair, which is the rule of byte-pair", _next_merge_lowest: "lowest score",
               _next_merge_every_word_once: "count every word once", _next_merge_sum_below: "sum of the two counts",
               _next_merge_left_part_only: "left part only", _next_merge_squared: "square the count of the pair",
               _next_merge_joined: "joined piece 'gr'", _next_merge_whole_gain: "gain of the whole likelihood",
               _next_merge_difference: "a quotient", _next_merge_any_two: "never stand side by side"},
        known=MERGE_MISTAKES),
    "wordpiece": Answers(
        right=(_wordpiece_recursive, _wordpiece_shrinking),
        wrong={_wordpiece_without_marks: "must be looked up with ## before it", _wordpiece_marks_everywhere: "first piece of a word carries no ##",
               _wordpiece_shortest_first: "shortest piece that fits", _wordpiece_keeps_the_known_part: "whole word becomes",
               _wordpiece_skips_characters: "leave out the 'x' in silence", _wordpiece_gives_nothing: "leaves one token",
               _wordpiece_without_limit: "more than 100 characters", _wordpiece_limit_too_low: "exactly 100 characters are still allowed",
               _wordpiece_from_the_right: "cut from the end of the word", _wordpiece_first_piece_only: "rest of the word is missing",
               _wordpiece_stands_still: "20,000 times", _wordpiece_string: "you return a str",
               _wordpiece_goes_back: "go back to a shorter first piece", _wordpiece_never_one_letter: "it can be cut",
               _wordpiece_loses_a_letter: "begins just where", _wordpiece_numbers: "not their numbers"},
        known=WORDPIECE_MISTAKES),
    "greedy_trap": Answers(
        right=(_greedy_trap_dead_end, _greedy_trap_plural),
        wrong={_greedy_trap_no_trap: "itself gives for 'seabed'", _greedy_trap_worse: "loses nothing here",
               _greedy_trap_without_marks: "needs ## before it: '##side'", _greedy_trap_other_word: "pieces spell 'seashore'",
               _greedy_trap_unknown_piece: "'##front' is not in the vocabulary", _greedy_trap_greedy_itself: "itself gives for 'seaside'",
               _greedy_trap_word_only: "a word and the list of its pieces", _greedy_trap_starts_inside: "cannot begin a word",
               _greedy_trap_longer_is_no_gain: "pieces spell 'underseb'"}),
    "token_types": Answers(
        right=(_token_types_walking, _token_types_counting),
        wrong={_token_types_middle: "after 6 of 12 tokens, in the middle", _token_types_sep_opens: "closes the first text",
               _token_types_padding_one: "your padding has type 1", _token_types_turned_round: "not the other way round",
               _token_types_all_zero: "all your 12 types are 0", _token_types_from_one: r"you have \[1, 2\]",
               _token_types_without_padding: "10 types for 12 tokens", _token_types_two_seps: "has only one",
               _token_types_cls_one: r"token \[CLS\] at place 0", _token_types_last_sep_zero: r"token \[SEP\] at place 9 should have type 1"}),
    "padded_batch": Answers(
        right=(_padded_batch_filled, _padded_batch_by_library),
        wrong={_padded_batch_left: "padding stands on the left", _padded_batch_mask_turned_round: "it has 1 on padding",
               _padded_batch_zeros: "you pad with 0, but pad_id is 9", _padded_batch_shortest: "has 2 columns",
               _padded_batch_all_ones: "1 everywhere, but 8 of the 21", _padded_batch_guessed_mask: "where the id is above 0",
               _padded_batch_floats: "attention_mask is torch.float32", _padded_batch_float_ids: "input_ids is torch.float32",
               _padded_batch_in_place: "changes `rows`.*it had 4 entries and has 7", _padded_batch_512: "has 512 columns", _padded_batch_ids_only: "you return a Tensor", _padded_batch_mask_of_ids: r"\[\[4, 9, 1\], \[7\]\], 9 you have 0"}),
}
