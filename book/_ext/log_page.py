"""A page with parts that are made from logs while the book is built."""

from pathlib import Path


def connect(app, page: str, fill) -> dict:
    """Let `fill(text, root)` complete the source of `page`; returns what Sphinx wants of an extension."""

    def fill_page(app, docname, source):
        if docname == page:
            source[0] = fill(source[0], Path(app.srcdir))

    def always_page(app, env, added, changed, removed):
        """The log may have changed when the page has not."""
        return [page] if page in env.found_docs else []

    app.connect("source-read", fill_page)
    app.connect("env-get-outdated", always_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
