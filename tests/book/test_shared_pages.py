"""What a link to a page shows elsewhere: title, description, picture; and addresses only where the repository has one."""

import re
import sys
from html import unescape

import pytest
from built_pages import contents, page
from docutils import nodes
from PIL import Image

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import minibert_share


def tags(source: str) -> dict[str, str]:
    """The tags of a page by their names."""
    found = re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)">', source)
    return {name: unescape(content) for name, content in found}


@pytest.mark.parametrize("name", contents())
def test_every_page_has_title_description_and_picture(site, name):
    found = tags(page(site, name).source)
    assert found["og:title"] and found["og:site_name"] == "minibert"
    assert 40 <= len(found["description"]) <= 202
    assert found["og:description"] == found["description"]
    assert not re.search(r"[<>]|\\\(|What you need first", found["description"])
    picture = Image.open(site / "_static" / "share" / f"{name.replace('/', '-')}.png").convert(
        "RGB"
    )
    assert picture.size == (1200, 630)
    assert len(picture.getcolors(1 << 20)) > 20


def test_no_two_chapters_look_alike(site):
    chapters = [name for name in contents() if name.startswith("notebooks/")]
    files = [site / "_static" / "share" / f"{name.replace('/', '-')}.png" for name in chapters]
    assert len({file.read_bytes() for file in files}) == len(chapters)
    assert len({tags(page(site, name).source)["description"] for name in chapters}) == len(chapters)


def test_without_a_repository_no_tag_has_an_address(site):
    """The repository of _config.yml ends in .invalid until somebody hosts the course."""
    for name in contents():
        assert not {"og:url", "og:image"} & set(tags(page(site, name).source))
        assert 'rel="canonical"' not in page(site, name).source


@pytest.mark.parametrize(
    "repository, pages",
    [
        ("https://github.com/Me/course", "https://me.github.io/course/"),
        ("https://github.com/me/course.git", "https://me.github.io/course/"),
        ("https://github.com/me/me.github.io", "https://me.github.io/"),
        ("https://github.com/me", ""),
        ("https://minibert.invalid/minibert-course", ""),
        ("https://git.example.org/me/course", ""),
        ("", ""),
    ],
)
def test_the_address_of_the_pages_follows_from_the_repository(repository, pages):
    assert minibert_share.pages_address(repository) == pages


def paragraph(*parts) -> nodes.paragraph:
    made = nodes.paragraph()
    made += [nodes.Text(part) if isinstance(part, str) else part for part in parts]
    return made


def test_a_description_is_the_first_prose_of_a_page():
    listed = nodes.list_item(
        "", paragraph("An item of a list is no description, however long it may be. " * 2)
    )
    needs = paragraph(
        "",
        nodes.strong("", "What you need first"),
        " · chapter 1, and a lot of patience as well as time.",
    )
    short = paragraph("After this you can")
    prose = paragraph(
        "Scores are divided by ",
        nodes.math("", r"\sqrt{d}"),
        ", which keeps the softmax from saturating. ",
        "A second sentence that is far too long " * 6,
    )
    doctree = nodes.section("", short, listed, needs, prose)
    assert (
        minibert_share.description(doctree)
        == "Scores are divided by √d, which keeps the softmax from saturating."
    )


def test_the_key_figure_is_the_first_that_is_more_than_a_table():
    def image(name, *classes):
        return nodes.image(uri=f"{name}.png", classes=list(classes))

    plot, table = image("plot"), image("table", "figure-still", "figure-flipbook")
    heads = image("heads", "figure-still", "figure-all_heads")
    assert minibert_share.key_figure(nodes.section("", plot, table, heads)) is heads
    assert minibert_share.key_figure(nodes.section("", plot, table)) is plot
    assert minibert_share.key_figure(nodes.section("", paragraph("text"))) is None
