// A sentence with blanks: the likeliest words, what changes when the sentence changes, and the attention of every head.
(function () {
  "use strict";

  const model = window.minibertModel, { node, percent } = model;
  const SHOWN = 8, SETTLED = 1000;        // an answer that stood for so many milliseconds is what the next ones are compared with
  const BLANK = /(?:_{3}|\[mask\])_*/gi;         // as it is typed; whoever types four underscores means one blank too
  const WORD = /^(?!##|\[\w+\])/;               // not the rest of a word, not a special token
  let box, shown = null, before = null, blank = 0;

  const ask = model.asker("fill", { show, fail: refuse });

  function start() {
    box = model.parts(document.querySelector("[data-tool=fill]"));
    const changed = model.soon(question);
    box.text.oninput = () => { readUnderscores(); changed(); };
    document.querySelectorAll("[data-tool=fill] [data-example]").forEach((button) => { button.onclick = () => set(button.dataset.example); });
    box.results.hidden = true;
    question();
  }

  /** Three underscores become a blank while one types, and the cursor stays behind it. */
  function readUnderscores() {
    const place = box.text.selectionEnd, head = box.text.value.slice(0, place), typed = head.replace(BLANK, "[MASK]");
    const text = typed + box.text.value.slice(place).replace(BLANK, "[MASK]");
    if (text === box.text.value) return;
    box.text.value = text;
    box.text.setSelectionRange(typed.length, typed.length);
  }

  function set(text) {
    box.text.value = text;
    question();
  }

  function question() {
    ask({ text: box.text.value });
  }

  /** No answer: nothing of an older sentence stays beside what is wrong with this one. */
  function refuse(sentence) {
    fail(sentence);
    box.words.replaceChildren();
    model.showAttention({ tokens: [], attentions: null });
  }

  function fail(sentence) {
    box.error.textContent = sentence;
    box.text.toggleAttribute("aria-invalid", Boolean(sentence));
    if (sentence) box.text.setAttribute("aria-invalid", "true");
    box.results.hidden = Boolean(sentence);
    if (sentence) box.status.textContent = "";
  }

  function show(answer, { text }) {
    drawWords(answer, text);
    model.showAttention(answer);
    if (!answer.blanks.length) return fail("There is no blank in this sentence. Type [MASK] or three underscores where a word is missing, or press a word above to hide it.");
    fail("");
    if (shown && shown.text !== text && performance.now() - shown.since > SETTLED) before = shown;
    if (before && (before.text === text || before.blanks.length !== answer.blanks.length)) before = null;
    if (!shown || shown.text !== text) shown = { text, since: performance.now(), blanks: answer.blanks };
    blank = Math.min(blank, answer.blanks.length - 1);
    drawBlanks(answer.blanks.length);
    drawAnswers();
    performance.mark("minibert-answer");
  }

  // ---- the words of the sentence, to hide one with a press

  function drawWords({ words }, text) {
    const focused = Array.from(box.words.children).indexOf(document.activeElement);
    box.words.replaceChildren(...words.map(({ start, end, special }) => {
      const word = text.slice(start, end);
      if (special && word !== "[MASK]") return node("span", {}, word);
      return node("button", { type: "button", class: special ? "model-blank" : false, "aria-label": special ? "the blank: put the likeliest word there" : `hide ${word}`,
        onclick: () => replaceWord(text, start, end, special) }, special ? "▁▁▁" : word);
    }));
    if (focused >= 0 && box.words.children.length) box.words.children[Math.min(focused, box.words.children.length - 1)].focus();
  }

  function replaceWord(text, start, end, isBlank) {
    if (text !== box.text.value) return;        // typed on since it was drawn
    const number = text.slice(0, start).split("[MASK]").length - 1;
    if (!isBlank) blank = number;               // the new blank is the one that is shown
    set(text.slice(0, start) + (isBlank ? best(shown.blanks[number].probabilities, 1, WORD)[0].word : "[MASK]") + text.slice(end));
  }

  // ---- the answers

  function best(probabilities, many, kind = /^/) {
    const found = [];
    for (let id = 0; id < probabilities.length; id += 1) {
      if (found.length === many && probabilities[id] <= found[many - 1].probability || !kind.test(model.pieces[id])) continue;
      let place = found.length;
      while (place > 0 && found[place - 1].probability < probabilities[id]) place -= 1;
      found.splice(place, 0, { id, word: model.pieces[id], probability: probabilities[id] });
      found.length = Math.min(found.length, many);
    }
    return found;
  }

  function drawBlanks(many) {
    const choose = (event) => { blank = Number(event.target.value); drawAnswers(); };
    box.blanks.replaceChildren(...(many < 2 ? [] : [node("fieldset", { class: "model-controls" }, node("legend", {}, "Which blank"),
      Array.from({ length: many }, (_, i) => node("label", {}, node("input", { type: "radio", name: "model-blank", value: i, checked: i === blank, onchange: choose }), ` ${i + 1}`)))]));
  }

  function drawAnswers() {
    const now = shown.blanks[blank].probabilities, old = before && before.blanks[blank].probabilities;
    const words = best(now, SHOWN);
    box.change.hidden = !old;
    box.answers.tBodies[0].replaceChildren(...words.map(({ id, word, probability }) => node("tr", {},
      node("th", { scope: "row" }, word), node("td", { class: "model-bar", style: `--share: ${percent(probability)}` }, percent(probability)), old && changeOf(probability - old[id]))));
    box.status.textContent = `First word: “${words[0].word}”, ${percent(words[0].probability)}. Then ${words.slice(1, 4).map(({ word, probability }) => `“${word}” ${percent(probability)}`).join(", ")}.`;
    box.before.replaceChildren(...(old ? compared(now, old, words) : []));
  }

  /** Percentage points up or down; nothing where it rounds to nothing. */
  function changeOf(change) {
    const points = (100 * change).toFixed(1), isNone = Number(points) === 0;
    return node("td", { class: isNone ? false : change > 0 ? "model-up" : "model-down" }, isNone ? "·" : change > 0 ? `▲ ${points}` : `▼ ${points.slice(1)}`);
  }

  function compared(now, old, words) {
    const moved = now.reduce((sum, probability, id) => sum + Math.abs(probability - old[id]), 0) / 2;
    const isLower = ({ id, probability }) => Number((100 * (probability - now[id])).toFixed(1)) > 0;       // one that is shown may stay, or rise
    const gone = best(old, SHOWN).filter((word) => isLower(word) && words.every(({ id }) => id !== word.id)).slice(0, 4);
    return ["Compared with ", node("q", {}, ...differing(before.text, shown.text)), `: ${percent(moved, 0)} of the probability has moved to other words.`,
      ...(gone.length ? [" Lower now: ", gone.map(({ id, word, probability }) => `“${word}” (${percent(probability)}, now ${percent(now[id])})`).join(", "), "."] : [])];
  }

  /** The older text, with the words marked that the newer one does not have. */
  function differing(older, newer) {
    const [a, b] = [older, newer].map((text) => text.replaceAll("[MASK]", "▁▁▁").split(" "));
    let first = 0, last = 0;
    while (first < a.length && a[first] === b[first]) first += 1;
    while (last < a.length - first && last < b.length - first && a[a.length - 1 - last] === b[b.length - 1 - last]) last += 1;
    const middle = a.slice(first, a.length - last).join(" ");
    return [[...a.slice(0, first), ""].join(" "), middle ? node("mark", {}, middle) : "", ["", ...a.slice(a.length - last)].join(" ")];
  }

  model.tools.push(start);
})();
