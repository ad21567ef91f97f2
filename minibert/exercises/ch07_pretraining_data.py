"""Exercises of chapter 7: how many words to mask, whole words, masking as tensors, shortening a pair, trusting a word."""

import math
import random

import torch

from minibert.exercises.base import Exercise, Mistake, also, known

CHAPTER = "07_pretraining_data"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


# 7.1 how many -------------------------------------------------------------------------------------------------------

def how_many(length, rate, most):
    """How many of `length` tokens ([CLS] and [SEP] counted) are predicted: the share `rate`, at least 1, at most `most`."""
    share = round(length * rate)        # blank: the share, as a whole number
    return min(most, max(1, share))     # blank: at least 1, and at most `most`


def check_how_many(answer):
    cases = [(128, 0.15, 20), (512, 0.15, 20), (512, 0.15, 77), (4, 0.1, 20), (13, 0.15, 20), (44, 0.15, 20), (19, 0.15, 20), (10, 0.25, 20), (40, 0.4, 100), (7, 0, 5)]
    found = [answer(*case) for case in cases]
    for case, value in sorted(zip(cases, found), key=lambda pair: pair[1] == how_many(*pair[0])):      # wrong numbers first, then wrong types
        right = how_many(*case)
        if value == right and not isinstance(value, bool) and isinstance(value, int):
            continue
        if value == right:
            raise Mistake(f"For {case[0]} tokens you say {value!r}; {right} is right as a number, but a count is an `int`: `round(x)` with one argument gives one.")
        for wrong, sentence in known(how_many):
            if [wrong(*other) for other in cases] == found:
                raise Mistake(f"For {case[0]} tokens, a rate of {case[1]} and at most {case[2]} you say {value}; {right} is right. You {sentence}.")
        raise Mistake(f"For {case[0]} tokens, a rate of {case[1]} and at most {case[2]} you say {value!r}; {right} is right.")


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
    found = [answer(list(case)) for case in cases]
    for case, value in zip(cases, found):
        right = words_of(case)
        if isinstance(value, (list, tuple)) and [list(word) if isinstance(word, (list, tuple)) else word for word in value] == right:
            continue
        for wrong, sentence in known(words_of):
            if [wrong(other) for other in cases] == found:
                raise Mistake(f"For {' '.join(case)} you get {value}: {sentence.format(piece=4)}. Right is {right}.")
        raise Mistake(f"For {' '.join(case)} you get {value!r}; right is {right}.")
    also(answer, words_of, (["[CLS]", "a", "##b", "##c", "##d", "##e", "[SEP]", "f", "[SEP]"],), ([],))


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
    try:
        found = [float(answer(*case)) for case in cases]
    except ZeroDivisionError:
        raise Mistake("Where no word is ever replaced you divide by zero: compare the honest way with *both* ways together, not with the forged one.") from None
    if isinstance(answer(*cases[0]), str):
        raise Mistake(f"You return the text {answer(*cases[0])!r}; a chance is a number.")
    for case, value in zip(cases, found):
        right = believe(*case)
        if abs(value - right) <= 1e-3 * right + 1e-9:       # whether a draw may hit the true word makes no difference that counts
            continue
        q, v, k, r = (*case, 0.1, 0.1)[:4] if len(case) == 2 else case
        case_says = f"With a context of {q}, {v:,} words, {k} kept and {r} replaced you get {value:.4g}; {right:.4g} is right."
        for wrong, sentence in known(believe):
            if all(math.isclose(wrong(*other), mine, rel_tol=1e-6, abs_tol=1e-12) for other, mine in zip(cases, found)):
                raise Mistake(f"{case_says} {sentence}.")
        raise Mistake(case_says)


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
    found = [answer(first, second, 7, random.Random(seed)) for seed in range(60)]
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in found):
        raise Mistake(f"Wanted are two lists, the first text and the second, and you return {found[0]!r}.")
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
    for room in (10, 2, 0):
        for seed in range(3):
            mine, right = (tuple(map(list, function(first, second, room, random.Random(seed)))) for function in (answer, shorten))
            if mine != right:
                raise Mistake(f"In a room of 7 you are right; in a room of {room} you keep {' and '.join(map(repr, map(''.join, mine)))} where "
                              f"{' and '.join(map(repr, map(''.join, right)))} is right.")


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
    options = {"mask_token_id": mask_id, "vocab_size": vocab_size, "special_ids": special_ids}

    def run(seed=1, **more):
        return answer(ids, **options, **more, generator=torch.Generator().manual_seed(seed))
    found = run()
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mistake(f"Wanted are two tensors, what the model sees and the labels, and you return {'a tensor' if isinstance(found, torch.Tensor) else f'a {type(found).__name__}'}.")
    corrupted, labels = found
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
    small = {"mask_token_id": 2, "vocab_size": 9, "special_ids": (2, 5)}
    few = torch.tensor([[5, 1, 3, 4, 6, 7, 8, 0], [5, 8, 7, 6, 4, 3, 1, 0]]).repeat(200, 1)                     # [B, S]
    try:
        corrupted, labels = answer(few, **small, generator=torch.Generator().manual_seed(3))
    except (IndexError, RuntimeError) as error:
        raise Mistake(f"With a vocabulary of 60 you are right; with 9 words and the special ids 2 and 5 you stop ({error}). Take vocab_size and special_ids as they are given.") from None
    chosen = labels != -100                                                                         # [B, S]
    if chosen.shape != few.shape or (chosen & (few == 5)).any() or not torch.equal(labels[chosen], few[chosen]) or (corrupted != few)[~chosen].any():
        raise Mistake("With 9 words, [MASK] = 2 and the special ids 2 and 5 your labels do not fit the ids: take special_ids, and the ids themselves, as they are given.")
    if (strange := corrupted[chosen & (corrupted != few) & (corrupted != 2)]).numel() and (int(strange.max()) > 8 or (strange == 5).any()) or not (corrupted == 2).any():
        raise Mistake(f"With 9 words, [MASK] = 2 and the special ids 2 and 5 the model sees ids up to {int(corrupted.max())}, and [MASK] {int((corrupted == 2).sum())} times: "
                      "take vocab_size, mask_token_id and special_ids as they are given.")


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="How many?",
        task=("The original predicts a fixed number of tokens in each text: the share `rate` of its length, rounded, at least 1 and at most `most`. "
              "[CLS] and the two [SEP] count as length."),
        hints=("Three steps: a product, made whole; a lower bound; an upper bound.", "`round`, `max` and `min`, in this order."),
        paragraph="How many words to hide", solution=how_many, check=check_how_many),
    Exercise(
        chapter=CHAPTER, size="think", minutes=15, title="Can you believe what you see?",
        task=("One chosen word in five is not [MASK]: half of those are true, half are drawn from the vocabulary. You see a word at a chosen place. The words around it "
              "give it the probability `context` ($q$). What is the chance that it is the true one? Write the two ways in which you can come to see this word, and "
              "compare them."),
        hints=("Way one: it was this word (how likely?), and it was kept (how often?). Way two: it was any word, it was replaced, and this one was drawn.",
               "$\\frac{0.1\\,q}{0.1\\,q + 0.1 / V}$, with the two shares as arguments."),
        paragraph="Why 80, 10 and 10", solution=believe, check=check_believe),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="Words out of pieces",
        task=("For whole-word masking the positions of a word's pieces must stay together. Return them as a list of lists. A piece `##x` goes on the word before it, but "
              "only when that word ends right before it: across a [SEP] nothing goes on. Special tokens belong to no word; a piece that opens a text is a word of its own."),
        hints=("The last position of the last word is `words[-1][-1]`. Is it the place right before this one?",
               "Three conditions: it starts with `##`, there is a word, and that word ends at `position - 1`. An empty list counts as False."),
        paragraph="Whole words", solution=words_of, check=check_words_of),
    Exercise(
        chapter=CHAPTER, size="build", minutes=10, title="Make two texts fit",
        task=("Cut two texts until both together have `room` tokens. The longer one gives a token; when both are equally long, the second gives. `rng.random() < 0.5` means "
              "that the token is taken from the front, otherwise from the back."),
        hints=("Two questions in each round: whose token, and from which end?", "`del text[0]` takes the first token, `del text[-1]` the last."),
        paragraph="Too long for a row", solution=shorten, check=check_shorten),
    Exercise(
        chapter=CHAPTER, size="build", minutes=20, title="Masking without a loop",
        task=("A whole batch at once, `[B, S]`: which tokens are chosen, what the labels are, and what the model sees. The random numbers are drawn for you: `chance` says who is "
              "chosen, `fate` what becomes of a chosen one, `drawn` is a word for each place. In *Swap it in* your function will make the batches of a pretraining run."),
        hints=("Each step is one comparison and one `where`: who is chosen, then labels, then [MASK], then the drawn words.",
               "`fate < 0.8` and `fate >= 0.9` never hold together, so what lies between stays as it is."),
        paragraph="The fast form", solution=mask_words, check=check_mask_words),
]
