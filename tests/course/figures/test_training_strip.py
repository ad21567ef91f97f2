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
    html = training_strip(BATCH, NAMES, rows).data
    return re.sub(r"(<[^>]+>|&nbsp;|\s)+", " ", html).split()


def test_a_strip_shows_tokens_labels_and_the_label_of_the_pair():
    assert words(0) == "next_sentence_label = 0 , B follows A &lt;x&gt; [MASK] river bank".split()
    assert (
        words(1) == "next_sentence_label = 1 , B is random bank bank river bank river river".split()
    )


def test_every_real_token_has_a_box_with_the_colours_of_segment_and_label():
    html = training_strip(BATCH, NAMES, (0, 1)).data
    assert html.count("<span") == 7, "padding has none"
    assert html.count("solid #c44e00") == 4
    assert html.count("255,176,0") == 3
