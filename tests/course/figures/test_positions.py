"""Positions in the page: the script's table, rotation and dot products are the package's."""

import json

import pytest
import torch
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


def test_likeness_is_the_dot_product_over_its_largest_value(script):
    table = sinusoidal_table(512, 384).double()
    found = torch.tensor(
        script.evaluate("Array.from({ length: 512 }, (_, k) => likeness(k, 384))"),
        dtype=torch.float64,
    )
    assert torch.allclose(found, table @ table[0] / 192, atol=1e-5)


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
    """Where the solid hands of the clocks point to, and the dashed ones: [row, hand, 2] each."""
    read = "(name) => [...document.querySelectorAll(`.mb-clocks .mb-${name}`)].map((hand) => hand.getAttribute('d').match(/-?[\\d.]+/g).slice(2).map(Number))"
    return [torch.tensor(tab.evaluate(read, name)).view(2, -1, 2) for name in ("here", "there")]


def test_the_hands_are_the_rows_of_the_table(tab):
    show(tab, position_clocks(positions=(4, 30), distance=3, tokens=TOKENS))
    table = sinusoidal_table(96, 8).view(96, 4, 2)
    for lower in (30, 31, 32):
        for tips, steps in zip(hands(tab), (0, 3)):
            for row, position in zip(tips, (4, lower)):  # the sine to the right, the cosine upwards
                found = (row - 50) / 44 * torch.tensor([1, -1])
                assert torch.allclose(found, table[position + steps], atol=1e-3)
        tab.get_by_label("Lower position i").press("ArrowRight")


def test_the_angles_stay_while_the_position_moves(tab):
    show(tab, position_clocks(tokens=TOKENS))
    said = "hand 0 by 115°, hand 1 by 11°, hand 2 by 1.1°, hand 3 by 0.1°."
    turns = tab.locator(".mb-turn")
    assert turns.all_inner_texts() == ["115°", "11°", "1.1°", "0.1°"]
    assert status(tab) == f"From position 1 to 3 as from 30 to 32, 2 steps turn {said}"
    assert tab.locator(".mb-clocks").get_by_text("1 “the”").is_visible()
    tab.get_by_label("Lower position i").press("End")
    assert status(tab) == f"From position 1 to 3 as from 63 to 65, 2 steps turn {said}"
    tab.get_by_label("Steps k").press("ArrowLeft")
    assert "from 63 to 64, 1 step turns hand 0 by 57°" in status(tab)
    assert turns.first.inner_text() == "57°"


# -- the dot products


def test_one_curve_follows_the_base_and_the_other_stays(tab):
    show(tab, position_products(384))
    table = sinusoidal_table(512, 384)
    exponent = torch.arange(0, 384, 2).double() / 384
    ten = (64 / 10**exponent).cos().mean()
    assert (
        status(tab) == f"Any two positions 64 apart: {table[0] @ table[64] / 192:.2f}"
        f" with base 10,000, {ten:.2f} with base 10."
    )
    drawn = "name => document.querySelector(`.mb-curve.${name}`).getAttribute('points').split(' ').map((point) => point.split(',').map(Number))"
    points, other = (tab.evaluate(drawn, name) for name in ("mb-mine", "mb-other"))
    assert len(points) == 512 and points[0][1] == min(y for _, y in points)
    tab.get_by_role("slider", name="Base").press("Home")
    assert "with base 10, " in status(tab)
    assert tab.evaluate(drawn, "mb-mine") == tab.evaluate(drawn, "mb-other") == other


def test_the_title_states_what_the_curves_show():
    exponent, distance = torch.arange(0, 384, 2).double() / 384, torch.arange(512)[:, None]
    ten, large = ((distance / base**exponent).cos().mean(dim=1) for base in (10, 10_000))  # [512]
    assert large.min() > 0.2 and ten[4] > ten[5:].max() and ten[5:].max() < 0.1


def test_a_distance_is_chosen_in_the_plot(tab):
    show(tab, position_products(384))
    box = tab.locator(".mb-plot > svg").bounding_box()
    middle = (
        box["x"] + (38 + box["width"] - 12) / 2
    )  # the plot leaves 38 pixels on the left and 12 on the right
    tab.mouse.click(middle, box["y"] + 60)
    assert tab.get_by_role("slider", name="Distance").input_value() in ("255", "256")
    assert tab.locator(".mb-value.mb-mine").text_content().endswith("apart: 0.36")


def test_a_phone_gets_letters_of_the_same_size(tab):
    size = "Number(getComputedStyle(document.querySelector('.mb-plot > svg text')).fontSize.slice(0, -2)) * document.querySelector('.mb-plot > svg').getScreenCTM().a"
    wide = tab.viewport_size
    tab.set_viewport_size({"width": 390, "height": 844})
    show(tab, position_products(384))
    assert tab.evaluate(size) > 12
    tab.set_viewport_size(wide)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="dim must be an even number from 2 to 16, not 7"):
        position_clocks(dim=7)
    with pytest.raises(ValueError, match=r"positions must be two, each 0 to 63, not \(1, 64\)"):
        position_clocks(positions=(1, 64))
    with pytest.raises(ValueError, match="distance must be 0 to 32, not 33"):
        position_clocks(distance=33)
    with pytest.raises(ValueError, match="dim must be an even number of at least 2, not 9"):
        position_products(9)
    with pytest.raises(ValueError, match="distance must be 0 to 511, not 512"):
        position_products(8, distance=512)
