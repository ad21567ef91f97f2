// What depends on how a page turns out, for keyboards and screen readers; book/_ext/minibert_access.py does the rest.
(function () {
  "use strict";

  var SCROLLING = "div.highlight pre, .cell_output pre, .output.text_html, .pst-scrollable-table-container, mjx-container[display=true], div.math";

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

  function start() {
    var waiting = false;
    function soon() {
      if (waiting) return;
      waiting = true;
      window.requestAnimationFrame(function () { waiting = false; repair(); });
    }
    repair();
    new MutationObserver(soon).observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["tabindex", "open"] });
    window.addEventListener("resize", soon);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
