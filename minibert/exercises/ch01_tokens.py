"""Chapter 01, text to tokens."""

from collections import Counter

import torch
from torch import Tensor

from minibert.exercises.base import Exercise, Mistake, also, expect_tensor, known

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


def counts(words):
    single, together = Counter(), Counter()
    for pieces, count in words.items():
        single.update({piece: count * pieces.count(piece) for piece in set(pieces)})
        for pair in zip(pieces, pieces[1:]):
            together[pair] += count
    return single, together


# Chosen so that every wrong rule that we know picks another pair.
MERGE_WORDS = {("b", "##o", "##a", "##t"): 8, ("w", "##a", "##t", "##e", "##r"): 13, ("r", "##a", "##t", "##e", "##s"): 2,
               ("l", "##o", "##w"): 2, ("s", "##t", "##o", "##n", "##e"): 15, ("b", "##y"): 9,
               ("g", "##r", "##e", "##e", "##n"): 1, ("s", "##t", "##e", "##e", "##p"): 10}


def check_next_merge(answer):
    found = answer(dict(MERGE_WORDS))
    if isinstance(found, str):
        raise Mistake(f"you return the joined piece {found!r}; the pair of its two parts is wanted, as a tuple.")
    if not isinstance(found, tuple) or len(found) != 2:
        raise Mistake(f"you return {found!r}; a tuple of two pieces is wanted, such as ('b', '##a').")
    single, together = counts(MERGE_WORDS)
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
    for rule, sentence in known(next_merge):
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
        if any(not piece.startswith("##") for piece in found[1:]):
            raise Mistake(f"{yours}; a piece that does not begin the word must be looked up with ## before it.")
        if (spelt := "".join(piece.removeprefix("##") for piece in found)) != word:
            raise Mistake(f"{yours}, which spells {spelt!r}: the next piece begins just where the last one ended.")
        for wrong, sentence in known(wordpiece):
            if found == wrong(word, WORDPIECE_VOCAB):
                raise Mistake(f"{yours}; {sentence}: {right}.")
        raise Mistake(f"{yours}; right is {right}.")
    also(answer, wordpiece, ("riverbanks", {"river": 0, "##bank": 1, "##s": 2}), ("bank", {"river": 0, "##bank": 1}))


# ---------------------------------------------------------------- greedy is not the best

TRAP_VOCAB = ["sea", "seas", "##side", "##shore", "##bed", "##weed", "##s", "##i", "##d", "##e", "##b", "##w", "under", "##sea"]


def greedy_trap():
    """A word that longest match first cuts badly, and a better cut of it."""
    word = "seaside"  # blank: a word that the vocabulary above can spell
    better = ["sea", "##side"]  # blank: its pieces, fewer than longest match first needs
    return word, better


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
    greedy = wordpiece(word, TRAP_VOCAB)
    if greedy == better:
        raise Mistake(f"{better}, {len(better)} pieces, is what longest match first itself gives for {word!r}; look for a cut with fewer.")
    if greedy != ["[UNK]"] and len(greedy) <= len(better):
        raise Mistake(f"longest match first cuts {word!r} into {greedy}, {len(greedy)} pieces; yours has {len(better)}, so it loses nothing here.")


# ---------------------------------------------------------------- token types of a pair

def token_types(tokens):
    """0 up to and with the first [SEP], then 1, and 0 again on padding: one number for each token."""
    end = tokens.index("[PAD]") if "[PAD]" in tokens else len(tokens)
    first = tokens.index("[SEP]") + 1  # blank: how many tokens belong to the first text?
    second = end - first  # blank: and to the second? (none, if there is only one)
    padding = len(tokens) - end  # blank: how many are padding?
    return [0] * first + [1] * second + [0] * padding


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
        first, half = tokens.index("[SEP]"), len(tokens) // 2
        if set(found) - {0, 1}:
            raise Mistake(f"{where} you give {found}; there are two types, 0 and 1, and you have {sorted(set(found))}.")
        if found == [0] * half + [1] * (len(tokens) - half):
            raise Mistake(f"{where} you change to 1 after {half} of {len(tokens)} tokens, in the middle; the first text ends "
                          f"with its [SEP], after {first + 1}.")
        if found == [0] * (first + 1) + [1] * (len(tokens) - first - 1):
            raise Mistake(f"{where} you give {found}: your padding has type 1, it should have type 0.")
        if not any(found):
            raise Mistake(f"{where} all your {len(found)} types are 0; the second text should have type 1.")
        if found == [0 if token == "[PAD]" else 1 - kind for token, kind in zip(tokens, right)]:
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


BATCH_ROWS, BATCH_PAD = [[2, 5, 6, 3], [2, 5, 6, 8, 5, 0, 3], [2, 3]], 9     # 0 is an ordinary token here


def check_padded_batch(answer):
    found = answer([list(row) for row in BATCH_ROWS], BATCH_PAD)
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
    if torch.equal(input_ids.flip(1), padded_batch([row[::-1] for row in BATCH_ROWS], BATCH_PAD)[0]):
        raise Mistake(f"your last row is {input_ids[-1].tolist()}: the padding stands on the left, BERT's stands on the right.")
    if torch.equal(input_ids, padded_batch(BATCH_ROWS, 0)[0]):
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
    also(answer, padded_batch, ([[4, 1], [7, 7, 7], [5], [6, 2]], 0), ([[4, 9, 1], [7]], 9), ([[3, 8]], 1))


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
        solution=next_merge, check=check_next_merge),
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
        solution=wordpiece, check=check_wordpiece),
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
        solution=greedy_trap, check=check_greedy_trap),
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="Which text does a token belong to?", paragraph="Token types: which text is this?",
        task="""
            Given the tokens of `[CLS] first text [SEP]` or of `[CLS] first text [SEP] second text [SEP]`, perhaps with `[PAD]` at the end,
            return the token type ids, a list with one number for each token: 0 up to *and with* the first `[SEP]`, 1 for the second
            text and its `[SEP]`, and 0 on padding.
        """,
        hints=("`tokens.index(\"[SEP]\")` is the place of the first `[SEP]`, counted from 0. How many tokens stand up to it, itself included?",
               "The second text, its `[SEP]` included, is all that lies between the end of the first one and the padding: `end - first`."),
        solution=token_types, check=check_token_types),
    Exercise(
        chapter=CHAPTER, size="build", minutes=8, title="A batch and its mask", paragraph="Padding, and the mask that hides it",
        task="""
            `rows` is a list of lists of ids, of different lengths. Make the two tensors that a model takes: `input_ids` [B, S], every row filled up
            with `pad_id` on the right until it is as long as the longest one, and `attention_mask` [B, S], 1 on real tokens and 0 on padding.
        """,
        hints=("A row of 4 tokens in a batch whose longest row has 7 needs 3 times `pad_id`. In Python `[pad_id] * 3` is a list of three.",
               "`row + [pad_id] * (length - len(row))` is one row of ids; the row of the mask is `[1] * len(row)` and then as many zeros."),
        solution=padded_batch, check=check_padded_batch),
]
