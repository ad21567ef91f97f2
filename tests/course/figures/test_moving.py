"""What all moving figures share: their state, their controls, the page's loader, and the pictures that stand in for them."""

import base64
import io
import json
import math
from contextlib import contextmanager

import nbformat
import pytest
import torch
from figure_page import load, show, status
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image
from playwright.sync_api import expect

from minibert.course.figures import flipbook, marks, moving, rounded
from minibert.course.figures.moving import STATIC
from tools import stills
from tools.stills import STATE, VIEW, digest, figures_of, page_of, picture, store_pictures

TEXTS = {"alt": "Two frames, each with one letter.", "try_this": "Move the slider to the right."}


@pytest.fixture
def fresh_page(tab):
    """A page on which something may go wrong."""
    page = tab.context.browser.new_page(viewport={"width": 700, "height": 900})
    yield page
    page.close()


def letters(**pages):
    return flipbook(
        pages or {"first": "<p>A</p>", "second": "<p>B</p>", "third": "<p>C</p>"}, label="letter"
    )


# ---------------------------------------------------------------- in Python


def test_a_figure_that_does_not_exist_is_named():
    with pytest.raises(ValueError, match="no moving figure 'clock'; there are .*flipbook"):
        moving("clock", {}, label="clock", **TEXTS)


@pytest.mark.parametrize(
    "data", [{"a": math.nan}, {"a": [math.inf]}, {"a": torch.zeros(2)}, {"a": {1, 2}}]
)
def test_data_that_json_cannot_hold_is_refused(data):
    with pytest.raises(ValueError, match="data of the figure 'flipbook' must be JSON"):
        moving("flipbook", data, label="x", **TEXTS)


def test_the_script_gets_everything_that_a_figure_holds():
    figure = moving("flipbook", {}, label="Letters", **TEXTS)
    assert {name: figure.get_state()[name] for name in ("name", "data", "label", *TEXTS)} == {
        "name": "flipbook",
        "data": {},
        "label": "Letters",
        **TEXTS,
    }


def test_what_a_notebook_compares_follows_the_data_and_not_the_last_digit():
    def shown(**data):
        return repr(moving("flipbook", data, label="x", **TEXTS))

    assert shown(a=[0.123456789, 2.0], b="text") == shown(a=[0.123456788, 2.0], b="text")
    assert shown(a=[0.1, 2.0], b="text") != shown(a=[0.2, 2.0], b="text")
    assert shown(a=[0.1, 2.0], b="text") != shown(a=[0.1, 2.0, 0.0], b="text")
    assert shown(a=[0.1, 2.0], b="text") != shown(a=[0.1, 2.0], b="texts")
    assert shown(a=1) != shown(a=2)


def test_a_flipbook_needs_two_frames():
    with pytest.raises(ValueError, match="at least two frames, not 1"):
        flipbook({"only": "one"}, "x")
    with pytest.raises(ValueError, match="there are 2 frames and none with the number 2"):
        flipbook({"one": "", "two": ""}, "x", start=2)
    with pytest.raises(ValueError, match="says has 1 sentences for 2 frames"):
        flipbook({"one": "", "two": ""}, "x", says=["The first."])


def test_rounded_has_no_minus_before_zero_and_no_more_digits():
    assert (
        json.dumps(rounded(torch.tensor([[-0.0001, 0.12345], [2.0, -1.5]]), 2))
        == "[[0.0, 0.12], [2.0, -1.5]]"
    )


# ---------------------------------------------------------------- common.js


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-50, 50) | st.just(-math.inf), min_size=1, max_size=9))
def test_softmax_is_torchs(tab, scores):
    load(tab)
    ours = tab.evaluate(
        "text => softmax(JSON.parse(text).map(s => s === null ? -Infinity : s))",
        json.dumps([None if s == -math.inf else s for s in scores]),
    )
    expected = torch.tensor(scores, dtype=torch.float64).softmax(0).nan_to_num(0.0)
    torch.testing.assert_close(torch.tensor(ours, dtype=torch.float64), expected)


@pytest.mark.parametrize(
    "value, digits, shown",
    [
        (1.005, 1, "1.0"),
        (-0.004, 2, "0.00"),
        (-1.25, 1, "−1.3"),
        (0, 0, "0"),
        (123.456, 2, "123.46"),
    ],
)
def test_numbers_are_shown_rounded(tab, value, digits, shown):
    load(tab)
    assert tab.evaluate("([value, digits]) => number(value, digits)", [value, digits]) == shown


def test_a_masked_score_is_shown_as_what_it_is(tab):
    load(tab)
    assert tab.evaluate("[number(-Infinity), number(NaN)]") == ["−∞", "–"]


def test_a_table_says_its_numbers_and_colours_by_sign(tab):
    load(tab)
    html = tab.evaluate(
        "heat([[1, -2], [0, 4]], { rows: ['a', 'b'], columns: ['x', 'y'], digits: 1, caption: 'c' }).outerHTML"
    )
    assert (
        html.count("<td") == 5
        and 'scope="row">a<' in html
        and 'scope="col">y<' in html
        and "<caption>c</caption>" in html
    )
    assert (
        'class="mb-minus" style="--strength: 30%">−2.0<' in html
        and 'class="mb-plus" style="--strength: 60%">4.0<' in html
    )


def test_every_control_has_a_name_and_answers_keys_and_pointer(tab):
    load(tab)
    tab.evaluate("""() => {
        window.said = {};
        const note = (name) => (value) => { window.said[name] = value; };
        document.body.append(
            slider({ label: "Rate", min: 0, max: 1, step: 0.1, value: 0.5, text: (v) => `${Math.round(100 * v)} per cent`, oninput: note("slider") }),
            pick({ label: "Size", options: [[1, "one"], [2, "two"]], value: 2, oninput: note("pick") }),
            radios({ label: "Mask", options: [["a", "none"], ["b", "causal"]], value: "a", oninput: note("radios") }),
            toggle({ label: "Scale", value: true, oninput: note("toggle") }),
            field({ label: "Text", value: "old", oninput: note("field") }),
            field({ label: "Long text", value: "old", rows: 3, oninput: note("long") }));
    }""")
    rate = tab.get_by_label("Rate")
    assert rate.get_attribute("aria-valuetext") == "50 per cent"
    rate.press("ArrowRight")
    assert rate.get_attribute("aria-valuetext") == "60 per cent"
    assert tab.get_by_label("Size").input_value() == "two"
    tab.get_by_label("Size").select_option("one")
    assert tab.get_by_label("none").is_checked()
    tab.get_by_label("none").press("ArrowRight")
    tab.get_by_label("Scale").click()
    tab.get_by_label("Text", exact=True).fill("new")
    tab.get_by_label("Long text").fill("newer")
    assert tab.evaluate("window.said") == {
        "slider": 0.6,
        "pick": 1,
        "radios": "b",
        "toggle": False,
        "field": "new",
        "long": "newer",
    }


# ---------------------------------------------------------------- a figure in a page


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_flipbook_turns_by_key_and_by_pointer_and_says_so(tab, theme):
    show(tab, letters(), theme)
    assert tab.locator(".mb-page").inner_text() == "A" and status(tab) == "letter: first"
    handle = tab.get_by_label("letter").locator("input")
    handle.press("ArrowRight")
    assert tab.locator(".mb-page").inner_text() == "B" and status(tab) == "letter: second"
    box = handle.bounding_box()
    tab.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    assert tab.locator(".mb-page").inner_text() == "C"


def test_a_flipbook_opens_on_the_frame_that_was_named_under_its_finding(tab):
    show(
        tab,
        flipbook(
            {"a": "<p>A</p>", "b": "<table><tr><th>x</th><td>7</td></tr></table>"},
            "letter",
            finding="All differ",
            start=-1,
            says=["The first letter.", "A table with a 7."],
        ),
    )
    assert tab.locator(".mb-page").inner_text() == "x\t7" and status(tab) == "A table with a 7."
    tab.locator(".mb-page td").hover()
    assert tab.locator(".mb-tip").inner_text() == "x: 7"
    tab.get_by_text("The numbers").click()
    expect(tab.locator(".mb-numbers td")).to_have_text(["The first letter.", "A table with a 7."])
    assert tab.locator("input").input_value() == "1"
    assert "All differ" in tab.locator(".mb-figure").inner_text()


@pytest.mark.parametrize("width", [700, 390])
def test_a_flipbook_keeps_its_size_whatever_its_pages_and_names(fresh_page, width):
    fresh_page.set_viewport_size({"width": width, "height": 900})
    show(
        fresh_page,
        letters(
            **{"low": "<p>A</p>", "high": "<p>B</p>" * 9, "a frame with a long name": "<p>C</p>"}
        ),
    )
    sizes = []
    for _ in range(3):
        sizes.append([fresh_page.locator(part).bounding_box() for part in (".mb-figure", "input")])
        fresh_page.locator("input").press("ArrowRight")
        status(fresh_page)
    assert sizes[0] == sizes[1] == sizes[2]


def test_a_figure_that_fails_says_so_and_keeps_its_picture(fresh_page):
    state = letters().get_state() | {
        "_esm": "export default { render() { throw new Error('no frames'); } };"
    }
    fresh_page.set_content(
        page_of(state).replace("<main>", '<main><img class="figure-still" alt="letters">')
    )
    fresh_page.wait_for_function("document.querySelector('.moving-figure').dataset.drawn === 'no'")
    assert (
        "could not be drawn. Error: no frames" in fresh_page.locator(".moving-figure").inner_text()
    )
    assert fresh_page.locator(".figure-still").get_attribute("hidden") is None
    fresh_page.set_content(
        page_of(letters().get_state()).replace(
            "<main>", '<main><img class="figure-still" alt="letters">'
        )
    )
    fresh_page.wait_for_function("document.querySelector('.moving-figure').dataset.drawn === 'yes'")
    assert fresh_page.locator(".figure-still").get_attribute("hidden") is not None


def test_a_figure_far_below_waits_until_it_comes_near(fresh_page):
    fresh_page.set_content(
        page_of(letters().get_state()).replace("<main>", '<main><div style="height: 5000px"></div>')
    )
    fresh_page.wait_for_timeout(200)
    assert fresh_page.locator(".moving-figure").get_attribute("data-drawn") is None
    fresh_page.evaluate("window.scrollTo(0, 4500)")
    fresh_page.wait_for_function("document.querySelector('.moving-figure').dataset.drawn === 'yes'")


def test_text_that_looks_like_a_script_ends_nothing(tab):
    show(
        tab,
        letters(
            first="<p>&lt;/script&gt;</p>", second="B</script><script>window.broken = true</script>"
        ),
    )
    tab.locator("input").press("ArrowRight")
    assert tab.evaluate("window.broken") is None


def test_scripts_need_no_other_file_and_name_no_colour():
    for path in STATIC.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert "import " not in text.replace("important", ""), path.name
        assert not [
            word
            for word in ("fetch(", "XMLHttpRequest", "http://", "https://")
            if word in text.replace("http://www.w3.org/2000/svg", "")
        ], path.name
        assert not [line for line in text.splitlines() if "rgb(" in line or "#00" in line], (
            f"{path.name}: colours come from common.css"
        )


# ---------------------------------------------------------------- pictures


def notebook_with(figure):
    data = {
        "text/plain": repr(figure),
        VIEW: {"model_id": "m", "version_major": 2, "version_minor": 0},
    }
    state = json.loads(
        json.dumps(
            {
                key: value
                for key, value in figure.get_state().items()
                if key not in ("layout", "comm")
            },
            default=str,
        )
    )
    notebook = new_notebook(
        cells=[new_code_cell("figure", outputs=[new_output("display_data", data=data)])]
    )
    notebook.metadata["widgets"] = {STATE: {"state": {"m": {"state": state}}}}
    return nbformat.from_dict(notebook)


def test_a_picture_shows_the_figure_and_is_kept_while_it_is_the_same(tab, monkeypatch):
    monkeypatch.setattr(stills, "browser", contextmanager(lambda: iter([tab.context.browser])))
    first, again, other = (
        notebook_with(figure)
        for figure in (letters(), letters(), letters(one="<p>1</p>", two="<p>2</p>"))
    )
    store_pictures(first, new_notebook())
    ((output, state),) = figures_of(first)
    image = Image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
    assert (
        image.width > 900
        and len(image.convert("RGB").getcolors(10_000)) > 20
        and output.metadata["still"] == digest(state)
    )
    output.data["image/png"] = "kept"
    store_pictures(again, first)
    assert next(figures_of(again))[0].data["image/png"] == "kept"
    store_pictures(other, first)
    assert next(figures_of(other))[0].data["image/png"] != "kept"


def test_a_picture_has_the_letters_of_the_book(fresh_page):
    picture(fresh_page, letters().get_state())
    loaded = fresh_page.evaluate(
        "[...document.fonts].filter((font) => font.status === 'loaded').map((font) => font.family)"
    )
    assert loaded and fresh_page.locator(".mb-label").evaluate(
        "label => getComputedStyle(label).fontFamily"
    ).startswith(loaded[0])


@pytest.mark.parametrize(
    "control",
    [
        'pick({ label: "A text", options: [[0, "a very long option ".repeat(9)]], value: 0 })',
        'field({ label: "A long text ".repeat(9) })',
    ],
)
def test_a_long_control_fits_on_a_phone(fresh_page, control):
    fresh_page.set_viewport_size({"width": 390, "height": 844})
    script = (
        letters().get_state()["_esm"].partition("export default")[0]
        + f'export default {{ render({{ model, el }}) {{ el.append(node("div", {{ class: "mb-figure" }}, controls({control}))); }} }};'
    )
    stills.draw(fresh_page, letters().get_state() | {"_esm": script})
    assert fresh_page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_picture_does_not_ask_to_be_tried(fresh_page):
    tall = letters().get_state() | {"try_this": "Move it. " * 200}
    assert Image.open(io.BytesIO(picture(fresh_page, tall))).height < 300


def test_marks_are_counted_and_one_is_framed(tab):
    row = marks("hit & found", [True, False, True], here=2, texts=["✓", "✗", "✓"])
    show(tab, flipbook({"one": row, "two": marks("wrong", [True] * 5, wrong=True)}, label="page"))
    drawn = tab.get_by_role("img", name="hit & found: 2 of 3")
    assert drawn.inner_text().split() == ["hit", "&", "found", "2", "of", "3", "✓", "✗", "✓"]
    assert drawn.locator("i").evaluate_all("marks => marks.map(mark => mark.className.trim())") == [
        "mb-filled",
        "",
        "mb-filled mb-here",
    ]
    tab.get_by_role("slider").press("End")
    assert tab.get_by_role("img", name="wrong: 5", exact=True).locator(".mb-filled").count() == 5
