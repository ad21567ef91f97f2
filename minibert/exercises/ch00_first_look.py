"""Exercises of chapter 0: a first look."""

import torch

from minibert.exercises.base import Exercise, Mistake, also, draw, known, recognise
from minibert.sentence import mean_pool

CHAPTER = "00_first_look"


# 0.1 ------------------------------------------------------------------------------------------------------------------

def cosine(one, other):
    """How alike the directions of two vectors are, from -1 to 1: [..., H] and [..., H] -> [...]."""
    product = (one * other).sum(dim=-1)                         # blank: the dot product along the last axis
    return product / (one.norm(dim=-1) * other.norm(dim=-1))    # blank: divided by both lengths


def check_cosine(answer):
    one, other = draw(3, 5) + 0.4, 2 * draw(3, 5, seed=1) - 0.7         # [3, H], neither of mean 0 nor of length 1
    found, right = answer(one, other), cosine(one, other)               # [3]
    if isinstance(found, torch.Tensor) and found.shape == one.shape:
        raise Mistake("Two batches of 3 vectors give you [3, 5], a number for every component; sum over the 5 components, and [3] is left.")
    if isinstance(found, torch.Tensor) and list(found.shape) == [3, 3]:
        raise Mistake("Two batches of 3 vectors give you [3, 3], every vector with every other; row by row it is [3]: multiply component by component, then sum.")
    value, want = (lambda wrong: f"{wrong(one, other)[0]:.2f}"), f"{right[0]:.2f}"
    suspects = [(wrong(one, other), sentence.format(value(wrong), want)) for wrong, sentence in known(cosine)]
    recognise(found, right, suspects, "The cosine")
    for what, a, b in (("two single vectors [5]", one[0], other[0]), ("a batch [3, 5] and one vector [5]", one, other[0]),
                       ("[3, 1, 5] and [1, 3, 5], all pairs", one[:, None], other[None])):
        want = cosine(a, b)
        try:
            fits = torch.allclose(answer(a, b), want)
        except (RuntimeError, IndexError, TypeError):
            fits = False
        if not fits:
            raise Mistake(f"For two batches you are right, but not for {what}, where the result has the shape {list(want.shape)}: work along the last axis, "
                          "dim=-1, with nothing but products and sums, and every shape fits.")
    also(answer, cosine, (draw(4, 7).float(), draw(7, seed=1).float()), (draw(2, 3, 6), draw(2, 3, 6, seed=1)))


# 0.2 ------------------------------------------------------------------------------------------------------------------

def certainly_equal(one, other, reading):
    """Which positions of two texts have equal vectors for certain, whatever the weights are.

    `one` and `other` are lists of token ids. `reading` says what a position may look at:
    "left to right" (itself and all before it), "right to left" (itself and all after it)
    or "both" (all). -> list of positions.
    """
    length = min(len(one), len(other))
    if reading == "left to right":
        return [i for i in range(length) if one[:i + 1] == other[:i + 1]]       # blank: all that position i may look at is the same
    if reading == "right to left":
        return [i for i in range(length) if one[i:] == other[i:]]               # blank: the same question for the other direction
    return list(range(length)) if one == other else []                          # blank: and for both


def check_certainly_equal(answer):
    one, other = [2, 7, 8, 3, 7, 9, 5, 4], [2, 7, 8, 6, 7, 1, 5, 4]     # equal at the ends, and once in the middle
    longer = [2, 7, 8, 3, 3, 7, 9, 5, 4]                                # `one` with one token more in the middle
    shown = f"{one} and {other}"

    def ask(first, second, reading):
        found = answer(list(first), list(second), reading)
        if isinstance(found, range | tuple | set):
            found = list(found)
        if not isinstance(found, list):
            raise Mistake(f"For {shown} you return {found!r}, which is no list; wanted are the positions themselves, in a list.")
        if any(isinstance(value, bool) for value in found):
            raise Mistake(f"Your list {found} says yes or no for every position; wanted are the positions at which it is yes.")
        return sorted(found)

    forward, backward = ask(one, other, "left to right"), ask(one, other, "right to left")
    if forward == [i for i in range(8) if one[i] == other[i]]:
        raise Mistake(f"Your {forward} are the positions with the same token. Position 4 holds 7 in both texts, but it has looked at position 3, "
                      "which differs: its vectors differ.")
    if forward == [6, 7] and backward == [0, 1, 2]:
        raise Mistake("Your directions are swapped: reading left to right, [0, 1, 2] look at equal beginnings, and you name [6, 7].")
    if forward == [0, 1, 2, 3]:
        raise Mistake("You count position 3, where the tokens are 3 and 6. A position looks at itself, too.")
    if forward == [0, 1]:
        raise Mistake("You stop at [0, 1]: position 2 looks at 2, 7, 8 in both texts, itself included, so it is equal as well.")
    if forward == [1, 2, 3]:
        raise Mistake("Your positions [1, 2, 3] are counted from 1; Python counts from 0.")
    if forward == [2, 7, 8]:
        raise Mistake("Your [2, 7, 8] are the tokens; wanted are the positions where they stand, [0, 1, 2].")
    if forward != [0, 1, 2]:
        raise Mistake(f"Left to right, {shown} share the vectors of positions [0, 1, 2]; you name {forward}.")
    if backward != [6, 7]:
        raise Mistake(f"Right to left, {shown} share the vectors of positions [6, 7]; you name {backward}.")
    both = ask(one, other, "both")
    if both == [0, 1, 2, 6, 7]:
        raise Mistake("In both directions you name [0, 1, 2, 6, 7], what either direction alone would leave equal. "
                      "Position 0 now looks right as well, and sees that position 3 differs.")
    if both == [0, 1, 2]:
        raise Mistake("In both directions you name [0, 1, 2], as for left to right. Now position 0 looks at position 3 as well, which differs.")
    if both:
        raise Mistake(f"In both directions every position looks at position 3, which differs: none is certainly equal, and you name {both}.")
    if ask(one, one, "both") != list(range(8)):
        raise Mistake("The text [2, 7, 8, 3, 7, 9, 5, 4] compared with itself has 8 equal vectors, in any direction; "
                      f"you name {ask(one, one, 'both')}.")
    swapped = [2, 8, 7, 3, 7, 9, 5, 4]
    for reading, right in (("left to right", [0]), ("right to left", [3, 4, 5, 6, 7]), ("both", [])):
        if (found := ask(one, swapped, reading)) != right:
            raise Mistake(f"For {one} and {swapped}, where 7 and 8 change places, you name {found}, {reading}; right is {right}. The order counts: "
                          "a position's vector depends on where the tokens stand that it looks at.")
    for reading, right in (("left to right", list(range(8))), ("right to left", []), ("both", [])):
        if (found := ask(one, [*one, 6], reading)) != right:
            raise Mistake(f"When one text goes on, with a ninth token 6, you name {found}, {reading}; right is {right}: who looks right sees that token.")
    uneven = ask(one, longer, "right to left")
    if uneven:
        raise Mistake(f"For texts of 8 and 9 tokens you name {uneven}, right to left. The ends are equal, but not their positions: the last "
                      "token stands at 7 here and at 8 there, and a position has a vector of its own.")
    for reading in ("left to right", "right to left", "both"):
        also(answer, certainly_equal, ([5, 3, 1], [5, 4, 1], reading), ([9], [9], reading))


# 0.3 ------------------------------------------------------------------------------------------------------------------

def mean_pooling(last_hidden_state, attention_mask):
    """The mean of the real tokens' vectors: [B, S, H] and [B, S] (1 = real) -> [B, H]."""
    real = attention_mask.unsqueeze(-1).to(last_hidden_state.dtype)     # [B, S, 1]
    total = (last_hidden_state * real).sum(dim=1)                       # blank: the sum over the tokens, padding counted as 0
    return total / real.sum(dim=1)                                      # blank: divided by how many real tokens each text has


def check_mean_pooling(answer):
    hidden, mask = draw(2, 5, 3), torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])      # [B, S, H], [B, S]
    found, right = answer(hidden, mask.clone()), mean_pool(hidden, mask)                # [B, H]
    if isinstance(found, torch.Tensor) and list(found.shape) == [5, 3]:
        raise Mistake("Your result has the shape [5, 3]: you took the mean over the 2 texts. The axis of the tokens is dim=1, and [2, 3] is left.")
    value, want = (lambda wrong: f"{wrong(hidden, mask)[0, 0]:.2f}"), f"{right[0, 0]:.2f}"
    suspects = [(wrong(hidden, mask), sentence.format(value(wrong), want)) for wrong, sentence in known(mean_pooling)]
    padded = mask.clone()
    padded[1, 4] = 0            # a second look with padding in every row: the mean of the padding alone then exists for both
    if isinstance(found, torch.Tensor) and torch.allclose(answer(hidden, padded.clone()).double(), mean_pool(hidden, 1 - padded)):
        raise Mistake("Your mask works the wrong way round: you average the 2 padding tokens of the first text and leave its 3 real ones out.")
    recognise(found, right, suspects, "The pooled vector")
    half = answer(hidden.half(), mask.clone())
    if half.dtype != torch.float16:
        raise Mistake(f"For vectors in float16 you return {str(half.dtype).removeprefix('torch.')}: a mean keeps the precision of what it averages.")
    holes = torch.tensor([[0, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]])                    # [B, S], padding may stand anywhere
    also(answer, mean_pooling, (draw(3, 4, 2).float().round(), holes), (draw(1, 6, 5), torch.ones(1, 6, dtype=torch.long)), gradient=True)


# 0.4 ------------------------------------------------------------------------------------------------------------------

def search(query, documents, k):
    """The k rows most alike a query, best first: [H] and [N, H] -> list of row numbers."""
    scores = cosine(documents, query)           # blank: the cosine of every document with the query: [N]
    return scores.topk(k).indices.tolist()      # blank: the numbers of the k largest, the best one first


def check_search(answer):
    query = torch.tensor([1.0, 0.0])
    angles = torch.tensor([80.0, 40.0, 175.0, 10.0, 60.0, 100.0]).deg2rad()             # [N]
    lengths = torch.tensor([30.0, 8.0, 2.0, 0.2, 5.0, 1.5])                             # [N]
    documents = lengths[:, None] * torch.stack([angles.cos(), angles.sin()], dim=-1)    # [N, 2]
    found = answer(query.clone(), documents.clone(), 3)
    if isinstance(found, torch.Tensor):
        raise Mistake(f"You return a tensor of shape {list(found.shape)}; wanted is a list of 3 numbers: .tolist() makes one.")
    if isinstance(found, tuple) and all(isinstance(row, int) for row in found):
        found = list(found)
    if not isinstance(found, list):
        raise Mistake(f"Asked for the best 3, you return a {type(found).__name__}; wanted is a list of 3 row numbers.")
    if found and all(isinstance(row, float) for row in found):
        raise Mistake(f"Your list holds the cosines, {[round(row, 2) for row in found]}; wanted are the rows they belong to: [3, 1, 4].")
    right = search(query, documents, 3)
    for wrong, sentence in known(search):
        if found == wrong(query, documents, 3):
            raise Mistake(sentence.format(found, right))
    if len(found) != 3:
        raise Mistake(f"Asked for the best 3 you return {len(found)}, {found}; wanted is {right}.")
    if found != right:
        raise Mistake(f"The best 3 of 6 documents at 80°, 40°, 175°, 10°, 60° and 100° from the query are {right}; you return {found}.")
    if list(answer(query.clone(), documents.clone(), 1)) != right[:1]:
        raise Mistake(f"Asked for 1 document you return {answer(query.clone(), documents.clone(), 1)}; the best one is {right[:1]}.")
    also(answer, search, (draw(5), draw(9, 5, seed=1), 4), (draw(3, seed=2), draw(4, 3, seed=3), 4))


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="The cosine, by hand",
        task="""
            Write the cosine of two vectors: their dot product, divided by both of their lengths. It should work for two vectors [H], for two
            batches of vectors [N, H] row by row, and for a batch [N, H] with one vector [H]. Do not call a ready-made cosine.
            """,
        hints=("A dot product is a product component by component, then a sum. Over which axis, so that a batch of vectors gives one number a row?",
               "`one.norm(dim=-1)` is the length of every vector along the last axis: [N, H] gives [N]."),
        paragraph="Alike in direction: the cosine",
        solution=cosine, check=check_cosine,
    ),
    Exercise(
        chapter=CHAPTER, size="think", minutes=8, title="Who can know what?",
        task="""
            Two texts differ in places. Before any model has run: which positions are certain to get equal vectors in both, whatever the weights are?
            Write it for the three ways of reading. A position's vector depends on the tokens that it may look at, itself included, and on where they
            stand.
            """,
        hints=("Take position 2 of a text that is read left to right, and list what it may look at: positions 0, 1 and 2. Compare these lists.",
               "`one[:i + 1]` is all that position i sees from left to right, `one[i:]` all that it sees from right to left. "
               "Two lists are equal when their lengths are, too."),
        paragraph="Reading in one direction, and in both",
        solution=certainly_equal, check=check_certainly_equal,
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=8, title="One vector for a sentence",
        task="""
            Write the mean of the real tokens' vectors, for a batch whose texts have different lengths. The mask has 1 for a real token and 0 for padding.
            Keep the precision that comes in. Right after this exercise your function makes the sentence vectors of the real model.
            """,
        hints=("Padding must be missing twice: from the sum, and from the number that you divide by.",
               "`real` has the shape [B, S, 1], so that `last_hidden_state * real` sets the vectors of padding to 0. How many real tokens has each text? "
               "The same `real` knows."),
        paragraph="From words to a sentence: the mean, and a classic mistake",
        solution=mean_pooling, check=check_mean_pooling,
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=6, title="A search engine in two lines",
        task="""
            Given one query vector and a table of document vectors, return the numbers of the k rows that are most alike, best first. Call your `cosine`.
            The vectors may have any length.
            """,
        hints=("`cosine` compares along the last axis and [H] fits [N, H] by broadcasting: one call gives all N cosines.",
               "`scores.topk(k)` has `.values` and `.indices`, both sorted from the largest on; `.tolist()` makes a list."),
        paragraph="A search engine for ten sentences",
        solution=search, check=check_search,
    ),
]
