"""The progress card in the page: it lists everything, keeps what is ticked and answered, and survives whatever it finds in the browser."""

import re

import pages
import pytest
from axe import AXE, FINGER, complaints
from book_browser import PHONE, opened, overflow, until

from minibert.course.exercises.base import exercises, number
from tools.environment import NOTEBOOKS, ROOT

SCRIPT = "".join(
    (ROOT / "book" / "_static" / name).read_text(encoding="utf-8")
    for name in ("keep.js", "progress.js")
)
CHAPTERS = sorted(path.stem for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
CARD = """<form class="progress-card"><fieldset><label><input type="checkbox" data-exercise="exercise-one"> 4.1</label>
<label><input type="checkbox" data-exercise="exercise-two"> 4.2</label>
<label><input type="checkbox" data-quiz="quiz-4" data-question="1"> 1</label><label><input type="checkbox" data-quiz="quiz-4" data-question="2"> 2</label></fieldset></form>"""
CHAPTER = """<section><h3>Exercise 4.1 · One</h3><div class="generated generated-exercise task" id="exercise-one"><p>Do.</p></div></section>
<div class="generated generated-quiz" id="quiz-4"><p><strong>Question 1.</strong> ?</p><details class="wrong"><summary>A</summary><p>No.</p></details>
<details class="right"><summary>B</summary><p>Right.</p></details><p><strong>Question 2.</strong> ?</p><details class="right"><summary>A</summary><p>Right.</p></details></div>"""
PAGES = {"card": CARD, "chapter": CHAPTER}


@pytest.fixture
def reader(browser, tmp_path):
    """A browser with nothing kept in it; opens one of the two small pages."""
    context, wrong = browser.new_context(), []
    for name, body in PAGES.items():
        (tmp_path / f"{name}.html").write_text(
            f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{name}</title><body>{body}<script>{SCRIPT}</script></body></html>',
            encoding="utf-8",
        )

    def visit(name, before=None):
        tab = context.new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        if before:
            tab.add_init_script(before)
        tab.goto(f"{address}{name}.html")
        return tab

    with pages.served(tmp_path) as address:
        yield visit
        context.close()
    assert wrong == []


def kept(tab):
    return tab.evaluate("JSON.parse(localStorage.getItem('minibert.progress'))")


def told(tab):
    return tab.get_by_role("status").inner_text()


def test_nothing_is_done_at_first(reader):
    tab = reader("card")
    assert (
        told(tab) == "0 of 2 exercises solved; 0 of 2 questions answered, 0 of them right at once."
    )
    assert kept(tab) is None and tab.locator(".progress-note").inner_text() == ""


def test_a_tick_in_a_chapter_is_a_tick_on_the_card(reader):
    chapter, card = reader("chapter"), reader("card")
    tick = chapter.get_by_label("exercise 4.1 is solved")
    tick.focus()
    chapter.keyboard.press("Space")
    card.wait_for_function(
        "document.querySelector('[data-exercise=exercise-one]').checked"
    )  # the other tab follows by itself
    assert told(card).startswith("1 of 2 exercises")
    card.locator("[data-exercise=exercise-one]").uncheck()
    chapter.wait_for_function("!document.querySelector('.progress-tick input').checked")
    assert not any(kept(card).values())
    assert not reader("chapter").get_by_label("exercise 4.1 is solved").is_checked()


def test_the_first_choice_counts(reader):
    chapter = reader("chapter")
    for option in chapter.locator(
        "summary"
    ).all():  # a wrong one, then the right one; of the second question the right one
        option.focus()
        chapter.keyboard.press("Enter")
    chapter.wait_for_function(
        "Object.keys(JSON.parse(localStorage.getItem('minibert.progress')).quizzes['quiz-4']).length === 2"
    )
    assert kept(chapter)["quizzes"] == {"quiz-4": {"1": "wrong", "2": "right"}}
    card = reader("card")
    assert told(card).endswith("2 of 2 questions answered, 1 of them right at once.")
    assert card.locator("label.wrong").count() == 1


def test_forgetting_asks_first(reader):
    card = reader("card")
    card.locator("[data-exercise=exercise-two]").check()
    answers = iter(["dismiss", "accept"])
    card.on("dialog", lambda dialog: getattr(dialog, next(answers))())
    card.get_by_role("button", name="Forget everything").click()
    assert told(card).startswith("1 of 2")
    card.get_by_role("button", name="Forget everything").click()
    assert told(card).startswith("0 of 2") and kept(card) is None


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "3", "null", '{"exercises": []}', '{"exercises": {}, "quizzes": {"quiz-4": 3}}'],
)
def test_what_cannot_be_read_is_set_aside(reader, text):
    reader("card").evaluate("text => localStorage.setItem('minibert.progress', text)", text)
    card = reader("card")
    assert "It was set aside" in card.locator(".progress-note").inner_text() and told(
        card
    ).startswith("0 of 2")
    assert card.evaluate("localStorage.getItem('minibert.progress.broken')") == text
    card.locator("[data-exercise=exercise-two]").check()
    assert told(reader("card")).startswith("1 of 2")


def test_a_browser_that_keeps_nothing(reader):
    forbid = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }});"
    card = reader("card", before=forbid)
    assert "keeps nothing" in card.locator(".progress-note").inner_text()
    card.locator("[data-exercise=exercise-two]").check()
    assert card.locator("[data-exercise=exercise-two]").is_checked(), (
        "a tick lasts until the page is left"
    )
    card.locator("[data-exercise=exercise-one]").check()
    assert told(card).startswith("2 of 2")


# ---------------------------------------------------------------- in the book


def test_the_card_lists_every_exercise_and_every_question(site):
    page = (site / "book" / "progress.html").read_text(encoding="utf-8")
    items = re.findall(r'data-exercise="([\w-]+)"> ([\d.]+) (.*?)</label> <a href="(.*?)"', page)
    assert [(found, title) for _, found, title, _ in items] == [
        (number(exercise), exercise.title.replace("&", "&amp;").replace("'", "&#x27;"))
        for exercise in exercises().values()
    ]
    for anchor, _, _, link in items:
        chapter, place = re.fullmatch(r"\.\./(notebooks/\w+\.html)#(.+)", link).groups()
        assert place == anchor and f'id="{anchor}"' in (site / chapter).read_text(encoding="utf-8")
    quizzes = re.findall(r'data-quiz="(quiz-[\w-]+)" data-question="(\d)"', page)
    assert quizzes == [
        (f"quiz-{stem.replace('_', '-')}", str(i)) for stem in CHAPTERS for i in range(1, 6)
    ]
    for stem in CHAPTERS:
        assert (site / "notebooks" / f"{stem}.html").read_text(encoding="utf-8").count(
            f'id="quiz-{stem.replace("_", "-")}"'
        ) == 1


def test_a_chapter_of_the_book_fills_its_card(browser, site):
    tab, wrong = opened(browser, (site / "notebooks" / "04_attention.html").as_uri())
    assert tab.locator(".progress-tick").count() == sum(
        exercise.chapter == "04_attention" for exercise in exercises().values()
    )
    tab.get_by_label("exercise 4.1 is solved").check()
    for question in range(5):
        tab.locator(".generated-quiz p:has(strong:text-matches('^Question')) + details").nth(
            question
        ).locator("summary").click()
    until(
        tab,
        "Object.keys(JSON.parse(localStorage.getItem('minibert.progress')).quizzes['quiz-04-attention']).length === 5",
    )
    tab.goto((site / "book" / "progress.html").as_uri())
    assert re.fullmatch(
        rf"1 of {len(exercises())} exercises solved; 5 of {5 * len(CHAPTERS)} questions answered, \d of them right at once\.",
        told(tab),
    )
    tab.set_viewport_size(PHONE)
    assert overflow(tab) == ""
    tab.emulate_media(media="print")
    assert (
        not tab.get_by_role("button", name="Print the card").is_visible()
        and tab.locator(".progress-card").is_visible()
    )
    assert wrong == []
    tab.context.close()


def test_axe_judges_the_links_and_not_where_the_page_is_scrolled_to(browser, site):
    """The header covers half of a link of the card; a reader scrolls on, and nothing is too small."""
    tab, _ = opened(browser, (site / "book" / "progress.html").as_uri(), "dark", PHONE)
    tab.evaluate("""() => {
        const link = document.querySelectorAll(".progress-card li a")[12].getBoundingClientRect();
        const header = document.querySelector(".bd-header-article").getBoundingClientRect();
        scrollTo({ top: scrollY + link.top - header.bottom + link.height / 2, behavior: "instant" });
    }""")
    for prepare in (AXE, FINGER):
        tab.evaluate(prepare)
    assert complaints(tab) == []
    tab.context.close()
