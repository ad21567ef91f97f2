// Where a reader is: "section 6 of 12" at the head of a chapter, and how much of each chapter is done in the sidebar, on the cards
// of the first page and in the box that leads on. course.js says how much there is; keep.js what was done.
(function () {
  "use strict";
  var keep = window.minibertKeep, course = window.minibertCourse || {}, CHAPTER = /notebooks\/(\d\d_\w+)\.html$/;
  var here = (CHAPTER.exec(window.location.pathname) || [])[1];

  // ---- how much of a chapter is done -------------------------------------------------------------------------------------

  function count(state, stem) {
    var all = course[stem], quiz = state.quizzes["quiz-" + stem.replace(/_/g, "-")] || {}, sections = state.sections[stem] || {};
    function among(names, kept) { return names.filter(function (name) { return kept[name]; }).length; }
    return {
      done: among(all.exercises, state.exercises) + among(all.predictions, state.predictions) + Object.keys(quiz).length + Object.keys(sections).length,
      of: all.exercises.length + all.predictions.length + all.questions + all.sections,
    };
  }

  function ring(link) {
    var made = document.createElement("span");
    made.className = "done-ring";
    made.setAttribute("role", "img");
    link.append(made);
    return made;
  }

  function prepareRings() {
    var rings = [];
    document.querySelectorAll("nav.bd-links a, .cover-chapters a, .prev-next-area a").forEach(function (link) {
      var stem = link.getAttribute("href") === "#" ? here : (CHAPTER.exec(link.pathname) || [])[1];
      if (stem && course[stem] && !link.hash) rings.push([stem, ring(link)]);
    });
    keep.follow(function (state) {
      rings.forEach(function (pair) {
        var counted = count(state, pair[0]), share = Math.min(1, counted.done / counted.of), percent = Math.round(100 * share);
        pair[1].hidden = counted.done === 0;
        pair[1].style.setProperty("--done", share);
        pair[1].classList.toggle("all", share === 1);
        pair[1].setAttribute("aria-label", Math.max(1, percent) + "% done");
        pair[1].title = counted.done + " of " + counted.of + " sections, predictions, exercises and questions";
      });
    });
  }

  // ---- which section of how many -----------------------------------------------------------------------------------------

  function prepareSections() {
    var sections = Array.from(document.querySelectorAll(".bd-article > section > section")), bar = document.querySelector(".bd-header-article .header-article-items__start");
    if (!here || !course[here] || !bar || !sections.length) return;
    var told = document.createElement("div"), last = -1, lastTop = window.scrollY, waiting = false;
    told.className = "whereabouts header-article-item";
    bar.append(told);

    function look() {
      waiting = false;
      var middle = window.innerHeight / 2, at = -1, atEnd = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 4;
      sections.forEach(function (section, i) { if (section.getBoundingClientRect().top < middle) at = i; });
      if (atEnd) at = sections.length - 1;
      var end = sections[sections.length - 1].getBoundingClientRect().bottom, begin = sections[0].getBoundingClientRect().top;
      var left = Math.max(0, Math.min(1, (end - window.innerHeight) / Math.max(1, end - begin)));
      var minutes = Math.round(left * course[here].minutes);
      told.textContent = "";
      if (at >= 0) {
        var where = document.createElement("b"), rest = document.createElement("span");
        where.textContent = "Section " + (at + 1) + " of " + sections.length;
        rest.textContent = minutes >= 1 ? "\u00a0· about " + minutes + " min left" : "";
        told.append(where, rest);
      }
      // read is what one has scrolled through; a jump skips
      var scrolled = Math.abs(window.scrollY - lastTop) < 1.5 * window.innerHeight;
      if (scrolled && at === last + 1 && last >= 0) read(last);
      if (scrolled && atEnd && at >= 0 && last >= at - 1) read(at);
      last = at;
      lastTop = window.scrollY;
    }

    function read(number) {
      if ((keep.read().sections[here] || {})[number]) return;
      keep.change(function (state) { (state.sections[here] || (state.sections[here] = {}))[number] = true; });
    }

    function soon() {
      if (!waiting) window.requestAnimationFrame(look);
      waiting = true;
    }
    document.addEventListener("scroll", soon, { passive: true });
    window.addEventListener("resize", soon);
    look();
  }

  keep.ready(function () {
    prepareRings();
    prepareSections();
  });
})();
