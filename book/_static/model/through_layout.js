// Where everything lies in the picture of a sentence on its way: side by side where there is room, one below the other on a phone.
// Stages: 0 the pieces, 1 the three vectors, then one for each layer, and the words last.
(function () {
  "use strict";

  const model = window.minibertModel;
  const THUMB = 26, TITLE = 20, SPOKEN = 58, WORDS = 8, ENOUGH = 900;
  const KINDS = ["word", "segment", "position"];

  /** The places of all parts in a picture of this width, for S tokens, L layers and A heads. */
  function layout(width, S, L, A, room = 310) {
    const row = Math.max(THUMB, Math.min(width < ENOUGH ? 29 : 36, Math.floor(room / S)));
    return { ...(width < ENOUGH ? below : beside)(width, S, L, A, row), S, L, A, row };
  }

  /** Above, what it guesses behind each layer; then the rows of the tokens; the heads of each layer below, small. */
  function beside(width, S, L, A, row) {
    const top = TITLE + SPOKEN + 10, names = 92, strip = 34, sums = 124, words = width < 1020 ? 196 : 226, end = top + S * row;
    const reach = (width - names - sums - words - L * (strip + 14) - 14) / L;
    const titles = [{ x: 0, y: 12, text: "word pieces", stage: 0 }, { x: names + 10, y: 12, text: "vectors", stage: 1, name: "three vectors, added" }];
    const addends = { y: top, strips: KINDS.map((kind, k) => ({ kind, x: names + 10 + 25 * k, w: 15 })) };
    const states = [{ x: names + 86, w: strip, y: top }], says = [{ x: names + 10, y: TITLE + 6, w: sums - 14 }], layers = [];
    let x = names + sums;
    for (let l = 0; l < L; l += 1) {
      titles.push({ x: x + 6, y: 12, text: `layer ${l + 1}`, stage: 2 + l });
      layers.push({ from: x + 6, to: x + 6 + reach, y: top, thumbs: thumbs(x + 6, end + 14, A, Math.min(THUMB + 4, (reach + strip + 6) / A)) });
      states.push({ x: x + reach + 10, w: strip, y: top });
      says.push({ x: x + 6, y: TITLE + 6, w: reach + strip + 4 });
      x += reach + strip + 14;
    }
    titles.push({ x: x + 60, y: 12, text: "its answer", stage: 2 + L });
    return { width, height: end + 14 + THUMB + 4, isNarrow: false, titles, labels: [{ stage: 0, x: 0, w: names, y: top }], addends, states, layers, says,
      words: { x: x + 60, y: top, w: width - x - 60, row: Math.min(38, (S * row) / WORDS), from: { x: x - 4, y: top } }, rails: [{ from: states[0].x + strip, to: x, y: top }],
      asides: [{ x: 0, y: TITLE + 18, lines: ["its guess", "so far"] }, { x: 0, y: end + 20, lines: [`the ${A} heads`, "of each layer"] }] };
  }

  function below(width, S, L, A, row) {
    const names = 84, strip = 62, titles = [], labels = [], layers = [], states = [], says = [], rails = [];
    const part = (width - names - strip - 34) / 3, body = S * row, top = TITLE + 8;
    titles.push({ x: 0, y: 14, text: "word pieces", stage: 0 }, { x: names + 6, y: 14, text: "word + segment + position", stage: 1, name: "three vectors, added" });
    labels.push({ stage: 0, x: 0, w: names - 4, y: top });
    const addends = { y: top, strips: KINDS.map((kind, k) => ({ kind, x: names + 6 + k * (part + 8), w: part - 2 })) };
    states.push({ x: width - strip, w: strip, y: top });
    let y = top + body + 6;
    says.push({ x: names, y, w: width - names });
    y += SPOKEN + 12;
    for (let l = 0; l < L; l += 1) {
      titles.push({ x: 0, y: y + 18, text: `layer ${l + 1}`, stage: 2 + l });
      const first = y + THUMB + 12;
      labels.push({ stage: 2 + l, x: 0, w: names - 4, y: first });
      layers.push({ from: names, to: width - strip - 4, y: first, thumbs: thumbs(names, y, A) });
      states.push({ x: width - strip, w: strip, y: first });
      rails.push({ from: names, to: width - strip, y: first });
      y = first + body + 6;
      says.push({ x: names, y, w: width - names });
      y += SPOKEN + 12;
    }
    titles.push({ x: 0, y: y + 14, text: "it says", stage: 2 + L });
    const words = { x: 0, y: y + TITLE + 6, w: width, row: 32, from: null };
    return { width, height: words.y + WORDS * 32 + 4, isNarrow: true, asides: [], titles, labels, addends, states, layers, says, words, rails };
  }

  function thumbs(x, y, A, step = THUMB + 4) {
    return Array.from({ length: A }, (_, head) => ({ x: x + head * step, y, size: THUMB }));
  }

  /** All that can be pressed, with its place: [{ block, x, y, w, h, … }], in reading order. */
  function blocks({ labels, addends, layers, states, says, words, row, S }) {
    const each = (make) => Array.from({ length: S }, (_, token) => make(token)), found = [];
    const [x, last] = [addends.strips[0].x, states[0]];
    for (const { x: left, w, y, stage } of labels.slice(0, 1)) found.push(...each((token) => ({ block: "word", stage, token, x: left, y: y + token * row, w, h: row })));
    found.push(...each((token) => ({ block: "vectors", stage: 1, token, x, y: addends.y + token * row, w: last.x + last.w - x, h: row })));
    found.push({ block: "says", stage: 1, layer: 0, ...says[0], h: SPOKEN - 6 });
    layers.forEach((layer, l) => {
      const stage = 2 + l;
      layer.thumbs.forEach((thumb, head) => found.push({ block: "head", stage, layer: l, head, x: thumb.x, y: thumb.y, w: thumb.size, h: thumb.size }));
      const again = labels.find((label) => label.stage === stage);
      if (again) found.push(...each((token) => ({ block: "word", stage, token, x: again.x, y: again.y + token * row, w: again.w, h: row })));
      found.push(...each((token) => ({ block: "attention", stage, layer: l, token, x: layer.from, y: layer.y + token * row, w: layer.to - layer.from, h: row })));
      found.push(...each((token) => ({ block: "state", stage, layer: l, token, x: states[l + 1].x, y: layer.y + token * row, w: states[l + 1].w, h: row })));
      found.push({ block: "says", stage, layer: l + 1, ...says[l + 1], h: SPOKEN - 6 });
    });
    for (let n = 0; n < WORDS; n += 1) found.push({ block: "answer", stage: 2 + layers.length, rank: n, x: words.x, y: words.y + n * words.row, w: words.w, h: words.row });
    return found;
  }

  /** The block that lies next to another one in a direction; -1 where there is none. */
  function nextTo(parts, here, way) {
    const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2], from = middle(parts[here]);
    const far = parts.map((part) => { const [a, b] = middle(part).map((each, i) => each - from[i]), along = a * way[0] + b * way[1]; return along > 1 ? along + 3 * Math.abs(a * way[1] + b * way[0]) : Infinity; });
    const nearest = Math.min(...far);
    return nearest === Infinity ? -1 : far.indexOf(nearest);
  }

  model.through = { layout, blocks, nextTo, KINDS };
})();
