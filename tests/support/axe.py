"""axe-core in a page of the book: what it finds wrong."""

from importlib.resources import files

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
# Links and buttons 24 pixels high, or as far apart, are what WCAG 2.2 asks for; two more, because another machine's letters are a little lower.
FINGER = "axe.configure({ checks: [{ id: 'target-size', options: { minSize: 26 } }, { id: 'target-offset', options: { minOffset: 26 } }] })"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def complaints(tab, part: str = "body") -> list[str]:
    """What axe finds wrong in a part of the page as it is now; it asks for no style sheets of its own (preload).

    The page is scrolled to its top, where its header covers nothing: anywhere else it lies over some links, and axe calls those too small.
    """
    tab.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    tab.wait_for_timeout(
        350
    )  # the theme and a11y.js make what scrolls reachable once things have come to rest
    found = tab.evaluate(f"""async () => (await axe.run({{ include: [[{part!r}]], exclude: [["mjx-math"]] }},
        {{ preload: false, resultTypes: ["violations"], runOnly: {{ type: "tag", values: {RULES} }} }})).violations
        .flatMap(rule => rule.nodes.map(node => `${{rule.id}}: ${{node.target.join(" ")}}: ${{node.html.slice(0, 160)}}: ${{node.failureSummary}}`))""")
    return found[:10]
