// ipywidgets in a page without a kernel: require.js finds every module beside the vendored packages, never elsewhere.
window.requirejs.config({ baseUrl: new URL("vendor/", document.currentScript.src).href });
