// Moving figures in a page without a kernel: reads the widgets' state that the page carries and runs each figure's own
// script, when it comes near. No library, no request; the script is text in the page, so this works from a file too.
(function () {
  "use strict";

  var states = {};
  var modules = {};       // by their text: a script that ten figures share is read once

  function start() {
    document.querySelectorAll('script[type="application/vnd.jupyter.widget-state+json"]').forEach(function (script) {
      Object.assign(states, JSON.parse(script.textContent).state);
    });
    var places = Array.from(document.querySelectorAll('script[type="application/vnd.jupyter.widget-view+json"]'));
    var near = new IntersectionObserver(function (entries) {
      entries.forEach(function (entry) { if (entry.isIntersecting) { near.unobserve(entry.target); draw(entry.target); } });
    }, { rootMargin: "800px" });
    var boxes = places.map(function (place) {
      var box = document.createElement("div");
      box.className = "moving-figure";
      box.dataset.model = JSON.parse(place.textContent).model_id;
      place.after(box);
      return box;
    });
    // Only when every deferred script has run: one that comes after this one (share.js) waits for the figures to be drawn.
    document.addEventListener("DOMContentLoaded", function () { boxes.forEach(function (box) { near.observe(box); }); });
    window.addEventListener("beforeprint", function () { document.querySelectorAll(".moving-figure:empty").forEach(draw); });
  }

  async function draw(box) {
    if (box.dataset.drawn) return;
    box.dataset.drawn = "begun";
    var state = states[box.dataset.model].state;
    style(state);
    try {
      var figure = await imported(state._esm);
      await figure.default.render({ model: modelOf(state), el: box });
      box.parentElement.querySelectorAll("img.figure-still").forEach(function (still) { still.hidden = true; });
      box.dataset.drawn = "yes";
      box.dispatchEvent(new CustomEvent("figure-drawn", { bubbles: true, detail: state }));
    } catch (error) {
      box.textContent = "This figure could not be drawn. " + error;
      box.dataset.drawn = "no";
      console.error(error);
    }
  }

  function imported(text) {
    if (!modules[text]) {
      var address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      modules[text] = import(address).finally(function () { URL.revokeObjectURL(address); });
    }
    return modules[text];
  }

  function style(state) {
    var id = "style-" + state._anywidget_id;
    if (!state._css || document.getElementById(id)) return;
    var sheet = document.createElement("style");
    sheet.id = id;
    sheet.textContent = state._css;
    document.head.append(sheet);
  }

  // What a figure gets to see of its widget: the part of anywidget's model that needs no kernel.
  function modelOf(state) {
    return { get: function (key) { return state[key]; } };
  }

  start();
})();
