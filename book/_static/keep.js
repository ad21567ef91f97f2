// What this browser keeps of a reader's progress, and nobody else gets: one object under one key, shared by the scripts of a page.
// {exercises: {"exercise-…": true}, quizzes: {"quiz-…": {"1": "right" or "wrong"}}, predictions: {"predict-…": {guess, right}}, sections: {"04_attention": {"2": true}}}
(function () {
  "use strict";
  var KEY = "minibert.progress", GROUPS = ["exercises", "quizzes", "predictions", "sections"];
  var KEEPS_NOTHING = "Your browser keeps nothing for this page, so ticks last until you leave it.";
  var note = "", memory = null, listeners = [];      // memory: the state where the browser keeps none

  function isObject(value) { return value !== null && typeof value === "object" && !Array.isArray(value); }

  function isState(kept) {
    return isObject(kept) && GROUPS.every(function (group) {
      var entries = kept[group] || {};
      return isObject(entries) && (group === "exercises" || Object.keys(entries).every(function (name) { return isObject(entries[name]); }));
    });
  }

  function whole(kept) {
    var state = {};
    GROUPS.forEach(function (group) { state[group] = kept[group] || {}; });
    return state;
  }

  function read() {
    var text = null;
    if (memory) return memory;
    try {
      text = window.localStorage.getItem(KEY);
      var kept = text === null ? {} : JSON.parse(text);
      if (isState(kept)) return whole(kept);
    } catch (error) {
      if (text === null) {
        note = KEEPS_NOTHING;
        memory = whole({});
        return memory;
      }
    }
    if (text !== null) {
      write(null, text);
      note = "What was kept here could not be read. It was set aside, and a new card begins.";
    }
    return whole({});
  }

  function write(state, aside) {
    try {
      if (aside !== undefined) window.localStorage.setItem(KEY + ".broken", aside);
      if (state) window.localStorage.setItem(KEY, JSON.stringify(state));
      else window.localStorage.removeItem(KEY);
    } catch (error) {
      note = KEEPS_NOTHING;
      memory = state || whole({});
    }
  }

  function tell() {
    var state = read();
    listeners.forEach(function (listener) { listener(state); });
  }

  // Others may have written since this page was opened: read, change one thing, write.
  function change(how) {
    var state = read();
    how(state);
    write(state);
    tell();
  }

  function forget() {
    write(null);
    tell();
  }

  window.addEventListener("storage", function (event) { if (event.key === KEY || event.key === null) tell(); });
  window.addEventListener("pageshow", tell);      // back from another page
  window.minibertKeep = {
    read: read, change: change, forget: forget, note: function () { return note; },
    follow: function (listener) { listeners.push(listener); listener(read()); },
    ready: function (start) {
      if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
      else start();
    },
  };
})();
