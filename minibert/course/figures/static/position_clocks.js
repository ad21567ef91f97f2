// The sinusoidal table lying on its side, a clock for each pair of columns, and the matrix that turns one of the hands.

const CELL = { width: 6, height: 12 };

function nameOf(column) {
  return `${column % 2 ? "cos" : "sin"} ${column >> 1}`;
}

// The table on its side: a row for each column, blue above zero and orange below.
function cells(dim, count) {
  return Array.from({ length: count }, (_, position) => sinusoidalRow(position, dim).map((value, column) => shape("rect", {
    class: value < 0 ? "mb-below" : "mb-above", "data-tip": `position ${position}, ${nameOf(column)}: ${number(value)}`, x: position * CELL.width, y: column * CELL.height, width: CELL.width + 0.3, height: CELL.height, "fill-opacity": Math.abs(value).toFixed(2),
  })));
}

// A clock: the hand at a position, the dashed hand further on, and the angle between them. The sine goes to the right, the cosine upwards.
function face(position, distance, turn) {
  const tip = (angle, radius) => `${(50 + radius * Math.sin(angle)).toFixed(2)} ${(50 - radius * Math.cos(angle)).toFixed(2)}`;
  const from = position * turn, gap = distance * turn, shown = gap % (2 * Math.PI);
  return shape("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" },
    shape("circle", { class: "mb-face", cx: 50, cy: 50, r: 46 }),
    shape("path", { class: "mb-gap", d: `M50 50 L${tip(from, 24)} A24 24 0 ${shown > Math.PI ? 1 : 0} 1 ${tip(from + shown, 24)} Z` }),
    shape("path", { class: "mb-there", d: `M50 50 L${tip(from + gap, 42)}` }),
    shape("path", { class: "mb-here", d: `M50 50 L${tip(from, 42)}` }));
}

// R(k) times the hand at i is the hand at i + k, as three small tables.
function product(position, distance, pair, dim) {
  const [before, after] = [position, position + distance].map((place) => sinusoidalRow(place, dim).slice(2 * pair, 2 * pair + 2).map((value) => [value]));
  return [heat(rotation(distance, pair, dim), { caption: `R(${distance})`, largest: 1 }), node("span", {}, "×"), heat(before, { caption: `hand at ${position}`, rows: ["sin", "cos"], largest: 1 }),
    node("span", {}, "="), heat(after, { caption: `hand at ${position + distance}`, rows: ["sin", "cos"], largest: 1 })];
}

function described(position, distance, pair, dim) {
  const gaps = Array.from({ length: dim / 2 }, (_, j) => number(distance * frequency(j, dim)));
  return `Position ${position} and position ${position + distance}. Hand ${pair} turns from one to the other by ${gaps[pair]} radians. `
    + `Dot product of the two rows: cos ${gaps.join(" + cos ")} = ${number(likeness(distance, dim) * dim / 2)}.`;
}

function wave(length) {
  return `${length < 100 ? number(length, 1) : Math.round(length).toLocaleString("en")} positions`;
}

export default {
  render({ model, el }) {
    const data = model.get("data");
    const { dim, length, furthest } = data;
    let { position, distance } = data, pair = 0, matrix = false;

    const here = shape("rect", { class: "mb-here", y: 0, width: CELL.width, height: CELL.height * dim, "vector-effect": "non-scaling-stroke" });
    const there = shape("rect", { class: "mb-there", y: 0, width: CELL.width, height: CELL.height * dim, "vector-effect": "non-scaling-stroke" });
    const both = shape("rect", { class: "mb-both", x: 0, width: CELL.width * (length + furthest), height: 2 * CELL.height, "vector-effect": "non-scaling-stroke" });
    const picture = shape("svg", { viewBox: `0 0 ${CELL.width * (length + furthest)} ${CELL.height * dim}`, preserveAspectRatio: "none", "aria-hidden": "true", onpointerdown: point, onpointermove: (event) => event.buttons && point(event) },
      cells(dim, length + furthest), both, there, here);
    const names = Array.from({ length: dim }, (_, column) => node("span", {}, nameOf(column)));
    const clocks = Array.from({ length: dim / 2 }, (_, j) => node("button", { type: "button", onclick: () => change({ pair: j }) }));
    const positions = slider({ label: "Position i", min: 0, max: length - 1, value: position, text: named, oninput: (i) => change({ position: i }) });
    const turned = node("div", { class: "mb-turned" });
    const steps = slider({ label: "Steps k", min: 0, max: furthest, value: distance, oninput: (k) => change({ distance: k }) });
    const table = node("div", { class: "mb-table", tabindex: "0", role: "group", "aria-label": "the sinusoidal table: arrow keys read its cells" },
      node("div", { class: "mb-names", "aria-hidden": "true" }, names), picture);
    const figure = stage(el, model, {
      controls: [positions, steps, toggle({ label: "Show the matrix R(k) that turns the hand", value: matrix, oninput: (on) => change({ matrix: on }) })],
      picture: node("div", {}, table,
        node("p", { class: "mb-axis", "aria-hidden": "true" }, node("span", {}, "position 0"), node("span", {}, "solid: i, dashed: i + k"), node("span", {}, length + furthest - 1)),
        node("div", { class: "mb-clocks" }, clocks), turned),
      numbers,
    });
    tips(table);
    draw();

    function named(i) {
      return data.tokens[i] ? `${i} “${data.tokens[i]}”` : String(i);
    }

    function numbers() {
      const places = [position, position + distance];
      return heat(places.map((place) => sinusoidalRow(place, dim)), { rows: places.map((place) => `position ${place}`), columns: names.map((name) => name.textContent), largest: 1, caption: "The two rows of the table" });
    }

    function change(what) {
      ({ position, distance, pair, matrix } = { position, distance, pair, matrix, ...what });
      draw();
    }

    function point(event) {
      const box = event.currentTarget.getBoundingClientRect();
      const column = Math.floor((event.clientX - box.left) / box.width * (length + furthest));
      positions.set(clamp(column, 0, length - 1));
      change({ position: clamp(column, 0, length - 1) });
    }

    function draw() {
      here.setAttribute("x", position * CELL.width);
      there.setAttribute("x", (position + distance) * CELL.width);
      both.setAttribute("y", 2 * pair * CELL.height);
      names.forEach((name, column) => name.classList.toggle("mb-chosen", column >> 1 === pair));
      clocks.forEach((clock, j) => {
        clock.setAttribute("aria-pressed", String(j === pair));
        clock.replaceChildren(face(position, distance, frequency(j, dim)), node("span", {}, `hand ${j}`), node("small", {}, `one turn: ${wave(2 * Math.PI / frequency(j, dim))}`));
      });
      turned.replaceChildren(...(matrix ? product(position, distance, pair, dim) : []));
      figure.say(described(position, distance, pair, dim));
    }
  },
};
