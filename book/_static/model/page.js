// The model in the page: loads the weights part by part, keeps the worker, and hands questions to it. No library, no request to
// another host, and nothing but classic scripts, so that it works from a file too. The tools (through.js, pair.js, summary.js) come after it.
// Nothing is loaded until somebody touches a tool; until then the page shows answers that were recorded when the book was built.
(function () {
  "use strict";

  const folder = new URL(".", document.currentScript.src).href;
  const asked = new Map();        // number of a question -> what waits for its answer
  const waiting = new Set();      // parts of the tools that have no answer yet
  const SLOW = 300;               // milliseconds without an answer, after which a reader is told why
  let worker, count = 0, isAwake, isReady, openReady, why = "The answer comes once the model is loaded.";
  const early = [];       // weights that came before the worker
  const ready = new Promise((resolve) => { openReady = resolve; });

  const model = window.minibertModel = { tools: [], ready, receive, ask, asker, drop, node, parts, percent, soon, wake, isAwake: () => Boolean(isAwake) };

  // ---- what the tools share

  /** An HTML element; a function among the attributes is a listener, false and undefined leave one out. */
  function node(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") made[name] = value;
      else if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
    return made;
  }

  /** The named parts of a tool: { text: <textarea>, status: <p>, … }. */
  function parts(root) {
    return Object.fromEntries(Array.from(root.querySelectorAll("[data-part]"), (part) => [part.dataset.part, part]));
  }

  function percent(share, digits = 1) {
    return `${(100 * share).toFixed(digits)}%`;
  }

  /** A function that runs `act` once nobody has called it for a moment. */
  function soon(act, wait = 150) {
    let timer;
    return function () {
      clearTimeout(timer);
      timer = setTimeout(act, wait);
    };
  }

  /** The answer to one question, as a promise; rejected with a sentence for the reader. */
  function ask(task, input, progress) {
    wake();
    return ready.then(() => new Promise((resolve, reject) => {
      asked.set(count += 1, { resolve, reject, progress });
      worker.postMessage({ id: count, task, ...input });
    }));
  }

  /** The summary that is being computed is not wanted any more: the worker gives it up after a window. */
  function drop() {
    worker?.postMessage({ drop: true });
  }

  /** A function that asks, and shows only the answer to the latest question: while one is computed, those between are dropped. */
  function asker(task, { show, fail, progress }) {
    let wanted = null, isBusy = false;
    return async function (input) {
      wanted = input;
      if (isBusy) return;
      isBusy = true;
      const answered = wait(parts(document.querySelector(`[data-tool=${task}]`)));
      while (wanted) {
        const question = wanted;
        wanted = null;
        try {
          const answer = await ask(task, question, progress);
          if (!wanted) show(answer, question);
        } catch (error) {
          if (!wanted) fail(error.message);
        }
      }
      answered();
      isBusy = false;
    };
  }

  /** Says in a tool why it has no answer yet, until the function is called that this returns. */
  function wait(tool) {
    const timer = setTimeout(tell, isReady ? SLOW : 0, tool);
    waiting.add(tool);
    tool.results.setAttribute("aria-busy", "true");
    return function () {
      clearTimeout(timer);
      waiting.delete(tool);
      tool.results.removeAttribute("aria-busy");
    };
  }

  function tell(tool) {
    tool.status.textContent = why;
  }

  function tellAll(sentence) {
    why = sentence;
    waiting.forEach(tell);
  }

  // ---- the worker

  function begin() {
    model.pieces = model.about.vocabulary.split("\n");
    worker = new Worker(URL.createObjectURL(new Blob([`"use strict";\n${model.engine}`], { type: "text/javascript" })));
    worker.onmessage = ({ data }) => heard(data);
    worker.onerror = (event) => failed(`The model's program could not start: ${event.message || "the browser does not allow it here"}.`);
    worker.postMessage({ about: model.about });
    early.forEach((each) => worker.postMessage(each));
    for (let part = 1; part < model.about.parts; part += 1) load(`weights-${part + 1}.js`);
  }

  /** Called by each weights-N.js. */
  function receive(part, text) {
    if (worker) worker.postMessage({ part, text });
    else early.push({ part, text });
  }

  function heard(data) {
    if (data.parts) return loaded(data);
    const { resolve, reject, progress } = asked.get(data.id);
    if (data.all) return progress && progress(data.done, data.all);
    asked.delete(data.id);
    if (data.error) reject(new Error(data.error));
    else resolve(data.answer);
  }

  // ---- loading

  /** The program, and already the first weights, so that the line is never idle. */
  function loadAll() {
    load("engine.js", begin);
    load("weights-1.js");
  }

  function load(name, then) {
    const script = node("script", { src: folder + name, onload: then, onerror: () => failed(`The file ${name} could not be loaded. Check your connection, then load this page again.`) });
    script.async = true;
    document.head.append(script);
  }

  let box = null;

  function loaded({ received, parts: all, ready: done }) {
    const bar = box.bar.querySelector("progress");
    bar.max = all;
    bar.value = received;
    if (!done || isReady) return;
    isReady = true;
    box.bar.hidden = true;
    box.state.textContent = "The model is here and runs in your browser. What you type stays on your device.";
    document.querySelectorAll(".model-still").forEach((still) => { still.hidden = true; });
    performance.mark("minibert-ready");
    tellAll("The model is computing …");
    openReady();
  }

  function failed(sentence) {
    box.bar.hidden = true;
    box.state.textContent = sentence;
    box.state.parentElement.classList.add("model-error");
    waiting.forEach(({ results }) => results.removeAttribute("aria-busy"));
    tellAll("There is no answer: the model does not run.");
  }

  function start() {
    box = parts(document.querySelector(".model-loading"));
    document.querySelectorAll(".model-tool:not(.model-loading)").forEach((tool) => {
      tool.hidden = false;
      ["click", "input"].forEach((event) => tool.addEventListener(event, wake, { once: true }));      // not at pointerdown: what then appears would move the button away from under the click
      tool.addEventListener("keydown", ({ key }) => { if (key !== "Tab" && key !== "Shift") wake(); });
    });
    document.querySelectorAll(".model-tool form").forEach((form) => { form.onsubmit = (event) => event.preventDefault(); });
    model.tools.forEach((tool) => tool());
  }

  /** The first touch: loads the model, once. */
  function wake() {
    if (isAwake || !box) return;
    isAwake = true;
    box.state.parentElement.hidden = false;
    const connection = navigator.connection || {};
    if (connection.saveData || /2g/.test(connection.effectiveType || "")) offer();
    else loadAll();
  }

  // Whoever pays for each byte decides.
  function offer() {
    box.state.textContent = "The model has 8 MB. Your browser asks pages to save data, so it is not loaded yet.";
    box.offer.hidden = false;
    box.bar.hidden = true;
    box.load.onclick = () => {
      box.offer.hidden = true;
      box.bar.hidden = false;
      box.state.textContent = "The model is being loaded.";
      loadAll();
    };
  }

  document.addEventListener("DOMContentLoaded", start);       // after the tools, which are deferred as this script is
})();
