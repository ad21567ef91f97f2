// BERT's tokenizer, as minibert.WordPieceTokenizer cuts: clean, split at spaces and punctuation, then longest match first.
// Plain top-level functions, for a classic script and for a figure; nothing is asked for and nothing is kept.
// Offsets count as JavaScript's strings do: text.slice(start, end) is what a piece was cut from.

/** The five tokens that are recognised where they stand in a text, in capitals only. */
function specialTokens() {
  return ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
}

/** The lines of a vocab.txt as a Map of piece to id. */
function vocabularyOf(lines) {
  return new Map(lines.replace(/\n$/, "").split("\n").map((piece, id) => [piece, id]));
}

/** The pieces of a text, without [CLS] and [SEP]: [{ piece, id, start, end }]. `vocabulary` is a Map of piece to id. */
function wordPieces(text, vocabulary, { lowerCase = true } = {}) {
  return basicTokens(text, { lowerCase }).flatMap((token) => token.special
    ? [{ piece: token.word, id: vocabulary.get(token.word), start: token.start, end: token.end }]
    : longestMatch(token, vocabulary).pieces);
}

/** The words of a text before they are cut: [{ word, start, end, special, characters: [{ char, start, end }] }]. */
function basicTokens(text, { lowerCase = true } = {}) {
  const special = /\[(?:PAD|UNK|CLS|SEP|MASK)\]/g;
  const tokens = [];
  let start = 0;
  for (const match of text.matchAll(special)) {
    tokens.push(...wordsBetween(text, start, match.index, lowerCase));
    start = match.index + match[0].length;
    tokens.push({ word: match[0], start: match.index, end: start, special: true, characters: [] });
  }
  return [...tokens, ...wordsBetween(text, start, text.length, lowerCase)];
}

function wordsBetween(text, start, end, lowerCase) {
  const words = [];
  let word = [];
  const close = () => {
    if (word.length) words.push(wordOf(word));
    word = [];
  };
  for (const character of normalised(text, start, end, lowerCase)) {
    if (isSpace(character.char)) close();
    else if (isChinese(character.char) || isPunctuation(character.char)) {
      close();
      words.push(wordOf([character]));
    } else word.push(character);
  }
  close();
  return words;
}

function wordOf(characters) {
  return {
    word: characters.map((character) => character.char).join(""), start: characters[0].start,
    end: characters[characters.length - 1].end, special: false, characters,
  };
}

/** The characters that are left of text[start:end], each with its place in the text: no controls, no accents, lower case. */
function normalised(text, start, end, lowerCase) {
  const characters = [];
  let place = start;
  for (const char of text.slice(start, end)) {
    const from = place;
    place += char.length;
    if (isDropped(char)) continue;
    for (const part of lowerCase ? lowered(char) : [char]) characters.push({ char: part, start: from, end: place });
  }
  return characters;
}

/** A character taken apart, without its accents, each part in lower case: "É" as ["e"]. */
function lowered(char) {
  const parts = isYoung(char) ? [char] : [...char.normalize("NFD")].filter((part) => !isAccent(part));
  return parts.flatMap((part) => [...part.toLowerCase()]);
}

/** A mark that takes no room of its own. */
function isAccent(char) {
  return /[\p{Mn}\u1734\u{1171e}]/u.test(char) && char !== "\u{111c9}";
}

function isSpace(char) {
  return /[\t\n\r\p{White_Space}]/u.test(char);
}

/** Controls, invisible formatting, private use, halves of a pair; never a tab or the end of a line. */
function isDropped(char) {
  return char === "\ufffd" || /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(char) && !/[\t\n\r]/.test(char) && !isYoung(char);
}

/** The signs of ASCII, and whatever Unicode calls punctuation. */
function isPunctuation(char) {
  return /[!-/:-@[-`{-~\p{P}\u166d\u{111c9}]/u.test(char) && !isYoung(char);
}

/**
 * Signs and accents that came after Unicode 8, the edition of the package's library: it takes them for letters, and every
 * browser knows a newer one. (The four code points above are those that have changed their kind since. Marks
 * that are kept stay in the order of the text; the library sorts them as Unicode wants it, which can move an offset by a mark.)
 */
function isYoung(char) {
  return YOUNG.test(char);
}

const YOUNG = new RegExp("[" + [
  "\\u061d\\u07fd\\u0890-\\u08e2\\u09fd\\u09fe\\u0a76\\u0afa-\\u0aff\\u0b55\\u0c04-\\u0c3c\\u0c77\\u0c84\\u0d00\\u0d3b\\u0d3c\\u0d81\\u0eba\\u0ece",
  "\\u180f-\\u1886\\u1abf-\\u1aeb\\u1b4e\\u1b4f\\u1b7d-\\u1b7f\\u1df6-\\u1dfb\\u2e43-\\u2e5d\\ua82c\\ua8c5\\ua8ff\\ua9bd",
  "\\u{105c9}-\\u{105e4}\\u{10d24}-\\u{10d27}\\u{10d69}-\\u{10f89}\\u{11070}-\\u{11074}\\u{110c2}-\\u{110cd}\\u{111cf}\\u{1123e}-\\u{11241}\\u{1133b}",
  "\\u{11383}-\\u{1145e}\\u{11660}-\\u{1166c}\\u{116b9}\\u{1182f}-\\u{11fff}\\u{12ff1}-\\u{1612f}\\u{16d68}-\\u{16e9a}\\u{16f4f}\\u{16fe2}-\\u{16fe4}",
  "\\u{1cf00}-\\u{1cf46}\\u{1e000}-\\u{1e6f5}\\u{1e944}-\\u{1e95f}",
].join("") + "]", "u");

/** The blocks of Chinese characters that BERT's own program sets apart. */
function isChinese(char) {
  return /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/u.test(char);
}

/**
 * One word cut by longest match first: `pieces` as wordPieces gives them, and `steps`, what was tried for each of them:
 * [{ tried: [candidate, …], piece }], where the piece is the last one tried, or null when none was found.
 */
function longestMatch({ start, end, characters }, vocabulary) {
  const unknown = { piece: "[UNK]", id: vocabulary.get("[UNK]"), start, end };
  const pieces = [], steps = [];
  if (characters.length > 100) return { pieces: [unknown], steps };      // too long to be worth a search
  for (let first = 0; first < characters.length;) {
    const tried = [];
    let last = characters.length + 1, piece = null;
    while (piece === null && --last > first) {
      const candidate = (first ? "##" : "") + characters.slice(first, last).map((character) => character.char).join("");
      tried.push(candidate);
      if (vocabulary.has(candidate)) piece = candidate;
    }
    steps.push({ tried, piece });
    if (piece === null) return { pieces: [unknown], steps };             // one place where nothing fits spoils the word
    pieces.push({ piece, id: vocabulary.get(piece), start: characters[first].start, end: characters[last - 1].end });
    first = last;
  }
  return { pieces, steps };
}
