// All heads of a model as small maps to choose from, and the arcs of one.

const HABITS = {
  before: ["the token before", (i) => i - 1], after: ["the token after", (i) => i + 1], itself: ["the token itself", (i) => i],
  first: ["[CLS]", () => 0], last: ["[SEP], the last one", (i, size) => size - 1],
};

// How much of its weight a map [query][key] gives to one kind of token, on average over the queries that have such a token.
function shareOf(map, habit) {
  const found = map.map((row, i) => row[HABITS[habit][1](i, map.length)]).filter((weight) => weight !== undefined);
  return found.reduce((sum, weight) => sum + weight, 0) / found.length;
}

// A map as a picture whose ink is as strong as the weight; the page gives it its colour.
function pictureOf(map) {
  const canvas = node("canvas", { width: map.length, height: map.length });
  const context = canvas.getContext("2d");
  const image = context.createImageData(map.length, map.length);
  map.flat().forEach((weight, i) => { image.data[4 * i + 3] = Math.round(255 * weight); });
  context.putImageData(image, 0, 0);
  return `url(${canvas.toDataURL()})`;
}

export default {
  render({ model, el }) {
    const data = model.get("data");
    const texts = data.texts.map(({ tokens, weights }) => ({ tokens: namesOf(tokens), text: tokens.slice(1, -1).join(" "), maps: unpack(weights), pictures: [] }));     // maps: [model][layer][head][query][key]
    const [, layers, heads] = data.texts[0].weights.shape;
    const state = { text: 0, model: 0, layer: data.layer, head: data.head, word: data.word, habit: "" };

    // ---- the grid: one group of radio buttons, so that the arrow keys walk through it

    const name = `mb-heads-${Math.random().toString(36).slice(2, 8)}`;
    const cells = Array.from({ length: layers }, (_, layer) => Array.from({ length: heads }, (_, head) => {
      const input = node("input", { type: "radio", name, class: "mb-hidden", "aria-label": `layer ${layer + 1}, head ${head + 1}`, onchange: () => choose(layer, head) });
      const map = node("span", { class: "map" });
      return { input, map, label: node("label", { "data-tip": `layer ${layer + 1}, head ${head + 1}` }, input, map) };
    }));
    const grid = node("fieldset", { class: "grid", style: `--heads: ${heads}`, onkeydown: walk },
      node("legend", { class: "mb-hidden" }, "the head that is drawn large"),
      node("span", {}), Array.from({ length: heads }, (_, head) => node("span", { class: "side", "aria-hidden": "true" }, head + 1)),
      cells.map((row, layer) => [node("span", { class: "side", "aria-hidden": "true" }, layer + 1), row.map(({ label }) => label)]));
    const counted = node("p", { class: "counted" });

    const title = node("p", { class: "title" });
    const drawn = arcs({ width: Math.min(el.clientWidth || 340, 832), onpick: (i) => { state.word = i; draw(); } });
    const picture = node("div", {}, drawn.box, node("div", { class: "choice" }, grid,
      node("div", {}, title, node("p", { class: "axes" }, "Each small map is a head: layers from top to bottom, heads from left to right. The arrow keys walk through them."), counted)));
    const figure = stage(el, model, { picture, numbers, controls: [
      pick({ label: "Text", options: texts.map(({ text }, i) => [i, text]), value: 0, oninput: (i) => { state.text = i; draw(); } }),
      radios({ label: "Model", options: [[0, "trained"], [1, "untrained"]], value: 0, oninput: (i) => { state.model = i; draw(); } }),
      pick({ label: "Mark heads on", options: [["", "nothing in particular"], ...Object.entries(HABITS).map(([each, [text]]) => [each, text])], value: "",
        oninput: (habit) => { state.habit = habit; draw(); } })] });
    tips(picture);
    draw();

    function choose(layer, head) {
      state.layer = layer;
      state.head = head;
      draw();
    }

    // Up and down go to the same head of the next layer; left and right are the browser's own.
    function walk(event) {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose((state.layer + step + layers) % layers, state.head);
      cells[state.layer][state.head].input.focus();
    }

    function mapNow() {
      return texts[state.text].maps[state.model][state.layer][state.head];
    }

    function draw() {
      const { tokens, maps } = texts[state.text];
      state.word = Math.min(state.word, tokens.length - 1);
      const marked = drawGrid(maps[state.model]);
      title.textContent = `Layer ${state.layer + 1}, head ${state.head + 1}: where “${tokens[state.word]}” looks`;
      drawn.show({ tokens, map: mapNow(), chosen: state.word });
      figure.say(inWords(tokens, mapNow()[state.word], marked));
    }

    function numbers() {
      const { tokens } = texts[state.text];
      const table = heat(mapNow(), { rows: tokens, columns: tokens, largest: 1, of: "head", corner: "looks at →", caption: `All weights of layer ${state.layer + 1}, head ${state.head + 1}` });
      table.querySelectorAll("tbody tr")[state.word].className = "asking";
      return table;
    }

    // Returns in how many heads the habit is found.
    function drawGrid(maps) {
      const { pictures } = texts[state.text];
      pictures[state.model] = pictures[state.model] || maps.map((row) => row.map(pictureOf));
      let marked = 0;
      cells.forEach((row, layer) => row.forEach(({ input, map, label }, head) => {
        const has = state.habit !== "" && shareOf(maps[layer][head], state.habit) > 0.5;
        marked += has;
        input.checked = layer === state.layer && head === state.head;
        label.className = has ? "marked" : "";
        map.style.setProperty("--map", pictures[state.model][layer][head]);
      }));
      grid.classList.toggle("marking", state.habit !== "");
      counted.textContent = state.habit === "" ? "" : `${marked} of ${layers * heads} heads ${marked === 1 ? "gives more than half of its" : "give more than half of their"} weight to ${HABITS[state.habit][0]}.`;
      return marked;
    }

    function inWords(names, row, marked) {
      const looks = `In layer ${state.layer + 1}, head ${state.head + 1} of the ${["trained", "untrained"][state.model]} model, “${names[state.word]}” looks at ${mostOf(row, names)}.`;
      return state.habit === "" ? looks : `${looks} ${marked === 1 ? "1 head is" : `${marked} heads are`} marked.`;
    }
  },
};
