"""Exercise `LearnedPositions`: task, hints, solution and check."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch03_positions.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    also,
    expect_module,
    expect_tensor,
    recognise,
)


class LearnedPositions(nn.Module):
    """A vector for every position, learned like any other weight. BERT's table has 512 rows."""

    def __init__(self, length, dim):
        super().__init__()
        # blank from here: the parameter, and the method forward(self, position_ids)
        self.weight = nn.Parameter(torch.randn(length, dim) * 0.02)  # [length, dim]

    def forward(self, position_ids):
        """Position ids [B, S] -> position vectors [B, S, H]; a ValueError for an id without a row."""
        first, last = int(position_ids.min()), int(position_ids.max())  # waits for a GPU
        if first < 0 or last >= len(self.weight):
            raise ValueError(f"positions {first} to {last} of a table with {len(self.weight)} rows")
        return self.weight[position_ids]  # [B, S, H], the rows with these numbers


def check_learned(answer):
    torch.manual_seed(0)  # `check` restores the random state afterwards
    expect_module(mine := answer(200, 24), "LearnedPositions(200, 24)")
    named = {name: list(p.shape) for name, p in mine.named_parameters()}
    if not named and torch.is_tensor(getattr(mine, "weight", None)):
        kind = (
            "a buffer"
            if "weight" in mine.state_dict()
            else "a plain tensor, which a checkpoint would not hold either,"
        )
        raise Mistake(
            f"Your weight {list(mine.weight.shape)} is {kind} and not a parameter, so an optimiser has 0 numbers to change. Make it an nn.Parameter."
        )
    if named != {"weight": [200, 24]}:
        raise Mistake(
            f"Your parameters are {', '.join(f'{n} {s}' for n, s in named.items()) or 'none'}; real weights come as weight [200, 24], a row for each position."
        )
    if mine.weight.dtype != torch.float32:
        raise Mistake(
            f"Your weight is {mine.weight.dtype}; a new parameter is torch.float32, as torch.randn gives it."
        )
    if not mine.weight.requires_grad:
        raise Mistake("Your weight is frozen (requires_grad is False): 0 of 200 rows can learn.")
    check_start(mine.weight.detach(), answer(200, 24).weight.detach())
    ids = torch.tensor([[4, 0, 2, 9, 1], [7, 7, 199, 3, 0]])  # [B, S]
    try:
        found, weight = mine(ids), mine.weight
    except ValueError as error:
        raise Mistake(
            f"Positions 0 to 199 all have a row in a table of 200, but you refuse them: {error}."
        ) from None
    if getattr(found, "shape", None) == (2, 200, 24):
        raise Mistake(
            "Your result has the shape [2, 200, 24]: the whole table, for texts of 5 tokens. Return only the rows that the ids ask for: [2, 5, 24]."
        )
    expect_tensor(found, (2, 5, 24), "The position vectors")
    if not torch.equal(found, mine(ids)):
        raise Mistake(
            f"Two calls with the same ids differ by up to {(found - mine(ids)).abs().max().item():.2f}. A lookup copies rows; dropout comes after the sum, in another layer."
        )
    recognise(
        found.detach(),
        F.embedding(ids, weight).detach(),
        [
            (
                weight[:5].expand(2, 5, 24).detach(),
                "You return the rows 0 to 4 whatever the ids are: the second text asked for [7, 7, 199, 3, 0].",
            ),
            (
                weight[ids[0]].expand(2, 5, 24).detach(),
                "You use the ids of the first text for both: the second text asked for [7, 7, 199, 3, 0].",
            ),
            (
                weight[(ids + 1) % 200].detach(),
                "You return the row after the one that is asked for: position 0 gets row 1. Positions count from 0, as rows do.",
            ),
            (
                weight[ids].detach() * math.sqrt(24),
                "Your vectors are √24 = 4.9 times too long. BERT adds the rows of its table as they are.",
            ),
        ],
        "The tensor of position vectors",
    )
    if not found.requires_grad:
        raise Mistake(
            "No gradient comes through your lookup (requires_grad is False), so 0 of 200 rows would ever learn."
        )
    (gradient,) = torch.autograd.grad(found.sum(), weight)  # [200, 24]
    untaught = [row for row in sorted(set(ids.flatten().tolist())) if not gradient[row].any()]
    if untaught:
        raise Mistake(
            f"Row {untaught[0]} was used and gets no gradient, so it would never learn. Every row that is looked up must get a gradient."
        )
    also(
        mine,
        lambda ids: F.embedding(ids, mine.weight),
        (torch.tensor([[8, 0, 3, 1, 1, 2, 7]]),),
        (torch.tensor([[1, 2], [5, 6], [0, 0]]),),
    )
    for ids, what in (
        (torch.tensor([[198, 199, 200]]), "Position 200 in a table of 200 rows"),
        (torch.tensor([[0, -1]]), "Position -1"),
        (torch.tensor([[0, -2]]), "Position -2"),
        (torch.tensor([[3, 1], [0, -1]]), "Position -1 in the second text"),
    ):
        check_refusal(mine, ids, what)
    small = answer(9, 24)
    check_refusal(small, torch.tensor([[3, 9], [0, 1]]), "Position 9 in a table of 9 rows")
    also(small, lambda ids: F.embedding(ids, small.weight), (torch.tensor([[8, 0, 3]]),))
    check_message(mine, torch.tensor([[198, 199, 200]]))
    check_message(mine, torch.tensor([[0, -1]]))


def check_start(weight, another):
    """Raises Mistake unless a new table [200, 24] is initialised like BERT's.

    `another` is a second new table, which must have other numbers.
    """
    spread, centre = weight.std().item(), weight.mean().item()
    if (weight - weight[0]).abs().max() < 1e-6:
        raise Mistake(
            f"All your rows start equal (they begin with {weight[0, 0]:.3f}, {weight[1, 0]:.3f}, {weight[2, 0]:.3f}), so at the start no position differs from another. Draw normal numbers."
        )
    if weight.std(dim=1).max() < 1e-6:
        raise Mistake(
            f"Each of your rows is one number, 24 times: row 1 is {weight[1, 0]:.3f}, {weight[1, 1]:.3f}, {weight[1, 2]:.3f}, …. LayerNorm would erase it; draw [length, dim] numbers."
        )
    if not 0.017 < spread < 0.023 or abs(centre) > 0.005:
        effect = "would drown" if spread > 0.02 else "do not fit"
        raise Mistake(
            f"Your numbers have the standard deviation {spread:.4f} and the mean {centre:.2f}; BERT's tables start with 0.02 and 0. "
            f"Rows of length {weight.norm(dim=1).mean().item():.2g} {effect} words of length {0.02 * math.sqrt(24):.1f}."
        )
    if torch.equal(weight, another):
        raise Mistake(
            f"Two new tables of yours are equal (both have {weight[1, 0]:.3f} at [1, 0]): nothing is drawn. Learned positions start with random numbers."
        )
    # A normal distribution exceeds this bound even when it is truncated at two standard deviations;
    # a uniform one does not.
    if weight.abs().max() < 1.9 * spread:
        raise Mistake(
            f"Your numbers are uniform: none of 4,800 is further from 0 than {weight.abs().max().item() / spread:.2f} standard deviations. Draw normal numbers, torch.randn."
        )


def check_refusal(mine, ids, what):
    without_row = (ids < 0) | (ids >= len(mine.weight))  # [B, S]
    try:
        found = mine(ids)
    except ValueError:
        return
    except (AssertionError, IndexError, RuntimeError) as error:
        raise Mistake(
            f"{what} ends in {type(error).__name__}: {str(error) or 'no message'}. Raise a ValueError that says which position was asked for and how many rows there are."
        ) from None
    expect_tensor(found, (*ids.shape, 24), f"{what} needs a ValueError, or at least its vectors")
    got = found[without_row][0]  # [H]
    rows = [row for row in range(len(mine.weight)) if torch.equal(got, mine.weight[row])]
    silently = f"silently gets row {rows[0]}" if rows else "silently gets some vector"
    raise Mistake(f"{what} {silently}; it has no row, so raise a ValueError.")


def check_message(mine, ids):
    asked = int(ids[0, -1])
    try:
        mine(ids)
    except ValueError as error:
        if str(asked) not in str(error):
            raise Mistake(
                f"You refuse position {asked}, but your message does not name it: “{error}”. Say which positions were asked for."
            ) from None


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="Learned positions, ready for real weights",
    task="""
            Build a module like BERT's: a table of `length` rows of `dim` numbers, which is learned and starts with normal numbers of standard deviation 0.02. Its `forward` takes position ids [B, S] and returns their rows, [B, S, H].
            It raises a ValueError for any id that has no row (negative ids too), and the message says which positions were asked for. At the end of the chapter your module takes the place of the table in MiniLM, so its only parameter must be called `weight`, as there.
            """,
    hints=(
        "An optimiser trains only what the module knows as a parameter. For `forward`, think of what Python does with the index -1, and with an index that is too large.",
        "`nn.Parameter` makes a tensor trainable; `torch.randn(length, dim)` has standard deviation 1. Indexing a table by a tensor of ids gives the rows with these numbers: `self.weight[position_ids]` is [B, S, H]. Compare `position_ids.min()` and `.max()` with the number of rows first.",
    ),
    paragraph="Learned positions",
    solution=LearnedPositions,
    check=check_learned,
)
