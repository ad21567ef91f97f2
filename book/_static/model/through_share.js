// What the page shows, in its address; the link, and a picture of 1200 × 630.
(function () {
  "use strict";

  const model = window.minibertModel;
  const WIDTH = 1200, HEIGHT = 630, EDGE = 44, KEYS = { vectors: ["token", "cell"], attention: ["layer", "head", "token", "to"], state: ["layer", "token", "cell"], says: ["layer", "token", "word"], word: ["token"] };

  /** The part of the address behind the #, for a state of the page. */
  function written({ text, t, token, heads, off, open }) {
    const parts = new URLSearchParams({ say: text.replaceAll("[MASK]", "___"), at: String(Math.round(100 * t) / 100), token: String(token) });
    if (heads.some((head) => head !== null)) parts.set("heads", heads.map((head) => (head === null ? "x" : head + 1)).join("-"));
    if (off.length) parts.set("off", off.map((each) => each.map((n) => n + 1).join(".")).join("-"));
    if (open) parts.set("open", [open.block, ...KEYS[open.block].map((key) => open[key])].join("."));
    return parts.toString();
  }

  /** The state that an address names; null when it names none. What is no number there is left out. */
  function read(hash) {
    if (!hash.startsWith("#say=")) return null;
    const parts = new URLSearchParams(hash.slice(1)), whole = (text) => (/^\d+$/.test(text || "") ? Number(text) : null);
    const [block, ...values] = (parts.get("open") || "").split(".");
    const open = KEYS[block] && { block, ...Object.fromEntries(KEYS[block].map((key, n) => [key, key === "word" ? values.slice(n).join(".") : whole(values[n])])) };
    return { text: parts.get("say"), t: Number(parts.get("at") || NaN), token: whole(parts.get("token")), heads: (parts.get("heads") || "").split("-").map((head) => (whole(head) ? whole(head) - 1 : null)),
      off: (parts.get("off") || "").split("-").filter((each) => /^[1-9]\d*\.[1-9]\d*$/.test(each)).map((each) => each.split(".").map((n) => n - 1)),
      open: open && Object.values(open).every((each) => each !== null && each !== "") ? open : null };
  }

  /** Whether an open block exists in this sentence. */
  function sound(data, { block, layer = 0, head = 0, token, to = 0, cell = 0, word }) {
    const S = data.tokens.length, L = data.attentions.length, H = (model.about || { hiddenSize: Infinity }).hiddenSize;
    return token < S && to < S && head < data.attentions[0].length && cell < H && layer < L + (block === "says")
      && (block !== "says" || data.says[layer][token].some((says) => says.word === word));
  }

  /** The picture to send: the sentence, the finding, the way through the model; whatever the window's size. */
  function card(sentence, finding, data, view, colours) {
    const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT }), ctx = canvas.getContext("2d");
    const place = model.through.layout(WIDTH - 2 * EDGE, data.tokens.length, data.attentions.length, data.attentions[0].length, 290);
    const scale = Math.min(1, (HEIGHT - 190) / place.height);
    ctx.fillStyle = colours.paper;
    ctx.fillRect(0, 0, WIDTH, HEIGHT);
    ctx.fillStyle = colours.ink;
    ctx.textBaseline = "middle";
    fitted(ctx, sentence, 40, 56, 800, colours);
    ctx.fillStyle = colours.soft;
    fitted(ctx, finding, 22, 104, 500, colours);
    fitted(ctx, "minibert: a small BERT, computed in the browser", 18, HEIGHT - 32, 500, colours);
    ctx.translate(EDGE + ((WIDTH - 2 * EDGE) * (1 - scale)) / 2, 138);
    ctx.scale(scale, scale);
    model.through.draw(ctx, place, data, { ...view, t: place.L + 3 }, colours);
    return canvas;
  }

  function fitted(ctx, words, size, y, weight, colours) {
    for (let now = size; now > 10; now -= 1) {
      ctx.font = `${weight} ${now}px ${colours.sans}`;
      if (ctx.measureText(words).width < WIDTH - 2 * EDGE) break;
    }
    ctx.fillText(words, EDGE, y);
  }

  function save(canvas) {
    canvas.toBlob((blob) => {
      const link = model.node("a", { href: URL.createObjectURL(blob), download: "minibert.png" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }, "image/png");
  }

  /** Copies the address; where the browser does not allow it, shows it to be copied. */
  async function copy(said) {
    try {
      await navigator.clipboard.writeText(window.location.href);
      said.textContent = "The link is copied. It holds the sentence and what is shown.";
    } catch {
      const field = model.node("input", { type: "text", readonly: true, "aria-label": "The link", value: window.location.href });
      said.replaceChildren("Copy this link: ", field);
      field.select();
    }
  }

  Object.assign(model.through, { written, read, sound, card, save, copy });
})();
