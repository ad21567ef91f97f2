"""Answers on which the exercises of chapter 3 are tried: right ones, and wrong ones with what the check must say."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from minibert.exercises.ch03_positions import DIM, LENGTH, LearnedPositions, position_table, shift_matrix, wavelength
from minibert.exercises.planted import Answers, named
from minibert.positions import sinusoidal_table


# 3.1 ------------------------------------------------------------------------------------------------------------------

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


def a_quarter(pair, dim):
    return math.pi / 2 * 10000.0 ** (2 * pair / dim)


def upside_down(pair, dim):
    return 10000.0 ** (-2 * pair / dim) / (2 * math.pi)


def divided_by_the_turn(pair, dim):
    return 10000.0 ** (2 * pair / dim) / (2 * math.pi)


def whole_division(pair, dim):
    return 2 * math.pi / 10000.0 ** (-2 * pair // dim)


def without_dim(pair, dim):
    return 2 * math.pi * torch.tensor(10000.0, dtype=torch.float64).pow(2 * pair).item()


def base_e(pair, dim):
    return 2 * math.pi * math.exp(2 * pair / dim)


def one_pair_late(pair, dim):
    return 2 * math.pi * 10000.0 ** (2 * (pair + 1) / dim)


def to_whole_positions(pair, dim):
    return round(wavelength(pair, dim))


def returns_text(pair, dim):
    return f"{wavelength(pair, dim)} positions"


def returns_nothing(pair, dim):
    wavelength(pair, dim)


WAVELENGTH_MISTAKES = (
    (without_turn, "it is the number of positions for one radian; a full turn has 2π of them"),
    (half_a_turn, "it is half a turn, where the sine has the opposite sign; a full turn is 2π"),
    (half_exponent, "its exponent is {pair}/{dim}; the exponent of pair {pair} is 2 · {pair}/{dim}"),
    (the_frequency, "it is the frequency, in radians for each position; the wavelength is 2π divided by it"),
    (ever_faster, "your waves get shorter from pair to pair; divide by the frequency instead of multiplying by it"),
    (in_degrees, "it is counted in degrees; sine and cosine take radians, so a full turn is 2π = 6.28 and not 360"),
    (column_for_pair, "you double twice: pair {pair} begins in column 2 · {pair}, and that 2 is already the one in the exponent"),
    (last_pair_at_the_limit, "you divide by the number of pairs less one, as the original program does; the paper's formula divides by dim, here {dim}"),
    (a_quarter, "it is a quarter of a turn; a full turn is 2π"),
    (upside_down, "it is the share of a turn in one step; the wavelength is one divided by that"),
    (divided_by_the_turn, "you divide by 2π where you should multiply: one radian takes 1/frequency positions, and a full turn has 2π radians"),
    (whole_division, "`//` cuts the exponent off to a whole number; `/` keeps 2 · {pair}/{dim}"),
    (without_dim, "your exponent is 2 · {pair}; it is 2 · {pair}/{dim}, divided by the number of columns"),
    (base_e, "your powers are powers of e = 2.718; the formula has powers of 10000"),
    (one_pair_late, "it is the wavelength of pair {pair} + 1; pairs count from 0, so the first one has the exponent 0"),
)


# 3.2 ------------------------------------------------------------------------------------------------------------------

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
    return named(name, answer)


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
twice_the_two = table_variant("twice_the_two", frequency=lambda j, dim: 10000.0 ** (-4 * j / dim))
whole_quotients = table_variant("whole_quotients", frequency=lambda j, dim: 10000.0 ** -(2 * j // dim))
product_for_power = table_variant("product_for_power", frequency=lambda j, dim: 10000.0 * 2 * j / dim)
powers_of_e = table_variant("powers_of_e", frequency=lambda j, dim: torch.exp(-2 * j / dim))
with_full_turns = table_variant("with_full_turns", frequency=lambda j, dim: 2 * math.pi * 10000.0 ** (-2 * j / dim))
base_1000 = table_variant("base_1000", frequency=lambda j, dim: 1000.0 ** (-2 * j / dim))
turns_backwards = table_variant("turns_backwards", frequency=lambda j, dim: -10000.0 ** (-2 * j / dim))
cosines_negative = table_variant("cosines_negative", arrange=lambda angle: torch.stack((angle.sin(), -angle.cos()), dim=-1).flatten(1))
one_pair_late_table = table_variant("one_pair_late_table", frequency=lambda j, dim: 10000.0 ** (-2 * (j + 1) / dim))
angles_only = table_variant("angles_only", arrange=lambda angle: angle.repeat_interleave(2, dim=1))
cosines_only = table_variant("cosines_only", arrange=lambda angle: angle.cos().repeat_interleave(2, dim=1))
cosines_forgotten = table_variant("cosines_forgotten", arrange=lambda angle: torch.stack((angle.sin(), 0 * angle), dim=-1).flatten(1))


def over_the_length(length, dim):
    angle = torch.arange(length)[:, None] / 10000.0 ** (torch.arange(0, dim, 2) / length)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)


def scaled_up(length, dim):
    return position_table(length, dim) * math.sqrt(dim)


def rows_are_dimensions(length, dim):
    return position_table(length, dim).T


TABLE_MISTAKES = (
    (own_exponent_per_column, "Each of your columns has an exponent of its own, so no sine has its cosine and the frequencies run on to 1/100,000,000: "
     f"{{still}} of your 64 columns hardly move over {LENGTH} positions. A pair shares the exponent 2j/dim, with j = 0 … 31."),
    (without_exp, f"Your frequencies are the exponents themselves: pair 1 turns {float(-2 * math.log(10000) / DIM):.2f} radians for each position, "
     f"where exp of that, {math.exp(-2 * math.log(10000) / DIM):.2f}, is right."),
    (in_halves, "You put all 32 sines first and the cosines after them, as the original program does; in the paper's formula, and here, they take turns: columns 0, 2, 4 … and 1, 3, 5 …."),
    (cosine_first, "Your cosines stand in the even columns: row 0 begins with {found[0][0]:.0f}, {found[0][1]:.0f} and must begin with 0, 1."),
    (sines_only, "Your odd columns hold the same sines as your even ones: row 0 is all zeros. A sine alone cannot be turned into the next one; its cosine is missing."),
    (from_one, "Your first row is that of position 1 (it begins with {found[0][0]:.2f}): positions count from 0, so row 0 is 0, 1, 0, 1, …."),
    (of_degrees, f"Your angles are taken for degrees: position 1 has {{found[1][0]:.3f}} in its first column, where sin(1) = {math.sin(1):.3f} is right."),
    (slow_too_soon, "Your exponent is j/dim for pair j, so the slowest pair has a wavelength of "
     f"{2 * math.pi * 10000 ** (31 / 64):,.0f} positions instead of {2 * math.pi * 10000 ** (62 / 64):,.0f}: the 2 of 2j/dim is missing."),
    (as_in_the_program, "Your last pair is 10000 times as slow as the first, as in the original program, which divides by 31; "
     f"by the paper's formula it is {10000 ** (62 / 64):,.0f} times as slow: the exponent is 2j/64."),
    (ever_faster_table, "Your pairs get faster: the last one turns "
     f"{10000 ** (62 / 64):,.0f} radians from one position to the next. Divide by the power, do not multiply."),
    (by_the_length, f"You divide the positions by the length, {LENGTH}, so the same place gets another vector in a longer text. Use the position as it is."),
    (twice_the_two, f"Your pair 1 turns {10000 ** (-4 / DIM):.2f} radians for each position, where {10000 ** (-2 / DIM):.2f} is right: "
     "`even` is already the 2j of the formula, so it must not be doubled again."),
    (whole_quotients, "All your pairs turn equally fast: `//` cuts every exponent 2j/64 off to 0; `/` keeps it."),
    (over_the_length, f"You divide the exponent by the length, {LENGTH}; divide it by dim, {DIM}. The frequencies belong to the columns, however long the text is."),
    (product_for_power, f"You multiply 10000 by the exponent: your pair 1 turns {10000 * 2 / DIM:.1f} radians for each position. The exponent is a power, `**`."),
    (powers_of_e, f"Your frequencies are powers of e and end at {math.exp(-62 / DIM):.2f}; the factor ln(10000) = {math.log(10000):.2f} is missing in the exponent."),
    (with_full_turns, f"Your angles have a factor 2π too many: position 1 of pair 0 is at {2 * math.pi:.2f} radians, where 1 is right. The formula has no 2π."),
    (base_1000, f"Your base is 1000: the last pair is {1000 ** (62 / 64):,.0f} times as slow as the first, where {10000 ** (62 / 64):,.0f} is right."),
    (turns_backwards, f"Your angles are negative: position 1 begins with {{found[1][0]:.2f}}, where sin(1) = {math.sin(1):.2f} is right."),
    (angles_only, "Your table holds the angles themselves, up to {largest:.0f}. Take their sine and cosine."),
    (cosines_only, "Your even columns hold the same cosines as your odd ones: row 0 is all ones. The sines are missing."),
    (cosines_forgotten, "Your odd columns are all zeros: the cosines are missing."),
    (cosines_negative, "Your cosines have a minus: row 0 begins with 0, {found[0][1]:.0f} and must begin with 0, 1."),
    (one_pair_late_table, f"Your first pair turns {10000 ** (-2 / DIM):.2f} radians for each position, where 1 is right: 2j begins at 0, not at 2."),
    (scaled_up, f"Your table is the right one times √{DIM} = {math.sqrt(DIM):.0f}. The scale of the Transformer belongs to the words; no number of the table is above 1."),
)


# 3.3 ------------------------------------------------------------------------------------------------------------------

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


def shift_by_exponential(offset, dim):
    """Another right answer: the exponential of a speed, in float32."""
    speeds = [10000 ** (-2 * j / dim) for j in range(dim // 2)]
    return torch.matrix_exp(offset * torch.block_diag(*(torch.tensor([[0.0, speed], [-speed, 0.0]]) for speed in speeds)))


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
    return named(name, answer)


turns_back = shift_variant("turns_back", turn=lambda a: ((a.cos(), -a.sin()), (a.sin(), a.cos())))
one_step = shift_variant("one_step", angle=lambda k, j, dim: 10000.0 ** (-2 * j / dim))
one_frequency = shift_variant("one_frequency", angle=lambda k, j, dim: k + 0 * j)
both_signs = shift_variant("both_signs", turn=lambda a: ((a.cos(), a.sin()), (a.sin(), a.cos())))
half_the_exponent = shift_variant("half_the_exponent", angle=lambda k, j, dim: k * 10000.0 ** (-j / dim))
without_mixing = shift_variant("without_mixing", turn=lambda a: ((a.cos(), 0 * a), (0 * a, a.cos())))
swapped_functions = shift_variant("swapped_functions", turn=lambda a: ((a.sin(), a.cos()), (-a.cos(), a.sin())))
doubled_exponent = shift_variant("doubled_exponent", angle=lambda k, j, dim: k * 10000.0 ** (-4 * j / dim))
another_base = shift_variant("another_base", angle=lambda k, j, dim: k * 1000.0 ** (-2 * j / dim))
multiplied = shift_variant("multiplied", angle=lambda k, j, dim: k * 10000.0 ** (2 * j / dim))
in_degrees_turn = shift_variant("in_degrees_turn", angle=lambda k, j, dim: math.radians(k) * 10000.0 ** (-2 * j / dim))
sine_of_wrong_sign = shift_variant("sine_of_wrong_sign", turn=lambda a: ((a.cos(), -a.sin()), (-a.sin(), a.cos())))
second_cosine_negative = shift_variant("second_cosine_negative", turn=lambda a: ((a.cos(), a.sin()), (-a.sin(), -a.cos())))
sine_everywhere = shift_variant("sine_everywhere", turn=lambda a: ((a.sin(), a.sin()), (-a.sin(), a.sin())))


def ignores_the_sign(offset, dim):
    return shift_matrix(abs(offset), dim)


def mixes_pairs(offset, dim):
    return shift_matrix(offset, dim).roll(1, dims=0).roll(3, dims=1)


def one_too_far(offset, dim):
    return shift_matrix(offset + 1, dim)


def for_position_ten(offset, dim):
    table = sinusoidal_table(60, dim).double()
    return torch.outer(table[10 + offset], table[10]) / (dim / 2)


def no_turn(offset, dim):
    return torch.eye(dim, dtype=torch.float64)


def turns_in_halves(offset, dim):
    order = torch.cat((torch.arange(0, dim, 2), torch.arange(1, dim, 2)))
    return shift_matrix(offset, dim)[order][:, order]


SHIFT_MISTAKES = (
    (turns_back, "{given} and hits p({back}): it turns the other way. The new sine is sin a cos θ + cos a sin θ, so its sine has a plus."),
    (one_step, "{given} and hits p(11): it moves by one position whatever the offset is. The angle of each pair is offset times its frequency."),
    (one_frequency, "{given}: all {pairs} pairs turn by {offset} radians, but pair j turns by {offset}/10000^(2j/{dim})."),
    (both_signs, "{given}: both of your sines have a plus, which mirrors and does not turn. In cos(a + θ) = cos a cos θ - sin a sin θ one is negative."),
    (half_the_exponent, "{given}: your pair 1 turns by {slow:.2f}, where {turn:.2f} is right; the exponent is 2j/{dim}."),
    (without_mixing, "{given}: you shrink sine and cosine by cos θ, but never mix them. Each new number needs both old ones."),
    (swapped_functions, "{given}: cosine and sine have changed places. For an offset of 0 nothing may move: cos 0 = 1 belongs on the diagonal."),
    (turns_in_halves, "{given}: your matrix is made for a table with all sines first. Here sine and cosine of a pair stand side by side."),
    (no_turn, "{given}: your matrix changes nothing (1 on the diagonal, 0 elsewhere)."),
    (doubled_exponent, "{given}: your pair 1 turns by {fast:.2f}, where {turn:.2f} is right; "
     "`even` is already 2j and must not be doubled."),
    (multiplied, "{given}: your pairs get faster. Divide the offset by the power of 10000."),
    (in_degrees_turn, "{given}: your angles are turned from degrees to radians, but the formula gives radians already."),
    (one_too_far, "{given} and hits p({further}): one position too far."),
    (for_position_ten, "{given}, but your matrix contains the position 10, and for p(11) it is wrong. One matrix serves every position."),
)


# 3.4 ------------------------------------------------------------------------------------------------------------------

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


class TooSmall(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.normal_(self.weight, std=0.02 ** 2)


class Uniform(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        nn.init.uniform_(self.weight, -0.02 * math.sqrt(3), 0.02 * math.sqrt(3))


class OneRowForAll(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        self.weight.data.copy_(self.weight[0].detach().clone())


class OneNumberForARow(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        self.weight.data.copy_(torch.randn(length, 1).expand(length, dim) * 0.02)


class Sinusoidal(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        table = sinusoidal_table(length, dim)
        self.weight.data.copy_((table - table.mean()) / table.std() * 0.02)


class PlainTensor(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        del self.weight
        self.weight = torch.randn(length, dim) * 0.02


class Frozen(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        self.weight.requires_grad = False


class FirstRowIsPadding(PositionsByEmbedding):
    def forward(self, position_ids):
        self.padding_idx = 0
        return super().forward(position_ids)


class OneRowFurther(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)
        return self.weight[(position_ids + 1) % len(self.weight)]


class ScaledLikeWords(LearnedPositions):
    def forward(self, position_ids):
        return super().forward(position_ids) * math.sqrt(self.weight.size(1))


class WithDropout(LearnedPositions):
    def forward(self, position_ids):
        return F.dropout(super().forward(position_ids), 0.1)


class RefusesTheLast(LearnedPositions):
    def forward(self, position_ids):
        if position_ids.max() >= len(self.weight) - 1:
            raise ValueError(f"position {position_ids.max()}")
        return super().forward(position_ids)


class Asserts(LearnedPositions):
    def forward(self, position_ids):
        assert position_ids.min() >= 0 and position_ids.max() < len(self.weight)
        return self.weight[position_ids]


class InDoublePrecision(LearnedPositions):
    def forward(self, position_ids):
        return super().forward(position_ids).double()


class HalfPrecision(LearnedPositions):
    def __init__(self, length, dim):
        super().__init__(length, dim)
        self.half()


class FiveTokens(LearnedPositions):
    def forward(self, position_ids):
        return super().forward(position_ids.view(-1, 5))


class TwoHundredRows(LearnedPositions):
    def forward(self, position_ids):
        if position_ids.min() < 0 or position_ids.max() >= 200:
            raise ValueError(f"position {position_ids.max()} of 200")
        return F.embedding(position_ids, self.weight)


class NoModule:
    def __init__(self, length, dim):
        self.weight = torch.randn(length, dim) * 0.02

    def forward(self, position_ids):
        return self.weight[position_ids]


class ForgetsToReturn(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)


ANSWERS = {
    "wavelength": Answers(
        right=(wavelength_in_one_line, wavelength_step_by_step, wavelength_by_exp),
        wrong={without_turn: r"you get 1 positions where 6\.283.*one radian", half_a_turn: r"half a turn", half_exponent: r"exponent is 1/8; .* 2 · 1/8", the_frequency: r"it is the frequency",
               ever_faster: r"shorter from pair to pair", in_degrees: r"360 positions.*in degrees", column_for_pair: r"double twice",
               last_pair_at_the_limit: r"pairs less one", a_quarter: r"1\.571 .* quarter of a turn", upside_down: r"share of a turn",
               divided_by_the_turn: r"divide by 2π where", whole_division: r"cuts the exponent off", without_dim: r"exponent is 2 · 1; it is 2 · 1/8",
               base_e: r"powers of e", one_pair_late: r"62\.83 .* pair 0 \+ 1", to_whole_positions: r"you get 6 .* you round", returns_text: r"'6\.28.* positions', a str",
               returns_nothing: r"None, a NoneType"},
        known=WAVELENGTH_MISTAKES),
    "position_table": Answers(
        right=(table_by_loops, table_by_columns),
        wrong={own_exponent_per_column: r"exponent of its own.*32 of your 64", without_exp: r"exponents themselves.*-0\.29", in_halves: r"all 32 sines first",
               cosine_first: r"begins with 1, 0", sines_only: r"same sines", from_one: r"begins with 0\.84", of_degrees: r"0\.017 in its first column",
               slow_too_soon: r"544 positions instead of 47,117", as_in_the_program: r"divides by 31", ever_faster_table: r"get faster", by_the_length: r"by the length, 120",
               twice_the_two: r"turns 0\.56 .* 0\.75 .*already the 2j", whole_quotients: r"equally fast", over_the_length: r"by the length, 120; divide it by dim, 64",
               product_for_power: r"312\.5 radians", powers_of_e: r"powers of e and end at 0\.38", with_full_turns: r"2π too many", base_1000: r"base is 1000",
               turns_backwards: r"begins with -0\.84", angles_only: r"angles themselves, up to 119", cosines_only: r"all ones", cosines_forgotten: r"all zeros: the cosines",
               scaled_up: r"√64 = 8", cosines_negative: r"begins with 0, -1", one_pair_late_table: r"0\.75 radians .* begins at 0", rows_are_dimensions: r"\[64, 120\]: a row for each column"},
        known=TABLE_MISTAKES),
    "shift_matrix": Answers(
        right=(shift_by_blocks, shift_by_complex_numbers, shift_by_repeating, shift_by_exponential),
        wrong={turns_back: r"hits p\(7\): it turns the other way", one_step: r"hits p\(11\)", one_frequency: r"all 4 pairs turn by 3 radians", both_signs: r"mirrors",
               half_the_exponent: r"turns by 0\.95, where 0\.30", without_mixing: r"never mix", swapped_functions: r"changed places", turns_in_halves: r"all sines first",
               no_turn: r"changes nothing", doubled_exponent: r"turns by 0\.03, where 0\.30 .* already 2j", multiplied: r"get faster", in_degrees_turn: r"from degrees",
               sine_of_wrong_sign: r"weight of the old cosine in the new sine: -0\.30 where 0\.30 is right, for pair 1\.", second_cosine_negative: r"weight of the old cosine in the new cosine: -1",
               sine_everywhere: r"new sine: 0\.14 where -0\.99 .*; and of the old cosine in the new cosine", ignores_the_sign: r"R\(-2\).*hits p\(12\): a negative offset", one_too_far: r"hits p\(14\): one position too far",
               for_position_ten: r"contains the position 10", another_base: r"your pair 1 turns by 0\.53 radians .* 0\.30", mixes_pairs: r"1\.00 in column 2, which belongs to another pair"},
        known=SHIFT_MISTAKES),
    "LearnedPositions": Answers(
        right=(PositionsByEmbedding, PositionsByProduct),
        wrong={IdsIgnored: r"rows 0 to 4 whatever", WholeTable: r"\[2, 200, 24\]: the whole table", FirstTextForAll: r"ids of the first text", NotTrained: r"is a buffer and no parameter",
               CutFromTheGraph: r"0 of 200 rows", LargeFromTheStart: r"standard deviation (0\.9|1\.0)\d+ .*drown", AllEqual: r"start equal", Transposed: r"weight \[24, 200\]",
               AnotherName: r"table \[200, 24\]", WrapsAround: r"Position 200 in a table of 200 rows silently gets row 0", LastRowForTheRest: r"Position 200 .*row 199",
               CountsFromTheEnd: r"Position -1 silently gets row 199", UnclearError: r"IndexError", TooSmall: r"deviation 0\.0004.* do not fit", Uniform: r"are uniform: .* 1\.7", OneRowForAll: r"rows start equal \(they begin with (\S+), \1, \1\)",
               OneNumberForARow: r"one number, 24 times", Sinusoidal: r"nothing is drawn", PlainTensor: r"a plain tensor", Frozen: r"frozen",
               FirstRowIsPadding: r"Row 0 was used", OneRowFurther: r"position 0 gets row 1", ScaledLikeWords: r"√24 = 4\.9", WithDropout: r"Two calls",
               RefusesTheLast: r"you refuse them: position 199", Asserts: r"AssertionError: without a word", ForgetsToReturn: r"NoneType",
               InDoublePrecision: r"torch\.float64, where torch\.float32", HalfPrecision: r"torch\.float16", FiveTokens: r"tensor \[1, 7\] of int64 it stops",
               TwoHundredRows: r"Position 9 in a table of 9 rows ends in IndexError", NoModule: r"should be an nn\.Module"}),
}
