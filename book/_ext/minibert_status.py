"""The status of the book: when, from what and on what it was built, how long each chapter runs, what is not compared, which links hold.

The page book/status.md is filled while the book is built, from the notebooks, the logs and the tests as they are. Links can only be
followed once all pages are written, so the last step of the build does that, writes what it found into the page, and warns of
each link that leads nowhere; the build then fails. Two builds of the same state differ in the date alone, which SOURCE_DATE_EPOCH sets.
"""

import ast
import importlib.metadata
import json
import os
import platform
import re
import time
from collections import Counter
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.util import logging

logger = logging.getLogger(__name__)

PAGE = "book/status"
IGNORING = {
    "nbval-ignore-output",
    "nbval-skip",
}  # as in tools/environment.py: cells whose output is not compared
PACKAGES = (
    "jupyter-book",
    "Sphinx",
    "myst-nb",
    "sphinx-book-theme",
    "torch",
    "numpy",
    "matplotlib",
    "ipywidgets",
    "anywidget",
)
WEIGHTS = {
    "kilobytes": "kB until it can be used",
    "all_kilobytes": "kB when read to the end",
    "seen": "s until it is seen",
    "ready": "s until it can be used",
}  # columns of benchmarks/pages.py
LINKS = "<p>The links are followed at the end of the build.</p>"
TEMPLATES = "_static"  # the theme's own templates lie there


# ---------------------------------------------------------------- what is known before


def moment(text: str) -> str:
    """A date or a time that no line breaks."""
    return f'<time style="white-space: nowrap">{text}</time>' if text else ""


def built() -> str:
    """When and on what."""
    now = time.strftime(
        "%Y-%m-%d %H:%M", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    )
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    return (
        f"Built on {moment(now)} UTC, on {platform.system()} ({platform.machine()}) with Python {platform.python_version()}; "
        f"minibert {importlib.metadata.version('minibert-course')}, {versions}."
    )


def chapters(root: Path) -> str:
    """One row a notebook: cells, cells that are not compared, processor time, and where and when that was measured."""
    times = json.loads(
        (root / "benchmarks" / "logs" / "notebooks.json").read_text(encoding="utf-8")
    )["notebooks"]
    rows = [
        "| notebook | cells of code | not compared | moving figures | processor seconds | measured on |",
        "|---|---:|---:|---:|---:|---|",
    ]
    sums, machines = Counter(), set()
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        cells = [
            cell
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            if cell["cell_type"] == "code"
        ]
        ignored = sum(bool(IGNORING & set(cell["metadata"].get("tags", []))) for cell in cells)
        moving = sum(
            "application/vnd.jupyter.widget-view+json" in output.get("data", {})
            for cell in cells
            for output in cell["outputs"]
        )
        run = times.get(path.stem, {})
        seconds, machine = run.get("processor_seconds", 0), run.get("machine")
        sums.update(cells=len(cells), ignored=ignored, moving=moving, seconds=seconds)
        rows.append(
            f"| [{path.stem}](../notebooks/{path.name}) | {len(cells)} | {ignored} | {moving} | {seconds:.1f} | {moment(run.get('date', ''))} |"
        )
        if run:
            machines.add(
                f"{machine['system']}, {machine['cores']} cores ({machine['processor']}), {machine['threads']} thread, Python {run['versions']['python']}, torch {run['versions']['torch']}"
            )
    rows.append(
        f"| **all** | **{sums['cells']}** | **{sums['ignored']}** | **{sums['moving']}** | **{sums['seconds']:.0f}** | |"
    )
    return (
        "\n".join(rows)
        + f"\n\nMeasured on: {'; '.join(sorted(machines))}. A cell that is not compared shows something that differs from run to run."
    )


def tests(root: Path) -> str:
    """How many tests there are, by the part of the course that they prove."""
    counts = Counter()
    for path in sorted((root / "tests").rglob("test_*.py")):
        found = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        ]
        counts[path.relative_to(root).as_posix()] = len(found)
    largest = ", ".join(
        f"`{name}` ({count})"
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5]
    )
    return f"{sum(counts.values())} test functions in {len(counts)} files; many of them run on more than one input. The longest lists: {largest}."


def weights(root: Path) -> str:
    """What each page asks for, from the log of benchmarks/pages.py."""
    log = root / "benchmarks" / "logs" / "pages.json"
    if not log.is_file():
        return "Not measured yet: `python3 dev.py bench pages`."
    log = json.loads(log.read_text(encoding="utf-8"))
    lines = ["| page | " + " | ".join(WEIGHTS.values()) + " |", "|---|" + "---:|" * len(WEIGHTS)]
    for row in log["rows"]:
        cells = [
            format(row[key], ",.2f" if isinstance(row[key], float) else ",") if key in row else ""
            for key in WEIGHTS
        ]
        lines.append(f"| {row['variant']} | {' | '.join(cells)} |")
    machine = log["machine"]
    return "\n".join(lines) + (
        f"\n\nMeasured on {machine['cores']} cores ({machine['processor']}), text compressed as a server sends it. The empty page is a control: "
        "what the browser needs anyhow (`benchmarks/pages.py`)."
    )


def page(root: Path) -> str:
    """The page below its introduction, as Markdown."""
    return "\n\n".join(
        [
            "## The build",
            built(),
            "## The notebooks",
            chapters(root),
            "## The tests",
            tests(root),
            "## The links",
            f"```{{raw}} html\n{LINKS}\n```",
            "## The weight of the pages",
            weights(root),
        ]
    )


def fill_page(app, docname, source):
    if docname == PAGE:
        source[0] += "\n" + page(Path(app.srcdir))


def always_page(app, env, added, changed, removed):
    """The status is that of every build."""
    return [PAGE] if PAGE in env.found_docs else []


# ---------------------------------------------------------------- what is known at the end


class Links(HTMLParser):
    """The ids and the links of one page."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a" and attributes.get("href"):
            self.links.append(unescape(attributes["href"]))


def follow(site: Path) -> tuple[int, Counter, list[str]]:
    """(internal links that hold, external links by host, what is broken) of a built site."""
    read = cache(Links)
    good, hosts, broken = 0, Counter(), []
    for path in sorted(path for path in site.rglob("*.html") if TEMPLATES not in path.parts):
        for link in read(path).links:
            address = urlsplit(link)
            if address.scheme in ("http", "https"):
                hosts[address.hostname] += 1
                continue
            if address.scheme:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            fragment = unquote(address.fragment)
            if not target.is_file() or (
                fragment and target.suffix == ".html" and fragment not in read(target).ids
            ):
                broken.append(f"{path.relative_to(site).as_posix()}: {link}")
            else:
                good += 1
    return good, hosts, broken


def report(good: int, hosts: Counter, broken: list[str]) -> str:
    """What was found, as HTML."""
    most = ", ".join(
        f"{host} ({count})"
        for host, count in sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[:12]
    )
    return (
        f"<p>{good:,} links inside the book were followed, their places on the page included: {len(broken) or 'none'} of them broken. "
        f"{sum(hosts.values()):,} links lead to {len(hosts)} other hosts; these are counted and not followed, for the build uses no network: {most}"
        f"{' and others' if len(hosts) > 12 else ''}.</p>"
    )


def check_links(app, exception):
    """Follow every link of the built site, say so on the page, warn of what is broken."""
    written = Path(app.outdir) / f"{PAGE}.html"
    if exception or app.builder.format != "html" or not written.is_file():
        return
    good, hosts, broken = follow(Path(app.outdir))
    for link in broken:
        logger.warning("a link that leads nowhere: %s", link, type="links", subtype="broken")
    written.write_text(
        re.sub(
            re.escape(LINKS),
            lambda match: report(good, hosts, broken),
            written.read_text(encoding="utf-8"),
        ),
        encoding="utf-8",
    )


def setup(app):
    """Sphinx calls this."""
    app.connect("source-read", fill_page)
    app.connect("env-get-outdated", always_page)
    app.connect("build-finished", check_links, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
