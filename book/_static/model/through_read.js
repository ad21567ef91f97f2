// What there is to read in a sentence's answer: which token takes most from which, and what the page says of it.
(function () {
  "use strict";

  const model = window.minibertModel, { percent } = model;
  const NO_WORD = /^\[\w+\]$|^\W+$/;       // special tokens and punctuation

  const named = (piece) => (piece === "[MASK]" ? "▁▁▁" : piece);
  const quoted = (data, token) => `“${named(data.tokens[token].piece)}”`;
  const said = ({ word, probability }) => `“${word}” (${percent(probability, 0)})`;
  const isOff = (data, layer, head) => data.off.some(([l, h]) => l === layer && h === head);

  /** The weights with which a token looks at all tokens. */
  function row(data, layer, head, token) {
    const S = data.tokens.length;
    return Array.from(data.attentions[layer][head].slice(token * S, (token + 1) * S));
  }

  /** The token that it takes most from. */
  function most(data, layer, head, token) {
    const weights = row(data, layer, head, token);
    return weights.indexOf(Math.max(...weights));
  }

  /** The head that takes most from a single other word. */
  function sharpest(data, layer, token) {
    const largest = data.attentions[layer].map((_, head) => Math.max(...row(data, layer, head, token).map((weight, to) => (to === token || NO_WORD.test(data.tokens[to].piece) ? 0 : weight))));
    return largest.indexOf(Math.max(...largest));
  }

  /** The layer, from 0, behind which the last guess is the first one for good; where it was there from the beginning, the last layer. */
  function turning(data, token) {
    const L = data.attentions.length, last = data.says[L][token][0].word, other = data.says.findLastIndex((says, layer) => layer > 0 && says[token][0].word !== last);
    return other < 0 ? L - 1 : other;
  }

  /** "head 3 takes 90% from “queen”". */
  function looks(data, layer, token, headOf) {
    const head = headOf(layer), to = most(data, layer, head, token);
    return `head ${head + 1} takes ${percent(row(data, layer, head, token)[to], 0)} from ${quoted(data, to)}${isOff(data, layer, head) ? ", but is switched off" : ""}`;
  }

  /** "looks at “queen” (90%)". */
  function gazes(data, layer, token, headOf) {
    const head = headOf(layer), to = most(data, layer, head, token);
    return `looks at ${to === token ? "itself" : quoted(data, to)} (${percent(row(data, layer, head, token)[to], 0)}${isOff(data, layer, head) ? `, but head ${head + 1} is switched off` : ""})`;
  }

  /** The sentence above the picture: what one sees at this moment; `was` is what was said of this token before. */
  function finding(data, t, token, headOf, was) {
    const L = data.attentions.length, first = (layer) => data.says[layer][token][0], stage = Math.ceil(t) - 1;
    if (stage < 0) return "The sentence, before the model has read it.";
    if (stage === 0) return `It is cut into ${data.tokens.length} pieces that the model knows.`;
    if (stage === 1) return "Every piece gets three vectors, which are added: for its word, its segment and its position.";
    if (stage < 2 + L) return `Layer ${stage - 1}: at ${quoted(data, token)}, ${looks(data, stage - 2, token, headOf)}. Were this the last layer, it would say ${said(first(stage - 1))}.`;
    const isBlank = data.tokens[token].piece === "[MASK]", turn = turning(data, token), isLate = turn && first(turn).word !== first(L).word;
    const opening = isBlank ? `The model fills the blank with ${said(first(L))}` : `At ${quoted(data, token)} the model says ${said(first(L))}`;
    const seen = `in layer ${turn + 1} it ${gazes(data, turn, token, headOf)}.`;
    if (was) return `${opening}; before the change ${said(was[0])}. I${seen.slice(1)}`;
    return `${opening}. ${isLate ? `After layer ${turn} it would still say ${said(first(turn))}` : "It says so from layer 1 on"}; ${seen}`;
  }

  const LABELS = {
    word: (data, { token }) => `piece ${token}: ${quoted(data, token)}; look from here, hide it or change it`,
    vectors: (data, { token }) => `the three vectors of ${quoted(data, token)}: unfold their sum`,
    head: (data, { layer, head }, token, headOf) => `layer ${layer + 1}, head ${head + 1}${headOf(layer) === head ? ", shown" : ""}${isOff(data, layer, head) ? ", switched off" : ""}`,
    attention: (data, { layer, token }, chosen, headOf) => `layer ${layer + 1}: at ${quoted(data, token)}, ${looks(data, layer, token, headOf)}; unfold`,
    state: (data, { layer, token }) => `behind layer ${layer + 1}: the vector of ${quoted(data, token)}; unfold`,
    says: (data, { layer }, token) => `${layer ? `behind layer ${layer}` : "before the layers"} it would say ${data.says[layer][token].slice(0, 2).map(said).join(", ")}; unfold`,
    answer: (data, { rank }, token) => `answer ${rank + 1}: ${said(data.says[data.says.length - 1][token][rank])}; unfold`,
  };

  /** What a screen reader says of a block; `chosen` is the token that is looked from. */
  function label(data, part, chosen, headOf) {
    return LABELS[part.block](data, part, chosen, headOf);
  }

  Object.assign(model.through, { named, quoted, said, isOff, row, most, sharpest, turning, finding, label });
})();
