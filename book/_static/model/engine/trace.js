// A sentence on its way through the model: everything that the page draws, and the arithmetic of each single number in it.

const MOST_DRAWN = 32;          // tokens; more of them would be thinner than a finger
const LISTED = 8;               // words that are shown of each prediction
const LARGEST = 3;              // products of a long sum that are shown one by one

/** What comes up on the way: states [L + 1], and of each layer queries, keys, mixed, attended, wide, fed; each [S, ...].
 * The heads in `off`, [[layer, head], ...], add nothing. */
function follow(model, { tokens, inputIds, tokenTypeIds }, off) {
  const { hiddenSize: H, numHeads } = model.about, D = H / numHeads, kept = {};
  const { attentions } = encode(model, inputIds, tokenTypeIds, model.about.numLayers, (name, x) => {
    const layer = (kept[name] ||= []).length;
    if (name === "mixed") {
      for (const [, head] of off.filter((each) => each[0] === layer)) for (let s = 0; s < tokens.length; s += 1) x.fill(0, s * H + head * D, s * H + (head + 1) * D);
    }
    kept[name].push(x.slice());
  });
  return { tokens, inputIds, tokenTypeIds, attentions, ...kept };
}

/** A state of the residual stream as the prediction head gets it, as if no other layer came: [S, H]. */
function readOut(model, state) {
  return predictionVectors(model, norm(model, "bert.encoder.norm", state.slice()));
}

/** The likeliest pieces of every row of probabilities [S, V]: [S] lists of { word, probability }. */
function likeliest(model, probabilities) {
  const V = model.pieces.length;
  return Array.from({ length: probabilities.length / V }, (_, s) => {
    const found = [], row = probabilities.subarray(s * V, (s + 1) * V);
    for (let id = 0; id < V; id += 1) {
      if (found.length === LISTED && row[id] <= found[LISTED - 1].probability) continue;
      const place = found.findIndex(({ probability }) => probability < row[id]);
      found.splice(place < 0 ? found.length : place, 0, { word: model.pieces[id], probability: row[id] });
      found.length = Math.min(found.length, LISTED);
    }
    return found;
  });
}

/** The three vectors of every token, before they are added: { word, segment, position }, each [S, H]. */
function addends(model, { inputIds, tokenTypeIds }) {
  const H = model.about.hiddenSize, places = inputIds.map((_, s) => s);
  const rows = (kind, numbers) => {
    const { values } = model.tensors[`bert.embeddings.${kind}_embeddings.weight`], x = new Float32Array(numbers.length * H);
    numbers.forEach((number, s) => x.set(values.subarray(number * H, (number + 1) * H), s * H));
    return x;
  };
  return { word: rows("word", inputIds), segment: rows("token_type", tokenTypeIds), position: rows("position", places) };
}

/** What the page draws of a sentence: `says` is what the prediction head makes of each state at each token. */
function drawn(model, followed) {
  const V = model.pieces.length, says = followed.states.map((state) => likeliest(model, softmaxRows(wordLogits(model, readOut(model, state)), V)));
  return { tokens: followed.tokens, attentions: followed.attentions, states: followed.states, addends: addends(model, followed), says };
}

/** A sum of products, its largest ones alone: { largest: [{ index, a, b }], rest, count, bias, value }. */
function productSum(a, b, bias = 0) {
  const order = Array.from(a, (_, index) => index).sort((i, j) => Math.abs(a[j] * b[j]) - Math.abs(a[i] * b[i]));
  const sum = (indices) => indices.reduce((total, i) => total + a[i] * b[i], 0);
  return { largest: order.slice(0, LARGEST).map((index) => ({ index, a: a[index], b: b[index] })), rest: sum(order.slice(LARGEST)),
    count: a.length, bias, value: sum(order) + bias };
}

/** One output of the map `name` on x [I], as a sum of products. */
function outputOf(model, name, x, output) {
  const { columns, values } = model.tensors[`${name}.weight`];
  return productSum(x, values.subarray(output * columns, (output + 1) * columns), model.tensors[`${name}.bias`].values[output]);
}

/** The arithmetic of one number, by the block that it belongs to. */
const ARITHMETIC = {
  /** A number of a token's first vector: three added, then normed. */
  vectors(model, followed, { token, cell }) {
    const H = model.about.hiddenSize, at = token * H + cell, sums = followed.sums[0].subarray(token * H, (token + 1) * H);
    const mean = sums.reduce((total, x) => total + x, 0) / H, variance = sums.reduce((total, x) => total + (x - mean) ** 2, 0) / H;
    const [scale, shift] = ["weight", "bias"].map((part) => model.tensors[`bert.embeddings.LayerNorm.${part}`].values[cell]);
    const parts = Object.fromEntries(Object.entries(addends(model, followed)).map(([kind, x]) => [kind, x[at]]));
    return { ...parts, sum: followed.sums[0][at], mean, deviation: Math.sqrt(variance + model.about.layerNormEps), scale, shift, value: followed.states[0][at] };
  },

  /** A weight of a head: query times key, divided by the root of their length, then the softmax over all tokens. */
  attention(model, followed, { layer, head, token, to }) {
    const { hiddenSize: H, numHeads } = model.about, D = H / numHeads, S = followed.tokens.length;
    const columns = (x, s) => x.subarray(s * H + head * D, s * H + (head + 1) * D);
    const query = columns(followed.queries[layer], token), keys = followed.tokens.map((_, s) => columns(followed.keys[layer], s));
    const scores = keys.map((key) => productSum(query, key).value / Math.sqrt(D)), largest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - largest)), total = powers.reduce((a, b) => a + b, 0);
    return { dot: productSum(query, keys[to]), root: Math.sqrt(D), scores, largest, powers, total,
      weights: Array.from(followed.attentions[layer][head].subarray(token * S, (token + 1) * S)) };
  },

  /** A number of the residual stream behind a layer: what came in, and what the two sublayers add. */
  state(model, followed, { layer, token, cell }) {
    const H = model.about.hiddenSize, at = token * H + cell, name = `bert.encoder.layer.${layer}`;
    const row = (x) => x.subarray(token * (x.length / followed.tokens.length), (token + 1) * (x.length / followed.tokens.length));
    return { before: followed.states[layer][at], value: followed.states[layer + 1][at],
      attended: outputOf(model, `${name}.attention.output.dense`, row(followed.mixed[layer]), cell),
      fed: outputOf(model, `${name}.output.dense`, row(followed.wide[layer]), cell) };
  },

  /** The probability of a word at a token, were the model to stop behind so many layers. */
  says(model, followed, { layer, token, word }) {
    const H = model.about.hiddenSize, id = model.vocabulary.get(word), words = model.tensors["bert.embeddings.word_embeddings.weight"].values;
    const vector = readOut(model, followed.states[layer].slice(token * H, (token + 1) * H)), logits = wordLogits(model, vector);
    const largest = logits.reduce((a, b) => Math.max(a, b)), total = logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0);
    return { logit: productSum(vector, words.subarray(id * H, (id + 1) * H), model.tensors["cls.predictions.bias"].values[id]),
      largest, power: Math.exp(logits[id] - largest), total, count: logits.length, value: Math.exp(logits[id] - largest) / total };
  },
};
