// The landing page's sentence with a blank: its words can be changed, and the blank shows what the model says. Recorded answers come at
// once; the first touch loads the model, which answers everything else.
(function () {
  "use strict";

  const model = window.minibertModel, { node, percent } = model;
  const SHOWN = 5, BLANK = "[MASK]";
  let box, words = [], isEditing = false;
  const ask = model.asker("fill", { show, fail: (sentence) => { box.status.textContent = sentence; } });

  function start() {
    box = model.parts(document.querySelector("[data-tool=fill]"));
    words = model.recorded.through.text.split(" ");
    box.tries.replaceChildren("Try ", ...Object.keys(model.recorded.landing).map((word) => node("button", { type: "button", "data-word": word, onclick: () => change(model.recorded.place, word) }, word)),
      " or press any word to write another.");
    answer();
  }

  const text = () => words.join(" ");

  /** The recorded answer where there is one; else the model's own, once it is here. */
  function answer() {
    const word = words[model.recorded.place], recorded = model.recorded.landing[word];
    const isRecorded = recorded && text() === model.recorded.through.text.split(" ").with(model.recorded.place, word).join(" ");
    if (isRecorded) return draw(recorded);
    drawSentence("…");
    ask({ text: text() });
  }

  function change(place, word) {
    words[place] = word;
    answer();
  }

  function show({ blanks }, question) {
    if (question.text !== text()) return answer();
    const { probabilities } = blanks[0], order = Array.from(probabilities, (_, id) => id).sort((a, b) => probabilities[b] - probabilities[a]);
    draw(order.slice(0, SHOWN).map((id) => ({ word: model.pieces[id], probability: probabilities[id] })));
  }

  function draw(answers) {
    const [first] = answers;
    box.status.textContent = `A small BERT says “${first.word}”, with ${percent(first.probability, 0)}.`;
    drawSentence(first.word);
    box.results.replaceChildren(...answers.slice(0, SHOWN).map(({ word, probability }) => node("tr", {}, node("th", { scope: "row" }, word),
      node("td", { class: "model-bar", style: `--share: ${percent(probability)}` }, percent(probability, 0)))));
    box.link.href = `model.html#${new URLSearchParams({ say: text().replaceAll(BLANK, "___") })}`;
    box.tries.querySelectorAll("button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.word === words[model.recorded.place])));
  }

  /** The words of the sentence; what is pressed can be written anew. The full stop belongs to no word. An answer that comes while
      somebody writes fills the blank and leaves the field alone. */
  function drawSentence(guess) {
    if (isEditing) {
      box.words.querySelector(".landing-blank").textContent = guess;
      return;
    }
    const focused = Array.from(box.words.children).indexOf(document.activeElement);
    box.words.replaceChildren(...words.map((word, place) => (word === BLANK ? node("span", { class: "landing-blank" }, guess)
      : node("button", { type: "button", "aria-label": `change ${word}`, class: place === model.recorded.place && "landing-changed", onclick: () => edit(place) }, word))));
    if (focused >= 0) box.words.children[focused].focus();
  }

  function edit(place) {
    const [, word, end] = words[place].match(/^(.*?)([.,!?]*)$/);
    isEditing = true;
    const finish = (written) => {
      if (!isEditing) return;        // leaving the field by a key also takes the focus away
      isEditing = false;
      change(place, (written.trim().replace(/\s+/g, " ") || word) + end);
    };
    const field = node("input", { type: "text", value: word, size: Math.max(4, word.length), "aria-label": `a word in the place of ${word}`, spellcheck: "false",
      oninput: () => { field.size = Math.max(4, field.value.length); }, onblur: () => finish(field.value),
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();      // else the button that gets the focus is pressed by the same key
        finish(event.key === "Enter" ? field.value : word);
        box.words.children[place].focus();
      } });
    box.words.children[place].replaceWith(field);
    field.select();
  }

  model.tools.push(start);
})();
