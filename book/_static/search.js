// From a file, a browser fetches no other page: the results of the search then stand without the lines around them.
"use strict";
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
