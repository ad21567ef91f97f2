// From which tokens the vector of one token comes: a stream from each token to the left, into the model's vector, and to the right, into its control's.

const KINDS = { rollout: "all layers so far: rollout", raw: "this layer alone: attention" };

// A stream from (x0, y0) to (x1, y1), so and so thick at its two ends; the ys are those of its middle.
function stream(x0, y0, thick0, x1, y1, thick1) {
  const middle = (x0 + x1) / 2, at = (y) => y.toFixed(1);
  return `M${x0} ${at(y0 - thick0 / 2)} C${middle} ${at(y0 - thick0 / 2)} ${middle} ${at(y1 - thick1 / 2)} ${x1} ${at(y1 - thick1 / 2)} V${at(y1 + thick1 / 2)} `
    + `C${middle} ${at(y1 + thick1 / 2)} ${middle} ${at(y0 + thick0 / 2)} ${x0} ${at(y0 + thick0 / 2)} Z`;
}

export default {
  render({ model, el }) {
    const { names, tokens, token, shares } = model.get("data");      // shares: [model][kind][layer][token]
    const last = shares[0].raw.length - 1, word = tokens[token];
    const width = clamp(el.clientWidth, 300, 832), narrow = width < 560;      // drawn as wide as it is shown
    const row = narrow ? 34 : 38, top = 50, tall = row * tokens.length, all = 0.62 * tall;      // `all`: how thick 100% is
    const half = clamp(Math.max(...tokens.map((name) => name.length)) * (narrow ? 3.7 : 4.4) + 8, 28, 70), said = narrow ? 44 : 62, bar = narrow ? 9 : 14;
    let layer = last, kind = "rollout";

    // One side of the picture: -1 the model, to the left; 1 the control, to the right.
    const sides = [-1, 1].map((side, which) => {
      const from = width / 2 + side * (half + said), to = side < 0 ? bar : width - bar, outer = side < 0 ? 0 : width;
      const head = shape("text", { class: "side", x: outer, y: 17, "text-anchor": side < 0 ? "start" : "end" }, `${names[which]} model`);
      const sum = shape("text", { class: "sum", x: outer, y: 37, "text-anchor": side < 0 ? "start" : "end" });
      const parts = tokens.map((name, i) => ({
        flow: shape("path", { class: i === token ? "stream own" : "stream" }),
        share: shape("text", { class: i === token ? "share own" : "share", x: width / 2 + side * (half + said - 8), y: top + (i + 0.5) * row + (i === token ? 7 : 4), "text-anchor": side < 0 ? "start" : "end" }),
      }));
      const vector = shape("rect", { class: "vector", x: side < 0 ? 0 : width - bar, y: top + (tall - all) / 2, width: bar, height: all, rx: 3 });
      const group = shape("g", { class: `from ${which ? "control" : "model"}` }, head, sum, parts.map(({ flow }) => flow), vector, parts.map(({ share }) => share));
      return { group, sum, draw(values) {
        let y = top + (tall - all) / 2;
        parts.forEach(({ flow }, i) => {
          const thick = Math.max(1, values[i] * all);
          flow.setAttribute("d", stream(from, top + (i + 0.5) * row, Math.min(thick, row - 4), to, y + values[i] * all / 2, thick));
          y += values[i] * all;
        });
      }, say(values) {
        sum.textContent = `“${word}” ${kind === "raw" ? "in" : "after"} layer ${layer + 1}`;
        parts.forEach(({ flow, share }, i) => {
          share.textContent = percent(values[i]);
          flow.setAttribute("data-tip", `${names[which]}, ${kind}: ${number(values[i], 3)} from “${tokens[i]}”`);
        });
      } };
    });
    const middle = [
      shape("rect", { class: "row", x: width / 2 - half - said, y: top + token * row + 1, width: 2 * (half + said), height: row - 2, rx: 4 }),
      shape("text", { class: "from-what", x: width / 2, y: 37, "text-anchor": "middle" }, "comes from"),
      tokens.map((name, i) => shape("text", { class: i === token ? "token own" : "token", x: width / 2, y: top + (i + 0.5) * row + 5, "text-anchor": "middle" }, name)),
    ];
    const svg = shape("svg", { viewBox: `0 0 ${width} ${top + tall}`, "aria-hidden": "true" }, middle[0], sides.map(({ group }) => group), middle.slice(1));
    const picture = node("div", { tabindex: "0", role: "group", "aria-label": "streams from the tokens; the arrow keys read them" }, svg);
    const figure = stage(el, model, { picture, numbers, controls: [
      slider({ label: "Layer", min: 1, max: last + 1, value: last + 1, text: (value) => `layer ${value}`, oninput: (value) => { layer = value - 1; update(); } }),
      radios({ label: "Look through", options: Object.entries(KINDS), value: kind, oninput: (value) => { kind = value; update(); } })] });
    tips(picture);

    let shown = current(), start = shown;      // what is drawn, and from where it moves
    const move = glide((t) => {
      const to = current();
      shown = start.map((values, which) => values.map((value, i) => value + (to[which][i] - value) * t));
      sides.forEach((side, which) => side.draw(shown[which]));
    }, 0);
    update(0);

    function current() {
      return shares.map((each) => each[kind][layer]);
    }

    function percent(value) {
      return `${number(100 * value, 0)}%`;
    }

    function update(length) {
      sides.forEach((side, which) => side.say(current()[which]));
      start = shown;
      move(0, 0);
      move(1, length);
      const [one, other] = current().map((values) => percent(values[token])), points = Math.abs(parseInt(one, 10) - parseInt(other, 10));
      const how = kind === "raw" ? `Attention of layer ${layer + 1} alone` : layer ? `Rollout, layers 1 to ${layer + 1}` : "Rollout, layer 1";
      figure.say(`${how}: “${word}” gets ${one} from itself in the ${names[0]} model and ${other} in the ${names[1]} one, ${points} ${points === 1 ? "point" : "points"} apart.`);
    }

    function numbers() {
      return heat(Object.keys(KINDS).flatMap((each) => shares.map((one) => one[each][layer])), { rows: Object.keys(KINDS).flatMap((each) => names.map((name) => `${each}, ${name}`)), columns: tokens, of: "head",
        caption: `What “${word}” takes from each token in layer ${layer + 1}` });
    }
  },
};
