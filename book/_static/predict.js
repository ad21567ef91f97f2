// Predictions: the reader chooses or slides before the output shows; then guess and truth stand side by side.
// book/_ext/minibert_predict.py says which quotations these are; keep.js remembers the guesses. Without this script everything is a plain list.
(function () {
  "use strict";
  var keep = window.minibertKeep;

  function make(tag, className, text) {
    var made = document.createElement(tag);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  }

  function button(className, text, act) {
    var made = make("button", className, text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  function prepare(quote) {
    var answer = JSON.parse(quote.querySelector(".predict-answer").textContent);
    var cover = coverOf(quote), status = make("p", "predict-status");
    status.setAttribute("role", "status");
    var control = (answer.options ? choices : slider)(quote, answer, function (guess, right) {
      keep.change(function (state) { state.predictions[quote.id] = { guess: guess, right: right }; });
    });
    quote.append(status);
    keep.follow(function (state) {
      var made = state.predictions[quote.id];
      status.textContent = made ? control.told(made.guess) : "";
      quote.classList.toggle("predicted", Boolean(made));
      control.show(made);
      cover(Boolean(made));
    });
  }

  // ---- choices -----------------------------------------------------------------------------------------------------------

  function choices(quote, answer, commit) {
    var list = quote.querySelector("ul"), buttons = Array.from(list.children).map(function (item, i) {
      var made = button("predict-choice", "", function () { if (!quote.classList.contains("predicted")) commit(i, i === answer.right); });
      (item.querySelector(":scope > p") || item).childNodes.forEach(function (part) { made.append(part.cloneNode(true)); });
      made.append(make("span", "predict-mark"));
      item.replaceChildren(made);
      return made;
    });
    list.classList.add("predict-choices");
    return {
      told: function (guess) { return guess === answer.right ? "Right." : "Not this time: the marked one is right."; },
      show: function (made) {
        buttons.forEach(function (each, i) {
          var yours = Boolean(made) && made.guess === i, right = Boolean(made) && i === answer.right;
          each.classList.toggle("yours", yours);
          each.classList.toggle("right", right);
          each.setAttribute("aria-disabled", String(Boolean(made)));
          each.lastChild.textContent = [yours ? "your guess" : "", right ? "right ✓" : ""].filter(Boolean).join(" · ");
        });
      },
    };
  }

  // ---- a slider ----------------------------------------------------------------------------------------------------------

  function slider(quote, answer, commit) {
    var box = make("div", "predict-slider"), range = make("input"), value = make("output"), line = make("div", "predict-line");
    var digits = (String(answer.step).split(".")[1] || "").length;
    function said(number) { return Number(number).toFixed(digits); }
    function mark(kind, name, number) {
      var made = make("span", kind, name + " " + said(number));
      made.style.left = 100 * (Math.min(answer.to, Math.max(answer.from, number)) - answer.from) / (answer.to - answer.from) + "%";
      return made;
    }
    range.type = "range";
    range.min = answer.from;
    range.max = answer.to;
    range.step = answer.step;
    range.value = (answer.from + answer.to) / 2;
    range.setAttribute("aria-label", "Your guess, from " + answer.from + " to " + answer.to);
    function follow() { value.textContent = said(range.value); }
    range.addEventListener("input", follow);
    follow();
    var done = button("predict-commit", "This is my guess", function () {
      var guess = Number(range.value);
      commit(guess, Math.abs(guess - answer.right) <= (answer.to - answer.from) / 10);
    });
    box.append(make("span", "predict-end", String(answer.from)), range, make("span", "predict-end", String(answer.to)), value, done);
    quote.append(box, line);
    return {
      told: function (guess) {
        var near = Math.abs(guess - answer.right) <= (answer.to - answer.from) / 10;
        return (near ? "Near: you said " : "You said ") + said(guess) + ", and it is " + said(answer.right) + ".";
      },
      show: function (made) {
        box.hidden = Boolean(made);
        line.hidden = !made;
        line.setAttribute("aria-hidden", "true");       // the sentence says the same
        line.replaceChildren();
        if (made) line.append(make("span", "predict-end", String(answer.from)), mark("guess", "you", made.guess), mark("truth", "is", answer.right), make("span", "predict-end", String(answer.to)));
      },
    };
  }

  // ---- the output under it -----------------------------------------------------------------------------------------------

  // Covers the output of the next cell, the pictures that follow at once, and all that is said about them, to the next heading, code,
  // question or box: half an argument could not be followed. One may lift the cover without a guess.
  // What moves by hand is not covered.
  function coverOf(quote) {
    var cell = quote.nextElementSibling, output = cell && cell.matches(".cell") ? cell.querySelector(":scope > .cell_output") : null, lifted = false;
    if (!output || output.querySelector("script[type*='widget-view']")) return function () {};
    var cover = make("div", "predict-cover");
    var told = [], next = cell.nextElementSibling;
    for (; next && next.matches(".cell.tag_hide-input:not(:has(script[type*='widget-view']))"); next = next.nextElementSibling) told.push(next);
    for (; next && !next.matches("section, .cell, blockquote, .generated"); next = next.nextElementSibling) told.push(next);
    cover.append(make("span", "", told.length ? "This output and what the text says about it are covered until you guess." : "Covered until you guess."), button("", "Show", function () { lifted = true; lift(true); }));
    output.prepend(cover);
    function lift(open) {
      open = open || lifted;
      output.classList.toggle("covered", !open);
      told.forEach(function (each) { each.classList.toggle("covered-after", !open); });
      cover.hidden = open;
    }
    return lift;
  }

  keep.ready(function () { document.querySelectorAll("blockquote.predict:has(.predict-answer)").forEach(prepare); });
})();
