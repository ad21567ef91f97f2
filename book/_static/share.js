// Moving figures in the address: what the reader has set stands in the page's address, as figure-2=step.3*head.5, so that a link opens the figure
// as it was. Below each figure: the link to copy, and the figure as a picture to keep. Nothing is sent anywhere.
(() => {
  "use strict";

  const CONTROLS = "input, select, textarea, button[aria-pressed]";
  const PICTURE = { wide: 1200, high: 630, edge: 48, foot: 40 };
  const LETTERS = { "Bricolage Grotesque": "bricolage-grotesque/bricolage-grotesque-latin-wght-normal.woff2", "JetBrains Mono": "jetbrains-mono/jetbrains-mono-latin-wght-normal.woff2" };

  // ---- the state of a figure: name of a control -> value, for those that the reader has moved

  function slug(text) {
    return text.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "control";
  }

  // What a control is called in the address: its label, or for one of several choices the name of all and its own.
  function nameOf(control) {
    const label = control.closest("label"), words = label && [...label.childNodes].filter((part) => part.nodeType === Node.TEXT_NODE).map((part) => part.textContent).join("");
    const own = control.getAttribute("aria-label") || label?.querySelector("span")?.textContent || words || control.textContent;
    const group = control.type === "radio" || control.type === "checkbox" ? control.closest("fieldset")?.querySelector("legend")?.textContent : "";
    return slug(`${group || ""} ${own}`);
  }

  function valueOf(control) {
    if (control.type === "radio" || control.type === "checkbox") return control.checked ? "1" : "0";
    if (control.tagName === "SELECT") return String(control.selectedIndex);
    return control.tagName === "BUTTON" ? String(Number(control.getAttribute("aria-pressed") === "true")) : control.value;
  }

  function controlsOf(figure) {
    const found = new Map();
    figure.querySelectorAll(CONTROLS).forEach((control) => {
      const name = nameOf(control);
      let free = name;
      for (let i = 2; found.has(free); i += 1) free = `${name}-${i}`;
      found.set(free, control);
    });
    return found;
  }

  function stateOf(figure) {
    return new Map([...controlsOf(figure)].map(([name, control]) => [name, valueOf(control)]));
  }

  // A choice is what has been chosen; that the others are not goes without saying.
  function changes(figure, before) {
    const controls = controlsOf(figure);
    return [...stateOf(figure)].filter(([name, value]) => before.get(name) !== value && !(value === "0" && (controls.get(name).type === "radio" || controls.get(name).tagName === "BUTTON")));
  }

  function set(control, value) {
    if (control.type === "radio" || control.type === "checkbox" || control.tagName === "BUTTON") control.click();
    else {
      if (control.tagName === "SELECT") control.selectedIndex = Number(value);
      else control.value = value;
      control.dispatchEvent(new Event("input", { bubbles: true }));
      control.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }

  // One control may make another, so what is still missing is set again.
  function restore(figure, wanted) {
    for (let round = 0; round < 4; round += 1) {
      const missing = wanted.filter(([name, value]) => { const control = controlsOf(figure).get(name); return control && valueOf(control) !== value; });
      if (!missing.length) return;
      missing.forEach(([name, value]) => { const control = controlsOf(figure).get(name); if (control && valueOf(control) !== value) set(control, value); });
    }
  }

  function written(moved) {
    return moved.map(([name, value]) => `${name}.${encodeURIComponent(value).replace(/\*/g, "%2A")}`).join("*");
  }

  function read(text) {
    return text.split("*").map((part) => part.match(/^([^.]+)\.(.*)$/s)).filter(Boolean).map(([, name, value]) => {
      try { return [name, decodeURIComponent(value)]; } catch { return [name, value]; }
    });
  }

  function address(name, moved) {
    const url = new URL(location.href);
    if (moved.length) url.searchParams.set(name, written(moved));
    else url.searchParams.delete(name);
    return url;
  }

  // ---- the picture

  async function encoded(file) {
    const bytes = new Uint8Array(await (await fetch(`${document.documentElement.dataset.content_root}_static/vendor/fonts/${file}`)).arrayBuffer());
    return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
  }

  // From a file a browser fetches nothing: the picture then has the letters of the machine.
  async function letters() {
    if (!location.protocol.startsWith("http")) return "";
    return (await Promise.all(Object.entries(LETTERS).map(async ([name, file]) => `@font-face { font-family: "${name}"; font-weight: 100 900; src: url("data:font/woff2;base64,${await encoded(file)}"); }`))).join("");
  }

  // The figure as it is now, alone: what was typed and chosen becomes part of it, and so do the colours of the page.
  function copyOf(figure, css) {
    const copy = figure.cloneNode(true), seen = getComputedStyle(figure);
    const originals = figure.querySelectorAll("input, select, textarea");
    copy.querySelectorAll("input, select, textarea").forEach((control, i) => {
      if (control.tagName === "SELECT") [...control.options].forEach((option, k) => option.toggleAttribute("selected", k === originals[i].selectedIndex));
      else if (control.tagName === "TEXTAREA") control.textContent = originals[i].value;
      else control.setAttribute("value", originals[i].value);
      control.toggleAttribute("checked", Boolean(originals[i].checked));
    });
    new Set(css.match(/--[\w-]+(?=\s*:)/g)).forEach((name) => { if (seen.getPropertyValue(name)) copy.style.setProperty(name, seen.getPropertyValue(name)); });
    Object.assign(copy.style, { width: `${figure.offsetWidth}px`, maxWidth: "none", fontFamily: seen.fontFamily, fontSize: seen.fontSize, colorScheme: seen.colorScheme });
    copy.querySelectorAll(".mb-try, .mb-status").forEach((part) => part.remove());
    return copy;
  }

  // The copy as a picture, as wide as lets it be largest; a media query in it sees that width.
  async function drawn(figure, css) {
    const copy = copyOf(figure, css), room = { wide: PICTURE.wide - 2 * PICTURE.edge, high: PICTURE.high - 2 * PICTURE.edge - PICTURE.foot };
    const probe = document.createElement("div");
    Object.assign(probe.style, { position: "absolute", left: "-9999px", top: 0 });
    probe.append(copy);
    document.body.append(probe);
    const sizes = [figure.offsetWidth, room.wide].map((wide) => {
      copy.style.width = `${wide}px`;
      const high = copy.offsetHeight + 4;
      return { wide, high, scale: Math.min(room.wide / wide, room.high / high, 1.5) };
    });
    const { wide, high, scale } = sizes.sort((one, other) => other.scale - one.scale)[0];
    copy.style.width = `${wide}px`;
    probe.remove();
    const style = `${await letters()} * { box-sizing: border-box; } ${css}`;
    const inside = new XMLSerializer().serializeToString(copy);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}"><style>${style.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</style><foreignObject width="100%" height="100%">${inside}</foreignObject></svg>`;
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    return { image, wide: wide * scale, high: high * scale };
  }

  async function picture(figure, css) {
    const canvas = document.createElement("canvas"), seen = getComputedStyle(figure);
    Object.assign(canvas, { width: PICTURE.wide, height: PICTURE.high });
    const pen = canvas.getContext("2d"), { image, wide, high } = await drawn(figure, css);
    pen.fillStyle = seen.backgroundColor;
    pen.fillRect(0, 0, PICTURE.wide, PICTURE.high);
    pen.drawImage(image, (PICTURE.wide - wide) / 2, PICTURE.edge, wide, high);
    pen.fillStyle = seen.getPropertyValue("--soft");
    pen.font = `500 24px ${seen.fontFamily}`;
    pen.fillText(`minibert · ${document.title.replace(/ — .*/, "")}`, PICTURE.edge, PICTURE.high - PICTURE.edge + 8);
    return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  }

  // ---- below a figure

  function button(text, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.onclick = act;
    return made;
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {      // a browser that gives no page the clipboard unasked, or asks for https
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  }

  function attach(box, state) {
    const figure = box.querySelector(".mb-figure"), name = box.id;
    if (!figure) return;
    const before = stateOf(figure), asked = new URLSearchParams(location.search).get(name);
    if (asked) restore(figure, read(asked));
    let resting;
    const note = () => {
      clearTimeout(resting);
      resting = setTimeout(() => {
        const url = address(name, changes(figure, before));
        if (url.href !== location.href) history.replaceState(history.state, "", url);
      }, 300);
    };
    ["input", "change", "click", "pointerup", "keyup"].forEach((kind) => box.addEventListener(kind, note));

    const bar = document.createElement("p"), told = document.createElement("span");
    bar.className = "figure-share";
    told.setAttribute("role", "status");
    const link = button("Copy link", async () => {
      const url = address(name, changes(figure, before));
      url.hash = name;
      await copy(url.href);
      told.textContent = "The link is copied.";
    });
    const save = button("Save picture", async () => {
      told.textContent = "";
      const file = URL.createObjectURL(await picture(figure, state._css));
      const anchor = Object.assign(document.createElement("a"), { href: file, download: `minibert-${location.pathname.split("/").pop().replace(/\.html$/, "")}-${name}.png` });
      anchor.click();
      setTimeout(() => URL.revokeObjectURL(file), 10_000);
      told.textContent = "The picture is saved.";
    });
    bar.append(link, save, told);
    box.after(bar);
  }

  document.addEventListener("figure-drawn", (event) => attach(event.target, event.detail));
  document.querySelectorAll(".moving-figure").forEach((box, i) => { box.id = `figure-${i + 1}`; });
  if (/^#figure-\d+$/.test(location.hash)) document.querySelector(location.hash)?.scrollIntoView({ block: "center" });
})();
