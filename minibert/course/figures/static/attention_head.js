// One head of the first layer, from scores to weights and on to the mixture, for words, a scale and a mask of the reader's choice.

const STEPS = [["scores", "query · key"], ["scaled", "divided by the scale"], ["masked", "−∞ where nothing may be seen"], ["weights", "softmax"]];

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
    const state = { choice: chosen(0), head: 0, scale: "root", query: asks, causal: false, seen: places.map(([word]) => word !== "[PAD]") };
    const masks = {
      none: { causal: false, seen: places.map(() => true) }, padding: { causal: false, seen: [...state.seen] }, causal: { causal: true, seen: [...state.seen] },
    };

    // ---- what the reader turns

    const sentence = pick({ label: "Sentence", options: [...texts.map((_, i) => [i, textOf(chosen(i))]), [-1, "your own"]], value: 0,
      oninput: (i) => { if (i >= 0) state.choice = chosen(i); draw(); } });
    const scale = pick({ label: "Scale", options: scales.map(([value, text]) => [value, text]), value: "root", oninput: (value) => { state.scale = value; draw(); } });
    const mask = pick({ label: "Hidden", value: "padding", options: [["none", "nothing"], ["padding", "padding"], ["causal", "padding and what comes later"], ["own", "your choice"]],
      oninput: (kind) => { if (masks[kind]) { state.causal = masks[kind].causal; state.seen = [...masks[kind].seen]; } draw(); } });

    // ---- the picture: the words, the heads as small maps, and the rows of the token that asks

    const menus = places.map((words, i) => (words.length > 1
      ? node("select", { "aria-label": `word ${i}`, onchange: (event) => { state.choice[i] = event.target.selectedIndex; draw(); } }, words.map((word) => node("option", {}, word)))
      : node("span", {}, words[0])));
    const group = `mb-head-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`;
    const maps = heads.map((name, i) => {
      const cells = places.map((_, row) => places.map((__, column) => shape("rect", { x: 10 * column, y: 10 * row, width: 9.5, height: 9.5 })));
      const input = node("input", { type: "radio", name: group, class: "mb-hidden", checked: i === 0, onchange: () => { state.head = i; draw(); } });
      return { cells, input, box: node("label", {}, input, shape("svg", { viewBox: `0 0 ${10 * places.length} ${10 * places.length}`, "aria-hidden": "true" }, cells), node("span", {}, name)) };
    });
    const rows = places.map((_, i) => {
      const box = node("input", { type: "checkbox", onchange: () => { state.seen[i] = box.checked; draw(); } });
      const cells = STEPS.map(() => node("td", {}, node("span", { class: "bar" }), node("span", { class: "said" })));
      const asker = node("button", { type: "button", onclick: () => { state.query = i; draw(); } });
      const strip = node("td", { class: "strip" });
      return { box, cells, asker, strip, row: node("tr", {}, node("th", { scope: "row" }, asker), node("td", { class: "seen" }, box), cells, strip) };
    });
    const mixture = node("td", { class: "strip whole", colspan: 5 });
    const steps = node("table", { class: "steps" },
      node("thead", {}, node("tr", {}, ["asks", "seen"].map((text) => node("th", { scope: "col" }, text)), STEPS.map(([name, how]) => node("th", { scope: "col", title: how }, name)), node("th", { scope: "col", class: "strip" }, "weight · value"))),
      node("tbody", {}, rows.map(({ row }) => row), node("tr", { class: "sum" }, node("th", { scope: "row", colspan: 2 }, "the sum"), mixture)));
    const picture = node("div", {}, node("div", { class: "words", role: "group", "aria-label": "the words" }, menus),
      node("div", { class: "both" }, node("fieldset", { class: "heads" }, node("legend", { class: "mb-hidden" }, "the head"), maps.map(({ box }) => box)), steps));
    const figure = stage(el, model, { controls: [sentence, scale, mask], picture, numbers });
    tips(picture);
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

    // What every query of a head finds, with the words, scale and mask of the moment.
    function foundBy(head) {
      const [queries, keys, values] = [0, 1, 2].map((part) => state.choice.map((word, i) => table[first[i] + word][head][part]));
      const by = scales.find(([value]) => value === state.scale)[2];
      return queries.map((query, i) => ({ ...attendOne(query, keys, values, visibleTo(i, state.seen, state.causal), by), values }));
    }

    function draw() {
      const tokens = tokensOf(state.choice), names = namesOf(tokens), all = foundBy(state.head);
      showControls(tokens);
      maps.forEach(({ cells }, head) => foundBy(head).forEach(({ weights }, i) => weights.forEach((weight, j) => { cells[i][j].style.fillOpacity = number(weight); })));
      showSteps(names, all[state.query]);
      figure.say(inWords(names, all[state.query]));
    }

    function showControls(tokens) {
      menus.forEach((menu, i) => { if (menu.options) menu.selectedIndex = state.choice[i]; });
      const same = texts.findIndex((_, i) => textOf(chosen(i)) === textOf(state.choice));
      settle(sentence.querySelector("select"), same, texts.length);
      settle(mask.querySelector("select"), Object.values(masks).findIndex(({ causal, seen }) => causal === state.causal && seen.every((each, key) => each === state.seen[key])), 3);
      rows.forEach(({ box }, i) => {
        box.checked = visibleTo(state.query, state.seen, state.causal)[i];
        box.disabled = state.causal && i > state.query;
        box.setAttribute("aria-label", `${tokens[i]}, place ${i}, may be looked at`);
      });
    }

    // A menu's last option stands for what the reader has made elsewhere in the figure, and cannot be chosen itself.
    function settle(menu, found, own) {
      menu.selectedIndex = found < 0 ? own : found;
      menu.options[own].disabled = found >= 0;
    }

    function showSteps(names, found) {
      const columns = [found.scores, found.scaled, found.masked, found.weights];
      const most = Math.max(1e-12, ...found.scores.map(Math.abs)), parts = found.values.map((value, i) => value.map((each) => each * found.weights[i]));
      const largest = Math.max(1e-12, ...parts.flat().map(Math.abs));
      rows.forEach(({ row, cells, asker, strip }, i) => {
        row.className = `${found.masked[i] === -Infinity ? "off" : ""} ${i === state.query ? "asking" : ""}`;
        asker.textContent = names[i];
        asker.setAttribute("aria-pressed", i === state.query);
        cells.forEach((cell, step) => {
          const value = columns[step][i], share = Number.isFinite(value) ? value / (step === 3 ? 1 : most) : 0;      // scores keep their unit, so that a scale is seen to shrink them
          cell.dataset.tip = `${STEPS[step][0]}, ${STEPS[step][1]}: ${number(value)}`;
          const [bar, said] = cell.children;
          bar.className = `bar ${step === 3 ? "weight" : value < 0 ? "mb-minus" : "mb-plus"}`;
          bar.style.width = `${(step === 3 ? 100 : 50) * Math.abs(clamp(share, -1, 1))}%`;
          said.textContent = step === 3 ? (value >= 0.05 ? number(value) : "") : Number.isFinite(value) ? "" : "−∞";
        });
        strip.replaceChildren(stripOf(parts[i], largest));
      });
      mixture.replaceChildren(stripOf(found.mixture, largest));
    }

    // The numbers of a vector as a row of coloured cells.
    function stripOf(vector, largest) {
      const wide = 128 / vector.length;
      return shape("svg", { viewBox: "0 0 128 14", preserveAspectRatio: "none", "aria-hidden": "true" }, vector.map((value, d) => shape("rect", {
        x: d * wide, y: 0, width: wide, height: 14, style: `fill: var(--${value < 0 ? "minus" : "plus"}); fill-opacity: ${number(clamp(Math.abs(value) / largest, 0, 1))}` })));
    }

    function numbers() {
      const names = namesOf(tokensOf(state.choice)), all = foundBy(state.head), found = all[state.query];
      const rest = heat(all.map(({ weights }) => weights), { rows: names, columns: names, largest: 1, of: "head", corner: "looks at →", caption: `${heads[state.head]}: the weights of all queries` });
      rest.querySelectorAll("tbody tr")[state.query].className = "asking";
      return node("div", {}, node("table", { class: "followed" }, node("caption", {}, `What “${names[state.query]}” finds`),
        node("thead", {}, node("tr", {}, ["token", ...STEPS.map(([name]) => name)].map((text) => node("th", { scope: "col" }, text)))),
        node("tbody", {}, names.map((name, i) => node("tr", {}, node("th", { scope: "row" }, name), [found.scores, found.scaled, found.masked, found.weights].map((column) => node("td", {}, number(column[i]))))))), rest);
    }

    function inWords(names, found) {
      const nothing = found.masked.every((score) => score === -Infinity) ? " Nothing may be looked at, and the package then gives every value the same weight." : "";
      return `In ${heads[state.head]}, “${names[state.query]}” looks at ${mostOf(found.weights, names)}.${nothing}`;
    }
  },
};
