// Relative errors of wrong models by depth, on a logarithmic axis, and a tolerance that the reader moves.

const PLOT = { height: 310, left: 44, right: 104, top: 26, bottom: 34 };

function power(exponent) {
  return exponent === 0 ? "1" : `1e${exponent}`;
}

function listed(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0];
}

// Heights, as near to the wanted ones as can be, that leave room for a line of text each.
function apart(wanted, room) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]), at = [...wanted];
  order.forEach((i, n) => { if (n) at[i] = Math.max(at[i], at[order[n - 1]] + room); });
  return at;
}

export default {
  render({ model, el }) {
    const { names, errors, rounding, begins, range: [low, high], exponent: first } = model.get("data");
    const width = clamp(el.clientWidth, 300, 832), last = rounding.length - 1;
    const x = (state) => PLOT.left + 8 + state / last * (width - PLOT.left - PLOT.right - 16);
    const y = (exponent) => PLOT.top + (high + 0.5 - exponent) / (high + 0.5 - low) * (PLOT.height - PLOT.top - PLOT.bottom);
    const height = (error) => y(clamp(Math.log10(error), low, high + 0.5));
    let exponent = first;

    const lines = [...names, "rounding"].map((name, i) => {
      const row = errors[i] || rounding, kind = i < names.length ? `mb-fault mb-line-${i % 5}` : "mb-rounding";
      const drawn = row.map((error, state) => [state, error]).filter(([, error]) => error >= 10 ** low);
      return { name, row, kind, label: height(row[last]), ring: shape("circle", { class: `mb-ring ${kind}`, r: 8 }),
        marks: [shape("polyline", { class: `mb-curve ${kind}`, points: drawn.map(([state, error]) => `${x(state).toFixed(1)},${height(error).toFixed(1)}`).join(" ") }),
          drawn.map(([state, error]) => shape("circle", { class: `mb-dot ${kind}`, cx: x(state), cy: height(error), r: 4, "data-tip": `${name}, h${state}: ${error.toPrecision(2)}` }))] };
    });
    const labels = apart(lines.map(({ label }) => label), 15);
    const level = shape("line", { class: "mb-level", x1: PLOT.left, x2: width - PLOT.right });
    const plot = shape("svg", { viewBox: `0 0 ${width} ${PLOT.height}`, "aria-hidden": "true" },
      Array.from({ length: high - low + 1 }, (_, k) => [shape("line", { class: "mb-grid", x1: PLOT.left, x2: width - PLOT.right, y1: y(low + k), y2: y(low + k) }),
        shape("text", { x: PLOT.left - 6, y: y(low + k) + 4, "text-anchor": "end" }, power(low + k))]),
      rounding.map((_, state) => shape("text", { x: x(state), y: PLOT.height - 14, "text-anchor": "middle" }, `h${state}`)),
      shape("text", { x: 2, y: 14 }, "relative error of the hidden states"),
      level, lines.map(({ marks, ring }) => [marks, ring]),
      lines.map(({ name, kind }, i) => shape("text", { class: `mb-name ${kind}`, x: width - PLOT.right + 6, y: labels[i] + 5 }, name)));
    const area = node("div", { class: "mb-plot", tabindex: "0", role: "group", "aria-label": "the curves: arrow keys read their values" }, plot);
    const figure = stage(el, model, { picture: area, numbers, controls: [slider({ label: "Tolerance", min: low, max: high, value: exponent, text: power, oninput: (to) => { exponent = to; draw(); } })] });
    tips(area);
    draw();

    function numbers() {
      return node("table", {}, node("thead", {}, node("tr", {}, ["mistake", ...rounding.map((_, state) => `h${state}`)].map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, lines.map(({ name, row }) => node("tr", {}, node("th", { scope: "row" }, name), row.map((error) => node("td", {}, error ? error.toPrecision(2) : "0"))))));
    }

    function sentence(found) {
      const of = (wanted) => names.filter((_, i) => wanted(found[i], begins[i]));
      const missed = of((at) => at < 0), late = of((at, begin) => at > begin), early = of((at, begin) => at >= 0 && at < begin);
      const said = [
        missed.length && `${listed(missed)} ${missed.length > 1 ? "are" : "is"} not found`,
        late.length && listed(late.map((name) => `${name} is found at h${found[names.indexOf(name)]} although the error is there from h${begins[names.indexOf(name)]} on`)),
        (found[names.length] >= 0 || early.length) && "rounding is taken for a mistake",
      ].filter(Boolean);
      return `Tolerance ${power(exponent)}: ${said.length ? said.join("; ") : "rounding passes, and every mistake is found at the first hidden state that has it"}.`;
    }

    function draw() {
      const found = lines.map(({ row }) => row.findIndex((error) => error > 10 ** exponent));
      level.style.transform = `translateY(${y(exponent)}px)`;
      lines.forEach(({ row, ring }, i) => {
        ring.style.display = found[i] < 0 ? "none" : "";
        if (found[i] < 0) return;
        ring.setAttribute("cx", x(found[i]));
        ring.setAttribute("cy", height(row[found[i]]));
      });
      figure.say(sentence(found));
    }
  },
};
