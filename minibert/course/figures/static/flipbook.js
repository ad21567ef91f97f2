// Prepared pages, turned by a slider.

export default {
  render({ model, el }) {
    const { names, pages, slider: chosen, start } = model.get("data");
    const page = node("div", { class: "mb-page mb-scroll", tabindex: "0", role: "region", "aria-label": "frame" });
    const leaf = slider({ label: chosen, min: 0, max: names.length - 1, value: start, text: (i) => names[i], oninput: turn });
    leaf.querySelector("output").style.minWidth = `min(${Math.max(...names.map((name) => name.length))}ch, 100%)`;      // the slider keeps its length
    const figure = frame(el, model, controls(leaf), page);
    el.querySelector(".mb-label").hidden = model.get("label") === chosen;      // without a finding, the slider has the label
    page.style.minHeight = `${Math.max(...pages.map((_, i) => { turn(i); return page.getBoundingClientRect().height; }))}px`;      // and what follows its place
    turn(start);

    function turn(i) {
      page.innerHTML = pages[i];
      figure.say(`Frame ${i + 1} of ${names.length}`);      // its name stands beside the slider, which says it
    }
  },
};
