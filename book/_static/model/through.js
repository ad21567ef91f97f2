// The picture of a sentence on its way through the model: what is shown, what moves, and what a key, a pointer or a finger does to it.
(function () {
  "use strict";

  const model = window.minibertModel, { node, through } = model;
  const STAGE = 1700, STEP = 1500, GLIDE = 220, SETTLED = 1000, BLANK = /_{2,}|\[mask\]/gi;
  let box, ctx, place, colours, data = null, before = null, end = 7, isPlaying = false, hovered = null, from = null, since = 0, last = 0, focus = 0, parts = [], isWhole = false, timer;
  const state = { text: "", t: 7, token: 0, heads: [], off: [], open: null };
  const shown = { token: 0, rows: [] };
  const ask = model.asker("through", { show: (answer, question) => take(answer, question), fail });
  const still = window.matchMedia("(prefers-reduced-motion: reduce)"), dark = new MutationObserver(() => { colours = through.look(); redraw(); });

  function start() {
    box = model.parts(document.querySelector("[data-tool=through]"));
    ctx = box.canvas.getContext("2d");
    colours = through.look();
    box.text.oninput = model.soon(() => turn(fromField()), 300);
    box.text.onkeydown = (event) => { if (event.key === "Enter") { event.preventDefault(); turn(fromField()); } };
    box.play.onclick = () => play(!isPlaying);
    box.time.oninput = () => { play(false); moveTo(Number(box.time.value)); };
    box.time.onkeydown = step;
    box.blocks.onclick = ({ target }) => press(parts[target.dataset.n]);
    box.blocks.onkeydown = walk;
    box.blocks.onpointermove = (event) => { if (event.pointerType === "mouse" && (event.movementX || event.movementY)) hover(parts[event.target.dataset.n]); };
    box.blocks.onpointerleave = () => hover(null);
    box.copy.onclick = () => { write(); through.copy(box.said); };
    box.save.onclick = () => through.save(through.card(state.text.replaceAll("[MASK]", "___"), finding(end, state.token), data, view(), colours));
    document.querySelectorAll("[data-tool=through] [data-example]").forEach((button) => { button.onclick = () => change(button.dataset.example); });
    window.addEventListener("hashchange", fromAddress);
    box.whole.onclick = () => { isWhole = !isWhole; fit(); if (isWhole) box.picture.scrollIntoView({ behavior: still.matches ? "auto" : "smooth" }); };
    new ResizeObserver(fit).observe(box.picture.parentElement);
    dark.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    document.fonts.ready.then(redraw);
    take(model.recorded.through, { text: model.recorded.through.text, off: [] });
    fromAddress();
  }

  const fromField = () => box.text.value.replace(BLANK, "[MASK]");
  const headOf = (layer) => state.heads[layer] ?? through.sharpest(data, layer, state.token);
  const rowsOf = (token) => data.attentions.map((_, layer) => through.row(data, layer, headOf(layer), token));

  // ---- sentences

  function turn(text) {
    state.text = text;
    ask({ text, off: state.off });
  }

  function change(text) {
    box.text.value = text.replaceAll("[MASK]", "___");
    turn(fromField());
  }

  /** An answer has come, recorded or from the worker. The one before stays, if it stood for a moment, to be compared with. */
  function take(answer, { text, off }) {
    const blank = answer.tokens.findIndex(({ piece }) => piece === "[MASK]"), isSame = data && data.text === text, now = performance.now();
    if (data && !(isSame && String(data.off) === String(off)) && now - data.since > SETTLED) before = data;
    const keeps = isSame || blank < 0 || answer.tokens[state.token]?.piece === "[MASK]";
    state.token = Math.min(state.wanted ?? (data && keeps ? state.token : Math.max(blank, 0)), answer.tokens.length - 1);
    data = Object.assign(answer, { text, off, since: now });
    end = data.attentions.length + 3;
    Object.assign(state, { text, wanted: null, t: Math.min(state.t, end) });
    if (state.heads.length !== data.attentions.length) state.heads = data.attentions.map(() => null);
    if (state.open && (!through.sound(data, state.open) || !isSame && state.open.block === "word")) state.open = null;
    hovered = null;
    box.status.textContent = box.error.textContent = "";
    box.text.removeAttribute("aria-invalid");
    box.time.max = end;
    if (model.isAwake()) performance.mark("minibert-answer");
    fit();
    glide(state.token);
    moveTo(state.t);
    unfold();
  }

  function fail(sentence) {
    box.status.textContent = "";
    box.error.textContent = sentence;
    box.text.setAttribute("aria-invalid", "true");
  }

  /** Another word in a token's place; its other pieces go too. */
  function replace(token, word) {
    let first = token, last = token;
    while (data.tokens[first].piece.startsWith("##")) first -= 1;
    while (data.tokens[last + 1].piece.startsWith("##")) last += 1;
    if (word === "[MASK]") state.wanted = first;
    const text = data.text.slice(0, data.tokens[first].start) + word + data.text.slice(data.tokens[last].end);
    change(text);
    box.finding.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
  }

  /** Switches a head off, or on again. */
  function toggle(layer, head) {
    state.off = through.isOff(data, layer, head) ? data.off.filter(([l, h]) => l !== layer || h !== head) : [...data.off, [layer, head]];
    turn(state.text);
  }

  // ---- the picture

  function fit() {
    const width = box.picture.parentElement.clientWidth, dots = window.devicePixelRatio || 1;
    if (!width || !data) return;
    const isSame = place && place.width === width && place.S === data.tokens.length && box.canvas.width === Math.round(width * dots);
    if (!isSame) place = through.layout(width, data.tokens.length, data.attentions.length, data.attentions[0].length);
    box.picture.classList.toggle("through-narrow", place.isNarrow);
    box.picture.hidden = place.isNarrow && !isWhole;
    box.story.hidden = box.whole.hidden = !place.isNarrow;
    box.whole.setAttribute("aria-expanded", String(isWhole));
    if (isSame) return describe(), redraw();
    const isFocused = box.blocks.contains(document.activeElement);
    Object.assign(box.canvas, { width: Math.round(width * dots), height: Math.round(place.height * dots) });
    box.canvas.style.height = box.picture.style.height = `${place.height}px`;
    ctx.setTransform(dots, 0, 0, dots, 0, 0);
    parts = through.blocks(place);
    focus = Math.min(focus, parts.length - 1);
    box.blocks.replaceChildren(...parts.map(({ x, y, w, h }, n) => node("button", { type: "button", "data-n": n, tabindex: n === focus ? 0 : -1, style: `left: ${x}px; top: ${y}px; width: ${w}px; height: ${h}px` })));
    if (isFocused) box.blocks.children[focus].focus();
    describe();
    redraw();
  }

  function describe() {
    parts.forEach((part, n) => {
      box.blocks.children[n].title = through.label(data, part, state.token, headOf);
      box.blocks.children[n].setAttribute("aria-label", box.blocks.children[n].title);
    });
  }

  /** What was said of this token before, word by word; null where nothing can be compared. */
  function earlier(token) {
    const isAlike = before && before.tokens.length === data.tokens.length && before.tokens[token].piece === data.tokens[token].piece;
    return isAlike ? before.says[before.says.length - 1][token] : null;
  }

  function view() {
    const chosen = hovered ?? state.token, was = new Map((earlier(chosen) || []).map(({ word, probability }) => [word, probability]));
    return { t: state.t, token: shown.token, rows: shown.rows, chosen, heads: data.attentions.map((_, layer) => headOf(layer)), was };
  }

  /** Lets the ribbons glide from where they are to those of a token. */
  function glide(token) {
    const rows = rowsOf(token), isSame = shown.rows.length && shown.rows[0].length === rows[0].length;
    from = isSame && !still.matches ? { token: shown.token, rows: shown.rows } : null;
    since = performance.now();
    Object.assign(shown, { goal: { token, rows } }, from ? {} : { token, rows });
    redraw();
  }

  function redraw() {
    cancelAnimationFrame(timer);
    timer = requestAnimationFrame(frame);
  }

  function frame(now) {
    if (!data || !place || place.S !== data.tokens.length) return;
    const share = from ? Math.min(1, Math.max(0, now - since) / GLIDE) : 1, mixed = (a, b) => a + (b - a) * share;
    if (from) Object.assign(shown, { token: mixed(from.token, shown.goal.token), rows: shown.goal.rows.map((row, l) => row.map((weight, s) => mixed(from.rows[l][s], weight))) });
    if (share === 1) from = null;
    if (isPlaying && !still.matches) moveTo(state.t + Math.min(100, now - last) / STAGE, false);
    last = now;
    through.draw(ctx, place, data, view(), colours);
    if (place.isNarrow) through.story(box.story, data, view(), rowsOf);
    if (from || isPlaying && !still.matches) redraw();
  }

  // ---- time

  function moveTo(t, draws = true) {
    const stage = Math.ceil(state.t);
    state.t = Math.max(0, Math.min(end, t));
    box.time.value = state.t;
    const words = place.titles.find(({ stage: each }) => each === Math.ceil(state.t) - 1);
    box.stage.textContent = state.t === end ? "the whole way" : words ? words.name || words.text : "the sentence";
    box.time.setAttribute("aria-valuetext", box.stage.textContent);
    say();
    if (isPlaying && !box.picture.hidden && place.isNarrow && stage !== Math.ceil(state.t) && words) window.scrollTo({ top: box.picture.getBoundingClientRect().top + window.scrollY + words.y - 190, behavior: still.matches ? "auto" : "smooth" });
    if (state.t === end && isPlaying) play(false);
    if (draws) redraw();
    write();
  }

  function play(on) {
    if (on === isPlaying) return;
    isPlaying = on;
    box.play.textContent = on ? "❚❚ Pause" : "▶ Play";
    clearInterval(play.steps);
    if (!on) return write();
    last = performance.now();
    if (state.t === end) moveTo(still.matches ? 1 : 0);
    if (still.matches) play.steps = setInterval(() => moveTo(Math.floor(state.t) + 1), STEP);
    redraw();
  }

  function step(event) {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    play(false);
    moveTo(way > 0 ? Math.floor(state.t) + 1 : Math.ceil(state.t) - 1);
  }

  // ---- blocks

  function press(part) {
    if (!part) return;
    const { block, layer, head, token = state.token, rank } = part, L = data.attentions.length;
    play(false);
    if (state.t < part.stage + 1) moveTo(part.stage + 1);        // what is not there yet cannot be unfolded
    hovered = null;
    state.token = token;
    if (block === "head") state.heads[layer] = head;
    if (block !== "head") open({
      word: () => ({ block, token }), vectors: () => ({ block, token, cell: 0 }), state: () => ({ block, layer, token, cell: 0 }),
      attention: () => ({ block, layer, head: headOf(layer), token, to: through.most(data, layer, headOf(layer), token) }),
      says: () => ({ block, layer, token, word: data.says[layer][token][0].word }),
      answer: () => ({ block: "says", layer: L, token, word: data.says[L][token][rank].word }),
    }[block]());
    else if (state.open && state.open.block === "attention" && state.open.layer === layer) open({ ...state.open, head });
    glide(token);
    describe();
    say();
  }

  function hover(part) {
    const token = part && part.token !== undefined && !isPlaying ? part.token : null;
    if (token === hovered) return;
    hovered = token;
    glide(token ?? state.token);
    say();
  }

  /** Arrow keys go to the next block in their direction. */
  function walk(event) {
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const here = Number(event.target.dataset.n), next = through.nextTo(parts, here, way);
    if (next < 0) return;
    box.blocks.children[here].tabIndex = -1;
    focus = next;
    box.blocks.children[next].tabIndex = 0;
    box.blocks.children[next].focus();
  }

  function open(which) {
    state.open = which;
    unfold(true);
    write();
  }

  const act = { open, replace, toggle, close: () => { state.open = null; unfold(); write(); box.blocks.children[focus].focus(); } };

  /** Fills the panel under the picture. What is recorded has no arithmetic, so that this waits for the model. */
  async function unfold(isNew) {
    const which = state.open, from = data;
    box.panel.hidden = !which;
    if (isNew) unfold.isNew = true;
    if (!which || !from.states[0].subarray) return which && box.panel.replaceChildren("The arithmetic comes once the model is loaded.");
    try {
      const sum = which.block === "word" ? null : await model.ask("unfold", { ...which, text: from.text, off: from.off });
      if (data !== from || state.open !== which) return;
      through.unfold(box.panel, which, data, act, sum);
      if (unfold.isNew) box.panel.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
      unfold.isNew = false;
    } catch (error) {
      fail(error.message);
    }
  }

  // ---- words and address

  const finding = (t, token) => through.finding(data, t, token, headOf, earlier(token));

  function say() {
    const words = finding(state.t, hovered ?? state.token);
    if (box.finding.textContent !== words) box.finding.textContent = words;
  }

  const write = model.soon(() => {
    if (model.isAwake()) history.replaceState(history.state, "", `#${through.written(state)}`);
  }, 200);

  function fromAddress() {
    const wanted = through.read(window.location.hash);
    if (!wanted || `#${through.written(state)}` === window.location.hash) return;
    model.wake();
    if (wanted.t >= 0) state.t = wanted.t;
    if (wanted.token !== null) state.wanted = wanted.token;
    state.heads = data.attentions.map((heads, layer) => (wanted.heads[layer] < heads.length ? wanted.heads[layer] ?? null : null));
    Object.assign(state, { open: wanted.open, off: wanted.off.filter(([layer, head]) => layer < data.attentions.length && head < data.attentions[0].length) });
    unfold.isNew = true;
    change(wanted.text || data.text);
  }

  /** The first touch has loaded the model: the recorded answer gives way to a computed one, which looks the same. */
  model.ready.then(() => { if (data && !data.states[0].subarray) turn(state.text); });
  model.tools.push(start);
})();
