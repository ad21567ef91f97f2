"""A content security policy in every page: what the page may run and load. A browser refuses everything else.

- Scripts are files of the site, and the inline scripts whose digest the policy names: those that stood in the page when it was built.
- A moving figure is imported from a `blob:` address, and the model of the model page runs in a worker from one; no other page may do so.
- Styles may be inline, because figures, formulas and code carry `style` attributes by the thousand.
- The rest comes from the site itself, or stands in the page as `data:`; nothing comes from another host, and nothing is framed or plugged in.

`'self'` is also right for a page that is opened as a file: it then means the files beside it.
"""

import base64
import hashlib
import re
from html import escape
from pathlib import Path

CHARSET = '<meta charset="utf-8" />'  # the policy stands behind it, before anything that it forbids
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="[^"]*">')
INLINE = re.compile(r"<script(?![^>]*\b(?:src|type)=)[^>]*>(.*?)</script>", re.DOTALL)
ALWAYS = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
}
# What a page loads -> what it may do besides.
BESIDES = {
    "_static/figures.js": ("script-src", "blob:"),
    "_static/model/page.js": ("worker-src", "blob:"),
}
# The theme's button has its script in an attribute, which no digest allows; book/_static/a11y.js prints instead.
PRINT = 'onclick="window.print()"'


def digest(script: str) -> str:
    """How a policy names an inline script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def policy(page: str) -> str:
    """The policy of one page."""
    rules = dict(ALWAYS)
    rules["script-src"] = " ".join(
        [rules["script-src"], *dict.fromkeys(map(digest, INLINE.findall(page)))]
    )
    for script, (rule, source) in BESIDES.items():
        if script in page:
            rules[rule] = f"{rules.get(rule, '')} {source}".strip()
    return "; ".join(f"{rule} {sources}" for rule, sources in rules.items())


def guarded(page: str) -> str:
    """A page with its policy, instead of the one that it may have."""
    page = POLICY.sub("", page).replace(PRINT, "data-print")
    tag = (
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy(page), quote=False)}">'
    )
    return page.replace(CHARSET, CHARSET + tag, 1)


def guard_pages(app, exception):
    """Give every page of the finished site its policy."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    for path in site.rglob("*.html"):
        if "_static" not in path.relative_to(site).parts:  # fragments of the theme
            path.write_text(guarded(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app):
    """Sphinx calls this."""
    app.connect("build-finished", guard_pages, priority=900)  # once nobody changes a page any more
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
