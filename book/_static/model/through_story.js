// The same as a story, for a phone: the sentence once for each layer, with the guess in the blank, and the words as purple as it looks at them.
(function () {
  "use strict";

  const model = window.minibertModel, { node, percent } = model, { turning } = model.through;
  const SPECIAL = /^\[(CLS|SEP)\]$/, SEEN = 0.3, LISTED = 3, STRONGEST = 46;

  /** The pieces as they are written: with the letters of the text, and a space where the text has one. -> [[space, piece, token], …] */
  function written(data) {
    const text = data.text, low = text.toLowerCase();
    let at = 0;
    return data.tokens.map(({ piece, start, end }, token) => {
      const bare = piece.replace(/^##/, ""), from = start ?? low.indexOf(bare.toLowerCase(), at);        // a recorded answer does not know where its pieces stand
      if (SPECIAL.test(piece) || from < at) return [piece.startsWith("##") || !token ? "" : " ", bare, token];
      const space = /\s/.test(text.slice(at, from)) ? " " : "";
      at = end ?? from + bare.length;
      return [space, piece === "[MASK]" ? piece : text.slice(from, at), token];
    });
  }

  const bar = (probability) => node("i", { class: "story-bar", style: `--share: ${(100 * probability).toFixed(1)}%`, "aria-hidden": "true" });

  /** One layer: its name, how sure it is, and the sentence. */
  function told(data, layer, rows, chosen, isTurn) {
    const [{ word, probability }] = data.says[layer + 1][chosen], weights = rows[layer], to = weights.indexOf(Math.max(...weights));
    const words = written(data).filter(([, piece, token]) => !SPECIAL.test(piece) || weights[token] > SEEN).map(([space, piece, token]) => [space, token === chosen ? node("b", { class: "story-guess" }, word)
      : node("span", { class: [SPECIAL.test(piece) && "story-special", weights[token] > SEEN && "story-seen"].filter(Boolean).join(" "), style: `--weight: ${Math.round(STRONGEST * weights[token])}%` }, piece === "[MASK]" ? "▁▁▁" : piece)]);
    const looks = isTurn && node("em", {}, ` looks at ${model.through.quoted(data, to)}, ${percent(weights[to], 0)}`);
    return node("div", { class: `story-layer${isTurn ? " story-turn" : ""}` }, node("p", { class: "story-head" }, node("span", {}, `layer ${layer + 1}`, looks), bar(probability), node("span", {}, percent(probability, 0))),
      node("p", { class: "story-text" }, ...words.flat()));
  }

  /** Fills the story of the token that is looked from; what the sentence has not reached at t is faint. */
  function story(box, data, { chosen, heads, t }, rowsOf) {
    const about = [data.since, chosen, Math.ceil(t), heads].join(), rows = rowsOf(chosen);
    if (box.dataset.about === about) return;        // nothing else to tell
    box.dataset.about = about;
    const L = data.attentions.length, last = data.says[L][chosen], turn = turning(data, chosen);
    const layers = rows.map((_, layer) => told(data, layer, rows, chosen, layer === turn));
    const answers = node("p", { class: "story-answers" }, "Its answers: ", ...last.slice(0, LISTED).map(({ word, probability }, n) => [n ? ", " : "", node("b", {}, word), ` ${percent(probability, 0)}`]).flat());
    [...layers, answers].forEach((part, n) => part.classList.toggle("story-later", Math.ceil(t) < 3 + n));
    box.replaceChildren(...layers, answers);
  }

  Object.assign(model.through, { story });
})();
