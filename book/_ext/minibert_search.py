"""The search finds the terms of the glossary first, and works from a file.

The theme's own search is a script with an index, so it needs no server. Two things are missing: a term of the glossary is no title, so
it gets an entry of the index, which the search ranks above places that only use the word; and the lines around what was found
are fetched from the pages, menus and all, and from a file not at all: see book/_static/search.js.
"""

import re

from docutils import nodes
from sphinx import addnodes

GLOSSARY = "book/glossary"
SEARCH = "search"


def index_terms(app, doctree):
    """Enter each term, and each of its other names, with its place."""
    if app.env.docname != GLOSSARY:
        return
    for term in list(doctree.findall(nodes.term)):
        names = [term.astext(), *re.split(r"\s*,\s*", re.sub(r"\s*\(.*?\)", "", term.astext()))]
        entries = [
            ("single", name.replace(";", ","), term["ids"][-1], "main", None)
            for name in dict.fromkeys(names)
        ]
        listed = term.parent.parent
        listed.parent.insert(listed.parent.index(listed), addnodes.index(entries=entries))


def add_script(app, pagename, templatename, context, doctree):
    if pagename == SEARCH:
        app.add_js_file("search.js", defer="defer")


def setup(app):
    """Sphinx calls this."""
    app.connect(
        "doctree-read", index_terms, priority=600
    )  # after minibert_book has given the terms their places
    app.connect("html-page-context", add_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
