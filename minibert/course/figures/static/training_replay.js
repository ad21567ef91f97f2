// A training run as a film: losses that draw themselves, guesses at three gaps, an attention map; alone, or a failed run beside a healthy one.

const NAMES = { words: "loss of the masked words, nats", pairs: "loss of the pairs, nats" };
const LOOK = ["healthy", "failed"];

// A value on the way between two frames.
function inBetween(values, t) {
  const low = Math.floor(t), share = t - low;
  return share === 0 ? values[low] : (1 - share) * values[low] + share * values[low + 1];
}

// One loss over the steps. `draw(t)` shows the curves up to frame t.
function lossPlot({ kind, runs, lines, wide, high }) {
  const left = 26, bottom = 16, top = 20, steps = runs[0].step;
  const most = 1.06 * Math.max(...runs.flatMap((run) => run.losses[kind]), ...lines.map(([, height]) => height));
  const x = (step) => left + (wide - left - 8) * step / steps.at(-1), y = (loss) => high - bottom - (high - bottom - top) * loss / most;
  const clip = `mb-clip-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`;
  const window_ = shape("rect", { x: 0, y: 0, width: 0, height: high });
  const heads = runs.map((_, i) => shape("circle", { r: 4, class: `mark ${LOOK[i]}` }));
  const curves = runs.map((run, i) => shape("polyline", { class: `curve ${LOOK[i]}`, points: run.losses[kind].map((loss, n) => `${x(run.step[n]).toFixed(1)},${y(loss).toFixed(1)}`).join(" ") }));
  const unit = most > 3 ? 2 : most > 1.2 ? 1 : 0.5;
  const ticks = Array.from({ length: Math.floor(most / unit) + 1 }, (_, i) => i * unit);
  const reach = steps.map((step, n) => shape("rect", { class: "reach", x: x(n ? (steps[n - 1] + step) / 2 : 0), y: top, height: high - bottom - top, width: Math.max(1, x(n + 1 < steps.length ? (step + steps[n + 1]) / 2 : step) - x(n ? (steps[n - 1] + step) / 2 : 0)),
    "data-tip": `step ${step}, ${NAMES[kind]}: ${runs.map((run) => number(run.losses[kind][n])).join(" and ")}` }));
  const svg = shape("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `${NAMES[kind]}: ${runs.map((run) => `from ${number(run.losses[kind][0])} to ${number(run.losses[kind].at(-1))}`).join("; failed: ")}` },
    shape("clipPath", { id: clip }, window_),
    ticks.map((value) => [shape("line", { class: "rule", x1: left, x2: wide - 8, y1: y(value), y2: y(value) }), shape("text", { class: "tick", x: left - 5, y: y(value) + 4, "text-anchor": "end" }, value)]),
    lines.map(([, height]) => shape("line", { class: "level", x1: left, x2: wide - 8, y1: y(height), y2: y(height) })),
    shape("text", { class: "name", x: left, y: 12 }, NAMES[kind]), shape("text", { class: "tick", x: wide - 8, y: high - 3, "text-anchor": "end" }, `step ${steps.at(-1)}`),
    shape("g", { "clip-path": `url(#${clip})` }, curves), heads,
    lines.map(([name, height], i) => shape("text", { class: "tick over", x: i ? left + 4 : wide - 16, y: y(height) - 3, "text-anchor": i ? "start" : "end" }, name)), reach);
  return { svg, draw(t) {
    const now = x(inBetween(steps, t));
    window_.setAttribute("width", now);
    heads.forEach((head, i) => { head.setAttribute("cx", now.toFixed(1)); head.setAttribute("cy", y(inBetween(runs[i].losses[kind], t)).toFixed(1)); });
  } };
}

// The guesses at one gap: a bar for each word, in the order of the moment; a stroke says what a perfect reader would give.
function gapRace({ gap, runs, number: which }) {
  const [before, after] = `${gap.first} ${gap.second}`.split("[MASK]");
  const rows = gap.words.map((word, i) => {
    const bars = runs.map((_, run) => node("span", { class: `bar ${LOOK[run]}` }));
    const said = node("span", { class: "share" });
    return { bars, said, row: node("div", { class: "word" }, node("span", { class: "what" }, word), node("span", { class: "track", style: `--perfect: ${100 * gap.chances[i]}%` }, bars, node("i", {})), said) };
  });
  const box = node("div", { class: "gap" }, node("p", { class: "text" }, before, node("b", {}, "[MASK]"), after), node("div", { class: "race", style: `--rows: ${rows.length}` }, rows.map(({ row }) => row)));
  return { box, rest(frame) {
    const shares = runs.map((run) => run.guesses[frame][which]);
    const order = gap.words.map((_, i) => i).sort((a, b) => shares[0][b] - shares[0][a]);
    rows.forEach(({ bars, said, row }, i) => {
      row.style.setProperty("--place", order.indexOf(i));
      bars.forEach((bar, run) => { bar.style.width = `${100 * shares[run][i]}%`; });
      said.textContent = shares.map((each) => number(each[i])).join(" · ");
      row.dataset.tip = `“${gap.words[i]}”: ${shares.map((each, run) => `${runs.length > 1 ? `${LOOK[run]} ` : ""}${number(each[i])}`).join(", ")}; perfect reader ${number(gap.chances[i])}`;
    });
  } };
}

// One head's map within the first text; the cell from the gap to the answer has a frame.
function mapOf({ run, tokens, answer, caption, narrow }) {
  const maps = unpack(run.maps), size = tokens.length, gap = tokens.indexOf("[MASK]");
  const cells = tokens.map((_, row) => tokens.map((__, column) => shape("rect", { x: 10 * column, y: 10 * row, width: 9.4, height: 9.4 })));
  const said = node("span", {});
  const svg = shape("svg", { viewBox: `-1 -1 ${10 * size + 2} ${10 * size + 2}`, role: "img", "aria-label": `attention map, ${run.head}` }, cells, shape("rect", { class: "frame", x: 10 * answer - 1, y: 10 * gap - 1, width: 11.4, height: 11.4 }));
  return { box: node("div", { class: "map" }, svg, node("p", { class: "caption" }, caption, said)), rest(frame) {
    cells.forEach((row, i) => row.forEach((cell, j) => {
      cell.style.fillOpacity = maps[frame][i][j];
      cell.dataset.tip = `${tokens[i]} → ${tokens[j]}: ${number(maps[frame][i][j])}`;
    }));
    said.textContent = `${caption ? ", " : narrow ? "" : "attention map, "}${run.head}: [MASK] looks at “${tokens[answer]}” with ${number(maps[frame][gap][answer])} (framed)`;
  } };
}

export default {
  render({ model, el }) {
    const { runs: stored, live, pairs, failed, gaps, tokens, answer, lines } = model.get("data");
    const runs = Object.fromEntries(Object.entries(stored).map(([name, run]) => [name, { ...run, guesses: unpack(run.guesses) }]));     // guesses: [frame][gap][word]
    const narrow = el.clientWidth < 560;
    const picture = node("div", { class: "film", tabindex: "0", role: "group", "aria-label": "the film; the arrow keys read its numbers" });
    const last = runs[live].step.length - 1;
    let parts, shown = [runs[live]], frame = last;
    const time = timeline({ label: "Step", last, value: last, text: (i) => `step ${shown[0].step[Math.min(i, shown[0].step.length - 1)]}`, draw: (t) => parts && parts.plots.forEach((plot) => plot.draw(Math.min(t, shown[0].step.length - 1))), rest, pace: 550 });
    const first = pairs.find(([name]) => name === failed) || null;
    const menu = pick({ label: "Run", options: [[null, `the live run, ${runs[live].step.at(-1)} steps`], ...pairs.map((pair) => [pair, `failed: ${pair[0]}`])], value: first, oninput: choose });
    const figure = stage(el, model, { controls: [...time.parts, menu], picture, numbers });
    choose(first);
    tips(picture);

    function choose(pair) {
      shown = pair ? [runs[pair[1]], runs[pair[0]]] : [runs[live]];
      const size = narrow ? { wide: 210, words: 98, pairs: 76 } : { wide: 400, words: 142, pairs: 112 };
      const plots = ["words", "pairs"].map((kind) => lossPlot({ kind, runs: shown, lines: lines[kind], wide: size.wide, high: size[kind] }));
      const races = gaps.map((gap, i) => gapRace({ gap, runs: shown, number: i }));
      const maps = shown.map((run, i) => mapOf({ run, tokens, answer, caption: shown.length > 1 ? LOOK[i] : "", narrow }));
      parts = { plots, rests: [...races, ...maps] };
      picture.querySelectorAll(":scope > :not(.mb-tip, .mb-hidden)").forEach((child) => child.remove());
      picture.prepend(node("p", { class: "key" }, shown.length > 1 && [node("span", { class: "healthy" }, "healthy run"), node("span", { class: "failed" }, `failed run: ${pair[0]}`)], !narrow && node("span", { class: "guess" }, "bars: the model's probability of each word at [MASK]"), node("span", { class: "perfect" }, "a perfect reader's probability")),
        node("div", { class: "curves" }, plots.map(({ svg }) => svg)),
        node("div", { class: "maps" }, maps.map(({ box }) => box)), node("div", { class: shown.length > 1 ? "gaps two" : "gaps" }, races.map(({ box }) => box)));
      time.limit(shown[0].step.length - 1);
    }

    function rest(to) {
      frame = Math.min(to, shown[0].step.length - 1);
      parts.rests.forEach((part) => part.rest(frame));
      const said = shown.map((run, i) => `${shown.length > 1 ? `${LOOK[i]}: ` : ""}words ${number(run.losses.words[frame])}, pairs ${number(run.losses.pairs[frame])}`);
      figure.say(`After ${shown[0].step[frame]} steps, losses in nats: ${said.join("; ")}.`);
    }

    function numbers() {
      const heads = shown.flatMap((_, i) => ["words", "pairs", ...gaps.map((gap) => gap.words[gap.chances.indexOf(Math.max(...gap.chances))])].map((name) => `${shown.length > 1 ? `${LOOK[i]}: ` : ""}${name}`));
      return node("table", {}, node("caption", {}, "Losses in nats, and the probability of the word that fits each gap best"),
        node("thead", {}, node("tr", {}, ["step", ...heads].map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, shown[0].step.map((step, n) => node("tr", {}, node("th", { scope: "row" }, step), shown.map((run) => [run.losses.words[n], run.losses.pairs[n],
          ...gaps.map((gap, i) => run.guesses[n][i][gap.chances.indexOf(Math.max(...gap.chances))])].map((value) => node("td", {}, number(value))))))));
    }
  },
};
