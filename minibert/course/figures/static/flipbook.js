// Prepared pages, turned by a slider.

// What one reads where one points: a cell by its row and column, a drawing by its own description.
function pointed(page) {
  page.querySelectorAll("table").forEach((table) => {
    const heads = [...table.querySelectorAll("thead :is(th, td)")].map((head) => head.textContent);
    table.querySelectorAll("tbody tr").forEach((row) => row.querySelectorAll("td").forEach((cell) => {
      const [name, column] = [row.querySelector("th")?.textContent, heads[cell.cellIndex]];
      cell.dataset.tip = `${[name, column].filter(Boolean).join(", ")}: ${cell.textContent}`;
    }));
  });
  page.querySelectorAll("svg[aria-label]").forEach((drawing) => { drawing.dataset.tip = drawing.getAttribute("aria-label"); });
}

function textOf(html) {
  const box = node("div", {});
  box.innerHTML = html;
  return box.textContent;
}

export default {
  render({ model, el }) {
    const { names, pages, slider: chosen, start, says } = model.get("data");
    const page = node("div", { class: "mb-page" });
    const picture = node("div", { class: "mb-scroll", tabindex: "0", role: "region", "aria-label": chosen }, page);
    const leaf = slider({ label: chosen, min: 0, max: names.length - 1, value: start, text: (i) => names[i], oninput: turn });
    leaf.querySelector("output").style.minWidth = `min(${Math.max(...names.map((name) => name.length))}ch, 100%)`;      // the slider keeps its length
    const figure = stage(el, model, { controls: [leaf], picture, numbers });
    const line = el.querySelector(".mb-status");
    el.querySelector(".mb-label").hidden = model.get("label") === chosen;      // without a finding, the slider has the label
    for (const [box, fill] of [[page, (i) => { page.innerHTML = pages[i]; }], [line, (i) => { line.textContent = sentence(i); }]]) {      // what follows keeps its place
      box.style.minHeight = `${Math.max(...pages.map((_, i) => { fill(i); return box.getBoundingClientRect().height; }))}px`;
    }
    line.textContent = "";      // so that the first sentence is said at once
    tips(picture);
    turn(start);

    function sentence(i) {
      return says ? says[i] : `${chosen}: ${names[i]}`;
    }

    function turn(i) {
      page.innerHTML = pages[i];
      pointed(page);
      figure.say(sentence(i));
    }

    function numbers() {
      return node("table", {}, node("thead", {}, node("tr", {}, [chosen, "what it shows"].map((name) => node("th", { scope: "col" }, name)))),
        node("tbody", {}, names.map((name, i) => node("tr", {}, node("th", { scope: "row" }, name), node("td", {}, says ? says[i] : textOf(pages[i]))))));
    }
  },
};
