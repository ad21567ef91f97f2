// What the theme, docutils and ipywidgets leave out for keyboards and screen readers; axe-core's rules in brackets.
(function () {
  "use strict";

  function each(selector, change) {
    document.querySelectorAll(selector).forEach(change);
  }

  function repair() {
    // [label-content-name-mismatch] what is seen on a button is part of its name
    each("button[aria-label], a[aria-label]", function (button) {
      var seen = button.innerText.trim().replace(/\s+/g, " ");
      var name = button.getAttribute("aria-label");
      if (seen && name.toLowerCase().indexOf(seen.toLowerCase()) < 0) button.setAttribute("aria-label", seen + " - " + name);
    });
    each("summary[aria-label]", function (summary) { summary.removeAttribute("aria-label"); });
    // icons say nothing that their button does not say
    each(".theme-switch-button svg", function (icon) {
      icon.setAttribute("aria-hidden", "true");
      icon.removeAttribute("role");
      icon.removeAttribute("aria-labelledby");
      icon.querySelectorAll("title").forEach(function (title) { title.remove(); });
    });
    each(".theme-switch-button i[title]", function (icon) { icon.removeAttribute("title"); });
    // [region] the sidebar with its mark is navigation
    each(".bd-sidebar-primary:not([role])", function (sidebar) {
      sidebar.setAttribute("role", "navigation");
      sidebar.setAttribute("aria-label", "Book");
    });
    // [aria-required-children, aria-allowed-role] entries of the bibliography are items of their list
    each(".citation-list > .citation", function (entry) { entry.setAttribute("role", "listitem"); });
    // [empty-table-header] the corner of a table heads nothing
    each("thead th", function (corner) { if (!corner.textContent.trim()) corner.setAttribute("role", "presentation"); });
    // [aria-input-field-name] a slider has the name that stands beside it
    each(".widget-slider, .widget-hslider, .widget-vslider", function (widget) {
      var label = widget.querySelector(".widget-label");
      var readout = widget.querySelector(".widget-readout");
      widget.querySelectorAll("[role=slider]").forEach(function (handle) {
        if (!handle.hasAttribute("aria-label")) handle.setAttribute("aria-label", (label && label.textContent.trim()) || "slider");
        if (readout && handle.getAttribute("aria-valuetext") !== readout.textContent) handle.setAttribute("aria-valuetext", readout.textContent);
      });
    });
    // [scrollable-region-focusable] what scrolls inside itself can be reached with the Tab key
    each("div.highlight pre, .cell_output pre, .output.text_html, .widget-html-content, .pst-scrollable-table-container, mjx-container[display=true], div.math", function (box) {
      if (box.scrollWidth > box.clientWidth + 1 && !box.hasAttribute("tabindex")) box.setAttribute("tabindex", "0");
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
    new MutationObserver(soon).observe(document.body, { childList: true, subtree: true, characterData: true });
    window.addEventListener("resize", soon);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
