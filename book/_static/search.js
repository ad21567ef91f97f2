// The search: sections, terms and names, as one types, in the dialog of every page and on the page of the search. MiniSearch and the text of
// the book (_static/sections.js, book/_ext/minibert_search.py) are loaded when somebody begins to search; both are scripts, so a file works too.
(() => {
  "use strict";

  const HOME = document.documentElement.dataset.content_root;
  const SHOWN = 30, AROUND = 160;      // results; letters of text around what was found
  // A title counts more than a heading, that more than the terms that are introduced there, then prose, then code.
  const BOOST = { title: 12, heading: 8, set: 5, context: 0.5, prose: 1, code: 0.3 };
  const IRREGULAR = new Map([["tie", "tied"], ["ties", "tied"], ["tying", "tied"], ["indices", "index"], ["matrices", "matrix"]]);

  const LITTLE = new Set("a an and are as at be by do does for from how in is it many much not of on or that the this to what when where which who why with".split(" "));

  // ---- words

  // √ and "square root" are what code calls sqrt; "fused_attend" and "BertSumExt" are found whole and by their parts.
  function words(text) {
    const typed = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/√/g, " sqrt ").replace(/\bsquare[\s-]+roots?\b/gi, " sqrt ");
    return (typed.match(/[\p{L}\p{N}_]+/gu) || []).flatMap((word) => {
      const parts = word.split(/_|(?<=[a-z])(?=[A-Z])/).filter(Boolean);
      return parts.length > 1 ? [word, ...parts] : [word];
    });
  }

  // Words of one stem are one word: masks, masked and masking.
  function stem(word) {
    const low = word.toLowerCase();
    if (IRREGULAR.has(low)) return IRREGULAR.get(low);
    if (low.length < 5 || low.includes("_")) return low.length > 3 && /[^su]s$/.test(low) ? low.slice(0, -1) : low;
    const bare = low.replace(/ies$/, "y").replace(/(?<=[^su])s$/, "").replace(/(?<=[aeiouy].*)(?:ing|ed)$/, "").replace(/([bdgmnprt])\1$/, "$1");
    return bare.length > 3 ? bare.replace(/e$/, "") : bare;
  }

  // ---- the index

  let index;      // a promise, once somebody has begun

  function script(source) {
    return new Promise((resolve, reject) => {
      const tag = document.createElement("script");
      tag.src = HOME + source;
      tag.onload = resolve;
      tag.onerror = () => reject(new Error(source));
      document.head.append(tag);
    });
  }

  async function load() {
    await Promise.all([script("_static/vendor/minisearch/index.js"), script("_static/sections.js")]);
    const { pages, entries } = MINIBERT_SECTIONS;
    const search = new MiniSearch({
      fields: Object.keys(BOOST), tokenize: words, processTerm: stem,
      extractField: (entry, field) => ({ id: entry.id, title: entry.kind === "page" ? entry.heading : "", heading: entry.kind === "page" ? "" : entry.heading, context: pages[entry.page][1] })[field] ?? entry[field],
    });
    entries.forEach((entry, id) => { entry.id = id; });
    await search.addAllAsync(entries, { chunkSize: 200 });
    return { search, entries, pages };
  }

  // The entries for what was typed, best first: the definition of a term that is meant, then entries with all words, then with some.
  function find({ search, entries }, typed) {
    const isName = /_|[a-z][A-Z]|\w\.\w/.test(typed);
    const options = {
      boost: BOOST, prefix: (word, i, all) => i === all.length - 1 && word.length > 2, boostTerm: (word) => (LITTLE.has(word) ? 0.3 : 1),
      boostDocument: (id) => entries[id].weight * ({ name: isName ? 2 : 0.2, term: 0.6 }[entries[id].kind] || 1),
    };
    const every = search.search(typed, { ...options, combineWith: "AND" });
    const some = search.search(typed, { ...options, combineWith: "OR", fuzzy: (word) => (every.length === 0 && word.length > 4 ? 0.2 : false) });
    const met = new Set(every.map(({ id }) => id));
    const found = [...every, ...some.filter(({ id }) => !met.has(id))].map(({ id, terms }) => ({ ...entries[id], terms }));
    const asked = words(typed).map(stem).filter((word) => !LITTLE.has(word));
    const means = ({ kind, heading }) => kind === "term" && asked.length > 0 && ((named) => asked.every((word) => named.includes(word)))(words(heading).map(stem));
    const definition = found.find(means);
    return definition ? [definition, ...found.filter((entry) => entry !== definition)] : found;
  }

  // ---- what is shown

  function node(tag, name, ...children) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...children);
    return made;
  }

  // A pattern for the words that begin as what was found does.
  function pattern(terms) {
    const ways = terms.flatMap((term) => (term === "sqrt" ? ["√", "square roots?", "\\bsqrt"] : [`\\b${term.replace(/[^\p{L}\p{N}_]/gu, "")}[\\p{L}\\p{N}]*`]));
    return new RegExp(ways.sort((a, b) => b.length - a.length).join("|"), "giu");
  }

  function marked(text, found) {
    const parts = [];
    let from = 0;
    for (const match of text.matchAll(found)) {
      parts.push(text.slice(from, match.index), node("mark", "", match[0]));
      from = match.index + match[0].length;
    }
    return [...parts, text.slice(from)];
  }

  // The lines around the place where most of the words are near each other.
  function around(text, found) {
    const places = [...text.matchAll(found)].map(({ index, 0: word }) => [index, word.toLowerCase().slice(0, 4)]);
    const near = places.map(([at]) => new Set(places.filter(([other]) => other >= at && other < at + AROUND).map(([, word]) => word)).size);
    const at = places.length ? places[near.indexOf(Math.max(...near))][0] : 0;
    const start = at < 50 ? 0 : text.indexOf(" ", at - 50) + 1;
    const end = start + AROUND >= text.length ? text.length : text.lastIndexOf(" ", start + AROUND);
    return `${start ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
  }

  function result(entry, pages) {
    const [address, title] = pages[entry.page];
    const found = pattern(entry.terms);
    const link = node("a", "", ...marked(entry.heading, found));
    link.href = `${HOME}${address}${entry.at}`;
    const where = { page: "Page", term: "Glossary", name: entry.code || title, section: title }[entry.kind];
    return node("li", `search-${entry.kind}`, link, node("span", "search-where", where), node("p", "context", ...marked(around(entry.prose, found), found)));
  }

  // ---- the field

  function attach(form) {
    const field = form.querySelector("input[type=search]"), onPage = form.closest(".bd-search-container");
    const told = node("p", "search-told"), list = node("ol", "search"), box = document.querySelector("#search-results") && onPage ? document.querySelector("#search-results") : node("div", "search-results");
    told.setAttribute("role", "status");
    box.append(told, list);
    if (!box.isConnected) form.after(box);
    let asked = 0, resting;

    async function show() {
      const typed = field.value.trim(), number = (asked += 1);
      if (!typed) { list.replaceChildren(); told.textContent = ""; return; }
      if (!index) told.textContent = "Loading the text of the book …";
      try {
        const ready = await (index = index || load());
        if (number !== asked) return;      // something else has been typed since
        const all = find(ready, typed);
        list.replaceChildren(...all.slice(0, SHOWN).map((entry) => result(entry, ready.pages)));
        told.textContent = all.length ? `${all.length > SHOWN ? `The first ${SHOWN} of ${all.length}` : all.length} ${all.length === 1 ? "place" : "places"} for “${typed}”` : `Nothing found for “${typed}”.`;
        box.scrollTop = 0;
      } catch (error) {
        index = undefined;
        told.textContent = "The text of the book could not be loaded. Reload the page and try again.";
      }
    }

    field.addEventListener("focus", () => { index = index || load(); index.catch(() => {}); }, { once: true });
    field.addEventListener("input", () => { clearTimeout(resting); resting = setTimeout(show, 120); });
    form.parentElement.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      const stops = [field, ...list.querySelectorAll("a")], here = stops.indexOf(document.activeElement);
      const next = stops[here + (event.key === "ArrowDown" ? 1 : -1)];
      if (here < 0 || !next) return;
      event.preventDefault();
      next.focus();
    });
    form.parentElement.addEventListener("click", (event) => { if (event.target.closest("li a")) form.closest("dialog")?.close(); });
    if (!onPage) return;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
      show();
    });
    field.value = new URLSearchParams(location.search).get("q") || "";
    show();
  }

  document.querySelectorAll("form.bd-search").forEach(attach);
})();
