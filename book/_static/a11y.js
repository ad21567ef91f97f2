// What depends on how a page turns out, for keyboards and screen readers; book/_ext/minibert_access.py does the rest.
(function () {
  "use strict";

  var SCROLLING = "div.highlight pre, .cell_output pre, .output.text_html, .pst-scrollable-table-container, mjx-container[display=true], div.math, .cell_output > figure, .swap-picture";

  function each(selector, change) {
    document.querySelectorAll(selector).forEach(change);
  }

  function repair() {
    // [label-content-name-mismatch] what is seen on a button that a script has made is part of its name
    each("button[aria-label], a[aria-label]", function (button) {
      var seen = button.innerText.trim().replace(/\s+/g, " ");
      var name = button.getAttribute("aria-label");
      if (seen && name.toLowerCase().indexOf(seen.toLowerCase()) < 0) button.setAttribute("aria-label", seen + " - " + name);
    });
    // [scrollable-region-focusable] what scrolls inside itself can be reached with the Tab key; the theme takes it away again
    each(SCROLLING, function (box) {
      if (box.tabIndex < 0 && box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
    });
  }

  // On a phone the contents lie over the page: once one has chosen from them they go away, and the keyboard goes on where one went.
  function closeContents(event) {
    var link = event.target.closest("dialog a[href*='#']");
    if (!link || link.pathname !== window.location.pathname || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    link.closest("dialog").addEventListener("close", function () { window.location.hash = link.hash; }, { once: true });
    link.closest("dialog").close();
  }

  // The theme takes the focus from its buttons when they are pressed, also from somebody who presses them by a key.
  function keepFocus() {
    each(".theme-switch-button, .search-button, .primary-toggle, .secondary-toggle", function (button) {
      button.addEventListener("click", function (event) { if (event.detail === 0) button.focus(); }, true);
    });
  }

  // The theme marks a section when its heading comes in at the top of the window; after a jump, or on the way up, it still marks one
  // that is out of sight. Here: the last heading above a third of the window, or the one asked for where the page ends before it gets there.
  function markSection() {
    var links = Array.from(document.querySelectorAll("#pst-page-toc-nav a[href^='#']:not([href='#'])"));
    function top(link) { return document.getElementById(decodeURIComponent(link.hash.slice(1))).getBoundingClientRect().top; }
    var atEnd = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 2;
    var asked = links.find(function (link) { return atEnd && link.hash === window.location.hash && top(link) >= 0; });
    var here = asked || links.filter(function (link) { return top(link) < 0.3 * window.innerHeight; }).pop() || null;
    links.forEach(function (link) {
      link.classList.toggle("active", link === here);
      if (link === here) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      link.closest(".toc-entry").classList.toggle("active", link.closest(".toc-entry").contains(here));
    });
  }

  // The list of pages is scrolled to the page that is open, if that is out of sight.
  function showPage() {
    var link = document.querySelector("#pst-primary-sidebar nav.bd-links li.current.active > a"), list = link && link.closest(".sidebar-primary-item");
    if (link && link.getBoundingClientRect().bottom > window.innerHeight) list.scrollTop += link.getBoundingClientRect().top - window.innerHeight / 2;
  }

  function start() {
    var waiting = false, resting;
    function soon() {
      if (waiting) return;
      waiting = true;
      window.requestAnimationFrame(function () { waiting = false; repair(); });
    }
    repair();
    showPage();
    new MutationObserver(soon).observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["tabindex", "open"] });
    window.addEventListener("resize", soon);
    window.addEventListener("load", keepFocus);       // after the theme's own listeners
    document.addEventListener("click", closeContents);
    each("[data-print]", function (button) { button.addEventListener("click", function () { window.print(); }); });
    document.addEventListener("scroll", function () {
      clearTimeout(resting);
      resting = setTimeout(markSection, 150);
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
