"""The model page: the program in the browser computes what the package computes on the same weights, and these are near enough to the shipped ones."""

import base64
import json
import random
import re
import sys
from pathlib import Path

import pytest
import torch
import tomllib
from playwright.sync_api import sync_playwright

from minibert import WordPieceTokenizer, from_pretrained
from minibert.data.sentences import split_sentences
from minibert.hub import SMALL
from minibert.summarization.packaged import open_summarizer
from minibert.summarization.scoring import summarize
from test_book_browser import PHONE, QUIET, overflow
from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import minibert_model  # noqa: E402

STATIC = ROOT / "book" / "_static" / "model"
FERRY = (ROOT / "tests" / "documents" / "ferry.txt").read_text(encoding="utf-8")


def test_a_row_is_whole_numbers_and_one_scale():
    weight = torch.tensor([[1.0, -4.0, 0.5], [0.0, 0.0, 0.0], [-0.3, 0.2, 0.1]])
    scale, numbers, bits = minibert_model.quantise("bert.encoder.layer.3.output.dense.weight", weight)
    assert bits == 8 and scale.tolist() == pytest.approx([4 / 127, 1, 0.3 / 127])
    assert numbers.tolist() == [[32, -127, 16], [0, 0, 0], [-127, 85, 42]]
