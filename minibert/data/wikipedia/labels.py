"""Labels from an article's markup: its categories, links and infobox."""

import calendar
import html
import re
from typing import Any

from minibert.data.wikipedia.clean_markup import NAMESPACE, RENDERERS, render

CATEGORY = re.compile(r"\s*Category\s*:(?P<name>[^|]+)", re.IGNORECASE)
INFOBOX = re.compile(r"\s*(?:infobox|.*taxobox|speciesbox)", re.IGNORECASE)
DATE = re.compile(
    r"(?:birth|death)[ -]date[^|]*(?:\|[a-z]+=[a-z]*)*"
    r"\|(?P<year>\d{4})\|(?P<month>0?[1-9]|1[0-2])\|(?P<day>\d\d?)\b",
    re.IGNORECASE,
)


def labels_of(wikicode: Any) -> dict[str, Any]:
    """The categories, link texts and infobox of a parsed article, see `wikipedia_labels`."""
    categories = [
        match["name"].strip()
        for link in wikicode.filter_wikilinks()
        if (match := CATEGORY.match(str(link.title)))
    ]
    infobox: dict[str, list[str]] = {}
    for template in wikicode.filter_templates(
        recursive=False, matches=lambda node: INFOBOX.match(str(node.name))
    ):
        for slot in template.params:
            texts = [_seen(slot.value), *_dates(slot.value), *_link_texts(slot.value)]
            infobox.setdefault(
                str(slot.name).strip().lower(), list(dict.fromkeys(filter(None, texts)))
            )
    return {
        "categories": categories,
        "links": list(dict.fromkeys(_link_texts(wikicode))),
        "infobox": infobox,
    }


def _link_texts(wikicode: Any) -> list[str]:
    return list(
        filter(
            None,
            (
                _seen(link)
                for link in wikicode.filter_wikilinks()
                if not NAMESPACE.match(str(link.title))
            ),
        )
    )


def _dates(wikicode: Any) -> list[str]:
    """Dates like {{birth date|1879|3|14}} written out, in both orders of day and month."""
    found = (DATE.search(str(template)) for template in wikicode.filter_templates())
    return [
        form
        for date in found
        if date
        for month in [calendar.month_name[int(date["month"])]]
        for form in (
            f"{int(date['day'])} {month} {date['year']}",
            f"{month} {int(date['day'])}, {date['year']}",
        )
    ]


def _seen(wikicode: Any) -> str:
    """A link or a value as a reader sees it, on one line."""
    rendered = (
        RENDERERS["Wikilink"](wikicode)
        if type(wikicode).__name__ == "Wikilink"
        else render(wikicode)
    )
    return " ".join(html.unescape(rendered).split())
