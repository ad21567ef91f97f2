"""Nothing on a page jumps: the layout shift (Core Web Vitals, the largest window of five seconds) while it loads and is scrolled through."""

import pytest
from built_pages import contents

MOST = 0.05
WATCH = """window.shifts = [];
new PerformanceObserver(list => list.getEntries().forEach(shift => {
    if (!shift.hadRecentInput) window.shifts.push([shift.startTime, shift.value, shift.sources.map(source => (source.node?.outerHTML || "").slice(0, 80)).join(" | ")]);
})).observe({ type: "layout-shift", buffered: true });"""


def largest(shifts: list) -> float:
    """The largest sum within a window: at most a second between two shifts, five seconds in all."""
    most, total, start, last = 0.0, 0.0, 0.0, float("-inf")
    for time, value, _ in shifts:
        if time - last > 1000 or time - start > 5000:
            total, start = 0.0, time
        total, last = total + value, time
        most = max(most, total)
    return most


def test_the_largest_window_counts():
    shifts = [[0, 0.01, ""], [900, 0.02, ""], [2500, 0.025, ""], [8000, 0.01, ""]]
    assert largest(shifts) == pytest.approx(0.03)
    assert largest([[1000 * i * 0.9, 0.01, ""] for i in range(10)]) == pytest.approx(0.06)


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", contents())
def test_a_page_does_not_jump(browser, address, name, width):
    context = browser.new_context(viewport={"width": width, "height": 900})
    tab = context.new_page()
    tab.set_default_timeout(90_000)
    tab.add_init_script(WATCH)
    tab.goto(f"{address}{name}.html", wait_until="load")
    tab.wait_for_load_state("networkidle")
    for y in range(0, tab.evaluate("document.documentElement.scrollHeight"), 600):
        tab.evaluate(f"window.scrollTo(0, {y})")
        tab.wait_for_timeout(30)
    tab.wait_for_timeout(300)
    shifts = tab.evaluate("window.shifts")
    context.close()
    assert largest(shifts) < MOST, sorted(shifts, key=lambda shift: -shift[1])[:3]
