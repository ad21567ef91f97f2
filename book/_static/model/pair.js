// Two texts: how likely the model thinks that the second follows the first, how likely in the other order, and, to compare, how likely
// it thinks that a text about something else follows the first.
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
    ask({ first: box.first.value, second: box.second.value, other: box.other.dataset.example });
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

  function show({ follows, swapped, unrelated }, { first, second, other }) {
    fail("");
    const [one, two, three] = [follows, swapped, unrelated].map((share) => percent(share, 0));
    box.status.textContent = Math.min(follows, swapped) >= 0.5 && unrelated < 0.5
      ? `The next text? It says yes in both orders, ${one} and ${two}, and no to a text about triangles, ${three}.`
      : `The next text? The second one gets ${one}, in the other order it is ${two}, and a text about triangles gets ${three}.`;
    box.results.tBodies[0].replaceChildren(...[["as typed", first, second, follows], ["swapped", second, first, swapped], ["triangles", first, other, unrelated]].map(([order, before, after, share]) =>
      node("tr", {}, node("th", { scope: "row" }, order), node("td", { class: "pair-texts" }, node("span", {}, before), node("span", {}, `→ ${after}`)),
        node("td", { class: "model-guess", style: `--share: ${share}` }, percent(share)))));
  }

  model.tools.push(start);
})();
