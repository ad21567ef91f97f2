"""The pages of the built book as chapters of one work: what PDF and ePub are made from.

Reads _build/html, where formulas, links, numbers and pictures are already what they have to be, in the order of _toc.yml, and takes out what
only a screen with scripts can use: menus, buttons, folded code, figures that move (their pictures stay), forms. What is folded in
a chapter (hints, the explanations of the quizzes) goes to a chapter of its own at the end, with links both ways.
"""

import argparse
import posixpath
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from minibert_downloads import FOLDER, offer

SCREEN_ONLY = (
    "script, style, link, button, .headerlink, .prev-next-area, .copybtn, details.above-input, .tag_hide-input .cell_input, "
    "input:not([type=checkbox]), textarea, output, noscript, [hidden], .model-tool, .generated-launch, .cover-begin"
)
# Classes of Pygments that have a colour of their own.
COLOURED = set("k kc kd kn kr ow s s1 s2 sa sb sd se si c1 mi mf nf nc nd fm ne".split())
ANSWERS = "answers"


@dataclass
class Chapter:
    """One page of the book."""

    name: str  # "notebooks/04_attention"
    part: str  # "Build it"
    title: str  # "Attention"
    number: str  # "4", or empty
    body: Tag  # its <article>
    depth: int = 0  # 1 for a page below another one

    @property
    def heading(self) -> str:
        """Its title in a table of contents."""
        return f"{self.number} · {self.title}" if self.number else self.title

    @property
    def key(self) -> str:
        """A name that can stand in an id and in a file's name."""
        return (
            re.sub(r"\W+", "-", self.name.split("/", 1)[-1])
            if "/api/" not in self.name
            else f"api-{Path(self.name).name}"
        )


def contents(root: Path) -> list[tuple[str, str, int]]:
    """(page, caption of its part, depth) in the order of the table of contents."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    found = [(toc["root"], "", 0)]
    for part in toc["parts"]:
        for chapter in part["chapters"]:
            found.append((chapter["file"], part["caption"], 0))
            found += [(below["file"], part["caption"], 1) for below in chapter.get("sections", [])]
    return found


def read_book(site: Path, root: Path) -> list[Chapter]:
    """All chapters, ready for paper, and the hints and answers at the end.

    Raises a ValueError where no book was built.
    """
    if not (site / f"{contents(root)[0][0]}.html").is_file():
        raise ValueError(f"there is no built book in {site}: run `python3 dev.py book` first")
    chapters = []
    for name, part, depth in contents(root):
        soup = BeautifulSoup((site / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        chapters.append(read_chapter(name, part, depth, soup))
    answers = BeautifulSoup(
        f"<article><section id='{ANSWERS}'><h1>Hints and answers</h1></section></article>",
        "html.parser",
    ).article
    for chapter in chapters:
        move_answers(chapter, answers.section)
    if answers.section("h2"):
        chapters.append(Chapter(f"book/{ANSWERS}", "Reference", "Hints and answers", "", answers))
    return chapters


def read_chapter(name: str, part: str, depth: int, soup: BeautifulSoup) -> Chapter:
    body = soup.select_one("article.bd-article")
    for code in body("pre"):  # first: it leaves half as much to look through
        for piece in code("span"):
            if not COLOURED & set(piece.get("class", [])):
                piece.unwrap()  # half of the size of a PDF would be the places of single letters
    for instead in body.select("noscript[data-paper]"):
        instead.replace_with(paragraph(soup, instead["data-paper"], "on-paper"))
    for node in body.select(SCREEN_ONLY):
        node.decompose()
    for box in body.select("input[type=checkbox]"):
        box.replace_with("☐ ")
    for choice in body("select"):
        choice.replace_with(
            (choice.find("option", selected=True) or choice.find("option")).get_text()
        )
    for form in body("form"):
        form.name, form.attrs = "div", {"class": form.get("class", [])}
    for code in body.select("details"):
        if code.summary.get_text(strip=True) == "its code":
            code.decompose()
    body.smooth()
    heading = body.h1
    title = heading.get_text(" ", strip=True)
    number = re.match(r"(\d+)\. ", title)
    return Chapter(
        name,
        part,
        title[number.end() :] if number else title,
        number[1] if number else "",
        body,
        depth,
    )


# ---------------------------------------------------------------- what was folded


def move_answers(chapter: Chapter, answers: Tag) -> None:
    """Take hints and explanations out of a chapter, to the end of the book; open what else is folded."""
    soup = BeautifulSoup("", "html.parser")
    moved = soup.new_tag("section", id=f"{ANSWERS}-{chapter.key}")
    for i, box in enumerate(chapter.body.select(".generated-exercise.task, .generated-quiz")):
        folded = box("details")
        if not folded:
            continue
        box["id"] = box.get("id") or f"folded-{chapter.key}-{i}"
        quiz = "generated-quiz" in box["class"]
        place = soup.new_tag("div", id=f"{ANSWERS}-{box['id']}")
        heading = soup.new_tag("h3")
        heading.string = "Quiz" if quiz else title_before(box)
        place.append(heading)
        for question in folded:
            if (
                quiz
                and (asked := question.find_previous_sibling("p"))
                and question.find_previous_sibling(["p", "details"]) is asked
            ):
                place.append(
                    paragraph(soup, asked.strong.get_text() if asked.strong else "", "question")
                )
            option = unfolded(soup, question)
            if quiz:
                question.replace_with(paragraph(soup, question.summary.decode_contents(), "option"))
            else:
                question.decompose()
            place.append(option)
        place.append(
            link(soup, "Back to the chapter", f"{chapter.name}.html#{box['id']}", chapter.name)
        )
        box.append(
            link(
                soup,
                "Answers, at the end of the book" if quiz else "Hints, at the end of the book",
                f"book/{ANSWERS}.html#{place['id']}",
                chapter.name,
            )
        )
        moved.append(place)
    for solution in chapter.body.select(".generated-exercise.solution"):
        solution.clear()
        solution.append(
            link(
                soup,
                "Its solution, at the end of the book",
                "notebooks/solutions.html",
                chapter.name,
            )
        )
    for rest in chapter.body("details"):
        rest.replace_with(unfolded(soup, rest))
    if moved.contents:
        heading = soup.new_tag("h2")
        heading.string = chapter.heading
        moved.insert(0, heading)
        for anchor in moved.select("a[href]"):
            if not urlsplit(anchor["href"]).scheme and "data-from" not in anchor.attrs:
                anchor["data-from"] = chapter.name
        answers.append(moved)


def title_before(box: Tag) -> str:
    heading = box.find_previous(["h2", "h3", "h4"])
    return heading.get_text(" ", strip=True) if heading else "Exercise"


def unfolded(soup: BeautifulSoup, details: Tag) -> Tag:
    """A <details> as a box that is open: what could be seen of it in bold, then the rest."""
    box = soup.new_tag("div", attrs={"class": ["unfolded", *details.get("class", [])]})
    summary = details.summary
    box.append(paragraph(soup, f"<strong>{summary.decode_contents()}</strong>", "summary"))
    for child in list(details.contents):
        if child is not summary:
            box.append(child.extract())
    return box


def paragraph(soup: BeautifulSoup, html: str, kind: str) -> Tag:
    made = soup.new_tag("p", attrs={"class": [kind]})
    for node in list(BeautifulSoup(html, "html.parser").contents):
        made.append(node.extract())
    return made


def link(soup: BeautifulSoup, text: str, target: str, source: str) -> Tag:
    made = soup.new_tag("p", attrs={"class": ["to-answers"]})
    anchor = soup.new_tag("a", href=target, attrs={"data-from": ""})
    anchor.string = text
    made.append(anchor)
    return made


# ---------------------------------------------------------------- links and files


def resolve(chapter: Chapter, anchor: Tag) -> tuple[str, str] | None:
    """(page, fragment) that an internal link of a chapter leads to; None for another address."""
    parts = urlsplit(anchor["href"])
    if parts.scheme or anchor["href"].startswith("//"):
        return None
    origin = anchor.get("data-from", chapter.name)
    path = unquote(parts.path)
    page = (
        posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        if path
        else f"{origin}.html"
    )
    return page.removesuffix(".html"), unquote(parts.fragment)


def relink(chapters: list[Chapter], address) -> list[str]:
    """Give every internal link its new form `address(chapter, fragment)`; a link to what the work does not hold becomes text. -> what was cut."""
    by_name, cut = {chapter.name: chapter for chapter in chapters}, []
    ids = {
        chapter.name: {node["id"] for node in chapter.body.select("[id]")} for chapter in chapters
    }
    for chapter in chapters:
        for anchor in chapter.body.select("a[href]"):
            target = resolve(chapter, anchor)
            anchor.attrs.pop("data-from", None)
            if target is None:
                continue
            page, fragment = target
            if page in by_name and (not fragment or fragment in ids[page]):
                anchor["href"] = address(by_name[page], fragment)
            else:
                cut.append(f"{chapter.name}: {anchor['href']}")
                anchor.name = "span"
                anchor.attrs = {}
    return cut


def picture(chapter: Chapter, image: Tag, site: Path) -> Path:
    """The file of a picture."""
    return (site / Path(chapter.name).parent / unquote(image["src"])).resolve()


def write(make: Callable[[Path, Path, Path], Path], site: Path, target: Path, about: str) -> int:
    """A command line: make a form of the book, and put it beside the pages, which offer it from now on."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", nargs="?", type=Path, default=target)
    try:
        file = make(site, ROOT, parser.parse_args().target)
    except ValueError as error:
        print(error, file=sys.stderr)  # no built book, or no browser
        return 2
    (site / FOLDER).mkdir(exist_ok=True)
    shutil.copyfile(file, site / FOLDER / file.name)
    offer(site)
    print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
    return 0
