// One word in many sentences: a map of the trained model beside a map of the control, and the dots move through the layers.

const GAP = 13;     // between two labels that would cover each other

// Where the labels of dots [x, y] go: y of each, pushed apart where two would cover each other.
function labelHeights(places, widths) {
  const heights = places.map(([, y]) => y);
  for (let round = 0; round < 60; round += 1) {
    let moved = false;
    places.forEach(([x], i) => places.forEach(([other], j) => {
      if (j <= i || x + widths[i] < other || other + widths[j] < x) return;
      const gap = heights[j] - heights[i], push = (GAP - Math.abs(gap)) / 2;
      if (push <= 0.01) return;
      const way = gap === 0 ? 1 : Math.sign(gap);
      heights[i] -= way * push;
      heights[j] += way * push;
      moved = true;
    }));
    if (!moved) break;
  }
  return heights;
}

// A value between two frames of a list of frames.
function between(frames, t, pick) {
  const low = Math.floor(t), share = t - low;
  return share === 0 ? pick(frames[low]) : (1 - share) * pick(frames[low]) + share * pick(frames[low + 1]);
}

export default {
  render({ model, el }) {
    const { word, meanings, labels, texts, sides, names, scores, dots: packed } = model.get("data");
    const dots = unpack(packed);       // [model][layer][sentence][x, y]
    const last = dots[0].length - 1, count = labels.length;
    const size = el.clientWidth < 560 ? { wide: el.clientWidth || 340, high: 158 } : { wide: 350, high: 270 };
    const widths = labels.map((label) => 14 + 6.6 * label.length);
    const all = dots.flat(2), [low, high] = [Math.min, Math.max].map((pick) => pick(...all.map(([, y]) => y)));
    const wide = Math.min(...dots.flatMap((layers) => layers[last].map(([x], dot) => (size.wide / 2 - 8 - widths[dot]) / Math.max(1e-9, Math.abs(x)))));
    const scale = Math.min(wide, (size.high - 46) / (high - low));
    const place = ([x, y]) => [size.wide / 2 + scale * x, size.high / 2 + 8 - scale * (y - (low + high) / 2)];
    const panels = names.map((_, i) => panel(i));
    const time = timeline({ label: "Layer", last, value: last, text: nameOf, draw, rest, pace: 900 });
    const picture = node("div", { class: "maps", tabindex: "0", role: "group", "aria-label": `maps of ${word}; the arrow keys read its sentences` }, panels.map(({ box }) => box));
    const figure = stage(el, model, { controls: time.parts, picture, numbers });
    tips(picture);
    draw(last);
    rest(last);

    function nameOf(layer) {
      return layer === 0 ? "embeddings" : `layer ${layer} of ${last}`;
    }

    function panel(i) {
      const frames = dots[i].map((layer) => layer.map(place)), middle = size.wide / 2;
      const left = frames[last].map(([x]) => x < middle);     // a label stays on the side where its dot ends
      const heights = frames.map((frame) => labelHeights(frame.map(([x, y], dot) => [left[dot] ? x - widths[dot] : x, y]), widths));
      const paths = frames[0].map((_, dot) => shape("polyline", { class: `path side${sides[dot]}`, points: frames.map((frame) => frame[dot].join(",")).join(" ") }));
      const marks = labels.map((label, dot) => shape("g", { class: `dot side${sides[dot]}`, "data-tip": texts[dot] },
        sides[dot] > 0 ? shape("circle", { r: 5 }) : shape("rect", { x: -4.6, y: -4.6, width: 9.2, height: 9.2 }), shape("rect", { class: "reach", x: -10, y: -10, width: 20, height: 20 })));
      const words = labels.map((label, dot) => shape("text", { class: "word", "text-anchor": left[dot] ? "end" : "start", "aria-hidden": "true" }, label));
      const svg = shape("svg", { viewBox: `0 0 ${size.wide} ${size.high}`, role: "img", "aria-label": `${names[i]}: ${model.get("alt")}` },
        shape("line", { class: "middle", x1: middle, x2: middle, y1: 0, y2: size.high }),
        shape("text", { class: "end", x: 8, y: 17 }, `← ${meanings[1]}`), shape("text", { class: "end", x: size.wide - 8, y: 17, "text-anchor": "end" }, `${meanings[0]} →`), paths, words, marks);
      const score = node("p", { class: "score" });
      return { frames, heights, marks, words, left, score, box: node("div", {}, node("p", { class: "title" }, names[i]), svg, score) };
    }

    function draw(t) {
      panels.forEach(({ frames, heights, marks, words, left }) => marks.forEach((mark, dot) => {
        const [x, y] = [0, 1].map((axis) => between(frames, t, (frame) => frame[dot][axis]));
        const height = between(heights, t, (frame) => frame[dot]);
        mark.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
        words[dot].setAttribute("transform", `translate(${(x + (left[dot] ? -9 : 9)).toFixed(1)} ${(height + 4).toFixed(1)})`);
        words[dot].classList.toggle("far", Math.abs(height - y) > 16);       // a label that has been pushed away from its dot is left out
      }));
    }

    function rest(layer) {
      panels.forEach(({ score }, i) => { score.textContent = `on the side of their meaning: ${scores[i][layer]} of ${count}`; });
      const [trained, control] = scores.map((counts) => counts[layer]);
      figure.say(`${layer === 0 ? "Before layer 1" : `After layer ${layer}`}, ${trained} of ${count} dots are on the side of their meaning in ${names[0]} and ${control} in ${names[1]}; chance is ${count / 2}.`);
    }

    function numbers() {
      const span = (layer) => { const all = scores.slice(1).map((counts) => counts[layer]); return [...new Set([Math.min(...all), Math.max(...all)])].join(" to "); };
      const heads = [names[0], `${scores.length - 1} untrained`];
      return node("table", {}, node("caption", {}, `Of ${count} sentences, by layer: dots on the side of their meaning`),
        node("thead", {}, node("tr", {}, node("td", {}), heads.map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, Array.from({ length: last + 1 }, (_, layer) => node("tr", {}, node("th", { scope: "row" }, nameOf(layer)),
          [scores[0][layer], span(layer)].map((value) => node("td", {}, value))))));
    }
  },
};
