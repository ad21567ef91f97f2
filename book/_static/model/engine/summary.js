// An extractive summary, as minibert/summarization computes it: read the document in windows, score its sentences, choose.

/** Windows of whole sentences that overlap by about half: minibert/summarization/documents/windows.py, encode_windows. */
function encodeWindows(model, pieces, maxLength) {
  const sizes = pieces.map(({ ids }) => Math.min(ids.length + 2, maxLength)), windows = [];
  for (let start = 0; ;) {
    let end = start, tokens = 0;
    while (end < pieces.length && tokens + sizes[end] <= maxLength) tokens += sizes[end++];
    windows.push(joinSentences(model, pieces.slice(start, end), maxLength));
    if (end === pieces.length) return windows;
    // the next one begins where half of this one is over, or later, where there is room for the next sentence
    let left = tokens - sizes[start++];
    while (start < end && (left > tokens / 2 || left + sizes[end] > maxLength)) left -= sizes[start++];
  }
}

/** [CLS] first sentence [SEP] [CLS] second sentence [SEP] …, segments in turn. */
function joinSentences(model, pieces, maxLength) {
  const window = { inputIds: [], tokenTypeIds: [], positions: [], sentences: [], cut: false };
  const [cls, sep] = [model.vocabulary.get("[CLS]"), model.vocabulary.get("[SEP]")];
  for (const [place, { sentence, ids }] of pieces.entries()) {
    const room = maxLength - window.inputIds.length - 2;
    if (room < 1) break;
    window.positions.push(window.inputIds.length);
    window.sentences.push(sentence);
    window.inputIds.push(cls, ...ids.slice(0, room), sep);
    while (window.tokenTypeIds.length < window.inputIds.length) window.tokenTypeIds.push(model.about.summarizer.segments ? place % 2 : 0);
    window.cut = ids.length > room;
  }
  return window;
}

/** For every sentence the window, and the place in it, with the most tokens around it on its poorer side. */
function bestPlaces(windows) {
  const best = new Map();
  windows.forEach((window, number) => window.sentences.forEach((sentence, place) => {
    const end = window.positions[place + 1] ?? window.inputIds.length;
    const around = Math.min(window.positions[place], window.inputIds.length - end);
    if (!best.has(sentence) || around > best.get(sentence).around) best.set(sentence, { around, number, place });
  }));
  return best;
}

/** The vector of each sentence of a window: the mean of its tokens, or its [CLS], as the head was trained. */
function sentenceVectors(model, window) {
  const { hiddenSize: H, summarizer } = model.about;
  const { hidden } = encode(model, window.inputIds, window.tokenTypeIds, summarizer.layers);
  return window.positions.map((begin, place) => {
    if (summarizer.vector === "cls") return hidden.slice(begin * H, (begin + 1) * H);
    const end = window.positions[place + 1] ?? window.inputIds.length, mean = new Float32Array(H);
    for (let i = begin * H; i < end * H; i += 1) mean[i % H] += hidden[i] / (end - begin);
    return mean;
  });
}

/** sigmoid(w GELU(W LN(T) + c) + b): minibert/summarization/heads.py, SentenceClassifier. PyTorch's LayerNorm has eps 1e-5. */
function sentenceScore(model, vector) {
  const inner = gelu(linear(model, "head.inner.2", norm(model, "head.inner.0", vector.slice(), 1e-5)));
  return 1 / (1 + Math.exp(-linear(model, "head.scorer", inner)[0]));
}

/** Scores of all sentences, null where a sentence has no piece; `between(done, all)` is awaited after each window. */
async function scoreDocument(model, sentences, between) {
  const pieces = sentences.map((text, sentence) => ({ sentence, ids: wordPieces(text, model.vocabulary, model.about).map(({ id }) => id) })).filter(({ ids }) => ids.length);
  if (!pieces.length) throw new Wrong("There is no text to read yet. Paste a few paragraphs.");
  const windows = encodeWindows(model, pieces, model.about.maxPositions), vectors = [];
  for (const window of windows) {
    vectors.push(sentenceVectors(model, window));
    await between(vectors.length, windows.length);
  }
  const scores = sentences.map(() => null);
  for (const [sentence, { number, place }] of bestPlaces(windows)) scores[sentence] = sentenceScore(model, vectors[number][place]);
  return { scores, windows: windows.length, tokens: pieces.reduce((sum, { ids }) => sum + ids.length + 2, 0),
    cut: [...new Set(windows.filter(({ cut }) => cut).map((window) => window.sentences[window.sentences.length - 1]))] };
}

/** At most k sentences, the best scores first, given back in document order: minibert/summarization/selection.py. */
function selectSentences(scores, sentences, k, blockTrigrams) {
  const chosen = [], passedOver = [], taken = new Set();
  const order = sentences.map((_, i) => i).filter((i) => scores[i] !== null).sort((a, b) => scores[b] - scores[a] || a - b);
  for (const i of order) {
    if (chosen.length === k) break;
    const words = wordsOf(sentences[i]), trigrams = words.slice(2).map((_, n) => words.slice(n, n + 3).join(" "));
    if (blockTrigrams && trigrams.some((trigram) => taken.has(trigram))) passedOver.push(i);
    else {
      chosen.push(i);
      trigrams.forEach((trigram) => taken.add(trigram));
    }
  }
  return { chosen: chosen.sort((a, b) => a - b), passedOver: passedOver.sort((a, b) => a - b) };
}
