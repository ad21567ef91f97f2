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
const SHARES = [["80/10/10", "80, 10, 10: BERT"], ["100/0/0", "100, 0, 0: always [MASK]"], ["90/0/10", "90, 0, 10: no random words"], ["0/100/0", "0, 100, 0: random words alone"], ["", "my own"]];
const FORMS = [["pieces", "a fixed number of pieces"], ["words", "a fixed number, by whole words"], ["each", "each piece on its own"]];

function percent(share, digits = 0) {
  return `${number(100 * share, digits)}%`;
}

function tokenList(tokens, found, draws) {
  const most = Math.max(1, ...found.places);
  return tokens.map((token, place) => {
    const fate = found.fates[place];
    return node("li", { class: fate ? `mb-is-${fate}` : "" },
      node("span", { class: "mb-true" }, token),
      node("span", { class: "mb-seen" }, fate ? found.seen[place] : " "),
      node("span", { class: "mb-fate" }, fate ? SHORT[fate] : " "),
      node("span", { class: "mb-tally", style: `--share: ${Math.round(100 * found.places[place] / most)}%`, title: `chosen in ${found.places[place]} of ${draws} draws` }, found.places[place]));
  });
}

// The share that was found as a dot, the expected one as a stroke in its band.
function bandPicture(share, expected, band) {
  const at = (value) => 6 + 128 * value;
  return shape("svg", { viewBox: "0 0 140 22", width: 140, height: 22, "aria-hidden": "true" },
    shape("line", { x1: at(0), x2: at(1), y1: 11, y2: 11, class: "mb-axis" }),
    shape("rect", { x: at(band[0]), width: Math.max(1.5, at(band[1]) - at(band[0])), y: 3, height: 16, class: "mb-band" }),
    shape("line", { x1: at(expected), x2: at(expected), y1: 1, y2: 21, class: "mb-expected" }),
    shape("circle", { cx: at(share), cy: 11, r: 4, class: "mb-found" }));
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
  return node("table", {}, node("thead", {}, node("tr", {}, node("td", {}), node("td", {}), ["share", "expected", "by chance", "times"].map((name) => node("th", { scope: "col" }, name)))),
    node("tbody", {}, rows.map(({ fate, count, share, expected, band, inside }) => node("tr", {},
      node("th", { scope: "row" }, node("span", { class: `mb-key mb-is-${fate}` }), FATES[fate]),
      node("td", { class: inside ? "" : "mb-outside" }, bandPicture(share, expected, band)), node("td", {}, percent(share, 1)), node("td", {}, percent(expected)),
      node("td", {}, `${percent(band[0], 1)} to ${percent(band[1], 1)}${inside ? "" : ": outside"}`), node("td", {}, count)))));
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
    const { names, rows, words, special, most } = model.get("data");      // a stored notebook sorts the keys of an object
    const settings = { form: "pieces", whole: false, rate: 0.15, masked: 0.8, replaced: 0.1, most, words, special };
    let row = names[0], draws = 20;

    const list = node("ol", { class: "mb-tokens", "aria-label": "the tokens, what the model sees, and how often each was chosen" });
    const rule = node("p", { class: "mb-rule" });
    const table = node("div", { class: "mb-scroll", tabindex: "0", role: "region", "aria-label": "shares" });
    const drawn = slider({ label: "Draw number", min: 1, max: 1000, value: draws, oninput: (value) => { draws = value; update(); } });
    const more = (count) => () => { draws = Math.min(1000, draws + count); drawn.set(draws); update(); };
    const preset = pick({ label: "Shares", options: SHARES, value: "80/10/10", oninput: take });
    const masked = slider({ label: "[MASK]", min: 0, max: 100, step: 5, value: 80, text: (value) => `${value}%`, oninput: (value) => own(value, Math.min(100 - value, percentOf(settings.replaced))) });
    const replaced = slider({ label: "Random word", min: 0, max: 100, step: 5, value: 10, text: (value) => `${value}%`, oninput: (value) => own(Math.min(100 - value, percentOf(settings.masked)), value) });

    const figure = frame(el, model,
      controls(names.length > 1 && pick({ label: "Text", options: names.map((name) => [name, name]), value: row, oninput: (name) => { row = name; update(); } }),
        radios({ label: "Chosen:", options: FORMS, value: "pieces", oninput: (form) => { settings.form = form; settings.whole = form === "words"; update(); } })),
      controls(slider({ label: "Rate", min: 1, max: 80, value: 15, text: (value) => `${value}%`, oninput: (value) => { settings.rate = value / 100; update(); } }), preset),
      controls(masked, replaced),
      controls(node("button", { type: "button", onclick: more(1) }, "Draw once more"), node("button", { type: "button", onclick: more(100) }, "100 times more"), drawn),
      rule, list, table);
    update();

    function percentOf(share) {
      return Math.round(100 * share);
    }

    function take(name) {
      if (!name) return;
      const [first, second] = name.split("/").map(Number);
      setShares(first, second);
    }

    function own(first, second) {
      const name = `${first}/${second}/${100 - first - second}`;
      const select = preset.querySelector("select");
      select.selectedIndex = Math.max(0, SHARES.findIndex(([each]) => each === name || each === ""));
      setShares(first, second);
    }

    function setShares(first, second) {
      settings.masked = first / 100;
      settings.replaced = second / 100;
      masked.set(first);
      replaced.set(second);
      update();
    }

    function update() {
      const tokens = rows[row], found = countDraws(tokens, settings, draws), shares = shareRows(found, settings);
      rule.textContent = promise(tokens, settings);
      list.replaceChildren(...tokenList(tokens, found, draws));
      table.replaceChildren(shareTable(shares));
      const changes = tokens.map((token, place) => [token, found.seen[place], found.fates[place]]).filter(([, , fate]) => fate)
        .map(([token, seen, fate]) => (fate === "kept" ? `“${token}” stays` : `“${token}” becomes “${seen}”`));
      const outside = shares.filter((each) => !each.inside).map((each) => FATES[each.fate]);
      figure.say(`Draw ${draws}: ${changes.join(", ") || "nothing is chosen"}. In ${draws} ${draws === 1 ? "draw" : "draws"}, ${found.chosen} chosen: ` +
        `${shares.map((each) => `${percent(each.share, 1)} ${SHORT[each.fate]}`).join(", ")}; ${outside.length ? `outside its band: ${outside.join(", ")}` : "all inside their bands"}.`);
    }
  },
};
