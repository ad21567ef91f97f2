// The similarity of two positions by their distance: for a base of the reader's choice, beside base 10.

const PLOT = { height: 290, left: 38, right: 12, top: 30, bottom: 40, low: -0.25 }, OTHER = 10;
const BASES = Array.from({ length: 21 }, (_, i) => Number((10 ** (1 + i / 4)).toPrecision(2)));       // 10 to 1,000,000, four to a power of ten

function height(value) {
  return PLOT.top + (1 - value) / (1 - PLOT.low) * (PLOT.height - PLOT.top - PLOT.bottom);
}

// Lines for the values, and distances below.
function axes(most, x, width) {
  return [
    ...[0, 0.5, 1].map((value) => [shape("line", { class: "mb-grid", x1: PLOT.left, x2: width - PLOT.right, y1: height(value), y2: height(value) }),
      shape("text", { x: PLOT.left - 6, y: height(value) + 4, "text-anchor": "end" }, number(value, 1))]),
    ...[0, 1, 2, 3, 4, 5].map((i) => shape("text", { x: x(100 * i), y: PLOT.height - PLOT.bottom + 17, "text-anchor": "middle" }, 100 * i)),
    shape("text", { x: 2, y: 14 }, "similarity (1: the same position)"),
    shape("text", { x: (PLOT.left + width) / 2, y: PLOT.height - 6, "text-anchor": "middle" }, "distance of the two positions"),
  ];
}

export default {
  render({ model, el }) {
    const { dim, reach, distance: first } = model.get("data");
    const width = clamp(el.clientWidth, 300, 832);      // drawn as wide as it is shown, so that a phone can read it
    const x = (distance) => PLOT.left + distance / reach * (width - PLOT.left - PLOT.right);
    const all = Array.from({ length: reach + 1 }, (_, k) => k);
    let base = 10000, distance = first;

    const lines = ["mb-other", "mb-mine"].map((name) => ({ curve: shape("polyline", { class: `mb-curve ${name}` }), dot: shape("circle", { class: `mb-dot ${name}`, r: 6 }), value: shape("text", { class: `mb-value ${name}` }), name: shape("text", { class: `mb-name ${name}`, x: width - PLOT.right, "text-anchor": "end" }) }));
    const marker = shape("line", { class: "mb-marker", y1: PLOT.top, y2: PLOT.height - PLOT.bottom }), step = x(1) - x(0);
    const hits = all.map((k) => shape("rect", { x: x(k) - step / 2, width: step, y: PLOT.top, height: PLOT.height - PLOT.top - PLOT.bottom, fill: "transparent" }));
    const plot = shape("svg", { viewBox: `0 0 ${width} ${PLOT.height}`, "aria-hidden": "true", onpointerdown: point, onpointermove: (event) => event.buttons && point(event) },
      axes(reach, x, width).flat(), marker, lines.map(({ curve }) => curve), lines.map(({ dot, value, name }) => [dot, value, name]).flat(), hits);
    const area = node("div", { class: "mb-plot", tabindex: "0", role: "group", "aria-label": "the curves: arrow keys read their values" }, plot);
    const distances = slider({ label: "Distance", min: 0, max: reach, value: distance, text: (k) => `${k} apart`, oninput: (k) => { distance = k; draw(); } });
    const figure = stage(el, model, { controls: [slider({ label: "Base", min: 0, max: BASES.length - 1, value: BASES.indexOf(base), text: (i) => `base ${BASES[i].toLocaleString("en")}`, oninput: (i) => { base = BASES[i]; draw(); } }), distances], picture: area, numbers });
    tips(area);
    draw();

    function point(event) {
      const box = event.currentTarget.getBoundingClientRect();
      distance = clamp(Math.round(((event.clientX - box.left) / box.width * width - PLOT.left) / (x(reach) - PLOT.left) * reach), 0, reach);
      distances.set(distance);
      draw();
    }

    // Every eighth distance, as numbers.
    function numbers() {
      return node("table", {}, node("thead", {}, node("tr", {}, ["distance", ...[base, OTHER].map((each) => `base ${each.toLocaleString("en")}`)].map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, all.filter((k) => k % 8 === 0).map((k) => node("tr", {}, node("th", { scope: "row" }, k), [base, OTHER].map((each) => node("td", {}, number(likeness(k, dim, each))))))));
    }

    function draw() {
      const named = [OTHER, base].map((each) => `base ${each.toLocaleString("en")}`);
      const curves = [OTHER, base].map((each) => all.map((k) => likeness(k, dim, each)));
      marker.setAttribute("x1", x(distance));
      marker.setAttribute("x2", x(distance));
      lines.forEach(({ curve, dot, value, name }, i) => {
        const at = curves[i][distance], above = i === 1, right = distance < 0.8 * reach;
        curve.setAttribute("points", curves[i].map((y, k) => `${x(k).toFixed(1)},${height(y).toFixed(1)}`).join(" "));
        dot.setAttribute("cx", x(distance));
        dot.setAttribute("cy", height(at));
        Object.entries({ x: x(distance) + (right ? 10 : -10), y: height(at) + (above ? -12 : 24), "text-anchor": right ? "start" : "end" }).forEach(([key, to]) => value.setAttribute(key, to));
        value.textContent = `${distance} apart: ${number(at)}`;
        name.setAttribute("y", height(Math.max(...curves[i].slice(-100))) + (above ? -8 : 24 + (height(Math.min(...curves[i].slice(-100))) - height(Math.max(...curves[i].slice(-100))))));
        name.textContent = named[i];
      });
      hits.forEach((hit, k) => { hit.dataset.tip = `distance ${k}: ${named[1]} ${number(curves[1][k])}, ${named[0]} ${number(curves[0][k])}`; });
      figure.say(`Any two positions ${distance} apart: ${number(curves[1][distance])} with ${named[1]}, ${number(curves[0][distance])} with ${named[0]}.`);
    }
  },
};
