// What a BERT costs, by the formulas of costs.js: what a training step holds, measured in the weights.

// Name, label, and the letter of the course; or the options of a menu.
const FIELDS = [
  ["The model", "model", [["layers", "Layers", "L"], ["hidden", "Hidden size", "H"], ["heads", "Heads", "A"], ["wide", "Feed-forward width", "I"], ["words", "Words", "V"],
    ["positions", "Positions"], ["segments", "Kinds of segment"], ["kind", "Positions are", { absolute: "learned", sinusoidal: "sinusoidal", none: "left out" }],
    ["first", "Each layer is", { post: "post-norm", pre: "pre-norm" }]]],
  ["A training step", "step", [["batch", "Sequences per step", "B"], ["length", "Tokens in a row", "S"], ["precision", "Numbers are", { float32: "float32", mixed: "mixed" }],
    ["fused", "Attention is", { fused: "fused", readable: "readable" }]]],
  ["The whole training", "training", [["tokens", "Billions of tokens"], ["peak", "Trillions of operations a second, by the data sheet"],
    ["used", "Per cent of them that training uses"], ["machines", "Processors"]]],
];
// What stands beside the preset, with a hand to pull, from the first value to the last; all others are folded.
const HANDS = { layers: { most: 48, read: (x) => x, write: (x) => x }, batch: { least: 0, most: 8, read: (x) => 2 ** x, write: Math.log2 } };
const ANY = ["tokens", "peak", "used"];     // need not be whole
const TABLES = { parameters: ["Parameters", "part", "how many"], memory: ["Memory of a training step with AdamW", "what", "size"], activations: ["Activations, by part", "part", "size"],
  forward: ["Operations of a forward pass, without a head", "part", "how many"] };

function inputOf(name, value) {
  const any = ANY.includes(name);
  return node("input", { type: "number", name, value, min: any ? 0 : 1, step: any ? "any" : 1, inputmode: any ? "decimal" : "numeric", required: true });
}

function menuOf(name, options, value) {
  return node("select", { name }, Object.entries(options).map(([each, text]) => node("option", { value: each, selected: each === value }, text)));
}

function labelOf([name, label, more], start, look) {
  return node("label", { class: look }, node("span", {}, label, typeof more === "string" && [" ", node("var", {}, more)]),
    typeof more === "object" ? menuOf(name, more, start[name]) : inputOf(name, start[name]));
}

// A number that can be typed, and a hand that pulls it.
function handOf(about, [name, label], start) {
  const { least = 1, most, read, write } = HANDS[name], typed = inputOf(name, start[name]);
  const hand = node("input", { type: "range", min: least, max: most, value: write(start[name]), "aria-label": label, oninput: () => { typed.value = read(Number(hand.value)); } });
  const all = node("div", { class: "mb-control mb-hand", "data-about": about, "data-hand": name }, node("label", {}, node("span", {}, label), typed), hand);
  all.follow = () => {
    const value = Number.isFinite(write(Number(typed.value))) ? clamp(write(Number(typed.value)), least, most) : least;
    hand.value = value;
    hand.style.setProperty("--done", `${100 * (hand.value - least) / (most - least)}%`);
    hand.setAttribute("aria-valuetext", typed.value);
  };
  return all;
}

// What a training step holds, one below the other, each beginning where the last one ends; the weights alone are the measure.
const HELD = {
  weights: () => "the model itself",
  gradients: () => "one for each weight",
  optimiser: (c) => (c.precision === "mixed" ? "two averages and a copy of each" : "two averages for each weight"),
  activations: (c) => `kept for ${grouped(c.batch)} × ${grouped(c.length)} tokens`,
};
const MOST_TILES = 60;

function rowsOf(held, c) {
  const total = sum(held), unit = held.weights, parts = Object.entries(held);
  let before = 0;
  const rows = parts.map(([name, bytes], i) => {
    const row = barRow(name, HELD[name](c), [[name, bytes]], before, total, unit, sizeOf(bytes), i ? `${timesOf(bytes / unit)} ×` : "");
    before += bytes;
    return row;
  });
  return [...rows, barRow("one training step", "all four at once", parts, 0, total, unit, sizeOf(total), `${timesOf(total / unit)} × the weights`)];
}

function barRow(name, note, parts, before, total, unit, size, times) {
  const width = parts.reduce((all, [, bytes]) => all + bytes, 0), [from, to] = [before, before + width].map((bytes) => 100 * bytes / total);
  const look = parts.length > 1 ? " mb-all" : "", side = to < 62 ? "after" : to - from > 38 ? "within" : "before";
  const place = { after: `left: ${to}%`, within: `right: ${100 - to}%`, before: `right: ${100 - from}%` }[side];
  return node("div", { class: `mb-row${look}` }, node("p", { class: "mb-name" }, name, node("small", {}, note)),
    node("div", { class: "mb-track" }, node("div", { class: "mb-fill", style: `left: ${from}%; width: ${to - from}%` }, parts.map(([part, bytes]) => node("i", {
      class: `mb-part${part === "weights" ? " mb-measure" : ""}${total / unit > MOST_TILES ? "" : " mb-tiled"}`, style: `flex-grow: ${bytes / width}; --tile: ${100 * unit / bytes}%`,
      "data-tip": `${part}: ${mebibytes(bytes)}, ${grouped(100 * bytes / total, 1)}% of a training step` }))),
    node("p", { class: `mb-value mb-${side}`, style: place }, node("b", {}, size), times ? ` ${parts.length > 1 ? "=" : "·"} ${times}` : "")));
}

// Three numbers beside the picture, each with what it means.
function factsOf(found, c, gpus) {
  const share = (parts, total) => `${Math.round(100 * parts["feed-forward"] / total)}% in feed-forward layers`;
  const [gpu] = gpus.find(([, peak]) => peak === c.peak) || ["processor"];
  const facts = [
    [grouped(found.total), "parameters", share(found.parameters, found.total), `parameters: ${Object.entries(found.parameters).filter(([, value]) => value).map(([name, value]) => `${name} ${grouped(value)}`).join(", ")}`],
    [operationsOf(found.step), "operations per step", "3 × a forward pass", `a forward pass: ${operationsOf(sum(found.forward))} operations`],
    [timeOf(found.days), "to train", `${grouped(c.tokens, c.tokens % 1 ? 1 : 0)} billion tokens on ${c.machines === 1 ? "one" : grouped(c.machines)} ${gpu}${c.machines === 1 ? "" : "s"}`,
      `${operationsOf(found.operations)} operations, at ${grouped(c.used, c.used % 1 ? 1 : 0)}% of ${grouped(c.peak, c.peak % 1 ? 1 : 0)} trillion a second`],
  ];
  return facts.map(([many, what, more, tip]) => node("p", { "data-tip": tip }, node("b", {}, many), ` ${what}`, node("small", {}, more)));
}

function tableOf(name, parts, show) {
  const [caption, part, many] = TABLES[name], total = sum(parts);
  return node("table", { "data-of": name }, node("caption", {}, caption),
    node("thead", {}, node("tr", {}, [part, many, "share"].map((title) => node("th", { scope: "col" }, title)))),
    node("tbody", {}, Object.entries({ ...parts, total }).filter(([, value]) => value).map(([title, value]) => {
      const share = 100 * value / total;
      return node("tr", { class: title === "total" ? "total" : "" }, node("th", { scope: "row" }, title), node("td", {}, show(value)),
        node("td", title === "total" ? {} : { class: "share", style: `--share: ${share}%` }, `${grouped(share, 1)}%`));
    })));
}

export default {
  render({ model, el }) {
    const { names, presets, start, gpus } = model.get("data");      // a stored notebook sorts the keys of an object
    const menu = Object.fromEntries([["", "my own"], ...names.map((name) => [name, name])]);
    const hands = FIELDS.flatMap(([, about, fields]) => fields.filter(([name]) => HANDS[name]).map((field) => handOf(about, field, start)));
    const form = node("form", { novalidate: true, autocomplete: "off", oninput: change, onsubmit: (event) => event.preventDefault() },
      node("div", { class: "mb-sight", "data-about": "model" }, node("label", { class: "mb-control" }, node("span", {}, "Preset"), menuOf("preset", menu, start.preset)),
        hands),
      node("details", { class: "mb-more" }, node("summary", {}, "All other sizes"),
        FIELDS.map(([legend, about, fields]) => node("fieldset", { "data-about": about }, node("legend", {}, legend),
          fields.filter(([name]) => !HANDS[name]).map((field) => labelOf(field, start))))));
    const error = node("p", { class: "mb-error", role: "alert", id: `mb-error-${Math.random().toString(36).slice(2)}` });
    const bars = node("div", { class: "mb-bars", tabindex: "0", role: "group", "aria-label": "what a training step holds; the arrow keys read it" });
    const rows = node("div", { class: "mb-rows" }), facts = node("div", { class: "mb-facts" });
    let found = null;
    bars.append(rows, facts);
    const figure = stage(el, model, { controls: [form], picture: node("div", {}, error, bars), numbers: tables });
    const title = el.querySelector(".mb-label");
    tips(bars);
    update();

    function read() {
      const c = Object.fromEntries([...form.elements].filter((input) => input.name)
        .map((input) => [input.name, input.type === "number" ? (input.value === "" ? NaN : Number(input.value)) : input.value]));
      return { ...c, first: c.first === "pre", fused: c.fused === "fused" };
    }

    function change({ target }) {
      if (target.name === "preset" && target.value) {
        for (const [name, value] of Object.entries(presets[target.value])) form.elements.namedItem(name).value = value;
      } else if (target.closest("[data-about]").dataset.about === "model") form.elements.preset.value = "";
      update();
    }

    function update() {
      const c = read();
      hands.forEach((hand) => hand.follow());
      for (const input of form.elements) ["aria-invalid", "aria-describedby"].forEach((name) => input.removeAttribute(name));
      error.textContent = "";
      try {
        found = cost(c);
      } catch (wrong) {
        if (!wrong.field) throw wrong;
        refuse(wrong);
        return;
      }
      found.held = { ...found.memory, activations: sum(found.activations) };
      bars.hidden = false;
      rows.replaceChildren(...rowsOf(found.held, c));
      facts.replaceChildren(...factsOf(found, c, gpus));
      const { value } = form.elements.preset, held = sum(found.held);
      const what = value === "teaching" ? "the teaching model" : value ? `BERT-${value}` : "this BERT";
      title.textContent = `Training ${what} takes ${sizeOf(held)} of memory, ${timesOf(held / found.held.weights)} times what its ${short(found.total)} weights take`;
      figure.say(`${grouped(found.total)} parameters. A training step on ${grouped(c.batch)} × ${grouped(c.length)} tokens holds ${mebibytes(sum(found.held))} ` +
        `and costs ${operationsOf(found.step)} operations. The whole training takes ${timeOf(found.days)}.`);
    }

    function refuse(wrong) {        // no number stands beside a mistake
      found = null;
      error.textContent = wrong.message;
      bars.hidden = true;
      title.textContent = model.get("label");
      figure.say("");
      const input = form.elements.namedItem(wrong.field);     // by its name: `length` is also how many fields there are
      input.closest("details")?.setAttribute("open", "");
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", error.id);
    }

    function tables() {
      return node("div", { class: "mb-results" }, found && [tableOf("parameters", found.parameters, grouped), tableOf("memory", found.held, mebibytes), tableOf("activations", found.activations, mebibytes),
        tableOf("forward", found.forward, operationsOf), node("p", { "data-of": "training" }, inAll())]);
    }

    function inAll() {
      return `One forward pass: ${operationsOf(sum(found.forward))}. One training step, three times as many: ${operationsOf(found.step)}. ` +
        `All of the training, with the masked-word head: ${operationsOf(found.operations)} operations, ${timeOf(found.days)}${found.days > 0.01 && found.days < 2 ? ` (${grouped(found.days, 2)} days)` : ""}.`;
    }
  },
};
