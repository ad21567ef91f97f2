"""Exercises of chapter 3: positions."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from minibert.exercises.base import Exercise, Mistake, also, expect_module, expect_tensor, known, recognise
from minibert.positions import sinusoidal_table

CHAPTER = "03_positions"


# 3.1 ------------------------------------------------------------------------------------------------------------------

def wavelength(pair, dim):
    """After how many positions pair 0, 1, 2, … of a table of `dim` columns has turned once around."""
    frequency = 10000.0 ** (-2 * pair / dim)    # blank: radians that this pair turns for each position
    return 2 * math.pi / frequency              # blank: positions for a full turn


def check_wavelength(answer):
    if not hasattr(answer(0, 8), "__float__"):
        raise Mistake(f"Your answer for pair 0 of 8 columns is {answer(0, 8)!r}, a {type(answer(0, 8)).__name__}; return a number.")
    for pair, dim in ((0, 8), (1, 8), (3, 8), (5, 12), (100, 384)):
        found, right = float(answer(pair, dim)), wavelength(pair, dim)
        if math.isclose(found, right, rel_tol=1e-5):
            continue
        given = f"For pair {pair} of {dim} columns you get {found:,.4g} positions where {right:,.4g} is right"
        for mistake, sentence in known(wavelength):
            # pair 0 alone does not tell the mistakes apart, so a suspect must agree on another pair, too
            if math.isclose(found, mistake(pair, dim), rel_tol=1e-5) and math.isclose(float(answer(3, 8)), mistake(3, 8), rel_tol=1e-5):
                raise Mistake(f"{given}: {sentence.format(pair=pair, dim=dim)}.")
        if abs(found - right) <= 1 and found == int(found):
            raise Mistake(f"{given}: you round; the number need not be whole.")
        raise Mistake(f"{given}.")


# 3.2 ------------------------------------------------------------------------------------------------------------------

def position_table(length, dim):
    """The sinusoidal table of Vaswani et al. 2017, section 3.5: [length, dim] for an even dim."""
    position = torch.arange(length)[:, None]        # [S, 1]
    even = torch.arange(0, dim, 2)                  # [H/2]: 0, 2, 4, …, the 2j of the formula
    angle = position / 10000.0 ** (even / dim)      # blank: [S, H/2], how far each pair has turned
    table = torch.zeros(length, dim)                # [S, H]
    table[:, 0::2] = angle.sin()                    # blank: what stands in the columns 0, 2, 4, …
    table[:, 1::2] = angle.cos()                    # blank: what stands in the columns 1, 3, 5, …
    return table


LENGTH, DIM = 120, 64      # not a multiple of each other: dividing by the wrong one must show


def check_table(answer):
    found, right = answer(LENGTH, DIM), sinusoidal_table(LENGTH, DIM)           # [S, H]
    if getattr(found, "shape", None) == (DIM, LENGTH):
        raise Mistake(f"Your table has the shape [{DIM}, {LENGTH}]: a row for each column number. A row belongs to a position: [{LENGTH}, {DIM}].")
    expect_tensor(found, (LENGTH, DIM), "The table")
    found = found.detach()
    still = int((found.double().std(dim=0) < 1e-3).sum())
    numbers = dict(found=found, still=still, largest=found.max())
    suspects = [(wrong(LENGTH, DIM), sentence.format(**numbers)) for wrong, sentence in known(position_table)]
    # float32 angles near 100 are exact to about 1e-5, and that is good enough for an answer
    recognise(found, right, suspects, "The table", tolerance=1e-4)
    for shape in ((1, 2), (7, 8), (600, 6)):
        recognise(answer(*shape), sinusoidal_table(*shape), [], f"The table for length {shape[0]}, dim {shape[1]}", tolerance=1e-3)


# 3.3 ------------------------------------------------------------------------------------------------------------------

def shift_matrix(offset, dim):
    """R(k) [H, H]: moves every row of the table on by `offset` = k positions, R(k) p(i) = p(i + k)."""
    even = torch.arange(0, dim, 2)                  # [H/2]: the columns of the sines
    angle = offset / 10000.0 ** (even.double() / dim)  # blank: [H/2], the turn of each pair in `offset` steps
    matrix = torch.zeros(dim, dim, dtype=torch.float64)  # [H, H]
    matrix[even, even] = angle.cos()                # blank: how much of the old sine is in the new sine
    matrix[even, even + 1] = angle.sin()            # blank: how much of the old cosine is in the new sine
    matrix[even + 1, even] = -angle.sin()           # blank: how much of the old sine is in the new cosine
    matrix[even + 1, even + 1] = angle.cos()        # blank: how much of the old cosine is in the new cosine
    return matrix


def check_shift(answer):
    for offset, dim in ((3, 8), (-2, 12), (40, 6), (0, 4)):
        found, right = answer(offset, dim), shift_matrix(offset, dim)           # [H, H]
        expect_tensor(found, right.shape, f"R({offset}) for dim {dim}")
        table = sinusoidal_table(60, dim).double()                              # [S, H]
        moved = found.detach().double() @ table[10]
        off = (moved - table[10 + offset]).norm()
        given = f"Your R({offset}) p(10) misses p({10 + offset}) by {off:.2f}"
        if offset == -2 and torch.allclose(found.double(), shift_matrix(2, dim), atol=1e-4):
            raise Mistake(f"{given} and hits p(12): a negative offset goes back. Use the offset with its sign.")
        numbers = dict(given=given, offset=offset, dim=dim, pairs=dim // 2, back=10 - offset, further=11 + offset,
                       turn=offset * 10000 ** (-2 / dim), slow=offset * 10000 ** (-1 / dim), fast=offset * 10000 ** (-4 / dim))
        suspects = [(wrong(offset, dim), sentence.format(**numbers)) for wrong, sentence in known(shift_matrix)]
        recognise(found.detach(), right, suspects + [(found.detach(), which_entries(found.detach(), right, given))],
                  f"R({offset}) for dim {dim}", tolerance=1e-4)


def which_entries(found, right, given):
    """A sentence that says which of the four kinds of entries of R(k) is wrong. found, right [H, H]."""
    blocks = torch.block_diag(*[torch.ones(2, 2)] * (len(right) // 2)).bool()  # [H, H]
    if found[~blocks].abs().max() > 1e-4:
        row, column = (found.abs() * ~blocks).argmax().item() // len(right), (found.abs() * ~blocks).argmax().item() % len(right)
        return (f"{given}: row {row} has {found[row, column]:.2f} in column {column}, which belongs to another pair. "
                "A pair mixes only its own sine and cosine; everything outside the 2 × 2 blocks on the diagonal is 0.")
    names = {(0, 0): "the old sine in the new sine", (0, 1): "the old cosine in the new sine",
             (1, 0): "the old sine in the new cosine", (1, 1): "the old cosine in the new cosine"}
    wrong = {}
    for place, name in names.items():
        mine, theirs = (matrix[place[0]::2, place[1]::2].diagonal().double() for matrix in (found, right))     # [H/2]
        if not torch.allclose(mine, theirs, rtol=1e-4, atol=1e-4):
            pair = int((mine - theirs).abs().argmax())
            wrong[name] = f"{mine[pair]:.2f} where {theirs[pair]:.2f} is right, for pair {pair}"
    turn = found[2 * pair:2 * pair + 2, 2 * pair:2 * pair + 2].double() if wrong else None      # [2, 2]
    if len(wrong) == 4 and torch.allclose(turn @ turn.T, torch.eye(2).double(), atol=1e-4) and torch.det(turn) > 0:
        angles = [math.atan2(matrix[2 * pair, 2 * pair + 1], matrix[2 * pair, 2 * pair]) for matrix in (found, right)]
        return f"{given}: your pair {pair} turns by {angles[0]:.2f} radians (up to whole turns), where {angles[1]:.2f} is right."
    return f"{given}. Look at the weight of {'; and of '.join(f'{name}: {numbers}' for name, numbers in wrong.items())}."


# 3.4 ------------------------------------------------------------------------------------------------------------------

class LearnedPositions(nn.Module):
    """A vector for every position, learned like any other weight. BERT's table has 512 rows."""

    def __init__(self, length, dim):
        super().__init__()
        table = torch.randn(length, dim) * 0.02         # blank: [length, dim], normal numbers with standard deviation 0.02
        self.weight = nn.Parameter(table)               # blank: make it a parameter, so that an optimiser finds it

    def forward(self, position_ids):
        """Position ids [B, S] -> position vectors [B, S, H]; a ValueError for an id without a row."""
        first, last = int(position_ids.min()), int(position_ids.max())
        if first < 0 or last >= len(self.weight):
            raise ValueError(f"positions {first} to {last} of a table with {len(self.weight)} rows")
        return self.weight[position_ids]                # blank: [B, S, H], the rows with these numbers


def check_learned(answer):
    torch.manual_seed(0)                                                        # `check` gives the state back afterwards
    expect_module(mine := answer(200, 24), "LearnedPositions(200, 24)")
    named = {name: list(p.shape) for name, p in mine.named_parameters()}
    if not named and torch.is_tensor(getattr(mine, "weight", None)):
        kind = "a buffer" if "weight" in mine.state_dict() else "a plain tensor, which a checkpoint would not hold either,"
        raise Mistake(f"Your weight {list(mine.weight.shape)} is {kind} and no parameter: 0 numbers for an optimiser to change. Learned positions are learned: nn.Parameter.")
    if named != {"weight": [200, 24]}:
        raise Mistake(f"Your parameters are {', '.join(f'{n} {s}' for n, s in named.items()) or 'none'}; real weights come as weight [200, 24], a row for each position.")
    if mine.weight.dtype != torch.float32:
        raise Mistake(f"Your weight is {mine.weight.dtype}; a new parameter is torch.float32, as torch.randn gives it.")
    if not mine.weight.requires_grad:
        raise Mistake("Your weight is frozen (requires_grad is False): 0 of 200 rows can learn.")
    check_start(mine.weight.detach(), answer(200, 24).weight.detach())
    ids = torch.tensor([[4, 0, 2, 9, 1], [7, 7, 199, 3, 0]])                    # [B, S]
    try:
        found, weight = mine(ids), mine.weight
    except ValueError as error:
        raise Mistake(f"Positions 0 to 199 all have a row in a table of 200, but you refuse them: {error}.") from None
    if getattr(found, "shape", None) == (2, 200, 24):
        raise Mistake("Your result has the shape [2, 200, 24]: the whole table, for texts of 5 tokens. Only the rows that the ids ask for are wanted: [2, 5, 24].")
    expect_tensor(found, (2, 5, 24), "The position vectors")
    if not torch.equal(found, mine(ids)):
        raise Mistake(f"Two calls with the same ids differ by up to {(found - mine(ids)).abs().max().item():.2f}. A lookup copies rows; dropout comes after the sum, in another layer.")
    recognise(found.detach(), F.embedding(ids, weight).detach(),
              [(weight[:5].expand(2, 5, 24).detach(), "You return the rows 0 to 4 whatever the ids are: the second text asked for [7, 7, 199, 3, 0]."),
               (weight[ids[0]].expand(2, 5, 24).detach(), "You use the ids of the first text for both: the second text asked for [7, 7, 199, 3, 0]."),
               (weight[(ids + 1) % 200].detach(), "You return the row after the one that is asked for: position 0 gets row 1. Positions count from 0, as rows do."),
               (weight[ids].detach() * math.sqrt(24), "Your vectors are √24 = 4.9 times too long. BERT adds the rows of its table as they are.")],
              "The tensor of position vectors")
    if not found.requires_grad:
        raise Mistake("No gradient comes through your lookup (requires_grad is False), so 0 of 200 rows would ever learn.")
    gradient, = torch.autograd.grad(found.sum(), weight)                        # [200, 24]
    untaught = [row for row in sorted(set(ids.flatten().tolist())) if not gradient[row].any()]
    if untaught:
        raise Mistake(f"Row {untaught[0]} was used and gets no gradient, so it would never learn. No position is padding: every row that is looked up is taught.")
    also(mine, lambda ids: F.embedding(ids, mine.weight), (torch.tensor([[8, 0, 3, 1, 1, 2, 7]]),), (torch.tensor([[1, 2], [5, 6], [0, 0]]),))
    for ids, what in ((torch.tensor([[198, 199, 200]]), "Position 200 in a table of 200 rows"), (torch.tensor([[0, -1]]), "Position -1")):
        check_refusal(mine, ids, what)
    small = answer(9, 24)
    check_refusal(small, torch.tensor([[3, 9], [0, 1]]), "Position 9 in a table of 9 rows")
    also(small, lambda ids: F.embedding(ids, small.weight), (torch.tensor([[8, 0, 3]]),))


def check_start(weight, another):
    """A Mistake unless a new table [200, 24] begins as BERT's does; `another` is a second new one."""
    spread, centre = weight.std().item(), weight.mean().item()
    if (weight - weight[0]).abs().max() < 1e-6:
        raise Mistake(f"All your rows start equal (they begin with {weight[0, 0]:.3f}, {weight[1, 0]:.3f}, {weight[2, 0]:.3f}), so at the start no position differs from another. Draw normal numbers.")
    if weight.std(dim=1).max() < 1e-6:
        raise Mistake(f"Each of your rows is one number, 24 times: row 1 is {weight[1, 0]:.3f}, {weight[1, 1]:.3f}, {weight[1, 2]:.3f}, …. LayerNorm would erase it; draw [length, dim] numbers.")
    if not 0.017 < spread < 0.023 or abs(centre) > 0.005:
        effect = "would drown" if spread > 0.02 else "do not fit"
        raise Mistake(f"Your numbers have the standard deviation {spread:.4f} and the mean {centre:.2f}; BERT's tables start with 0.02 and 0. "
                      f"Rows of length {weight.norm(dim=1).mean().item():.2g} {effect} words of length {0.02 * math.sqrt(24):.1f}.")
    if torch.equal(weight, another):
        raise Mistake(f"Two new tables of yours are equal (both have {weight[1, 0]:.3f} at [1, 0]): nothing is drawn. Learned positions start with random numbers.")
    if weight.abs().max() < 1.9 * spread:   # a normal distribution cut at two standard deviations is above, a uniform one below
        raise Mistake(f"Your numbers are uniform: none of 4,800 is further from 0 than {weight.abs().max().item() / spread:.2f} standard deviations. Draw normal numbers, torch.randn.")


def check_refusal(mine, ids, what):
    try:
        found = mine(ids)
    except ValueError:
        return
    except (AssertionError, IndexError, RuntimeError) as error:
        raise Mistake(f"{what} ends in {type(error).__name__}: {str(error) or 'without a word'}. Raise a ValueError that says which position was asked for and how many rows there are.") from None
    expect_tensor(found, (*ids.shape, 24), f"{what} needs a ValueError, or at least its vectors")
    rows = [row for row in range(len(mine.weight)) if torch.equal(found[0, -1], mine.weight[row])]
    silently = f"silently gets row {rows[0]}" if rows else "silently gets some vector"
    raise Mistake(f"{what} {silently}; it has no row, so raise a ValueError.")


# ----------------------------------------------------------------------------------------------------------------------

EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="How long is a wave?",
        task="""
            Pair $j$ of the table turns by $1/10000^{2j/d}$ radians from one position to the next. After how many positions has it turned once around?
            (The number need not be whole.)
            """,
        hints=("The second hand of a clock turns 6 degrees each second; a full turn takes 360/6 = 60 seconds. Here a full turn is 2π radians.",
               "The frequency is `10000.0 ** (-2 * pair / dim)`. The wavelength is 2π divided by it: 2π for pair 0, longer for every pair after it."),
        paragraph="The formula",
        solution=wavelength, check=check_wavelength,
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="The table",
        task="""
            Build the whole table at once, without a loop: $p_{i,2j} = \\sin(i/10000^{2j/d})$ and $p_{i,2j+1} = \\cos(i/10000^{2j/d})$.
            `length` is the number of positions, `dim` is $d$, an even number.
            """,
        hints=("A column [S, 1] divided by a row [H/2] gives all quotients at once, [S, H/2]: every position with every pair.",
               "`even` is already the 2j of the formula: the angle is `position / 10000.0 ** (even / dim)`. `table[:, 0::2]` are the columns 0, 2, 4, …."),
        paragraph="The formula",
        solution=position_table, check=check_table,
    ),
    Exercise(
        chapter=CHAPTER, size="think", minutes=15, title="The matrix that moves every position",
        task="""
            Find the matrix $R(k)$ with $R(k)\\,p_i = p_{i+k}$ for *every* $i$. It must not contain $i$. Two school formulas are all you need:
            $\\sin(a+\\theta) = \\sin a\\cos\\theta + \\cos a\\sin\\theta$ and $\\cos(a+\\theta) = \\cos a\\cos\\theta - \\sin a\\sin\\theta$.
            """,
        hints=("Look at one pair. The new sine is a mixture of the old sine and the old cosine; read the two weights off the first formula. The second row comes from the second formula.",
               "For pair j, θ is `offset` times the frequency of the pair. Its block is [[cos θ, sin θ], [-sin θ, cos θ]], in the rows and columns 2j and 2j + 1."),
        paragraph="Why a pair for each frequency?",
        solution=shift_matrix, check=check_shift,
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=10, title="Learned positions, ready for real weights",
        task="""
            Build the module that BERT uses: a table of `length` rows that starts with small normal numbers and is learned. It is called with position ids [B, S],
            and refuses an id that has no row. After this exercise it holds the positions of a real BERT, so its parameter must be called `weight`, as there.
            """,
        hints=("An optimiser finds what is an `nn.Parameter` of the module. `torch.randn(length, dim)` has the standard deviation 1.",
               "A tensor that is indexed by a tensor of ids gives the rows with these numbers: `self.weight[position_ids]`. Ids [B, S] give [B, S, H]."),
        paragraph="Learned positions",
        solution=LearnedPositions, check=check_learned,
    ),
]
