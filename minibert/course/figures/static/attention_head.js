// One head of the first layer, from scores to weights and on to the mixture, for a text that ends in a word of the reader's choice.

const STEPS = [["scores", "query · key"], ["scaled", "divided by √D"], ["masked", "−∞ at the padding"], ["weights", "softmax"]];

// Equation 1 of Vaswani et al. 2017 for one query, step by step. `visible[i]`: key i may be looked at; at least one may.
function attendOne(query, keys, values, visible, scale) {
  const scores = keys.map((key) => dot(query, key));
  const scaled = scores.map((score) => score / scale);
  const masked = scaled.map((score, i) => (visible[i] ? score : -Infinity));
  const weights = softmax(masked);
  const mixture = query.map((_, d) => weights.reduce((sum, weight, i) => sum + weight * values[i][d], 0));
  return { scores, scaled, masked, weights, mixture };
}

export default {
  render({ model, el }) {
    const { places, heads, asks, vectors } = model.get("data");
    const table = unpack(vectors);                                      // [words][heads][query, key, value][D]
    const first = places.map((_, i) => places.slice(0, i).flat().length);   // of each place's words in the table
    const root = Math.sqrt(vectors.shape[3]);
    const at = places.findIndex((words) => words.length > 1), last = places[at];      // the last word and its choices
    const state = { word: 0, head: 0, query: asks, scaled: true, hidden: true };

    // ---- the picture: the text with each last word and what that word gets; below, folded, the steps that lead there

    const group = `mb-head-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`;
    const asked = node("legend", {});
    const words = last.map((name, i) => {
      const share = node("b", {}), bar = node("i", {}), tokens = places.map((each, place) => (/^\[.+\]$/.test(each[0]) ? null : node("span", {}, place === at ? name : each[0])));
      const input = node("input", { type: "radio", name: group, checked: i === 0, onchange: () => { state.word = i; draw(); } });
      return { share, bar, tokens, box: node("label", {}, input, node("span", { class: "text" }, tokens.filter(Boolean).flatMap((token) => [token, " "])), node("span", { class: "attention" }, bar), share) };
    });
    const rows = places.map((_, i) => {
      const cells = STEPS.map(() => node("td", {}, node("span", { class: "bar" }), node("span", { class: "said" })));
      const asker = node("button", { type: "button", onclick: () => { state.query = i; draw(); } });
      const strip = node("td", { class: "strip" });
      return { cells, asker, strip, row: node("tr", {}, node("th", { scope: "row" }, asker), cells, strip) };
    });
    const mixture = node("td", { class: "strip whole", colspan: 5 });
    const steps = node("table", { class: "steps" },
      node("thead", {}, node("tr", {}, node("th", { scope: "col" }, "asks"), STEPS.map(([name, how]) => node("th", { scope: "col", title: how }, name)), node("th", { scope: "col", class: "strip" }, "weight · value"))),
      node("tbody", {}, rows.map(({ row }) => row), node("tr", { class: "sum" }, node("th", { scope: "row" }, "the sum"), mixture)));
    const how = node("summary", {});
    const picture = node("div", {}, node("fieldset", { class: "words" }, asked, words.map(({ box }) => box)),
      node("details", { class: "mb-more" }, how, controls(
        toggle({ label: `divide by √D = ${number(root)}`, value: true, oninput: (value) => { state.scaled = value; draw(); } }),
        toggle({ label: "hide the padding", value: true, oninput: (value) => { state.hidden = value; draw(); } })), steps));
    const figure = stage(el, model, { picture, numbers, controls: [
      radios({ label: "Head", options: heads.map((name, i) => [i, name]), value: 0, oninput: (i) => { state.head = i; draw(); } })] });
    tips(picture);
    draw();

    function tokensOf(word) {
      return places.map((each, i) => each[i === at ? word : 0]);
    }

    // What every query of a head finds, with the scale and mask of the moment, where the text ends in this word.
    function foundBy(head, word = state.word) {
      const [queries, keys, values] = [0, 1, 2].map((part) => places.map((_, i) => table[first[i] + (i === at ? word : 0)][head][part]));
      const visible = places.map(([name]) => name !== "[PAD]" || !state.hidden);
      return queries.map((query) => ({ ...attendOne(query, keys, values, visible, state.scaled ? root : 1), values }));
    }

    function draw() {
      const names = namesOf(tokensOf(state.word)), all = foundBy(state.head);
      asked.textContent = `In ${heads[state.head]}, “${names[state.query]}” gives this share of its weight to the last word:`;
      words.forEach(({ share, bar, tokens, box }, word) => {
        const weight = foundBy(state.head, word)[state.query].weights[at];
        share.textContent = `${number(100 * weight, 0)}%`;
        bar.style.width = `${100 * weight}%`;
        tokens.forEach((token, i) => { if (token) token.className = i === state.query ? "asking" : i === at ? "last" : ""; });
        box.dataset.tip = `“${last[word]}” as the last word gets ${number(weight)}`;
      });
      how.textContent = `How “${last[state.word]}” gets its ${words[state.word].share.textContent}, step by step`;
      showSteps(names, all[state.query]);
      figure.say(`In ${heads[state.head]}, “${names[state.query]}” looks at ${mostOf(all[state.query].weights, names)}.`);
    }

    function showSteps(names, found) {
      const columns = [found.scores, found.scaled, found.masked, found.weights];
      const most = Math.max(1e-12, ...found.scores.map(Math.abs)), parts = found.values.map((value, i) => value.map((each) => each * found.weights[i]));
      const largest = Math.max(1e-12, ...parts.flat().map(Math.abs));
      rows.forEach(({ row, cells, asker, strip }, i) => {
        row.className = found.masked[i] === -Infinity ? "off" : i === at ? "last" : "";
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
      const names = namesOf(tokensOf(state.word)), all = foundBy(state.head), found = all[state.query];
      const rest = heat(all.map(({ weights }) => weights), { rows: names, columns: names, largest: 1, of: "head", corner: "looks at →", caption: `${heads[state.head]}: the weights of all queries` });
      rest.querySelectorAll("tbody tr")[state.query].className = "asking";
      return node("div", {}, node("table", { class: "followed" }, node("caption", {}, `What “${names[state.query]}” finds`),
        node("thead", {}, node("tr", {}, ["token", ...STEPS.map(([name]) => name)].map((text) => node("th", { scope: "col" }, text)))),
        node("tbody", {}, names.map((name, i) => node("tr", {}, node("th", { scope: "row" }, name), [found.scores, found.scaled, found.masked, found.weights].map((column) => node("td", {}, number(column[i]))))))), rest);
    }
  },
};
