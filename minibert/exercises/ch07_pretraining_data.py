"""Exercises of chapter 7: how many words to mask, whole words, masking as tensors, shortening a pair, trusting a word."""

import math
import random

import torch

from minibert.exercises.base import Exercise, Mistake

CHAPTER = "07_pretraining_data"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


# 7.1 how many -------------------------------------------------------------------------------------------------------

def how_many(length, rate, most):
    """How many of `length` tokens ([CLS] and [SEP] counted) are predicted: the share `rate`, at least 1, at most `most`."""
    share = round(length * rate)        # blank: the share, as a whole number
    return min(most, max(1, share))     # blank: at least 1, and at most `most`


def check_how_many(answer):
    cases = [(128, 0.15, 20), (512, 0.15, 20), (512, 0.15, 77), (4, 0.1, 20), (13, 0.15, 20), (44, 0.15, 20), (19, 0.15, 20), (10, 0.25, 20), (40, 0.4, 100), (7, 0, 5)]
    suspects = [
        (how_many_floor, "cut off the share where it should be rounded"),
        (how_many_ceiling, "round the share up; it is rounded to the nearest whole number"),
        (how_many_half_up, "round a half up; Python's `round`, which the original uses, takes a half to the even number"),
        (how_many_unbounded, "leave out the upper bound"),
        (how_many_or_none, "let a short text have no prediction at all; there is at least 1"),
        (how_many_ordinary, "take [CLS] and two [SEP] off the length first; the original counts them"),
        (how_many_without_cls_sep, "take [CLS] and one [SEP] off the length first; the original counts them"),
        (how_many_at_15, "use a rate of 0.15 whatever `rate` is"),
        (how_many_up_to_20, "use 20 as the upper bound whatever `most` is"),
        (how_many_without_bounds, "leave out both bounds"),
        (how_many_at_least_most, "take the larger of the share and `most`; `most` is an upper bound, so it is the smaller"),
        (how_many_at_most_one, "take the smaller of the share and 1; 1 is a lower bound, so it is the larger"),
        (how_many_always, "give the bound itself, whatever the length"),
        (how_many_plus_one, "add 1 where 1 is a lower bound"),
        (how_many_raw, "give a number that is not whole"),
    ]
    found = [answer(*case) for case in cases]
    for case, value in sorted(zip(cases, found), key=lambda pair: pair[1] == how_many(*pair[0])):      # wrong numbers first, then wrong types
        right = how_many(*case)
        if value == right and not isinstance(value, bool) and isinstance(value, int):
            continue
        if value == right:
            raise Mistake(f"For {case[0]} tokens you say {value!r}; {right} is right as a number, but a count is an `int`: `round(x)` with one argument gives one.")
        for wrong, sentence in suspects:
            if [wrong(*other) for other in cases] == found:
                raise Mistake(f"For {case[0]} tokens, a rate of {case[1]} and at most {case[2]} you say {value}; {right} is right. You {sentence}.")
        raise Mistake(f"For {case[0]} tokens, a rate of {case[1]} and at most {case[2]} you say {value!r}; {right} is right.")


def how_many_clamped(length, rate, most):
    return sorted((1, int(round(rate * length)), most))[1]


def how_many_in_steps(length, rate, most):
    number = max(round(length * rate), 1)
    return most if number > most else number


def how_many_floor(length, rate, most):
    return min(most, max(1, int(length * rate)))


def how_many_ceiling(length, rate, most):
    return min(most, max(1, math.ceil(length * rate)))


def how_many_half_up(length, rate, most):
    return min(most, max(1, math.floor(length * rate + 0.5)))


def how_many_unbounded(length, rate, most):
    return max(1, round(length * rate))


def how_many_or_none(length, rate, most):
    return min(most, round(length * rate))


def how_many_ordinary(length, rate, most):
    return min(most, max(1, round((length - 3) * rate)))


def how_many_always(length, rate, most):
    return most


def how_many_plus_one(length, rate, most):
    return min(most, 1 + round(length * rate))


def how_many_raw(length, rate, most):
    return min(most, max(1, length * rate))


def how_many_as_float(length, rate, most):
    return min(most, max(1, round(length * rate, 0)))


def how_many_without_cls_sep(length, rate, most):
    return min(most, max(1, round((length - 2) * rate)))


def how_many_at_15(length, rate, most):
    return min(most, max(1, round(length * 0.15)))


def how_many_up_to_20(length, rate, most):
    return min(20, max(1, round(length * rate)))


def how_many_without_bounds(length, rate, most):
    return round(length * rate)


def how_many_at_least_most(length, rate, most):
    return max(most, max(1, round(length * rate)))


def how_many_at_most_one(length, rate, most):
    return min(most, min(1, round(length * rate)))


# 7.3 whole words ----------------------------------------------------------------------------------------------------

def words_of(tokens):
    """The positions that belong together, word by word, without special tokens: a list of lists."""
    words = []
    for position, token in enumerate(tokens):
        is_special = token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")                # blank: is this no word at all?
        goes_on = token.startswith("##") and words and words[-1][-1] == position - 1        # blank: does it go on a word that ends right before it?
        if goes_on:
            words[-1].append(position)
        elif not is_special:
            words.append([position])
    return words


def check_words_of(answer):
    cases = [["[CLS]", "play", "##ing", "[SEP]", "##s", "dog", "[SEP]"], ["[CLS]", "##ed", "by", "king", "##fish", "##er", "[SEP]", "[UNK]", "##a", "[PAD]", "[PAD]"],
             ["[CLS]", "c", "a##b", "##d", "#", "[SEP]"], ["a", "[", "[MASK]", "##x", "]", "bank", "##s"]]
    suspects = [
        (words_across_sep, "piece {piece} stands right after [SEP], and you join it to a word of the other text"),
        (words_with_special, "[CLS], [SEP] and [PAD] are in your list; they are never predicted"),
        (words_with_padding, "[PAD] and [UNK] are in your list; they are no words"),
        (single_pieces, "each piece is a word of its own in your list; `##` goes on the word before it"),
        (first_pieces, "you keep only the first piece of each word"),
        (words_as_tokens, "you give tokens back; wanted are their positions"),
        (words_by_any_hash, "you take a token for a later piece when `##` stands anywhere in it; it must stand in front"),
        (words_of_pieces_only, "you keep only words of several pieces; a word of one piece is a word too"),
        (words_without_brackets, "you take whatever begins with `[` for a special token; a bracket that stands in a text is a word"),
        (words_with_mask, "[MASK] is in your list; it is no word"),
        (words_lose_the_last, "the last word is lost: no [SEP] stands behind it, and it counts all the same"),
        (words_of_two_pieces, "you compare with the first place of the word before, so a third piece falls off; compare with its last place"),
        (words_by_one_hash, "you take a token for a later piece when one `#` stands in front; it must be `##`"),
        (words_lose_openers, "a piece that opens a text is lost; its word was cut in two, and it stays as a word of its own"),
    ]
    found = [answer(list(case)) for case in cases]
    for case, value in zip(cases, found):
        right = words_of(case)
        if isinstance(value, (list, tuple)) and [list(word) if isinstance(word, (list, tuple)) else word for word in value] == right:
            continue
        for wrong, sentence in suspects:
            if [wrong(other) for other in cases] == found:
                raise Mistake(f"For {' '.join(case)} you get {value}: {sentence.format(piece=4)}. Right is {right}.")
        raise Mistake(f"For {' '.join(case)} you get {value!r}; right is {right}.")


def words_by_runs(tokens):
    special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    words, last = [], None
    for position, token in enumerate(tokens):
        if token in special:
            last = None
        elif token[:2] == "##" and last is not None:
            last.append(position)
        else:
            last = [position]
            words.append(last)
    return words


def words_by_starts(tokens):
    no_word = [token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") for token in tokens]
    starts = [i for i, token in enumerate(tokens) if not no_word[i] and (not token.startswith("##") or i == 0 or no_word[i - 1])]
    ends = [next((j for j in range(i + 1, len(tokens)) if no_word[j] or j in starts), len(tokens)) for i in starts]
    return [list(range(i, j)) for i, j in zip(starts, ends)]


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
    return _grouped(tokens, ("[CLS]", "[SEP]"), lambda token, adjacent: token.startswith("##") and adjacent)


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
    return _grouped(tokens, [token for token in tokens if token.startswith("[")], lambda token, adjacent: token.startswith("##") and adjacent)


def words_with_mask(tokens):
    return _grouped(tokens, ("[PAD]", "[UNK]", "[CLS]", "[SEP]"), lambda token, adjacent: token.startswith("##") and adjacent)


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
    """Collects a word and hands it over when the next one begins; nobody hands over the last."""
    words, word = [], []
    for position, token in enumerate(tokens):
        if word and (token in ALL_SPECIAL or not token.startswith("##")):
            words.append(word)
            word = []
        if token not in ALL_SPECIAL:
            word.append(position)
    return words


# 7.2 think: can you believe a word that you see? --------------------------------------------------------------------

def believe(context, vocab_size, kept=0.1, replaced=0.1):
    """The chance that a word which you see at a chosen position is the true one.

    `context` is the probability that the words around give to the word that you see. Of the chosen words a share
    `kept` stays, a share `replaced` becomes one of `vocab_size` words, all equally likely.
    """
    honest = kept * context                 # blank: it was this word, and it was kept
    forged = replaced / vocab_size          # blank: whatever it was, it was replaced, and this word was drawn
    return honest / (honest + forged)       # blank: the share of the honest ones


def check_believe(answer):
    cases = [(0.001, 30522), (1e-6, 30522), (0.5, 8192, 0.1, 0.1), (0.002, 8192, 0.15, 0.05), (0.01, 8192, 0.1, 0.0), (0.03, 30522, 0.02, 0.18)]
    suspects = [
        (lambda q, v, k=0.1, r=0.1: q, "That is what the context says alone; you have also seen the word"),
        (lambda q, v, k=0.1, r=0.1: k / (k + r), "That is how many are kept, whatever the word; a word that fits is kept more often than it is drawn"),
        (lambda q, v, k=0.1, r=0.1: k * q / (k * q + r),
         "The 1/V is missing, or it stands in both ways and cancels: it belongs to the second, since a replacement is one of V words"),
        (lambda q, v, k=0.1, r=0.1: q / (q + 1 / v), "Your number does not depend on the two shares, and here they are not equal"),
        (lambda q, v, k=0.1, r=0.1: 1 - believe(q, v, k, r), "That is the chance that the word is forged"),
        (lambda q, v, k=0.1, r=0.1: k * q, "That is how often it was this word and was kept, out of everything; compare it with how often this word is seen at all"),
        (lambda q, v, k=0.1, r=0.1: k / (k + r / v),
         "The context has no say, or it stands in both ways and cancels: it belongs to the first, since a replacement is drawn blindly"),
        (lambda q, v, k=0.1, r=0.1: (0.8 + k) * q / ((0.8 + k) * q + r / v), "The 80% are [MASK]; where you see a word, they are out of the question"),
        (lambda q, v, k=0.1, r=0.1: believe(q, v, r, k), "You have exchanged the two shares: a word that is honest was kept, a forged one was replaced"),
        (lambda q, v, k=0.1, r=0.1: believe(q, v, 1, r), "In the first way `kept` is missing: most chosen words are not kept"),
        (lambda q, v, k=0.1, r=0.1: believe(q, v, k, 1), "In the second way `replaced` is missing: most chosen words are not replaced"),
    ]
    try:
        found = [float(answer(*case)) for case in cases]
    except ZeroDivisionError:
        raise Mistake("Where no word is ever replaced you divide by zero: compare the honest way with *both* ways together, not with the forged one.") from None
    for case, value in zip(cases, found):
        right = believe(*case)
        if abs(value - right) <= 1e-3 * right + 1e-9:       # whether a draw may hit the true word makes no difference that counts
            continue
        q, v, k, r = (*case, 0.1, 0.1)[:4] if len(case) == 2 else case
        case_says = f"With a context of {q}, {v:,} words, {k} kept and {r} replaced you get {value:.4g}; {right:.4g} is right."
        for wrong, sentence in suspects:
            if all(math.isclose(wrong(*other), mine, rel_tol=1e-6, abs_tol=1e-12) for other, mine in zip(cases, found)):
                raise Mistake(f"{case_says} {sentence}.")
        raise Mistake(case_says)


def believe_by_odds(context, vocab_size, kept=0.1, replaced=0.1):
    if not replaced:
        return 1.0
    odds = kept * context * vocab_size / replaced
    return odds / (1 + odds)


def believe_exactly(context, vocab_size, kept=0.1, replaced=0.1):
    """Counts a replacement that hits the true word as true."""
    seen = kept * context + replaced / vocab_size
    return context * (kept + replaced / vocab_size) / seen


def believe_context(context, vocab_size, kept=0.1, replaced=0.1):
    return context


def believe_share(context, vocab_size, kept=0.1, replaced=0.1):
    return kept / (kept + replaced)


def believe_without_vocabulary(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (kept * context + replaced)


def believe_without_shares(context, vocab_size, kept=0.1, replaced=0.1):
    return context / (context + 1 / vocab_size)


def disbelieve(context, vocab_size, kept=0.1, replaced=0.1):
    return 1 - believe(context, vocab_size, kept, replaced)


def believe_unnormalised(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context


def believe_without_context(context, vocab_size, kept=0.1, replaced=0.1):
    return kept / (kept + replaced / vocab_size)


def believe_exchanged(context, vocab_size, kept=0.1, replaced=0.1):
    return replaced * context / (replaced * context + kept / vocab_size)


def believe_without_kept(context, vocab_size, kept=0.1, replaced=0.1):
    return context / (context + replaced / vocab_size)


def believe_without_replaced(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (kept * context + 1 / vocab_size)


def believe_ratio(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (replaced / vocab_size)


def believe_with_masked(context, vocab_size, kept=0.1, replaced=0.1):
    return (0.8 + kept) * context / ((0.8 + kept) * context + replaced / vocab_size)


# 7.4 shortening a pair ----------------------------------------------------------------------------------------------

def shorten(first, second, room, rng):
    """Two texts, cut to `room` tokens together: token by token from the longer one (the second, when they are equally
    long), from its front or its back as `rng.random()` decides. Returns two new lists."""
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second      # blank: which of the two gives a token?
        place = 0 if rng.random() < 0.5 else -1                     # blank: 0 or -1, by a coin
        del longer[place]
    return first, second


def check_shorten(answer):
    first, second = list(LETTERS[:12]), list(LETTERS[12:17])
    before = first.copy(), second.copy()
    found = [answer(first, second, 7, random.Random(seed)) for seed in range(60)]
    for name, now, then in (("first", first, before[0]), ("second", second, before[1])):
        if now != then:
            raise Mistake(f"Your function changes the lists that it is given: the {name} has {len(now)} tokens left of {len(then)}. Return new ones.")
    texts = [[list(part) for part in pair] for pair in found]
    if any(set(one) & set(second) or set(other) & set(first) for one, other in texts):
        raise Mistake(f"You return {''.join(texts[0][0])!r} and {''.join(texts[0][1])!r}: tokens of one text stand in the other. The first text comes back first.")
    sizes = {(len(one), len(other)) for one, other in texts}
    if any(sum(pair) > 7 for pair in sizes):
        raise Mistake(f"12 and 5 tokens should fit into 7 together, and you keep {max(map(sum, sizes))}.")
    if any(sum(pair) < 7 for pair in sizes):
        raise Mistake(f"12 and 5 tokens should fill 7 together, and you keep only {min(map(sum, sizes))}: no token is given up without need.")
    if sizes == {(3, 4)}:
        raise Mistake("12 and 5 tokens in a room of 7 become 3 and 4: when both have 4 it is the second that gives, not the first, so 4 and 3 is right.")
    if len(sizes) > 1:
        raise Mistake(f"12 and 5 tokens in a room of 7 become now {min(sizes)}, now {max(sizes)}: "
                      "which text gives is no matter of chance; it is the longer one, and the second when both are equally long.")
    if sizes != {(4, 3)}:
        raise Mistake(f"12 and 5 tokens in a room of 7 become {sizes.pop()}; 4 and 3 is right, since the longer one gives each time.")
    kept = ["".join(one) for one, _ in texts]
    broken = next((text for text in kept if text not in LETTERS), None)
    if broken:
        raise Mistake(f"Your first text is now {broken!r}: tokens are missing inside it. Take them from its ends.")
    if set(kept) == {LETTERS[:4]}:
        raise Mistake("Your first text always keeps its first 4 tokens: it is cut at the back alone.")
    if set(kept) == {LETTERS[8:12]}:
        raise Mistake("Your first text always keeps its last 4 tokens: it is cut at the front alone.")
    if set(kept) <= {LETTERS[:4], LETTERS[8:12]}:
        raise Mistake("Your first text loses 8 tokens at one end, front or back: throw the coin anew for each token.")
    fronts = sum(LETTERS.index(text) for text in kept) / (8 * len(kept))
    if not 0.4 < fronts < 0.6:
        raise Mistake(f"Of the tokens that your first text loses, {fronts:.0%} are taken from the front; it should be about half.")
    for seed, pair in enumerate(texts):
        for name, mine, right in zip(("first", "second"), pair, shorten(first, second, 7, random.Random(seed))):
            if mine != right:
                raise Mistake(f"Your texts have the right lengths, but with seed {seed} you keep {''.join(mine)!r} of the {name} where {''.join(right)!r} "
                              "is right: one `rng.random()` for each token of either text, and below 0.5 the *front* goes.")
    turned = [list(part) for part in answer(second, first, 7, random.Random(0))]
    right = list(shorten(second, first, 7, random.Random(0)))
    if turned != right:
        raise Mistake(f"With 5 tokens in the first text and 12 in the second you return {' and '.join(map(repr, map(''.join, turned)))}; "
                      f"{' and '.join(map(repr, map(''.join, right)))} is right. The first text comes back first, also when it is the shorter one.")
    given = ["a", "b"], ["c"]
    short = answer(*given, 5, random.Random(0))
    if [list(part) for part in short] != [["a", "b"], ["c"]]:
        raise Mistake(f"2 and 1 tokens fit into a room of 5, and should stay as they are; you return {short}.")
    if short[0] is given[0] or short[1] is given[1]:
        raise Mistake("Where nothing has to be cut you hand back the very lists that you were given; whoever changes one then changes both. Return new ones.")


def shorten_by_slices(first, second, room, rng):
    spans = [[0, len(first)], [0, len(second)]]
    while sum(end - start for start, end in spans) > room:
        lengths = [end - start for start, end in spans]
        span = spans[0] if lengths[0] > lengths[1] else spans[1]
        if rng.random() < 0.5:
            span[0] += 1
        else:
            span[1] -= 1
    return first[slice(*spans[0])], second[slice(*spans[1])]


def shorten_recursively(first, second, room, rng):
    if len(first) + len(second) <= room:
        return list(first), list(second)
    cut = (lambda text: text[1:]) if rng.random() < 0.5 else (lambda text: text[:-1])
    if len(first) > len(second):
        return shorten_recursively(cut(first), second, room, rng)
    return shorten_recursively(first, cut(second), room, rng)


def _cut(first, second, room, rng, which, place):
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        longer = which(first, second)
        del longer[place(longer)]
    return first, second


def _longer(first, second):
    return first if len(first) > len(second) else second


def shorten_in_place(first, second, room, rng):
    while len(first) + len(second) > room:
        del _longer(first, second)[0 if rng.random() < 0.5 else -1]
    return first, second


def shorten_each_to_half(first, second, room, rng):
    return list(first)[:room // 2], list(second)[:room // 2]


def shorten_too_little(first, second, room, rng):
    return shorten(first, second, room + 1, rng)


def shorten_first_on_a_tie(first, second, room, rng):
    return _cut(first, second, room, rng, lambda a, b: second_or_first(a, b), lambda text: 0 if rng.random() < 0.5 else -1)


def second_or_first(first, second):
    return second if len(second) > len(first) else first


def shorten_by_chance(first, second, room, rng):
    return _cut(first, second, room, rng, lambda a, b: a if b == [] or a and rng.random() < 0.7 else b, lambda text: 0 if rng.random() < 0.5 else -1)


def shorten_first_only(first, second, room, rng):
    return _cut(first, second, room, rng, lambda a, b: a or b, lambda text: 0 if rng.random() < 0.5 else -1)


def shorten_inside(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: int(rng.random() * len(text)))


def shorten_back(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: -1)


def shorten_front(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: 0)


def shorten_one_coin(first, second, room, rng):
    place = 0 if rng.random() < 0.5 else -1
    return _cut(first, second, room, rng, _longer, lambda text: place)


def shorten_other_side(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: -1 if rng.random() < 0.5 else 0)


def shorten_sorted(first, second, room, rng):
    shorter, longer = sorted((list(first), list(second)), key=len)
    shorter, longer = shorten(shorter, longer, room, rng) if len(first) < len(second) else reversed(shorten(longer, shorter, room, rng))
    return longer, shorter


def shorten_exchanged(first, second, room, rng):
    return tuple(reversed(shorten(first, second, room, rng)))


def shorten_or_hand_back(first, second, room, rng):
    return (first, second) if len(first) + len(second) <= room else shorten(first, second, room, rng)


def shorten_half_in_place(first, second, room, rng):
    return shorten_in_place(list(first), second, room, rng)


def shorten_second_at_the_back(first, second, room, rng):
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        if rng.random() < 0.5 and len(first) > len(second):
            del first[0]
        else:
            _longer(first, second).pop()
    return first, second


def shorten_coin_on_a_tie(first, second, room, rng):
    return _cut(first, second, room, rng, lambda a, b: rng.choice((a, b)) if len(a) == len(b) else _longer(a, b), lambda text: 0 if rng.random() < 0.5 else -1)


def shorten_mostly_back(first, second, room, rng):
    return _cut(first, second, room, rng, _longer, lambda text: 0 if rng.random() < 0.2 else -1)


# 7.5 build, and swapped in: masking as tensor operations --------------------------------------------------------------

def mask_words(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    """input_ids [B, S] -> what the model sees [B, S], and labels [B, S]: the true id where a token is chosen, else -100."""
    special = torch.zeros(vocab_size, dtype=torch.bool)                                         # [V]
    special[list(special_ids)] = True
    ordinary = torch.arange(vocab_size)[~special]                                               # [V - specials]
    chance = torch.rand(input_ids.shape, generator=generator)                                   # [B, S]
    fate = torch.rand(input_ids.shape, generator=generator)                                     # [B, S], for the chosen ones
    drawn = ordinary[torch.randint(len(ordinary), input_ids.shape, generator=generator)]        # [B, S]
    chosen = (chance < rate) & ~special[input_ids]                      # blank: [B, S], True in `rate` of the ordinary places
    labels = input_ids.where(chosen, -100)                              # blank: [B, S], the true id where chosen
    hidden = input_ids.masked_fill(chosen & (fate < 0.8), mask_token_id)    # blank: [B, S], [MASK] in 80% of the chosen places
    corrupted = torch.where(chosen & (fate >= 0.9), drawn, hidden)      # blank: [B, S], and a drawn word in 10% of them
    return corrupted, labels


def check_mask_words(answer):
    vocab_size, special_ids, mask_id = 60, (0, 30, 31, 32, 33), 33      # not the first five: in BERT's vocabulary they are not either
    no_word = torch.isin(torch.arange(vocab_size), torch.tensor(special_ids))                       # [V]
    ordinary = (~no_word).nonzero().squeeze(1)                                                      # [V - specials]
    ids = ordinary[torch.randint(len(ordinary), (3000, 100), generator=torch.Generator().manual_seed(0))]   # [B, S]
    ids[:, 0], ids[:, 50], ids[:, 90] = 31, 32, 32
    ids[:, 91:] = 0
    before = ids.clone()
    options = {"mask_token_id": mask_id, "vocab_size": vocab_size, "special_ids": special_ids}

    def run(seed=1, **more):
        return answer(ids, **options, **more, generator=torch.Generator().manual_seed(seed))
    corrupted, labels = run()
    if not torch.equal(ids, before):
        raise Mistake(f"Your function writes into the ids that it is given: {int((ids != before).sum())} of them are changed. Make a new tensor.")
    for name, value in (("What the model sees", corrupted), ("The labels", labels)):
        if not isinstance(value, torch.Tensor) or value.shape != ids.shape or value.is_floating_point():
            raise Mistake(f"{name} should be a tensor of whole numbers of shape {list(ids.shape)}.")
    special = no_word[ids]                                                                          # [B, S]
    if (corrupted == -100).any():
        raise Mistake(f"{int((corrupted == -100).sum()):,} of the ids that the model sees are -100: return what it sees first, then the labels.")
    if torch.equal(labels, ids):
        raise Mistake(f"All {ids.numel():,} tokens have a label: the model would be asked for words that it can see. Where a token is not chosen, the label is -100.")
    if (labels == 0).sum() > (labels == -100).sum():
        raise Mistake(f"{int((labels == 0).sum()):,} of your labels are 0, which is [PAD]'s id; where nothing is predicted the label is -100.")
    chosen = labels != -100                                                                         # [B, S]
    if chosen.all():
        values, counts = labels.unique(return_counts=True)
        raise Mistake(f"None of your labels is -100, and {int(counts.max()):,} are {int(values[counts.argmax()])}: where nothing is predicted the label is -100.")
    if chosen[special].all():
        raise Mistake(f"Each [CLS], [SEP] and [PAD] has a label, {int(chosen.sum()):,} tokens in all: "
                      "the label is the true id where a token is chosen, and -100 where it is *not*.")
    if (labels == mask_id).sum() > 100:
        raise Mistake(f"{int((labels == mask_id).sum()):,} labels are {mask_id}, the id of [MASK]: a label is what stood there before.")
    if not torch.equal(labels[chosen], ids[chosen]):
        raise Mistake("Some of your labels are not the true ids: a label is what stood there before anything was replaced.")
    if (chosen & special).any():
        raise Mistake(f"{int((chosen & special).sum()):,} special tokens are to be predicted; [CLS], [SEP] and [PAD] never are.")
    if (corrupted != ids)[~chosen].any():
        raise Mistake(f"{int((corrupted != ids)[~chosen].sum()):,} tokens were replaced that nobody has to predict.")
    if (chosen & (corrupted == ids)).sum() < 0.01 * chosen.sum() and 0.13 < float(chosen[~special].double().mean()) < 0.14:
        raise Mistake("Hardly a token that stays as it is has a label: the 10% that are kept are chosen too, and are asked for.")
    for rate in (0.15, 0.4):
        share = float((run(rate=rate)[1] != -100)[~special].double().mean())
        if abs(share - rate) > 0.01:
            raise Mistake(f"With rate={rate} you choose {share:.3f} of the ordinary tokens.")
    per_row = chosen.sum(dim=1).double()                                                            # [B]
    masked, same = corrupted == mask_id, corrupted == ids                                           # [B, S]
    replaced = chosen & ~masked & ~same                                                             # [B, S]
    if (found := int(no_word[corrupted[replaced]].sum())):
        raise Mistake(f"{found:,} replacements are special tokens; draw them from the {vocab_size - 5} ordinary ones.")
    if len(corrupted[replaced].unique()) == 1 and len(corrupted[replaced]):
        raise Mistake(f"Every replacement is the word {int(corrupted[replaced][0])}: draw one for each place.")
    of_rows = (chosen & masked).sum(dim=1) / per_row.clamp(min=1)                                   # [B]
    if min((of_rows == 0).double().mean(), (of_rows == 1).double().mean()) > 0.1:
        raise Mistake(f"In {int(((of_rows == 0) | (of_rows == 1)).sum()):,} of 3,000 texts either all chosen tokens become [MASK] or none: the 80% are drawn for each token.")
    shares = torch.stack([chosen & masked, replaced, chosen & same]).sum(dim=(1, 2)) / chosen.sum()  # [3]
    for name, wanted in (("all to [MASK]", (1, 0, 0)), ("80/20/0", (0.8, 0.196, 0.004)), ("80/0/20", (0.8, 0, 0.2)), ("81/10/9", (0.81, 0.098, 0.092)),
                         ("10/10/80", (0.1, 0.098, 0.802)), ("90/0/10", (0.9, 0, 0.1)), ("0/10/90", (0, 0.098, 0.902)), ("80/2/18", (0.8, 0.0196, 0.1804))):
        if torch.allclose(shares, torch.tensor(wanted, dtype=shares.dtype), atol=0.005):
            reason = {"81/10/9": "two coins of 10%, one after the other: the second is thrown where the first has failed. One draw with three ranges gives 80/10/10",
                      "80/2/18": "the share of replacements is taken of the wrong whole",
                      "0/10/90": "the last step should go on from the tensor with [MASK] in it, not from the ids"}.get(name, "it should be 80/10/10")
            raise Mistake(f"Of the chosen tokens {shares[0]:.1%} become [MASK], {shares[1]:.1%} another word, {shares[2]:.1%} stay: {reason}.")
    if not torch.allclose(shares, torch.tensor([0.8, 0.098, 0.102]), atol=0.0045):
        raise Mistake(f"Of the chosen tokens {shares[0]:.1%} become [MASK], {shares[1]:.1%} another word, {shares[2]:.1%} stay; it should be 80, 10 and 10.")
    if not all(torch.equal(one, other) for one, other in zip(run(), run())):
        raise Mistake("Two calls with a generator of the same seed give different masks: hand `generator` on to everything that draws.")
    if torch.equal(run(seed=1)[1], run(seed=2)[1]):
        raise Mistake("Two seeds choose the very same tokens.")
    if not 0.8 < float(per_row.var() / (per_row.mean() * 0.85)) < 1.2:
        raise Mistake(f"Your texts have {int(per_row.min())} to {int(per_row.max())} chosen tokens: each token should be chosen on its own.")


def mask_words_in_one_draw(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    ordinary = torch.tensor([i for i in range(vocab_size) if i not in set(special_ids)])
    draw = torch.rand(input_ids.shape, generator=generator) / rate
    chosen = (draw < 1) & torch.isin(input_ids, ordinary)
    corrupted = torch.where(chosen & (draw < 0.8), torch.full_like(input_ids, mask_token_id), input_ids)
    words = ordinary[torch.randint(len(ordinary), input_ids.shape, generator=generator)]
    return torch.where(chosen & (draw >= 0.8) & (draw < 0.9), words, corrupted), torch.where(chosen, input_ids, -100)


def mask_words_by_index(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    candidates = (~torch.isin(input_ids, torch.tensor(list(special_ids)))).nonzero()
    chosen = candidates[torch.rand(len(candidates), generator=generator) < rate]
    rows, columns = chosen.T
    labels[rows, columns] = input_ids[rows, columns]
    kind = torch.multinomial(torch.tensor([0.8, 0.1, 0.1]), len(chosen), replacement=True, generator=generator)
    corrupted[rows[kind == 0], columns[kind == 0]] = mask_token_id
    ordinary = torch.tensor(sorted(set(range(vocab_size)) - set(special_ids)))
    corrupted[rows[kind == 1], columns[kind == 1]] = ordinary[torch.randint(len(ordinary), (int((kind == 1).sum()),), generator=generator)]
    return corrupted, labels


def _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, *, candidates=None, words=None, masked=0.8, replaced=0.1, fate=None):
    """The right way, with one step changed."""
    special = torch.zeros(vocab_size, dtype=torch.bool)
    special[list(special_ids)] = True
    ordinary = torch.arange(vocab_size)[~special] if words is None else words
    chosen = torch.rand(input_ids.shape, generator=generator) < rate
    chosen = chosen & ~special[input_ids] if candidates is None else chosen & candidates
    fate = torch.rand(input_ids.shape if fate is None else fate, generator=generator)
    drawn = ordinary[torch.randint(len(ordinary), input_ids.shape, generator=generator)]
    corrupted = torch.where(chosen & (fate < masked), mask_token_id, input_ids)
    corrupted = torch.where(chosen & (fate >= masked) & (fate < masked + replaced), drawn, corrupted)
    return corrupted, torch.where(chosen, input_ids, -100)


def masked_in_place(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    input_ids.copy_(corrupted)
    return input_ids, labels


def masked_with_label_zero(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, labels.clamp(min=0)


def masked_all_labels(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)[0], input_ids


def masked_labels_after(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, torch.where(labels == -100, -100, corrupted)


def masked_special(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, candidates=torch.ones_like(input_ids, dtype=torch.bool))


def masked_whole_vocabulary(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, words=torch.arange(vocab_size))


def masked_always_15(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, 0.15, generator)


def masked_one_word(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, words=torch.tensor([17]))


def masked_by_row(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, fate=(len(input_ids), 1))


def masked_all(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=1.0, replaced=0)


def masked_none_kept(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, replaced=0.2)


def masked_two_coins(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    """10% are replaced; of those left 10% are kept: 81/10/9."""
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=0.81, replaced=0.1)


def masked_without_generator(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, None)


def replaced_of_all(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, replaced=0)
    everywhere = (torch.rand(input_ids.shape, generator=generator) < 0.1) & (labels == -100)
    return torch.where(everywhere, input_ids.roll(1), corrupted), labels


def masked_beyond_the_first_five(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, candidates=input_ids >= 5)


def masked_beyond_the_last_special(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, candidates=input_ids > max(special_ids))


def masked_with_label_minus_one(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, labels.clamp(min=-1)


def masked_labels_where_not(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, labels = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, torch.where(labels == -100, input_ids, -100)


def masked_labels_where_changed(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    corrupted, _ = _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)
    return corrupted, torch.where(corrupted != input_ids, input_ids, -100)


def masked_returned_backwards(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return tuple(reversed(_variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator)))


def masked_a_tenth(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=0.1)


def masked_lost_on_the_way(input_ids, *, mask_token_id, vocab_size, special_ids, rate=0.15, generator=None):
    """The replacements are put into the ids, not into what the [MASK]s were put into."""
    return _variant(input_ids, mask_token_id, vocab_size, special_ids, rate, generator, masked=0)


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="How many?",
        task=("The original predicts a fixed number of tokens in each text: the share `rate` of its length, rounded, at least 1 and at most `most`. "
              "[CLS] and the two [SEP] count as length."),
        hints=("Three steps: a product, made whole; a lower bound; an upper bound.", "`round`, `max` and `min`, in this order."),
        paragraph="How many words to hide", solution=how_many, check=check_how_many, right=(how_many_clamped, how_many_in_steps),
        wrong={how_many_floor: "cut off", how_many_ceiling: "round the share up", how_many_half_up: "round a half up", how_many_unbounded: "leave out the upper bound",
               how_many_or_none: "at least 1", how_many_ordinary: "take .CLS. and two", how_many_always: "the bound itself", how_many_plus_one: "add 1",
               how_many_raw: "not whole", how_many_as_float: "a count is an `int`", how_many_without_cls_sep: "take .CLS. and one", how_many_at_15: "a rate of 0.15 whatever",
               how_many_up_to_20: "use 20 as the upper bound", how_many_without_bounds: "both bounds", how_many_at_least_most: "larger of the share",
               how_many_at_most_one: "smaller of the share"}),
    Exercise(
        chapter=CHAPTER, size="think", minutes=15, title="Can you believe what you see?",
        task=("One chosen word in five is not [MASK]: half of those are true, half are drawn from the vocabulary. You see a word at a chosen place. The words around it "
              "give it the probability `context` ($q$). What is the chance that it is the true one? Write the two ways in which you can come to see this word, and "
              "compare them."),
        hints=("Way one: it was this word (how likely?), and it was kept (how often?). Way two: it was any word, it was replaced, and this one was drawn.",
               "$\\frac{0.1\\,q}{0.1\\,q + 0.1 / V}$, with the two shares as arguments."),
        paragraph="Why 80, 10 and 10", solution=believe, check=check_believe, right=(believe_by_odds, believe_exactly),
        wrong={believe_context: "context says alone", believe_share: "how many are kept", believe_without_vocabulary: "1/V is missing", believe_without_shares: "does not depend on the two",
               disbelieve: "is forged", believe_unnormalised: "out of everything", believe_without_context: "no say", believe_with_masked: "out of the question",
               believe_exchanged: "exchanged", believe_without_kept: "`kept` is missing",
               believe_without_replaced: "`replaced` is missing", believe_ratio: "divide by zero"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="Words out of pieces",
        task=("For whole-word masking the positions of a word's pieces must stay together. Return them as a list of lists. A piece `##x` goes on the word before it, but "
              "only when that word ends right before it: across a [SEP] nothing goes on. Special tokens belong to no word; a piece that opens a text is a word of its own."),
        hints=("The last position of the last word is `words[-1][-1]`. Is it the place right before this one?",
               "Three conditions: it starts with `##`, there is a word, and that word ends at `position - 1`. An empty list counts as False."),
        paragraph="Whole words", solution=words_of, check=check_words_of, right=(words_by_runs, words_by_starts),
        wrong={words_across_sep: "right after .SEP.", words_with_special: "are never predicted", words_with_padding: "are no words", single_pieces: "word of its own in your list",
               first_pieces: "only the first piece", words_as_tokens: "wanted are their positions", words_by_any_hash: "stand in front",
               words_of_pieces_only: "only words of several", words_lose_openers: "opens a text is lost", words_without_brackets: "a bracket that stands",
               words_with_mask: r"\[MASK\] is in your list", words_lose_the_last: "the last word is lost", words_of_two_pieces: "a third piece falls off",
               words_by_one_hash: "it must be `##`"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=10, title="Make two texts fit",
        task=("Cut two texts until both together have `room` tokens. The longer one gives a token; when both are equally long, the second gives. `rng.random() < 0.5` means "
              "that the token is taken from the front, otherwise from the back."),
        hints=("Two questions in each round: whose token, and from which end?", "`del text[0]` takes the first token, `del text[-1]` the last."),
        paragraph="Too long for a row", solution=shorten, check=check_shorten, right=(shorten_by_slices, shorten_recursively),
        wrong={shorten_in_place: "changes the lists", shorten_each_to_half: "keep only", shorten_too_little: "you keep 8", shorten_first_on_a_tie: "become 3 and 4",
               shorten_by_chance: "no matter of chance", shorten_first_only: "since the longer one gives", shorten_inside: "inside it", shorten_back: "at the back alone",
               shorten_front: "at the front alone", shorten_one_coin: "anew for each token", shorten_mostly_back: "taken from the front",
               shorten_other_side: r"the \*front\* goes", shorten_sorted: "also when it is the shorter", shorten_exchanged: "comes back first",
               shorten_or_hand_back: "the very lists", shorten_half_in_place: "the second has 3 tokens left of 5", shorten_second_at_the_back: "of the second where",
               shorten_coin_on_a_tie: "the second when both are equally long"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=20, title="Masking without a loop",
        task=("A whole batch at once, `[B, S]`: which tokens are chosen, what the labels are, and what the model sees. The random numbers are drawn for you: `chance` says who is "
              "chosen, `fate` what becomes of a chosen one, `drawn` is a word for each place. In *Swap it in* your function will make the batches of a pretraining run."),
        hints=("Each step is one comparison and one `where`: who is chosen, then labels, then [MASK], then the drawn words.",
               "`fate < 0.8` and `fate >= 0.9` never hold together, so what lies between stays as it is."),
        paragraph="The fast form", solution=mask_words, check=check_mask_words, right=(mask_words_in_one_draw, mask_words_by_index),
        wrong={masked_in_place: "writes into", masked_with_label_zero: "the label is -100", masked_all_labels: "tokens have a label", masked_labels_after: "the id of .MASK.",
               masked_special: "never are", masked_whole_vocabulary: "replacements are special", masked_always_15: "rate=0.4", masked_one_word: "draw one for each place",
               masked_by_row: "drawn for each token", masked_all: "100.0% become", masked_none_kept: r"\b0\.\d% stay", masked_two_coins: "two coins",
               masked_without_generator: "hand `generator` on", replaced_of_all: "nobody has to predict",
               masked_beyond_the_first_five: "special tokens are to be predicted", masked_beyond_the_last_special: "With rate=0.15 you choose 0",
               masked_with_label_minus_one: "are -1: where nothing", masked_labels_where_not: r"where it is \*not\*", masked_labels_where_changed: "asked for",
               masked_returned_backwards: "are -100: return", masked_a_tenth: r"10\.\d% become", masked_lost_on_the_way: "go on from the tensor"}),
]
