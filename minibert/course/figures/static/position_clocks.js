// A clock for each pair of columns of the sinusoidal table, at two positions: the angle of some steps is the same in both rows.

// A clock: the hand at a position, the dashed hand further on, and the angle between them. The sine goes to the right, the cosine upwards.
function face(position, distance, turn) {
  const tip = (angle, radius) => `${(50 + radius * Math.sin(angle)).toFixed(2)} ${(50 - radius * Math.cos(angle)).toFixed(2)}`;
  const from = position * turn, gap = distance * turn, shown = gap % (2 * Math.PI);
  return shape("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" },
    shape("circle", { class: "mb-face", cx: 50, cy: 50, r: 47 }),
    shape("path", { class: "mb-gap", d: `M50 50 L${tip(from, 40)} A40 40 0 ${shown > Math.PI ? 1 : 0} 1 ${tip(from + shown, 40)} Z` }),
    shape("path", { class: "mb-there", d: `M50 50 L${tip(from + gap, 44)}` }),
    shape("path", { class: "mb-here", d: `M50 50 L${tip(from, 44)}` }));
}

function degrees(radians) {
  const angle = radians * 180 / Math.PI;
  return `${number(angle, angle < 10 ? 1 : 0)}°`;
}

function stepsOf(distance) {
  return `${distance} ${distance === 1 ? "step" : "steps"}`;
}

function wave(length) {
  return `${length < 100 ? number(length, 1) : Math.round(length).toLocaleString("en")} positions`;
}

export default {
  render({ model, el }) {
    const data = model.get("data"), { dim, length, furthest } = data, [upper] = data.positions;
    let [, lower] = data.positions, { distance } = data;

    const hands = Array.from({ length: dim / 2 }, (_, j) => j);
    const speeds = hands.map((j) => node("p", { class: "mb-hand" }, node("strong", {}, `hand ${j}`), node("small", {}, `one turn: ${wave(2 * Math.PI / frequency(j, dim))}`)));
    const rows = [0, 1].map(() => ({ name: node("p", { class: "mb-from" }), faces: hands.map(() => node("div", { class: "mb-clock" })) }));
    const turns = hands.map(() => node("p", { class: "mb-turn" })), both = node("p", { class: "mb-from mb-both" });
    const clocks = node("div", { class: "mb-clocks", style: `--hands: ${dim / 2}`, tabindex: "0", role: "group", "aria-label": "the clocks: arrow keys read them" },
      node("span", { class: "mb-from" }), speeds, rows[0].name, rows[0].faces, both, turns, rows[1].name, rows[1].faces);
    const key = node("p", { class: "mb-key" });
    const figure = stage(el, model, {
      controls: [slider({ label: "Lower position i", min: 0, max: length - 1, value: lower, text: (i) => `from ${named(i)}`, oninput: (i) => { lower = i; draw(); } }),
        slider({ label: "Steps k", min: 0, max: furthest, value: distance, text: stepsOf, oninput: (k) => { distance = k; draw(); } })],
      picture: node("div", {}, clocks, key), numbers,
    });
    tips(clocks);
    draw();

    function named(i) {
      return data.tokens[i] ? `${i} “${data.tokens[i]}”` : String(i);
    }

    function numbers() {
      const places = [upper, upper + distance, lower, lower + distance];
      return heat(places.map((place) => sinusoidalRow(place, dim)), { rows: places.map((place) => `position ${place}`), columns: hands.flatMap((j) => [`sin ${j}`, `cos ${j}`]), largest: 1, caption: "Four rows of the table" });
    }

    function draw() {
      const steps = stepsOf(distance);
      [upper, lower].forEach((position, r) => {
        rows[r].name.replaceChildren("from ", node("strong", {}, named(position)), " to ", node("strong", {}, named(position + distance)));
        hands.forEach((j) => {
          const turn = frequency(j, dim);
          rows[r].faces[j].replaceChildren(face(position, distance, turn));
          rows[r].faces[j].dataset.tip = `hand ${j} from position ${position} to ${position + distance}: ${number(distance * turn, 3)} radians, ${degrees(distance * turn)}`;
        });
      });
      both.textContent = `${steps} ${distance === 1 ? "turns" : "turn"} both by`;
      hands.forEach((j) => { turns[j].textContent = degrees(distance * frequency(j, dim)); });
      key.textContent = `solid: where the hand starts; dashed: ${steps} further on; shaded: the turn`;
      figure.say(`From position ${upper} to ${upper + distance} as from ${lower} to ${lower + distance}, ${steps} ${distance === 1 ? "turns" : "turn"} ${hands.map((j) => `hand ${j} by ${degrees(distance * frequency(j, dim))}`).join(", ")}.`);
    }
  },
};
