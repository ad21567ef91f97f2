// BERT as minibert/model.py computes it, for one text at a time: no batch, so no padding and no attention mask.

/** A model: what stands where (`about`, from the build), the tensors by name, the vocabulary. */
function openModel(about, bytes) {
  const pieces = about.vocabulary.split("\n");
  return { about, pieces, vocabulary: vocabularyOf(about.vocabulary), tensors: readTensors(about.tensors, bytes) };
}

/** The map `name` of the model on x [S, I] -> [S, O]. */
function linear(model, name, x) {
  const { rows, columns, values } = model.tensors[`${name}.weight`];
  return multiply(x, x.length / columns, values, rows, columns, model.tensors[`${name}.bias`].values);
}

function norm(model, name, x, eps = model.about.layerNormEps) {
  return layerNorm(x, model.tensors[`${name}.weight`].values, model.tensors[`${name}.bias`].values, eps);
}

/** Word + segment + position, and their norm: [S, H]. */
function embed(model, inputIds, tokenTypeIds, note) {
  const H = model.about.hiddenSize, x = new Float32Array(inputIds.length * H);
  const [words, positions, segments] = ["word", "position", "token_type"].map((kind) => model.tensors[`bert.embeddings.${kind}_embeddings.weight`].values);
  for (let s = 0; s < inputIds.length; s += 1) {
    for (let i = 0; i < H; i += 1) x[s * H + i] = words[inputIds[s] * H + i] + segments[tokenTypeIds[s] * H + i] + positions[s * H + i];
  }
  note("sums", x);
  return norm(model, "bert.embeddings.LayerNorm", x);
}

/** One head's columns of x [S, H] as a matrix [S, D]; transposed, [D, S]. */
function headColumns(x, S, H, first, D, transposed) {
  const out = new Float32Array(S * D);
  for (let s = 0; s < S; s += 1) {
    for (let d = 0; d < D; d += 1) out[transposed ? d * S + s : s * D + d] = x[s * H + first + d];
  }
  return out;
}

/** softmax(Q K^T / √D) V for every head, side by side: [S, H], and each head's weights [S, S]. */
function attend(query, key, value, S, H, heads) {
  const D = H / heads, mixed = new Float32Array(S * H), allWeights = [];
  for (let i = 0; i < query.length; i += 1) query[i] /= Math.sqrt(D);
  for (let first = 0; first < H; first += D) {
    const scores = multiply(headColumns(query, S, H, first, D), S, headColumns(key, S, H, first, D), S, D);
    const weights = softmaxRows(scores, S);
    const part = multiply(weights, S, headColumns(value, S, H, first, D, true), D, S);
    for (let s = 0; s < S; s += 1) mixed.set(part.subarray(s * D, (s + 1) * D), s * H + first);
    allWeights.push(weights);
  }
  return { mixed, weights: allWeights };
}

/** The encoder on one text: { hidden: [S, H] of the last layer, attentions: layer by layer, head by head, [S, S] }.
 * Post-norm: a norm after each sum. Pre-norm: one of a copy before each sublayer, for the sum goes on without it, and one at the end.
 * `note(name, x)` is told what comes up on the way, layer by layer; x changes afterwards, so it has to copy what it keeps. */
function encode(model, inputIds, tokenTypeIds, layers = model.about.numLayers, note = () => {}) {
  const S = inputIds.length, { hiddenSize, numHeads, normFirst } = model.about, attentions = [];
  const before = (name, x) => (normFirst ? norm(model, name, x.slice()) : x), after = (name, x) => (normFirst ? x : norm(model, name, x));
  let hidden = embed(model, inputIds, tokenTypeIds, note);
  note("states", hidden);
  for (let layer = 0; layer < layers; layer += 1) {
    const name = `bert.encoder.layer.${layer}`;
    const inner = before(`${name}.attention.output.LayerNorm`, hidden);
    const [query, key, value] = ["query", "key", "value"].map((part) => linear(model, `${name}.attention.self.${part}`, inner));
    note("queries", query);
    note("keys", key);
    const { mixed, weights } = attend(query, key, value, S, hiddenSize, numHeads);
    note("mixed", mixed);
    const attended = linear(model, `${name}.attention.output.dense`, mixed);
    note("attended", attended);
    hidden = after(`${name}.attention.output.LayerNorm`, add(attended, hidden));
    const wide = gelu(linear(model, `${name}.intermediate.dense`, before(`${name}.output.LayerNorm`, hidden)));
    note("wide", wide);
    const fed = linear(model, `${name}.output.dense`, wide);
    note("fed", fed);
    hidden = after(`${name}.output.LayerNorm`, add(fed, hidden));
    note("states", hidden);
    attentions.push(weights);
  }
  return { hidden: before("bert.encoder.norm", hidden), attentions };
}

function add(x, y) {
  for (let i = 0; i < x.length; i += 1) x[i] += y[i];
  return x;
}

/** What the prediction head compares with the words: [S, H]. */
function predictionVectors(model, hidden) {
  return norm(model, "cls.predictions.transform.LayerNorm", gelu(linear(model, "cls.predictions.transform.dense", hidden)));
}

/** The logits of all V pieces for vectors [S, H] out of the line above: [S, V]. */
function wordLogits(model, vectors) {
  const H = model.about.hiddenSize, words = model.tensors["bert.embeddings.word_embeddings.weight"];
  return multiply(vectors, vectors.length / H, words.values, words.rows, H, model.tensors["cls.predictions.bias"].values);
}

/** The probabilities of all V pieces at one place of the encoded text. Only this place goes through the head. */
function wordProbabilities(model, hidden, place) {
  const H = model.about.hiddenSize;
  return softmaxRows(wordLogits(model, predictionVectors(model, hidden.slice(place * H, (place + 1) * H))), model.pieces.length);
}

/** The probability that the second text of a pair follows the first: class 0 of the head on the pooled [CLS]. */
function followProbability(model, hidden) {
  const pooled = linear(model, "bert.pooler.dense", hidden.slice(0, model.about.hiddenSize)).map(Math.tanh);
  return softmaxRows(linear(model, "cls.seq_relationship", pooled), 2)[0];
}
