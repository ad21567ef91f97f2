"""A page of Chromium in which a figure is drawn alone."""

import pytest

from tools.stills import browser


@pytest.fixture(scope="module")
def tab(needs_chromium):
    """An empty page; what goes wrong on it fails the test that made it go wrong."""
    with browser() as started:
        page = started.new_page(viewport={"width": 700, "height": 900})
        wrong = []
        page.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
        page.on(
            "console",
            lambda message: (
                wrong.append(f"console: {message.text}") if message.type == "error" else None
            ),
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(("about:", "blob:", "data:"))
                else wrong.append(f"asks for {request.url}")
            ),
        )
        yield page
        assert wrong == [], wrong
