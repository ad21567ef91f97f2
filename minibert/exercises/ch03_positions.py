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


WAVELENGTH_MISTAKES = [
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
]


def check_wavelength(answer):
    if not hasattr(answer(0, 8), "__float__"):
        raise Mistake(f"Your answer for pair 0 of 8 columns is {answer(0, 8)!r}, a {type(answer(0, 8)).__name__}; return a number.")
    for pair, dim in ((0, 8), (1, 8), (3, 8), (5, 12), (100, 384)):
        found, right = float(answer(pair, dim)), wavelength(pair, dim)
        if math.isclose(found, right, rel_tol=1e-5):
            continue
        given = f"For pair {pair} of {dim} columns you get {found:,.4g} positions where {right:,.4g} is right"
        for mistake, sentence in WAVELENGTH_MISTAKES:
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


def check_table(answer):
    length, dim = 120, 64       # not a multiple of each other: dividing by the wrong one must show
    found, right = answer(length, dim), sinusoidal_table(length, dim)           # [S, H]
    if getattr(found, "shape", None) == (dim, length):
        raise Mistake(f"Your table has the shape [{dim}, {length}]: a row for each column number. A row belongs to a position: [{length}, {dim}].")
    expect_tensor(found, (length, dim), "The table")
    found = found.detach()
    still = int((found.double().std(dim=0) < 1e-3).sum())
    suspects = [
        (own_exponent_per_column(length, dim), "Each of your columns has an exponent of its own, so no sine has its cosine and the frequencies run on to 1/100,000,000: "
         f"{still} of your 64 columns hardly move over {length} positions. A pair shares the exponent 2j/dim, with j = 0 … 31."),
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
        (by_the_length(length, dim), f"You divide the positions by the length, {length}, so the same place gets another vector in a longer text. Use the position as it is."),
        (twice_the_two(length, dim), f"Your pair 1 turns {10000 ** (-4 / dim):.2f} radians for each position, where {10000 ** (-2 / dim):.2f} is right: "
         "`even` is already the 2j of the formula, so it must not be doubled again."),
        (whole_quotients(length, dim), "All your pairs turn equally fast: `//` cuts every exponent 2j/64 off to 0; `/` keeps it."),
        (over_the_length(length, dim), f"You divide the exponent by the length, {length}; divide it by dim, {dim}. The frequencies belong to the columns, however long the text is."),
        (product_for_power(length, dim), f"You multiply 10000 by the exponent: your pair 1 turns {10000 * 2 / dim:.1f} radians for each position. The exponent is a power, `**`."),
        (powers_of_e(length, dim), f"Your frequencies are powers of e and end at {math.exp(-62 / dim):.2f}; the factor ln(10000) = {math.log(10000):.2f} is missing in the exponent."),
        (with_full_turns(length, dim), f"Your angles have a factor 2π too many: position 1 of pair 0 is at {2 * math.pi:.2f} radians, where 1 is right. The formula has no 2π."),
        (base_1000(length, dim), f"Your base is 1000: the last pair is {1000 ** (62 / 64):,.0f} times as slow as the first, where {10000 ** (62 / 64):,.0f} is right."),
        (turns_backwards(length, dim), f"Your angles are negative: position 1 begins with {float(found[1, 0]):.2f}, where sin(1) = {math.sin(1):.2f} is right."),
        (angles_only(length, dim), f"Your table holds the angles themselves, up to {float(found.max()):.0f}. Take their sine and cosine."),
        (cosines_only(length, dim), "Your even columns hold the same cosines as your odd ones: row 0 is all ones. The sines are missing."),
        (cosines_forgotten(length, dim), "Your odd columns are all zeros: the cosines are missing."),
        (cosines_negative(length, dim), f"Your cosines have a minus: row 0 begins with 0, {float(found[0, 1]):.0f} and must begin with 0, 1."),
        (one_pair_late_table(length, dim), f"Your first pair turns {10000 ** (-2 / dim):.2f} radians for each position, where 1 is right: 2j begins at 0, not at 2."),
        (scaled_up(length, dim), f"Your table is the right one times √{dim} = {math.sqrt(dim):.0f}. The scale of the Transformer belongs to the words; no number of the table is above 1."),
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
    answer.__name__ = name
    return answer


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
        suspects = [(turns_back, f"{given} and hits p({10 - offset}): it turns the other way. The new sine is sin a cos θ + cos a sin θ, so its sine has a plus."),
                    (one_step, f"{given} and hits p(11): it moves by one position whatever the offset is. The angle of each pair is offset times its frequency."),
                    (one_frequency, f"{given}: all {dim // 2} pairs turn by {offset} radians, but pair j turns by {offset}/10000^(2j/{dim})."),
                    (both_signs, f"{given}: both of your sines have a plus, which mirrors and does not turn. In cos(a + θ) = cos a cos θ - sin a sin θ one is negative."),
                    (half_the_exponent, f"{given}: your pair 1 turns by {offset * 10000 ** (-1 / dim):.2f}, where {offset * 10000 ** (-2 / dim):.2f} is right; the exponent is 2j/{dim}."),
                    (without_mixing, f"{given}: you shrink sine and cosine by cos θ, but never mix them. Each new number needs both old ones."),
                    (swapped_functions, f"{given}: cosine and sine have changed places. For an offset of 0 nothing may move: cos 0 = 1 belongs on the diagonal."),
                    (turns_in_halves, f"{given}: your matrix is made for a table with all sines first. Here sine and cosine of a pair stand side by side."),
                    (no_turn, f"{given}: your matrix changes nothing (1 on the diagonal, 0 elsewhere)."),
                    (doubled_exponent, f"{given}: your pair 1 turns by {offset * 10000 ** (-4 / dim):.2f}, where {offset * 10000 ** (-2 / dim):.2f} is right; "
                     "`even` is already 2j and must not be doubled."),
                    (multiplied, f"{given}: your pairs get faster. Divide the offset by the power of 10000."),
                    (in_degrees_turn, f"{given}: your angles are turned from degrees to radians, but the formula gives radians already."),
                    (one_too_far, f"{given} and hits p({11 + offset}): one position too far."),
                    (for_position_ten, f"{given}, but your matrix contains the position 10, and for p(11) it is wrong. One matrix serves every position.")]
        recognise(found.detach(), right, [(wrong(offset, dim), sentence) for wrong, sentence in suspects] + [(found.detach(), which_entries(found.detach(), right, given))],
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


class ForgetsToReturn(LearnedPositions):
    def forward(self, position_ids):
        super().forward(position_ids)


def check_learned(answer):
    torch.manual_seed(0)                                                        # `check` gives the state back afterwards
    mine = answer(200, 24)
    named = {name: list(p.shape) for name, p in mine.named_parameters()}
    if not named and torch.is_tensor(getattr(mine, "weight", None)):
        kind = "a buffer" if "weight" in mine.state_dict() else "a plain tensor, which a checkpoint would not hold either,"
        raise Mistake(f"Your weight {list(mine.weight.shape)} is {kind} and no parameter: 0 numbers for an optimiser to change. Learned positions are learned: nn.Parameter.")
    if named != {"weight": [200, 24]}:
        raise Mistake(f"Your parameters are {', '.join(f'{n} {s}' for n, s in named.items()) or 'none'}; real weights come as weight [200, 24], a row for each position.")
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
    for ids, what in ((torch.tensor([[198, 199, 200]]), "Position 200 in a table of 200 rows"), (torch.tensor([[0, -1]]), "Position -1")):
        check_refusal(mine, ids, what)


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
               last_pair_at_the_limit: r"pairs less one", a_quarter: r"1\.571 .* quarter of a turn", upside_down: r"share of a turn",
               divided_by_the_turn: r"divide by 2π where", whole_division: r"cuts the exponent off", without_dim: r"exponent is 2 · 1; it is 2 · 1/8",
               base_e: r"powers of e", one_pair_late: r"62\.83 .* pair 0 \+ 1", to_whole_positions: r"you get 6 .* you round", returns_text: r"'6\.28.* positions', a str",
               returns_nothing: r"None, a NoneType"},
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
               slow_too_soon: r"544 positions instead of 47,117", as_in_the_program: r"divides by 31", ever_faster_table: r"get faster", by_the_length: r"by the length, 120",
               twice_the_two: r"turns 0\.56 .* 0\.75 .*already the 2j", whole_quotients: r"equally fast", over_the_length: r"by the length, 120; divide it by dim, 64",
               product_for_power: r"312\.5 radians", powers_of_e: r"powers of e and end at 0\.38", with_full_turns: r"2π too many", base_1000: r"base is 1000",
               turns_backwards: r"begins with -0\.84", angles_only: r"angles themselves, up to 119", cosines_only: r"all ones", cosines_forgotten: r"all zeros: the cosines",
               scaled_up: r"√64 = 8", cosines_negative: r"begins with 0, -1", one_pair_late_table: r"0\.75 radians .* begins at 0", rows_are_dimensions: r"\[64, 120\]: a row for each column"},
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
        right=(shift_by_blocks, shift_by_complex_numbers, shift_by_repeating, shift_by_exponential),
        wrong={turns_back: r"hits p\(7\): it turns the other way", one_step: r"hits p\(11\)", one_frequency: r"all 4 pairs turn by 3 radians", both_signs: r"mirrors",
               half_the_exponent: r"turns by 0\.95, where 0\.30", without_mixing: r"never mix", swapped_functions: r"changed places", turns_in_halves: r"all sines first",
               no_turn: r"changes nothing", doubled_exponent: r"turns by 0\.03, where 0\.30 .* already 2j", multiplied: r"get faster", in_degrees_turn: r"from degrees",
               sine_of_wrong_sign: r"weight of the old cosine in the new sine: -0\.30 where 0\.30 is right, for pair 1\.", second_cosine_negative: r"weight of the old cosine in the new cosine: -1",
               sine_everywhere: r"new sine: 0\.14 where -0\.99 .*; and of the old cosine in the new cosine", ignores_the_sign: r"R\(-2\).*hits p\(12\): a negative offset", one_too_far: r"hits p\(14\): one position too far",
               for_position_ten: r"contains the position 10", another_base: r"your pair 1 turns by 0\.53 radians .* 0\.30", mixes_pairs: r"1\.00 in column 2, which belongs to another pair"},
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
        wrong={IdsIgnored: r"rows 0 to 4 whatever", WholeTable: r"\[2, 200, 24\]: the whole table", FirstTextForAll: r"ids of the first text", NotTrained: r"is a buffer and no parameter",
               CutFromTheGraph: r"0 of 200 rows", LargeFromTheStart: r"standard deviation (0\.9|1\.0)\d+ .*drown", AllEqual: r"start equal", Transposed: r"weight \[24, 200\]",
               AnotherName: r"table \[200, 24\]", WrapsAround: r"Position 200 in a table of 200 rows silently gets row 0", LastRowForTheRest: r"Position 200 .*row 199",
               CountsFromTheEnd: r"Position -1 silently gets row 199", UnclearError: r"IndexError", TooSmall: r"deviation 0\.0004.* do not fit", Uniform: r"are uniform: .* 1\.7", OneRowForAll: r"rows start equal \(they begin with (\S+), \1, \1\)",
               OneNumberForARow: r"one number, 24 times", Sinusoidal: r"nothing is drawn", PlainTensor: r"a plain tensor", Frozen: r"frozen",
               FirstRowIsPadding: r"Row 0 was used", OneRowFurther: r"position 0 gets row 1", ScaledLikeWords: r"√24 = 4\.9", WithDropout: r"Two calls",
               RefusesTheLast: r"you refuse them: position 199", Asserts: r"AssertionError: without a word", ForgetsToReturn: r"NoneType"},
    ),
]
