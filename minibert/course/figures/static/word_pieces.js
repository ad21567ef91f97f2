// A sentence, its words, their pieces, and the search for the pieces of one word. wordpiece.js does the cutting.

const MOST_SHOWN = 60;      // questions; a word of a hundred letters can take five thousand

function firstDifference(before, after) {
  let i = 0;
  while (i < before.length && before[i] === after[i]) i += 1;
  return i;
}

// The pieces of one word: itself, if it is a special token.
function piecesOf(token, vocabulary) {
  return token.special ? [{ piece: token.word, id: vocabulary.get(token.word) }] : longestMatch(token, vocabulary).pieces;
}

// Every piece that was looked up for a word, in turn: [{ piece, first, found, id }].
function questions(token, vocabulary) {
  let first = 0;
  return longestMatch(token, vocabulary).steps.flatMap(({ tried, piece }) => {
    const row = tried.map((candidate) => ({ piece: candidate, first, found: candidate === piece, id: vocabulary.get(candidate) }));
    first += piece === null ? 0 : Array.from(piece).length - (first ? 2 : 0);
    return row;
  });
}

function pieceChip({ piece, id }) {
  const kind = piece === "[UNK]" ? "mb-unknown" : piece.startsWith("##") ? "mb-rest" : "mb-begin";
  return node("span", { class: `mb-piece ${kind}` }, node("span", {}, piece), node("small", {}, id));
}

function heading(text, token) {
  const original = text.slice(token.start, token.end);
  const how = token.special ? "is a special token: it is taken whole."
    : token.characters.length > 100 ? `has ${token.characters.length} characters. Beyond 100 nothing is looked up.`
      : "is cut by longest match first. Is this piece in the vocabulary?";
  return node("p", {}, node("strong", {}, `“${token.word}”`), original === token.word ? "" : `, in the text “${original}”,`, ` ${how}`);
}

// The searches from question number `left` + 1 on, one beside the other: each piece under the letters that it asks for.
function searches(asked, left) {
  const columns = [];
  asked.forEach((question, i) => {
    if (!i || asked[i - 1].first !== question.first) columns.push([]);
    columns.at(-1).push({ ...question, count: left + i + 1 });
  });
  return columns.map((column, i) => node("ol", { class: "mb-questions", start: column[0].count, "aria-label": `search ${i + 1}` },
    column.map(({ piece, first, found, id, count }) => node("li", { class: found ? "mb-found" : "", "data-tip": `Question ${count}: ${found ? `yes, “${piece}” has the id ${id}` : `“${piece}” is not in the vocabulary`}` },
      node("code", {}, first ? node("span", { class: "mb-mark" }, "##") : "", first ? piece.slice(2) : piece), node("span", { class: "mb-answer" }, found ? `✓ ${id}` : "✗ no")))));
}

// What is seen, in one or two sentences.
function summary(tokens, chosen, asked, done, vocabulary) {
  if (!tokens.length) return "There is no word in the text.";
  const token = tokens[chosen], pieces = piecesOf(token, vocabulary);
  const found = asked.filter((question) => question.found).map(({ piece }) => piece);
  const last = asked[asked.length - 1];
  const all = tokens.flatMap((each) => piecesOf(each, vocabulary));
  const unknown = all.filter(({ piece }) => piece === "[UNK]").length;
  const whole = `${counted(tokens.length, "word")}, ${counted(all.length, "piece")}, ${unknown || "none"} unknown.`;
  if (!done) return `“${last.piece}” is ${last.found ? "" : "not "}in the vocabulary. Cut so far: ${found.join(" ") || "nothing"}.`;
  if (pieces[0].piece === "[UNK]" && last) return `“${last.piece}” is not in the vocabulary, and nothing shorter is left: the whole word is [UNK]. ${whole}`;
  return `“${token.word}” is ${pieces.map(({ piece }) => piece).join(" ")}${asked.length ? `, after ${counted(asked.length, "question")}` : ""}. ${whole}`;
}

function counted(count, thing) {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

export default {
  render({ model, el }) {
    const data = model.get("data");
    const vocabulary = vocabularyOf(data.vocabulary);
    let text = data.text, chosen = data.word, tokens = [], asked = [];

    const sentence = node("ol", { class: "mb-words" });
    const search = node("div", { class: "mb-search" });
    const ladder = node("div", { class: "mb-ladder mb-scroll", tabindex: "0", role: "region", "aria-label": "questions asked so far" });
    const steps = node("div", { class: "mb-steps" });
    const figure = stage(el, model, { controls: [field({ label: "A sentence", value: text, oninput: typed })], picture: [sentence, search, steps, ladder], numbers });
    tips(ladder);
    cut();

    function typed(value) {
      const changed = firstDifference(text, value);
      text = value;
      cut(changed);
    }

    // Cuts the text anew. The word in which something has changed is the one to follow.
    function cut(changed = -1) {
      tokens = basicTokens(text, { lowerCase: data.lowerCase });
      const touched = tokens.findIndex((token) => token.start <= changed && changed <= token.end);
      chosen = clamp(touched >= 0 ? touched : chosen, 0, Math.max(0, tokens.length - 1));
      drawWords();
      follow();
    }

    function drawWords() {
      const cuts = tokens.map((token) => piecesOf(token, vocabulary));
      sentence.replaceChildren(...tokens.map((token, i) => node("li", {},
        node("button", { type: "button", "aria-pressed": String(i === chosen), onclick: () => choose(i) }, token.word),
        node("span", { class: "mb-pieces" }, cuts[i].map(pieceChip)))));
    }

    // What the model gets: a piece a row, between the two tokens that begin and end a text.
    function numbers() {
      const all = ["[CLS]", ...tokens.flatMap((token) => piecesOf(token, vocabulary).map(({ piece }) => piece)), "[SEP]"];
      return node("table", {}, node("caption", {}, "What the model gets"), node("tbody", {}, ["piece", "id"].map((name) =>
        node("tr", {}, node("th", { scope: "row" }, name), all.map((piece) => node("td", {}, node("code", {}, name === "id" ? vocabulary.get(piece) : piece)))))));
    }

    function choose(i) {
      chosen = i;
      sentence.querySelectorAll("button").forEach((button, place) => button.setAttribute("aria-pressed", String(place === chosen)));
      follow();
    }

    // Begins the search for the pieces of the chosen word, at its end.
    function follow() {
      asked = tokens.length ? questions(tokens[chosen], vocabulary) : [];
      search.replaceChildren(tokens.length ? heading(text, tokens[chosen]) : "Nothing to cut.");
      steps.replaceChildren(...(asked.length > 1 ? [slider({ label: "Question", min: 1, max: asked.length, value: asked.length, text: (n) => `${n} of ${asked.length}`, oninput: ask })] : []));
      ladder.style.minHeight = "";
      ask(asked.length);
      ladder.style.minHeight = `${ladder.getBoundingClientRect().height}px`;      // fewer questions need no less room, so nothing moves under the hand
    }

    // Shows the search up to question n.
    function ask(n) {
      const left = Math.max(0, n - MOST_SHOWN);
      ladder.hidden = n === 0;
      ladder.querySelectorAll(".mb-questions").forEach((column) => column.remove());
      ladder.prepend(...searches(asked.slice(left, n), left));
      ladder.scrollTop = ladder.scrollHeight;
      figure.say(summary(tokens, chosen, asked.slice(0, n), n === asked.length, vocabulary));
    }
  },
};
