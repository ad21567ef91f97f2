// A training run as a film: a loss and the probability of the word that fits, which draw themselves, and the guesses at two gaps;
// alone, or a failed run beside a healthy one.

const NAMES = { words: "loss of the masked words, nats", pairs: "loss of the pairs, nats" };
const LOOK = ["healthy", "failed"];

// A value on the way between two frames.
function inBetween(values, t) {
  const low = Math.floor(t), share = t - low;
  return share === 0 ? values[low] : (1 - share) * values[low] + share * values[low + 1];
}

// Curves over the steps, one for each run. `draw(t)` shows them up to frame t, each with its value at its end; `turn` is a frame
// with a line of its own.
function plot({ title, steps, curves, levels, most, unit, turn, wide, high, kind = "" }) {
  const left = 26, right = curves.length > 1 ? 92 : 44, bottom = 16, top = 22;
  const x = (step) => left + (wide - left - right) * step / steps.at(-1), y = (value) => high - bottom - (high - bottom - top) * value / most;
  const clip = `mb-clip-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`;
  const window_ = shape("rect", { x: 0, y: 0, width: 0, height: high });
  const points = curves.map((values) => values.map((value, n) => `${x(steps[n]).toFixed(1)},${y(value).toFixed(1)}`).join(" "));
  const marks = curves.map((_, i) => shape("circle", { r: 4, class: `mark ${LOOK[i]}` }));
  const ends = curves.map((_, i) => shape("text", { class: `end ${LOOK[i]}` }));
  const ticks = Array.from({ length: Math.floor(most / unit) + 1 }, (_, i) => i * unit);
  const edge = (n) => (n < 0 ? x(0) : n + 1 < steps.length ? x((steps[n] + steps[n + 1]) / 2) : x(steps[n]));
  const svg = shape("svg", { viewBox: `0 0 ${wide} ${high}`, class: kind, role: "img", "aria-label": `${title}: ${curves.map((values) => `from ${number(values[0])} to ${number(values.at(-1))}`).join("; failed: ")}` },
    shape("clipPath", { id: clip }, window_),
    ticks.map((value) => [shape("line", { class: "rule", x1: left, x2: wide - right, y1: y(value), y2: y(value) }), shape("text", { class: "tick", x: left - 5, y: y(value) + 4, "text-anchor": "end" }, value)]),
    shape("text", { class: "name", x: left, y: 13 }, title), shape("text", { class: "tick", x: x(steps.at(-1)), y: high - 3, "text-anchor": "end" }, `step ${steps.at(-1)}`),
    shape("g", { "clip-path": `url(#${clip})` }, shape("polygon", { class: "area", points: `${x(0)},${y(0)} ${points[0]} ${x(steps.at(-1))},${y(0)}` }), points.map((each, i) => shape("polyline", { class: `curve ${LOOK[i]}`, points: each }))),
    levels.map(([name, height], i) => [shape("line", { class: "level", x1: left, x2: wide - right, y1: y(height), y2: y(height) }),
      shape("text", { class: "tick over", x: i ? left + 4 : wide - right - 4, y: y(height) - 4, "text-anchor": i ? "start" : "end" }, name)]),
    turn && [shape("line", { class: "turn", x1: x(steps[turn]), x2: x(steps[turn]), y1: top - 4, y2: high - bottom }), kind && shape("circle", { class: "turn", cx: x(steps[turn]), cy: y(curves[0][turn]), r: 7 }),
      shape("text", { class: "name over", x: x(steps[turn]) + (kind ? 12 : 5), y: kind ? y(curves[0][turn]) + 14 : top + 8 }, `step ${steps[turn]}${kind ? `: ${number(curves[0][turn])}` : ""}`)],
    marks, ends, steps.map((step, n) => shape("rect", { class: "reach", x: edge(n - 1), y: top, height: high - bottom - top, width: Math.max(1, edge(n) - edge(n - 1)),
      "data-tip": `step ${step}, ${title}: ${curves.map((values) => number(values[n])).join(" and ")}` })));
  return { svg, draw(t) {
    const now = x(inBetween(steps, t)), heights = curves.map((values) => inBetween(values, t)), at = heights.map(y);
    window_.setAttribute("width", now);
    const near = at.length > 1 ? Math.max(0, 14 - Math.abs(at[0] - at[1])) / 2 : 0, lower = at.length > 1 && at[0] > at[1] ? 0 : 1;
    marks.forEach((mark, i) => {
      mark.setAttribute("cx", now.toFixed(1));
      mark.setAttribute("cy", at[i].toFixed(1));
      ends[i].setAttribute("x", (now + 8).toFixed(1));
      ends[i].setAttribute("y", (at[i] + 4 + (i === lower ? near : -near)).toFixed(1));
      ends[i].textContent = `${curves.length > 1 ? `${LOOK[i]} ` : ""}${number(heights[i])}`;
    });
  } };
}

// The guesses at one gap: a bar for each word, in the order of the moment; a stroke says what a perfect reader would give.
function gapRace({ gap, runs, number: which }) {
  const [before, after] = `${gap.first} ${gap.second}`.split("[MASK]");
  const rows = gap.words.map((word, i) => {
    const bars = runs.map((_, run) => node("span", { class: `bar ${LOOK[run]}` }));
    const said = node("span", { class: "share" });
    return { bars, said, row: node("div", { class: gap.chances[i] > 0.5 ? "word fits" : "word" }, node("span", { class: "what" }, word), node("span", { class: "track", style: `--perfect: ${100 * gap.chances[i]}%` }, bars, node("i", {})), said) };
  });
  const box = node("div", { class: "gap" }, node("p", { class: "text" }, before, node("b", {}, "[MASK]"), after), node("div", { class: "race", style: `--rows: ${rows.length}` }, rows.map(({ row }) => row)));
  return { box, rest(frame) {
    const shares = runs.map((run) => run.guesses[frame][which]);
    const order = gap.words.map((_, i) => i).sort((a, b) => shares[0][b] - shares[0][a]);
    rows.forEach(({ bars, said, row }, i) => {
      row.style.setProperty("--place", order.indexOf(i));
      bars.forEach((bar, run) => { bar.style.width = `${100 * shares[run][i]}%`; });
      said.textContent = shares.map((each) => number(each[i])).join(" · ");
      row.dataset.tip = `“${gap.words[i]}”: ${shares.map((each, run) => `${runs.length > 1 ? `${LOOK[run]} ` : ""}${number(each[i])}`).join(", ")}; exact ${number(gap.chances[i])}`;
    });
  } };
}

export default {
  render({ model, el }) {
    const { runs: stored, live, turn, pairs, failed, gaps, lines } = model.get("data");
    const runs = Object.fromEntries(Object.entries(stored).map(([name, run]) => [name, { ...run, guesses: unpack(run.guesses) }]));     // guesses: [frame][gap][word]
    const fits = gaps.map((gap) => gap.chances.indexOf(Math.max(...gap.chances)));      // the word of each gap that fits best
    const wide = el.clientWidth < 560 ? 342 : 400, high = el.clientWidth < 560 ? 88 : 168;
    const picture = node("div", { class: "film", tabindex: "0", role: "group", "aria-label": "the film; the arrow keys read its numbers" });
    const last = runs[live].step.length - 1;
    let parts, shown = [runs[live]], frame = last;
    const time = timeline({ label: "Step", last, value: last, text: (i) => `step ${shown[0].step[Math.min(i, shown[0].step.length - 1)]}`, draw: (t) => parts && parts.plots.forEach((each) => each.draw(Math.min(t, shown[0].step.length - 1))), rest, pace: 550 });
    const first = pairs.find(([name]) => name === failed) || null;
    const menu = pick({ label: "Run", options: [[null, `the live run, ${runs[live].step.at(-1)} steps`], ...pairs.map((pair) => [pair, `failed: ${pair[0]}`])], value: first, oninput: choose });
    const figure = stage(el, model, { controls: [...time.parts, menu], picture, numbers });
    choose(first);
    tips(picture);

    function choose(pair) {
      shown = pair ? [runs[pair[1]], runs[pair[0]]] : [runs[live]];
      const kind = pair ? pair[2] : "words", losses = shown.map((run) => run.losses[kind]), most = 1.06 * Math.max(...losses.flat(), ...lines[kind].map(([, height]) => height));
      const both = { steps: shown[0].step, turn: pair ? 0 : turn, wide, high };
      const plots = [
        plot({ ...both, title: `probability of “${gaps[0].words[fits[0]]}” at the first [MASK]`, curves: shown.map((run) => run.guesses.map((guesses) => guesses[0][fits[0]])), levels: [["one half", 0.5]], most: 1.06, unit: 0.5, kind: "guess" }),
        plot({ ...both, title: NAMES[kind], curves: losses, levels: lines[kind], most, unit: most > 3 ? 2 : most > 1.2 ? 1 : 0.5 })];
      const races = gaps.map((gap, i) => gapRace({ gap, runs: shown, number: i }));
      parts = { plots, rests: races };
      picture.querySelectorAll(":scope > :not(.mb-tip, .mb-hidden)").forEach((child) => child.remove());
      picture.prepend(node("div", { class: "curves" }, plots.map(({ svg }) => svg)), node("div", { class: shown.length > 1 ? "gaps two" : "gaps" },
        node("p", { class: "key" }, shown.length > 1 ? [node("span", { class: "healthy" }, "healthy run"), node("span", { class: "failed" }, `failed: ${pair[0]}`)] : node("span", { class: "guess" }, "the model"), node("span", { class: "perfect" }, "exact probability")),
        races.map(({ box }) => box)));
      time.limit(shown[0].step.length - 1);
    }

    function rest(to) {
      frame = Math.min(to, shown[0].step.length - 1);
      parts.rests.forEach((part) => part.rest(frame));
      const said = shown.map((run, i) => `${shown.length > 1 ? `${LOOK[i]}: ` : ""}words ${number(run.losses.words[frame])}, pairs ${number(run.losses.pairs[frame])}`);
      figure.say(`After ${shown[0].step[frame]} steps, losses in nats: ${said.join("; ")}.`);
    }

    function numbers() {
      const heads = shown.flatMap((_, i) => ["words", "pairs", ...gaps.map((gap, n) => gap.words[fits[n]])].map((name) => `${shown.length > 1 ? `${LOOK[i]}: ` : ""}${name}`));
      return node("table", {}, node("caption", {}, "Losses in nats, and the probability of the word that fits each gap best"),
        node("thead", {}, node("tr", {}, ["step", ...heads].map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, shown[0].step.map((step, n) => node("tr", {}, node("th", { scope: "row" }, step), shown.map((run) => [run.losses.words[n], run.losses.pairs[n],
          ...gaps.map((_, i) => run.guesses[n][i][fits[i]])].map((value) => node("td", {}, number(value))))))));
    }
  },
};
