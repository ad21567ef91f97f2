// The attention of the sentence that fill.js asked about: arcs from one token, and a head's weights as a table.
(function () {
  "use strict";

  const model = window.minibertModel, { node, percent } = model;
  const SVG = "http://www.w3.org/2000/svg", LETTER = 9.2, GAP = 14, FLAT = 0.32;
  const WAITING = "The arcs come with the answer to the sentence.";
  let box, tokens = [], attentions = null, from = 0, wanted = "[MASK]";

  function start() {
    box = model.parts(document.querySelector("[data-tool=attention]"));
    box.layer.onchange = box.head.onchange = draw;
    box.from.onchange = () => choose(Number(box.from.value));
    box.status.textContent = WAITING;
    model.showAttention = show;
  }

  function show(answer) {
    ({ tokens, attentions } = answer);
    if (!attentions) {
      box.status.textContent = tokens.length ? `This sentence has ${tokens.length} tokens; attention is drawn for up to ${answer.mostShown}.` : WAITING;
      box.from.replaceChildren();
      box.arcs.replaceChildren();
      box.table.replaceChildren();
      return;
    }
    if (!box.layer.options.length) {
      options(box.layer, attentions.map((_, i) => `${i + 1}`), 0);
      options(box.head, attentions[0].map((_, i) => `${i + 1}`), 0);
    }
    from = [wanted, "[MASK]"].map(placeOf).find((place) => place >= 0) ?? Math.min(from, tokens.length - 1);
    options(box.from, tokens.map(({ piece }, i) => `${i + 1}: ${piece}`), from);
    draw();
  }

  /** Where a piece stands; where it stood before, if it is still there; -1 for nowhere. */
  function placeOf(piece) {
    return tokens[from]?.piece === piece ? from : tokens.findIndex((token) => token.piece === piece);
  }

  function options(select, names, chosen) {
    select.replaceChildren(...names.map((name, i) => node("option", { value: i, selected: i === chosen }, name)));
  }

  function draw() {
    if (!attentions) return;
    const weights = attentions[Number(box.layer.value)][Number(box.head.value)], S = tokens.length;
    const row = Array.from(weights.subarray(from * S, (from + 1) * S));
    const most = row.map((weight, i) => ({ weight, i })).sort((a, b) => b.weight - a.weight).slice(0, 3);
    box.status.textContent = `Layer ${Number(box.layer.value) + 1}, head ${Number(box.head.value) + 1}: “${tokens[from].piece}” (${from + 1}) looks most at `
      + most.map(({ weight, i }) => `“${tokens[i].piece}” (${i + 1}) ${percent(weight, 0)}`).join(", ") + ".";
    const { drawing, middle } = arcs(row);
    box.arcs.replaceChildren(drawing);
    box.arcs.scrollLeft = middle - box.arcs.clientWidth / 2;       // on a phone the chosen token would be out of sight
    box.table.replaceChildren(table(weights));
  }

  // ---- arcs

  function shape(tag, attributes, ...children) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") made[name] = value;
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  function arcs(row) {
    let x = 4;
    const places = tokens.map(({ piece }) => {
      const width = Math.max(2, piece.length) * LETTER + GAP, left = x;
      x += width + 4;
      return { left, width, middle: left + width / 2 };
    });
    const top = Math.min(150, FLAT * x) + 8;
    const drawn = row.map((weight, i) => arc(places[from].middle, places[i].middle, weight, top));
    const boxes = tokens.map(({ piece }, i) => shape("g", { class: i === from ? "model-token chosen" : "model-token", onclick: () => choose(i) },
      shape("rect", { x: places[i].left, y: top, width: places[i].width, height: 30, rx: 6, style: `--share: ${Math.round(100 * row[i])}%` }),
      shape("text", { x: places[i].middle, y: top + 20, "text-anchor": "middle" }, piece),
      shape("text", { x: places[i].middle, y: top + 46, "text-anchor": "middle", class: "model-share" }, percent(row[i], 0))));
    const drawing = shape("svg", { width: x, height: top + 52, viewBox: `0 0 ${x} ${top + 52}`, "aria-hidden": "true" }, ...drawn, ...boxes);
    return { drawing, middle: places[from].middle };
  }

  function arc(a, b, weight, top) {
    const height = Math.min(top - 8, Math.max(18, FLAT * Math.abs(a - b)));
    const path = a === b ? `M ${a - 8} ${top} C ${a - 20} ${top - 34}, ${a + 20} ${top - 34}, ${a + 8} ${top}` : `M ${a} ${top} C ${a} ${top - 1.33 * height}, ${b} ${top - 1.33 * height}, ${b} ${top}`;
    return shape("path", { d: path, style: `stroke-width: ${(1 + 9 * weight).toFixed(2)}; opacity: ${(0.08 + 0.92 * Math.sqrt(weight)).toFixed(3)}` });
  }

  function choose(i) {
    from = i;
    wanted = tokens[i].piece;       // the reader's choice outlives a change of the sentence
    box.from.value = String(i);
    draw();
  }

  // ---- table

  function table(weights) {
    const S = tokens.length, name = ({ piece }) => piece;
    return node("table", { class: "model-heat" }, node("caption", {}, "Each row is a token that looks; each column one that it looks at; per cent."),
      node("thead", {}, node("tr", {}, node("td", {}), tokens.map((token) => node("th", { scope: "col" }, name(token))))),
      node("tbody", {}, tokens.map((token, i) => node("tr", { class: i === from ? "chosen" : false }, node("th", { scope: "row" }, name(token)),
        Array.from(weights.subarray(i * S, (i + 1) * S), (weight) => node("td", { style: `--share: ${Math.round(100 * weight)}%` }, String(Math.round(100 * weight))))))));
  }

  model.tools.push(start);
})();
