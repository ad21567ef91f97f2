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
    segments: "Kinds of segment", batch: "Sequences per step", length: "Tokens in a row", machines: "Processors" };
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

function sizeOf(bytes) {
  const [size, name] = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"]].find(([each, unit]) => bytes >= (unit === "GiB" ? each / 10 : each)) || [1, "bytes"];
  return `${grouped(bytes / size, size > 1 && bytes < 10 * size ? (bytes < size ? 2 : 1) : 0)} ${name}`;
}

function timesOf(ratio) {
  return grouped(ratio, ratio < 99.5 && Math.abs(ratio - Math.round(ratio)) > 0.04 ? 1 : 0);
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
