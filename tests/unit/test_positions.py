"""The sinusoidal table: its formula, why it is sine and cosine, and what wrong tables do."""

import math

import pytest
import torch
from reference import small_config

from minibert.embeddings import BertEmbeddings
from minibert.positions import SinusoidalPositions, sinusoidal_table


def test_the_table_equals_its_formula_written_with_loops(table=sinusoidal_table):
    formula = torch.tensor(
        [
            [
                (math.cos if column % 2 else math.sin)(i / 10000 ** (column // 2 * 2 / 12))
                for column in range(12)
            ]
            for i in range(50)
        ],
        dtype=torch.float64,
    )
    torch.testing.assert_close(table(50, 12).double(), formula, rtol=0, atol=1e-7)


def test_far_positions_keep_all_their_digits():
    """A float32 angle of 100,000 radians would be off by up to 0.004."""
    formula = torch.tensor([math.sin(99_999), math.cos(99_999)])
    torch.testing.assert_close(sinusoidal_table(100_000, 4)[-1, :2], formula, rtol=0, atol=1e-7)


def test_position_zero_is_zero_one_zero_one():
    assert sinusoidal_table(3, 6)[0].tolist() == [0, 1, 0, 1, 0, 1]


def test_the_smallest_table_is_one_position_and_one_pair():
    assert sinusoidal_table(1, 2).tolist() == [[0, 1]]


def test_every_position_vector_has_the_same_length():
    torch.testing.assert_close(
        sinusoidal_table(512, 64).norm(dim=1), torch.full((512,), math.sqrt(64 / 2))
    )


def test_every_position_vector_is_different():
    distances = torch.cdist(sinusoidal_table(512, 64), sinusoidal_table(512, 64)) + 99 * torch.eye(
        512
    )
    assert distances.min() > 0.5


@pytest.mark.parametrize("steps", [1, 5, 100])
def test_moving_on_by_k_positions_is_one_rotation_for_all(steps):
    """p(i + k) = R(k) p(i): every pair turns by the angle k · frequency, wherever it starts."""
    table = sinusoidal_table(300, 64)
    rotation = torch.zeros(64, 64)
    for pair in range(32):
        angle = steps / 10000 ** (2 * pair / 64)
        turn = torch.tensor(
            [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
        )
        rotation[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = turn
    torch.testing.assert_close(table[:-steps] @ rotation.T, table[steps:], rtol=0, atol=1e-5)


def spread(table, offset=5):
    """How much p(i) · p(i + offset) differs from position to position."""
    products = (table[:-offset] * table[offset:]).sum(dim=1)
    return (products.max() - products.min()).item()


def test_dot_products_depend_on_the_distance_only(table=sinusoidal_table):
    assert spread(table(128, 64)) < 5e-5


def test_dot_products_fall_over_the_first_five_positions():
    table = sinusoidal_table(128, 64)
    products = table[:6] @ table[0]
    assert (products.diff() < 0).all()


def test_only_the_slowest_columns_hardly_move(table=sinusoidal_table):
    """6 of the 64 columns have a standard deviation under 1e-3 over 128 positions."""
    assert (table(128, 64).std(dim=0) < 1e-3).sum() == 6


def exponent_of_its_own_for_every_column(length, dim):  # P1: 2j/dim instead of 2(j // 2)/dim
    angle = torch.arange(length)[:, None] / 10000 ** (2 * torch.arange(dim) / dim)
    return torch.where(torch.arange(dim) % 2 == 0, angle.sin(), angle.cos())


def without_exp(length, dim):  # P2: the printed formula lacks `exp`
    angle = torch.arange(length)[:, None] * -torch.arange(0, dim, 2) * (math.log(10000.0) / dim)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).reshape(length, dim)


@pytest.mark.parametrize(
    "mistake, check",
    [
        (
            exponent_of_its_own_for_every_column,
            test_the_table_equals_its_formula_written_with_loops,
        ),
        (exponent_of_its_own_for_every_column, test_dot_products_depend_on_the_distance_only),
        (exponent_of_its_own_for_every_column, test_only_the_slowest_columns_hardly_move),
        (without_exp, test_the_table_equals_its_formula_written_with_loops),
        (without_exp, test_only_the_slowest_columns_hardly_move),
    ],
)
def test_planted_mistakes_are_caught(mistake, check):
    with pytest.raises(AssertionError):
        check(mistake)


def test_how_wrong_the_wrong_tables_are():
    """The numbers of the bug clinic."""
    right, wrong, printed = (
        make(128, 64)
        for make in (sinusoidal_table, exponent_of_its_own_for_every_column, without_exp)
    )
    assert spread(right) < 5e-5 and round(spread(wrong), 1) == 5.6
    assert (wrong.std(dim=0) < 1e-3).sum() == 32
    assert round((printed - right).abs().max().item(), 1) == 2.0
    assert spread(printed) < 1e-2  # pairs still share a frequency: this probe cannot see P2


@pytest.mark.parametrize(
    "length, dim, said",
    [
        (10, 7, "dim 7 is odd"),
        (10, 1, "dim 1 is odd"),
        (0, 8, "length 0"),
        (4, 0, "dim 0"),
        (4.5, 4, "length 4.5"),
        (4, "8", "dim '8'"),
    ],
)
def test_a_table_that_cannot_be_built_is_refused_with_its_numbers(length, dim, said):
    with pytest.raises(ValueError, match=said):
        sinusoidal_table(length, dim)


def test_the_layer_looks_up_rows():
    layer, ids = SinusoidalPositions(20, 8), torch.tensor([[0, 5, 19], [3, 3, 1]])
    assert torch.equal(layer(ids), sinusoidal_table(20, 8)[ids])


def test_nothing_in_the_sinusoidal_layer_is_trained():
    assert list(SinusoidalPositions(20, 8).parameters()) == []


def test_all_tables_have_the_name_and_shape_of_the_learned_one_in_a_checkpoint():
    learned, sinusoidal, none = (
        BertEmbeddings(small_config(position_embedding_type=kind)).state_dict()
        for kind in ("absolute", "sinusoidal", "none")
    )
    assert learned.keys() == sinusoidal.keys() == none.keys() | {"position_embeddings.weight"}
    assert (
        learned["position_embeddings.weight"].shape
        == sinusoidal["position_embeddings.weight"].shape
    )
