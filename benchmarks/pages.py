"""What each page of the book asks for, and how long it takes until it can be used, in Chromium.

    python dev.py book                    # first: the pages that are measured are those in _build/html
    python benchmarks/pages.py            # measure all, write logs/pages.json
    python benchmarks/pages.py --check    # measure again, fail outside the bands or 5% off

`kilobytes` is all that a page asks for before it can be read and used: itself, scripts, styles, letters and the pictures
that are near, in a window of 1280 x 900 with nothing stored. `all_kilobytes` is what it has asked for when one has scrolled
to its end. Both as a server sends it: text compressed by gzip (level 6), letters and pictures as they are.

Times are seconds of the clock, medians of ROUNDS: `seen` until the first letter stands there, `ready` until the formulas
are drawn and nothing keeps the page from answering. The row "an empty page" is the control: what this machine needs anyhow.
"""

import functools
import gzip
import http.server
import statistics
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import log
import yaml

from tools.stills import browser as chromium

SITE, ROUNDS = ROOT / "_build" / "html", 3
TEXT = {".html", ".css", ".js", ".svg", ".json", ".txt"}
LIGHT, LARGEST = (
    1000,
    10_000,
)  # kB: a chapter before it can be used, any page with all that it asks for
EMPTY = "an empty page"

# When the last task ended that kept the page from answering for 50 ms or more, and when the formulas were drawn.
READY = """() => new Promise(resolve => {
  let last = performance.getEntriesByType("navigation")[0].loadEventEnd, isDrawn = false;
  new PerformanceObserver(list => list.getEntries().forEach(task => { last = Math.max(last, task.startTime + task.duration); })).observe({ type: "longtask", buffered: true });
  Promise.resolve(window.MathJax && MathJax.startup.promise).then(() => { isDrawn = true; if (window.MathJax) last = Math.max(last, performance.now()); });
  const asking = setInterval(() => {
    if (!isDrawn || performance.now() < last + 500) return;
    clearInterval(asking);
    const seen = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? last;      // on a small page after its load event
    resolve({ seen, ready: Math.max(last, seen) });
  }, 50);
})"""


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder; yields its address."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Silent, directory=site)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@functools.cache
def compressed(path: Path) -> int:
    """Bytes of a file as a server sends it."""
    content = path.read_bytes()
    return len(gzip.compress(content, 6)) if path.suffix in TEXT else len(content)


def sizes(site: Path, urls: list[str]) -> dict[str, int]:
    """Bytes of each file of the site that stands behind the addresses; each file is sent once."""
    names = dict.fromkeys(
        unquote(urlsplit(url).path).lstrip("/") for url in urls if url.startswith("http")
    )
    return {name: compressed(site / name) for name in names if (site / name).is_file()}


def scroll(tab) -> None:
    """Go through a page to its end, so that everything on it comes."""
    height = tab.evaluate("document.documentElement.scrollHeight")
    for y in range(0, height, 2000):
        tab.evaluate(f"window.scrollTo(0, {y})")
        tab.wait_for_timeout(20)
    tab.wait_for_load_state("networkidle")


def measure(variant: str, seed: None) -> dict:
    """One page: what it asks for, and how long it takes."""
    rounds = []
    with served(SITE) as address, chromium() as browser:
        for last in [False] * (ROUNDS - 1) + [True]:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            tab, asked = context.new_page(), []
            tab.on("request", lambda request: asked.append(request.url))
            if variant == EMPTY:
                tab.route(
                    "**/*",
                    lambda route: route.fulfill(
                        body="<!doctype html><title>empty</title><p>A sentence.",
                        content_type="text/html",
                    ),
                )
            tab.goto(f"{address}{variant}.html".replace(" ", "-"), wait_until="load")
            rounds.append(tab.evaluate(READY))
            if last and variant != EMPTY:
                tab.wait_for_load_state("networkidle")
                first = list(asked)
                scroll(tab)
            context.close()
    times = {
        name: round(statistics.median(each[name] for each in rounds) / 1000, 2)
        for name in ("seen", "ready")
    }
    if variant == EMPTY:
        return times
    return {"kilobytes": kilobytes(first), "all_kilobytes": kilobytes(asked), **times}


def kilobytes(urls: list[str]) -> int:
    return round(sum(sizes(SITE, urls).values()) / 1000)


def pages() -> list[str]:
    """All pages of the contents, in order."""

    def below(parts: list[dict]) -> Iterator[str]:
        for part in parts:
            yield from [part["file"]] if "file" in part else []
            yield from below(part.get("chapters", []) + part.get("sections", []))

    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [contents["root"], *below(contents["parts"])]


def main(argv: list[str] | None = None) -> int:
    if not (SITE / "index.html").exists():
        print("the book is not built: python dev.py book", file=sys.stderr)
        return 2
    bands = {
        name: {
            "all_kilobytes": (0, LARGEST),
            **({"kilobytes": (0, LIGHT)} if name.startswith("notebooks/") else {}),
        }
        for name in pages()
    }
    return log.run(
        __file__,
        "Pages of the book: what they ask for, and how soon they can be used",
        measure,
        [(name, None) for name in [EMPTY, *pages()]],
        bands,
        tolerance={"kilobytes": 50, "all_kilobytes": 100},
        argv=argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
