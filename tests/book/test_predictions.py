"""Predictions that a reader makes in the page, where a reader is, and how much is done: by key, pointer and finger, kept in the browser."""

import re
import sys

import nbformat
import pages
import pytest
from book_browser import PHONE, opened, overflow

from tools.environment import NOTEBOOKS, ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from minibert_predict import course, data_of, name_of, predictions

STATIC = ROOT / "book" / "_static"
STYLE = "".join((STATIC / name).read_text("utf-8") for name in ("minibert.css", "chapter.css"))
SCRIPT = "".join(
    (STATIC / name).read_text("utf-8")
    for name in ("keep.js", "progress.js", "predict.js", "whereabouts.js")
)
CHAPTERS = sorted(path.stem for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
CELL = '<div class="cell"><div class="cell_input">code</div><div class="cell_output"><pre>0.64</pre></div></div><div class="cell tag_hide-input"><div class="cell_output"><i>a plot</i></div></div><p>So it is 0.64.</p><ul><li>And no more.</li></ul>'


def quote(name, answer, choices=""):
    data = f'<script type="application/json" class="predict-answer">{answer}</script>'
    return f'<blockquote class="callout predict" id="{name}"><div><p><strong>Predict</strong> · What?</p>{choices}</div>{data}</blockquote>{CELL}'


CHOICES = "<ul><li><p>one</p></li><li><p>two <em>or</em> so</p></li><li><p>three</p></li></ul>"
BODY = (
    quote("predict-a", '{"options": 3, "right": 1}', CHOICES)
    + quote("predict-b", '{"right": 0.64, "from": -1, "to": 1, "step": 0.01}')
    + '<blockquote class="callout predict"><p><strong>Predict</strong> · Open?</p></blockquote>'
    + CELL
)
CARD = '<form class="progress-card"></form>'
NEXT = '<div class="prev-next-area"><a href="05_encoder.html">The encoder</a></div><nav class="bd-links"><a href="#">Attention</a></nav>'
COURSE = '{"04_attention": {"exercises": ["exercise-one"], "questions": 1, "predictions": ["predict-a", "predict-b"], "sections": 3, "minutes": 60}, "05_encoder": {"exercises": [], "questions": 0, "predictions": ["predict-z"], "sections": 1, "minutes": 5}}'
LONG = "".join(f'<section><h2>{n}</h2><div style="height: 1500px"></div></section>' for n in range(3))  # fmt: skip
HEAD = '<div class="bd-header-article" style="position: sticky; top: 0"><div class="header-article-items__start"></div></div>'
PAGES = {
    "plain": BODY,
    "card": CARD,
    "notebooks/04_attention": f'{HEAD}<article class="bd-article"><section>{LONG}</section></article>{NEXT}',
}


@pytest.fixture(params=[True, False], ids=["pointer", "finger"])
def touch(request):
    return not request.param


@pytest.fixture
def reader(browser, tmp_path):
    """A browser with nothing kept in it; opens one of the small pages."""
    contexts, wrong = {}, []
    for name, body in PAGES.items():
        path = tmp_path / f"{name}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f'<!DOCTYPE html><html lang="en" data-theme="light"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{name}</title><style>{STYLE}</style>'
            f"<body>{body}<script>window.minibertCourse = {COURSE};</script><script>{SCRIPT}</script></body></html>",
            encoding="utf-8",
        )

    def visit(name, scripts=True, touch=False):
        key = (scripts, touch)
        if key not in contexts:
            contexts[key] = browser.new_context(java_script_enabled=scripts, has_touch=touch)
        tab = contexts[key].new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.goto(f"{address}{name}.html")
        return tab

    with pages.served(tmp_path) as address:
        yield visit
        for context in contexts.values():
            context.close()
    assert wrong == []


def kept(tab):
    return tab.evaluate("JSON.parse(localStorage.getItem('minibert.progress'))") or {}


def shows(tab, number):
    """Whether the output under a prediction, its picture, and what is said of it, can be seen."""
    output = tab.locator(".cell_output pre").nth(number).is_visible()
    assert output == tab.locator(".cell_output i").nth(number).is_visible()
    assert output == tab.locator(".cell + p").nth(number).is_visible()
    assert output == tab.locator(".cell + p + ul").nth(number).is_visible()
    return output


def test_a_choice_uncovers_the_output_and_stays(reader, touch):
    tab = reader("plain", touch=touch)
    assert [shows(tab, i) for i in range(3)] == [False, False, True]
    choice = tab.get_by_role("button", name="three")
    (choice.tap if touch else choice.click)()
    assert shows(tab, 0) and not shows(tab, 1)
    assert tab.locator(".yours").inner_text().split("\n") == ["three", "your guess"]
    assert tab.locator(".right").inner_text().split("\n") == ["two or so", "right ✓"]
    assert "Not this time" in tab.locator("#predict-a [role=status]").inner_text()
    tab.get_by_role("button", name="one").click(force=True)  # too late
    assert kept(tab)["predictions"] == {"predict-a": {"guess": 2, "right": False}}
    again = reader("plain", touch=touch)
    assert shows(again, 0) and "three" in again.locator(".yours").inner_text()


def test_a_choice_by_key(reader):
    tab = reader("plain")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.locator("#predict-a [role=status]").inner_text() == "Right."
    assert kept(tab)["predictions"]["predict-a"] == {"guess": 1, "right": True} and shows(tab, 0)


def test_a_slider_shows_guess_and_truth_together(reader):
    tab = reader("plain")
    slider = tab.get_by_label("Your guess, from -1 to 1")
    slider.focus()
    tab.keyboard.press("End")
    tab.keyboard.press("ArrowLeft")
    assert tab.locator("output").inner_text() == "0.99"
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.locator("#predict-b [role=status]").inner_text() == "You said 0.99, and it is 0.64."
    guess, truth = (tab.locator(f".predict-line .{kind}") for kind in ("guess", "truth"))
    assert guess.inner_text() == "you 0.99" and truth.inner_text() == "is 0.64"
    left = [float(mark.evaluate("mark => mark.style.left.slice(0, -1)")) for mark in (guess, truth)]
    assert left == pytest.approx([99.5, 82]) and shows(tab, 1) and not slider.is_visible()


def test_one_may_look_without_a_guess_and_guess_later(reader):
    tab = reader("plain")
    tab.get_by_role("button", name="Show").first.click()
    assert shows(tab, 0) and kept(tab) == {}
    tab.get_by_role("button", name="two or so").click()
    assert kept(tab)["predictions"]["predict-a"]["right"] and shows(tab, 0)


def test_forgetting_covers_again(reader):
    tab, card = reader("plain"), reader("card")
    tab.get_by_role("button", name="one").click()
    card.on("dialog", lambda dialog: dialog.accept())
    card.get_by_role("button", name="Forget everything").click()
    tab.wait_for_function("document.querySelectorAll('.covered').length === 2")
    assert not shows(tab, 0)


def test_without_scripts_and_on_paper_nothing_is_covered(reader):
    tab = reader("plain", scripts=False)
    assert all(shows(tab, i) for i in range(3)) and tab.locator(".predict li").count() == 3
    tab = reader("plain")
    tab.emulate_media(media="print")
    assert all(shows(tab, i) for i in range(3))
    assert not tab.locator(".predict-slider").is_visible() and tab.locator(".predict-choice").count() == 3  # fmt: skip


def test_on_a_phone_the_button_lies_within_its_cover(reader):
    tab = reader("plain")
    tab.set_viewport_size({"width": 320, "height": 700})
    room = tab.locator(".predict-cover:not([hidden]) button").evaluate_all(
        "buttons => buttons.map((button) => button.parentElement.getBoundingClientRect().bottom - button.getBoundingClientRect().bottom)"
    )
    assert room and min(room) >= 0


# ---------------------------------------------------------------- where one is


def test_sections_are_counted_and_kept_when_read(reader):
    tab = reader("notebooks/04_attention")
    told = tab.locator(".whereabouts")
    assert told.inner_text().startswith("Section 1 of 3")
    for _ in range(7):
        tab.mouse.wheel(0, 250)
        tab.wait_for_timeout(80)
    assert re.fullmatch(r"Section 2 of 3\s· about [23]\d min left", told.inner_text())
    assert kept(tab)["sections"] == {"04_attention": {"0": True}}
    ring = tab.get_by_role("img", name="14% done")
    assert ring.count() == 1 and "1 of 7" in ring.get_attribute("title")
    assert not tab.locator(".prev-next-area .done-ring").is_visible(), "nothing of it is done"


def test_a_jump_reads_nothing(reader):
    tab = reader("notebooks/04_attention")
    for place, told in (
        ("1700", "Section 2 of 3"),
        ("document.body.scrollHeight", "Section 3 of 3"),
    ):
        tab.evaluate(f"window.scrollTo(0, {place})")
        tab.wait_for_function(
            f"document.querySelector('.whereabouts').innerText.startsWith('{told}')"
        )
        assert kept(tab) == {}


def test_what_is_done_shows_at_once_in_another_tab(reader):
    chapter, plain = reader("notebooks/04_attention"), reader("plain")
    plain.get_by_role("button", name="one").click()
    chapter.wait_for_function("!document.querySelector('nav .done-ring').hidden")
    assert chapter.get_by_role("img", name="14% done").is_visible()


# ---------------------------------------------------------------- how they are written


@pytest.mark.parametrize("stem", CHAPTERS)
def test_each_chapter_has_predictions_to_make(stem):
    """At least two; the right choice is not always the first, and no name stands twice."""
    notebook = nbformat.read(NOTEBOOKS / f"{stem}.ipynb", 4)
    found = [
        (name_of(quote), data_of(choices, answer))
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for quote, choices, answer in predictions(cell.source)
    ]
    assert len(found) >= 2 and len(dict(found)) == len(found)
    first = [data["right"] == 0 for _, data in found if "options" in data]
    assert sum(first) <= 0.5 * len(first)
    assert course(ROOT)[stem]["predictions"] == [name for name, _ in found]


def test_the_name_of_a_prediction_does_not_depend_on_its_answer():
    source = "> **Predict** · Which?\n>\n> - a\n> - b\n>\n> <!-- answer: 1; printed: x -->\n"
    (quote, choices, answer), *none = predictions(source + "\nText\n\n> **Predict** · Open?\n")
    assert not none and choices == ["a", "b"] and data_of(choices, answer)["right"] == 0
    assert name_of(quote) == name_of("> **Predict** · Which?\n")
    (_, choices, answer) = next(predictions("> **Predict** · How much?\n>\n> <!-- answer: 0.6 from -1 to 2; printed: y -->"))  # fmt: skip
    assert data_of(choices, answer) == {"right": 0.6, "from": -1, "to": 2, "step": 0.1}


# ---------------------------------------------------------------- in the book


@pytest.mark.parametrize("stem", CHAPTERS)
def test_the_page_has_them_and_what_is_counted(browser, site, stem):
    tab, wrong = opened(browser, (site / "notebooks" / f"{stem}.html").as_uri(), "dark", PHONE)
    there = course(ROOT)[stem]
    assert tab.locator(".predict:has(.predict-answer)").count() == len(there["predictions"])
    assert tab.locator(", ".join(f"#{name}" for name in there["predictions"])).count() == len(
        there["predictions"]
    )
    assert tab.locator(".bd-article > section > section").count() == there["sections"]
    shown = tab.locator(".opener svg.mbd:visible")  # the whole model may be folded below it
    assert shown.count() == tab.locator(".opener svg.sign").count() == 1
    assert tab.locator(".opener-question").inner_text().endswith("?")
    box = shown.bounding_box()
    assert box["y"] < 844, "the diagram begins on the first screen"
    assert overflow(tab) == "" and wrong == []
    assert tab.locator(".whereabouts").count() == 1
    tab.context.close()
