"""Training examples as strips."""

import re

import torch

from minibert.course.figures import training_strip

NAMES = ["[PAD]", "<x>", "[MASK]", "bank", "river"]
BATCH = {
    "input_ids": torch.tensor([[1, 2, 3, 0], [3, 3, 4, 4]]),
    "token_type_ids": torch.tensor([[0, 0, 1, 0], [0, 1, 1, 1]]),
    "attention_mask": torch.tensor([[True, True, True, False], [True] * 4]),
    "labels": torch.tensor([[-100, 4, -100, -100], [-100, -100, 3, 4]]),
    "next_sentence_label": torch.tensor([0, 1]),
}


def words(*rows):
    html = training_strip(BATCH, NAMES, rows).html
    return re.sub(r"(<[^>]+>|&nbsp;|\s)+", " ", html).split()


def test_a_strip_shows_tokens_labels_and_the_label_of_the_pair():
    assert words(0) == "next_sentence_label = 0 , B follows A &lt;x&gt; [MASK] river bank".split()
    assert (
        words(1) == "next_sentence_label = 1 , B is random bank bank river bank river river".split()
    )


def test_every_real_token_has_a_box_with_the_colours_of_segment_and_label():
    html = training_strip(BATCH, NAMES, (0, 1)).html
    assert html.count("<span") == 7, "padding has none"
    assert html.count("solid #c44e00") == 4
    assert html.count("255,176,0") == 3


def test_a_covered_strip_hides_every_label_until_it_is_opened():
    html = training_strip(BATCH, NAMES, (0, 1), covered=True).html
    assert html.count("<details") == 5, "three labels of tokens, two of pairs"
    shown = re.sub(r"<details.*?</details>", "", html)
    assert "B follows A" not in shown and "B is random" not in shown and "<b>" not in shown


def test_a_strip_has_a_text_for_copies_without_html():
    data = training_strip(BATCH, NAMES)._repr_mimebundle_()
    assert data["text/plain"] == "next_sentence_label = 0, B follows A\n<x> {[MASK] ← river} bank"
    covered = training_strip(BATCH, NAMES, (0, 1), covered=True)._repr_mimebundle_()
    assert covered["text/plain"] == "<x> {[MASK]} bank\n\nbank bank {river} {river}"
