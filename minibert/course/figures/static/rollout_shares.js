// What one token takes from every other: a row of the raw map beside the same row of the rollout, for a model and its control.

const KINDS = ["raw", "rollout"];

export default {
  render({ model, el }) {
    const { names, tokens, token, shares } = model.get("data");      // shares: [model][kind][layer][token]
    const last = shares[0].raw.length - 1;
    const most = Math.max(...shares.flatMap((each) => KINDS.flatMap((kind) => each[kind].flat())));
    let layer = last;

    const charts = shares.map((each, which) => KINDS.map((kind) => {
      const rows = tokens.map((name, i) => {
        const bar = node("i", {}), said = node("b", {});
        return { bar, said, row: node("div", { class: i === token ? "row own" : "row" }, node("span", {}, name), bar, said) };
      });
      const box = node("div", { class: "chart", role: "group" }, rows.map(({ row }) => row));
      return { box, draw() {
        const values = each[kind][layer];
        box.setAttribute("aria-label", `${names[which]}, ${kind}: “${tokens[token]}” ${percent(values[token])}`);
        rows.forEach(({ bar, said, row }, i) => {
          bar.style.setProperty("--share", `${100 * values[i] / most}%`);
          said.textContent = percent(values[i]);
          row.dataset.tip = `${names[which]}, ${kind}: ${number(values[i], 3)} from “${tokens[i]}”`;
        });
      } };
    }));
    const heads = [node("p", { class: "head" }), node("p", { class: "head" })];
    const picture = node("div", { tabindex: "0", role: "group", "aria-label": "bars; the arrow keys read them" },
      node("div", { class: "grid" }, node("span", { class: "corner" }), heads, charts.map((pair, which) => [node("span", { class: "side" }, names[which]), pair.map(({ box }) => box)])));
    const figure = stage(el, model, { picture, numbers, controls: [
      slider({ label: "Layer", min: 1, max: last + 1, value: last + 1, text: (value) => `layer ${value}`, oninput: (value) => { layer = value - 1; draw(); } })] });
    tips(picture);
    draw();

    function percent(value) {
      return `${number(100 * value, 0)}%`;
    }

    function draw() {
      charts.flat().forEach((chart) => chart.draw());
      heads[0].replaceChildren("raw map", node("span", {}, `attention of layer ${layer + 1} alone`));
      heads[1].replaceChildren("rollout", node("span", {}, layer ? `layers 1 to ${layer + 1} together` : "layer 1 and the residual"));
      const own = (which, kind) => percent(shares[which][kind][layer][token]);
      figure.say(`In layer ${layer + 1}, “${tokens[token]}” gives itself ${own(0, "raw")} by the raw map and ${own(0, "rollout")} by rollout; ${names[1]}: ${own(1, "raw")} and ${own(1, "rollout")}.`);
    }

    function numbers() {
      return heat(shares.flatMap((each) => KINDS.map((kind) => each[kind][layer])), { rows: names.flatMap((name) => KINDS.map((kind) => `${name}, ${kind}`)), columns: tokens, of: "head",
        caption: `What “${tokens[token]}” takes from each token in layer ${layer + 1}` });
    }
  },
};
