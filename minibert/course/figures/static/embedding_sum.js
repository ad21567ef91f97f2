// The row of a token, of its segment and of its position, their sum, and LayerNorm, for two tokens side by side.

// The rows of the tables by name.
function tablesOf({ rows, words, segments, length, eps }) {
  const all = unpack(rows);
  return {
    token: all.slice(0, words.length), segment: all.slice(words.length, words.length + segments),
    position: all.slice(words.length + segments, words.length + segments + length), gamma: all[all.length - 2], beta: all[all.length - 1], eps,
  };
}

// The rows of a token, their sum, and its LayerNorm: { token, segment, position, sum, norm }.
function embedded(tables, { word, segment, place }) {
  const token = tables.token[word], kind = tables.segment[segment], position = tables.position[place];
  const sum = token.map((value, i) => value + kind[i] + position[i]);
  return { token, segment: kind, position, sum, norm: layerNorm(sum, tables) };
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

// −0.25 + 0.1 − 0.055: a number below zero after its own sign.
function summed(values) {
  return values.map((value, i) => (i === 0 ? number(value, 3) : `${number(value, 3).startsWith("−") ? "−" : "+"} ${number(Math.abs(value), 3)}`)).join(" ");
}

// A bar for each value, upwards above zero; `tip(i)` is read where one points.
function barsOf(values, largest, tip) {
  return [
    ...values.map((value, i) => {
      const height = clamp(28 * Math.abs(value) / largest, 0, 29);
      return shape("rect", { class: "mb-bar", x: 10 * i + 1.5, y: value > 0 ? 30 - height : 30, width: 7, height });
    }),
    shape("line", { x1: 0, x2: 10 * values.length, y1: 30, y2: 30, class: "mb-zero", "vector-effect": "non-scaling-stroke" }),
    ...values.map((_, i) => shape("rect", { class: "mb-reach", x: 10 * i, y: 0, width: 10, height: 60, "data-tip": tip(i) })),
  ];
}

const PARTS = ["token", "segment", "position", "sum", "norm"];

export default {
  render({ model, el }) {
    const data = model.get("data"), tables = tablesOf(data), { first, shown } = data;
    const left = { word: data.word, segment: 0, place: data.places[0] };
    let right = { ...left, place: data.places[1] };

    const heads = [0, 1].map(() => node("p", { class: "mb-side" }));
    const rows = Object.fromEntries(PARTS.map((part) => [part, { bars: [0, 1].map(() => shape("svg", { viewBox: `0 0 ${10 * shown} 60`, preserveAspectRatio: "none", "aria-hidden": "true" })), name: node("span", {}), verdict: node("strong", {}) }]));
    const drawing = node("div", { class: "mb-two", tabindex: "0", role: "group", "aria-label": "bars; the arrow keys read them" }, heads,
      PARTS.map((part) => [node("p", { class: "mb-name" }, rows[part].name, rows[part].verdict), node("div", { class: `mb-row mb-row-${part}` }, rows[part].bars)]));
    const figure = stage(el, model, {
      controls: [pick({ label: "Word", options: data.words.map((word, i) => [i, word]), value: right.word, oninput: (word) => change({ word }) }),
        slider({ label: "Position", min: 0, max: data.length - 1, value: right.place, text: (place) => `position ${place}`, oninput: (place) => change({ place }) }),
        radios({ label: "Segment", options: [...Array(data.segments).keys()].map((i) => [i, String(i)]), value: 0, oninput: (segment) => change({ segment }) })],
      picture: drawing, numbers });
    tips(drawing);
    draw();

    function change(what) {
      right = { ...right, ...what };
      draw();
    }

    function described({ word, segment, place }) {
      return `“${data.words[word]}” at position ${place}, segment ${segment}`;
    }

    function draw() {
      const sides = [left, right], all = sides.map((side) => embedded(tables, side)), window = (vector) => vector.slice(first, first + shown);
      const scale = (parts) => niceAbove(Math.max(...parts.flatMap((part) => all.flatMap((each) => window(each[part]))).map(Math.abs)));
      const common = scale(["token", "segment", "position", "sum"]);      // so that one sees what adds up
      const names = { token: "token row", segment: "+ segment row", position: "+ position row", sum: "= sum", norm: "after LayerNorm" };
      heads.forEach((head, i) => { head.replaceChildren(node("strong", {}, `“${data.words[sides[i].word]}”`), ` at position ${sides[i].place}, segment ${sides[i].segment}`); });
      for (const part of PARTS) {
        const [mine, theirs] = all.map((each) => each[part]), { bars, name, verdict } = rows[part], top = part === "norm" ? scale(["norm"]) : common;
        const isSame = mine.every((value, i) => value === theirs[i]);
        name.textContent = names[part];
        verdict.textContent = isSame ? "same" : `different, cosine ${number(cosine(mine, theirs))}`;
        verdict.classList.toggle("mb-same", isSame);
        all.forEach((each, i) => {
          const tip = (k) => (part === "sum" ? `${summed(PARTS.slice(0, 3).map((one) => each[one][first + k]))} = ${number(each.sum[first + k], 3)}` : number(each[part][first + k], 3));
          bars[i].parentNode.classList.toggle("mb-differs", !isSame);
          bars[i].replaceChildren(...barsOf(window(each[part]), top, (k) => `feature ${first + k}: ${tip(k)}`));
        });
      }
      figure.say(`${described(left)}, and ${described(right)}: features ${first} to ${first + shown - 1} of ${tables.gamma.length}. Cosine of the two sums: ${number(cosine(all[0].sum, all[1].sum))}, after LayerNorm ${number(cosine(all[0].norm, all[1].norm))}.`);
    }

    // The features that are drawn, as numbers.
    function numbers() {
      const sides = [left, right];
      return heat(sides.flatMap((side) => { const each = embedded(tables, side); return PARTS.map((part) => each[part].slice(first, first + shown)); }),
        { rows: sides.flatMap(({ word, place }) => PARTS.map((part) => `“${data.words[word]}” ${place}: ${part === "norm" ? "after LayerNorm" : part}`)), columns: [...Array(shown).keys()].map((i) => first + i), digits: 3, corner: "feature" });
    }
  },
};
