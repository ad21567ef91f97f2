"""axe-core in a page of the book: what it finds wrong."""

from importlib.resources import files

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
# Links and buttons 24 pixels high, or as far apart, are what WCAG 2.2 asks for; two more, because another machine's letters are a little lower.
FINGER = "axe.configure({ checks: [{ id: 'target-size', options: { minSize: 26 } }, { id: 'target-offset', options: { minOffset: 26 } }] })"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


# Contrast takes most of axe's time, and a page has some thousand pieces of text of some fifty looks. So that it judges one of each look
# (the styles of an element and of all around it, and of what these put before and after): elements that look like an earlier one get the attribute `data-same`. Where axe cannot
# judge that one because of its place, it judges all that look like it.
ONE_OF_A_LOOK = (
    "axe.configure({ rules: [{ id: 'color-contrast', selector: ':not([data-same])' }] })"
)
AT_REST = """async () => {
  const frames = async () => { for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame); };
  await frames();
  const moving = document.getAnimations().filter(each => Number.isFinite(each.effect.getComputedTiming().endTime));
  await Promise.all(moving.map(each => each.finished.catch(() => null)));
  await frames();
}"""
CHECK = """async ([part, tags]) => {
  const STYLES = ["color", "fill", "backgroundColor", "backgroundImage", "opacity", "fontSize", "fontWeight", "textShadow", "position",
    "visibility", "filter", "mixBlendMode", "clip", "clipPath", "webkitTextStrokeWidth", "webkitTextFillColor"];
  const numbers = new Map(), looks = new Map(), alike = new Map();
  const look = element => {
    if (!element) return 0;
    if (!looks.has(element)) {
      const styles = [null, "::before", "::after"].map(part => getComputedStyle(element, part));
      const name = [look(element.parentElement), element.tagName, ...styles.slice(1).map(style => style.content),
        ...styles.filter((style, i) => i === 0 || style.content !== "none").flatMap(style => STYLES.map(each => style[each]))].join("|");
      if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
      looks.set(element, numbers.get(name));
    }
    return looks.get(element);
  };
  const all = [...document.querySelectorAll(`${part}, ${part} *`)];
  for (const element of all) {
    element.removeAttribute("data-same");
    const text = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data.trim()).join("");
    if (text.length < 2 || !element.getClientRects().length || element.closest("label, fieldset, :disabled, [aria-disabled]")) continue;
    const key = look(element);
    if (alike.has(key)) element.setAttribute("data-same", "");
    else alike.set(key, []);
    alike.get(key).push(element);
  }
  const ask = (runOnly, resultTypes) => axe.run({ include: [[part]], exclude: [["mjx-math"]] }, { preload: false, elementRef: true, resultTypes, runOnly });
  const found = await ask({ type: "tag", values: tags }, ["violations", "incomplete"]);
  const OF_THE_LOOK = ["bgImage", "bgGradient", "pseudoContent", "complexTextShadows", "fgAlpha", "equalRatio"];
  const unclear = found.incomplete.filter(rule => rule.id === "color-contrast").flatMap(rule => rule.nodes).filter(({ any, element }) =>
    !OF_THE_LOOK.includes(any[0].data.messageKey) && !element.closest("svg")).flatMap(({ element }) => alike.get(look(element)) || []);
  if (unclear.some(element => element.hasAttribute("data-same"))) {
    for (const element of all) element.setAttribute("data-same", "");
    for (const element of unclear) element.removeAttribute("data-same");
    found.violations.push(...(await ask({ type: "rule", values: ["color-contrast"] }, ["violations"])).violations);
  }
  return found.violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.target.join(" ")}: ${node.html.slice(0, 160)}: ${node.failureSummary}`));
}"""


def complaints(tab, part: str = "body", opened: bool = False) -> list[str]:
    """What axe finds wrong in a part of the page as it is now; it asks for no style sheets of its own (preload).

    The page is scrolled to its top, where its header covers nothing: anywhere else it lies over some links, and axe calls those too small.
    The theme and a11y.js make what scrolls reachable once things have come to rest: after what a test has `opened`, as soon as its
    transitions have ended, and otherwise, as after a change of the window, a third of a second later.
    """
    for _ in range(20):  # until a part of the page that scrolls itself into view has done so
        tab.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        if opened:
            tab.evaluate(AT_REST)
        else:
            tab.wait_for_timeout(350)
        if tab.evaluate("scrollY") == 0:
            break
    tab.evaluate(ONE_OF_A_LOOK)
    return tab.evaluate(CHECK, [part, RULES])[:10]
