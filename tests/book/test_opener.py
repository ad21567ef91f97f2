"""A chapter's first screen: of the model's diagram, the lit part with its neighbours, and the whole folded below."""

import re
import sys

import pytest

from minibert.course.diagrams import model
from minibert.course.diagrams.model import LIT
from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import minibert_opener

NAMED = re.compile(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]+)</text>')
MOST_OF_IT = {"first_look", "bert", "pretraining", "when_training_fails", "bug_clinic"}


def named(svg: str) -> list[str]:
    """What is written in the part of a diagram that the first screen shows."""
    x, y, width, height = minibert_opener.lit_part(svg)
    return [
        text
        for left, top, text in NAMED.findall(svg)
        if x < float(left) < x + width and y < float(top) < y + height
    ]


def test_the_lit_part_is_shown_with_what_is_next_to_it():
    seen = named(model("attention").svg)
    assert {"attention, A heads", "weights", "add, LayerNorm", "LayerNorm"} <= set(seen)
    assert not {"pooler: [CLS], tanh", "WordPiece tokenizer", "word table"} & set(seen)


@pytest.mark.parametrize("chapter", sorted(LIT))
def test_every_lit_box_is_shown(chapter):
    svg = model(chapter).svg
    window = minibert_opener.lit_part(svg)
    assert (window is None) == (chapter in MOST_OF_IT)
    if window:
        x, y, width, height = window
        boxes = [[float(each) for each in box] for box in minibert_opener.BOX.findall(svg)]
        lit = [box for box in boxes if box[4] == minibert_opener.LIT]
        assert lit
        assert all(x <= box[0] and box[0] + box[2] <= x + width for box in lit)
        assert all(y <= box[1] and box[1] + box[3] <= y + height for box in lit)
