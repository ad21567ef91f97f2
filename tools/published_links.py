"""What a built site says of its own address: links to the repository, to Colab, Binder and GitHub Pages, and Open Graph tags.

`problems` reads the pages alone and asks no network: a link is right if it names a file that the repository, or the site, has.
"""

import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

ADDRESS = re.compile(r'<(\w+)\b[^>]*?\s(?:href|src|action|content)="([^"]*)"')
TAG = re.compile(r'<(?:meta property="(og:\w+)" content|link rel="(canonical)" href)="([^"]*)"')
PLACEHOLDER = re.compile(r"\b[\w-]{1,63}\.invalid\b|\bOWNER/NAME\b")
NO_TEXT = {"search", "genindex", "py-modindex"}  # pages that nobody shares
WITHOUT_FILE = re.compile(r"|/issues(/new)?(\?.*)?|\.git")  # what may follow a repository's address


class Repository:
    """Files, address and branch of a repository on GitHub, and where GitHub serves its pages."""

    def __init__(self, folder: Path, address: str, branch: str, pages: str):
        self.folder, self.address, self.branch, self.pages = folder, address, branch, pages
        self.place = urlsplit(address).path.strip("/")

    def file_of(self, url: str) -> str | None:
        """The file that a link to GitHub, Colab or Binder names; None where none is named.

        Raises ValueError for a link that has another form, or that leads to another repository.
        """
        branch = re.escape(self.branch)
        if url.startswith(("https://colab.research.google.com/", "https://mybinder.org/")):
            forms = (
                rf"https://colab\.research\.google\.com/github/{self.place}/blob/{branch}/([^?#]+)",
                rf"https://mybinder\.org/v2/gh/{self.place}/{branch}\?urlpath=(?:lab/)?tree/([^&#]+)",
            )
        else:
            rest = url.removeprefix(self.address)
            if WITHOUT_FILE.fullmatch(rest):
                return None
            forms = (
                rf"{re.escape(self.address)}/(?:blob|edit|raw|tree)/{branch}/([^?#]+)(?:#L\d+)?",
            )
        for form in forms:
            if found := re.fullmatch(form, url):
                return unquote(found[1])
        raise ValueError("has an unknown form")

    def is_own(self, url: str) -> bool:
        """Whether a link belongs to this repository, or starts its notebooks."""
        return re.match(rf"{re.escape(self.address)}(?![\w-])", url) is not None or (
            url.startswith(("https://colab.research.google.com/", "https://mybinder.org/"))
            and urlsplit(url).path.strip("/") != ""
        )


def problems(site: Path, repository: Repository) -> list[str]:
    """What is wrong with the addresses in a built site, one sentence each; [] if all are right."""
    found = []
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if not name.startswith("_static/") and name != "index.html":
            text = path.read_text(encoding="utf-8")
            found += [f"{name}: {what}" for what in of_page(site, name, text, repository)]
    found += [f"downloads: {what}" for what in of_downloads(site, repository)]
    return found


def of_page(site: Path, name: str, text: str, repository: Repository) -> Iterator[str]:
    """What is wrong on one page."""
    for placeholder in sorted(set(PLACEHOLDER.findall(text))):
        yield f"the placeholder {placeholder} is left"
    urls = {unescape(url) for _, url in ADDRESS.findall(text)}
    named = set()
    for url in sorted(filter(repository.is_own, urls)):
        try:
            file = repository.file_of(url)
        except ValueError as error:
            yield f"{url} {error}"
            continue
        if file and not (repository.folder / file).exists():
            yield f"{url} names a file that is not there"
        elif file and (line := re.search(r"#L(\d+)$", url)):
            lines = (repository.folder / file).read_text(encoding="utf-8").count("\n") + 1
            if int(line[1]) > lines:
                yield f"{url} names a line that is not there"
        named.add((urlsplit(url).hostname, file))
    page = name.removesuffix(".html")
    if page.startswith("notebooks/"):
        for host in ("colab.research.google.com", "mybinder.org"):
            if (host, f"{page}.ipynb") not in named:
                yield f"no link opens the notebook on {host}"
    for url in sorted(urls):
        if url.startswith(repository.pages) and not at(site, url, repository).is_file():
            yield f"{url} names a page or picture that is not there"
    tags = {one or other: unescape(value) for one, other, value in TAG.findall(text)}
    for tag in ("canonical", *(() if page in NO_TEXT else ("og:url",))):
        if tags.get(tag) != repository.pages + name:
            yield f"{tag} is {tags.get(tag)}, not {repository.pages + name}"
    if page not in NO_TEXT and not tags.get("og:image", "").startswith(repository.pages):
        yield f"og:image is {tags.get('og:image')}, which is not on {repository.pages}"


def at(site: Path, url: str, repository: Repository) -> Path:
    """The file of the site behind an address of its pages."""
    path = unquote(urlsplit(url).path.removeprefix(urlsplit(repository.pages).path))
    return site / (path or "index.html")


def of_downloads(site: Path, repository: Repository) -> Iterator[str]:
    """What is wrong in the notebooks that a reader takes along, one by one and in the archive."""
    folder = site / "downloads"
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")}
    with zipfile.ZipFile(folder / "minibert-notebooks.zip") as archive:
        texts |= {name: archive.read(name).decode() for name in archive.namelist()}
    for name, text in sorted(texts.items()):
        if found := PLACEHOLDER.search(text):
            yield f"{name}: the placeholder {found[0]} is left"
        if repository.address not in text:
            yield f"{name} does not name the repository"
