"""The contract of every figure: what CONTRIBUTING.md ("Add a figure") promises of each is checked here, as the chapters store it.

A title that states the finding, at most three controls, picture and controls within 600 px, the whole figure at most 700 px high on a
wide window and 760 px on a phone, an opening frame that is not the empty first one, transitions of about 200 ms and none under
reduced motion, numbers where one points, and all of them in a folded table.
"""

import nbformat
import pytest

from minibert.course.figures import calculator, flipbook
from minibert.course.figures.moving import STATIC, read
from tools.environment import NOTEBOOKS
from tools.stills import draw, figures_of

# What a figure gets in a window 1440 px wide, and on a phone of 390 px. The page of the test has 12 px on either side.
WIDE, PHONE = 832 + 24, 342 + 24
HIGHEST = {WIDE: 700, PHONE: 760}
MEASURES = """() => {
    const figure = document.querySelector('.mb-figure');
    const seen = (one) => one.getClientRects().length > 0 && !one.closest('details:not([open])');
    const controls = [...figure.querySelectorAll('.mb-control, .mb-controls button')].filter(seen);
    const top = (one) => one.getBoundingClientRect().top;
    const hand = figure.querySelector('.mb-play ~ .mb-slider input');
    return {
        height: figure.getBoundingClientRect().height,
        overflow: document.documentElement.scrollWidth - innerWidth,
        controls: controls.length,
        reach: figure.querySelector('.mb-status').getBoundingClientRect().top - Math.min(...controls.map(top)),
        transitions: Math.max(...[...figure.querySelectorAll('*')].flatMap((one) => getComputedStyle(one).transitionDuration.split(',').map(parseFloat))),
        tips: figure.querySelectorAll('[data-tip]').length,
        folded: Boolean(figure.querySelector('details.mb-numbers:not([open])')),
        frame: hand ? Number(hand.value) - Number(hand.min) : null,
    };
}"""
TABLE = "() => { document.querySelector('details.mb-numbers').open = true; }"


def stored() -> dict[str, list]:
    """All figures of all chapters: script -> [(chapter, widget state)]."""
    found: dict[str, list] = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for _, state in figures_of(nbformat.read(path, 4)):
            found.setdefault(state["name"], []).append((path.stem, state))
    return found


FIGURES = stored() | {"calculator": [("book/calculator", calculator().get_state())]}


def breaches(tab, state) -> list[str]:
    """In what a figure breaks the contract."""
    found = []
    if len(state["label"].split()) < 6:
        found.append(f"its title {state['label']!r} is a name and not a finding")
    before = tab.viewport_size
    for width, highest in HIGHEST.items():
        tab.set_viewport_size({"width": width, "height": 900})
        draw(tab, state)
        tab.wait_for_timeout(300)
        at = tab.evaluate(MEASURES)
        column = f"in a column of {width - 24} px"
        if at["height"] > highest:
            found.append(f"{at['height']:.0f} px high {column}; at most {highest}")
        if at["reach"] > 600:
            found.append(
                f"{at['reach']:.0f} px from the controls to the end of the picture {column}"
            )
        if at["overflow"] > 0:
            found.append(f"sticks out {column}")
    if at["controls"] > 3:
        found.append(f"{at['controls']} controls; at most 3")
    if not 0 <= at["transitions"] <= 0.25:
        found.append(f"a transition of {at['transitions']} s")
    if not at["tips"]:
        found.append("no number where one points")
    if at["frame"] == 0:
        found.append("opens on its first frame")
    if not at["folded"]:
        found.append("no folded table")
    else:
        tab.evaluate(TABLE)
        tab.wait_for_timeout(100)
        if not tab.locator("details.mb-numbers td").count():
            found.append("the folded table is empty")
    tab.emulate_media(reduced_motion="reduce")
    if tab.evaluate(MEASURES)["transitions"] > 0:
        found.append("transitions under reduced motion")
    tab.emulate_media(reduced_motion="no-preference")
    tab.set_viewport_size(before)
    return found


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_figure_keeps_the_contract(tab, name):
    found = {
        f"{chapter}: {state['label']}": wrong
        for chapter, state in FIGURES[name]
        if (wrong := breaches(tab, state))
    }
    assert not found


def test_every_figure_is_in_a_chapter_or_has_a_page():
    scripts = {
        path.stem
        for path in STATIC.glob("*.js")
        if "export default" in path.read_text(encoding="utf-8")
    }
    assert scripts == set(FIGURES)


def test_a_breach_is_named(tab):
    """A figure that is only a title, a slider and a tall picture breaks nearly all of it."""
    script = """export default { render({ model, el }) {
        el.append(node("div", { class: "mb-figure" }, controls(slider({ label: "x", min: 0, max: 1, value: 0, oninput() {} })), node("div", { style: "height: 800px" }),
            node("p", { class: "mb-status" })));
    } };"""
    tall = flipbook({"a": "", "b": ""}, label="letter").get_state()
    tall["_esm"] = read("common.js") + script
    said = "; ".join(breaches(tab, tall))
    for wrong in (
        "is a name",
        "px high in a column of 832",
        "px high in a column of 342",
        "to the end of the picture",
        "no number",
        "no folded table",
    ):
        assert wrong in said


def test_playing_is_stepwise_under_reduced_motion(tab):
    _, state = FIGURES["meaning_map"][0]
    at = "() => document.querySelectorAll('.dot')[0].getAttribute('transform')"
    tab.emulate_media(reduced_motion="reduce")
    draw(tab, state)
    tab.get_by_role("slider").press("Home")
    first = tab.evaluate(at)
    tab.get_by_role("slider").press("End")
    assert tab.evaluate(at) != first, "at once, without frames between"
    tab.emulate_media(reduced_motion="no-preference")
