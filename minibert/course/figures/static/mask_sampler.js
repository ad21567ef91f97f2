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

const FIRST = 3750;     // draws are numbered from here on, so that chapter 7's line shows all three fates at once in draw 20, and no piece stands out

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

// Draws 1 to `draws` counted: fates, how often each place was chosen, and the last draw itself.
function countDraws(tokens, settings, draws) {
  const counts = { mask: 0, other: 0, kept: 0 }, places = tokens.map(() => 0);
  let last;
  for (let seed = 1; seed <= draws; seed += 1) {
    last = drawMasks(tokens, settings, seed);
    last.fates.forEach((fate, place) => {
      if (fate === null) return;
      counts[fate] += 1;
      places[place] += 1;
    });
  }
  return { ...last, counts, places, chosen: counts.mask + counts.other + counts.kept };
}

// Where a share lies in 95 of 100 honest counts of n: the expectation and about two standard deviations to either side.
function bandOf(share, n) {
  const half = n ? 1.96 * Math.sqrt(share * (1 - share) / n) : 1;
  return [Math.max(0, share - half), Math.min(1, share + half)];
}

// ---- what is drawn

const FATES = { mask: "becomes [MASK]", other: "becomes a random word", kept: "stays as it is" };
const SHORT = { mask: "hidden", other: "random", kept: "kept" };
// What the reader can choose: its name, how places are chosen, and the shares of [MASK] and of random words.
const RULES = [["80, 10, 10, as BERT has it", "pieces", 0.8, 0.1], ["80, 10, 10, by whole words", "words", 0.8, 0.1], ["80, 10, 10, each piece on its own", "each", 0.8, 0.1],
  ["always [MASK]", "pieces", 1, 0], ["no random words: 90, 0, 10", "pieces", 0.9, 0], ["random words alone", "pieces", 0, 1]];
const STOPS = [...Array.from({ length: 20 }, (_, i) => i + 1), 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000];      // draws, further and further apart

function percent(share, digits = 0) {
  return `${number(100 * share, digits)}%`;
}

function tokenList(tokens, found, draws) {
  const most = Math.max(1, ...found.places);
  return tokens.map((token, place) => {
    const fate = found.fates[place];
    return node("li", { class: fate ? `mb-is-${fate}` : "", style: `--share: ${Math.round(100 * found.places[place] / most)}%`, "data-tip": `“${token}” was chosen in ${found.places[place]} of ${draws} draws${fate ? `; in draw ${draws} it ${FATES[fate]}` : ""}` },
      node("span", { class: "mb-true" }, token), node("span", { class: "mb-seen" }, fate ? found.seen[place] : " "));
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

// Shares as dots, each on a line from 0 to 100%, with the expected one as a stroke in its band. `show(rows)` moves them.
function bands() {
  const parts = Object.keys(FATES).map((fate) => {
    const band = node("span", { class: "band" }), expected = node("i", {}), dot = node("b", {}), said = node("span", { class: "said" });
    return { band, expected, dot, said, row: node("div", { class: `fate mb-is-${fate}` }, node("span", {}, FATES[fate]), node("span", { class: "line" }, band, expected, dot), said) };
  });
  const key = node("p", { class: "key" }, [["dot", "share so far"], ["expected", "expected share"], ["band", "95% of such shares, if only chance moves them"]].map(([kind, name]) => node("span", { class: `is-${kind}` }, name)));
  const scale = node("div", { class: "fate scale", "aria-hidden": "true" }, node("span", {}), node("span", { class: "line" }, ["0%", "50%", "100%"].map((name) => node("span", { style: `left: ${name}` }, name))));
  return { box: node("div", { class: "bands" }, key, parts.map(({ row }) => row), scale), show(rows) {
    rows.forEach(({ share, expected, band, inside }, i) => {
      const part = parts[i];
      part.band.style.left = percent(band[0], 2);
      part.band.style.width = percent(band[1] - band[0], 2);
      part.expected.style.left = percent(expected, 2);
      part.dot.style.left = percent(share, 2);
      part.row.classList.toggle("outside", !inside);
      part.said.textContent = percent(share, 1);
      part.row.dataset.tip = `found ${percent(share, 1)}, expected ${percent(expected)}; chance alone: ${percent(band[0], 1)} to ${percent(band[1], 1)}`;
    });
  } };
}

// What the rule promises about the number of places, in words.
function promise(tokens, settings) {
  const ordinary = tokens.filter((token) => !settings.special.includes(token)).length;
  if (settings.form === "each") return `Each of the ${ordinary} pieces is chosen with a chance of ${percent(settings.rate)}, so their number varies.`;
  const wanted = howMany(tokens.length, settings.rate, settings.most);
  return settings.whole ? `At most ${wanted} of the ${ordinary} pieces are chosen, and never a part of a word without the rest.` : `${Math.min(wanted, ordinary)} of the ${ordinary} pieces are chosen in every draw.`;
}

export default {
  render({ model, el }) {
    const { names, rows, words, special, most, rate } = model.get("data");      // a stored notebook sorts the keys of an object
    const settings = { form: "pieces", whole: false, rate, masked: 0.8, replaced: 0.1, most, words, special };
    const group = `mb-text-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`;
    let row = names[0], at = STOPS.indexOf(20), shares;

    const list = node("ol", { class: "mb-tokens", "aria-label": "the tokens, and what the model sees" });
    const rule = node("p", { class: "mb-rule" });
    const key = node("p", { class: "key" }, node("span", { class: "is-bar" }, "how often the piece has been chosen so far"));
    const chart = bands();
    const texts = names.length > 1 && node("fieldset", { class: "texts" }, node("legend", { class: "mb-hidden" }, "the text"), names.map((name) => node("label", {}, node("input", { type: "radio", name: group, checked: name === row, onchange: () => { row = name; update(); } }), node("span", {}, name))));
    const picture = node("div", {}, texts, list, key, rule, chart.box);
    const time = timeline({ label: "Draws", last: STOPS.length - 1, value: at, text: (i) => `draw ${STOPS[i]}`, draw: () => {}, rest: (i) => { at = i; update(); }, pace: 500 });
    const figure = stage(el, model, { picture, numbers: () => shareTable(shares), controls: [...time.parts, pick({ label: "Rule", options: RULES.map(([name], i) => [i, name]), value: 0, oninput: (i) => {
      [, settings.form, settings.masked, settings.replaced] = RULES[i];
      settings.whole = settings.form === "words";
      update();
    } })] });
    tips(picture);
    update();

    function update() {
      const draws = STOPS[at], tokens = rows[row], found = countDraws(tokens, settings, draws);
      shares = shareRows(found, settings);
      rule.textContent = promise(tokens, settings);
      list.replaceChildren(...tokenList(tokens, found, draws));
      chart.show(shares);
      const outside = shares.filter((each) => !each.inside).map((each) => FATES[each.fate]);
      figure.say(`Draw ${draws}, ${found.chosen} chosen in all: ${shares.map((each) => `${percent(each.share, 1)} ${SHORT[each.fate]}`).join(", ")}; ${outside.length ? `outside its band: ${outside.join(", ")}` : "all inside their bands"}.`);
    }
  },
};
