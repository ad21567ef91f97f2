// Which tokens are chosen to be predicted, and what becomes of them: by minibert.data's rules, as often as one likes.

// Numbers from 0 to 1 that follow from a seed alone (Tommy Ettinger's mulberry32, in the public domain).
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function below(length, random) {
  return Math.floor(random() * length);
}

function halfToEven(value) {        // as Python rounds
  const near = Math.round(value);
  return value % 1 === 0.5 && near % 2 ? near - 1 : near;
}

// The places that are chosen together: pieces, or words; a word ends where the next place is no "##" piece or lies behind a special token.
function unitsOf(tokens, special, whole) {
  const units = [];
  tokens.forEach((token, place) => {
    if (special.includes(token)) return;
    const last = units[units.length - 1];
    if (whole && token.startsWith("##") && last && last[last.length - 1] === place - 1) last.push(place);
    else units.push([place]);
  });
  return units;
}

// How many places a text of `length` tokens gives up at most: equation 7.1.
function howMany(length, rate, most) {
  return Math.min(most, Math.max(1, halfToEven(length * rate)));
}

// A fixed number of places in each text, as the original program has it.
function chosenFixed(tokens, { rate, whole, most, special }, random) {
  const units = unitsOf(tokens, special, whole);
  for (let i = units.length - 1; i > 0; i -= 1) {
    const j = below(i + 1, random);
    [units[i], units[j]] = [units[j], units[i]];
  }
  const wanted = howMany(tokens.length, rate, most);
  const chosen = [];
  for (const unit of units) if (chosen.length + unit.length <= wanted) chosen.push(...unit);
  return chosen;
}

// Every place on its own, as minibert.data.mask_tokens has it.
function chosenEach(tokens, { rate, special }, random) {
  return [...tokens.keys()].filter((place) => random() < rate && !special.includes(tokens[place]));
}

const FIRST = 1628;     // draws are numbered from here on, so that chapter 7's line shows all three fates at once in draw 1,000, and the shares wander as most do

// One draw: what the model sees, and for each place its fate ("mask", "other", "kept"), or null where nothing is asked.
function drawMasks(tokens, settings, seed) {
  const random = randomNumbers(FIRST + seed);
  const { masked, replaced, words } = settings;
  const seen = [...tokens], fates = tokens.map(() => null);
  for (const place of (settings.form === "each" ? chosenEach : chosenFixed)(tokens, settings, random)) {
    const draw = random();          // one draw decides, so that the shares are what they say
    fates[place] = draw < masked ? "mask" : draw < masked + replaced ? "other" : "kept";
    if (fates[place] === "mask") seen[place] = "[MASK]";
    if (fates[place] === "other") seen[place] = words[below(words.length, random)];     // it may be the same one
  }
  return { seen, fates };
}

// Draws 1 to `draws` counted: fates, how often each place was chosen, the last draw itself, and after each draw the share of random tokens.
// `before` draws are passed over, so that another count has draws of its own.
function countDraws(tokens, settings, draws, before = 0) {
  const counts = { mask: 0, other: 0, kept: 0 }, places = tokens.map(() => 0), course = [];
  let last, chosen = 0;
  for (let seed = 1; seed <= draws; seed += 1) {
    last = drawMasks(tokens, settings, before + seed);
    last.fates.forEach((fate, place) => {
      if (fate === null) return;
      counts[fate] += 1;
      places[place] += 1;
      chosen += 1;
    });
    course.push(chosen ? counts.other / chosen : 0);
  }
  return { ...last, counts, places, chosen, course };
}

// Where a share lies in 95 of 100 honest counts of n: the expectation and about two standard deviations to either side.
function bandOf(share, n) {
  const half = n ? 1.96 * Math.sqrt(share * (1 - share) / n) : 1;
  return [Math.max(0, share - half), Math.min(1, share + half)];
}

// How many places a draw chooses on average, or at most by whole words.
function eachDraw(tokens, settings) {
  const ordinary = tokens.filter((token) => !settings.special.includes(token)).length;
  return settings.form === "each" ? ordinary * settings.rate : Math.min(howMany(tokens.length, settings.rate, settings.most), ordinary);
}

// ---- what is drawn

const FATES = { mask: "[MASK]", other: "random tokens", kept: "unchanged" };
// What the reader can choose: its name, how places are chosen, and the shares of [MASK] and of random tokens.
const RULES = [["BERT: 80% [MASK], 10% random", "pieces", 0.8, 0.1], ["the same, by whole words", "words", 0.8, 0.1], ["the same, each piece on its own", "each", 0.8, 0.1],
  ["100% [MASK]", "pieces", 1, 0], ["90% [MASK], no random tokens", "pieces", 0.9, 0], ["100% random tokens", "pieces", 0, 1]];
const MANY = 1000, STOPS = [...Array.from({ length: 20 }, (_, i) => i + 1), 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, MANY];      // draws, further and further apart
const MARKED = [20, MANY];      // draws whose bands the picture names
const COUNTS = 20;      // the reader's own and, in grey, others by the same rule: about one of twenty leaves the band
const DOTS = [...new Set(Array.from({ length: 90 }, (_, i) => Math.round(4 * (MANY / 4) ** (i / 89))))];      // draws at which a grey line bends; before these, few tokens make it jump
const PLOT = { left: 42, right: 68, top: 30, bottom: 42, tall: 0.3 };

function percent(share, digits = 0) {
  return `${number(100 * share, digits)}%`;
}

function tokenList(tokens, found, draws) {
  return tokens.map((token, place) => {
    const fate = found.fates[place];
    return node("li", { class: fate ? `mb-is-${fate}` : "", "data-tip": `“${token}” was chosen in ${found.places[place]} of ${draws.toLocaleString("en")} masks` },
      node("span", { class: "mb-true" }, token), fate && node("span", { class: "mb-seen" }, found.seen[place]));
  });
}

function shareRows(found, settings) {
  const expected = { mask: settings.masked, other: settings.replaced, kept: Math.max(0, 1 - settings.masked - settings.replaced) };
  return Object.keys(FATES).map((fate) => {
    const share = found.chosen ? found.counts[fate] / found.chosen : 0;
    const band = bandOf(expected[fate], found.chosen);
    const inside = share >= band[0] - 1e-9 && share <= band[1] + 1e-9;
    return { fate, count: found.counts[fate], share, expected: expected[fate], band, inside };
  });
}

function shareTable(rows) {
  return node("table", {}, node("thead", {}, node("tr", {}, node("td", {}), ["share", "expected", "by chance", "times"].map((name) => node("th", { scope: "col" }, name)))),
    node("tbody", {}, rows.map(({ fate, count, share, expected, band, inside }) => node("tr", {}, node("th", { scope: "row" }, FATES[fate]), node("td", {}, percent(share, 1)), node("td", {}, percent(expected)),
      node("td", {}, `${percent(band[0], 1)} to ${percent(band[1], 1)}${inside ? "" : ": outside"}`), node("td", {}, count)))));
}

// The share of random tokens after each mask: the reader's count over the others, in the grey band in which chance alone keeps 95 of 100.
function funnel(width, tokens, settings, course, others) {
  const { left, right, top, bottom, tall } = PLOT, narrow = width < 500, height = narrow ? 244 : 300;
  const floor = height - bottom, expected = settings.replaced, low = clamp(expected - tall / 3, 0, 1 - tall), per = eachDraw(tokens, settings), end = width - right;
  const x = (draw) => left + Math.log(draw) / Math.log(MANY) * (end - left), y = (share) => top + (low + tall - clamp(share, low, low + tall)) / tall * (floor - top);
  const band = (draw) => bandOf(expected, draw * per), line = (points) => points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
  const shown = course.map((share, i) => [i + 1, share]), [now, last] = shown[shown.length - 1];
  const counted = (draw) => Math.round(draw * per).toLocaleString("en"), ticks = [10, 100, 1000].filter((tick) => tick > per && tick < 0.7 * MANY * per);
  return [
    shape("polygon", { class: "mb-band", points: `${line(STOPS.map((draw) => [draw, band(draw)[1]]))} ${line([...STOPS].reverse().map((draw) => [draw, band(draw)[0]]))}` }),
    ...[0, 1, 2, 3].map((i) => low + i * tall / 3).map((share) => [shape("line", { class: "mb-grid", x1: left, x2: end, y1: y(share), y2: y(share) }), shape("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, percent(share))]),
    ...[...ticks.map((tick) => [tick / per, tick.toLocaleString("en")]), [MANY, counted(MANY)]].map(([draw, text]) => shape("text", { x: x(draw), y: floor + 17, "text-anchor": "middle" }, text)),
    shape("text", { x: (left + end) / 2, y: height - 6, "text-anchor": "middle" }, "chosen tokens counted so far"),
    shape("text", { x: 2, y: 14 }, "share of random tokens in ", shape("tspan", { class: "mb-share" }, "one count"), ` and ${COUNTS - 1} others${narrow ? "" : "; shaded: 95% of all counts"}`),
    ...others.map((other) => shape("polyline", { class: "mb-other", points: line(DOTS.map((draw) => [draw, other[draw - 1]])) })),
    shape("line", { class: "mb-expected", x1: left, x2: end, y1: y(expected), y2: y(expected) }),
    shape("polyline", { class: "mb-course", points: line(shown) }),
    ...MARKED.map((draw) => {
      const [from, to] = band(draw), ends = [y(from), y(to)], many = draw === MANY, at = x(draw) + (many ? 11 : 0), above = many ? expected === 0 || expected === 1 : expected < 1;
      const under = many && narrow ? Math.max(ends[0] + 26, floor - 8) : ends[0] + (many ? 26 : 19);
      const text = `${counted(draw)} tokens: ${from === to ? percent(from) : [from, to].map((each) => percent(each, +many)).join(" to ")}`;
      return [shape("path", { class: "mb-bracket", d: `M${at - 5} ${ends[1]} h10 M${at} ${ends[1]} V${ends[0]} M${at - 5} ${ends[0]} h10` }),
        shape("text", { class: "mb-mark", x: many ? width - 2 : at + (narrow ? -30 : 10), y: above ? ends[1] - (many && !expected ? 31 : 9) : under, "text-anchor": many ? "end" : "start" }, text)];
    }),
    shape("circle", { class: "mb-now", cx: x(now), cy: y(last), r: 6 }),
    shape("text", { class: "mb-share", x: x(now) + (now === MANY ? 19 : 10), y: y(last) + 6 }, percent(last, 1)),
    ...STOPS.map((draw, i) => {
      const from = i ? x(STOPS[i - 1]) : left, share = course[draw - 1];
      return shape("rect", { x: from, width: x(draw) - from + 1, y: top, height: floor - top, fill: "transparent", "data-tip": `${counted(draw)} tokens: ${share === undefined ? "" : `${percent(share, 1)} random tokens; `}chance alone: ${band(draw).map((each) => percent(each, 1)).join(" to ")}` });
    }),
  ].flat();
}

// What the rule promises about the number of places, in words.
function promise(tokens, settings) {
  const ordinary = tokens.filter((token) => !settings.special.includes(token)).length, many = eachDraw(tokens, settings);
  if (settings.form === "each") return `Each of ${ordinary} tokens is chosen with a chance of ${percent(settings.rate)}, so their number varies.`;
  return settings.whole ? `At most ${many} of ${ordinary} tokens a mask, and never a part of a word without the rest.` : `${many} of ${ordinary} tokens in every mask.`;
}

export default {
  render({ model, el }) {
    const { names, rows, words, special, most, rate } = model.get("data");      // a stored notebook sorts the keys of an object
    const settings = { form: "pieces", whole: false, rate, masked: 0.8, replaced: 0.1, most, words, special };
    const group = `mb-text-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`, width = clamp(el.clientWidth, 300, 832);      // drawn as wide as it is shown
    let row = names[0], at = STOPS.length - 1, shares, others = [];

    const list = node("ol", { class: "mb-tokens", "aria-label": "the tokens, and what the model sees" });
    const one = node("p", { class: "mb-one" });
    const plot = shape("svg", { viewBox: `0 0 ${width} ${width < 500 ? 244 : 300}`, "aria-hidden": "true" });
    const texts = names.length > 1 && node("fieldset", { class: "texts" }, node("legend", { class: "mb-hidden" }, "the text"), names.map((name) => node("label", {}, node("input", { type: "radio", name: group, checked: name === row, onchange: () => { row = name; recount(); } }), node("span", {}, name))));
    const picture = node("div", { class: "mb-picture", tabindex: "0", role: "group", "aria-label": "the text and the shares: arrow keys read them" }, texts, one, list, plot);
    const time = timeline({ label: "Masks", last: STOPS.length - 1, value: at, text: (i) => `${STOPS[i].toLocaleString("en")} ${i ? "masks" : "mask"}`, draw: () => {}, rest: (i) => { at = i; update(); }, pace: 500 });
    const figure = stage(el, model, { picture, numbers: () => shareTable(shares), controls: [...time.parts, pick({ label: "Rule", options: RULES.map(([name], i) => [i, name]), value: 0, oninput: (i) => {
      [, settings.form, settings.masked, settings.replaced] = RULES[i];
      settings.whole = settings.form === "words";
      recount();
    } })] });
    tips(picture);
    recount();

    function recount() {
      others = Array.from({ length: COUNTS - 1 }, (_, i) => countDraws(rows[row], settings, MANY, (i + 1) * MANY).course);
      update();
    }

    function update() {
      const draws = STOPS[at], tokens = rows[row], found = countDraws(tokens, settings, draws);
      shares = shareRows(found, settings);
      list.replaceChildren(...tokenList(tokens, found, draws));
      const chosen = found.fates.filter(Boolean).length, random = found.fates.filter((fate) => fate === "other").length;
      one.replaceChildren(`Mask ${draws.toLocaleString("en")}: `, node("b", { class: "mb-is-other" }, `${random} of ${chosen} ${chosen === 1 ? "token" : "tokens"} ${random === 1 ? "becomes a random token" : "become random tokens"}`));
      plot.replaceChildren(...funnel(width, tokens, settings, found.course, others));
      const outside = shares.filter((each) => !each.inside).map((each) => FATES[each.fate]);
      const parts = shares.map(({ fate, share }) => `${percent(share, 1)} ${FATES[fate]}`).join(", ");
      figure.say(`${promise(tokens, settings)} Of ${found.chosen.toLocaleString("en")} chosen tokens: ${parts}; ${outside.length ? `outside the 95%: ${outside.join(", ")}` : "all as chance allows"}.`);
    }
  },
};
