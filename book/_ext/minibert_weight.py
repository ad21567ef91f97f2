"""What a page does not use, it does not ask for, and the site does not hold.

- Style sheets and scripts of extensions stand only on pages that hold what they are for.
- Font Awesome's script, fonts and rules are left out: book/_static/icons.css draws the icons that the theme names.
- The state of the moving figures stands behind the text, so that the text is there first.
- Pictures are fetched when they come near; they know their size, so nothing moves when they arrive.
- The templates in book/_templates leave out the search's scripts and its index, except on the page that searches.
"""

import re
from pathlib import Path

from sphinx.util.images import get_image_size

# Files and inline scripts of extensions, and what stands on a page that uses them.
USED_WITH = [
    (re.compile(asset), re.compile(mark))
    for asset, mark in [
        (
            r"togglebutton|toggleHint|toggleOpenOnPrint",
            r'class="[^"]*\b(?:toggle|toggle-details|dropdown admonition|admonition dropdown)[ "]',
        ),
        (r"sphinx-design", r'class="sd-'),
        (r"design-tabs", r'class="sd-tab'),
        (r"clipboard|copybutton", r'class="highlight'),
        (r"mystnb", r'class="cell'),
    ]
]
IMAGE = re.compile(
    r'<img (?=[^>]*src="(?:\.\./)*_images/([^"]+\.png)")(?![^>]*\b(?:loading|height)=)'
)
STATE = "application/vnd.jupyter.widget-state+json"
NOT_SERVED = ("scripts/fontawesome.js*", "vendor/fontawesome/**/*.*", "**/*.map")
ICON_RULES = re.compile(
    r"(?<=[}/])(?:@font-face\{font-display:block;font-family:Font Awesome[^}]*\}|(?:\.fa[bsr]?(?:-[\w-]+)?(?::(?:before|after))?,?)+\{[^{}]*\})"
)


def is_used(asset, body):
    """Whether a page uses a style sheet or a script of Sphinx."""
    name = f"{asset.filename or ''} {asset.attributes.get('body', '')}"
    return all(mark.search(body) for part, mark in USED_WITH if part.search(name))


def lighten(app, pagename, templatename, context, doctree):
    """Drop what the page does not use from its head; let its pictures come when they are needed."""
    body = context.get("body", "")
    for kind in ("css_files", "script_files"):
        context[kind] = [asset for asset in context.get(kind, []) if is_used(asset, body)]
    sizes = {
        name: get_image_size(str(Path(app.srcdir) / source))
        for source, name in app.builder.images.items()
    }
    body = IMAGE.sub(
        lambda match: '<img loading="lazy" width="{}" height="{}" '.format(*sizes[match[1]]), body
    )
    states = [
        script for script in context["script_files"] if script.attributes.get("type") == STATE
    ]
    context["script_files"] = [script for script in context["script_files"] if script not in states]
    context["body"] = body + "".join(
        f'<script type="{STATE}">{script.attributes["body"]}</script>' for script in states
    )


def clear(app, exception):
    """Take out of the built site what no page asks for."""
    static = Path(app.outdir) / "_static"
    if exception or app.builder.format != "html" or not static.is_dir():
        return
    for pattern in NOT_SERVED:
        for path in static.glob(pattern):
            path.unlink()
    style = static / "styles" / "pydata-sphinx-theme.css"
    style.write_text(ICON_RULES.sub("", style.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app):
    """Sphinx calls this."""
    app.connect("html-page-context", lighten, priority=900)
    app.connect("build-finished", clear)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
