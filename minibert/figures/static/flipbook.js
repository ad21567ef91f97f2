// Prepared pages, turned by a slider.

export default {
  render({ model, el }) {
    const { names, pages } = model.get("data");
    const page = node("div", { class: "mb-page mb-scroll", tabindex: "0", role: "region", "aria-label": "frame" });
    const figure = frame(el, model,
      controls(slider({ label: model.get("label"), min: 0, max: names.length - 1, value: 0, text: (i) => names[i], oninput: turn })), page);
    turn(0);

    function turn(i) {
      page.innerHTML = pages[i];
      figure.say(`${names[i]}: frame ${i + 1} of ${names.length}`);
    }
  },
};
