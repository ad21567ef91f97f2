// Where everything lies in the picture of a sentence on its way: side by side where there is room, one below the other on a phone.
// Stages: 0 the pieces, 1 the three vectors, then one for each layer, and the words last.
(function () {
  "use strict";

  const model = window.minibertModel;
  const THUMB = 26, TITLE = 20, SPOKEN = 58, WORDS = 8, ENOUGH = 900, LEADS = 88;
  const KINDS = ["word", "segment", "position"];

  /** The places of all parts in a picture of this width, for S tokens, L layers and A heads. */
  function layout(width, S, L, A, room = 310) {
    const row = Math.max(THUMB, Math.min(width < ENOUGH ? 29 : 36, Math.floor(room / S)));
    return { ...(width < ENOUGH ? below : beside)(width, S, L, A, row), S, L, A, row };
  }

  function beside(width, S, L, A, row) {
    const top = TITLE + THUMB + 18, names = 84, strip = 48, sums = 168, words = width < 1020 ? 196 : 226;
    const reach = (width - names - sums - words - L * (strip + 14) - 14) / L;
    const titles = [{ x: 0, y: 12, text: "word pieces", stage: 0 }, { x: names + 10, y: 12, text: "word + segment", stage: 1, name: "three vectors, added" }, { x: names + 10, y: 28, text: "+ position", stage: 1 }];
    const addends = { y: top, strips: KINDS.map((kind, k) => ({ kind, x: names + 10 + 34 * k, w: 22 })) };
    const spoken = top + S * row + 8, states = [{ x: names + 112, w: strip - 8, y: top }];
    const says = [{ x: names + 10, y: spoken, w: 142 }], layers = [];
    let x = names + sums;
    for (let l = 0; l < L; l += 1) {
      titles.push({ x: x + 6, y: 12, text: `layer ${l + 1}${l ? "" : `, ${A} heads`}`, stage: 2 + l, name: `layer ${l + 1}` });
      layers.push({ from: x + 6, to: x + 6 + reach, y: top, thumbs: thumbs(x + 6, TITLE, A, Math.min(THUMB + 4, (reach + strip - 2) / A)) });
      states.push({ x: x + reach + 10, w: strip - 4, y: top });
      says.push({ x: x + 6, y: spoken, w: reach + strip - 2 });
      x += reach + strip + 14;
    }
    titles.push({ x: x + 60, y: 12, text: "it says", stage: 2 + L });
    return { width, height: spoken + SPOKEN, isNarrow: false, leads: [], titles, labels: [{ stage: 0, x: 0, w: names, y: top }], addends, states, layers, says,
      words: { x: x + 60, y: top, w: width - x - 60, row: Math.min(38, (S * row) / WORDS), from: { x: x - 4, y: top } }, rails: [{ from: states[0].x + states[0].w, to: x, y: top }],
      aside: { x: 0, y: spoken, w: names } };
  }

  function below(width, S, L, A, row) {
    const names = 84, strip = 62, titles = [], labels = [], layers = [], states = [], says = [], rails = [];
    const part = (width - names - strip - 34) / 3, body = S * row, cell = (width + 10) / L, top = LEADS + TITLE + 8;
    const leads = Array.from({ length: L }, (_, l) => ({ x: l * cell, y: 0, w: cell - 10 }));     // what the sentence above speaks of, on the first screen
    titles.push({ x: 0, y: LEADS + 14, text: "word pieces", stage: 0 }, { x: names + 6, y: LEADS + 14, text: "word + segment + position", stage: 1, name: "three vectors, added" });
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
    return { width, height: words.y + WORDS * 32 + 4, isNarrow: true, leads, titles, labels, addends, states, layers, says, words, rails };
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

  model.through = { layout, blocks, KINDS };
})();
