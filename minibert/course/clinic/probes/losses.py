"""Probes of the losses: which positions count, and what the sum is divided by."""

import math

import torch

from minibert.course.clinic.probes.base import probe
from minibert.course.clinic.probes.models import WORDS, tiny
from minibert.heads import (
    BertForMaskedLM,
    BertForNextSentencePrediction,
    BertForPreTraining,
    class_loss,
)

LABELS = torch.tensor(
    [[-100, 6, -100, -100, 9, -100, -100]]
)  # [1, S]: two of seven words are labelled


@probe()
@torch.no_grad()
def loss_when_fresh() -> float:
    """How large is the loss of masked words in a fresh model, in units of ln V? It should be 1."""
    model = BertForMaskedLM(tiny(initializer_range=0.02)).eval()
    return model(WORDS, labels=LABELS).loss.item() / math.log(61)


@probe()
@torch.no_grad()
def loss_when_sure_and_right() -> float:
    """How large is the MLM loss of a model that gives the right word a probability of 1?"""
    model = BertForMaskedLM(tiny()).eval()
    model.cls.predictions.bias[9] = 1000.0
    return model(WORDS, labels=torch.where(LABELS == -100, -100, 9)).loss.item()


@probe()
def loss_by_hand() -> float:
    """What is the loss of scores (2, 0), (0, 1), (4, 0), of which the first two have the label 1?
    By hand it is 1.220.
    """
    return class_loss(
        torch.tensor([[2.0, 0.0], [0.0, 1.0], [4.0, 0.0]]), torch.tensor([1, 1, -100])
    ).item()


@probe()
def loss_with_more_padding() -> float:
    """By which factor does the loss change when ten positions without a label are appended? It
    should be 1.
    """
    scores = torch.linspace(-2, 2, 5 * 61).sin().view(5, 61)  # [S, V]
    labels = torch.tensor([3, 50, 7, -100, -100])  # [S]
    longer = (
        torch.cat([scores, torch.zeros(10, 61)]),
        torch.cat([labels, torch.full((10,), -100)]),
    )  # [S + 10, V], [S + 10]
    return (class_loss(*longer) / class_loss(scores, labels)).item()


@probe()
def loss_of_class_0() -> float:
    """How large is the loss of a batch whose pairs all follow each other, where the model finds
    both answers as likely?
    """
    return class_loss(torch.zeros(4, 2), torch.zeros(4, dtype=torch.long)).item()


@probe()
@torch.no_grad()
def both_pair_scores_higher() -> float:
    """By how much does the next-sentence loss change when both scores of every pair grow by 3? It
    should not at all.
    """
    model = BertForNextSentencePrediction(tiny()).eval()
    before = model(WORDS, labels=torch.tensor([0])).loss
    model.cls.seq_relationship.bias += 3
    return (model(WORDS, labels=torch.tensor([0])).loss - before).abs().item()


@probe()
@torch.no_grad()
def word_scores_of_a_place() -> float:
    """What do the scores of all words at one place add up to, in units of their number?"""
    return BertForPreTraining(tiny()).eval()(WORDS).prediction_logits[0, 0].sum().item() / 61
