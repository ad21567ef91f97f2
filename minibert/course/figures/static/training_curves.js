// Runs of a log laid over each other: the curves of three seeds each, and a cursor that reads the values out.

const QUANTITIES = [["mlm_loss", "loss of the masked words"], ["nsp_loss", "loss of the pairs"], ["mlm_accuracy", "masked words guessed"], ["nsp_accuracy", "pairs guessed"]];
const PRINTED = { mlm_loss: "printed_word_loss", nsp_loss: "printed_pair_loss" };
const SIZE = { height: 330, left: 34, right: 12, top: 12, bottom: 34 };
// Told apart by colour, by stroke and by the mark at each logged point.
const LOOKS = [["series-1", "circle"], ["series-2", "square"], ["series-3", "up"], ["series-4", "down"], ["series-1", "up"], ["series-2", "circle"], ["series-4", "square"], ["series-3", "circle"]];
const FRESH = ["too slow", "too fast", "repeated lines"];

// What a run's seeds had logged of a quantity at the last point up to `step`: null before their first point.
function readOut(run, quantity, step) {
  const at = run.steps.filter((each) => each <= step).length - 1;
  if (at < 0 || !run.curves[quantity]) return null;
  const values = run.curves[quantity].map((curve) => curve[at]);
  return { step: run.steps[at], mean: values.reduce((sum, value) => sum + value, 0) / values.length, low: Math.min(...values), high: Math.max(...values) };
}

// Every step at which one of the runs has logged something.
function stepsOf(runs) {
  return [...new Set(runs.flatMap((run) => run.steps))].sort((a, b) => a - b);
}

function ticks(largest) {
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500].find((each) => largest / each <= 6) || 1000;
  return Array.from({ length: Math.floor(largest / step + 1e-9) + 1 }, (_, i) => i * step);
}

// ---- what is drawn

function mark(kind, x, y, attributes) {
  if (kind === "circle") return shape("circle", { cx: x, cy: y, r: 3.2, ...attributes });
  if (kind === "square") return shape("rect", { x: x - 2.9, y: y - 2.9, width: 5.8, height: 5.8, ...attributes });
  const tip = kind === "up" ? -3.8 : 3.8;
  return shape("path", { d: `M ${x} ${y + tip} l 3.8 ${-1.7 * tip} h -7.6 Z`, ...attributes });
}

function lineKey(look, printed) {
  return shape("svg", { viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true", class: "mb-key" },
    shape("line", { x1: 0, x2: 34, y1: 6, y2: 6, stroke: `var(--${look.color})`, "stroke-width": 2, "stroke-dasharray": printed ? "2 3" : look.healthy ? "7 4" : false }),
    look.mark && mark(look.mark, 17, 6, { fill: `var(--${look.color})` }));
}

export default {
  render({ model, el }) {
    const { names, runs, healthy, lines } = model.get("data");       // a stored notebook sorts the keys of an object
    const sick = names.filter((name) => runs[name].neighbour);
    const looks = Object.fromEntries(names.map((name) => [name, { color: "control", healthy: true }]));
    sick.forEach((name, i) => { looks[name] = { color: LOOKS[i % LOOKS.length][0], mark: LOOKS[i % LOOKS.length][1] }; });
    const chosen = new Set(FRESH.filter((name) => sick.includes(name)));
    if (!chosen.size) chosen.add(sick[0]);
    const width = clamp(el.clientWidth, 340, 640);      // drawn as wide as it is shown, so that a phone can read it
    let quantity = "mlm_loss", printed = false, longer = false;
    let wish = Infinity, cursor;        // a cursor at the end stays at the end when longer runs come in

    const plot = shape("svg", { viewBox: `0 0 ${width} ${SIZE.height}`, role: "img", "aria-label": model.get("alt"), class: "mb-plot", onpointerdown: point, onpointermove: (event) => event.buttons && point(event) });
    const table = node("div", { class: "mb-scroll", tabindex: "0", role: "region", "aria-label": "values at the cursor" });
    const place = slider({ label: "Step", min: 0, max: 1, value: 1, text: (i) => String(steps()[i]), oninput: (i) => { moveTo(steps()[i]); } });
    const boxes = node("fieldset", { class: "mb-control mb-radios" }, node("legend", {}, "Broken runs:"),
      sick.map((name) => node("label", {}, node("input", { type: "checkbox", checked: chosen.has(name), onchange: (event) => { chosen[event.target.checked ? "add" : "delete"](name); update(); } }), lineKey(looks[name]), node("span", {}, name))));

    const figure = frame(el, model,
      controls(pick({ label: "Show the", options: QUANTITIES, value: quantity, oninput: (value) => { quantity = value; update(); } }),
        toggle({ label: "and what the program prints", oninput: (value) => { printed = value; update(); } }),
        toggle({ label: `and a longer healthy run (${runs[healthy.longer].steps.at(-1)} steps)`, oninput: (value) => { longer = value; update(); } })),
      controls(boxes), plot, controls(place), table);
    update();

    // The healthy neighbour of each run that is shown comes along.
    function shown() {
      const wanted = new Set([healthy.usual, ...[...chosen].map((name) => runs[name].neighbour), ...(longer ? [healthy.longer] : []), ...chosen]);
      if (chosen.size && [...chosen].every((name) => runs[name].neighbour !== healthy.usual)) wanted.delete(healthy.usual);
      return names.filter((name) => wanted.has(name));
    }

    function steps() {
      return stepsOf(shown().map((name) => runs[name]));
    }

    // What a run shows of the quantity: on held-out rows, and as its own program prints it where it does.
    function curvesOf(name) {
      const own = PRINTED[quantity];
      return [[quantity, false], ...(printed && runs[name].curves[own] ? [[own, true]] : [])];
    }

    function point(event) {
      const box = plot.getBoundingClientRect(), all = steps();
      const x = (event.clientX - box.left) / box.width * width;
      const step = (x - SIZE.left) / (width - SIZE.left - SIZE.right) * all.at(-1);
      moveTo(all.reduce((best, each) => (Math.abs(each - step) < Math.abs(best - step) ? each : best)));
    }

    function moveTo(step) {
      wish = step === steps().at(-1) ? Infinity : step;
      update();
    }

    function update() {
      const all = steps();
      cursor = all.filter((step) => step <= wish).at(-1) ?? all[0];
      place.querySelector("input").max = all.length - 1;
      place.set(all.indexOf(cursor));
      draw(all.at(-1));
      table.replaceChildren(readings());
      figure.say(spoken());
    }

    function draw(lastStep) {
      const values = shown().flatMap((name) => curvesOf(name).flatMap(([key]) => runs[name].curves[key].flat()));
      const top = quantity.endsWith("accuracy") ? 1 : 1.05 * Math.max(...values, ...lines[quantity].map(([, height]) => height));
      const x = (step) => SIZE.left + step / lastStep * (width - SIZE.left - SIZE.right);
      const y = (value) => SIZE.height - SIZE.bottom - value / top * (SIZE.height - SIZE.top - SIZE.bottom);
      plot.replaceChildren(...axes(x, y, top, lastStep), ...shown().flatMap((name) => curvesOf(name).flatMap(([key, own]) => seeds(name, key, own, x, y))),
        ...lines[quantity].flatMap(([text, height]) => [
          shape("line", { x1: x(0), x2: x(lastStep), y1: y(height), y2: y(height), class: "mb-level" }),
          shape("text", { x: x(lastStep) - 4, y: y(height) + (height > top / 2 ? 15 : -5), "text-anchor": "end", class: "mb-level-name" }, `${text}: ${number(height)}`)]),
        shape("line", { x1: x(cursor), x2: x(cursor), y1: SIZE.top, y2: y(0), class: "mb-cursor" }));
    }

    function axes(x, y, top, lastStep) {
      return [...ticks(top).flatMap((value) => [shape("line", { x1: x(0), x2: x(lastStep), y1: y(value), y2: y(value), class: "mb-grid" }),
        shape("text", { x: SIZE.left - 6, y: y(value) + 4, "text-anchor": "end", class: "mb-tick" }, number(value, top <= 2 ? 1 : 0))]),
      ...ticks(lastStep).map((step) => shape("text", { x: x(step), y: SIZE.height - SIZE.bottom + 16, "text-anchor": "middle", class: "mb-tick" }, step)),
      shape("text", { x: x(lastStep), y: SIZE.height - 3, "text-anchor": "end", class: "mb-tick" }, `step; ${quantity.endsWith("loss") ? "nats" : "share"} upwards`)];
    }

    function seeds(name, key, own, x, y) {
      const look = looks[name], color = `var(--${look.color})`;
      return runs[name].curves[key].flatMap((curve) => {
        const points = curve.map((value, i) => [x(runs[name].steps[i]), y(value)]);
        return [shape("polyline", { points: points.map((pair) => pair.join(",")).join(" "), fill: "none", stroke: color, "stroke-width": 1.5, "stroke-dasharray": own ? "2 3" : look.healthy ? "7 4" : false }),
          !own && look.mark && points.filter((_, i) => i % 3 === 2).map(([px, py]) => mark(look.mark, px, py, { fill: color }))].flat();
      });
    }

    function readings() {
      const both = printed && quantity.endsWith("loss");
      const words = (read) => (read ? [number(read.mean), `${number(read.low)} to ${number(read.high)}`] : ["–", "–"]);
      return node("table", {}, node("caption", {}, `At step ${cursor}: means of the seeds`),
        node("thead", {}, node("tr", {}, node("th", { scope: "col" }, "run"), ["held out", "seeds", ...(both ? ["printed", "seeds"] : [])].map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, shown().map((name) => {
          const read = readOut(runs[name], quantity, cursor);
          return node("tr", {}, node("th", { scope: "row" }, lineKey(looks[name]), name, read && read.step < cursor && node("span", { class: "mb-stale" }, ` (step ${read.step})`)),
            [...words(read), ...(both ? words(readOut(runs[name], PRINTED[quantity], cursor)) : [])].map((text) => node("td", {}, text)));
        })));
    }

    function spoken() {
      const parts = shown().map((name) => {
        const read = readOut(runs[name], quantity, cursor), own = printed && readOut(runs[name], PRINTED[quantity], cursor);
        return `${name} ${read ? number(read.mean) : "nothing yet"}${own ? `, printed ${number(own.mean)}` : ""}`;
      });
      return `Step ${cursor}, ${QUANTITIES.find(([value]) => value === quantity)[1]}: ${parts.join("; ")}; ${lines[quantity].map(([text, height]) => `${text} ${number(height)}`).join(", ")}.`;
    }
  },
};
