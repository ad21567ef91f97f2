// All heads of a model and of its control as small maps to choose from, those with one habit marked, and the arcs of one.

// name: [in words, the token that query i looks at]; without such a token, the one that gets most from all queries
const HABITS = {
  one: ["one token"], before: ["the token before", (i) => i - 1], after: ["the token after", (i) => i + 1], itself: ["the token itself", (i) => i],
  first: ["[CLS]", () => 0], last: ["[SEP], the last one", (i, size) => size - 1],
};
const MODELS = ["trained", "untrained"];

// How much of its weight a map [query][key] gives to one kind of token, on average over the queries that have such a token.
function shareOf(map, habit) {
  const to = HABITS[habit][1];
  if (!to) return Math.max(...map.map((_, key) => mean(map.map((row) => row[key]))));
  return mean(map.map((row, i) => row[to(i, map.length)]).filter((weight) => weight !== undefined));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
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
    const texts = data.texts.map(({ tokens, weights }) => ({ tokens: namesOf(tokens), text: tokens.slice(1, -1).join(" "), maps: unpack(weights) }));     // maps: [model][layer][head][query][key]
    const [, layers, heads] = data.texts[0].weights.shape;
    const state = { text: 0, model: 0, layer: data.layer, head: data.head, word: data.word, habit: "one" };

    // ---- the two grids: one group of radio buttons, so that the arrow keys walk through it

    const name = `mb-heads-${Math.random().toString(36).slice(2, 8)}`;
    const grids = MODELS.map((kind, which) => {
      const cells = Array.from({ length: layers }, (_, layer) => Array.from({ length: heads }, (_, head) => {
        const said = `${kind}, layer ${layer + 1}, head ${head + 1}`;
        const input = node("input", { type: "radio", name, class: "mb-hidden", "aria-label": said, onchange: () => choose(which, layer, head) });
        const map = node("span", { class: "map" });
        return { input, map, label: node("label", { "data-tip": said }, input, map) };
      }));
      const counted = node("p", { class: "counted" });
      return { cells, counted, box: node("div", {}, counted, node("div", { class: "grid", style: `--heads: ${heads}` },
        node("span", { class: "side top" }), Array.from({ length: heads }, (_, head) => node("span", { class: "side top", "aria-hidden": "true" }, head + 1)),
        cells.map((row, layer) => [node("span", { class: "side", "aria-hidden": "true" }, layer + 1), row.map(({ label }) => label)]))) };
    });
    const both = node("fieldset", { class: "grids", onkeydown: walk }, node("legend", { class: "mb-hidden" }, "the head that is drawn large"), grids.map(({ box }) => box));

    const title = node("p", { class: "title" });
    const drawn = arcs({ width: Math.min(el.clientWidth || 340, 832), onpick: (i) => { state.word = i; draw(); } });
    const picture = node("div", {}, both, title, drawn.box);
    const figure = stage(el, model, { picture, numbers, controls: [
      pick({ label: "Text", options: texts.map(({ text }, i) => [i, text]), value: 0, oninput: (i) => { state.text = i; draw(); } }),
      pick({ label: "Frame heads on", options: [...Object.entries(HABITS).map(([each, [text]]) => [each, text]), ["", "nothing"]], value: state.habit,
        oninput: (habit) => { state.habit = habit; draw(); } })] });
    tips(picture);
    draw();

    function choose(which, layer, head) {
      Object.assign(state, { model: which, layer, head });
      draw();
    }

    // Up and down go to the same head of the next layer; left and right are the browser's own.
    function walk(event) {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose(state.model, (state.layer + step + layers) % layers, state.head);
      grids[state.model].cells[state.layer][state.head].input.focus();
    }

    function mapNow() {
      return texts[state.text].maps[state.model][state.layer][state.head];
    }

    function draw() {
      const { tokens } = texts[state.text];
      state.word = Math.min(state.word, tokens.length - 1);
      grids.forEach((_, which) => drawGrid(which));
      title.replaceChildren(...titled(tokens, mapNow()));
      drawn.show({ tokens, map: mapNow(), chosen: state.word });
      figure.say(inWords(tokens, mapNow()[state.word]));
    }

    // Which head is drawn large, and how it comes by its frame.
    function titled(tokens, map) {
      const framed = state.habit !== "" && shareOf(map, state.habit) > 0.5;
      const name = `${state.habit === "" ? "The chosen head" : framed ? "A framed head" : "A head without a frame"}: layer ${state.layer + 1}, head ${state.head + 1}, ${MODELS[state.model]}. `;
      if (!framed || state.habit !== "one") return [name, node("span", {}, `Arcs: where “${tokens[state.word]}” looks.`)];
      const shares = tokens.map((_, key) => mean(map.map((row) => row[key]))), most = Math.max(...shares);
      return [name, node("b", {}, `The tokens give “${tokens[shares.indexOf(most)]}” ${number(100 * most, 0)}% on average`), node("span", {}, `; arcs: “${tokens[state.word]}”.`)];
    }

    function numbers() {
      const { tokens } = texts[state.text];
      const table = heat(mapNow(), { rows: tokens, columns: tokens, largest: 1, of: "head", corner: "looks at →", caption: `All weights of layer ${state.layer + 1}, head ${state.head + 1}, ${MODELS[state.model]}` });
      table.querySelectorAll("tbody tr")[state.word].className = "asking";
      return table;
    }

    // The maps of one model, those framed in which the habit is found.
    function drawGrid(which) {
      const maps = texts[state.text].maps[which], { cells, counted } = grids[which];
      const pictures = texts[state.text][`pictures${which}`] ||= maps.map((row) => row.map(pictureOf));
      let marked = 0;
      cells.forEach((row, layer) => row.forEach(({ input, map, label }, head) => {
        const has = state.habit !== "" && shareOf(maps[layer][head], state.habit) > 0.5;
        marked += has;
        input.checked = which === state.model && layer === state.layer && head === state.head;
        label.className = has ? "marked" : "";
        map.style.setProperty("--map", pictures[layer][head]);
      }));
      both.classList.toggle("marking", state.habit !== "");
      counted.replaceChildren(`${MODELS[which]}${state.habit === "" ? "" : ": "}`, node("b", {}, state.habit === "" ? "" : `${marked} of ${layers * heads}`), state.habit === "" ? "" : " heads framed");
    }

    function inWords(names, row) {
      return `${state.model ? "Untrained, layer" : "Layer"} ${state.layer + 1}, head ${state.head + 1}: “${names[state.word]}” looks at ${mostOf(row, names)}.`;
    }
  },
};
