"""What the theme, docutils and MyST-NB leave out for keyboards and screen readers, put in when a page is written.

So it holds without scripts too; book/_static/a11y.js does what depends on how wide things turn out. The rule of axe-core
that each repair answers stands in brackets.
"""

import re

BREAKS = re.compile(r"(?<=[A-Za-z0-9)\]][._=])(?=[A-Za-z&])(?!(?:py|ipynb|json|md)\b)|(?=::)")
FORMULA = '<span class="math notranslate nohighlight">[^<]*</span>'

REPAIRS = [
    (re.compile(pattern), text)
    for pattern, text in [
        # [region] the sidebar with its mark is navigation; [aria-dialog-name] and so is the window that it becomes on a phone
        (r'<div id="pst-primary-sidebar"', r'\g<0> role="navigation" aria-label="Book"'),
        (r'<dialog id="pst-primary-sidebar-modal"', r'\g<0> aria-label="Book"'),
        (r'<dialog id="pst-secondary-sidebar-modal"', r'\g<0> aria-label="On this page"'),
        (r'<dialog id="pst-search-dialog"', r'\g<0> aria-label="Search"'),
        # [label-content-name-mismatch] what is seen on a button is its name
        (r'(<button class="btn search-button-field[^>]*?) aria-label="[^"]*"', r"\1"),
        (r'(<summary\b[^>]*?) aria-label="[^"]*"', r"\1"),
        # [summary-name] what opens a part of the contents says what it opens
        (r'<summary>(?=<span class="toctree-toggle")', '<summary aria-label="Pages of this part">'),
        # icons say nothing that their button does not say
        (r'(<i class="theme-switch[^>]*?) title="[^"]*"', r"\1"),
        (r'<(?:i|span) class="[^"]*\bfa[bs]?[ -][^>]*', r'\g<0> aria-hidden="true"'),
        # [aria-required-children, aria-allowed-role] entries of the bibliography are items of their list
        (r'role="doc-biblioentry"', 'role="listitem"'),
        # on a phone a long name breaks between its words, not within one; a browser itself breaks behind a slash
        (
            r'(<span class="pre">|<code>)([^<>\s]{20,})(?=</)',
            lambda name: name[1] + BREAKS.sub("<wbr/>", name[2]),
        ),
        # no line begins with the comma, or ends with the bracket, of a formula
        (rf"[(‘“]+{FORMULA}[^\s<]*|{FORMULA}[^\s<]+", r'<span class="whole">\g<0></span>'),
        # [empty-table-header] the corner of a table heads nothing
        (
            r"<th\b(?![^>]*\brole=)([^>]*>(?:\s|<p>\s*</p>|&#160;|&nbsp;)*</th>)",
            r'<th role="presentation"\1',
        ),
    ]
]
# The theme's button for the contents of a page stands also where a page has done without them, and does nothing.
DEAD_BUTTON = re.compile(r'<button class="sidebar-toggle secondary-toggle.*?</button>', re.DOTALL)


def accessible(page):
    """One page's HTML, repaired."""
    for pattern, text in REPAIRS:
        page = pattern.sub(text, page)
    return page if 'id="pst-secondary-sidebar"' in page else DEAD_BUTTON.sub("", page)


def add_filter(app):
    """book/_templates/layout.html sends what it draws through this."""
    if app.builder.format == "html":
        app.builder.templates.environment.filters["accessible"] = accessible


def setup(app):
    """Sphinx calls this."""
    app.connect("builder-inited", add_filter)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
