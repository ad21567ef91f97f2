// What a BERT costs: parameters, bytes and operations, by the formulas of minibert/inference/model_cost.py.

const LIMIT = 1000000;

// ---- the formulas: a config in, plain numbers out; an Error with a sentence for one that cannot be

function cost(c) {
  check(c);
  const parts = parameters(c), count = sum(parts), forward = flops(c, c.batch, 0);
  const operations = 3 * sum(flops(c, 1, halfToEven(0.15 * c.length))) * c.tokens * 1e9 / c.length;
  return {
    parameters: parts, total: count, memory: memory(c, count), activations: activations(c), forward, step: 3 * sum(forward),
    operations, days: operations / (c.peak * 1e12 * c.used / 100 * c.machines) / 86400,
  };
}

function check(c) {
  const wholes = { words: "Words", hidden: "Hidden size", layers: "Layers", heads: "Heads", wide: "Feed-forward width", positions: "Positions",
    segments: "Kinds of segment", batch: "Rows", length: "Tokens in a row", machines: "Processors" };
  for (const [name, label] of Object.entries(wholes)) whole(c[name], name, label);
  if (c.hidden % c.heads) {
    fail("heads", `A hidden size of ${c.hidden} cannot be shared out evenly among ${c.heads} ${c.heads === 1 ? "head" : "heads"}: ${c.hidden % c.heads} would be left over.`);
  }
  if (c.kind === "sinusoidal" && c.hidden % 2) fail("hidden", `Sinusoidal positions come in pairs of sine and cosine, so the hidden size must be even, not ${c.hidden}.`);
  if (c.length > c.positions && c.kind !== "none") fail("length", `A row of ${c.length} tokens is longer than the model's ${c.positions} positions.`);
  positive(c.tokens, "tokens", "Billions of tokens");
  positive(c.peak, "peak", "Trillions of operations a second");
  positive(c.used, "used", "The share of them that training uses");
  if (c.used > 100) fail("used", `The share of them that training uses is at most 100 per cent, not ${c.used}.`);
}

function whole(value, name, label) {
  if (!(value >= 1 && value <= LIMIT && value % 1 === 0)) fail(name, `${label} must be a whole number from 1 to ${grouped(LIMIT)}${shown(value)}`);
}

function positive(value, name, label) {
  if (!(value >= 1 / LIMIT && value <= LIMIT)) fail(name, `${label} must be a number from ${grouped(1 / LIMIT, 6)} to ${grouped(LIMIT)}${shown(value)}`);
}

function shown(value) {
  return Number.isNaN(value) ? "; the field holds no number." : `, not ${value}.`;
}

function fail(name, sentence) {
  throw Object.assign(new Error(sentence), { field: name });
}

function parameters(c) {
  const norms = 2 * c.layers + 1 + (c.first ? 1 : 0);
  return {
    "word embeddings": c.words * c.hidden,
    "position embeddings": c.kind === "absolute" ? c.positions * c.hidden : 0,
    "segment embeddings": c.segments * c.hidden,
    "attention: query, key, value": c.layers * 3 * (c.hidden * c.hidden + c.hidden),
    "attention: output": c.layers * (c.hidden * c.hidden + c.hidden),
    "feed-forward": c.layers * (2 * c.hidden * c.wide + c.wide + c.hidden),
    "norms": norms * 2 * c.hidden,
    "pooler": c.hidden * c.hidden + c.hidden,
  };
}

// AdamW: 16 bytes a parameter, in float32 as in mixed precision, where the optimiser keeps a float32 copy of the weights.
function memory(c, count) {
  const half = c.precision === "mixed";
  return { weights: (half ? 2 : 4) * count, gradients: (half ? 2 : 4) * count, optimiser: (half ? 12 : 8) * count };
}

function activations(c) {
  const bytes = c.precision === "mixed" ? 2 : 4, mask = 1, tokens = c.batch * c.length;
  const norm = tokens * (c.hidden + 2) * bytes;
  return {
    "embeddings, last output": norm + tokens * c.hidden * (bytes + mask) + (c.first ? norm : 0),
    "attention: hidden states": c.layers * 5 * tokens * c.hidden * bytes,
    "attention: weights": c.fused ? 0 : c.layers * c.heads * tokens * c.length * (2 * bytes + mask),
    "feed-forward": c.layers * tokens * (c.hidden + 2 * c.wide) * bytes,
    "norms": c.layers * 2 * norm,
    "dropout": c.layers * 2 * tokens * c.hidden * mask,
  };
}

function flops(c, batch, predictions) {
  const tokens = batch * c.length;
  return {
    "attention: projections": c.layers * 8 * tokens * c.hidden * c.hidden,
    "attention: scores, mix": c.layers * 4 * tokens * c.length * c.hidden,
    "feed-forward": c.layers * 4 * tokens * c.hidden * c.wide,
    "pooler": 2 * batch * c.hidden * c.hidden,
    "masked-word head": 2 * batch * predictions * (c.hidden * c.hidden + c.hidden * c.words),
  };
}

function halfToEven(value) {        // as Python rounds
  const near = Math.round(value);
  return value % 1 === 0.5 && near % 2 ? near - 1 : near;
}

function sum(parts) {
  return Object.values(parts).reduce((total, value) => total + value, 0);
}

// ---- numbers as they are read

function grouped(value, digits = 0) {
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function mebibytes(bytes) {
  return `${grouped(bytes / 1048576, 1)} MiB`;
}

function gibibytes(bytes) {
  return `${grouped(bytes / 2 ** 30, bytes < 2 ** 30 ? 2 : 1)} GiB`;
}

function short(value) {
  const [size, name] = [[1e9, " billion"], [1e6, " million"]].find(([each]) => value >= each) || [1, ""];
  return grouped(value / size, name && value / size < 10 ? 1 : 0) + name;
}

function operationsOf(value) {
  if (value >= 1e15) {
    const power = Math.floor(Math.log10(value));
    return `${(value / 10 ** power).toFixed(2)} × 10${String(power).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}`;
  }
  const [size, name] = [[1e12, " trillion"], [1e9, " billion"], [1e6, " million"]].find(([each]) => value >= each) || [1, ""];
  return grouped(value / size, name ? 2 : 0) + name;
}

const UNITS = [["days", 1, 2], ["hours", 24, 1], ["minutes", 1440, 1], ["seconds", 86400, 1]];     // name, how many in a day, fewest of them that are said

function timeOf(days) {
  if (days >= 1e6) return `${operationsOf(days)} days`;
  const [unit, size] = UNITS.find(([, each, fewest]) => days * each >= fewest) || [];
  return unit ? `${grouped(days * size, 1)} ${unit}` : "less than a second";
}

// ---- what is drawn

// Name, label, and the letter of the course; or the options of a menu. The first two stand beside the preset, the others are folded.
const FIELDS = [
  ["The model", "model", [["layers", "Layers", "L"], ["hidden", "Hidden size", "H"], ["heads", "Heads", "A"], ["wide", "Feed-forward width", "I"], ["words", "Words", "V"],
    ["positions", "Positions"], ["segments", "Kinds of segment"], ["kind", "Positions are", { absolute: "learned", sinusoidal: "sinusoidal", none: "left out" }],
    ["first", "Each layer is", { post: "post-norm", pre: "pre-norm" }]]],
  ["A training step", "step", [["batch", "Rows", "B"], ["length", "Tokens in a row", "S"], ["precision", "Numbers are", { float32: "float32", mixed: "mixed" }],
    ["fused", "Attention is", { fused: "fused", readable: "readable" }]]],
  ["The whole training", "training", [["tokens", "Billions of tokens"], ["peak", "Trillions of operations a second, by the data sheet"],
    ["used", "Per cent of them that training uses"], ["machines", "Processors"]]],
];
const IN_SIGHT = 2;
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

// The bars: the parts of a table, put together to a few with a colour each, the same for the same part.
const BARS = {
  parameters: [["embeddings", "token", "word embeddings", "position embeddings", "segment embeddings"], ["attention", "head", "attention: query, key, value", "attention: output"],
    ["feed-forward", "position", "feed-forward"], ["norms, pooler", "edge", "norms", "pooler"]],
  memory: [["weights, gradients", "series-1", "weights", "gradients"], ["optimiser", "series-2", "optimiser"], ["activations", "series-3", "activations"]],
  forward: [["attention", "head", "attention: projections", "attention: scores, mix"], ["feed-forward", "position", "feed-forward"], ["pooler", "edge", "pooler"]],
};

function barOf(name, title, parts, show) {
  const total = sum(parts);
  const shares = BARS[name].map(([part, tone, ...names]) => {
    const value = names.reduce((all, each) => all + parts[each], 0);
    return { part, tone: `--tone: var(--${tone})`, value, share: 100 * value / total };
  });
  return [node("p", { class: "mb-total" }, title, node("strong", {}, show(total))),
    node("div", { class: "mb-stack" }, shares.map(({ part, tone, value, share }) => node("div", { style: `flex-grow: ${share}; ${tone}`, "data-tip": `${part}: ${show(value)}, ${grouped(share, 1)}%` }))),
    node("p", { class: "mb-parts" }, shares.map(({ part, tone, share }) => node("span", { style: tone }, `${part} ${share && share < 0.5 ? "<1" : Math.round(share)}%`)))];
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
    const { names, presets, start } = model.get("data");      // a stored notebook sorts the keys of an object
    const menu = Object.fromEntries([["", "my own"], ...names.map((name) => [name, name])]);
    const [[, , sizes]] = FIELDS;
    const form = node("form", { novalidate: true, autocomplete: "off", oninput: change, onsubmit: (event) => event.preventDefault() },
      node("div", { class: "mb-sight", "data-about": "model" }, node("label", { class: "mb-control" }, node("span", {}, "Preset"), menuOf("preset", menu, start.preset)),
        sizes.slice(0, IN_SIGHT).map((field) => labelOf(field, start, "mb-control"))),
      node("details", { class: "mb-more" }, node("summary", {}, "All other sizes"),
        FIELDS.map(([legend, about, fields], i) => node("fieldset", { "data-about": about }, node("legend", {}, legend),
          fields.slice(i ? 0 : IN_SIGHT).map((field) => labelOf(field, start))))));
    const error = node("p", { class: "mb-error", role: "alert", id: `mb-error-${Math.random().toString(36).slice(2)}` });
    const bars = node("div", { class: "mb-bars", tabindex: "0", role: "group", "aria-label": "bars; the arrow keys read them" });
    const stacks = node("div", {});
    let found = null;
    bars.append(stacks);
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
      stacks.replaceChildren(...barOf("parameters", "parameters", found.parameters, grouped), ...barOf("memory", "memory of a training step", found.held, mebibytes),
        ...barOf("forward", "operations of a forward pass", found.forward, operationsOf));
      title.textContent = `${form.elements.preset.value ? `BERT, ${form.elements.preset.value} size` : "This model"}: ${short(found.total)} parameters, ${gibibytes(sum(found.held))} for a training step, ${timeOf(found.days)} for ${grouped(c.tokens, c.tokens % 1 ? 1 : 0)} billion tokens`;
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
