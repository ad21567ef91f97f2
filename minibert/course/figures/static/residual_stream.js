// One token of two texts on its way through the sublayers: a map of the trained model and one of a randomised copy, and the cosine of the two.

const CURVE = { high: 126, left: 34, right: 8, top: 8, bottom: 30 };

// The name of a stage of the stream: 0 stands before layer 1, then come the two sublayers of each layer.
function stageOf(stage) {
  return stage === 0 ? "before layer 1" : `layer ${Math.ceil(stage / 2)}, ${stage % 2 ? "attention" : "feed-forward"}`;
}

// A list of points up to a moment between two of them.
function until(points, t) {
  const low = Math.floor(t), share = t - low;
  return share === 0 ? points.slice(0, low + 1) : [...points.slice(0, low + 1), points[low].map((value, axis) => value + share * (points[low + 1][axis] - value))];
}

function line(points, kind) {
  return shape("polyline", { points: points.map((point) => point.map((value) => value.toFixed(1)).join(",")).join(" "), class: kind });
}

// A circle in the first text, a square in the second.
function mark([x, y], text, size, tip) {
  return text === 0 ? shape("circle", { cx: x, cy: y, r: size, class: "mark text-0", "data-tip": tip })
    : shape("rect", { x: x - 0.9 * size, y: y - 0.9 * size, width: 1.8 * size, height: 1.8 * size, class: "mark text-1", "data-tip": tip });
}

export default {
  render({ model, el }) {
    const { tokens, up, down, token, layers, measures } = model.get("data");
    const all = Object.fromEntries(Object.entries(measures).map(([name, packed]) => [name, unpack(packed)]));      // each [model][text][stage][token]…
    const texts = tokens.map((each) => each.slice(1, -1).join(" ")), last = 2 * layers, models = ["trained", "randomised"];
    const narrow = el.clientWidth < 560, wide = narrow ? el.clientWidth || 340 : 720;
    const size = narrow ? { wide: 168, high: 132 } : { wide: 350, high: 180 };
    const state = { other: 1, token, stage: last };

    const words = node("fieldset", { class: "words" });
    const maps = models.map((name) => shape("svg", { viewBox: `0 0 ${size.wide} ${size.high}`, role: "img", "aria-label": `paths in the ${name} model` }));
    const curve = shape("svg", { viewBox: `0 0 ${wide} ${CURVE.high}`, role: "img" });
    const legend = node("p", { class: "legend" });
    const depth = timeline({ label: "Depth", last, value: last, text: stageOf, draw: (t) => { drawMaps(t); drawCurve(t); }, rest: (stage) => { state.stage = stage; say(); }, pace: 450 });
    const picture = node("div", {}, words, legend, node("div", { class: "maps" }, models.map((name, i) => node("div", {}, node("p", { class: "title" }, `${name} model`), maps[i]))),
      node("p", { class: "title" }, "Cosine: trained solid, randomised dotted"), curve);
    const figure = stage(el, model, { picture, numbers, controls: [...depth.parts,
      pick({ label: narrow ? "And" : `“${texts[0]}” and`, options: texts.slice(1).map((text, i) => [i + 1, text]), value: 1, oninput: (i) => { state.other = i; choose(); } })] });
    choose();
    tips(picture);

    function stepsOf(which, name, text) {
      return all[name][which][text];
    }

    // The places, called by what stands there in the two texts.
    function choose() {
      const group = `mb-token-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`;
      words.replaceChildren(node("legend", { class: "mb-hidden" }, "the token that is followed"), ...tokens[0].map((word, i) => node("label", {},
        node("input", { type: "radio", name: group, class: "mb-hidden", checked: i === state.token, onchange: () => { state.token = i; redraw(); } }),
        node("span", {}, word === tokens[state.other][i] ? word : `${word} / ${tokens[state.other][i]}`))));
      redraw();
    }

    function redraw() {
      legend.replaceChildren(...[0, state.other].map((text, i) => node("span", { class: `key text-${i}` }, tokens[text][state.token], " in ", node("i", {}, texts[text]))));
      drawMaps(state.stage);
      drawCurve(state.stage);
      say();
    }

    function cosines(which) {
      return stepsOf(which, "across", state.other).map((stage) => stage[state.token][state.token]);
    }

    function say() {
      const [one, two] = [0, state.other].map((text) => `“${tokens[text][state.token]}” in “${texts[text]}”`);
      figure.say(`${stageOf(state.stage)}: ${one} and ${two} have a cosine of ${models.map((name, i) => `${number(cosines(i)[state.stage], 3)} ${name}`).join(", ")}.`);
    }

    // Both models are drawn on one scale, and both directions as well.
    function drawMaps(t) {
      const pair = [0, state.other];
      const points = models.map((_, which) => pair.map((text) => stepsOf(which, "map", text).map((stage) => stage[state.token])));
      const [lows, highs] = [Math.min, Math.max].map((choice) => [0, 1].map((axis) => choice(...points.flat(2).map((point) => point[axis]))));
      const scale = Math.min(...[size.wide - 36, size.high - 52].map((room, axis) => room / Math.max(1, highs[axis] - lows[axis])));
      const place = (point) => [size.wide / 2 + scale * (point[0] - (lows[0] + highs[0]) / 2), size.high / 2 - scale * (point[1] - (lows[1] + highs[1]) / 2)];
      maps.forEach((svg, which) => svg.replaceChildren(shape("text", { x: 8, y: 16 }, `↑ ${up}`), shape("text", { x: 8, y: size.high - 8 }, `↓ ${down}`),
        shape("text", { x: place(points[which][0][0])[0] - 6, y: place(points[which][0][0])[1] + 18 }, "start"),
        ...pair.flatMap((text, i) => {
          const path = points[which][i].map(place), walked = until(path, t);
          const tip = (n) => `${stageOf(n)}: length ${number(stepsOf(which, "length", text)[n][state.token], 1)}, cosine with its start ${number(stepsOf(which, "start", text)[n][state.token])}`;
          return [line(path, `whole text-${i}`), line(walked, `walked text-${i}`), ...walked.map((point, n) => mark(point, i, n === walked.length - 1 ? 6 : 2.5, tip(Math.min(n, last))))];
        })));
    }

    function drawCurve(t) {
      const both = models.map((_, which) => cosines(which));
      const low = Math.min(0.8, Math.floor(10 * Math.min(...both.flat())) / 10);
      const x = (stage) => CURVE.left + stage / last * (wide - CURVE.left - CURVE.right), y = (value) => CURVE.top + (1 - value) / (1 - low) * (CURVE.high - CURVE.top - CURVE.bottom);
      const points = both.map((values) => values.map((value, stage) => [x(stage), y(value)]));
      curve.setAttribute("aria-label", `cosine between the two, sublayer by sublayer: ${both[0].map((value) => number(value)).join(", ")}`);
      curve.replaceChildren(...[low, (1 + low) / 2, 1].map((value) => [shape("path", { class: "tick", d: `M ${CURVE.left} ${y(value)} H ${wide - CURVE.right}` }), shape("text", { x: CURVE.left - 5, y: y(value) + 4, "text-anchor": "end" }, number(value, 1 + (value * 10 % 1 > 0.01)))]).flat(),
        ...Array.from({ length: layers + 1 }, (_, layer) => shape("text", { x: x(2 * layer), y: CURVE.high - 15, "text-anchor": "middle" }, layer)),
        shape("text", { x: (CURVE.left + wide) / 2, y: CURVE.high - 3, "text-anchor": "middle" }, "layers passed"),
        line(points[1], "model-other"), line(points[0], "model"),
        ...both.map((values, which) => {
          const at = Math.round(t), isLow = values[at] < both[1 - which][at];
          return shape("text", { class: `value ${models[which]}`, x: x(t) + (t < last / 2 ? 8 : -8), y: y(values[at]) + (isLow ? 19 : -9), "text-anchor": t < last / 2 ? "start" : "end" }, `${models[which]} ${number(values[at])}`);
        }),
        shape("path", { class: "here", d: `M ${x(t)} ${CURVE.top} V ${CURVE.high - CURVE.bottom}` }),
        ...points.flatMap((each, which) => each.map(([px, py], stage) => shape("circle", { class: `dot ${models[which]}`, cx: px, cy: py, r: 3, "data-tip": `${models[which]}, ${stageOf(stage)}: ${number(both[which][stage], 3)}` }))));
    }

    function numbers() {
      const { stage } = state, names = [0, state.other].map((text) => `${tokens[text][state.token]} in “${texts[text]}”`);
      const columns = stage === 0 ? ["length"] : ["length before", stage % 2 ? "attention adds" : "feed-forward adds", "after the norm", "cosine to its start"];
      const rows = [0, state.other].map((text) => {
        const [length, start] = ["length", "start"].map((name) => stepsOf(0, name, text).map((each) => each[state.token]));
        return stage === 0 ? [length[0]] : [length[stage - 1], stepsOf(0, "added", text)[stage - 1][state.token], length[stage], start[stage]];
      });
      const cosinesOf = (kind, one, two) => heat(stepsOf(0, kind, two)[stage], { rows: namesOf(tokens[one]), columns: namesOf(tokens[two]), largest: 1, corner: "cosine", caption: `${texts[one]}${one === two ? "" : ` (rows) and ${texts[two]} (columns)`}: ${stageOf(stage)}` });
      return node("div", {}, node("table", { class: "lengths" }, node("caption", {}, `Lengths in the trained model: ${stageOf(stage)}`),
        node("thead", {}, node("tr", {}, node("td", {}), columns.map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, rows.map((row, i) => node("tr", {}, node("th", { scope: "row" }, names[i]), row.map((value, column) => node("td", {}, number(value, column === 3 ? 2 : 1))))))),
      cosinesOf("within", 0, 0), cosinesOf("within", state.other, state.other), cosinesOf("across", 0, state.other));
    }
  },
};
