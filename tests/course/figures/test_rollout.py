"""The streams of the rollout figure are rows of the maps and of the package's rollout."""

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


SIDES = """sides => sides.map(side => [...side.querySelectorAll('.stream')].map(flow => {
    const [, number, token] = flow.dataset.tip.match(/([\\d.]+) from “(.*)”/);
    const numbers = flow.getAttribute('d').match(/-?[\\d.]+/g).map(Number);
    return { share: Number(number), token, thick: numbers[8] - numbers[7] };
}))"""


def shares(kind, layer):
    """What token 1 takes from each, by the rollout or by the raw map, of each model: [2, S]."""
    if kind == "rollout":
        return [rollout(weights[:, None])[layer, 0, 1].tolist() for weights in MAPS.values()]
    return [weights[layer].mean(dim=0)[1].tolist() for weights in MAPS.values()]


@pytest.mark.parametrize(
    "kind, option, begin",
    [
        ("rollout", "all layers so far: rollout", "Rollout, layers 1 to {}: "),
        ("raw", "this layer alone: attention", "Attention of layer {} alone: "),
    ],
)
def test_the_streams_are_rows_of_the_maps_and_of_the_rollout(tab, figure, kind, option, begin):
    show(tab, figure)
    tab.get_by_text(option, exact=True).click()
    slider = tab.get_by_role("slider", name="Layer")
    for layer, key in ((2, "End"), (0, "Home"), (1, "ArrowRight")):
        slider.press(key)
        said = status(tab)  # and the streams have come to rest
        drawn, wanted = tab.eval_on_selector_all(".from", SIDES), shares(kind, layer)
        for side, expected in zip(drawn, wanted, strict=True):
            assert [flow["token"] for flow in side] == TOKENS
            assert [flow["share"] for flow in side] == pytest.approx(expected, abs=0.0006)
            total = sum(flow["thick"] for flow in side)
            thick = [flow["thick"] / total for flow in side]
            assert thick == pytest.approx(expected, abs=0.005), "as thick as its share"
        texts = tab.eval_on_selector_all(".share", "all => all.map(one => one.textContent)")
        assert [int(text.rstrip("%")) for text in texts] == pytest.approx(
            [100 * share for row in wanted for share in row], abs=0.56
        )
        own = [f"{100 * row[1]:.0f}%" for row in wanted]
        points = abs(int(own[0][:-1]) - int(own[1][:-1]))
        first = "Rollout, layer 1: " if (kind, layer) == ("rollout", 0) else begin.format(layer + 1)
        assert said == (
            f"{first}“a” gets {own[0]} from itself in the trained model and {own[1]} in the untrained"
            f" one, {points} {'point' if points == 1 else 'points'} apart."
        )


def test_the_title_says_the_marked_numbers_of_the_last_layer(tab, figure):
    show(tab, figure)
    rolled, control = tab.eval_on_selector_all(
        ".share.own", "all => all.map(one => one.textContent)"
    )
    apart = abs(int(rolled.rstrip("%")) - int(control.rstrip("%")))
    alike = "nearly the same, " if apart < 5 else ""
    assert figure.label == (
        f"By attention rollout, {rolled} of “a” still comes from “a” after 3 layers; in a model that"
        f" has learned nothing it is {alike}{control}"
    )
    assert f"{rolled} and {control}." in figure.alt
    assert f"gives {shares('raw', 2)[0][1]:.0%} in the trained model" in figure.alt


def test_a_stream_says_its_number_where_one_points(tab, figure):
    show(tab, figure)
    tab.locator(".model .stream.own").hover()
    assert tab.locator(".mb-tip").inner_text() == (
        f"trained, rollout: {shares('rollout', 2)[0][1]:.3f} from “a”"
    )
    tab.mouse.move(0, 0)  # a pointer that rests on a stream keeps its number
    tab.get_by_role("group", name="streams").press("ArrowRight")
    assert tab.locator(".mb-tip").inner_text().endswith("from “[CLS]”")


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
