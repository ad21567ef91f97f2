// One attention map: choose a token and see where it looks, as arcs over a line of tokens, or between two columns where these do not fit.

const SEEN = 0.05;      // weights from here on are drawn, all at full strength: their width says how large they are

// Whether tokens fit into a line of `width` pixels.
function fitInLine(tokens, width) {
  return 8.2 * Math.max(...tokens.map((token) => token.length)) + 8 <= width / tokens.length;
}

// `onpick(i)` is called when a token is chosen; pointing at one shows its arcs until the pointer leaves.
function arcs({ width, onpick }) {
  const lines = shape("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
  const askers = node("fieldset", { class: "mb-askers" }), answers = node("div", { class: "mb-answers", "aria-hidden": "true" });
  const box = node("div", { class: "mb-arcs" }, askers, lines, answers);
  const group = `mb-arcs-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`;
  let tokens = [], map, chosen = 0, parts = [];
  return { box, show };

  function show(state) {
    const fresh = state.tokens !== tokens;
    ({ tokens, map, chosen } = state);
    if (fresh) build();
    draw(chosen);
  }

  function build() {
    const inLine = fitInLine(tokens, width);
    box.classList.toggle("mb-line", inLine);
    box.style.setProperty("--count", tokens.length);
    lines.setAttribute("viewBox", inLine ? `0 0 ${100 * tokens.length} 150` : `0 0 100 ${10 * tokens.length}`);
    parts = tokens.map((token, i) => {
      const input = node("input", { type: "radio", name: group, class: "mb-hidden", onchange: () => onpick(i) });
      const label = node("label", { onpointerenter: ({ pointerType }) => pointerType === "mouse" && draw(i), onpointerleave: () => draw(chosen) }, input, node("span", {}, token));
      const path = shape("path", {}), weight = node("span", { class: "mb-weight" });
      return { input, label, path, weight, answer: node("div", {}, !inLine && node("span", {}, token), weight) };
    });
    askers.replaceChildren(node("legend", { class: "mb-hidden" }, "the token that looks"), ...parts.map(({ label }) => label));
    lines.replaceChildren(...parts.map(({ path }) => path));
    answers.replaceChildren(...parts.map(({ answer }) => answer));
  }

  function draw(from) {
    const inLine = box.classList.contains("mb-line");
    parts.forEach(({ input, label, path, weight, answer }, to) => {
      const share = map[from][to], seen = share >= SEEN;
      input.checked = to === chosen;
      label.classList.toggle("mb-asking", to === from);
      (inLine ? label : answer).style.setProperty("--share", `${Math.round(100 * share)}%`);
      answer.classList.toggle("mb-seen", seen);
      weight.textContent = seen || !inLine ? number(share) : "";
      const d = inLine ? over(from, to) : across(from, to);
      path.setAttribute("d", d);
      path.style.d = `path("${d}")`;
      path.style.strokeWidth = seen ? `${number(1.5 + 9 * share, 1)}px` : "0";
      path.style.opacity = seen ? 1 : 0;
      path.dataset.tip = `${number(share)} of “${tokens[from]}” goes to “${tokens[to]}”`;
    });
  }

  function over(from, to) {
    const [a, b] = [from, to].map((i) => 100 * i + 50);
    if (from === to) return `M ${a - 14} 150 C ${a - 40} 108 ${a + 40} 108 ${a + 14} 150`;
    const top = 150 - 1.32 * (34 + 110 * Math.abs(to - from) / Math.max(from, tokens.length - 1 - from, 5));
    return `M ${a} 150 C ${a} ${top.toFixed(0)} ${b} ${top.toFixed(0)} ${b} 150`;
  }

  function across(from, to) {
    const [a, b] = [from, to].map((i) => 10 * i + 5);
    return `M 0 ${a} C 40 ${a} 60 ${b} 100 ${b}`;
  }
}
