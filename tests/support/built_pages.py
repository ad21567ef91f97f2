"""The pages of the built book, as its tests read them."""

from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import yaml

from tools.environment import ROOT

LOADS = {
    "script": "src",
    "img": "src",
    "source": "src",
    "iframe": "src",
    "embed": "src",
    "object": "data",
    "video": "src",
    "audio": "src",
    "link": "href",
}


class Page(HTMLParser):
    """What one page of the book holds: text, ids, links, and everything that it makes a browser load."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids, self.links, self.loads, self.images, self.tags, self.text = (
            Counter(),
            [],
            [],
            [],
            Counter(),
            "",
        )
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags[tag] += 1
        if "id" in attributes:
            self.ids[attributes["id"]] += 1
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag == "img":
            self.images.append(attributes)
        is_resource = tag != "link" or not {
            "next",
            "prev",
            "index",
            "search",
            "author",
            "canonical",
        } & set(attributes.get("rel", "").split())
        if attributes.get(LOADS.get(tag)) and is_resource:
            self.loads.append(attributes[LOADS[tag]])

    def handle_data(self, data):
        self.text += data


def contents() -> list[str]:
    """The names of all pages in the table of contents, in order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [chapter for part in toc["parts"] for chapter in part["chapters"]]
    return [toc["root"]] + [
        entry["file"] for chapter in chapters for entry in [chapter, *chapter.get("sections", [])]
    ]


def notebooks() -> list[str]:
    return [name for name in contents() if name.startswith("notebooks/")]


@cache
def page(site: Path, name: str) -> Page:
    return Page(site / f"{name}.html")
