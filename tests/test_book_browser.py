"""The built book in a real browser: nothing leaves, nothing fails, the maths is drawn, figures move, nothing overflows."""

import functools
import http.server
import threading

import pytest
from playwright.sync_api import sync_playwright

from test_book import contents, page

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# Without these the browser itself looks for its maker's hosts at every start.
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 22, 28)"}


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def address(site):
    """Where the built book is served."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def browser(needs_chromium):
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=needs_chromium, args=QUIET)
        yield started
        started.close()


def opened(browser, url, theme="light", scripts=True):
    """A page of the book in a fresh browser, and the list of what goes wrong on it."""
    context = browser.new_context(viewport=WIDE, color_scheme=theme, java_script_enabled=scripts)
    tab, wrong = context.new_page(), []
    home = url.rsplit("/book/", 1)[0].rsplit("/notebooks/", 1)[0]
    tab.on("request", lambda request: None if request.url.startswith((home, "data:", "blob:")) else wrong.append(f"asks for {request.url}"))
    tab.on("response", lambda response: wrong.append(f"{response.status} {response.url}") if response.status >= 400 else None)
    tab.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
    tab.on("console", lambda message: wrong.append(f"console: {message.text}") if message.type == "error" else None)
    tab.goto(url, wait_until="load")
    return tab, wrong


CUT_OFF = """() => [...document.querySelectorAll("div.math mjx-math")].filter(
    math => math.getBoundingClientRect().left < math.closest("div.math").getBoundingClientRect().left - 2).map(math => math.textContent.slice(0, 60))"""


def overflow(tab) -> str:
    """Which elements stick out of the page to the right; empty when none does."""
    return tab.evaluate("""() => {
        const width = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= width) return "";
        const out = [...document.querySelectorAll(".bd-main *")].filter(e => e.getBoundingClientRect().right > width + 1);
        return out.slice(0, 5).map(e => `${e.tagName}.${e.className}: ${e.textContent.trim().slice(0, 60)}`).join("; ");
    }""")


def assert_moves(tab) -> None:
    """Every moving figure is drawn, and the first one answers a key, with no kernel."""
    places = "document.querySelectorAll('script[type=\"application/vnd.jupyter.widget-view+json\"]').length"
    tab.wait_for_function(f"{places} === document.querySelectorAll('.widget-subarea > .jupyter-widgets').length", timeout=20_000)
    handle = tab.locator("[role=slider]").first
    figure = handle.locator("xpath=ancestor::*[contains(@class, 'widget-vbox')][1]")
    before = figure.inner_text()
    handle.focus()
    tab.keyboard.press("ArrowRight")
    tab.wait_for_timeout(300)
    assert figure.inner_text() != before, "the figure did not move"


@pytest.mark.parametrize("name", contents())
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_in_a_browser(browser, site, address, name, theme):
    tab, wrong = opened(browser, f"{address}{name}.html", theme)
    if page(site, name).source.count('class="math notranslate'):
        tab.wait_for_function("document.querySelectorAll('.math:not(:has(mjx-container))').length === 0", timeout=20_000)
    if "application/vnd.jupyter.widget-view+json" in page(site, name).source:
        assert_moves(tab)
    assert tab.evaluate("document.querySelectorAll('mjx-merror').length") == 0, "a formula that MathJax cannot read"
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == PAPER[theme]
    for viewport in (WIDE, PHONE):
        tab.set_viewport_size(viewport)
        assert overflow(tab) == "", f"at {viewport['width']} px"
        assert tab.evaluate(CUT_OFF) == [], f"formulas whose beginning nobody can scroll to, at {viewport['width']} px"
    assert wrong == []
    tab.context.close()


def test_the_cover_answers_a_key(browser, address):
    tab, wrong = opened(browser, f"{address}book/intro.html")
    chosen = "() => getComputedStyle(document.querySelector('.cover-figure svg .from-5')).opacity"
    assert tab.evaluate(chosen) == "0"
    tab.locator("#cover-2").focus()
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    tab.wait_for_function(f"({chosen})() === '1'", timeout=5_000)
    assert wrong == []
    tab.context.close()


def test_an_option_of_a_quiz_opens_to_its_explanation_by_keyboard(browser, address):
    tab, wrong = opened(browser, f"{address}notebooks/05_encoder.html")
    options = tab.locator(".generated-quiz details")
    assert options.count() >= 15
    options.nth(0).locator("summary").focus()
    seen = set()
    for option in options.all():
        assert not option.locator("p").first.is_visible()
        tab.keyboard.press("Enter")
        explanation = option.locator("p").first.inner_text()
        seen.add((explanation.split(".")[0], option.evaluate("option => getComputedStyle(option).borderColor")))
        assert option.locator("p").first.is_visible() and len(explanation) > 20
        tab.keyboard.press("Tab")       # on to the next option
    assert len(seen) == 2 and {verdict for verdict, _ in seen} == {"Right", "No"}, "a right answer looks like every right one, and like no wrong one"
    assert wrong == []
    tab.context.close()


def test_formulas_are_readable_without_scripts(browser, address):
    tab, wrong = opened(browser, f"{address}notebooks/04_attention.html", scripts=False)
    assert "\\sqrt" in tab.locator(".math").first.inner_text() or tab.locator(".math", has_text="\\sqrt").count() > 0
    assert wrong == []
    tab.context.close()
