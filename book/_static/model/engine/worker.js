// The worker: takes the weights part by part, then questions, one after the other, so that typing in the page never waits.

/** What a reader did wrong, said in a sentence for the page. */
class Wrong extends Error {}

const MOST_SENTENCES = 2000;
let about, bytes, missing, model, readDocument = {}, isUnwanted, followed = {};

function begin(data) {
  about = data;
  bytes = new Uint8Array(about.bytes);
  missing = new Set(Array.from({ length: about.parts }, (_, part) => part));
}

function receive({ part, text }) {
  decodeBytes(text, bytes, part * about.partBytes);
  missing.delete(part);
  if (missing.size === 0) model = openModel(about, bytes);
  postMessage({ received: about.parts - missing.size, parts: about.parts, ready: missing.size === 0 });
}

/** The pieces of [CLS] first [SEP], or of [CLS] first [SEP] second [SEP], with ids and segments. */
function tokensOf(first, second) {
  const special = (piece) => ({ piece, id: model.vocabulary.get(piece) });
  const rows = [[special("[CLS]"), ...wordPieces(first, model.vocabulary, about), special("[SEP]")]];
  if (second !== undefined) rows.push([...wordPieces(second, model.vocabulary, about), special("[SEP]")]);
  const tokens = rows.flat();
  if (tokens.length > about.maxPositions) throw new Wrong(`This is too long: ${tokens.length.toLocaleString("en")} tokens, and the model has places for ${about.maxPositions}. Shorten the text.`);
  return { tokens, inputIds: tokens.map(({ id }) => id), tokenTypeIds: rows.flatMap((row, segment) => row.map(() => segment)) };
}

/** The sentence on its way, some heads switched off; kept until something else is asked for. */
function followText({ text, off }) {
  if (followed.text !== text || String(followed.off) !== String(off)) {
    const read = tokensOf(text);
    if (read.tokens.length === 2) throw new Wrong("There is no sentence yet. Type one.");
    if (read.tokens.length > MOST_DRAWN) throw new Wrong(`This sentence has ${read.tokens.length.toLocaleString("en")} tokens; the picture has room for ${MOST_DRAWN}. Shorten it.`);
    followed = { text, off, ...follow(model, read, off) };
  }
  return followed;
}

const ANSWERS = {
  /** A text with blanks: its tokens, and the probabilities of all pieces in each blank. */
  fill({ text }) {
    const { tokens, inputIds, tokenTypeIds } = tokensOf(text);
    if (tokens.length === 2) throw new Wrong("There is no sentence yet. Type one, with a blank in it.");
    const { hidden } = encode(model, inputIds, tokenTypeIds);
    const blanks = tokens.map(({ piece }, place) => (piece === "[MASK]" ? place : -1)).filter((place) => place >= 0);
    return { tokens, blanks: blanks.map((place) => ({ place, probabilities: wordProbabilities(model, hidden, place) })) };
  },

  /** A sentence on its way through the model: all that the page draws of it. */
  through(question) {
    return drawn(model, followText(question));
  },

  /** The arithmetic of one number of that sentence. */
  unfold({ text, off, block, ...which }) {
    return ARITHMETIC[block](model, followText({ text, off }), which);
  },

  /** Two texts: how likely the second follows the first, and the other way round; and how likely another text follows the first. */
  pair({ first, second, other }) {
    const [isEmpty] = [[first, "first"], [second, "second"]].filter(([text]) => !wordPieces(text, model.vocabulary, about).length);
    if (isEmpty) throw new Wrong(`The ${isEmpty[1]} text is empty. Type a sentence there.`);
    const follows = (a, b) => {
      const { inputIds, tokenTypeIds } = tokensOf(a, b);
      return followProbability(model, encode(model, inputIds, tokenTypeIds).hidden);
    };
    return { follows: follows(first, second), swapped: follows(second, first), unrelated: follows(first, other) };
  },

  /** A document: its paragraphs of sentences, all scores, and which sentences are chosen. Scores are kept while the text stays. */
  async summary({ id, text, k, blockTrigrams }) {
    if (readDocument.text !== text) {
      const paragraphs = splitParagraphs(text), sentences = paragraphs.flat();
      if (sentences.length > MOST_SENTENCES) throw new Wrong(`This has ${sentences.length.toLocaleString("en")} sentences. The page reads up to ${MOST_SENTENCES.toLocaleString("en")}; the command minibert summarize reads any text.`);
      isUnwanted = false;
      const read = await scoreDocument(model, sentences, async (done, all) => {
        postMessage({ id, done, all });
        await new Promise((resolve) => setTimeout(resolve));       // lets a question of another tool, or a drop, in between
        if (isUnwanted) throw new Wrong("Another text has come, so this one was not read to its end.");
      });
      readDocument = { text, paragraphs, sentences, read };
    }
    const { paragraphs, sentences, read } = readDocument;
    return { paragraphs, ...read, ...selectSentences(read.scores, sentences, k, blockTrigrams) };
  },
};

onmessage = async ({ data }) => {
  if (data.about) begin(data.about);
  else if (data.text !== undefined && data.part !== undefined) receive(data);
  else if (data.drop) isUnwanted = true;
  else {
    try {
      postMessage({ id: data.id, answer: await ANSWERS[data.task](data) });
    } catch (error) {
      postMessage({ id: data.id, error: error instanceof Wrong ? error.message : `The model's program failed: ${error.message}` });
    }
  }
};
