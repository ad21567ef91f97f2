"""Exercise `SelfAttention`: task, hints, solution and check."""

import torch
from torch import nn

from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch04_attention.common import (
    CHAPTER,
    masked_attention,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
    expect_module,
    expect_tensor,
    give_weights,
    recognise,
)


class SelfAttention(nn.Module):
    """Self-attention with A heads. Its parameters are named as in BERT's PyTorch checkpoints."""

    def __init__(self, hidden_size, num_heads):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError(
                f"hidden_size {hidden_size} cannot be cut into {num_heads} equal heads"
            )
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)

    def split(self, x):
        """[B, S, H] -> [B, A, S, D]."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # blank: [B, A, S, D]

    def merge(self, x):
        """[B, A, S, D] -> [B, S, H]."""
        return x.transpose(1, 2).flatten(2)  # blank: [B, S, H]

    def forward(self, hidden, mask=None, output_attentions=False):
        """hidden [B, S, H], mask [B, 1, 1, S] or [B, 1, S, S].

        -> mixed [B, S, H] and, when asked for, weights [B, A, S, S] (else None).
        """
        # blank from here: map, split, attend, merge
        query = self.split(self.query(hidden))  # [B, A, S, D]
        key = self.split(self.key(hidden))
        value = self.split(self.value(hidden))
        mixed, weights = masked_attention(query, key, value, mask)
        return self.merge(mixed), weights if output_attentions else None


def shape_mistake(module, hidden, error):
    """Which of `split` and `merge` stops the forward pass, in words."""
    try:
        parts = list(module.split(hidden).shape)
    except RuntimeError as of_split:
        return f"Your split stops with [2, 5, 24] and 4 heads: {of_split}"
    if parts != [2, 4, 5, 6]:
        return (
            f"Your split makes {parts} of [2, 5, 24], 4 heads; expected is [2, 4, 5, 6]. "
            "Cut each token's 24 numbers into 4 times 6, [2, 5, 4, 6], then transpose the axes of tokens and heads."
        )
    try:
        module.merge(draw(2, 4, 5, 6))
    except RuntimeError as of_merge:
        return (
            f"Your merge stops with [2, 4, 5, 6]: {of_merge} A transpose leaves the numbers where they are in memory, "
            "and view cannot join such axes: use flatten or reshape after it."
        )
    return f"Your split and merge work, but forward stops with RuntimeError: {error}"


def check_self_attention(answer):
    config = BertConfig(vocab_size=10, hidden_size=24, num_attention_heads=4, intermediate_size=24)
    reference = BertSelfAttention(config).double().eval()
    for i, p in enumerate(reference.parameters()):
        p.data = draw(*p.shape, seed=10 + i) / 3
    expect_module(mine := answer(24, 4), "SelfAttention(24, 4)")
    mine = mine.double().eval()
    wanted, found = (
        {name: list(p.shape) for name, p in m.state_dict().items()} for m in (reference, mine)
    )
    if found != wanted:
        given, real = (
            ", ".join(f"{name} {shape}" for name, shape in names.items())
            for names in (found, wanted)
        )
        raise Mistake(f"Your parameters are {given}; real weights come as {real}.")
    mine.load_state_dict(reference.state_dict())
    hidden = draw(2, 5, 24, seed=3)  # [B, S, H]
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)  # [B, 1, 1, S]
    mask[1, ..., 3:] = False
    right = reference(hidden, mask, output_attentions=True)  # [B, S, H], [B, A, S, S]
    try:
        result = mine(hidden, mask, output_attentions=True)
    except RuntimeError as error:
        raise Mistake(shape_mistake(mine, hidden, error)) from None
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise Mistake(
            f"forward returns a {type(result).__name__}; it should return two things, the mixed values and the weights (or None)."
        )
    mixed, weights = result
    guesses = []
    for suspect, sentence in known(SelfAttention):
        module = suspect(24, 4).double()
        module.load_state_dict(reference.state_dict())
        guesses.append((*module(hidden, mask, output_attentions=True), sentence))
    recognise(
        mixed,
        right[0],
        [(guess, sentence) for guess, _, sentence in guesses],
        "Your tensor of mixed values",
    )
    expect_tensor(weights, [2, 4, 5, 5], "With output_attentions=True the second result")
    recognise(
        weights,
        right[1],
        [(guess, sentence) for _, guess, sentence in guesses],
        "Your tensor of weights",
    )
    try:
        open_to_all = mine(hidden)[0]
    except (TypeError, AttributeError) as error:
        raise Mistake(
            f"Without a mask your class stops ({error}): mask is None then, and nothing is hidden."
        ) from None
    recognise(open_to_all, reference(hidden)[0], [], "Without a mask, your tensor of mixed values")
    if mine(hidden, mask)[1] is not None:
        raise Mistake(
            "Without output_attentions=True the second result should be None, but yours is a tensor of shape [2, 4, 5, 5]: "
            "weights that are not used take memory."
        )
    also(
        mine,
        reference,
        (draw(3, 7, 24), torch.ones(3, 1, 7, 7, dtype=torch.bool).tril()),
        (draw(1, 2, 24),),
        gradient=True,
    )
    other = BertSelfAttention(
        BertConfig(vocab_size=10, hidden_size=12, num_attention_heads=3, intermediate_size=24)
    ).eval()
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
        raise Mistake(
            f"SelfAttention(100, 12) stops with {type(error).__name__}: {error}. A wrong value of the right type is a ValueError."
        ) from None
    except AssertionError:
        raise Mistake(
            "You stop SelfAttention(100, 12) by an assert, which python -O leaves out. Raise a ValueError."
        ) from None
    raise Mistake(
        "SelfAttention(100, 12) is made without complaint: 100 / 12 = 8.33, so 12 heads of 8 would leave 4 numbers out. "
        "Raise a ValueError."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=25,
    title="Self-attention, ready for real weights",
    task="""
            Build the module: split, merge, and a forward pass with `masked_attention` in it. It is called like the package's own
            class, `forward(hidden, mask, output_attentions)`, and its parameters have the same names, because it is going to run
            inside MiniLM. $W_O$ stays in the package's class `BertSelfOutput`. Leave out dropout, which is inactive in evaluation.
            """,
    hints=(
        "Write the shape beside every step of the forward pass. Which tensors have to be split, and what has to be merged?",
        "Cut the last axis into A parts first (`unflatten` or `view`), then exchange the axes of tokens and heads. The way back "
        "takes the same two steps in reverse order, and the second of them has to copy.",
    ),
    paragraph="Your class in a trained model",
    solution=SelfAttention,
    check=check_self_attention,
)
