// One token of two texts on its way through the sublayers: a map, a curve, what each sublayer adds, and who is like whom.

const MAP = { wide: 360, high: 270, edge: 34 };
const CURVE = { wide: 300, high: 150, left: 34, right: 8, top: 10, bottom: 34 };

// The name of a stage of the stream: 0 stands before layer 1, then come the two sublayers of each layer.
function stageOf(stage) {
  return stage === 0 ? "before layer 1" : `layer ${Math.ceil(stage / 2)}, ${stage % 2 ? "attention" : "feed-forward"}`;
}

export default {
  render({ model, el }) {
    const { tokens, up, down, token, layers, measures } = model.get("data");
    const all = Object.fromEntries(Object.entries(measures).map(([name, packed]) => [name, unpack(packed)]));      // each [model][text][stage][token]…
    const texts = tokens.map((each) => each.slice(1, -1).join(" "));
    const last = 2 * layers;
    const state = { other: 1, token, model: 0, stage: last, table: "across" };

    const tokenPick = node("div", {});
    const map = shape("svg", { viewBox: `0 0 ${MAP.wide} ${MAP.high}`, role: "img" });
    const curve = shape("svg", { viewBox: `0 0 ${CURVE.wide} ${CURVE.high}`, role: "img" });
    const lengths = node("div", { class: "mb-scroll", tabindex: "0", role: "region", "aria-label": "lengths" });
    const alike = node("div", { class: "mb-scroll", tabindex: "0", role: "region", "aria-label": "cosines" });
    const legend = node("p", { class: "legend" });
    const otherModel = node("span", { class: "other" });
    const depth = slider({ label: "Depth", min: 0, max: last, value: state.stage, text: stageOf, oninput: (stage) => { state.stage = stage; draw(); } });
    curve.onclick = (event) => {
      const { left, width } = curve.getBoundingClientRect();
      state.stage = clamp(Math.round(((event.clientX - left) / width * CURVE.wide - CURVE.left) / (CURVE.wide - CURVE.left - CURVE.right) * last), 0, last);
      depth.set(state.stage);
      draw();
    };

    const figure = frame(el, model,
      controls(
        pick({ label: `“${texts[0]}” and`, options: texts.slice(1).map((text, i) => [i + 1, text]), value: state.other, oninput: (i) => { state.other = i; drawTokens(); draw(); } }),
        radios({ label: "Model", options: [[0, "trained"], [1, "untrained"]], value: 0, oninput: (i) => { state.model = i; draw(); } })),
      tokenPick, controls(depth),
      legend,
      node("div", { class: "both" }, node("div", {}, node("p", { class: "title" }, "The vectors, in two of their directions"), map),
        node("div", {}, node("p", { class: "title" }, "Cosine between the two ", otherModel), curve, lengths)),
      controls(radios({ label: "Cosines of the tokens", options: [["within", "of the first text"], ["other", "of the second text"], ["across", "of both"]], value: state.table, oninput: (which) => { state.table = which; draw(); } })),
      alike);
    drawTokens();
    draw();

    function at(name, text) {
      return all[name][state.model][text];
    }

    // The places, called by what stands there in the two texts.
    function drawTokens() {
      const names = tokens[0].map((word, i) => [i, word === tokens[state.other][i] ? word : `${word} / ${tokens[state.other][i]}`]);
      tokenPick.replaceChildren(controls(radios({ label: "Token", options: names, value: state.token, oninput: (i) => { state.token = i; draw(); } })));
    }

    function draw() {
      const pair = [0, state.other];
      legend.replaceChildren(...pair.map((text, i) => node("span", { class: `key text-${i}` }, tokens[text][state.token], " in ", node("i", {}, texts[text]))));
      otherModel.textContent = `(dotted: ${["untrained", "trained"][state.model]})`;
      drawMap(pair);
      drawCurve();
      drawLengths(pair);
      drawAlike();
      const cosine = at("across", state.other)[state.stage][state.token][state.token];
      figure.say(`${["Trained", "Untrained"][state.model]} model, ${stageOf(state.stage)}: “${tokens[0][state.token]}” in “${texts[0]}” and “${tokens[state.other][state.token]}” in “${texts[state.other]}” have a cosine of ${number(cosine, 3)}.`);
    }

    // Both models are drawn on one scale, and both directions as well.
    function drawMap(pair) {
      const points = all.map.flatMap((texts) => pair.flatMap((text) => texts[text].map((tokens) => tokens[state.token])));
      const [lows, highs] = [Math.min, Math.max].map((pick) => [0, 1].map((axis) => pick(...points.map((point) => point[axis]))));
      const inside = [MAP.wide - 2 * MAP.edge, MAP.high - 2 * MAP.edge];
      const scale = Math.min(...inside.map((room, axis) => room / Math.max(1, highs[axis] - lows[axis])));
      const place = (point) => [MAP.wide / 2 + scale * (point[0] - (lows[0] + highs[0]) / 2), MAP.high / 2 - scale * (point[1] - (lows[1] + highs[1]) / 2)];
      map.setAttribute("aria-label", `paths of ${tokens[0][state.token]} on two directions, up to: ${stageOf(state.stage)}`);
      map.replaceChildren(ruler(scale), shape("text", { x: 10, y: 18 }, `↑ ${up}`), shape("text", { x: 10, y: MAP.high - 24 }, `↓ ${down}`), ...pair.flatMap((text, i) => {
        const path = at("map", text).map((stage) => place(stage[state.token]));
        const line = (part, kind) => shape("polyline", { points: part.map((point) => point.map((value) => number(value, 1).replace("−", "-"))).join(" "), class: `${kind} text-${i}` });
        return [line(path, "whole"), line(path.slice(0, state.stage + 1), "walked"), ...path.slice(0, state.stage + 1).map((point, stage) => mark(point, i, stage === state.stage ? 6 : 2.5))];
      }));
    }

    // A circle in the first text, a square in the second.
    function mark([x, y], text, size) {
      return text === 0 ? shape("circle", { cx: x, cy: y, r: size, class: "mark text-0" })
        : shape("rect", { x: x - 0.9 * size, y: y - 0.9 * size, width: 1.8 * size, height: 1.8 * size, class: "mark text-1" });
    }

    function ruler(scale) {
      const unit = [1, 2, 5, 10, 20].find((each) => each * scale > 24) || 50;
      return shape("g", { class: "ruler" }, shape("path", { d: `M 10 ${MAP.high - 10} h ${unit * scale}` }), shape("text", { x: 14 + unit * scale, y: MAP.high - 6 }, unit));
    }

    function drawCurve() {
      const cosines = all.across.map((texts) => texts[state.other].map((stage) => stage[state.token][state.token]));
      const low = Math.min(0.8, Math.floor(10 * Math.min(...cosines.flat())) / 10);
      const x = (stage) => CURVE.left + stage / last * (CURVE.wide - CURVE.left - CURVE.right);
      const y = (value) => CURVE.top + (1 - value) / (1 - low) * (CURVE.high - CURVE.top - CURVE.bottom);
      const line = (values, kind) => shape("polyline", { points: values.map((value, stage) => `${x(stage)},${y(value)}`).join(" "), class: kind });
      const ticks = [low, (1 + low) / 2, 1].map((value) => [shape("path", { class: "tick", d: `M ${CURVE.left} ${y(value)} H ${CURVE.wide - CURVE.right}` }), shape("text", { x: CURVE.left - 5, y: y(value) + 4, "text-anchor": "end" }, number(value, 1 + (value * 10 % 1 > 0.01)))]);
      const names = Array.from({ length: layers + 1 }, (_, layer) => shape("text", { x: x(2 * layer), y: CURVE.high - 19, "text-anchor": "middle" }, layer));
      curve.setAttribute("aria-label", `cosine between the two, sublayer by sublayer: ${cosines[state.model].map((value) => number(value)).join(", ")}`);
      curve.replaceChildren(...ticks.flat(), ...names, shape("text", { x: (CURVE.left + CURVE.wide) / 2, y: CURVE.high - 5, "text-anchor": "middle" }, "layers passed"),
        shape("path", { class: "here", d: `M ${x(state.stage)} ${CURVE.top} V ${CURVE.high - CURVE.bottom}` }),
        line(cosines[1 - state.model], "model-other"), line(cosines[state.model], "model"), mark([x(state.stage), y(cosines[state.model][state.stage])], 0, 5));
    }

    function drawLengths(pair) {
      const { stage } = state, sublayer = stage % 2 ? "attention adds" : "feed-forward adds";
      const columns = stage === 0 ? ["length"] : ["length before", sublayer, "after the norm", "cosine to its start"];
      const rows = pair.map((text) => {
        const [length, start] = ["length", "start"].map((name) => at(name, text).map((tokens) => tokens[state.token]));
        return stage === 0 ? [length[0]] : [length[stage - 1], at("added", text)[stage - 1][state.token], length[stage], start[stage]];
      });
      lengths.replaceChildren(node("table", {}, node("caption", {}, stage === 0 ? "Lengths before the first layer" : `Lengths: ${stageOf(stage)}`),
        node("thead", {}, node("tr", {}, node("td", {}), columns.map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, rows.map((row, i) => node("tr", {}, node("th", { scope: "row", class: `key text-${i}` }, tokens[pair[i]][state.token]), row.map((value, column) => node("td", {}, number(value, column === 3 ? 2 : 1))))))));
    }

    function drawAlike() {
      const [one, two] = { within: [0, 0], other: [state.other, state.other], across: [0, state.other] }[state.table];
      const name = state.table === "across" ? "across" : "within";
      alike.replaceChildren(heat(at(name, two)[state.stage], { rows: namesOf(tokens[one]), columns: namesOf(tokens[two]), largest: 1, corner: "cosine",
        caption: `${texts[one]}${one === two ? "" : ` (rows) and ${texts[two]} (columns)`}: ${stageOf(state.stage)}` }));
    }
  },
};
