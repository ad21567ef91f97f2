// From a file, a browser fetches no other page: the results of the search then stand without the lines around them.
// From a server, these lines are what the article says: no menus, no formula set apart.
"use strict";
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

if (typeof Search !== "undefined") {
  Search.htmlToText = (page, anchor) => {
    const fetched = new DOMParser().parseFromString(page, "text/html");
    const article = fetched.querySelector("article");
    for (const part of fetched.querySelectorAll(".headerlink, script, style, svg, div.math")) part.remove();
    const place = anchor && fetched.getElementById(anchor.slice(1));
    return (place || article).textContent.replace(/\\[()]/g, "");
  };
}
