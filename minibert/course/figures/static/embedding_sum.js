// The row of a token, of its segment and of its position, their sum, and LayerNorm. One vector is kept as an outline for comparison.

const WINDOW = 24;          // features drawn at a time

// The rows of the tables by name.
function tablesOf({ rows, words, segments, length, eps }) {
  const all = unpack(rows);
  return {
    token: all.slice(0, words.length), segment: all.slice(words.length, words.length + segments),
    position: all.slice(words.length + segments, words.length + segments + length), gamma: all[all.length - 2], beta: all[all.length - 1], eps,
  };
}

// The parts of a vector that are switched on, their sum, and its LayerNorm if that is on: { token, segment, position, sum, norm }.
function embedded(tables, { word, segment, place, on }) {
  const none = tables.gamma.map(() => 0);
  const token = on.token ? tables.token[word] : none;
  const kind = on.segment ? tables.segment[segment] : none;
  const position = on.position ? tables.position[place] : none;
  const sum = token.map((value, i) => value + kind[i] + position[i]);
  return { token, segment: kind, position, sum, norm: on.norm ? layerNorm(sum, tables) : sum };
}

// Equation 2.2: minus the mean, over the standard deviation of all features, times gamma, plus beta.
function layerNorm(x, { gamma, beta, eps }) {
  const mean = x.reduce((total, value) => total + value, 0) / x.length;
  const variance = x.reduce((total, value) => total + (value - mean) ** 2, 0) / x.length;
  return x.map((value, i) => gamma[i] * (value - mean) / Math.sqrt(variance + eps) + beta[i]);
}

// 0.1, 0.2, 0.5, 1, 2, 5, 10 …: the first that is not below a number.
function niceAbove(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.1)));
  return Number([1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999).toPrecision(1));
}

function norm(x) {
  return Math.sqrt(dot(x, x));
}

function cosine(a, b) {
  return dot(a, b) / (norm(a) * norm(b));
}

// A bar for each value and an outline for each value kept, upwards above zero; the chosen feature has a shaded background.
function barsOf(values, keeps, largest, chosen, from) {
  const box = (value, i, wide, attributes) => {
    const height = clamp(28 * Math.abs(value) / largest, 0, 29);
    return shape("rect", { x: 10 * i + 5 - wide / 2, y: value > 0 ? 30 - height : 30, width: wide, height, ...attributes });
  };
  return [
    shape("rect", { class: "mb-chosen", x: 10 * chosen, y: 0, width: 10, height: 60 }),
    ...values.map((value, i) => box(value, i, 6, { class: "mb-bar" })),
    ...keeps.map((value, i) => box(value, i, 8, { class: "mb-kept", "vector-effect": "non-scaling-stroke" })),
    ...values.map((value, i) => shape("rect", { class: "mb-reach", x: 10 * i, y: 0, width: 10, height: 60, "data-tip": `feature ${from + i}: ${number(value, 3)}, outline ${number(keeps[i], 3)}` })),
    shape("line", { x1: 0, x2: 10 * values.length, y1: 30, y2: 30, class: "mb-zero", "vector-effect": "non-scaling-stroke" }),
  ];
}

// −0.25 + 0.1 − 0.055: a number below zero after its own sign.
function summed(values) {
  return values.map((value, i) => (i === 0 ? number(value, 3) : `${number(value, 3).startsWith("−") ? "−" : "+"} ${number(Math.abs(value), 3)}`)).join(" ");
}

function described({ word, segment, place, on }, { words }) {
  const off = ["token", "segment", "position"].filter((part) => !on[part]).map((part) => `no ${part} row`).concat(on.norm ? [] : ["no LayerNorm"]);
  return `“${words[word]}” at position ${place}, segment ${segment}${off.length ? `, ${off.join(", ")}` : ""}.`;
}

export default {
  render({ model, el }) {
    const data = model.get("data");
    const tables = tablesOf(data);
    const at = (place) => ({ word: data.word, segment: 0, place, on: { token: true, segment: true, position: true, norm: true } });
    let now = at(data.places[0]), kept = at(data.places[1]), feature = data.feature;

    const rows = {};
    const drawing = node("div", { class: "mb-rows", tabindex: "0", role: "group", "aria-label": "bars; the arrow keys read them" }, ["token", "segment", "position", "sum", "norm"].map((part) => {
      const name = node("span", {}), length = node("span", { class: "mb-length" });
      const bars = shape("svg", { viewBox: `0 0 ${WINDOW * 10} 60`, preserveAspectRatio: "none", "aria-hidden": "true", onclick: (event) => look(event) });
      rows[part] = { name, length, bars };
      return node("div", { class: `mb-row mb-row-${part}` }, node("p", {}, name, length), bars);
    }));
    const one = node("p", { class: "mb-one" }), legend = node("p", { class: "mb-legend" });
    const features = slider({ label: "Feature", min: 0, max: tables.gamma.length - 1, value: feature, oninput: (k) => { feature = k; draw(); } });
    const places = slider({ label: "Position", min: 0, max: data.length - 1, value: now.place, oninput: (place) => change({ place }) });
    const more = node("details", { class: "mb-more" }, node("summary", {}, "More controls"),
      controls([["token", "token row"], ["segment", "segment row"], ["position", "position row"], ["norm", "LayerNorm"]].map(([part, label]) =>
        toggle({ label, value: true, oninput: (value) => change({ on: { ...now.on, [part]: value } }) })),
      node("button", { type: "button", onclick: () => { kept = now; draw(); } }, "Keep this one as outline"), features));
    const figure = stage(el, model, {
      controls: [pick({ label: "Word", options: data.words.map((word, i) => [i, word]), value: now.word, oninput: (word) => change({ word }) }), places,
        radios({ label: "Segment", options: [...Array(data.segments).keys()].map((i) => [i, String(i)]), value: 0, oninput: (segment) => change({ segment }) })],
      picture: [legend, drawing, one, more], numbers });
    tips(drawing);
    draw();

    function change(what) {
      now = { ...now, ...what };
      draw();
    }

    // A bar that is clicked is the feature to look at.
    function look(event) {
      const box = event.currentTarget.getBoundingClientRect();
      feature = first() + clamp(Math.floor((event.clientX - box.left) / box.width * WINDOW), 0, WINDOW - 1);
      features.set(feature);
      draw();
    }

    function first() {
      return Math.min(Math.floor(feature / WINDOW) * WINDOW, tables.gamma.length - WINDOW);
    }

    function draw() {
      const mine = embedded(tables, now), theirs = embedded(tables, kept), from = first();
      const names = {
        token: `the row of “${data.words[now.word]}”`, segment: `+ the row of segment ${now.segment}`, position: `+ the row of position ${now.place}`,
        sum: "= the sum", norm: now.on.norm ? "after LayerNorm" : "without LayerNorm",
      };
      const shown = (vector) => vector.slice(from, from + WINDOW);
      const scale = (parts) => niceAbove(Math.max(...parts.flatMap((part) => [...shown(mine[part]), ...shown(theirs[part])]).map(Math.abs)));
      const common = scale(["token", "segment", "position", "sum"]);      // so that one sees what adds up
      for (const [part, { name, length, bars }] of Object.entries(rows)) {
        const top = part === "norm" ? scale(["norm"]) : common;
        name.textContent = names[part];
        length.textContent = now.on[part] === false && part !== "norm" ? "switched off" : `length ${number(norm(mine[part]))}, drawn to ±${top}`;
        bars.replaceChildren(...barsOf(shown(mine[part]), shown(theirs[part]), top, feature - from, from));
      }
      one.textContent = `Feature ${feature}: ${summed(["token", "segment", "position"].map((part) => mine[part][feature]))} = ${number(mine.sum[feature], 3)}, `
        + (now.on.norm ? `after LayerNorm ${number(mine.norm[feature], 3)}.` : "and no LayerNorm.");
      const last = from + WINDOW - 1, named = ({ word, place }) => `“${data.words[word]}” at position ${place}`;
      legend.replaceChildren(`Each column is a feature, ${from} to ${last} of ${tables.gamma.length}. `, node("span", { class: "mb-full" }, `bars: ${named(now)}`), " ", node("span", { class: "mb-hollow" }, `outlines: ${named(kept)}`));
      figure.say(`${described(now, data)} The outline is ${described(kept, data)} Cosine of the two sums: ${number(cosine(mine.sum, theirs.sum))}, after LayerNorm ${number(cosine(mine.norm, theirs.norm))}.`);
    }

    // The features that are drawn, as numbers.
    function numbers() {
      const mine = embedded(tables, now), from = first();
      return heat(Object.keys(rows).map((part) => mine[part].slice(from, from + WINDOW)), { rows: Object.values(rows).map(({ name }) => name.textContent), columns: [...Array(WINDOW).keys()].map((i) => from + i), digits: 3, corner: "feature" });
    }
  },
};
