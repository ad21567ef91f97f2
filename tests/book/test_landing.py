"""The landing page: a sentence that answers at once, and keeps its promises."""

import re

import pytest
import torch
from book_browser import PHONE, WIDE, opened, overflow
from playwright.sync_api import expect

from tools.environment import ROOT


@pytest.fixture(params=[("light", WIDE, False), ("dark", PHONE, True)], ids=["wide", "phone"])
def tab(request, browser, site):
    """The page from a file; nothing may go wrong on it."""
    theme, viewport, touch = request.param
    made, wrong = opened(
        browser, (site / "book" / "intro.html").as_uri(), theme, viewport, touch=touch
    )
    yield made
    made.context.close()
    assert wrong == []


def says(tab):
    return tab.locator(".landing .model-status")


def loaded(tab) -> bool:
    return any("weights-" in url for url in tab.asked)


def test_recorded_answers_come_at_once_and_the_model_agrees(tab, same):
    model, _, tokenizer = same
    assert says(tab).inner_text() == "A small BERT says “she”, with 43%." and not loaded(tab)
    assert tab.locator(".landing-blank").inner_text() == "she"
    for word in ("king", "soldiers", "girl", "queen"):
        tab.get_by_role("button", name=word, exact=True).click()
        shown = tab.locator(".landing").inner_text()
        live = tab.evaluate(
            "text => minibertModel.ask('fill', { text }).then(({ blanks }) => Math.max(...blanks[0].probabilities))",
            f"The {word} said that [MASK] would return.",
        )
        batch = tokenizer(f"The {word} said that [MASK] would return.")
        with torch.no_grad():
            best = model(**batch).prediction_logits[0, 5].softmax(-1).max(dim=-1)
        assert f"“{tokenizer.id_to_token(int(best.indices))}”, with {best.values:.0%}." in shown
        assert live == pytest.approx(float(best.values), abs=1e-3)
    assert loaded(tab) and overflow(tab) == ""


def test_any_word_can_be_written_anew_and_goes_on_to_the_model_page(tab):
    tab.get_by_role("button", name="change said").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.type("knew")
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.ariaLabel") == "change knew"
    tab.get_by_role("button", name="change return.").click()
    tab.keyboard.type("win")
    tab.keyboard.press("Escape")
    tab.get_by_role("button", name="change return.").click()
    tab.keyboard.type("sleep")
    # The answer to the first change comes while the second is being written, and must not undo it.
    expect(tab.locator(".landing-blank")).not_to_have_text("…", timeout=60_000)
    tab.locator(".bd-article h1").click()
    assert " ".join(tab.locator(".landing-sentence").inner_text().split()).endswith("would sleep.")
    expect(tab.locator(".landing-blank")).not_to_have_text("…", timeout=60_000)
    first = tab.locator(".landing-blank").inner_text()
    tab.get_by_role("link", name="Follow this sentence").click()
    expect(tab.get_by_label("Your sentence")).to_have_value("The queen knew that ___ would sleep.")
    expect(tab.locator(".through-finding")).to_contain_text(
        f"fills the blank with “{first}”", timeout=60_000
    )


def test_without_scripts_the_answers_are_text(browser, site):
    tab, wrong = opened(browser, (site / "book" / "intro.html").as_uri(), scripts=False)
    text = tab.locator(".bd-article").inner_text()
    assert not tab.locator(".landing").is_visible()
    assert re.search(r"The queen said that \[MASK\] would return\.\s+she \d+%", text)
    assert wrong == []
    tab.context.close()


def test_it_promises_the_hours_and_chapters_that_there_are(site):
    page = (site / "book" / "intro.html").read_text(encoding="utf-8")
    minutes = [
        re.search(r"reading (\d+) min · exercises (\d+) min", path.read_text("utf-8")).groups()
        for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    ]
    reading, exercises = (round(sum(map(int, column)) / 60) for column in zip(*minutes))
    told = f"about {reading} hours of reading and {exercises} of exercises, no GPU"
    assert told in re.sub(r"\s+", " ", page)
    assert len(minutes) == 14 and "fourteen chapters" in page
