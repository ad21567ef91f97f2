"""Positions in the page: the script's table, rotation and dot products are the package's."""

import json

import pytest
import torch
import torch.nn.functional as F
from figure_page import load, show, status

from minibert.course.figures import position_clocks, position_products
from minibert.positions import sinusoidal_table

TOKENS = ["[CLS]", "the", "bank", "by", "the", "river", "[SEP]"]


@pytest.fixture
def script(tab):
    load(tab, "sinusoidal.js")
    return tab


@pytest.mark.parametrize("dim", [2, 8, 384])
def test_the_table_is_the_packages(script, dim):
    rows = script.evaluate(
        "dim => JSON.stringify(Array.from({ length: 512 }, (_, i) => sinusoidalRow(i, dim)))", dim
    )
    assert torch.allclose(torch.tensor(json.loads(rows)), sinusoidal_table(512, dim), atol=1e-6)


def test_the_rotation_moves_every_row_of_the_table(script):
    for distance in (0, 1, 5, 31, -7):
        blocks = torch.tensor(
            script.evaluate("k => [0, 1, 2, 3].map((pair) => rotation(k, pair, 8))", distance)
        )  # [4, 2, 2]
        table = sinusoidal_table(64, 8).view(64, 4, 2)
        first = max(0, -distance)
        for i in range(first, 32):
            assert torch.allclose(
                torch.einsum("jab,jb->ja", blocks, table[i]), table[i + distance], atol=1e-5
            )


def test_likeness_is_the_dot_product_over_its_largest_value(script):
    table = sinusoidal_table(512, 384).double()
    found = torch.tensor(
        script.evaluate("Array.from({ length: 512 }, (_, k) => likeness(k, 384))"),
        dtype=torch.float64,
    )
    assert torch.allclose(found, table @ table[0] / 192, atol=1e-5)
    few = torch.tensor(
        script.evaluate("Array.from({ length: 512 }, (_, k) => likeness(k, 384, 10000, 5))"),
        dtype=torch.float64,
    )
    assert torch.allclose(few, table[:, :10] @ table[0, :10] / 5, atol=1e-5)


def test_another_base_as_in_the_chapter(script):
    exponent = torch.arange(0, 384, 2).double() / 384
    for base in (10, 1000, 1_000_000):
        angle = torch.arange(512).double()[:, None] / base**exponent
        found = torch.tensor(
            script.evaluate(
                "base => Array.from({ length: 512 }, (_, k) => likeness(k, 384, base))", base
            ),
            dtype=torch.float64,
        )
        assert torch.allclose(found, angle.cos().mean(dim=1), atol=1e-9)


# -- the clocks


def hands(tab):
    """Where the solid hands of the clocks point to, and the dashed ones."""
    read = "(name) => [...document.querySelectorAll(`.mb-clocks .mb-${name}`)].map((hand) => hand.getAttribute('d').match(/-?[\\d.]+/g).slice(2).map(Number))"
    return torch.tensor(tab.evaluate(read, "here")), torch.tensor(tab.evaluate(read, "there"))


def test_the_hands_are_the_rows_of_the_table(tab):
    show(tab, position_clocks(tokens=TOKENS))
    table = sinusoidal_table(96, 8).view(96, 4, 2)
    for position in (4, 5, 6):
        for tips, place in zip(hands(tab), (position, position + 3)):
            assert torch.allclose(
                (tips - 50) / 42 * torch.tensor([1, -1]), table[place], atol=1e-3
            )  # the sine to the right, the cosine upwards
        tab.get_by_label("Position i").press("ArrowRight")
    cells = tab.evaluate(
        "[...document.querySelectorAll('.mb-table .mb-above, .mb-table .mb-below')].map((cell) => (cell.classList.contains('mb-below') ? -1 : 1) * cell.getAttribute('fill-opacity'))"
    )
    assert torch.allclose(torch.tensor(cells).view(96, 8), table.view(96, 8), atol=0.006)


def test_the_gap_stays_while_the_position_moves(tab):
    show(tab, position_clocks(tokens=TOKENS))
    table = sinusoidal_table(96, 8)
    said = (
        "Hand 0 turns from one to the other by 3.00 radians. Dot product of the two rows: "
        f"cos 3.00 + cos 0.30 + cos 0.03 + cos 0.00 = {table[4] @ table[7]:.2f}."
    )
    assert status(tab) == f"Position 4 and position 7. {said}"
    assert tab.get_by_text("4 “the”").is_visible()
    tab.get_by_label("Position i").press("End")
    assert status(tab) == f"Position 63 and position 66. {said}"
    tab.get_by_label("Steps k").press("ArrowRight")
    assert "Hand 0 turns from one to the other by 4.00 radians." in status(tab)


def test_a_position_is_chosen_in_the_picture_and_a_hand_by_its_clock(tab):
    show(tab, position_clocks())
    box = tab.locator(".mb-table svg").bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 10.5 / 96, box["y"] + 20)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 20.5 / 96, box["y"] + 20)
    tab.mouse.up()
    assert status(tab).startswith("Position 20 and position 23.")
    tab.get_by_role("button", name="hand 1").press("Enter")
    assert "Hand 1 turns from one to the other by 0.30 radians." in status(tab)
    assert tab.locator(".mb-names .mb-chosen").all_inner_texts() == ["sin 1", "cos 1"]


def test_the_matrix_is_shown_and_does_not_change_with_the_position(tab):
    show(tab, position_clocks(position=2, distance=5))
    assert tab.locator(".mb-turned table").count() == 0
    tab.get_by_label("Show the matrix").check()
    matrix, before, after = tab.locator(".mb-turned table").all_inner_texts()
    c, s = torch.tensor(5.0).cos(), torch.tensor(5.0).sin()
    assert matrix.split()[1:] == [f"{value:.2f}".replace("-", "−") for value in (c, s, -s, c)]
    tab.get_by_label("Position i").press("ArrowRight")
    again = tab.locator(".mb-turned table").all_inner_texts()
    assert again[0] == matrix and again[1] != before and again[2] != after


# -- the dot products


@pytest.fixture(scope="module")
def tables():
    generator = torch.Generator().manual_seed(0)
    return {
        "learned": torch.randn(70, 12, generator=generator).cumsum(dim=0),
        "untrained": torch.randn(64, 5, generator=generator),
    }


def test_the_curve_follows_base_and_hands(tab):
    show(tab, position_products(384))
    table = sinusoidal_table(512, 384)
    assert (
        status(tab)
        == f"Any two positions 50 apart, base 10,000: sinusoidal {table[0] @ table[50] / 192:.2f}."
    )
    points = tab.evaluate(
        "document.querySelector('.mb-plot > svg .mb-formula.mb-curve').getAttribute('points').split(' ').map((point) => point.split(',').map(Number))"
    )
    assert len(points) == 512 and points[0][1] == min(y for _, y in points)
    tab.get_by_label("Hands, fastest first").press("Home")
    assert (
        status(tab)
        == f"Any two positions 50 apart, base 10,000, the fastest hand only: sinusoidal {torch.tensor(50.0).cos():.2f}."
    )
    tab.get_by_label("Base").press("Home")
    assert "base 10, the fastest hand only" in status(tab)


def test_a_table_is_read_at_the_position(tab, tables):
    show(tab, position_products(384, tables, distance=6))
    units = {name: F.normalize(rows, dim=1) for name, rows in tables.items()}

    def said(i, k):
        return ", ".join(
            f"{name} {rows[i] @ rows[i + k]:.2f}".replace("-", "−") for name, rows in units.items()
        )

    assert status(tab).endswith(said(32, 6) + ".") and status(tab).startswith(
        "Position 32 and position 38, base 10,000: sinusoidal 0.74, "
    )
    formula = "document.querySelector('.mb-plot > svg .mb-formula.mb-curve').getAttribute('points')"
    before = tab.evaluate(formula)
    for _ in range(3):
        tab.get_by_label("Position i").press("ArrowRight")
    assert status(tab).endswith(said(35, 6) + ".")
    assert tab.evaluate(formula) == before, "the formula's curve knows no position"
    tab.get_by_label("Position i").press("End")
    assert "learned has no such row" in status(tab)


def test_a_distance_is_chosen_in_the_plot(tab, tables):
    show(tab, position_products(384, tables, distance=6))
    box = tab.locator(".mb-plot > svg").bounding_box()
    middle = (
        box["x"] + (38 + box["width"] - 10) / 2
    )  # the plot leaves 38 pixels on the left and 10 on the right
    tab.mouse.click(middle, box["y"] + 30)
    assert tab.get_by_label("Distance k").input_value() == "0"
    assert status(tab).endswith("sinusoidal 1.00, learned 1.00, untrained 1.00.")


def test_a_phone_gets_letters_of_the_same_size(tab, tables):
    size = "Number(getComputedStyle(document.querySelector('.mb-plot > svg text')).fontSize.slice(0, -2)) * document.querySelector('.mb-plot > svg').getScreenCTM().a"
    wide = tab.viewport_size
    tab.set_viewport_size({"width": 390, "height": 844})
    show(tab, position_products(384, tables, distance=6))
    assert tab.evaluate(size) > 12
    tab.set_viewport_size(wide)


def test_wrong_arguments_are_named(tables):
    with pytest.raises(ValueError, match="dim must be an even number from 2 to 16, not 7"):
        position_clocks(dim=7)
    with pytest.raises(
        ValueError, match="position must be 0 to 63 and distance 0 to 32, not 64 and 3"
    ):
        position_clocks(position=64)
    with pytest.raises(ValueError, match="dim must be an even number of at least 2, not 9"):
        position_products(9)
    with pytest.raises(ValueError, match="at most two, each of at least 64 rows, not short of 63"):
        position_products(8, {"short": torch.ones(63, 4)})
    with pytest.raises(ValueError, match="distance must be 0 to 63, not 64"):
        position_products(8, tables, distance=64)
