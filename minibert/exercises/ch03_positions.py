"""Exercises of chapter 3: positions."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from minibert.exercises.base import Exercise, Mistake, expect_tensor, recognise
from minibert.positions import sinusoidal_table

CHAPTER = "03_positions"


# 3.1 ------------------------------------------------------------------------------------------------------------------

def wavelength(pair, dim):
    """After how many positions pair 0, 1, 2, … of a table of `dim` columns has turned once around."""
    frequency = 10000.0 ** (-2 * pair / dim)    # blank: radians that this pair turns for each position
    return 2 * math.pi / frequency              # blank: positions for a full turn


def wavelength_in_one_line(pair, dim):
    """Another right answer: without the detour."""
    return 2 * math.pi * 10000.0 ** (2 * pair / dim)


def wavelength_step_by_step(pair, dim):
    """Another right answer: each pair is slower than the one before by the same factor."""
    positions, factor = math.tau, 10000.0 ** (2 / dim)
    for _ in range(pair):
        positions *= factor
    return positions


def wavelength_by_exp(pair, dim):
    """Another right answer: the power as an exponential, in a tensor."""
    return math.tau * torch.exp(torch.tensor(2 * pair * math.log(10000.0) / dim, dtype=torch.float64))


def without_turn(pair, dim):
    return 10000.0 ** (2 * pair / dim)


def half_exponent(pair, dim):
    return 2 * math.pi * 10000.0 ** (pair / dim)


def the_frequency(pair, dim):
    return 10000.0 ** (-2 * pair / dim)


def ever_faster(pair, dim):
    return 2 * math.pi * 10000.0 ** (-2 * pair / dim)


def in_degrees(pair, dim):
    return 360 * 10000.0 ** (2 * pair / dim)


def column_for_pair(pair, dim):
    return 2 * math.pi * 10000.0 ** (4 * pair / dim)


def last_pair_at_the_limit(pair, dim):
    return 2 * math.pi * 10000.0 ** (pair / (dim // 2 - 1))


def half_a_turn(pair, dim):
    return math.pi * 10000.0 ** (2 * pair / dim)


WAVELENGTH_MISTAKES = [
    (without_turn, "it is the number of positions for one radian; a full turn has 2π of them"),
    (half_a_turn, "it is half a turn, where the sine has the opposite sign; a full turn is 2π"),
    (half_exponent, "its exponent is {pair}/{dim}; the exponent of pair {pair} is 2 · {pair}/{dim}"),
    (the_frequency, "it is the frequency, in radians for each position; the wavelength is 2π divided by it"),
    (ever_faster, "your waves get shorter from pair to pair; divide by the frequency instead of multiplying by it"),
    (in_degrees, "it is counted in degrees; sine and cosine take radians, so a full turn is 2π = 6.28 and not 360"),
    (column_for_pair, "you double twice: pair {pair} begins in column 2 · {pair}, and that 2 is already the one in the exponent"),
    (last_pair_at_the_limit, "you divide by the number of pairs less one, as the original program does; the paper's formula divides by dim, here {dim}"),
]


def check_wavelength(answer):
    for pair, dim in ((0, 8), (1, 8), (3, 8), (5, 12), (100, 384)):
        found, right = float(answer(pair, dim)), wavelength(pair, dim)
        if math.isclose(found, right, rel_tol=1e-5):
            continue
        given = f"For pair {pair} of {dim} columns you get {found:,.4g} positions where {right:,.4g} is right"
        for mistake, sentence in WAVELENGTH_MISTAKES:
            # pair 0 alone does not tell the mistakes apart, so a suspect must agree on another pair, too
            if math.isclose(found, mistake(pair, dim), rel_tol=1e-5) and math.isclose(float(answer(3, 8)), mistake(3, 8), rel_tol=1e-5):
                raise Mistake(f"{given}: {sentence.format(pair=pair, dim=dim)}.")
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


def table_by_loops(length, dim):
    """Another right answer: the formula, number by number."""
    rows = []
    for i in range(length):
        row = []
        for j in range(dim // 2):
            angle = i / 10000 ** (2 * j / dim)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows)


def table_by_columns(length, dim):
    """Another right answer: every column with the exponent of its pair, the cosine as a sine that is a quarter turn ahead."""
    column = torch.arange(dim, dtype=torch.float64)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), torch.exp(-(column // 2) * 2 / dim * math.log(10000)))
    return torch.sin(angle + column % 2 * math.pi / 2)


def table_variant(name, frequency=lambda j, dim: 10000.0 ** (-2 * j / dim), position=lambda length: torch.arange(length).double(),
                  arrange=lambda angle: torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)):
    """`position_table` with one decision changed."""
    def answer(length, dim):
        return arrange(position(length)[:, None] * frequency(torch.arange(dim // 2).double(), dim)).float()
    answer.__name__ = name
    return answer


def own_exponent_per_column(length, dim):
    column = torch.arange(dim)
    angle = torch.arange(length)[:, None] / 10000.0 ** (2 * column / dim)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


without_exp = table_variant("without_exp", frequency=lambda j, dim: -2 * j * math.log(10000.0) / dim)
in_halves = table_variant("in_halves", arrange=lambda angle: torch.cat((angle.sin(), angle.cos()), dim=-1))
cosine_first = table_variant("cosine_first", arrange=lambda angle: torch.stack((angle.cos(), angle.sin()), dim=-1).flatten(1))
sines_only = table_variant("sines_only", arrange=lambda angle: angle.sin().repeat_interleave(2, dim=1))
from_one = table_variant("from_one", position=lambda length: torch.arange(1, length + 1).double())
of_degrees = table_variant("of_degrees", arrange=lambda angle: torch.stack((angle.deg2rad().sin(), angle.deg2rad().cos()), dim=-1).flatten(1))
slow_too_soon = table_variant("slow_too_soon", frequency=lambda j, dim: 10000.0 ** (-j / dim))
as_in_the_program = table_variant("as_in_the_program", frequency=lambda j, dim: 10000.0 ** (-j / (dim // 2 - 1)))
ever_faster_table = table_variant("ever_faster_table", frequency=lambda j, dim: 10000.0 ** (2 * j / dim))
by_the_length = table_variant("by_the_length", position=lambda length: torch.arange(length).double() / length)


def rows_are_dimensions(length, dim):
    return position_table(length, dim).T


def check_table(answer):
    length, dim = 128, 64
    found, right = answer(length, dim), sinusoidal_table(length, dim)           # [S, H]
    if getattr(found, "shape", None) == (dim, length):
        raise Mistake(f"Your table has the shape [{dim}, {length}]: a row for each column number. A row belongs to a position: [{length}, {dim}].")
    expect_tensor(found, (length, dim), "The table")
    still = int((found.double().std(dim=0) < 1e-3).sum())
    suspects = [
        (own_exponent_per_column(length, dim), "Each of your columns has an exponent of its own, so no sine has its cosine and the frequencies run on to 1/100,000,000: "
         f"{still} of your 64 columns hardly move over 128 positions. A pair shares the exponent 2j/dim, with j = 0 … 31."),
        (without_exp(length, dim), f"Your frequencies are the exponents themselves: pair 1 turns {float(-2 * math.log(10000) / dim):.2f} radians for each position, "
         f"where exp of that, {math.exp(-2 * math.log(10000) / dim):.2f}, is right."),
        (in_halves(length, dim), "You put all 32 sines first and the cosines after them, as the original program does; in the paper's formula, and here, they take turns: columns 0, 2, 4 … and 1, 3, 5 …."),
        (cosine_first(length, dim), f"Your cosines stand in the even columns: row 0 begins with {float(found[0, 0]):.0f}, {float(found[0, 1]):.0f} and must begin with 0, 1."),
        (sines_only(length, dim), "Your odd columns hold the same sines as your even ones: row 0 is all zeros. A sine alone cannot be turned into the next one; its cosine is missing."),
        (from_one(length, dim), f"Your first row is that of position 1 (it begins with {float(found[0, 0]):.2f}): positions count from 0, so row 0 is 0, 1, 0, 1, …."),
        (of_degrees(length, dim), f"Your angles are taken for degrees: position 1 has {float(found[1, 0]):.3f} in its first column, where sin(1) = {math.sin(1):.3f} is right."),
        (slow_too_soon(length, dim), "Your exponent is j/dim for pair j, so the slowest pair has a wavelength of "
         f"{2 * math.pi * 10000 ** (31 / 64):,.0f} positions instead of {2 * math.pi * 10000 ** (62 / 64):,.0f}: the 2 of 2j/dim is missing."),
        (as_in_the_program(length, dim), "Your last pair is 10000 times as slow as the first, as in the original program, which divides by 31; "
         f"by the paper's formula it is {10000 ** (62 / 64):,.0f} times as slow: the exponent is 2j/64."),
        (ever_faster_table(length, dim), "Your pairs get faster: the last one turns "
         f"{10000 ** (62 / 64):,.0f} radians from one position to the next. Divide by the power, do not multiply."),
        (by_the_length(length, dim), "You divide the positions by the length, 128, so the same place gets another vector in a longer text. Use the position as it is."),
    ]
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


def shift_by_blocks(offset, dim):
    """Another right answer: a 2 × 2 turn for each pair, along the diagonal."""
    angles = [offset / 10000 ** (2 * j / dim) for j in range(dim // 2)]
    return torch.block_diag(*(torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in angles))


def shift_by_complex_numbers(offset, dim):
    """Another right answer: cosine + i sine is multiplied by e^(i angle)."""
    angle = offset * 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    basis = torch.eye(dim, dtype=torch.float64).unflatten(1, (-1, 2))           # [H, H/2, 2], sine and cosine of H test vectors
    turned = torch.complex(basis[..., 1], basis[..., 0]) * torch.polar(torch.ones_like(angle), angle)
    return torch.stack((turned.imag, turned.real), dim=-1).flatten(1).T


def shift_by_repeating(offset, dim):
    """Another right answer: one step, taken `offset` times (or back)."""
    return torch.linalg.matrix_power(shift_by_blocks(1, dim).double(), offset)


def shift_variant(name, angle=lambda k, j, dim: k * 10000.0 ** (-2 * j / dim), turn=lambda a: ((a.cos(), a.sin()), (-a.sin(), a.cos()))):
    """`shift_matrix` with one decision changed."""
    def answer(offset, dim):
        angles = angle(offset, torch.arange(dim // 2).double(), dim)
        matrix = torch.zeros(dim // 2, 2, dim // 2, 2, dtype=torch.float64)
        pair = torch.arange(dim // 2)
        for row, entries in enumerate(turn(angles)):
            for column, entry in enumerate(entries):
                matrix[pair, row, pair, column] = entry
        return matrix.reshape(dim, dim)
    answer.__name__ = name
    return answer


turns_back = shift_variant("turns_back", turn=lambda a: ((a.cos(), -a.sin()), (a.sin(), a.cos())))
one_step = shift_variant("one_step", angle=lambda k, j, dim: 10000.0 ** (-2 * j / dim))
one_frequency = shift_variant("one_frequency", angle=lambda k, j, dim: k + 0 * j)
both_signs = shift_variant("both_signs", turn=lambda a: ((a.cos(), a.sin()), (a.sin(), a.cos())))
half_the_exponent = shift_variant("half_the_exponent", angle=lambda k, j, dim: k * 10000.0 ** (-j / dim))
without_mixing = shift_variant("without_mixing", turn=lambda a: ((a.cos(), 0 * a), (0 * a, a.cos())))
swapped_functions = shift_variant("swapped_functions", turn=lambda a: ((a.sin(), a.cos()), (-a.cos(), a.sin())))


def no_turn(offset, dim):
    return torch.eye(dim, dtype=torch.float64)


def turns_in_halves(offset, dim):
    order = torch.cat((torch.arange(0, dim, 2), torch.arange(1, dim, 2)))
    return shift_matrix(offset, dim)[order][:, order]


def check_shift(answer):
    for offset, dim in ((3, 8), (-2, 12), (40, 6), (0, 4)):
        found, right = answer(offset, dim), shift_matrix(offset, dim)           # [H, H]
        expect_tensor(found, right.shape, f"R({offset}) for dim {dim}")
        table = sinusoidal_table(60, dim).double()                              # [S, H]
        moved = found.double() @ table[10]
        off = (moved - table[10 + offset]).norm()
        given = f"Your R({offset}) p(10) misses p({10 + offset}) by {off:.2f}"
        suspects = [(turns_back, f"{given} and hits p({10 - offset}): it turns the other way. The new sine is sin a cos θ + cos a sin θ, so its sine has a plus."),
                    (one_step, f"{given} and hits p(11): it moves by one position whatever the offset is. The angle of each pair is offset times its frequency."),
                    (one_frequency, f"{given}: all {dim // 2} pairs turn by {offset} radians, but pair j turns by {offset}/10000^(2j/{dim})."),
                    (both_signs, f"{given}: both of your sines have a plus, which mirrors and does not turn. In cos(a + θ) = cos a cos θ - sin a sin θ one is negative."),
                    (half_the_exponent, f"{given}: your pair 1 turns by {offset * 10000 ** (-1 / dim):.2f}, where {offset * 10000 ** (-2 / dim):.2f} is right; the exponent is 2j/{dim}."),
                    (without_mixing, f"{given}: you shrink sine and cosine by cos θ, but never mix them. Each new number needs both old ones."),
                    (swapped_functions, f"{given}: cosine and sine have changed places. For an offset of 0 nothing may move: cos 0 = 1 belongs on the diagonal."),
                    (turns_in_halves, f"{given}: your matrix is made for a table with all sines first. Here sine and cosine of a pair stand side by side."),
                    (no_turn, f"{given}: your matrix changes nothing (1 on the diagonal, 0 elsewhere).")]
        recognise(found, right, [(wrong(offset, dim), sentence) for wrong, sentence in suspects], f"R({offset}) for dim {dim}")


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


class PositionsByEmbedding(nn.Embedding):
    """Another right answer: PyTorch's own lookup, with a clear error before it."""

    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, position_ids):
        if ((position_ids < 0) | (position_ids >= self.num_embeddings)).any():
            raise ValueError(f"ids from {position_ids.min()} to {position_ids.max()}, but the table has {self.num_embeddings} rows")
        return super().forward(position_ids)


class PositionsByProduct(LearnedPositions):
    """Another right answer: a lookup is a product with rows that hold a single 1."""

    def forward(self, position_ids):
        super().forward(position_ids)                   # raises for an id that has no row
        return F.one_hot(position_ids, self.weight.size(0)).to(self.weight.dtype) @ self.weight


class IdsIgnored(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)
        return self.weight[:position_ids.size(1)].expand(position_ids.size(0), -1, -1)


class WholeTable(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)
        return self.weight.expand(position_ids.size(0), -1, -1)


class FirstTextForAll(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)
        return self.weight[position_ids[0]].expand(position_ids.size(0), -1, -1)


class NotTrained(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        del self.weight
        self.register_buffer("weight", torch.randn(length, dim) * 0.02)


class CutFromTheGraph(LearnedPositions):
    def forward(self, position_ids):
        return super().forward(position_ids).detach()


class LargeFromTheStart(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.normal_(self.weight)


class AllEqual(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.constant_(self.weight, 0.02)


class Transposed(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(dim, length)


class AnotherName(nn.Module):
    def __init__(self, length, dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(length, dim) * 0.02)

    def forward(self, position_ids):
        return self.table[position_ids]


class WrapsAround(LearnedPositions):
    def forward(self, position_ids):
        return self.weight[position_ids % self.weight.size(0)]


class LastRowForTheRest(LearnedPositions):
    def forward(self, position_ids):
        return self.weight[position_ids.clamp(0, self.weight.size(0) - 1)]


class CountsFromTheEnd(LearnedPositions):
    def forward(self, position_ids):
        if position_ids.max() >= self.weight.size(0):
            raise ValueError(f"position {position_ids.max()} of {self.weight.size(0)}")
        return self.weight[position_ids]


class UnclearError(LearnedPositions):
    def forward(self, position_ids):
        return F.embedding(position_ids, self.weight)


def check_learned(answer):
    torch.manual_seed(0)                                                        # `check` gives the state back afterwards
    mine = answer(200, 24)
    named = {name: list(p.shape) for name, p in mine.named_parameters()}
    if not named and "weight" in mine.state_dict():
        raise Mistake("Your weight [200, 24] is no parameter: 0 numbers for an optimiser to change. Learned positions are learned: nn.Parameter.")
    if named != {"weight": [200, 24]}:
        raise Mistake(f"Your parameters are {', '.join(f'{n} {s}' for n, s in named.items()) or 'none'}; real weights come as weight [200, 24], a row for each position.")
    spread, centre = mine.weight.std().item(), mine.weight.mean().item()
    if spread < 0.002:
        raise Mistake(f"All your rows start equal (standard deviation {spread:.3f}), so at the start no position differs from another. Draw normal numbers.")
    if not 0.017 < spread < 0.023 or abs(centre) > 0.005:
        raise Mistake(f"Your numbers have the standard deviation {spread:.2f} and the mean {centre:.2f}; BERT's tables start with 0.02 and 0. "
                      f"Rows of length {mine.weight.norm(dim=1).mean().item():.1f} would drown words of length {0.02 * math.sqrt(24):.1f}.")
    ids = torch.tensor([[4, 0, 2, 9, 1], [7, 7, 199, 3, 0]])                    # [B, S]
    found, weight = mine(ids), mine.weight
    if getattr(found, "shape", None) == (2, 200, 24):
        raise Mistake("Your result has the shape [2, 200, 24]: the whole table, for texts of 5 tokens. Only the rows that the ids ask for are wanted: [2, 5, 24].")
    expect_tensor(found, (2, 5, 24), "The position vectors")
    recognise(found.detach(), F.embedding(ids, weight).detach(),
              [(weight[:5].expand(2, 5, 24).detach(), "You return the rows 0 to 4 whatever the ids are: the second text asked for [7, 7, 199, 3, 0]."),
               (weight[ids[0]].expand(2, 5, 24).detach(), "You use the ids of the first text for both: the second text asked for [7, 7, 199, 3, 0].")],
              "The position vectors")
    if not found.requires_grad:
        raise Mistake("No gradient comes through your lookup (requires_grad is False), so 0 of 200 rows would ever learn.")
    for ids, what in ((torch.tensor([[198, 199, 200]]), "Position 200 in a table of 200 rows"), (torch.tensor([[0, -1]]), "Position -1")):
        check_refusal(mine, ids, what)


def check_refusal(mine, ids, what):
    try:
        found = mine(ids)
    except ValueError:
        return
    except (IndexError, RuntimeError) as error:
        raise Mistake(f"{what} ends in {type(error).__name__}: {error}. Raise a ValueError that says which position was asked for and how many rows there are.") from None
    rows = [row for row in range(200) if torch.equal(found[0, -1], mine.weight[row])]
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
        right=(wavelength_in_one_line, wavelength_step_by_step, wavelength_by_exp),
        wrong={without_turn: r"you get 1 positions where 6\.283.*one radian", half_a_turn: r"half a turn", half_exponent: r"exponent is 1/8; .* 2 · 1/8", the_frequency: r"it is the frequency",
               ever_faster: r"shorter from pair to pair", in_degrees: r"360 positions.*in degrees", column_for_pair: r"double twice",
               last_pair_at_the_limit: r"pairs less one"},
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
        right=(table_by_loops, table_by_columns),
        wrong={own_exponent_per_column: r"exponent of its own.*32 of your 64", without_exp: r"exponents themselves.*-0\.29", in_halves: r"all 32 sines first",
               cosine_first: r"begins with 1, 0", sines_only: r"same sines", from_one: r"begins with 0\.84", of_degrees: r"0\.017 in its first column",
               slow_too_soon: r"544 positions instead of 47,117", as_in_the_program: r"divides by 31", ever_faster_table: r"get faster", by_the_length: r"by the length, 128",
               rows_are_dimensions: r"\[64, 128\]: a row for each column"},
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
        right=(shift_by_blocks, shift_by_complex_numbers, shift_by_repeating),
        wrong={turns_back: r"hits p\(7\): it turns the other way", one_step: r"hits p\(11\)", one_frequency: r"all 4 pairs turn by 3 radians", both_signs: r"mirrors",
               half_the_exponent: r"turns by 0\.95, where 0\.30", without_mixing: r"never mix", swapped_functions: r"changed places", turns_in_halves: r"all sines first",
               no_turn: r"changes nothing"},
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
        right=(PositionsByEmbedding, PositionsByProduct),
        wrong={IdsIgnored: r"rows 0 to 4 whatever", WholeTable: r"\[2, 200, 24\]: the whole table", FirstTextForAll: r"ids of the first text", NotTrained: r"is no parameter",
               CutFromTheGraph: r"0 of 200 rows", LargeFromTheStart: r"standard deviation (0\.9|1\.0)\d.*drown", AllEqual: r"start equal", Transposed: r"weight \[24, 200\]",
               AnotherName: r"table \[200, 24\]", WrapsAround: r"Position 200 in a table of 200 rows silently gets row 0", LastRowForTheRest: r"Position 200 .*row 199",
               CountsFromTheEnd: r"Position -1 silently gets row 199", UnclearError: r"IndexError"},
    ),
]
