// Two texts: how likely the model thinks that the second follows the first, and how likely in the other order.
(function () {
  "use strict";

  const model = window.minibertModel, { node, percent } = model;
  let box;

  const ask = model.asker("pair", { show, fail });

  function start() {
    box = model.parts(document.querySelector("[data-tool=pair]"));
    box.first.oninput = box.second.oninput = model.soon(question);
    box.swap.onclick = () => {
      [box.first.value, box.second.value] = [box.second.value, box.first.value];
      question();
    };
    document.querySelectorAll("[data-tool=pair] [data-example]").forEach((button) => {
      button.onclick = () => { box.second.value = button.dataset.example; question(); };
    });
    box.results.hidden = true;
    model.ready.then(question);
  }

  function question() {
    ask({ first: box.first.value, second: box.second.value });
  }

  function fail(sentence) {
    box.error.textContent = sentence;
    box.results.hidden = Boolean(sentence);
    if (sentence) box.status.textContent = "";
    for (const field of [box.first, box.second]) {
      if (sentence && (!field.value.trim() || /too long/.test(sentence))) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  }

  function show({ follows, swapped }) {
    fail("");
    const verdict = follows >= 0.5 ? "The model thinks that the second text follows the first" : "The model thinks that the second text comes from somewhere else";
    box.status.textContent = `${verdict}: ${percent(follows)} for “follows”. In the other order: ${percent(swapped)}.`;
    box.results.tBodies[0].replaceChildren(...[["as it stands", follows], ["swapped", swapped]].map(([order, share]) => node("tr", {}, node("th", { scope: "row" }, order),
      node("td", { class: "model-bar", style: `--share: ${percent(share)}` }, percent(share)))));
  }

  model.tools.push(start);
})();
