"""The validation of a run: what it adds up, and by which name."""

import math
from dataclasses import make_dataclass

import pytest
import torch
from tiny_run import CONFIG, TOKENIZER, write_corpus
from torch import nn

from minibert import BertForPreTraining
from minibert.pretraining.fused import SUMS, FusedPreTraining
from minibert.pretraining.validation import ValidationSet


@pytest.fixture(scope="module")
def validation(tmp_path_factory) -> ValidationSet:
    corpus = write_corpus(tmp_path_factory.mktemp("corpus") / "text.tokens")
    return ValidationSet(corpus, corpus, TOKENIZER, 16, 150)


class Recorded(nn.Module):
    """A forward pass with known sums, whose result has its fields in another order."""

    def __init__(self, known: dict[str, float]):
        super().__init__()
        self.anything = nn.Parameter(torch.zeros(()))
        backwards = make_dataclass("Backwards", list(reversed(known)))
        self.sums = backwards(**{name: torch.tensor(value) for name, value in known.items()})

    def forward(self, **batch):
        return self.sums


def test_sums_are_found_by_name(validation):
    known = dict(zip(SUMS, (60.0, 20.0, 5.0, 9.0, 10.0, 7.0), strict=True))
    scores = validation.evaluate(Recorded(known))
    assert (scores.mlm_loss, scores.mlm_accuracy) == (3.0, 0.25)
    assert (scores.nsp_loss, scores.nsp_accuracy) == (0.9, 0.7)
    assert scores.bits_per_word == pytest.approx(3.0 / math.log(2) * validation.pieces_per_word)


def test_the_scores_depend_on_no_seed_and_leave_the_mode_as_it_was(validation):
    torch.manual_seed(0)
    forward = FusedPreTraining(BertForPreTraining(CONFIG)).train()
    first = validation.evaluate(forward)
    torch.manual_seed(1)
    assert validation.evaluate(forward) == first and forward.training
