"""The map of meanings: dots are where the model's vectors are, and the scores are counts that a control can win as well."""

import pytest
import torch
import torch.nn.functional as F
from figure_page import show, status
from tiny_run import CONFIG, TOKENIZER

import minibert
from minibert.course.figures import meaning_map
from minibert.course.figures.meaning_map import projection, word_vectors
from minibert.course.figures.packed import unpacked

WET = {"ten": "w5 w7 w10", "eleven": "w6 w7 w11", "twelve": "w8 w7 w12"}
DRY = {"twenty": "w5 w7 w20", "more": "w6 w7 w21", "most": "w8 w7 w22"}
SHOWN = {"wet": WET, "dry": DRY}
FITTED = {"wet": ["w9 w7 w10", "w13 w7 w11"], "dry": ["w9 w7 w20", "w13 w7 w21"]}
TEXTS = [*WET.values(), *DRY.values()]


@pytest.fixture(scope="module")
def models():
    found = []
    for seed in range(3):
        torch.manual_seed(seed)
        found.append(
            minibert.BertModel(
                minibert.BertConfig(**CONFIG.to_dict() | {"initializer_range": 0.5})
            ).eval()
        )
    return found


@pytest.fixture(scope="module")
def figure(models):
    return figure_of(models, *models[1:])


def figure_of(models, *controls):
    return meaning_map(models[0], TOKENIZER, controls, "w7", SHOWN, FITTED, "Tiny")


def score(figure):
    return figure.data["scores"][1][-1]


def test_the_vectors_are_those_of_the_word_after_each_layer(models):
    found = word_vectors(models[0], TOKENIZER, "w7", TEXTS)
    for i, text in enumerate(TEXTS):
        states = models[0](**TOKENIZER([text]), output_hidden_states=True).hidden_states
        torch.testing.assert_close(
            found[:, i].float(), torch.stack([state[0, 2] for state in states]), atol=1e-5, rtol=0
        )


def test_dots_are_projections_on_axes_and_a_line_that_other_sentences_gave(models, figure):
    others = [text for meaning in FITTED.values() for text in meaning]
    trained = word_vectors(models[0], TOKENIZER, "w7", TEXTS)[-1]
    spread = (trained - trained.mean(dim=0)).square().sum(dim=-1).mean().sqrt()
    drawn = [models[0], sorted(models[1:], key=lambda model: score(figure_of(models, model)))[1]]
    for model, dots in zip(drawn, unpacked(figure.data["dots"])):
        fitted = word_vectors(model, TOKENIZER, "w7", others)
        level = F.normalize(fitted[-1, :2].mean(0) - fitted[-1, 2:].mean(0), dim=0)
        vectors = word_vectors(model, TOKENIZER, "w7", TEXTS)
        # both meanings have two sentences, so halfway between their means is the mean of all four
        centred = vectors - fitted.mean(dim=1, keepdim=True)
        torch.testing.assert_close(dots[..., 0], centred @ level / spread, atol=1e-3, rtol=0)
        assert dots[0].abs().max() < 1e-3, "before the first layer all are equal"


def test_the_axes_are_orthogonal_directions_of_length_1():
    vectors = torch.randn(8, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    vectors[:4, 0] += 6
    plane = projection(vectors, torch.tensor([1] * 4 + [-1] * 4))
    torch.testing.assert_close(plane.T @ plane, torch.eye(2, dtype=torch.float64))
    assert plane[0, 0] > 0.8, "towards the side that is 1"


def test_the_control_with_the_median_score_is_drawn(models):
    torch.manual_seed(3)
    config = minibert.BertConfig(**CONFIG.to_dict() | {"initializer_range": 0.5})
    controls = [*models[1:], *(minibert.BertModel(config).eval() for _ in range(5))]
    controls.sort(key=lambda control: score(figure_of(models, control)))
    alone = [score(figure_of(models, control)) for control in controls]
    assert alone[0] < alone[3], "otherwise the first control could be drawn"
    found = figure_of(models, *controls)
    assert score(found) == alone[3] == score(figure_of(models, *reversed(controls)))
    assert sorted(counts[-1] for counts in found.data["scores"][1:]) == alone


def test_a_model_that_knows_the_answer_wins_as_control(models):
    """A word that only one meaning has, with large embeddings, parts the dots in any model: the test can be passed."""
    torch.manual_seed(0)
    knowing = minibert.BertModel(CONFIG).eval()
    with torch.no_grad():
        for token, value in ((10, 5.0), (11, 5.0), (12, 5.0), (20, -5.0), (21, -5.0), (22, -5.0)):
            knowing.embeddings.word_embeddings.weight[token, :8] = value
            knowing.embeddings.word_embeddings.weight[token, 8:] = -value
    found = meaning_map(models[0], TOKENIZER, [knowing], "w7", SHOWN, FITTED, "Tiny")
    assert found.data["scores"][1][-1] == 6
    assert found.label.endswith("untrained models 6")


def test_the_title_states_the_scores(figure):
    last = [counts[-1] for counts in figure.data["scores"]]
    assert f"Tiny puts {last[0]} of 6 uses of “w7”" in figure.label
    assert figure.data["scores"][0][0] == 0, "equal dots lie on the line, on no side"


def test_it_plays_scrubs_and_names_a_sentence(tab, figure):
    show(tab, figure)
    hand = tab.get_by_role("slider")
    assert hand.input_value() == "2" and status(tab).startswith("After layer 2,")
    hand.press("Home")
    tab.wait_for_timeout(300)
    at = "[...document.querySelectorAll('.dot')].map((dot) => dot.getAttribute('transform'))"
    begun = tab.evaluate(at)
    assert len(set(begun[:6])) == 1 and status(tab).startswith("Before layer 1, 0 of 6")
    tab.get_by_role("button", name="Play").click()
    tab.wait_for_function("document.querySelector('input').value === '2'", timeout=5000)
    tab.wait_for_timeout(1200)
    assert len(set(tab.evaluate(at)[:6])) == 6
    assert tab.get_by_role("button", name="Play").is_visible(), "it stops at the end"
    tab.locator(".maps").press("ArrowRight")
    assert tab.locator(".mb-tip").inner_text() == TEXTS[0]
    tab.locator(".dot").nth(4).hover()
    assert tab.locator(".mb-tip").inner_text() == TEXTS[4]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"shown": {"wet": WET}}, "the same two meanings"),
        ({"shown": {"wet": WET, "dry": {"a": "w7 w5"}}}, "must be token 2 of every sentence"),
        ({"shown": {"wet": WET, "dry": {"a": "w5 w5"}}}, "must contain 'w7' once"),
    ],
)
def test_what_cannot_be_compared_is_refused(models, change, message):
    with pytest.raises(ValueError, match=message):
        meaning_map(
            **{
                "bert": models[0],
                "tokenizer": TOKENIZER,
                "controls": models[1:],
                "word": "w7",
                "shown": SHOWN,
                "fitted": FITTED,
                "name": "Tiny",
            }
            | change
        )
