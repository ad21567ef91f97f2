"""The bars of the rollout figure are rows of the maps and of the package's rollout."""

import pytest
import torch
from figure_page import show, status

from minibert.course.figures import rollout_shares
from minibert.inference.interpretability import rollout

TOKENS = ["[CLS]", "a", "b", "[SEP]"]
MAPS = {
    name: torch.randn(
        3, 2, 4, 4, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    ).softmax(dim=-1)
    for seed, name in enumerate(("trained", "untrained"))
}  # [L, A, S, S] each


@pytest.fixture(scope="module")
def figure():
    return rollout_shares(MAPS, TOKENS, 1)


def rows(layer):
    """The rollout of each model and the raw map of each, as the four charts show them: [4, S]."""
    rolled = [rollout(weights[:, None])[layer, 0, 1].tolist() for weights in MAPS.values()]
    return rolled + [weights[layer].mean(dim=0)[1].tolist() for weights in MAPS.values()]


def test_the_bars_are_rows_of_the_maps_and_of_the_rollout(tab, figure):
    show(tab, figure)
    slider = tab.get_by_role("slider", name="Layer")
    for layer, key in ((2, "End"), (0, "Home"), (1, "ArrowRight")):
        slider.press(key)
        drawn = tab.eval_on_selector_all(
            ".chart",
            "charts => charts.map(chart => [...chart.querySelectorAll('.row')].map(row => Number(row.dataset.tip.match(/[\\d.]+/)[0])))",
        )
        for shown, expected in zip(drawn, rows(layer), strict=True):
            assert shown == pytest.approx(expected, abs=0.0006)
        own = [f"{100 * row[1]:.0f}%" for row in rows(layer)]
        assert tab.locator(".own b").all_inner_texts() == own, "the token's own bar has its number"
        assert status(tab) == (
            f"In layer {layer + 1}, “a” gives itself {own[0]} by rollout and {own[2]} by the raw map;"
            f" untrained: {own[1]} and {own[3]}."
        )
        for said, pair in zip(tab.locator(".apart").all_inner_texts(), (own[:2], own[2:])):
            points = abs(int(pair[0][:-1]) - int(pair[1][:-1]))
            unit = "point" if points == 1 else "points"
            assert said == f"“a” keeps {pair[0]} and {pair[1]}: {points} {unit} apart"


def test_the_title_says_the_marked_numbers_of_the_last_layer(tab, figure):
    show(tab, figure)
    rolled, control, raw, _ = tab.locator(".own b").all_inner_texts()
    assert figure.label == (
        f"By rollout, “a” keeps {rolled} of itself; a model that has learned nothing gives {control}"
    )
    assert f"gives {raw}." in figure.alt


@pytest.mark.parametrize("theme, width", [("light", 320), ("dark", 390)])
def test_nothing_sticks_out_on_a_phone(tab, figure, theme, width):
    before = tab.viewport_size
    tab.set_viewport_size({"width": width, "height": 800})
    show(tab, figure, theme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.set_viewport_size(before)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="a model and its control in one shape"):
        rollout_shares({"trained": MAPS["trained"]}, TOKENS, 1)
    with pytest.raises(ValueError, match="3 names for 4 positions"):
        rollout_shares(MAPS, TOKENS[:3], 1)
