// What a BERT costs: parameters, bytes and operations, by the formulas of minibert/inspection.py. No library, no request.
(function () {
  "use strict";

  // layers and hidden size; a head is 64 wide, the feed-forward four times the hidden size (minibert/config.py: PRESETS)
  var PRESETS = { tiny: [2, 128], mini: [4, 256], small: [4, 512], medium: [8, 512], base: [12, 768], large: [24, 1024], teaching: [3, 128] };
  var LIMIT = 1000000;

  // ---- the formulas: a config in, plain numbers out; an Error with a sentence for one that cannot be -------------------

  function check(c) {
    [["words", "Words"], ["hidden", "Hidden size"], ["layers", "Layers"], ["heads", "Heads"], ["wide", "Feed-forward width"], ["positions", "Positions"],
     ["segments", "Kinds of segment"], ["batch", "Rows"], ["length", "Tokens in a row"], ["machines", "Processors"]].forEach(function (field) {
      whole(c[field[0]], field[0], field[1]);
    });
    if (c.hidden % c.heads) {
      fail("heads", "A hidden size of " + c.hidden + " cannot be shared out evenly among " + c.heads + (c.heads === 1 ? " head: " : " heads: ") + (c.hidden % c.heads) + " would be left over.");
    }
    if (c.kind === "sinusoidal" && c.hidden % 2) fail("hidden", "Sinusoidal positions come in pairs of sine and cosine, so the hidden size must be even, not " + c.hidden + ".");
    if (c.length > c.positions && c.kind !== "none") fail("length", "A row of " + c.length + " tokens is longer than the model's " + c.positions + " positions.");
    above0(c.tokens, "tokens", "Billions of tokens");
    above0(c.peak, "peak", "Trillions of operations a second");
    above0(c.used, "used", "The share of them that training uses");
    if (c.used > 100) fail("used", "The share of them that training uses is at most 100 per cent, not " + c.used + ".");
  }

  function whole(value, field, label) {
    if (!(value >= 1 && value <= LIMIT && value % 1 === 0)) fail(field, label + " must be a whole number from 1 to " + grouped(LIMIT) + shown(value));
  }

  function above0(value, field, label) {
    if (!(value > 0 && value < Infinity)) fail(field, label + " must be a number above 0" + shown(value));
  }

  function shown(value) {
    return value !== value ? "; the field holds no number." : ", not " + value + ".";
  }

  function fail(field, sentence) {
    var error = new Error(sentence);
    error.field = field;
    throw error;
  }

  function parameters(c) {
    var norms = 2 * c.layers + 1 + (c.first ? 1 : 0);
    return {
      "word embeddings": c.words * c.hidden,
      "position embeddings": c.kind === "absolute" ? c.positions * c.hidden : 0,
      "segment embeddings": c.segments * c.hidden,
      "attention: query, key, value": c.layers * 3 * (c.hidden * c.hidden + c.hidden),
      "attention: output": c.layers * (c.hidden * c.hidden + c.hidden),
      "feed-forward": c.layers * (2 * c.hidden * c.wide + c.wide + c.hidden),
      "norms": norms * 2 * c.hidden,
      "pooler": c.hidden * c.hidden + c.hidden
    };
  }

  // AdamW: 16 bytes a parameter, in float32 as in mixed precision, where the optimiser keeps a float32 copy of the weights
  function memory(c, count) {
    var half = c.precision === "mixed";
    return { "weights": (half ? 2 : 4) * count, "gradients": (half ? 2 : 4) * count, "optimiser": (half ? 12 : 8) * count };
  }

  function activations(c) {
    var number = c.precision === "mixed" ? 2 : 4, mask = 1, tokens = c.batch * c.length;
    var norm = tokens * (c.hidden + 2) * number;
    return {
      "embeddings, last output": norm + tokens * c.hidden * (number + mask) + (c.first ? norm : 0),
      "attention: hidden states": c.layers * 5 * tokens * c.hidden * number,
      "attention: weights": c.fused ? 0 : c.layers * c.heads * tokens * c.length * (2 * number + mask),
      "feed-forward": c.layers * tokens * (c.hidden + 2 * c.wide) * number,
      "norms": c.layers * 2 * norm,
      "dropout": c.layers * 2 * tokens * c.hidden * mask
    };
  }

  function flops(c, batch, predictions) {
    var tokens = batch * c.length;
    return {
      "attention: projections": c.layers * 8 * tokens * c.hidden * c.hidden,
      "attention: scores, mix": c.layers * 4 * tokens * c.length * c.hidden,
      "feed-forward": c.layers * 4 * tokens * c.hidden * c.wide,
      "pooler": 2 * batch * c.hidden * c.hidden,
      "masked-word head": 2 * batch * predictions * (c.hidden * c.hidden + c.hidden * c.words)
    };
  }

  function half_to_even(x) {       // as Python rounds
    var near = Math.round(x);
    return x % 1 === 0.5 && near % 2 ? near - 1 : near;
  }

  function cost(c) {
    check(c);
    var parts = parameters(c), count = sum(parts), forward = flops(c, c.batch, 0);
    var operations = 3 * sum(flops(c, 1, half_to_even(0.15 * c.length))) * c.tokens * 1e9 / c.length;
    return {
      parameters: parts, total: count, memory: memory(c, count), activations: activations(c), forward: forward, step: 3 * sum(forward),
      operations: operations, days: operations / (c.peak * 1e12 * c.used / 100 * c.machines) / 86400
    };
  }

  function sum(parts) {
    return Object.keys(parts).reduce(function (total, part) { return total + parts[part]; }, 0);
  }

  function preset(name) {
    var hidden = PRESETS[name][1];
    return { words: 30522, hidden: hidden, layers: PRESETS[name][0], heads: hidden / 64, wide: 4 * hidden, positions: 512, segments: 2, kind: "absolute", first: false };
  }

  window.minibertCalculator = { cost: cost, preset: preset, presets: Object.keys(PRESETS) };

  // ---- the page --------------------------------------------------------------------------------------------------------

  function grouped(n, digits) {
    return n.toLocaleString("en-US", { minimumFractionDigits: digits || 0, maximumFractionDigits: digits || 0 });
  }

  function mebibytes(bytes) { return grouped(bytes / 1048576, 1) + " MiB"; }

  function operations(n) {
    var names = [[1e12, " trillion"], [1e9, " billion"], [1e6, " million"]];
    if (n >= 1e15) {
      var power = Math.floor(Math.log10(n));
      return (n / Math.pow(10, power)).toFixed(2) + " × 10" + String(power).replace(/\d/g, function (digit) { return "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]; });
    }
    for (var i = 0; i < names.length; i++) if (n >= names[i][0]) return grouped(n / names[i][0], 2) + names[i][1];
    return grouped(n);
  }

  function time(days) {
    return days >= 2 ? grouped(days, 1) + " days" : days * 24 >= 1 ? grouped(days * 24, 1) + " hours" : grouped(days * 1440, 1) + " minutes";
  }

  function rows(table, parts, show) {
    var total = sum(parts), body = table.tBodies[0];
    body.textContent = "";
    Object.keys(parts).concat("total").forEach(function (part) {
      var value = part === "total" ? total : parts[part];
      if (!value) return;
      var row = body.insertRow();
      row.className = part === "total" ? "total" : "";
      var name = document.createElement("th");
      name.scope = "row";
      name.textContent = part;
      row.appendChild(name);
      row.insertCell().textContent = show(value);
      var share = row.insertCell();
      share.textContent = grouped(100 * value / total, 1) + "%";
      if (part !== "total") {
        share.className = "share";
        share.style.setProperty("--share", 100 * value / total + "%");
      }
    });
  }

  function start(box) {
    var form = box.querySelector("form"), field = form.elements;

    function read() {
      var c = {};
      Array.prototype.forEach.call(field, function (input) {
        if (!input.name) return;
        c[input.name] = input.type === "number" ? (input.value === "" ? NaN : Number(input.value)) : input.value;
      });
      c.first = c.first === "pre";
      c.fused = c.fused === "fused";
      return c;
    }

    function update() {
      var error = box.querySelector(".calculator-error"), results = box.querySelector(".calculator-results"), c = read(), found;
      Array.prototype.forEach.call(field, function (input) { input.removeAttribute("aria-invalid"); input.removeAttribute("aria-describedby"); });
      try {
        found = cost(c);
      } catch (wrong) {
        if (!wrong.field) throw wrong;
        error.textContent = wrong.message;
        results.hidden = true;
        field.namedItem(wrong.field).setAttribute("aria-invalid", "true");
        field.namedItem(wrong.field).setAttribute("aria-describedby", error.id);
        return;
      }
      error.textContent = "";
      results.hidden = false;
      var held = Object.assign({}, found.memory, { "activations": sum(found.activations) });
      box.querySelector(".calculator-sum").textContent = grouped(found.total) + " parameters. A training step on " + grouped(c.batch) + " × " + grouped(c.length) +
        " tokens holds " + mebibytes(sum(held)) + " and costs " + operations(found.step) + " operations. The whole training takes " + time(found.days) + ".";
      rows(box.querySelector("[data-of=parameters]"), found.parameters, grouped);
      rows(box.querySelector("[data-of=memory]"), held, mebibytes);
      rows(box.querySelector("[data-of=activations]"), found.activations, mebibytes);
      rows(box.querySelector("[data-of=forward]"), found.forward, operations);
      box.querySelector("[data-of=training]").textContent = "One forward pass: " + operations(sum(found.forward)) + ". One training step, three times as many: " + operations(found.step) +
        ". All of the training, with the masked-word head: " + operations(found.operations) + " operations, " + time(found.days) + " (" + grouped(found.days, 2) + " days).";
    }

    form.addEventListener("input", function (event) {
      if (event.target.name === "preset" && event.target.value) {
        var chosen = preset(event.target.value);
        Object.keys(chosen).forEach(function (name) { field.namedItem(name).value = name === "first" ? "post" : chosen[name]; });
      } else if (event.target.closest("fieldset").dataset.about === "model") {
        field.preset.value = "";
      }
      update();
    });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    box.hidden = false;
    update();
  }

  function begin() { document.querySelectorAll(".calculator").forEach(start); }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
