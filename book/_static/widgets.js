// ipywidgets in a page without a kernel.
(function () {
  // require.js finds every module and font beside the vendored packages, never on another host.
  window.requirejs.config({ baseUrl: new URL("vendor/", document.currentScript.src).href });
  // The widget manager asks for its formulas in the way of MathJax 2; the page has MathJax 3.
  window.addEventListener("load", function () {
    var mathjax = window.MathJax;
    if (mathjax && mathjax.startup && !mathjax.Hub) {
      mathjax.Hub = { Queue: function (job) { mathjax.startup.promise.then(function () { return mathjax.typesetPromise([job[2]]); }); } };
    }
  });
})();
