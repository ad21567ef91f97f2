"""The residual stream in the page: its vectors are the model's, and what is drawn of them are their lengths, cosines and two directions."""

import pytest
import torch
import torch.nn.functional as F
from figure_page import menu, show, status
from tiny_run import CONFIG, TOKENIZER

import minibert
from minibert.course.figures import residual_stream
from minibert.course.figures.packed import unpacked
from minibert.course.figures.residual_stream import stream

TEXTS = ["w5 w7 w10", "w5 w7 w11", "w5 w9 w10", "w5 w7 w12"]
KINDS = ["wet", "dry", None, "wet"]


@pytest.fixture(scope="module")
def models():
    torch.manual_seed(7)
    return tuple(
        minibert.BertModel(
            minibert.BertConfig(**CONFIG.to_dict() | {"initializer_range": size})
        ).eval()
        for size in (0.3, 0.02)
    )


@pytest.fixture(scope="module")
def figure(models):
    return residual_stream(models[0], TOKENIZER, TEXTS, models[1], KINDS)


@pytest.fixture(scope="module")
def measures(figure):
    return {name: unpacked(values) for name, values in figure.data["measures"].items()}


def test_the_stream_is_the_models_and_each_sublayer_adds_and_normalises(models):
    states, added = stream(models[0], TOKENIZER, TEXTS)
    batch = TOKENIZER(TEXTS)
    with torch.no_grad():
        expected = models[0](**batch, output_hidden_states=True).hidden_states
    torch.testing.assert_close(states[::2].float(), torch.stack(expected), atol=1e-5, rtol=0)
    norms = [
        norm
        for layer in models[0].encoder.layer
        for norm in (layer.attention.output.LayerNorm, layer.output.LayerNorm)
    ]
    for stage, norm in enumerate(norms):
        with torch.no_grad():
            torch.testing.assert_close(
                norm((states[stage] + added[stage]).float()),
                states[stage + 1].float(),
                atol=1e-5,
                rtol=0,
            )


@pytest.mark.parametrize("index", [0, 1])
def test_lengths_and_cosines_are_those_of_the_vectors(models, measures, index):
    states, added = stream(models[index], TOKENIZER, TEXTS)
    for text in range(len(TEXTS)):
        for stage in (0, 1, 4):
            vectors, first = states[stage, text], states[stage, 0]
            close = {
                name: values[index, text, stage]
                for name, values in measures.items()
                if name != "added"
            }
            torch.testing.assert_close(close["length"], vectors.norm(dim=-1), atol=1e-3, rtol=0)
            torch.testing.assert_close(
                close["start"],
                F.cosine_similarity(vectors, states[0, text], dim=-1),
                atol=1e-4,
                rtol=0,
            )
            torch.testing.assert_close(
                close["within"],
                F.cosine_similarity(vectors[:, None], vectors[None], dim=-1),
                atol=1e-4,
                rtol=0,
            )
            torch.testing.assert_close(
                close["across"],
                F.cosine_similarity(first[:, None], vectors[None], dim=-1),
                atol=1e-4,
                rtol=0,
            )
        torch.testing.assert_close(
            measures["added"][index, text], added[:, text].norm(dim=-1), atol=1e-3, rtol=0
        )


def test_the_map_keeps_distances_in_its_directions_and_wet_is_above_dry(models, measures):
    states, _ = stream(models[0], TOKENIZER, TEXTS)
    for token in range(5):
        points = measures["map"][0, :, :, token]  # [N, P, 2]
        assert points[0, 0].abs().max() < 1e-3
        vectors = states[:, :, token].transpose(0, 1)  # [N, P, H]
        flat, full = (
            torch.cdist(points.flatten(0, 1), points.flatten(0, 1)),
            torch.cdist(vectors.flatten(0, 1), vectors.flatten(0, 1)),
        )
        assert (flat <= full + 2e-3).all(), "a shadow is never longer than what casts it"
        apart = points[[0, 3]].mean(dim=(0, 1)) - points[1].mean(dim=0)
        whole = vectors[[0, 3]].mean(dim=(0, 1)) - vectors[1].mean(dim=0)
        torch.testing.assert_close(
            apart[1], whole.norm(), atol=2e-3, rtol=0
        )  # all that parts the kinds on average stands upright


def cosines_said(tab) -> list[float]:
    """Of the trained and of the randomised model."""
    both = status(tab).rsplit("cosine of ", 1)[1].replace("−", "-").split(", ")
    return [float(each.split()[0]) for each in both]


def test_the_depth_goes_by_key_and_the_figure_says_the_cosines(tab, measures, figure):
    show(tab, figure)
    across = measures["across"][:, 1, :, 2, 2]  # [models, P]
    depth = tab.get_by_label("Depth")
    for key, stage, name in (
        ("Home", 0, "before layer 1"),
        ("ArrowRight", 1, "layer 1, attention"),
        ("ArrowRight", 2, "layer 1, feed-forward"),
        ("End", 4, "layer 2, feed-forward"),
    ):
        depth.press(key)
        assert status(tab).startswith(f"{name}: “w7” in “w5 w7 w10” and “w7” in “w5 w7 w11”")
        assert cosines_said(tab) == pytest.approx(across[:, stage].tolist(), abs=6e-4)
        assert tab.locator(".maps circle.mark").count() == 2 * (stage + 1)
    for which, name in enumerate(("trained", "randomised")):
        tips = tab.evaluate(
            "name => [...document.querySelectorAll(`.dot.${name}`)].map(dot => dot.dataset.tip)",
            name,
        )
        assert [float(tip.split(": ")[1].replace("−", "-")) for tip in tips] == pytest.approx(
            across[which].tolist(), abs=6e-4
        )


def test_the_title_states_the_cosines_of_the_curve(measures, figure):
    trained, randomised = measures["across"][:, 1, -1, 2, 2].tolist()  # after the last layer
    assert figure.label == (
        f"After 2 layers, “w7” in two texts has a cosine of {trained:.2f}; in a randomised"
        f" copy, {randomised:.2f}"
    )


def test_other_texts_and_tokens_have_their_own_numbers(tab, measures, figure):
    show(tab, figure)
    menu(tab, f"“{TEXTS[0]}” and").select_option(TEXTS[2])
    assert cosines_said(tab) == pytest.approx(measures["across"][:, 2, 4, 2, 2].tolist(), abs=6e-4)
    tab.get_by_label("w7 / w9", exact=True).press("ArrowLeft")
    assert cosines_said(tab) == pytest.approx(measures["across"][:, 2, 4, 1, 1].tolist(), abs=6e-4)
    tab.locator(".words label").nth(3).click()
    assert cosines_said(tab) == pytest.approx(measures["across"][:, 2, 4, 3, 3].tolist(), abs=6e-4)


def test_the_folded_tables_hold_lengths_and_cosines(tab, measures, figure):
    show(tab, figure)
    tab.get_by_label("Depth").press("ArrowLeft")
    tab.locator("summary").click()
    tab.wait_for_selector(".lengths")
    cells = "selector => [...document.querySelectorAll(selector)].map(row => [...row.querySelectorAll('td')].map(cell => Number(cell.textContent.replace('−', '-'))))"
    for text, row in zip((0, 1), tab.evaluate(cells, ".lengths tbody tr")):
        expected = [
            measures["length"][0, text, 2, 2],
            measures["added"][0, text, 2, 2],
            measures["length"][0, text, 3, 2],
            measures["start"][0, text, 3, 2],
        ]
        assert row == pytest.approx([value.item() for value in expected], abs=0.06)
    expected = [measures["within"][0, 0], measures["within"][0, 1], measures["across"][0, 1]]
    torch.testing.assert_close(
        torch.tensor(tab.evaluate(cells, ".mb-heat tbody tr")).view(3, 5, 5),
        torch.stack([each[3] for each in expected]).float(),
        atol=0.0055,
        rtol=0,
    )


@pytest.mark.parametrize("theme, width", [("light", 320), ("dark", 390)])
def test_nothing_sticks_out_on_a_phone(tab, figure, theme, width):
    before = tab.viewport_size
    tab.set_viewport_size({"width": width, "height": 800})
    show(tab, figure, theme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.set_viewport_size(before)


@pytest.mark.parametrize(
    "texts, kinds, changes, message",
    [
        (["w5 w7 w10", "w5 w7"], ["a", "b"], {}, r"as many tokens each, not \[5, 4\]"),
        (["w5 w7"], ["a"], {}, "at least two"),
        (["w5 w7", "w5 w8"], ["a", "a"], {}, "two words, one of them"),
        (["w5 w7", "w5 w8"], ["a", "b", "a"], {}, "for each of 2 texts"),
        (
            ["w5 w7", "w5 w8"],
            ["a", "b"],
            {"norm_first": True},
            "a model with norm_first=True has another",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(models, texts, kinds, changes, message):
    bert = minibert.BertModel(minibert.BertConfig(**CONFIG.to_dict() | changes)).eval()
    with pytest.raises(ValueError, match=message):
        residual_stream(bert, TOKENIZER, texts, models[1], kinds)
