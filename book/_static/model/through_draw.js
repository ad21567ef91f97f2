// Draws a sentence on its way: ribbons as wide as attention, cells as dark as values, amber for what the model says.
(function () {
  "use strict";

  const model = window.minibertModel, { percent } = model, { KINDS } = model.through;
  const CELLS = 24, FAINT = 0.04, SMALLEST = 0.005, REVEALED = 0.65, GHOST = 0.2, BESIDE = 0.32;
  const NAMES = ["paper", "panel", "line", "edge", "ink", "soft", "token", "segment", "position", "head", "mask", "mask-ink", "token-wash", "mask-wash", "head-wash"];

  /** The page's colours and typefaces as they are now, light or dark. */
  function look() {
    const style = getComputedStyle(document.documentElement), value = (name, or) => style.getPropertyValue(`--mb-${name}`).trim() || or;
    return { ...Object.fromEntries(NAMES.map((name) => [name, value(name, "#777777")])), mono: value("mono", "monospace"), sans: value("sans", "sans-serif") };
  }

  const channels = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  const clamp = (x) => Math.max(0, Math.min(1, x));
  const smooth = (x) => x * x * (3 - 2 * x);

  /** A colour between two: share 0 is the first. */
  function between(one, other, share) {
    const [a, b] = [channels(one), channels(other)];
    return `rgb(${a.map((x, i) => Math.round(x + (b[i] - x) * share)).join(" ")})`;
  }

  /** The size that half darkens a cell: the root of the mean square of what is shown. */
  function scaleOf(values, S) {
    const width = values.length / S;
    let sum = 0;
    for (let s = 0; s < S; s += 1) for (let i = 0; i < CELLS; i += 1) sum += values[s * width + i] ** 2;
    return Math.sqrt(sum / (S * CELLS)) * 1.5 || 1;
  }

  /** The picture. `view`: t, token (between two while it changes), rows [layer][S] of weights, heads, hovered block. */
  function draw(ctx, place, data, view, colours) {
    const turn = model.through.turning(data, view.chosen), weights = view.rows[turn], to = weights.indexOf(Math.max(...weights));
    const pen = { turn, to, ctx, place, data, view, colours, at: (stage) => smooth(clamp(view.t - stage)), y: (top, s) => top + (s + 0.5) * place.row };
    ctx.clearRect(0, 0, place.width, place.height);
    ctx.textBaseline = "middle";
    drawRow(pen);
    drawTitles(pen);
    drawLabels(pen);
    drawAddends(pen);
    data.attentions.forEach((heads, layer) => drawLayer(pen, layer));
    data.says.forEach((says, layer) => drawSays(pen, layer));
    drawWords(pen);
  }

  function text(pen, words, x, y, { size = 13, weight = 500, colour = pen.colours.ink, family = "sans", width, align = "left", halo } = {}) {
    pen.ctx.font = `${weight} ${size}px ${pen.colours[family]}`;
    pen.ctx.fillStyle = colour;
    let shown = words;
    while (width && shown.length > 1 && pen.ctx.measureText(shown).width > width) shown = `${shown.replace("…", "").slice(0, -1)}…`;
    pen.ctx.textAlign = align;
    if (halo) {
      Object.assign(pen.ctx, { strokeStyle: pen.colours.paper, lineWidth: 5, lineJoin: "round" });
      pen.ctx.strokeText(shown, x, y);
    }
    pen.ctx.fillText(shown, x, y);
  }

  /** How much a row counts in what the picture says, from 0 to 1: the chosen token's most, then, as far as it matters, the one that it looks at. */
  function weightOf(pen, s, layer = 0) {
    const near = clamp(1 - Math.abs(s - pen.view.token)), source = s === pen.to && layer <= pen.turn ? 0.75 * pen.at(2 + pen.turn) : 0;
    return GHOST + (1 - GHOST) * Math.max(near, source);
  }

  /** Whether a layer is the one to look at: the one that is reached, and at the end the one in which the guess turned. */
  const isLit = (pen, layer) => (pen.view.t < pen.place.L + 3 ? Math.ceil(pen.view.t) - 1 === 2 + layer : layer === pen.turn);

  /** The rails of the residual stream: the chosen token's one stronger, and the way of what it takes most from. */
  function drawRow(pen) {
    const { ctx, place, data, view, colours } = pen, isBlank = data.tokens[view.chosen].piece === "[MASK]";
    place.rails.forEach(({ from, to, y }, part) => {
      ctx.fillStyle = colours[isBlank ? "mask-wash" : "head-wash"];
      ctx.fillRect(from, pen.y(y, view.token) - place.row / 2, to - from, place.row);
      for (let s = 0; s < place.S; s += 1) {
        const near = clamp(1 - Math.abs(s - view.token));
        rail(ctx, from, to, pen.y(y, s), between(colours.line, isBlank ? colours.mask : colours.edge, near), 1 + near);
      }
      if (place.isNarrow && part !== pen.turn) return;
      ctx.globalAlpha = pen.at(2 + pen.turn);
      rail(ctx, from, place.layers[pen.turn].from + 1, pen.y(y, pen.to), colours.head, 2.5);
      ctx.globalAlpha = 1;
    });
  }

  function rail(ctx, from, to, y, colour, width) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.beginPath();
    ctx.moveTo(from, y);
    ctx.lineTo(to, y);
    ctx.stroke();
  }

  function drawTitles(pen) {
    for (const { x, y, text: words, stage } of pen.place.titles) {
      const isNow = pen.view.t < pen.place.L + 3 ? pen.view.t > stage && pen.view.t <= stage + 1 : stage === 2 + pen.turn;
      text(pen, words, x, y, { weight: isNow ? 700 : 500, colour: isNow ? pen.colours.ink : pen.colours.soft });
    }
    for (const { x, y, lines } of pen.place.asides) lines.forEach((line, n) => text(pen, line, x, y + 15 * n, { size: 12, colour: pen.colours.soft }));
  }

  function drawLabels(pen) {
    const { ctx, place, data, view, colours } = pen;
    for (const { x, w, y, stage } of place.labels) {
      data.tokens.forEach(({ piece }, s) => {
        ctx.globalAlpha = stage ? 1 : clamp(view.t * place.S * 1.2 - s);
        const isBlank = piece === "[MASK]", near = clamp(1 - Math.abs(s - view.token)), top = pen.y(y, s) - place.row / 2 + 2;
        ctx.fillStyle = isBlank ? colours["mask-wash"] : colours["token-wash"];
        const isSource = s === pen.to && !isBlank && pen.at(2 + pen.turn) > 0.5;
        ctx.strokeStyle = isBlank ? colours.mask : isSource ? colours.head : between(colours["token-wash"], colours.token, near);
        ctx.lineWidth = isSource ? 2 : 1 + near;
        ctx.beginPath();
        ctx.roundRect(x + 1, top, w - 2, place.row - 4, 6);
        ctx.fill();
        ctx.stroke();
        text(pen, isBlank ? "▁▁▁" : piece, x + 9, pen.y(y, s), { weight: near > 0.5 || isSource ? 700 : 500, family: "mono", width: w - 16, colour: /^\[[CS]/.test(piece) ? colours.soft : isBlank ? colours["mask-ink"] : colours.ink });
      });
    }
    ctx.globalAlpha = 1;
  }

  /** The first numbers of a vector as cells; dark is large, light is small, the middle is zero. */
  function strip(pen, values, s, scale, x, y, w, colour) {
    const { ctx, place, colours } = pen, width = values.length / place.S, h = place.row - 8, cell = w / CELLS;
    for (let i = 0; i < CELLS; i += 1) {
      ctx.fillStyle = between(colours.paper, colour, 0.4 + 0.6 * Math.tanh(values[s * width + i] / scale) * (values[s * width + i] < 0 ? 0.62 : 1));
      ctx.fillRect(x + i * cell, y - h / 2, cell + 0.3, h);
    }
    ctx.lineWidth = 1;
    ctx.strokeStyle = colours.line;
    ctx.strokeRect(x - 0.5, y - h / 2 - 0.5, w + 1, h + 1);
  }

  /** Three vectors come one after the other, then they slide together into their sum. */
  function drawAddends(pen) {
    const { ctx, place, data, view } = pen, p = clamp(view.t - 1), goal = place.states[0];
    place.addends.strips.forEach(({ kind, x, w }, k) => {
      const values = data.addends[kind], scale = scaleOf(values, place.S);
      const moved = smooth(clamp((p - 0.5) / 0.3)) * (1 - smooth(clamp((p - 0.8) / 0.2)));
      ctx.globalAlpha = clamp(p * 6 - k) * (1 - 0.6 * moved);
      const seen = ctx.globalAlpha;
      for (let s = 0; s < place.S; s += 1) {
        ctx.globalAlpha = seen * (view.t < 3 ? 1 : weightOf(pen, s));
        strip(pen, values, s, scale, x + moved * (goal.x - x), pen.y(place.addends.y, s), w, pen.colours[["token", "segment", "position"][k]]);
      }
      ctx.globalAlpha = seen;
      for (let s = 0; s < place.S; s += 1) text(pen, k < 2 ? "+" : "=", x + w + (place.isNarrow ? 5 : 6), pen.y(place.addends.y, s), { size: 12, colour: pen.colours.soft, align: "center" });
    });
    ctx.globalAlpha = clamp((p - 0.7) / 0.2);
    drawState(pen, 0);
    ctx.globalAlpha = 1;
  }

  function drawState(pen, layer) {
    const { place, data, colours } = pen, { x, w, y } = place.states[layer], scale = scaleOf(data.states[layer], place.S);
    const seen = pen.ctx.globalAlpha;
    for (let s = 0; s < place.S; s += 1) {
      pen.ctx.globalAlpha = seen * (pen.view.t < 3 ? 1 : weightOf(pen, s, layer));
      strip(pen, data.states[layer], s, scale, x, pen.y(y, s), w, colours.ink);
    }
    pen.ctx.globalAlpha = seen;
  }

  /** A ribbon from one height to another: as wide as the weight. */
  function ribbon(ctx, from, to, y0, y1, width) {
    const middle = (from + to) / 2, half = Math.max(width, 0.8) / 2;
    ctx.beginPath();
    ctx.moveTo(from, y0 - half);
    ctx.bezierCurveTo(middle, y0 - half, middle, y1 - half, to, y1 - half);
    ctx.lineTo(to, y1 + half);
    ctx.bezierCurveTo(middle, y1 + half, middle, y0 + half, from, y0 + half);
    ctx.fill();
  }

  /** All ribbons that arrive at one token, one above the other, so that together they fill its row. */
  function arriving(pen, { from, to, y }, weights, token) {
    const full = pen.place.row * 0.84;
    let top = pen.y(y, token) - full / 2;
    weights.forEach((weight, s) => {
      if (weight >= SMALLEST) ribbon(pen.ctx, from, to, pen.y(y, s), top + (weight * full) / 2, weight * full);
      top += weight * full;
    });
  }

  function drawLayer(pen, layer) {
    const { ctx, place, data, view, colours } = pen, at = place.layers[layer], p = pen.at(2 + layer), S = place.S;
    at.thumbs.forEach((thumb, head) => drawThumb(pen, thumb, data.attentions[layer][head], head === view.heads[layer], model.through.isOff(data, layer, head), p, isLit(pen, layer)));
    const weights = data.attentions[layer][view.heads[layer]];
    ctx.save();
    ctx.beginPath();
    ctx.rect(at.from, at.y - 4, (at.to - at.from) * clamp(p / REVEALED), S * place.row + 8);
    ctx.clip();
    ctx.fillStyle = colours.head;
    ctx.globalAlpha = FAINT;
    for (let s = 0; s < S; s += 1) if (Math.abs(s - view.token) > 0.5) arriving(pen, at, weights.slice(s * S, (s + 1) * S), s);
    ctx.globalAlpha = model.through.isOff(data, layer, view.heads[layer]) ? FAINT : isLit(pen, layer) ? 0.95 : BESIDE;
    arriving(pen, at, view.rows[layer], view.token);
    ctx.restore();
    if (isLit(pen, layer) && !place.isNarrow) drawWeight(pen, layer, clamp(p * 2 - 1));
    ctx.globalAlpha = clamp((p - REVEALED) / (1 - REVEALED));
    drawState(pen, layer + 1);
    ctx.globalAlpha = 1;
  }

  /** At the widest ribbon, in words: how much it is, and of what. */
  function drawWeight(pen, layer, p) {
    const { place, data, view, colours } = pen, { to: right, y } = place.layers[layer], weights = view.rows[layer], to = weights.indexOf(Math.max(...weights));
    const isAbove = to <= view.token, at = pen.y(y, to) + (isAbove ? -27 : 13) - (Math.abs(to - view.token) < 1 ? place.row * 0.7 : 0);
    pen.ctx.globalAlpha = p;
    [["looks at", 0, 600], [`${model.through.quoted(data, to)}, ${percent(weights[to], 0)}`, 16, 800]].forEach(([words, down, weight]) => text(pen, words, right, at + down, { size: 14, weight, colour: colours.head, align: "right", halo: true }));
    pen.ctx.globalAlpha = 1;
  }

  /** A head as a small map: each row is a token that looks, each column one that it looks at. */
  function drawThumb(pen, { x, y, size }, weights, isChosen, isOff, p, isLitHere) {
    const { ctx, place, colours } = pen, cell = size / place.S;
    ctx.fillStyle = colours["head-wash"];
    ctx.fillRect(x, y, size, size);
    ctx.fillStyle = colours.head;
    for (let i = 0; i < place.S * place.S; i += 1) {
      ctx.globalAlpha = weights[i] * Math.max(p, 0.15) * (isLitHere && isChosen ? 1 : 0.55);
      if (weights[i] > 0.02) ctx.fillRect(x + (i % place.S) * cell, y + Math.floor(i / place.S) * cell, cell + 0.2, cell + 0.2);
    }
    ctx.globalAlpha = 1;
    ctx.strokeStyle = isChosen ? (isLitHere ? colours.ink : colours.edge) : colours.line;
    ctx.lineWidth = isChosen && isLitHere ? 2 : 1;
    ctx.strokeRect(x, y, size, size);
    if (isOff) {
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 3;
      ctx.beginPath();
      ctx.moveTo(x, y + size);
      ctx.lineTo(x + size, y);
      ctx.stroke();
    }
  }

  /** A word as it is said; a comma alone is hard to see, so it is quoted. */
  const spoken = (word) => (/^\W+$/.test(word) ? `“${word}”` : word);

  /** What the model would say behind a layer, with a bar as long as it is likely; stronger where the guess turned. */
  function drawSays(pen, layer) {
    const { ctx, place, data, view, colours } = pen, { x, y, w } = place.says[layer], p = clamp((pen.at(1 + layer) - 0.8) / 0.2);
    const { word, probability } = data.says[layer][view.chosen][0], isTurn = layer > 0 && isLit(pen, layer - 1);
    ctx.globalAlpha = p;
    if (isTurn) {
      ctx.fillStyle = colours["mask-wash"];
      ctx.beginPath();
      ctx.roundRect(x - 6, y - 4, w + 12, 54, 6);
      ctx.fill();
    }
    if (place.isNarrow) text(pen, layer ? "its guess" : "no layer yet", 0, y + 16, { size: 12, colour: colours.soft });
    if (!layer) {
      text(pen, `${place.isNarrow ? "" : "no layer: "}${spoken(word)}`, x, y + 16, { size: 12, width: w, colour: colours.soft });
      return void (ctx.globalAlpha = 1);
    }
    text(pen, spoken(word), x, y + 15, { family: "mono", size: 20, weight: isTurn ? 800 : 500, width: w - 40, colour: isTurn ? colours.ink : colours.soft });
    text(pen, percent(probability, 0), x + w, y + 16, { size: 13, weight: isTurn ? 700 : 500, colour: isTurn ? colours.ink : colours.soft, align: "right" });
    ctx.fillStyle = colours.line;
    ctx.fillRect(x, y + 35, w, 4);
    ctx.fillStyle = colours.mask;
    ctx.fillRect(x, y + 34, w * probability, 6);
    ctx.globalAlpha = 1;
  }

  function drawWords(pen) {
    const { ctx, place, data, view, colours } = pen, { x, y, w, row, from } = place.words, p = pen.at(2 + place.L);
    data.says[place.L][view.chosen].forEach(({ word, probability }, n) => {
      const top = y + n * row, middle = top + row / 2 - 3;
      if (from) {
        ctx.save();
        ctx.beginPath();
        ctx.rect(from.x, 0, (x - from.x - 6) * clamp(p * 2), place.height);
        ctx.clip();
        ctx.fillStyle = colours.mask;
        ribbon(ctx, from.x, x - 6, pen.y(from.y, view.token), middle, probability * row);
        ctx.restore();
      }
      ctx.globalAlpha = smooth(clamp(p * 2 - n / 8));
      text(pen, word, x, middle, { family: "mono", weight: n ? 500 : 800, size: n ? 13 : 16, width: w - 48 });
      text(pen, percent(probability, probability < 0.1 ? 1 : 0), x + w, middle, { colour: colours.soft, align: "right" });
      ctx.fillStyle = colours.line;
      ctx.fillRect(x, top + row - 8, w, 3);
      ctx.fillStyle = colours.mask;
      ctx.fillRect(x, top + row - 9, w * probability * ctx.globalAlpha, 5);
      if (view.was && view.was.has(word)) {        // where the bar ended for the sentence before
        ctx.fillStyle = colours.ink;
        ctx.fillRect(x + w * view.was.get(word) - 1, top + row - 12, 2, 11);
      }
    });
    ctx.globalAlpha = 1;
  }

  Object.assign(model.through, { draw, look });
})();
