// A text and the sentences that the shipped summarizer chooses from it, marked where they stand.
(function () {
  "use strict";

  const model = window.minibertModel, { node } = model;
  let box, read;

  const ask = model.asker("summary", { show, fail, progress });

  function start() {
    box = model.parts(document.querySelector("[data-tool=summary]"));
    box.text.oninput = model.soon(question, 400);
    box.count.oninput = () => { box.counted.textContent = box.count.value; question(); };
    box.blocking.onchange = question;
    model.ready.then(question);
  }

  function question() {
    if (box.text.value !== read) model.drop();       // what is still being read is another text
    read = box.text.value;
    ask({ text: read, k: Number(box.count.value), blockTrigrams: box.blocking.checked });
  }

  function progress(done, all) {
    box.reading.hidden = all < 2 || done === all;
    box.reading.querySelector("progress").value = done / all;
  }

  function fail(sentence) {
    box.error.textContent = sentence;
    box.results.hidden = Boolean(sentence);
    box.reading.hidden = true;
    if (sentence) {
      box.status.textContent = "";
      box.text.setAttribute("aria-invalid", "true");
    } else box.text.removeAttribute("aria-invalid");
  }

  function show(answer, { k }) {
    fail("");
    const { paragraphs, chosen, passedOver, windows, tokens, cut } = answer;
    let number = -1;
    box.results.replaceChildren(...paragraphs.map((sentences) => node("p", {}, sentences.map((sentence) => {
      number += 1;
      return [chosen.includes(number) ? node("mark", {}, sentence) : passedOver.includes(number) ? node("span", { class: "model-passed" }, sentence) : sentence, " "];
    }).flat())));
    const all = paragraphs.flat().length;
    const few = chosen.length < k ? ` No more than ${chosen.length}: ${passedOver.length ? "the others share three words in a row with these" : "the text has no others"}.` : "";
    const over = passedOver.length ? ` Passed over, underlined with dots: ${passedOver.map((n) => n + 1).join(", ")}.` : "";
    box.status.textContent = `It takes ${chosen.length} of ${all} sentences as the summary: ${chosen.map((n) => n + 1).join(", ")}.${few}${over}`
      + (windows > 1 ? ` ${tokens.toLocaleString("en")} tokens, read in ${windows} windows.` : "")
      + (cut.length ? ` Too long for a window, so its end was not read: ${named(cut)}.` : "");
  }

  /** Sentences by their numbers, which begin at 1. */
  function named(sentences) {
    return `sentence${sentences.length === 1 ? "" : "s"} ${sentences.map((n) => n + 1).join(", ")}`;
  }

  model.tools.push(start);
})();
