"""The content security policy of the built pages: strict, obeyed, and it does refuse."""

import re

import minibert_policy
import pytest
from book_browser import drawn_figures, opened, until, wait_for_formulas
from built_pages import contents

PAGES = [*contents(), "search", "genindex", "py-modindex"]


def rules(site, name) -> dict[str, list[str]]:
    """The policy of a page: rule -> sources."""
    page = (site / f"{name}.html").read_text(encoding="utf-8")
    (tag,) = minibert_policy.POLICY.findall(page)
    assert page.index(tag) < re.search(r"<(script|link|style|title)\b", page).start()
    found = [rule.split() for rule in tag.split('content="')[1].removesuffix('">').split("; ")]
    return {rule: sources for rule, *sources in found}


@pytest.mark.parametrize("name", PAGES)
def test_each_page_has_a_strict_policy(site, name):
    found = rules(site, name)
    page = (site / f"{name}.html").read_text(encoding="utf-8")
    assert found["default-src"] == found["base-uri"] == ["'none'"]
    wide = {source for sources in found.values() for source in sources}
    assert all(
        source in {"'none'", "'self'", "data:", "blob:", "'unsafe-inline'"}
        or source.startswith("'sha256-")
        for source in wide
    )
    assert "'unsafe-inline'" not in found["script-src"] and "data:" not in found["script-src"]
    has_figures = "application/vnd.jupyter.widget-view+json" in page
    assert ("blob:" in found["script-src"]) == has_figures
    assert ("worker-src" in found) == ("_static/model/page.js" in page)
    assert not re.findall(r"<[a-z][^<>]*\s(?:on[a-z]+=|(?:href|src)=[\"']?javascript:)[^>]*>", page)


def use_the_model(tab):
    """Until its worker, whose program comes from a blob, has answered."""
    tab.evaluate("minibertModel.wake()")
    until(tab, "performance.getEntriesByName('minibert-answer').length")


def search(tab):
    tab.locator(".bd-search-container input").fill("padding mask")
    tab.locator("#search-results li a").first.wait_for()


def print_it(tab):
    """By the theme's button, whose script stood in an attribute."""
    tab.evaluate("window.print = () => { document.title = 'printed'; }")
    tab.evaluate("document.querySelector('.btn-download-pdf-button').click()")
    assert tab.title() == "printed"


VIEWED = {
    "book/intro": lambda tab: None,
    "notebooks/03_positions": drawn_figures,
    "notebooks/12_when_training_fails": print_it,
    "book/equations": wait_for_formulas,
    "book/model": use_the_model,
    "book/api/model": lambda tab: None,
    "search": search,
}


@pytest.fixture(params=["http", "file"])
def start(request, address, site) -> str:
    return address if request.param == "http" else f"{site.as_uri()}/"


@pytest.mark.parametrize("name", VIEWED)
def test_pages_do_what_they_are_for_and_obey(browser, start, name):
    tab, wrong = opened(browser, f"{start}{name}.html")
    VIEWED[name](tab)
    tab.wait_for_load_state("networkidle")
    assert wrong == []
    tab.context.close()


PLANTED = {
    "an inline script": "<script>document.title = 'planted';</script>",
    "a script in an attribute": "<img src='data:,' onerror=\"document.title = 'planted'\">",
    "a script from elsewhere": "<script src='data:text/javascript,document.title=1'></script>",
    "a frame": "<iframe srcdoc='<p>planted'></iframe><iframe src='intro.html'></iframe>",
    "a picture from elsewhere": "<img src='http://127.0.0.1:9/planted.png'>",
    "another base": "<base href='http://127.0.0.1:9/'>",
}


@pytest.mark.parametrize("planted", PLANTED)
def test_what_is_planted_is_refused_and_reported(browser, start, site, planted):
    """The answer is changed on its way to the browser, after the build has written the policy."""
    context = browser.new_context()
    tab, told = context.new_page(), []
    tab.on("console", lambda message: told.append(message.text))
    page = (site / "book" / "about.html").read_text(encoding="utf-8")
    tab.route(
        "**/about.html",
        lambda route: route.fulfill(
            body=page.replace("</article>", f"{PLANTED[planted]}</article>", 1),
            content_type="text/html",
        ),
    )
    tab.goto(f"{start}book/about.html", wait_until="load")
    assert any("Content Security Policy" in text for text in told), told
    assert tab.title() != "planted"
    context.close()


def test_a_policy_is_written_once_and_follows_the_page():
    page = f"<head>{minibert_policy.CHARSET}<script>first()</script></head>"
    once = minibert_policy.guarded(page)
    assert once.count("Content-Security-Policy") == 1 and minibert_policy.guarded(once) == once
    changed = minibert_policy.guarded(once.replace("first()", "second()"))
    assert minibert_policy.digest("second()") in changed
    assert minibert_policy.digest("first()") not in changed
