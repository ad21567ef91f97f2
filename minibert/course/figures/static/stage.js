// What figures under the contract share: the order of their parts, a timeline that plays, and numbers at the pointer.

function still() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// Title, controls, picture, a line in words, a suggestion, and the whole table folded; `numbers()` makes the table when it is opened.
function stage(el, model, { controls: row, picture, numbers }) {
  const status = node("p", { class: "mb-status", role: "status" });
  const table = node("div", { class: "mb-scroll", tabindex: "0", role: "region", "aria-label": `the numbers of “${model.get("label")}”` });
  const folded = node("details", { class: "mb-numbers", ontoggle: () => { if (folded.open) table.replaceChildren(numbers()); } }, node("summary", {}, "The numbers"), table);
  const hint = model.get("try_this") && node("p", { class: "mb-try" }, node("strong", {}, "Try it. "), model.get("try_this"));
  el.append(node("div", { class: `mb-figure mb-stage mb-${model.get("name")}`, role: "group", "aria-label": model.get("label") },
    node("p", { class: "mb-label" }, model.get("label")), controls(row), picture, status, hint, folded));
  let waiting;
  return {
    // A screen reader hears the line, so it changes once the hand rests.
    say(text) {
      clearTimeout(waiting);
      if (status.textContent) waiting = setTimeout(() => { status.textContent = text; }, 250);
      else status.textContent = text;
      if (folded.open) table.replaceChildren(numbers());
    },
  };
}

// Calls `draw(value)` on the way from one value to another: 200 ms, or at once under reduced motion.
function glide(draw, start) {
  let now = start, running = 0;
  return (to, length = 200) => {
    cancelAnimationFrame(running);
    const from = now, begun = performance.now();
    const step = (time) => {
      const share = still() || length === 0 ? 1 : clamp((time - begun) / length, 0, 1);
      now = share === 1 ? to : from + (to - from) * share;
      draw(now);
      if (share < 1) running = requestAnimationFrame(step);
    };
    step(begun);
  };
}

// A play button and a slider over frames 0 to last. `draw(t)` gets every t between two frames, `rest(frame)` the frame that was chosen.
function timeline({ label, last, value, text, draw, rest, pace = 700 }) {
  const move = glide(draw, value);
  let frame = value, clock = 0;
  const hand = slider({ label, min: 0, max: last, value, text, oninput: (to) => { pause(); show(to); } });
  const button = node("button", { type: "button", class: "mb-play", onclick: () => (clock ? pause() : play()) });
  pause();
  return { parts: [button, hand], limit };

  // Another film, of another length: it is shown at its end.
  function limit(length) {
    pause();
    last = length;
    hand.querySelector("input").max = last;
    hand.set(last);
    show(last, 0);
  }

  function show(to, length) {
    frame = to;
    move(to, length);
    rest(to);
  }

  function play() {
    button.textContent = "❚❚ Pause";
    if (frame === last) { show(0, 0); hand.set(0); }
    clock = setInterval(() => {
      if (!button.isConnected) return pause();
      hand.set(frame + 1);
      show(frame + 1, pace);
      if (frame === last) pause();
    }, pace);
  }

  function pause() {
    clearInterval(clock);
    clock = 0;
    button.textContent = "▶ Play";
  }
}

// Shows `data-tip` of what is pointed at in `area`; with the focus on the area, the arrow keys go from one to the next.
function tips(area) {
  const tip = node("div", { class: "mb-tip", "aria-hidden": "true", hidden: true });
  const spoken = node("span", { class: "mb-hidden", "aria-live": "polite" });
  let at = -1;
  area.classList.add("mb-tipped");
  area.append(tip, spoken);
  area.addEventListener("pointerover", ({ target }) => show(target.closest("[data-tip]")));
  area.addEventListener("pointerleave", () => show(null));
  area.addEventListener("blur", () => show(null));
  area.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.target !== area) return;
    if (event.key === "Escape") show(null);
    if (!step) return;
    event.preventDefault();
    const all = [...area.querySelectorAll("[data-tip]")];
    at = (at + step + all.length) % all.length;
    show(all[at]);
    spoken.textContent = tip.textContent;
  });

  function show(target) {
    area.querySelector(".mb-pointed")?.classList.remove("mb-pointed");
    tip.hidden = !target;
    if (!target) return;
    target.classList.add("mb-pointed");
    tip.textContent = target.dataset.tip;
    const [box, place] = [area.getBoundingClientRect(), target.getBoundingClientRect()];
    const middle = place.left + place.width / 2 - box.left, half = tip.offsetWidth / 2;
    tip.style.left = `${clamp(middle - half, 0, Math.max(0, box.width - 2 * half))}px`;
    const above = place.top - box.top - tip.offsetHeight - 6;
    tip.style.top = `${above < 0 ? place.bottom - box.top + 6 : above}px`;
  }
}
