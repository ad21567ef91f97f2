// Prepared pages, turned by a slider.

export default {
  render({ model, el }) {
    const { names, pages } = model.get("data");
    const page = node("div", { class: "mb-page mb-scroll", tabindex: "0", role: "region", "aria-label": "frame" });
    const leaf = slider({ label: model.get("label"), min: 0, max: names.length - 1, value: 0, text: (i) => names[i], oninput: turn });
    leaf.querySelector("output").style.minWidth = `min(${Math.max(...names.map((name) => name.length))}ch, 100%)`;      // the slider keeps its length
    const figure = frame(el, model, controls(leaf), page);
    page.style.minHeight = `${Math.max(...pages.map((_, i) => { turn(i); return page.getBoundingClientRect().height; }))}px`;      // and what follows its place
    turn(0);

    function turn(i) {
      page.innerHTML = pages[i];
      figure.say(`Frame ${i + 1} of ${names.length}`);      // its name stands beside the slider, which says it
    }
  },
};
