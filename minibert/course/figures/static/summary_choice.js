// From scores to a summary: which sentences are chosen without and with trigram blocking, and which it passes over because they
// repeat three words in a row.

// Python's white space, where a text is split into words; JavaScript's \s is another set.
const BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

function wordsOf(text) {
  return text.split(BLANKS).filter((word) => word);
}

// Every three words in a row, as texts: no word holds a blank, so none can be taken for another.
function trigramsOf(text) {
  const words = wordsOf(text);
  return words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`);
}

/**
 * minibert.summarization.select_sentences, and why: `chosen` in order of score, and `passed`, [{ sentence, trigram, by }],
 * the sentences that had a better score than the last one chosen. A score of null was never given (−∞ in the package).
 */
function selectSentences(scores, sentences, k, blocking) {
  const chosen = [], passed = [], taken = new Map();
  const order = [...sentences.keys()].slice(0, scores.length).sort((i, j) => scores[j] - scores[i] || i - j).filter((i) => scores[i] !== null);
  for (const i of order) {
    if (chosen.length === k) break;
    if (!wordsOf(sentences[i]).length) continue;
    const own = trigramsOf(sentences[i]), trigram = blocking && own.find((three) => taken.has(three));
    if (trigram) passed.push({ sentence: i, trigram, by: taken.get(trigram) });
    else {
      chosen.push(i);
      for (const three of own) if (!taken.has(three)) taken.set(three, i);
    }
  }
  return { chosen, passed };
}

// What ROUGE counts: small letters and digits; nothing else is a word (rouge-score, without its stemmer).
function rougeWords(sentences) {
  return sentences.join("\n").toLowerCase().replace(/[^a-z0-9]+/g, " ").split(" ").filter((word) => word);
}

// ROUGE-N of two lists of sentences in per cent: F1 of runs of `size` words, each counted as often as it occurs.
function rouge(summary, reference, size) {
  const [own, wanted] = [summary, reference].map((sentences) => {
    const words = rougeWords(sentences), counts = new Map();
    for (let i = 0; i + size <= words.length; i += 1) {
      const run = words.slice(i, i + size).join(" ");
      counts.set(run, (counts.get(run) || 0) + 1);
    }
    return counts;
  });
  const total = (counts) => [...counts.values()].reduce((sum, count) => sum + count, 0);
  let common = 0;
  for (const [run, count] of own) common += Math.min(count, wanted.get(run) || 0);
  return common ? 200 * common / (total(own) + total(wanted)) : 0;
}

// ---- what is drawn

// A text with the words of a trigram marked, wherever they stand in a row.
function withTrigram(text, trigram) {
  const parts = text.split(new RegExp(`(${BLANKS.source})`)), words = trigram.split(" ");
  const places = [...parts.keys()].filter((i) => i % 2 === 0);
  const start = places.findIndex((_, n) => words.every((word, m) => parts[places[n + m]] === word));
  const from = places[start], to = places[start + 2];
  return start < 0 ? [text] : [parts.slice(0, from).join(""), node("b", { class: "mb-repeats" }, parts.slice(from, to + 1).join("")), parts.slice(to + 1).join("")];
}

const WAYS = [[false, "without blocking"], [true, "with blocking"]];

export default {
  render({ model, el }) {
    const { documents, titles } = model.get("data");      // a stored notebook sorts the keys of an object
    let title = titles[0], k = 3;

    const list = node("ol", { class: "mb-sentences", start: 0 });
    const picture = node("div", { class: "mb-document", tabindex: "0", role: "region", "aria-label": "the document, sentence by sentence" },
      node("p", { class: "mb-heads", "aria-hidden": "true" }, ["", "score", "sentence", ...WAYS.map(([, name]) => name)].map((text) => node("span", {}, text))), list);
    const source = node("p", { class: "mb-source" });
    const wanted = slider({ label: "Sentences", min: 1, max: longest(), value: k, oninput: (value) => { k = value; update(); } });
    const figure = stage(el, model, {
      controls: [titles.length > 1 && pick({ label: "Document", options: titles.map((each) => [each, each]), value: title, oninput: (each) => { title = each; update(); } }), wanted],
      picture: [picture, source], numbers: () => node("div", {}, judged()) });
    tips(picture);
    update();

    function longest() {
      return Math.min(10, documents[title].sentences.length);
    }

    // The chosen sentences in the order of the document, without and with blocking.
    function extracts() {
      const { scores, sentences } = documents[title];
      return WAYS.map(([blocking]) => {
        const found = selectSentences(scores, sentences, k, blocking), order = [...found.chosen].sort((i, j) => i - j);
        return { ...found, order, texts: order.map((i) => sentences[i]) };
      });
    }

    function update() {
      k = Math.min(k, longest());
      wanted.querySelector("input").max = longest();
      wanted.set(k);
      const found = extracts();
      list.replaceChildren(...rows(found));
      source.textContent = documents[title].source;
      figure.say(spoken(found));
    }

    function rows(found) {
      const { scores, sentences } = documents[title], shown = scores.filter((score) => score !== null);
      const low = Math.min(...shown), high = Math.max(...shown), { passed } = found[1];
      return sentences.map((text, i) => {
        const ranks = found.map(({ chosen }) => chosen.indexOf(i)), over = passed.find((each) => each.sentence === i), repeated = over || passed.find((each) => each.by === i);
        const share = scores[i] === null ? 0 : 15 + 85 * (scores[i] - low) / (high - low || 1);
        const score = scores[i] === null ? "not read" : number(scores[i], 3);
        const said = WAYS.map(([blocking, name], way) => `${name}: ${ranks[way] >= 0 ? `chosen as number ${ranks[way] + 1}` : blocking && over ? "passed over" : "not chosen"}`);
        return node("li", { class: (ranks[0] >= 0) !== (ranks[1] >= 0) ? "mb-differs" : "", value: i, "data-tip": `sentence ${i}: score ${score}; ${said.join("; ")}` },
          node("span", { class: "mb-number" }, i), node("span", { class: "mb-score", style: `--share: ${Math.round(share)}%` }, score),
          node("span", { class: "mb-text" }, repeated ? withTrigram(text, repeated.trigram) : text, over && node("span", { class: "mb-note" }, `repeats “${over.trigram}” of sentence ${over.by}`)),
          WAYS.map(([blocking], way) => node("span", { class: `mb-choice ${ranks[way] >= 0 ? "mb-summary" : blocking && over ? "mb-passed" : ""}`, role: "img", "aria-label": said[way] }, ranks[way] >= 0 ? "✓" : blocking && over ? "✗" : "")));
      });
    }

    function judged() {
      const { reference } = documents[title];
      if (!reference) return ["There is no reference to compare with."];
      return [node("table", {}, node("caption", {}, "Overlap with a summary by a person (F1 in per cent, words as they stand, no stemmer)"),
        node("thead", {}, node("tr", {}, node("td", {}), ["ROUGE-1", "ROUGE-2", "words"].map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, extracts().map(({ texts }, way) => node("tr", {}, node("th", { scope: "row" }, WAYS[way][1]),
          [number(rouge(texts, reference, 1), 1), number(rouge(texts, reference, 2), 1), texts.flatMap(wordsOf).length].map((text) => node("td", {}, text)))))),
      node("details", {}, node("summary", {}, `The reference, ${reference.length} sentences`), node("p", {}, reference.join(" ")))];
    }

    function spoken(found) {
      const { reference } = documents[title];
      return found.map(({ order, texts }, way) => {
        const score = reference ? ` (ROUGE-1 ${number(rouge(texts, reference, 1), 1)})` : "";
        return `${way ? "With" : "Without"} blocking: ${order.length === 1 ? "sentence" : "sentences"} ${order.join(", ")}${score}.`;
      }).join(" ");
    }
  },
};
