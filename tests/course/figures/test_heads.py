"""All heads in the page: arcs and numbers are the model's weights, the arrow keys walk through the grid, and marks count as the reader would."""

import math

import pytest
import torch
from figure_page import chosen, load, menu, show, status
from tiny_run import CONFIG, TOKENIZER

import minibert
from minibert.course.figures import all_heads
from minibert.course.figures.all_heads import clearest
from minibert.course.figures.packed import unpacked
from minibert.inference.interpretability import capture

TEXTS = ["w5 w7 w10 w9", "w9 w5", ("w6 w7", "w8 w6")]


@pytest.fixture(scope="module")
def models():
    torch.manual_seed(5)
    trained, untrained = (minibert.BertModel(CONFIG).eval() for _ in range(2))
    with torch.no_grad():
        for layer in trained.encoder.layer:
            for parameter in layer.attention.self.parameters():
                parameter.normal_(std=0.6)
    return trained, untrained


@pytest.fixture(scope="module")
def figure(models):
    return all_heads(models[0], TOKENIZER, TEXTS, models[1], layer=1, head=0, word=2)


def maps_of(model, text):
    """[L, A, S, S]"""
    one, other = (text, None) if isinstance(text, str) else text
    return capture(model, TOKENIZER, [one], other and [other]).attentions[:, 0]


def drawn(tab) -> torch.Tensor:
    """The folded table of the chosen head [S, S]; the arcs and numbers of the word that looks say the same."""
    if tab.locator("details:not([open])").count():
        tab.locator("summary").click()
        tab.wait_for_selector(".mb-heat")
    table, arcs, word = tab.evaluate("""() => [
        [...document.querySelectorAll('.mb-heat tbody tr')].map(row => [...row.querySelectorAll('td')].map(cell => Number(cell.textContent))),
        [...document.querySelectorAll('.mb-arcs path')].map(path => [Number(path.dataset.tip.split(' ')[0]), path.style.strokeWidth]),
        [...document.querySelectorAll('.mb-askers input')].findIndex(input => input.checked)]""")
    assert [share for share, _ in arcs] == table[word]
    for share, width in arcs:
        assert float(width.removesuffix("px")) == pytest.approx(
            1.5 + 9 * share if share >= 0.051 else 0, abs=2 if 0.049 < share < 0.051 else 0.11
        )
    return torch.tensor(table)


def test_the_figure_holds_all_weights_of_both_models(models, figure):
    for text, kept in zip(TEXTS, figure.data["texts"], strict=True):
        for model, weights in zip(models, unpacked(kept["weights"])):
            torch.testing.assert_close(weights.float(), maps_of(model, text), atol=0.002, rtol=0)


def test_every_text_model_and_head_is_drawn_with_its_own_weights(tab, models, figure):
    show(tab, figure)
    for i, text in enumerate(TEXTS):
        menu(tab, "Text").select_option(index=i)
        for model, label in zip(models, ("trained", "untrained")):
            for layer, head in ((0, 0), (0, 1), (1, 1)):
                tab.locator(f"[data-tip='{label}, layer {layer + 1}, head {head + 1}']").click()
                torch.testing.assert_close(
                    drawn(tab), maps_of(model, text)[layer, head], atol=0.0075, rtol=0
                )  # 0.002, and two decimals


def test_arrow_keys_walk_through_heads_and_layers_and_the_figure_says_where_the_word_looks(
    tab, models, figure
):
    show(tab, figure)
    tab.get_by_label("trained, layer 2, head 1", exact=True).focus()
    for key, layer, head in (
        ("ArrowRight", 1, 1),
        ("ArrowUp", 0, 1),
        ("ArrowUp", 1, 1),
        ("ArrowLeft", 1, 0),
    ):
        tab.keyboard.press(key)
        name = f"trained, layer {layer + 1}, head {head + 1}"
        assert tab.get_by_label(name, exact=True).is_checked()
        assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == name
        row = maps_of(models[0], TEXTS[0])[layer, head, 2]
        best = ["[CLS]", "w5", "w7", "w10", "w9", "[SEP]"][row.argmax()]
        assert status(tab).startswith(
            f"Layer {layer + 1}, head {head + 1}: “w7” looks at “{best}” with {row.max():.2f}"
        )


def test_another_word_is_chosen_by_key_and_by_pointer(tab, figure):
    show(tab, figure)
    words = tab.locator(".mb-askers")
    words.get_by_label("w7").press("ArrowRight")
    assert "“w10” looks at" in status(tab)
    words.get_by_text("[CLS]").click()
    tab.locator("summary").click()
    assert "“[CLS]” looks at" in status(tab) and tab.locator("tr.asking th").inner_text() == "[CLS]"


def test_pointing_shows_arcs_until_the_pointer_leaves(tab, figure):
    tab.goto("about:blank")  # Chromium loses track of a pointer whose page was written anew
    show(tab, figure)
    asking = tab.locator(".mb-asking")
    tab.locator(".mb-askers label").nth(4).hover()
    assert asking.inner_text() == "w9"
    tab.mouse.move(5, 5)
    tab.wait_for_function(  # what was chosen is shown again
        "document.querySelector('.mb-asking').textContent === 'w7'", timeout=2000
    )


# What a weight of 5% looks like against the page, as WCAG counts it.
CONTRAST = """() => {
    const light = (colour) => {
        const canvas = document.createElement('canvas').getContext('2d');
        canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255)
            .map((value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
            .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
    };
    const paper = light(getComputedStyle(document.querySelector('.mb-figure')).backgroundColor);
    return [...document.querySelectorAll('.mb-arcs path')].map((path) => {
        const style = getComputedStyle(path), ink = light(style.stroke), [low, high] = [ink, paper].sort((a, b) => a - b);
        return [Number(path.dataset.tip.split(' ')[0]), parseFloat(style.strokeWidth), Number(style.opacity), (high + 0.05) / (low + 0.05)];
    });
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_weight_of_5_percent_and_more_is_readable(tab, figure, theme):
    show(tab, figure, theme)
    tab.wait_for_timeout(300)
    for share, width, opacity, contrast in tab.evaluate(CONTRAST):
        if share > 0.051:
            assert opacity == 1 and contrast > 3 and width >= 1.9


def test_a_long_text_and_a_phone_get_two_columns(tab, models):
    long = all_heads(models[0], TOKENIZER, ["w5 w7 w10 w9 " * 5], models[1])
    before = tab.viewport_size
    for figure, width, in_line in ((long, 900, False), (long, 366, False)):
        tab.set_viewport_size({"width": width, "height": 900})
        show(tab, figure)
        assert bool(tab.locator(".mb-line").count()) == in_line
        assert tab.locator(".mb-answers .mb-weight").all_inner_texts()[0].startswith("0.")
        picture, rows = (
            tab.locator(f".mb-arcs > {part}").bounding_box() for part in ("svg", ".mb-askers")
        )
        assert picture["height"] == pytest.approx(rows["height"], abs=1), "arcs end at their rows"
    tab.set_viewport_size(before)
    show(tab, all_heads(models[0], TOKENIZER, ["w5 w7"], models[1]))
    assert tab.locator(".mb-line").count() == 1


def test_it_opens_on_the_clearest_case_of_its_title_and_says_so(tab, models, figure):
    maps = torch.full((2, 2, 3, 3), 1 / 3)
    maps[0, 1] = torch.tensor([[0.98, 0.01, 0.01]] * 3)
    maps[1, 0] = torch.eye(3) * 0.85 + 0.05
    assert clearest(maps) == (0, 1)
    opened = all_heads(models[0], TOKENIZER, TEXTS, models[1])
    both = [maps_of(model, TEXTS[0]) for model in models]
    layer, head = clearest(both[0])
    assert (opened.data["layer"], opened.data["head"]) == (layer, head)
    show(tab, opened)
    share = both[0][layer, head].mean(dim=0)  # [S]
    assert share.max() > 0.5
    name = ["[CLS]", "w5", "w7", "w10", "w9", "[SEP]"][share.argmax()]
    assert tab.locator(".title").inner_text() == (
        f"A framed head: layer {layer + 1}, head {head + 1}, trained. The tokens give “{name}”"
        f" {share.max():.0%} on average; arcs: “w5”."
    )
    menu(tab, "Frame heads on").select_option("nothing")
    assert tab.locator(".title").inner_text() == (
        f"The chosen head: layer {layer + 1}, head {head + 1}, trained. Arcs: where “w5” looks."
    )


def test_equal_words_of_a_pair_get_names_of_their_own(tab, figure):
    show(tab, figure)
    menu(tab, "Text").select_option(index=2)
    assert chosen(tab, "Text") == "w6 w7 [SEP] w8 w6"
    assert tab.locator(".mb-askers label").all_inner_texts() == [
        "[CLS]",
        "w6 1",
        "w7",
        "[SEP] 3",
        "w8",
        "w6 5",
        "[SEP] 6",
    ]


def test_what_rounds_to_nothing_is_not_looked_at(tab):
    load(tab, "tokens.js")
    assert (
        tab.evaluate("mostOf([0.001, 0.994, 0.005], ['a', 'b', 'c'])")
        == "“b” with 0.99, “c” with 0.01"
    )
    assert tab.evaluate("mostOf([0.004, 0.003], ['a', 'b'])") == "“a” with 0.00"


HABITS = {"before": -1, "after": 1, "itself": 0}


def test_what_a_head_gives_to_a_neighbour_is_the_mean_of_a_diagonal(tab):
    map_ = torch.rand(
        6, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64
    ).softmax(dim=-1)
    load(tab, "all_heads.js")
    found = tab.evaluate(
        "map => Object.fromEntries(Object.keys(HABITS).map(habit => [habit, shareOf(map, habit)]))",
        map_.tolist(),
    )
    expected = {name: map_.diagonal(offset).mean().item() for name, offset in HABITS.items()}
    assert found == pytest.approx(
        expected
        | {"first": map_[:, 0].mean().item(), "last": map_[:, -1].mean().item()}
        | {"one": map_.mean(dim=0).max().item()}
    )


def test_framed_heads_are_those_that_give_more_than_half_there(tab, models, figure):
    show(tab, figure)
    for i, text in enumerate(TEXTS):
        menu(tab, "Text").select_option(index=i)
        both = [maps_of(model, text) for model in models]
        for label, share_of in (
            ("one token", lambda maps: maps.mean(dim=-2).amax(dim=-1)),
            ("[CLS]", lambda maps: maps[..., 0].mean(-1)),
            ("the token before", lambda maps: maps.diagonal(-1, 2, 3).mean(-1)),
            ("the token after", lambda maps: maps.diagonal(1, 2, 3).mean(-1)),
        ):
            menu(tab, "Frame heads on").select_option(label)
            framed = [
                [
                    f"{name}, layer {n // 2 + 1}, head {n % 2 + 1}"
                    for n, value in enumerate(share_of(maps).flatten())
                    if value > 0.5
                ]
                for name, maps in zip(("trained", "untrained"), both)
            ]
            assert (
                tab.eval_on_selector_all(
                    ".grid .marked", "labels => labels.map(label => label.dataset.tip)"
                )
                == framed[0] + framed[1]
            )
            assert tab.locator(".counted").all_inner_texts() == [
                f"{name}: {len(found)} of 4 heads framed"
                for name, found in zip(("trained", "untrained"), framed)
            ]
    menu(tab, "Frame heads on").select_option("nothing")
    assert tab.locator(".grid .marked").count() == 0


def test_it_opens_with_the_heads_of_the_title_framed(tab, figure):
    show(tab, figure)
    trained, untrained = (
        text.split(": ")[1].removesuffix(" heads framed")
        for text in tab.locator(".counted").all_inner_texts()
    )
    assert figure.label.startswith(f"{trained} heads give most of their weight to one token")
    assert f"and {untrained.split()[0]} in an untrained model" in figure.label


def test_small_maps_have_ink_where_weights_are(tab, models, figure):
    show(tab, figure)
    menu(tab, "Text").select_option(index=1)
    for number, model in enumerate(models):
        torch.testing.assert_close(
            ink(tab, number), maps_of(model, TEXTS[1])[0, 0], atol=0.004, rtol=0
        )


def ink(tab, number) -> torch.Tensor:
    """How much ink the small map of a model's first head has at each place, from 0 to 1: [S, S]."""
    opaque = tab.evaluate(
        """async (number) => {
        const picture = new Image();
        picture.src = getComputedStyle(document.querySelectorAll('.grid')[number].querySelector('.map')).getPropertyValue('--map').slice(4, -1);
        await picture.decode();
        const canvas = document.createElement('canvas').getContext('2d');
        canvas.drawImage(picture, 0, 0);
        return [...canvas.getImageData(0, 0, picture.width, picture.height).data].filter((_, i) => i % 4 === 3);
    }""",
        number,
    )
    size = math.isqrt(len(opaque))
    return torch.tensor(opaque).view(size, size) / 255


@pytest.mark.parametrize("theme, width", [("light", 320), ("dark", 390)])
def test_nothing_sticks_out_on_a_phone(tab, figure, theme, width):
    before = tab.viewport_size
    tab.set_viewport_size({"width": width, "height": 800})
    show(tab, figure, theme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.set_viewport_size(before)


def test_what_cannot_be_drawn_is_refused(models):
    with pytest.raises(ValueError, match="no head 2 in a layer 0 of 2 layers with 2 heads"):
        all_heads(models[0], TOKENIZER, ["w5 w7"], models[1], head=2)
    other = minibert.BertModel(
        minibert.BertConfig(**CONFIG.to_dict() | {"num_hidden_layers": 1})
    ).eval()
    with pytest.raises(
        ValueError,
        match=r"control must have \[2, 2\] layers and heads as the model has, not \[1, 2\]",
    ):
        all_heads(models[0], TOKENIZER, ["w5 w7"], other)
