"""A sentence on its way through the model: what the page shows is what the package computes, and it answers keys, pointers and fingers."""

import io
import math
import re

import pytest
import torch
from axe import AXE, FINGER, complaints
from book_browser import PHONE, WIDE, opened, overflow
from PIL import Image
from playwright.sync_api import expect

SENTENCE = "The queen said that [MASK] would return."
LAYERS, HEADS, SIZE = 4, 4, 256
BLANK, QUEEN = 5, 2  # tokens of it
WIDER = {"width": 1440, "height": 900}


@pytest.fixture
def through(browser, tools):
    """through(…) opens the tools in a fresh page; nothing may go wrong in it, and nothing may be asked for elsewhere."""
    tabs = []

    def begin(hash="", **options):
        tab, wrong = opened(browser, tools + hash, **{"viewport": WIDER} | options)
        tabs.append((tab, wrong))
        expect(finding(tab)).not_to_be_empty()
        return tab

    yield begin
    for tab, wrong in tabs:
        tab.context.close()
        assert wrong == []


def finding(tab):
    return tab.locator(".through-finding")


def block(tab, name: str):
    """A part of the picture, by the beginning of what a screen reader says of it."""
    return tab.locator(f'.through-blocks button[aria-label^="{name}"]').first


def unfolded(tab, title: str):
    """The panel with the arithmetic, once it is about this."""
    expect(tab.locator(".through-panel-title strong")).to_have_text(
        re.compile(re.escape(title)), timeout=60_000
    )
    return tab.locator(".through-panel")


def numbers(panel, name: str) -> list[float]:
    return [
        float(text.replace("\u2212", "-"))
        for text in panel.locator(f'[data-value="{name}"]').all_inner_texts()
    ]


def close(found: float, expected) -> bool:
    return math.isclose(found, torch.as_tensor(expected).item(), abs_tol=1e-3)


@pytest.fixture(scope="module")
def expected(same):
    """The opening sentence in the package: its ids, and what comes up on the way."""
    model, _, tokenizer = same
    batch, states, parts = tokenizer(SENTENCE), [], {"attended": [], "fed": []}
    encoder = model.bert.encoder
    watches = [
        layer.register_forward_pre_hook(lambda _, inputs: states.append(inputs[0][0]))
        for layer in [*encoder.layer, encoder.norm]
    ]
    for layer in encoder.layer:
        for name, module in (
            ("attended", layer.attention.output.dense),
            ("fed", layer.output.dense),
        ):
            watches.append(
                module.register_forward_hook(
                    lambda _, __, out, name=name: parts[name].append(out[0])
                )
            )
    with torch.no_grad():
        out = model(**batch, output_attentions=True)
    for watch in watches:
        watch.remove()
    return {
        "ids": batch["input_ids"][0],
        "states": states,
        "attentions": out.attentions,
        "probabilities": out.prediction_logits[0].softmax(-1),
        **parts,
    }


# ---------------------------------------------------------------- at once, and equal


def test_it_opens_with_a_recorded_answer_that_the_model_repeats(through):
    tab = through()
    names = [url.rpartition("/")[2] for url in tab.asked]
    assert "recorded.js" in names and not any(
        name.startswith(("weights", "engine")) for name in names
    ), "the weights wait for the first touch"
    first = finding(tab).inner_text()
    assert re.match(
        r"The model fills the blank with “she” \(4\d%\)\. After layer 3 it would still say “he” \(4\d%\); in layer 4 it looks at “queen” \(9\d%\)\.$",
        first,
    )
    labels = (
        "() => [...document.querySelectorAll('.through-blocks button')].map(each => each.ariaLabel)"
    )
    recorded = tab.evaluate(labels)
    tab.evaluate("minibertModel.wake()")
    tab.wait_for_function("performance.getEntriesByName('minibert-answer').length", timeout=60_000)
    assert finding(tab).inner_text() == first
    assert tab.evaluate(labels) == recorded, "words, weights and heads are the same"
    assert tab.evaluate("minibertModel.recorded.through.says.length") == LAYERS + 1


def test_recorded_numbers_are_the_packages(through, expected):
    record = through().evaluate("minibertModel.recorded.through")
    for layer in range(LAYERS):
        for head in range(HEADS):
            assert torch.allclose(
                torch.tensor(record["attentions"][layer][head]),
                expected["attentions"][layer][0, head].flatten(),
                atol=1e-3,
            )
    for layer, state in enumerate(expected["states"]):
        found = torch.tensor(record["states"][layer]).view(len(expected["ids"]), -1)
        assert torch.allclose(found, state[:, : found.size(1)], atol=1e-3)


def test_an_embedding_is_the_packages(through, expected, same):
    tables = same[0].bert.embeddings
    tab = through()
    block(tab, "the three vectors of “queen”").click()
    for cell in (0, 200):
        if cell:
            tab.get_by_label("Number").fill(str(cell + 1))
            tab.keyboard.press("Enter")
        panel = unfolded(tab, f"The first vector of “queen”: number {cell + 1}")
        parts = (
            tables.word_embeddings.weight[expected["ids"][QUEEN], cell],
            tables.token_type_embeddings.weight[0, cell],
            tables.position_embeddings.weight[QUEEN, cell],
        )
        for name, part in zip(("word", "segment", "position"), parts):
            assert close(numbers(panel, name)[0], part), name
        assert close(numbers(panel, "sum")[0], sum(parts))
        assert close(numbers(panel, "value")[0], expected["states"][0][QUEEN, cell])


def test_an_attention_row_is_the_packages(through, expected):
    tab = through()
    block(tab, "layer 4: at “▁▁▁”").click()
    panel = unfolded(tab, "Layer 4, head 3: “▁▁▁” takes 9")
    row = expected["attentions"][3][0, 2, BLANK]
    found = numbers(panel, "weights")
    assert len(found) == len(row) and all(map(close, found, row))
    assert close(numbers(panel, "weight")[0], row[QUEEN])
    dot, score = numbers(panel, "dot")[0], numbers(panel, "score")[0]
    assert math.isclose(dot / 8, score, abs_tol=1e-3)
    panel.get_by_role("button", name="would").click()
    assert close(numbers(unfolded(tab, "from “would”"), "weight")[0], row[BLANK + 1])


def test_the_residual_stream_is_the_packages(through, expected):
    tab = through()
    block(tab, "behind layer 3: the vector of “queen”").click()
    tab.get_by_label("Number").fill("100")
    tab.keyboard.press("Enter")
    panel = unfolded(tab, "The vector of “queen” behind layer 3: number 100")
    before, attended, fed, value = (
        numbers(panel, name)[0] for name in ("before", "attended", "fed", "value")
    )
    assert close(before, expected["states"][2][QUEEN, 99])
    assert close(attended, expected["attended"][2][QUEEN, 99])
    assert close(fed, expected["fed"][2][QUEEN, 99])
    assert close(value, expected["states"][3][QUEEN, 99])
    assert math.isclose(before + attended + fed, value, abs_tol=2e-3), "a layer only adds"


def test_probabilities_are_the_packages_behind_every_layer(through, expected, same):
    model, _, tokenizer = same
    tab = through()
    for layer in range(LAYERS + 1):
        block(tab, f"behind layer {layer} it" if layer else "before the layers").click()
        where = (
            ("at the end" if layer == LAYERS else f"behind layer {layer}") if layer else "no layers"
        )
        panel = unfolded(tab, where)
        with torch.no_grad():
            probabilities = model.cls.predictions(
                model.bert.encoder.norm(expected["states"][layer][BLANK]),
                model.bert.embeddings.word_embeddings.weight,
            ).softmax(-1)
        words = panel.locator("tbody th button").all_inner_texts()
        assert words == [tokenizer.id_to_token(n) for n in probabilities.topk(8).indices.tolist()]
        assert all(map(close, numbers(panel, "probabilities"), probabilities.topk(8).values))
        assert close(numbers(panel, "probability")[0], probabilities.max())
    assert torch.allclose(probabilities, expected["probabilities"][BLANK], atol=1e-6)


# ---------------------------------------------------------------- what a reader does


def test_a_head_is_switched_off_and_on(through, same):
    """The numbers of book/model.md: what happens to "she" without each head of the last layer."""
    model, _, tokenizer = same
    heads = model.bert.encoder.layer

    def without(layer: int, head: int) -> torch.Tensor:
        def silence(_, inputs):
            mixed = inputs[0].clone()
            mixed[..., 64 * head : 64 * (head + 1)] = 0
            return (mixed,)

        watch = heads[layer].attention.output.dense.register_forward_pre_hook(silence)
        with torch.no_grad():
            found = model(**tokenizer(SENTENCE)).prediction_logits[0, BLANK].softmax(-1)
        watch.remove()
        return found

    she, he = (tokenizer.token_to_id(word) for word in ("she", "he"))
    last = [without(3, head) for head in range(HEADS)]
    assert [f"{each[she]:.0%}" for each in last] == ["40%", "42%", "13%", "57%"]
    assert [int(each.argmax()) for each in last] == [she, she, he, she]
    assert int(without(0, 0).argmax()) == he, "it is not the only one that matters"
    tab = through()
    expect(finding(tab)).to_contain_text("“she” (43%)")
    block(tab, "layer 4: at “▁▁▁”").click()
    panel = unfolded(tab, "Layer 4, head 3")
    panel.get_by_role("button", name="Switch this head off").click()
    expect(panel).to_contain_text(f"Without it the model says “he” ({last[2].max():.0%}).")
    expect(block(tab, "layer 4, head 3, shown, switched off")).to_have_count(1)
    block(tab, "answer 1").click()
    assert close(
        numbers(unfolded(tab, "“he” at “▁▁▁”, at the end"), "probability")[0], last[2].max()
    )


def test_a_word_is_changed_and_hidden_and_compared(through):
    tab = through()
    block(tab, "piece 2: “queen”").click()
    unfolded(tab, "“queen”")
    tab.wait_for_timeout(
        1100
    )  # an answer that stood for a moment is what the next one is compared with
    tab.get_by_label("Put another word here").fill("king")
    tab.keyboard.press("Enter")
    expect(finding(tab)).to_contain_text(
        re.compile(r"fills the blank with “he” \(\d+%\); before the change “she” \(43%\)")
    )
    field = tab.get_by_label("Your sentence")
    assert field.input_value() == "The king said that ___ would return."
    block(tab, "piece 7: “return”").click()
    tab.get_by_role("button", name="Hide this word").click()
    expect(field).to_have_value("The king said that ___ would ___.")
    expect(block(tab, "piece 7: “▁▁▁”")).to_have_count(1)
    tab.get_by_text("Other sentences").click()
    tab.get_by_role("button", name="She opened the").click()
    expect(finding(tab)).to_contain_text("The model fills the blank with “door”")


def test_a_word_of_several_pieces_is_hidden_whole(through):
    tab = through()
    tab.get_by_label("Your sentence").fill("The sailors slept.")
    expect(block(tab, "piece 3: “##ors”")).to_have_count(1, timeout=60_000)
    block(tab, "piece 3: “##ors”").click()
    tab.get_by_role("button", name="Hide this word").click()
    expect(tab.get_by_label("Your sentence")).to_have_value("The ___ slept.")


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("  ", "There is no sentence yet."),
        ("a " * 40, "This sentence has 42 tokens; the picture has room for 32."),
        ("a " * 600, "This is too long: 602 tokens, and the model has places for 512."),
    ],
)
def test_wrong_input_gets_a_sentence(through, text, sentence):
    tab = through()
    field = tab.get_by_label("Your sentence")
    field.fill(text)
    expect(tab.locator("#through-error")).to_contain_text(sentence, timeout=60_000)
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("The ___.")
    expect(tab.locator("#through-error")).to_be_empty()
    assert field.get_attribute("aria-invalid") is None


def test_everything_goes_by_keyboard(through):
    tab = through()
    tab.get_by_label("Your sentence").focus()
    tab.keyboard.press("Tab")
    here = "document.activeElement.ariaLabel"
    assert tab.evaluate(here).startswith("piece 0"), "one stop for the whole picture"
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate(here).startswith("piece 2: “queen”")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate(here).startswith("layer 1: at “queen”")
    tab.keyboard.press("Enter")
    unfolded(tab, "Layer 1")
    assert tab.evaluate(here).startswith("layer 1: at “queen”"), "one can go on from there"
    tab.keyboard.press("Tab")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "through-time"
    said = []
    for _ in range(7):
        tab.keyboard.press("ArrowLeft")
        said.append(finding(tab).inner_text())
    assert len(set(said)) == 7 and said[-1].startswith("The sentence, before")
    tab.keyboard.press("ArrowRight")
    assert finding(tab).inner_text() == "It is cut into 10 pieces that the model knows."
    tab.locator("[data-part=play]").focus()
    tab.keyboard.press("Enter")
    tab.wait_for_function("Number(document.querySelector('#through-time').value) > 1.2")
    tab.keyboard.press("Enter")
    stopped = tab.locator("#through-time").input_value()
    tab.wait_for_timeout(300)
    assert tab.locator("#through-time").input_value() == stopped
    tab.get_by_role("button", name="Close").focus()
    tab.keyboard.press("Enter")
    assert not tab.locator(".through-panel").is_visible()


PIXELS = "() => document.querySelector('.through canvas').toDataURL()"


def test_it_answers_a_pointer(through):
    tab = through()
    tab.wait_for_timeout(400)
    before, said = tab.evaluate(PIXELS), finding(tab).inner_text()
    block(tab, "piece 2: “queen”").hover()
    tab.mouse.move(*centre(block(tab, "piece 3")))
    expect(finding(tab)).to_contain_text("At “said” the model says")
    tab.wait_for_timeout(400)
    assert tab.evaluate(PIXELS) != before, "the ribbons of the token under the pointer"
    tab.mouse.move(5, 5)
    expect(finding(tab)).to_have_text(said)
    block(tab, "layer 3, head 1").click()
    expect(block(tab, "layer 3, head 1, shown")).to_have_count(1)
    slider = tab.locator("#through-time").bounding_box()
    tab.mouse.click(slider["x"] + slider["width"] / 2, slider["y"] + slider["height"] / 2)
    expect(finding(tab)).to_contain_text("Layer 2: at")
    block(tab, "behind layer 4: the vector of “that”").click()
    unfolded(tab, "The vector of “that” behind layer 4: number 1")
    tab.locator(".through-cells span").nth(40).click()
    unfolded(tab, "number 41")


def centre(locator) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


STORY = """() => [...document.querySelectorAll('.story-layer')].map(layer => ({
    said: layer.querySelector('.story-guess').textContent, text: layer.querySelector('.story-text').textContent,
    head: layer.querySelector('.story-head').innerText.split(/\\s+/).join(' '), turn: layer.classList.contains('story-turn'), later: layer.classList.contains('story-later'),
    most: [...layer.querySelectorAll('.story-text span')].reduce((a, b) => parseFloat(b.style.getPropertyValue('--weight')) > parseFloat(a.style.getPropertyValue('--weight')) ? b : a).textContent }))"""


def test_a_phone_tells_it_as_a_story(through, expected, same):
    """The sentence once for each layer, with the package's first word behind it, and the word that its sharpest head takes most from."""
    model, _, tokenizer = same
    tab = through(viewport=PHONE)
    assert not tab.locator(".through-picture").is_visible()
    assert tab.locator(".through").bounding_box()["height"] <= 760 and overflow(tab) == ""
    layers = tab.evaluate(STORY)
    pieces = ["[CLS]", "The", "queen", "said", "that", "[MASK]", "would", "return", ".", "[SEP]"]
    for layer, told in enumerate(layers, start=1):
        with torch.no_grad():
            word = model.cls.predictions(
                model.bert.encoder.norm(expected["states"][layer][BLANK]),
                model.bert.embeddings.word_embeddings.weight,
            )
        said = tokenizer.id_to_token(int(word.argmax()))
        assert told["said"] == said
        assert told["text"] == f"The queen said that {said} would return."
        assert told["head"].endswith(f"{word.softmax(-1).max():.0%}")
        rows = expected["attentions"][layer - 1][0, :, BLANK]
        words = rows[:, [1, 2, 3, 4, 6, 7]]  # what is neither itself nor a sign
        row = rows[int(words.amax(dim=1).argmax())]
        assert told["most"] == pieces[int(row.argmax())]
    assert [told["turn"] for told in layers] == [False, False, False, True]
    assert "looks at “queen”, 90%" in layers[3]["head"]
    tab.locator("#through-time").focus()
    for _ in range(3):
        tab.keyboard.press("ArrowLeft")
    expect(tab.locator(".story-later")).to_have_count(3)  # layers 3 and 4, and the answers
    assert [told["later"] for told in tab.evaluate(STORY)] == [False, False, True, True]


@pytest.mark.parametrize(
    "text, told",
    [
        ("The sailors' ___ (slept)!", "The sailors' X (slept)!"),
        ("Caf\u00e9 ___ closed.", "Caf\u00e9 X closed."),
        ("___ ___ end", "X ▁▁▁ end"),
    ],
)
def test_a_story_is_written_as_the_text_is(through, text, told):
    tab = through(viewport=PHONE)
    tab.get_by_label("Your sentence").fill(text)
    expect(tab.locator(".story-layer").last.locator(".story-text")).to_have_text(
        re.compile("^" + re.escape(told).replace("X", r"\S+") + r"( ?\[SEP\])?$"), timeout=60_000
    )


def test_it_answers_a_finger_on_a_phone(through):
    tab = through(viewport=PHONE, touch=True)
    tab.get_by_role("button", name="Every vector and head").tap()
    assert tab.locator(".through-picture.through-narrow").is_visible()
    block(tab, "layer 4: at “▁▁▁”").tap()
    unfolded(tab, "Layer 4, head 3")
    tab.get_by_role("button", name="Close").tap()
    tab.locator("[data-part=play]").tap()
    tab.wait_for_function("Number(document.querySelector('#through-time').value) > 2.3")
    assert tab.evaluate("scrollY") > 200, "the page follows the stage that is played"
    tab.locator("[data-part=play]").tap()
    tab.get_by_role("button", name="Every vector and head").tap()
    assert not tab.locator(".through-picture").is_visible()


def test_reduced_motion_goes_in_steps(browser, tools):
    context = browser.new_context(viewport=WIDER, reduced_motion="reduce")
    tab = context.new_page()
    tab.goto(tools)
    tab.evaluate(
        "() => { const time = document.querySelector('#through-time'); window.seen = []; setInterval(() => seen.push(Number(time.value)), 20); }"
    )
    tab.locator("[data-part=play]").click()
    tab.wait_for_function("seen.at(-1) === 3", timeout=20_000)
    steps = set(tab.evaluate("seen"))
    assert steps == {7, 1, 2, 3}, "whole stages, nothing between"
    context.close()


# ---------------------------------------------------------------- to be sent


def test_the_address_holds_what_is_shown(through, browser):
    tab = through()
    tab.get_by_label("Your sentence").fill("The books on the table ___ old & grey.")
    expect(block(tab, "piece 2: “books”")).to_have_count(1, timeout=60_000)
    block(tab, "layer 2, head 4").click()
    block(tab, "layer 2: at “books”").click()
    unfolded(tab, "Layer 2, head 4: “books”")
    tab.get_by_role("button", name="Switch this head off").click()
    expect(tab.locator(".through-panel")).to_contain_text("Switch this head on")
    tab.locator("#through-time").focus()
    tab.keyboard.press("ArrowLeft")
    tab.wait_for_timeout(400)
    hash = tab.evaluate("location.hash")

    def shown(page) -> list[str]:
        return [
            finding(page).inner_text(),
            page.locator(".through-panel").inner_text(),
            page.locator("#through-time").input_value(),
            page.get_by_label("Your sentence").input_value(),
        ]

    other = through(hash)
    unfolded(other, "Layer 2, head 4: “books”")
    tab.wait_for_timeout(400)
    assert shown(other) == shown(tab) and other.evaluate("location.hash") == hash
    assert "off=2.4" in hash and "open=attention" in hash
    other.evaluate("location.hash = '#say=Nothing+is+___&at=7&token=3'")
    expect(other.get_by_label("Your sentence")).to_have_value("Nothing is ___")
    expect(other.locator(".through-panel")).to_be_hidden()


@pytest.mark.parametrize(
    "hash",
    [
        "#say=The+___.&at=99&token=99&heads=9-x-0&off=9.9-1&open=attention.9.9.9.9",
        "#say=The+___.&at=no&token=-1&open=says.4.1.nothere",
        "#say=&open=state",
        "#how-it-runs-here",
    ],
)
def test_an_odd_address_does_no_harm(through, hash):
    tab = through(hash)
    tab.evaluate("minibertModel.wake()")
    tab.wait_for_function("performance.getEntriesByName('minibert-answer').length", timeout=60_000)
    expect(finding(tab)).to_contain_text(re.compile(r"^(The model fills|At “.+” the model says)"))
    expect(tab.locator(".through-panel")).to_be_hidden()


def test_link_and_picture_can_be_sent(through):
    tab = through()
    tab.get_by_text("Share", exact=True).click()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save picture").click()
    picture = Image.open(io.BytesIO(download.value.path().read_bytes()))
    assert picture.size == (1200, 630) and len(picture.convert("RGB").getcolors(10**6)) > 30
    tab.get_by_role("button", name="Copy link").click()
    expect(tab.locator("[data-part=said]")).not_to_be_empty()


# ---------------------------------------------------------------- in the book


@pytest.mark.parametrize("theme, viewport", [("light", WIDE), ("dark", PHONE)])
def test_in_the_book_axe_finds_nothing_in_any_panel(browser, site, theme, viewport):
    tab, wrong = opened(browser, (site / "book" / "model.html").as_uri(), theme, viewport)
    for prepare in (AXE, FINGER):
        tab.evaluate(prepare)
    if viewport == PHONE:
        assert complaints(tab, ".through") == [], "the story"
        tab.get_by_role("button", name="Every vector and head").click()
    for name, title in (
        ("piece 2", "“queen”"),
        ("the three vectors of “queen”", "The first vector"),
        ("layer 4: at “▁▁▁”", "Layer 4"),
        ("behind layer 2: the vector of “queen”", "The vector of"),
        ("answer 1", "at the end"),
    ):
        block(tab, name).click()
        unfolded(tab, title)
        assert overflow(tab) == "" and complaints(tab, ".through") == []
    assert wrong == []
    tab.context.close()


def test_the_picture_fits_one_screen(browser, site):
    tab, _ = opened(browser, (site / "book" / "model.html").as_uri(), viewport=WIDER)
    expect(finding(tab)).not_to_be_empty()
    assert tab.locator(".through-controls").bounding_box()["y"] + 50 < 900
    controls = tab.locator(".through :is(textarea, input, button, select, summary):visible")
    primary = [
        each
        for each in controls.all()
        if not each.evaluate("e => e.closest('.through-blocks, summary')")
    ]
    assert len(primary) <= 3, "the sentence, play, the time"
    tab.context.close()
