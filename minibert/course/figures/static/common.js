// What every moving figure uses. Python puts this file before the figure's own script, so nothing here is exported.

const SVG = "http://www.w3.org/2000/svg";

// ---- nodes

// An HTML element. A function among the attributes (onclick, oninput …) is a listener; false and undefined leave one out.
function node(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

// An SVG element.
function shape(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element[name] = value;
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

// ---- controls: native ones, so keyboard, touch and screen reader come with them

// A range. `text(value)` says its value in words; the node's `set(value)` moves it from outside.
function slider({ label, min, max, step = 1, value, text = String, oninput }) {
  const shown = node("output", {}, text(value));
  const input = node("input", { type: "range", min, max, step, value, "aria-valuetext": text(value) });
  const show = () => {
    shown.textContent = text(Number(input.value));
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  input.oninput = () => { show(); oninput(Number(input.value)); };
  const control = node("label", { class: "mb-control mb-slider" }, node("span", {}, label), input, shown);
  control.set = (wanted) => { input.value = wanted; show(); };
  return control;
}

// One of some options, each [value, text], from a menu.
function pick({ label, options, value, oninput }) {
  const select = node("select", { onchange: () => oninput(options[select.selectedIndex][0]) },
    options.map(([each, text]) => node("option", { selected: each === value }, text)));
  return node("label", { class: "mb-control" }, node("span", {}, label), select);
}

let groups = 0;     // radio buttons of one group share a name that no other group has

// One of a few options, each [value, text], all in sight.
function radios({ label, options, value, oninput }) {
  const name = `mb-group-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`;
  return node("fieldset", { class: "mb-control mb-radios" }, node("legend", {}, label),
    options.map(([each, text]) => node("label", {},
      node("input", { type: "radio", name, checked: each === value, onchange: () => oninput(each) }), node("span", {}, text))));
}

function toggle({ label, value = false, oninput }) {
  const input = node("input", { type: "checkbox", checked: value, onchange: () => oninput(input.checked) });
  return node("label", { class: "mb-control mb-toggle" }, input, node("span", {}, label));
}

// Text that the reader types; more than one row makes it a larger box.
function field({ label, value = "", rows = 1, oninput }) {
  const input = node(rows > 1 ? "textarea" : "input", { ...(rows > 1 ? { rows } : { type: "text" }), spellcheck: "false", autocomplete: "off", oninput: () => oninput(input.value) });
  input.value = value;
  return node("label", { class: "mb-control mb-field" }, node("span", {}, label), input);
}

function controls(...children) {
  return node("div", { class: "mb-controls" }, children);
}

// ---- tables

// A matrix as a table on the book's heat scale, slate above zero and brown below, or purple where it holds weights of attention
// (`of: "head"`), with the numbers in the cells.
function heat(matrix, { rows = [], columns = [], digits = 2, caption = "", corner = "", largest, of } = {}) {
  const top = largest || Math.max(1e-12, ...matrix.flat().map((value) => Math.abs(value)));
  const cell = (value) => node("td", { class: value < 0 ? "mb-minus" : "mb-plus", style: `--strength: ${Math.round(60 * clamp(Math.abs(value) / top, 0, 1))}%` }, number(value, digits));
  return node("table", { class: `mb-heat${of ? ` mb-of-${of}` : ""}` },
    caption && node("caption", {}, caption),
    columns.length > 0 && node("thead", {}, node("tr", {}, rows.length > 0 && node("td", {}, corner), columns.map((name) => node("th", { scope: "col" }, name)))),
    node("tbody", {}, matrix.map((values, i) => node("tr", {}, rows.length > 0 && node("th", { scope: "row" }, rows[i]), values.map(cell)))));
}

// ---- numbers

// Rounded, without a minus before zero; what is no number (a masked score) as a sign.
function number(value, digits = 2) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "–";
  return (Number(value.toFixed(digits)) + 0).toFixed(digits).replace("-", "−");
}

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

function dot(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

// Softmax of an array; where all is masked (−∞), nothing gets any weight.
function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => (largest === -Infinity ? 0 : Math.exp(score - largest)));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => (sum ? power / sum : 0));
}
