"""Exercises of chapter 4: attention."""

import math

import torch
from torch import nn

from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.exercises.base import Exercise, Mistake, also, draw, expect_module, expect_tensor, give_weights, known, recognise

CHAPTER = "04_attention"


# 4.1 ------------------------------------------------------------------------------------------------------------------

def scaled_scores(query, key):
    """How well every query fits every key: [B, A, S, D] and [B, A, T, D] -> [B, A, S, T]."""
    scores = query @ key.transpose(-2, -1)      # blank: the dot product of every query with every key
    return scores / math.sqrt(query.size(-1))   # blank: Vaswani et al. 2017: divided by √D


def check_scores(answer):
    query, key = draw(2, 3, 5, 8), draw(2, 3, 7, 8, seed=1)                     # [B, A, S, D], [B, A, T, D]
    found, right = answer(query, key), scaled_scores(query, key)                # [B, A, S, T]
    if getattr(found, "shape", None) == (2, 3, 7, 5):
        raise Mistake("Your scores have the shape [2, 3, 7, 5]: a row for each of the 7 keys. A row belongs to a query: [2, 3, 5, 7] for 5 queries and 7 keys.")
    guesses = [(wrong(query, key), sentence) for wrong, sentence in known(scaled_scores)]
    recognise(found, right, [(guess, sentence.format(guess.std(), right.std())) for guess, sentence in guesses], "Your tensor of scores")
    also(answer, scaled_scores, (draw(1, 2, 3, 6).float(), draw(1, 2, 3, 6, seed=1).float()), (draw(4, 1, 2, 3), draw(4, 1, 5, 3)), gradient=True)


# 4.2 ------------------------------------------------------------------------------------------------------------------

def masked_attention(query, key, value, mask=None):
    """Attention with a mask, True = may be looked at.

    query [B, A, S, D], key and value [B, A, T, D], mask broadcasting to [B, A, S, T]
    -> mixed values [B, A, S, D] and weights [B, A, S, T].
    A query that may look at nothing gets the mean of all values.
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        lowest = torch.finfo(scores.dtype).min      # blank: the lowest finite number that this dtype has
        scores = scores.masked_fill(~mask, lowest)  # blank: that number wherever the mask is False
    weights = scores.softmax(dim=-1)                # blank: shares that sum to 1 over the keys
    return weights @ value, weights                 # blank: the values mixed by the weights, and the weights


def check_masked(answer):
    query, key, value = draw(2, 3, 4, 8), draw(2, 3, 6, 8, seed=1), draw(2, 3, 6, 8, seed=2)
    padding = torch.ones(2, 1, 1, 6, dtype=torch.bool)                          # [B, 1, 1, T]
    padding[0, ..., 4:] = False
    blocks = padding & (torch.arange(6) < torch.tensor([[2], [3], [4], [6]]))   # [B, 1, S, T]
    for mask, name in ((None, "Without a mask"), (padding, "With 2 of 6 keys hidden"), (blocks, "With a mask [2, 1, 4, 6]")):
        found = answer(query, key, value, mask)
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise Mistake("Return two things: the mixed values and the weights.")
        mixed, weights = masked_attention(query, key, value, mask)
        hidden = torch.zeros(1, dtype=torch.bool) if mask is None else ~mask
        guesses = [(wrong(query, key, value, mask)[1], sentence) for wrong, sentence in known(masked_attention)]
        expect_tensor(found[1], weights.shape, f"{name}, the second result, the weights,")
        if found[1].isnan().any():
            raise Mistake(f"{name}, {int(found[1].isnan().sum())} of your weights are nan: a number that is too low for its dtype is -inf, "
                          "and -inf × 0 is nan. Do not multiply by the mask; put the number in place with masked_fill.")
        recognise(found[1], weights, [(guess, sentence.format((guess * hidden).max())) for guess, sentence in guesses], f"{name}, your tensor of weights")
        if hidden.any() and (left := float((found[1] * hidden).max())) > 0:
            raise Mistake(f"{name}, a hidden key keeps a weight of {left:.0e}: your number is not low enough.")
        recognise(found[0], mixed, [], f"{name}, your tensor of mixed values")
    also(answer, masked_attention, (draw(1, 2, 5, 3), draw(1, 2, 5, 3, seed=1), draw(1, 2, 5, 3, seed=2), torch.ones(1, 1, 5, 5, dtype=torch.bool).tril()),
         (draw(3, 1, 2, 4).float(), draw(3, 1, 3, 4, seed=1).float(), draw(3, 1, 3, 4, seed=2).float()), gradient=True)
    check_large_scores(answer, query.float(), key.float(), value.float(), padding)
    check_empty_row(answer, query, key, value)


def check_large_scores(answer, query, key, value, mask):
    weights = answer(query * 1000, key * 1000, value, mask)[1]
    leaked = float(weights.masked_fill(mask, 0).max())
    if leaked > 0:
        raise Mistake(f"With large scores your mask leaks: a hidden key gets the weight {leaked:.2f}. A constant such as -10000 "
                      "is not far enough below scores of this size; take the lowest number of the dtype.")


def check_empty_row(answer, query, key, value):
    for dtype in (torch.float64, torch.float16):
        mask = torch.ones(2, 1, 1, 6, dtype=torch.bool)
        mask[1] = False                                                         # the second text is nothing but padding
        try:
            mixed = answer(query.to(dtype), key.to(dtype), value.to(dtype), mask)[0]
        except RuntimeError as error:
            raise Mistake(f"In {dtype} your function stops: {error}. The lowest number of float16 is -65504, so -1e9 "
                          "does not exist there; ask torch.finfo(scores.dtype).min.") from None
        if mixed.isnan().any():
            raise Mistake(f"For a text in which every key is hidden, {int(mixed[1].isnan().sum())} of {mixed[1].numel()} of your numbers "
                          f"are nan ({dtype}): a softmax over nothing but -inf is 0/0. A finite lowest number gives every key the same share.")
        mean = value[1].mean(-2, keepdim=True).expand(3, 4, 8)                  # [A, S, D]
        zeros = (torch.zeros_like(mean), "A query with nothing to look at gets zeros from you; here it gets the mean of all values, "
                                         "so that its weights still sum to 1.")
        open_row = (masked_attention(query, key, value)[0][1], "A text in which every key is hidden gets from you what it would get without a mask: "
                    "to lower all scores alike changes no weight. Put the lowest number in place of the scores instead of adding it.")
        recognise(mixed[1].double(), mean, [zeros, open_row], f"Your tensor of mixed values of a text in which every key is hidden ({dtype})",
                  tolerance=1e-5 if dtype == torch.float64 else 1e-2)


# 4.3 ------------------------------------------------------------------------------------------------------------------

def attention_counts(length, hidden, heads):
    """One self-attention over one text: S tokens of H numbers, A heads.

    -> how many parameters, how many attention weights, how many multiplications.
    """
    parameters = 3 * (hidden * hidden + hidden)     # blank: three linear maps with biases
    weights = heads * length * length               # blank: one for each head, query, key
    maps = 3 * length * hidden * hidden             # blank: multiplications of the maps
    pairs = 2 * length * length * hidden            # blank: those of scores and mixing
    return parameters, weights, maps + pairs


def check_counts(answer):
    names = ("number of parameters", "number of weights", "number of multiplications")
    for length, hidden, heads in ((7, 384, 12), (512, 768, 12), (11, 768, 16)):
        found, right = answer(length, hidden, heads), attention_counts(length, hidden, heads)
        if not isinstance(found, (tuple, list)) or len(found) != 3:
            raise Mistake("Return three numbers: parameters, weights, multiplications.")
        for i, name in enumerate(names):
            if found[i] == right[i]:
                continue
            given = f"For S = {length}, H = {hidden}, A = {heads} your {name}, {found[i]:,},"
            for wrong, sentence in known(attention_counts):
                if found[i] == wrong(length, hidden, heads)[i]:
                    raise Mistake(f"{given} {sentence.format(s=length, h=hidden, a=heads, d=hidden // heads)}.")
            raise Mistake(f"{given} is not right: it is {right[i]:,}.")


# 4.4 ------------------------------------------------------------------------------------------------------------------

class SelfAttention(nn.Module):
    """Self-attention with A heads. Its parameters are named as in every published BERT."""

    def __init__(self, hidden_size, num_heads):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError(f"hidden_size {hidden_size} cannot be cut into {num_heads} equal heads")
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)

    def split(self, x):
        """[B, S, H] -> [B, A, S, D]."""
        B, S, H = x.shape
        x = x.view(B, S, self.num_heads, H // self.num_heads)   # blank: cut each token's H numbers
        return x.transpose(1, 2)                                # blank: heads before tokens

    def merge(self, x):
        """[B, A, S, D] -> [B, S, H]."""
        x = x.transpose(1, 2)                                   # blank: tokens before heads
        return x.flatten(2)                                     # blank: a token's pieces in a row

    def forward(self, hidden, mask=None, output_weights=False):
        """hidden [B, S, H], mask [B, 1, 1 or S, S].

        -> mixed [B, S, H] and, when asked for, weights [B, A, S, S] (else None).
        """
        query = self.split(self.query(hidden))
        key = self.split(self.key(hidden))
        value = self.split(self.value(hidden))
        mixed, weights = masked_attention(query, key, value, mask)
        return self.merge(mixed), weights if output_weights else None


def check_self_attention(answer):
    config = BertConfig(vocab_size=10, hidden_size=24, num_attention_heads=4, intermediate_size=24)
    reference = BertSelfAttention(config).double().eval()
    for i, p in enumerate(reference.parameters()):
        p.data = draw(*p.shape, seed=10 + i) / 3
    expect_module(mine := answer(24, 4), "SelfAttention(24, 4)")
    mine = mine.double().eval()
    wanted, found = ({name: list(p.shape) for name, p in m.state_dict().items()} for m in (reference, mine))
    if found != wanted:
        given, real = (", ".join(f"{name} {shape}" for name, shape in names.items()) for names in (found, wanted))
        raise Mistake(f"Your parameters are {given}; real weights come as {real}.")
    mine.load_state_dict(reference.state_dict())
    hidden = draw(2, 5, 24, seed=3)                                             # [B, S, H]
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)                             # [B, 1, 1, S]
    mask[1, ..., 3:] = False
    right = reference(hidden, mask, output_weights=True)                        # [B, S, H], [B, A, S, S]
    result = mine(hidden, mask, output_weights=True)
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise Mistake(f"forward returns a {type(result).__name__}; two things are wanted, the mixed values and the weights (or None).")
    mixed, weights = result
    guesses = []
    for suspect, sentence in known(SelfAttention):
        module = suspect(24, 4).double()
        module.load_state_dict(reference.state_dict())
        guesses.append((*module(hidden, mask, output_weights=True), sentence))
    recognise(mixed, right[0], [(guess, sentence) for guess, _, sentence in guesses], "Your tensor of mixed values")
    expect_tensor(weights, [2, 4, 5, 5], "With output_weights=True the second result")
    recognise(weights, right[1], [(guess, sentence) for _, guess, sentence in guesses], "Your tensor of weights")
    try:
        open_to_all = mine(hidden)[0]
    except (TypeError, AttributeError) as error:
        raise Mistake(f"Without a mask your class stops ({error}): mask is None then, and nothing is hidden.") from None
    recognise(open_to_all, reference(hidden)[0], [], "Without a mask, your tensor of mixed values")
    if mine(hidden, mask)[1] is not None:
        raise Mistake("Without output_weights=True the second result should be None, but yours is a tensor of shape [2, 4, 5, 5]: "
                      "maps that nobody asked for fill the memory.")
    also(mine, reference, (draw(3, 7, 24), torch.ones(3, 1, 7, 7, dtype=torch.bool).tril()), (draw(1, 2, 24),), gradient=True)
    other = BertSelfAttention(BertConfig(vocab_size=10, hidden_size=12, num_attention_heads=3, intermediate_size=24)).eval()
    give_weights(small := answer(12, 3), other.state_dict(), "SelfAttention(12, 3)")
    also(small.eval(), other, (draw(2, 4, 12).float(),))
    check_indivisible(answer)


def check_indivisible(answer):
    try:
        answer(100, 12)
    except ValueError as error:
        if "100" in str(error) and "12" in str(error):
            return
        raise Mistake(f"Your ValueError says “{error}”; name both numbers, 100 and 12.") from None
    except (TypeError, RuntimeError) as error:
        raise Mistake(f"SelfAttention(100, 12) stops with {type(error).__name__}: {error}. A wrong value of the right type is a ValueError.") from None
    except AssertionError:
        raise Mistake("You stop SelfAttention(100, 12) by an assert, which python -O leaves out. Raise a ValueError.") from None
    raise Mistake("SelfAttention(100, 12) is made without complaint: 100 / 12 = 8.33, so 12 heads of 8 would leave 4 numbers out. "
                  "Raise a ValueError.")


# 4.5 ------------------------------------------------------------------------------------------------------------------

def key_bias_shift(query, bias):
    """What a bias on the keys adds to the scaled scores: [B, A, S, D], [A, D] -> [B, A, S, 1]."""
    products = query * bias[:, None]                    # blank: each query times its head's bias
    shift = products.sum(dim=-1, keepdim=True)          # blank: summed up to a dot product
    return shift / math.sqrt(query.size(-1))            # blank: scaled as every score is


SHIFT_SHAPES = {
    (2, 3, 5): "Your result has the shape [2, 3, 5]; keep the last axis (keepdim=True): [2, 3, 5, 1] is added to a whole row of scores.",
    (2, 3, 1, 5): "Your result has the shape [2, 3, 1, 5]: one number for each key. The bias is the same for all keys; "
                  "what differs is the query: [2, 3, 5, 1].",
    (2, 3, 8, 1): "Your result has the shape [2, 3, 8, 1]: you summed over the 5 tokens. A dot product sums over the 8 numbers of a head.",
}


def check_shift(answer):
    query, bias = draw(2, 3, 5, 8), draw(3, 8, seed=1)                          # [B, A, S, D], [A, D]
    found, right = answer(query, bias), key_bias_shift(query, bias)             # [B, A, S, 1]
    if (shape := tuple(getattr(found, "shape", ()))) in SHIFT_SHAPES:
        raise Mistake(SHIFT_SHAPES[shape])
    guesses = [(wrong(query, bias), sentence) for wrong, sentence in known(key_bias_shift)]
    recognise(found, right, [(guess, sentence.format(guess[0, 0, 0, 0], right[0, 0, 0, 0])) for guess, sentence in guesses], "The shift")
    also(answer, key_bias_shift, (draw(1, 2, 4, 3).float(), draw(2, 3, seed=1).float()), (draw(3, 4, 1, 6), draw(4, 6)), gradient=True)


# ----------------------------------------------------------------------------------------------------------------------

EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="Scores, scaled",
        task="""
            Write the inside of equation 1, $QK^\\top/\\sqrt{d_k}$, for a batch with several heads: a score for every query and
            every key. The number of keys, T, may differ from the number of queries, S.
            """,
        hints=("`@` multiplies the last two axes of its two tensors and leaves the others alone: [S, D] times [D, T] gives [S, T].",
               "`key.transpose(-2, -1)` swaps the last two axes. The head size is `query.size(-1)`: "
               "not the number of tokens, not the hidden size."),
        paragraph="Why divide by √d?",
        solution=scaled_scores, check=check_scores,
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="Attention that looks away from padding",
        task="""
            Write attention with a mask. `True` means 'may be looked at'. It must work where S and T differ, for a mask
            [B, 1, 1, T] and for [B, A, S, T], with large scores, in half precision, and for a text that is nothing but padding.
            The mask that you get is not yours: leave it as it is.
            """,
        hints=("A hidden key must get the weight 0, and the softmax turns only a very low score into 0. "
               "So change the scores, before the softmax.",
               "`torch.finfo(scores.dtype).min` is the lowest finite number of whatever precision you got. "
               "`scores.masked_fill(~mask, number)` makes a new tensor; its twin with a `_` at the end of its name would write "
               "into the old one."),
        paragraph="Which number hides a key?",
        solution=masked_attention, check=check_masked,
    ),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="What do more heads cost?",
        task="""
            One text of S tokens goes through one self-attention: three linear maps, scores, softmax, mixing (no map after it,
            and the softmax not counted). Give its parameters, its attention weights and its multiplications as formulas in
            `length` (S), `hidden` (H) and `heads` (A). Before you write: which of the three grows when the heads double?
            """,
        hints=("A linear map from H to H has H × H weights and H biases, and needs H × H multiplications for each token. "
               "The heads are pieces of it: A × D = H.",
               "One score is a dot product of D numbers. There are A × S × S of them, so scoring costs A × S × S × D = S × S × H. "
               "Mixing costs the same."),
        paragraph="Several heads",
        solution=attention_counts, check=check_counts,
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=20, title="Self-attention, ready for real weights",
        task="""
            Build the module: three linear maps, heads split and merged, attention in between (by `masked_attention`). It is
            called as the package's own: `forward(hidden, mask, output_weights)`. After this exercise it runs inside a real BERT,
            so its parameters must be named as there. Dropout is left out: real weights are used in evaluation mode.
            """,
        hints=("Write the shape after every step: [B, S, H] → [B, S, A, D] → [B, A, S, D]. The way back is the same path in reverse.",
               "`x.view(B, S, A, D)` cuts each token's vector into A pieces that stand side by side; `.transpose(1, 2)` swaps the "
               "axes of tokens and heads. Back: `.transpose(1, 2)` first, then `.flatten(2)`."),
        paragraph="Split and merge",
        solution=SelfAttention, check=check_self_attention,
    ),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="A parameter that does nothing",
        task="""
            `nn.Linear` has a bias, so every key is $W_K x + b$. What does $b$ add to the scores of a query? Write it as a
            function, and look at the shape of the result: why does the softmax over the keys not notice it at all?
            """,
        hints=("$q \\cdot (k + b) = q \\cdot k + q \\cdot b$. The second part does not contain $k$.",
               "Multiply `query` [B, A, S, D] by `bias[:, None]` [A, 1, D] and sum over the last axis, keeping it. Then scale."),
        paragraph="Equation 1",
        solution=key_bias_shift, check=check_shift,
    ),
]
