"""The built book in Chromium: what the tests of its pages share."""

import time

from playwright.sync_api import ElementHandle, Page

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 22, 28)"}
KEYS = {
    "range": ["ArrowRight", "ArrowLeft"],
    "radio": ["ArrowRight", "ArrowLeft"],
    "checkbox": ["Space"],
    "select": ["ArrowDown", "ArrowUp"],
    "button": ["Enter"],
    "text": ["x"],
    "slider": ["ArrowRight", "ArrowLeft"],
}
CONTROLS = "input, select, textarea, button, [role=slider][tabindex], [role=radio][tabindex], [role=button][tabindex]"


def opened(
    browser,
    url: str,
    theme: str = "light",
    viewport: dict = WIDE,
    scripts: bool = True,
    touch: bool = False,
    before: str = "",
) -> tuple[Page, list[str]]:
    """A page of the book in a fresh browser, and the list of what goes wrong on it: `tab.asked` is the list of all requests.

    The script `before` runs before any script of the page.
    """
    context = browser.new_context(
        viewport=viewport, color_scheme=theme, java_script_enabled=scripts, has_touch=touch
    )
    tab, wrong = context.new_page(), []
    tab.set_default_timeout(90_000)  # a busy machine is no failure
    if before:
        tab.add_init_script(before)
    tab.asked = []
    home = "/".join(url.split("/")[:3])  # http://host, or file://

    def look(request):
        tab.asked.append(request.url)
        if not request.url.startswith((home, "data:", "blob:")):
            wrong.append(f"asks for {request.url}")

    tab.on("request", look)
    tab.on(
        "response",
        lambda response: (
            wrong.append(f"{response.status} {response.url}") if response.status >= 400 else None
        ),
    )
    tab.on(
        "requestfailed",
        lambda request: (
            wrong.append(f"failed: {request.url}")
            if request.failure != "net::ERR_ABORTED"
            else None
        ),
    )
    tab.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
    tab.on(
        "console",
        lambda message: (
            wrong.append(f"console: {message.text}") if message.type == "error" else None
        ),
    )
    tab.goto(url, wait_until="load")
    return tab, wrong


def until(tab: Page, condition: str, arg=None) -> None:
    """Wait until a condition holds. Playwright's own wait for one evaluates text, which the policy of the book's pages forbids."""
    end = time.monotonic() + 90
    while not tab.evaluate(condition, arg):
        assert time.monotonic() < end, f"this never came: {condition}"
        tab.wait_for_timeout(50)


def wait_for_formulas(tab: Page) -> None:
    """Until the formulas of a page are drawn, if it has any."""
    until(tab, "document.querySelectorAll('.math:not(:has(mjx-container))').length === 0")


def drawn_figures(tab: Page) -> list[ElementHandle]:
    """All moving figures of a page, each drawn as it is when one has scrolled there."""
    figures = tab.query_selector_all(".moving-figure")
    for figure in figures:
        figure.scroll_into_view_if_needed()
        until(tab, "figure => /yes|no/.test(figure.dataset.drawn)", figure)
        assert figure.get_attribute("data-drawn") == "yes", figure.inner_text()
    return figures


# What a reader chose is no part of the HTML: only what the figure's own script has changed.
SHOWN = "figure => figure.innerHTML"


def at_rest(figure: ElementHandle) -> str:
    """What a figure shows once nothing changes any more."""
    shown = figure.evaluate(SHOWN)
    for _ in range(20):
        figure.owner_frame().wait_for_timeout(120)
        if shown == (shown := figure.evaluate(SHOWN)):
            break
    return shown


def changes(figure: ElementHandle, act) -> bool:
    """Whether a figure shows something else within a second after `act`."""
    before = at_rest(figure)
    act()
    for _ in range(10):
        if figure.evaluate(SHOWN) != before:
            return True
        figure.owner_frame().wait_for_timeout(100)
    return False


def kind(control: ElementHandle) -> str:
    return control.evaluate(
        "c => c.tagName === 'INPUT' ? (c.type in {range: 1, radio: 1, checkbox: 1} ? c.type : 'text') : c.tagName === 'TEXTAREA' ? 'text' : c.tagName === 'SELECT' ? 'select' : c.getAttribute('role') || 'button'"
    )


def usable(figure: ElementHandle) -> list[ElementHandle]:
    return [
        control
        for control in figure.query_selector_all(CONTROLS)
        if control.is_visible() and control.is_enabled()
    ]


def answers_a_key(tab: Page, figure: ElementHandle) -> bool:
    """Whether some control of a figure changes it by a key."""
    for control in usable(figure):
        for key in KEYS[kind(control)]:
            control.focus()
            if changes(figure, lambda: tab.keyboard.press(key)):
                return True
    return False


def answers_a_pointer(tab: Page, figure: ElementHandle, touch: bool) -> bool:
    """Whether some control of a figure, or a part of what it draws, changes it by a click or a tap."""
    press = tab.touchscreen.tap if touch else tab.mouse.click
    controls = usable(figure)
    pressed = [
        control
        for control in controls
        if kind(control) not in ("select", "text")
        and not control.evaluate("control => control.type === 'radio' && control.checked")
    ]
    for target in [*pressed, *figure.query_selector_all("svg, td")[:3]]:
        target.scroll_into_view_if_needed()
        for share in (0.8, 0.2) if kind(target) == "range" else (0.5,):
            box = target.bounding_box()
            if box and changes(
                figure, lambda: press(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
            ):
                return True
    for menu in (
        control for control in controls if kind(control) == "select"
    ):  # its list belongs to the browser, not to the page
        if any(changes(figure, lambda: menu.select_option(index=index)) for index in (1, 0)):
            return True
    return False


def overflow(tab: Page) -> str:
    """Which elements stick out of the page to the right; empty when none does."""
    return tab.evaluate("""() => {
        const width = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= width) return "";
        const out = [...document.querySelectorAll(".bd-main *")].filter(e => e.getBoundingClientRect().right > width + 1);
        return out.slice(0, 5).map(e => `${e.tagName}.${e.className}: ${e.textContent.trim().slice(0, 60)}`).join("; ");
    }""")
