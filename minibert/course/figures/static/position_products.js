// The similarity of two positions by their distance: by the formula, and read off tables of weights.

const PLOT = { height: 280, left: 38, right: 10, top: 30, bottom: 40 };
const BASES = Array.from({ length: 21 }, (_, i) => Number((10 ** (1 + i / 4)).toPrecision(2)));       // 10 to 1,000,000, four to a power of ten

function signed(distance) {
  return number(distance, 0);
}

function height(value, low) {
  return PLOT.top + (1 - value) / (1 - low) * (PLOT.height - PLOT.top - PLOT.bottom);
}

// Lines for the values, and distances below.
function axes(least, most, x, low, width) {
  const step = most > 100 ? 100 : 20;
  const ticks = Array.from({ length: Math.floor(most / step) - Math.ceil(least / step) + 1 }, (_, i) => (Math.ceil(least / step) + i) * step);
  return [
    ...[-1, -0.5, 0, 0.5, 1].filter((value) => value >= low).map((value) => [shape("line", { class: "mb-grid", x1: PLOT.left, x2: width - PLOT.right, y1: height(value, low), y2: height(value, low) }),
      shape("text", { x: PLOT.left - 6, y: height(value, low) + 4, "text-anchor": "end" }, number(value, 1))]),
    ...ticks.map((distance) => shape("text", { x: x(distance), y: PLOT.height - PLOT.bottom + 17, "text-anchor": "middle" }, number(distance, 0))),
    shape("text", { x: 2, y: 14 }, "similarity (1: the same position)"),
    shape("text", { x: (PLOT.left + width) / 2, y: PLOT.height - 6, "text-anchor": "middle" }, least < 0 ? "distance k from position i" : "distance k"),
  ];
}

export default {
  render({ model, el }) {
    const data = model.get("data");
    const tables = data.tables.map(({ name, cosines }) => ({ name, cosines: unpack(cosines) }));
    const rows = tables.length ? tables[0].cosines.length : 0;
    let low = -0.5;
    const width = clamp(el.clientWidth, 300, 640);      // drawn as wide as it is shown, so that a phone can read it
    const least = rows ? -data.reach : 0, x = (distance) => PLOT.left + (distance - least) / (data.reach - least) * (width - PLOT.left - PLOT.right);
    let { distance } = data, base = 10000, pairs = data.dim / 2, position = rows >> 1;

    const curves = ["mb-formula", "mb-first", "mb-second"].slice(0, 1 + tables.length).map((name) => shape("polyline", { class: `mb-curve ${name}` }));
    const grid = shape("g", {});
    const step = x(1) - x(0);
    const hits = Array.from({ length: data.reach - least + 1 }, (_, i) => shape("rect", { x: x(least + i) - step / 2, width: step, y: PLOT.top, height: PLOT.height - PLOT.top - PLOT.bottom, fill: "transparent" }));
    const marker = shape("line", { class: "mb-marker", y1: PLOT.top, y2: PLOT.height - PLOT.bottom });
    const dots = curves.map((curve) => shape("circle", { class: curve.getAttribute("class").replace("mb-curve", "mb-dot"), r: 5 }));
    const plot = shape("svg", { viewBox: `0 0 ${width} ${PLOT.height}`, "aria-hidden": "true", onpointerdown: point, onpointermove: (event) => event.buttons && point(event) },
      grid, marker, curves, dots, hits);
    const area = node("div", { class: "mb-plot", tabindex: "0", role: "group", "aria-label": "the curves: arrow keys read their values" }, plot);
    const names = curves.map((curve, i) => node("li", {}, shape("svg", { viewBox: "0 0 30 10", "aria-hidden": "true" }, shape("polyline", { class: curve.getAttribute("class"), points: "0,5 30,5" })), node("span", {})));
    const distances = slider({ label: "Distance k", min: least, max: data.reach, value: distance, text: signed, oninput: (k) => change({ distance: k }) });
    const places = rows > 0 && slider({ label: "Position i", min: 0, max: rows - 1, value: position, oninput: (i) => change({ position: i }) });
    const bases = slider({ label: "Base", min: 0, max: BASES.length - 1, value: BASES.indexOf(base), text: (i) => BASES[i].toLocaleString("en"), oninput: (i) => change({ base: BASES[i] }) });
    const hands = !rows && slider({ label: "Hands, fastest first", min: 1, max: data.dim / 2, value: pairs, oninput: (count) => change({ pairs: count }) });
    const figure = stage(el, model, { controls: [places, distances, bases, hands], picture: node("div", {}, node("ul", { class: "mb-legend" }, names), area), numbers });
    tips(area);
    draw();

    function change(what) {
      ({ distance, base, pairs, position } = { distance, base, pairs, position, ...what });
      draw();
    }

    function point(event) {
      const box = event.currentTarget.getBoundingClientRect();
      const along = ((event.clientX - box.left) / box.width * width - PLOT.left) / (width - PLOT.left - PLOT.right);
      distance = clamp(Math.round(least + along * (data.reach - least)), least, data.reach);
      distances.set(distance);
      draw();
    }

    // How alike the position is to the one `k` further on, for curve `i`; undefined beyond the end of a table.
    function value(i, k) {
      return i === 0 ? likeness(k, data.dim, base, pairs) : tables[i - 1].cosines[position][position + k];
    }

    function named(i) {
      return i ? tables[i - 1].name : "sinusoidal";
    }

    function all() {
      return hits.map((_, i) => least + i);
    }

    // Every distance, or in a long table every eighth.
    function numbers() {
      const some = all().filter((k) => data.reach < 100 || k % 8 === 0);
      return node("table", {}, node("thead", {}, node("tr", {}, ["distance", ...curves.map((_, i) => named(i))].map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, some.map((k) => node("tr", {}, node("th", { scope: "row" }, number(k, 0)), curves.map((_, i) => node("td", {}, said(value(i, k))))))));
    }

    function said(likeness) {
      return likeness === undefined ? "no such row" : number(likeness);
    }

    function draw() {
      low = all().some((k) => value(0, k) < -0.5) ? -1 : -0.5;       // a single hand goes down to −1
      grid.replaceChildren(...axes(least, data.reach, x, low, width).flat());
      const words = curves.map((curve, i) => {
        const points = all().map((k) => [k, value(i, k)]).filter(([, y]) => y !== undefined);
        curve.setAttribute("points", points.map(([k, y]) => `${x(k).toFixed(1)},${height(y, low).toFixed(1)}`).join(" "));
        const there = value(i, distance);
        dots[i].setAttribute("cx", x(distance));
        dots[i].setAttribute("cy", height(there || 0, low));
        dots[i].setAttribute("visibility", there === undefined ? "hidden" : "visible");
        return `${named(i)} ${there === undefined ? "has no such row" : number(there)}`;
      });
      hits.forEach((hit, n) => { hit.dataset.tip = `distance ${number(least + n, 0)}: ${curves.map((_, i) => `${named(i)} ${said(value(i, least + n))}`).join(", ")}`; });
      names.forEach((name, i) => { name.lastChild.textContent = words[i]; });
      marker.setAttribute("x1", x(distance));
      marker.setAttribute("x2", x(distance));
      figure.say(`${rows ? `Position ${position} and position ${position + distance}` : `Any two positions ${distance} apart`}, base ${base.toLocaleString("en")}${pairs < data.dim / 2 ? `, ${pairs === 1 ? "the fastest hand" : `the fastest ${pairs} hands`} only` : ""}: ${words.join(", ")}.`);
    }
  },
};
