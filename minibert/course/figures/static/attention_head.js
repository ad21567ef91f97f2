// One head of the first layer, from scores to weights and on to the mixture, for words, a scale and a mask of the reader's choice.

const STEPS = ["query · key", "divided by the scale", "masked", "softmax: the weights", "weights · values: the mixture"];

// Equation 1 of Vaswani et al. 2017 for one query, step by step. `visible[i]`: key i may be looked at.
// A query that may look at nothing gets equal weights on everything, as in minibert.attention.attend.
function attendOne(query, keys, values, visible, scale) {
  const scores = keys.map((key) => dot(query, key));
  const scaled = scores.map((score) => score / scale);
  const masked = scaled.map((score, i) => (visible[i] ? score : -Infinity));
  const weights = softmax(visible.some(Boolean) ? masked : masked.map(() => 0));
  const mixture = query.map((_, d) => weights.reduce((sum, weight, i) => sum + weight * values[i][d], 0));
  return { scores, scaled, masked, weights, mixture };
}

// Which keys a query may look at: those that are seen and, under a causal mask, do not come later.
function visibleTo(query, seen, causal) {
  return seen.map((each, key) => each && (!causal || key <= query));
}

export default {
  render({ model, el }) {
    const { places, texts, heads, asks, padding, vectors } = model.get("data");
    const table = unpack(vectors);                                      // [words][heads][query, key, value][D]
    const first = places.map((_, i) => places.slice(0, i).flat().length);   // of each place's words in the table
    const size = vectors.shape[3];
    const scales = [["root", `√D = ${number(Math.sqrt(size))}`, Math.sqrt(size)], ["one", "1", 1], ["size", `D = ${size}`, size], ["length", `√T = ${number(Math.sqrt(places.length))}, the wrong root`, Math.sqrt(places.length)]];
    const state = { choice: chosen(0), head: 0, scale: "root", query: asks, step: 3, causal: false, seen: places.map(([word]) => word !== "[PAD]") };
    const masks = {
      none: { causal: false, seen: places.map(() => true) }, padding: { causal: false, seen: [...state.seen] }, causal: { causal: true, seen: [...state.seen] },
    };

    // ---- what the reader turns

    const menus = places.map((words, i) => (words.length > 1
      ? node("select", { "aria-label": `word ${i}`, onchange: (event) => { state.choice[i] = event.target.selectedIndex; draw(); } }, words.map((word) => node("option", {}, word)))
      : node("span", {}, words[0])));
    const sentence = pick({ label: "Sentence", options: [...texts.map((_, i) => [i, textOf(chosen(i))]), [-1, "your own"]], value: 0,
      oninput: (i) => { if (i >= 0) state.choice = chosen(i); draw(); } });
    const mask = radios({ label: "Hidden", value: "padding", oninput: (kind) => { state.causal = masks[kind].causal; state.seen = [...masks[kind].seen]; draw(); },
      options: [["none", "nothing"], ["padding", "padding"], ["causal", "padding and what comes later"]] });

    // ---- the table of the query that is followed: made once, so that the focus stays where it is

    const rows = places.map((_, i) => {
      const box = node("input", { type: "checkbox", onchange: () => { state.seen[i] = box.checked; draw(); } });
      const cells = STEPS.slice(0, 4).map(() => node("td", {}));
      const asker = node("button", { type: "button", onclick: () => { state.query = i; draw(); } });
      const strip = node("td", { class: "strip" });
      return { box, cells, asker, strip, row: node("tr", {}, node("th", { scope: "row" }, asker), node("td", {}, box), cells, strip) };
    });
    const mixture = node("td", { class: "strip" });
    const sum = node("tr", { class: "sum" }, node("th", { scope: "row", colspan: 5 }, "the mixture: the sum of the rows"), node("td", {}), mixture);
    const stripHead = node("th", { scope: "col", class: "strip" });
    const caption = node("caption", {});
    const steps = node("table", { class: "steps" }, caption,
      node("thead", {}, node("tr", {}, ["token", "seen", "q·k", "÷ scale", "masked", "weight"].map((text) => node("th", { scope: "col" }, text)), stripHead)),
      node("tbody", {}, rows.map(({ row }) => row), sum));
    const sums = node("p", { class: "sums" });
    const everyone = node("div", { class: "mb-scroll", tabindex: "0", role: "region", "aria-label": "all queries", onclick: (event) => {
      const row = event.target.closest("tbody tr");
      if (row) { state.query = row.rowIndex - 1; draw(); }
    } });

    const figure = frame(el, model,
      controls(sentence, pick({ label: "Head", options: heads.map((name, i) => [i, name]), value: 0, oninput: (i) => { state.head = i; draw(); } })),
      node("div", { class: "words", role: "group", "aria-label": "the words" }, menus),
      controls(radios({ label: "Scale", options: scales.map(([value, text]) => [value, text]), value: state.scale, oninput: (value) => { state.scale = value; draw(); } }), mask),
      controls(slider({ label: "Step", min: 1, max: STEPS.length, value: state.step + 1, text: (i) => `${i}. ${STEPS[i - 1]}`, oninput: (i) => { state.step = i - 1; draw(); } })),
      node("div", { class: "mb-scroll", tabindex: "0", role: "region", "aria-label": "the query that is followed" }, steps), sums, everyone);
    draw();

    function chosen(text) {
      return [0, ...texts[text], 0, ...Array(padding).fill(0)];
    }
    function tokensOf(choice) {
      return places.map((words, i) => words[choice[i]]);
    }
    function textOf(choice) {
      return tokensOf(choice).slice(1, -1 - padding).join(" ");
    }

    function draw() {
      const tokens = tokensOf(state.choice), names = namesOf(tokens);
      const [queries, keys, values] = [0, 1, 2].map((part) => state.choice.map((word, i) => table[first[i] + word][state.head][part]));
      const scale = scales.find(([value]) => value === state.scale)[2];
      const all = queries.map((query, i) => attendOne(query, keys, values, visibleTo(i, state.seen, state.causal), scale));
      showControls(tokens);
      showSteps(names, all[state.query], queries[state.query], keys, values);
      showSum(names, all[state.query], scale);
      showAll(names, all);
      figure.say(inWords(names, all[state.query]));
    }

    function showControls(tokens) {
      menus.forEach((menu, i) => { if (menu.options) menu.selectedIndex = state.choice[i]; });
      const same = texts.findIndex((_, i) => textOf(chosen(i)) === textOf(state.choice));
      const menu = sentence.querySelector("select");
      menu.selectedIndex = same < 0 ? texts.length : same;
      menu.options[texts.length].disabled = same >= 0;        // one's own begins with another word, not here
      mask.querySelectorAll("input").forEach((input, i) => {
        const { causal, seen } = Object.values(masks)[i];
        input.checked = causal === state.causal && seen.every((each, key) => each === state.seen[key]);     // none, once the reader has made a mask
      });
      rows.forEach(({ box }, i) => {
        box.checked = visibleTo(state.query, state.seen, state.causal)[i];
        box.disabled = state.causal && i > state.query;
        box.setAttribute("aria-label", `${tokens[i]}, place ${i}, may be looked at`);
      });
    }

    function showSteps(names, found, query, keys, values) {
      const columns = [found.scores, found.scaled, found.masked, found.weights];
      const parts = keys.map((key, i) => (state.step < 3 ? key.map((value, d) => value * query[d]) : values[i].map((value) => value * found.weights[i])));
      const largest = Math.max(1e-12, ...parts.flat().map(Math.abs));
      caption.textContent = `What “${names[state.query]}” finds`;
      stripHead.textContent = state.step < 3 ? `${size} products` : "weight · value";
      rows.forEach(({ row, cells, asker, strip }, i) => {
        row.className = `${found.masked[i] === -Infinity && state.step > 1 ? "off" : ""} ${i === state.query ? "asking" : ""}`;
        asker.textContent = names[i];
        asker.setAttribute("aria-pressed", i === state.query);
        cells.forEach((cell, step) => {
          cell.textContent = step > state.step ? "" : number(columns[step][i], step === 0 ? 1 : 2);
          cell.className = step === state.step ? "now" : "";
        });
        cells[3].style.setProperty("--share", state.step < 3 ? "0%" : `${100 * found.weights[i]}%`);
        strip.replaceChildren(stripOf(parts[i], largest));
      });
      sum.style.visibility = state.step < 4 ? "hidden" : "";      // its place is kept, so that what follows stays where it is
      mixture.replaceChildren(stripOf(found.mixture, largest));
    }

    // The numbers of a vector as a row of coloured cells.
    function stripOf(vector, largest) {
      const wide = 128 / vector.length;
      return shape("svg", { viewBox: "0 0 128 14", width: 128, height: 14, "aria-hidden": "true" }, vector.map((value, d) => shape("rect", {
        x: d * wide, y: 0, width: wide, height: 14, style: `fill: var(--${value < 0 ? "minus" : "plus"}); fill-opacity: ${number(clamp(Math.abs(value) / largest, 0, 1))}` })));
    }

    // The step as a sum with the numbers of the key that gets most.
    function showSum(names, found, scale) {
      const most = found.weights.indexOf(Math.max(...found.weights));
      const [asker, key, score] = [`“${names[state.query]}”`, `“${names[most]}”`, number(found.scores[most], 1)];
      const powers = found.masked.map(Math.exp).reduce((total, power) => total + power, 0);
      const power = `e^${number(found.masked[most])}`;
      sums.textContent = [
        `The query of ${asker} times the key of ${key}, number by number, summed: ${score}.`,
        `For ${key}: ${score} / ${number(scale)} = ${number(found.scaled[most])}.`,
        "What may not be looked at gets −∞, whatever its score was.",
        Number.isFinite(found.masked[most]) ? `For ${key}: ${power} ≈ ${large(Math.exp(found.masked[most]))}, and all rows together make ${large(powers)}: a share of ${number(found.weights[most])}.`
          : "Nothing may be looked at. The package then gives every value the same weight.",
        `${number(found.weights[most])} times what ${key} has to say, and so on down the rows: the sum is what ${asker} takes along.`,
      ][state.step];
    }

    function large(value) {
      return value < 1e5 ? number(value) : value.toExponential(1).replace("e+", " · 10^");
    }

    function showAll(names, all) {
      const step = Math.min(state.step, 3);
      const matrix = all.map((found) => [found.scores, found.scaled, found.masked, found.weights][step]);
      const largest = Math.max(...matrix.flat().filter(Number.isFinite).map(Math.abs));
      const drawn = heat(matrix, { rows: names, columns: names, digits: step === 3 ? 2 : 1, corner: "looks at →", largest: step === 3 ? 1 : largest, of: step === 3 && "head", caption: state.step > step ? "All queries: the weights of their mixtures" : `All queries at this step: ${STEPS[step]}` });
      drawn.querySelectorAll("td").forEach((cell) => { if (cell.textContent === "−∞") cell.className = "off"; });
      drawn.querySelectorAll("tbody tr")[state.query].className = "asking";
      everyone.replaceChildren(drawn);
    }

    function inWords(names, found) {
      return `In ${heads[state.head]}: “${names[state.query]}” looks at ${mostOf(found.weights, names)}.`;
    }
  },
};
