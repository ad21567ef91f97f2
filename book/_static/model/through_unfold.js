// One block of the picture, unfolded down to the arithmetic of one number. The worker computes (engine/trace.js); here it is written out.
(function () {
  "use strict";

  const model = window.minibertModel, { node, percent } = model, { named, quoted, said, isOff } = model.through;
  const COLUMNS = 32, MINUS = "\u2212";

  /** A number with three digits behind the point. */
  function number(value) {
    return value.toFixed(3).replace("-", MINUS);
  }

  const value = (x, name) => node("td", { "data-value": name }, number(x));
  const line = (label, x, name) => node("tr", { class: /^=/.test(label) && "through-result" }, node("th", { scope: "row" }, label), value(x, name));
  const table = (caption, ...rows) => node("table", { class: "through-sum" }, node("caption", {}, caption), node("tbody", {}, rows));

  /** The largest products of a long sum, one a line, then what the others come to. */
  function products({ largest, rest, count, bias }, names) {
    const shown = largest.map(({ index, a, b }) => line(`${names[0]} ${index + 1} × ${names[1]}: ${number(a)} × ${number(b)}`, a * b));
    return [...shown, line(`the ${(count - largest.length).toLocaleString("en")} other products`, rest), ...(bias ? [line("bias", bias)] : [])];
  }

  /** Chooses one of a vector's numbers: by typing it, or by a press on its cell. */
  function cells(values, token, cell, S, choose) {
    const H = values.length / S, largest = Math.max(...values.subarray(token * H, (token + 1) * H).map(Math.abs));
    const field = node("input", { type: "number", id: "through-cell", min: 1, max: H, value: cell + 1, onchange: () => choose(Math.max(1, Math.min(H, Math.round(Number(field.value)) || 1)) - 1) });
    const map = node("div", { class: "through-cells", "aria-hidden": "true", style: `--columns: ${COLUMNS}` }, Array.from({ length: H }, (_, i) => node("span", {
      class: i === cell && "chosen", title: `number ${i + 1}: ${number(values[token * H + i])}`, style: `--share: ${(50 + (50 * values[token * H + i]) / largest).toFixed(0)}%`, onclick: () => choose(i) })));
    return node("div", {}, node("p", {}, node("label", { for: "through-cell" }, "Number"), " ", field, ` of ${H}, or press one of its cells: dark is large, light is small.`), map);
  }

  const PANELS = {
    word(open, data, act) {
      const { piece, id, start } = data.tokens[open.token], says = data.says[data.says.length - 1][open.token].find(({ word }) => /^\w/.test(word));
      const about = node("p", {}, `Row ${id.toLocaleString("en")} of the vocabulary, position ${open.token}.`);
      if (start === undefined) return [`The special token ${piece}`, about];
      const field = node("input", { type: "text", id: "through-other", autocomplete: "off", spellcheck: "false" });
      const form = node("form", { onsubmit: (event) => { event.preventDefault(); if (field.value.trim()) act.replace(open.token, field.value.trim()); } },
        node("label", { for: "through-other" }, "Put another word here "), field, " ", node("button", { type: "submit" }, "Change it"));
      const press = piece === "[MASK]" ? says && node("button", { type: "button", onclick: () => act.replace(open.token, says.word) }, `Put “${says.word}” here`)
        : node("button", { type: "button", onclick: () => act.replace(open.token, "[MASK]") }, "Hide this word");
      return [piece === "[MASK]" ? "The hidden word" : `“${piece}”`, about, node("p", {}, press), form];
    },

    vectors(open, data, act, sum) {
      const normed = (sum.sum - sum.mean) / sum.deviation;
      return [`The first vector of ${quoted(data, open.token)}: number ${open.cell + 1}`, table("Three tables have a row for it; the rows are added and normalised.",
        line(`word ${quoted(data, open.token)}`, sum.word, "word"), line("+ segment A", sum.segment, "segment"), line(`+ position ${open.token}`, sum.position, "position"), line("= sum", sum.sum, "sum"),
        line(`− mean ${number(sum.mean)}, ÷ deviation ${number(sum.deviation)}`, normed), line(`= × ${number(sum.scale)} + ${number(sum.shift)}`, sum.value, "value")),
      cells(data.states[0], open.token, open.cell, data.tokens.length, (cell) => act.open({ ...open, cell }))];
    },

    attention(open, data, act, sum) {
      const [from, to] = [quoted(data, open.token), quoted(data, open.to)], { dot, root, scores, largest, powers, total, weights } = sum;
      const silent = isOff(data, open.layer, open.head), asked = silent ? `Without it the model says ${said(data.says[data.says.length - 1][open.token][0])}. ` : "Does the answer come from here? ";
      return [`Layer ${open.layer + 1}, head ${open.head + 1}: ${from} takes ${percent(weights[open.to])} from ${to}`,
        node("p", { class: "through-whole" }, asked, node("button", { type: "button", onclick: () => act.toggle(open.layer, open.head) }, silent ? "Switch this head on" : "Switch this head off")),
        table(`The query of ${from} times the key of ${to}, number by number`, ...products(dot, ["query", "key"]), line("= query · key", dot.value, "dot"),
          line(`÷ √${root * root} = ${root}`, scores[open.to], "score"), line(`e to the power of (score ${MINUS} the largest score, ${number(largest)})`, powers[open.to]),
          line(`= ÷ the sum over all tokens, ${number(total)}`, weights[open.to], "weight")),
        node("table", {}, node("caption", {}, `All that ${from} takes`), node("thead", {}, node("tr", {}, ["from", "score", "weight"].map((head) => node("th", { scope: "col" }, head)))),
          node("tbody", {}, data.tokens.map(({ piece }, token) => node("tr", { class: token === open.to && "chosen" }, node("th", { scope: "row" },
            node("button", { type: "button", "aria-pressed": String(token === open.to), onclick: () => act.open({ ...open, to: token }) }, named(piece))),
          node("td", {}, number(scores[token])), node("td", { "data-value": "weights" }, number(weights[token]))))))];
    },

    state(open, data, act, sum) {
      const who = quoted(data, open.token);
      return [`The vector of ${who} behind layer ${open.layer + 1}: number ${open.cell + 1}`, table("A layer adds twice to what comes in: the residual stream.",
        line("came in", sum.before, "before"), line("+ from attention", sum.attended.value, "attended"), line("+ from the feed-forward network", sum.fed.value, "fed"), line("= goes on", sum.value, "value")),
      table("What attention adds: the heads' mixture times one row of the output map", ...products(sum.attended, ["mixture", "weight"]), line("= from attention", sum.attended.value)),
      table("What the feed-forward network adds", ...products(sum.fed, ["inner", "weight"]), line("= from the feed-forward network", sum.fed.value)),
      cells(data.states[open.layer + 1], open.token, open.cell, data.tokens.length, (cell) => act.open({ ...open, cell }))];
    },

    says(open, data, act, sum) {
      const where = open.layer === data.says.length - 1 ? "at the end" : open.layer ? `if the model stopped behind layer ${open.layer}` : "if the model had no layers";
      return [`“${open.word}” at ${quoted(data, open.token)}, ${where}: ${percent(sum.value)}`,
        table(`The vector behind the prediction head times the vector of “${open.word}”`, ...products(sum.logit, ["head", "word"]), line("= logit", sum.logit.value, "logit"),
          line(`e to the power of (logit ${MINUS} the largest logit, ${number(sum.largest)})`, sum.power), line(`= ÷ the sum over all ${sum.count.toLocaleString("en")} pieces, ${number(sum.total)}`, sum.value, "probability")),
        node("table", {}, node("caption", {}, "The likeliest words"), node("thead", {}, node("tr", {}, ["word", "probability"].map((head) => node("th", { scope: "col" }, head)))),
          node("tbody", {}, data.says[open.layer][open.token].map(({ word, probability }) => node("tr", { class: word === open.word && "chosen" }, node("th", { scope: "row" },
            node("button", { type: "button", "aria-pressed": String(word === open.word), onclick: () => act.open({ ...open, word }) }, word)), node("td", { "data-value": "probabilities" }, number(probability))))))];
    },
  };

  /** Fills the panel for the block that is open; `act` are what its buttons do, `sum` is the worker's arithmetic. */
  function unfold(panel, open, data, act, sum) {
    const focused = document.activeElement && panel.contains(document.activeElement) && (document.activeElement.id || document.activeElement.textContent);
    const [title, ...parts] = PANELS[open.block](open, data, act, sum);
    panel.replaceChildren(node("p", { class: "through-panel-title through-whole" }, node("strong", { tabindex: -1 }, title), " ", node("button", { type: "button", onclick: act.close }, "Close")), ...parts);
    if (focused) (Array.from(panel.querySelectorAll("button, input")).find((each) => (each.id || each.textContent) === focused) || panel.querySelector("strong")).focus();
  }

  Object.assign(model.through, { unfold });
})();
