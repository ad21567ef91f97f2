"""What a reader can take along: every notebook by itself and all as one zip, made while the book is built.

The files lie in `downloads` beside the pages, so links to them work over http and from a file. Each chapter offers its own under its
head, the page book/downloads.md lists all. PDF and ePub are made from the built book (tools/pdf.py, tools/epub.py); from then on the page
offers them, instead of the comment that keeps their places and of the sentence that says how to make them.
"""

import json
import re
import shutil
import time
import zipfile
from html import escape
from pathlib import Path

from docutils import nodes

PAGE, FOLDER, ZIP = "book/downloads", "downloads", "minibert-notebooks.zip"
NOT_MADE = re.compile(r'<p class="not-made">.*?</p>', re.DOTALL)
FORMS = {
    "minibert.pdf": "the whole book as a PDF",
    "minibert.epub": "the whole book as an e-book (ePub 3)",
}
README = """\
minibert: the notebooks of the course
=====================================

{chapters}

What they need
--------------
Python 3.11, 3.12 or 3.13, and Jupyter (`pip install jupyterlab`), or Colab: File > Upload notebook.

The first cell of each notebook installs what is missing: the library of the course, minibert-course, with PyTorch, and pretrained
weights as a package. It takes the library from {source}.
If that does not answer, set the environment variable MINIBERT_SOURCE first: to a wheel of the course, or to git+ and the address of a
repository that holds it. In a clone of that repository nothing is needed but `python3 dev.py lab`.

Each notebook stands alone. Their outputs are stored, so that they can be read without being run.
Text and figures: CC BY 4.0. Code: Apache License 2.0.
"""


def titles(root: Path) -> dict[str, str]:
    """Name of each notebook's file -> its title, in order."""
    found = {}
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
        found[path.name] = re.match(r"# (.+)", "".join(first["source"]))[1]
    return found


def pack(root: Path, target: Path, source: str) -> None:
    """All notebooks and what they need, as one zip; equal notebooks give equal bytes."""
    readme = README.format(
        chapters="\n".join(f"{name}  {title}" for name, title in titles(root).items()),
        source=source,
    )
    contents = {
        "README.txt": readme.encode(),
        **{name: (root / "notebooks" / name).read_bytes() for name in titles(root)},
    }
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(f"minibert-notebooks/{name}", date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, compress_type=zipfile.ZIP_DEFLATED)


def make_files(app, exception):
    """Write the downloads when the pages are there."""
    if exception or app.builder.format != "html":
        return
    root, folder = Path(app.srcdir), Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    for name in titles(root):
        shutil.copyfile(root / "notebooks" / name, folder / name)
    pack(root, folder / ZIP, app.config.minibert_repository or "the repository of the course")
    if (folder.parent / f"{PAGE}.html").is_file():
        offer(folder.parent)


def offer(site: Path) -> None:
    """Put the link to each form of the book that has been made into its place on the page of downloads."""
    page = site / f"{PAGE}.html"
    text = page.read_text(encoding="utf-8")
    for name, about in FORMS.items():
        if (file := site / FOLDER / name).is_file():
            made = time.strftime("%Y-%m-%d", time.gmtime(file.stat().st_mtime))
            text = NOT_MADE.sub("", text).replace(
                f"<!-- {name} -->",
                f'<li><a href="../{FOLDER}/{name}" download>{name}</a> · {about}, {file.stat().st_size / 1e6:.0f} MB, made on {made}</li>',
            )
    page.write_text(text, encoding="utf-8")


def listing(root: Path) -> str:
    """The list of all downloads; a comment for each form that is made later."""
    rows = "\n".join(
        f'<li><a href="../{FOLDER}/{name}" download>{name}</a> · {escape(title)}</li>'
        for name, title in titles(root).items()
    )
    later = "\n".join(f"<!-- {name} -->" for name in FORMS)
    return (
        f'```{{raw}} html\n<ul class="downloads">\n<li><a href="../{FOLDER}/{ZIP}" download>{ZIP}</a> · all notebooks, and what they need to run</li>\n{later}\n</ul>\n```\n\n'
        f'## One by one\n\n```{{raw}} html\n<ul class="downloads">\n{rows}\n</ul>\n```\n'
    )


def fill_page(app, docname, source):
    if docname == PAGE:
        source[0] += "\n" + listing(Path(app.srcdir))


def always_page(app, env, added, changed, removed):
    """The list depends on every notebook, so it is written in every build."""
    return [PAGE] if PAGE in env.found_docs else []


def offer_notebook(app, doctree, docname):
    """Under the head of a chapter: its file, and the way to the others."""
    name = f"{docname.removeprefix('notebooks/')}.ipynb"
    for box in doctree.findall(
        lambda node: isinstance(node, nodes.container) and "generated-launch" in node["classes"]
    ):
        box += nodes.raw(
            "",
            f'<p><strong>Take it along</strong>: <a href="../{FOLDER}/{name}" download>{name}</a> · '
            f'<a href="../{PAGE}.html">all downloads</a></p>',
            format="html",
        )


def setup(app):
    """Sphinx calls this."""
    app.connect("source-read", fill_page)
    app.connect("env-get-outdated", always_page)
    app.connect("doctree-resolved", offer_notebook)
    app.connect("build-finished", make_files, priority=400)  # before the links are checked
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
