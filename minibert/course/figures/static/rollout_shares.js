// What one token takes from every other: a row of the rollout for a model beside its control, and below it the same row of the raw map.

const KINDS = ["rollout", "raw"];

export default {
  render({ model, el }) {
    const { names, tokens, token, shares } = model.get("data");      // shares: [model][kind][layer][token]
    const last = shares[0].raw.length - 1;
    const most = Math.max(...shares.flatMap((each) => KINDS.flatMap((kind) => each[kind].flat())));
    let layer = last;

    const charts = KINDS.map((kind) => shares.map((each, which) => {
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
    const blocks = KINDS.map((kind, i) => {
      const head = node("p", { class: "head" }), apart = node("p", { class: "apart" });
      return { head, apart, parts: [head, names.map((name) => node("span", { class: "side" }, name)), charts[i].map(({ box }) => box), apart] };
    });
    const picture = node("div", { tabindex: "0", role: "group", "aria-label": "bars; the arrow keys read them" },
      blocks.map(({ parts }, i) => node("div", { class: `grid ${KINDS[i]}` }, parts)));
    const figure = stage(el, model, { picture, numbers, controls: [
      slider({ label: "Layer", min: 1, max: last + 1, value: last + 1, text: (value) => `layer ${value}`, oninput: (value) => { layer = value - 1; draw(); } })] });
    tips(picture);
    draw();

    function percent(value) {
      return `${number(100 * value, 0)}%`;
    }

    function draw() {
      charts.flat().forEach((chart) => chart.draw());
      const own = (which, kind) => percent(shares[which][kind][layer][token]);
      const said = { rollout: ["Rollout", layer ? `layers 1 to ${layer + 1} together` : "layer 1 and the residual"], raw: ["Raw map", `attention of layer ${layer + 1} alone`] };
      KINDS.forEach((kind, i) => {
        blocks[i].head.replaceChildren(said[kind][0], node("span", {}, said[kind][1]));
        const [one, other] = [0, 1].map((which) => Math.round(100 * shares[which][kind][layer][token])), points = Math.abs(one - other);
        blocks[i].apart.textContent = `“${tokens[token]}” keeps ${own(0, kind)} and ${own(1, kind)}: ${points} ${points === 1 ? "point" : "points"} apart`;
      });
      figure.say(`In layer ${layer + 1}, “${tokens[token]}” gives itself ${own(0, "rollout")} by rollout and ${own(0, "raw")} by the raw map; ${names[1]}: ${own(1, "rollout")} and ${own(1, "raw")}.`);
    }

    function numbers() {
      return heat(KINDS.flatMap((kind) => shares.map((each) => each[kind][layer])), { rows: KINDS.flatMap((kind) => names.map((name) => `${kind}, ${name}`)), columns: tokens, of: "head",
        caption: `What “${tokens[token]}” takes from each token in layer ${layer + 1}` });
    }
  },
};
