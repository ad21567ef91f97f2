"""Probes of BertSum: document encoding, summarization heads, oracle and sentence selection."""

import torch
from torch import Tensor, nn

from minibert.course.clinic.probes.base import probe
from minibert.course.clinic.probes.models import vocabulary
from minibert.summarization import (
    InterSentenceEncoder,
    SentenceRNN,
    encode_document,
    greedy_oracle,
    select_sentences,
)

H = 24


def _sentences() -> tuple[Tensor, Tensor]:
    """Four sentence vectors [B, N, H], the last one padding, and their mask [B, N]."""
    vectors = torch.randn(1, 4, H)  # [B, N, H]
    return vectors, torch.tensor([[True, True, True, False]])


@probe()
def norms_and_idle_parameters() -> tuple[int, int]:
    """How many norms has the inter-sentence encoder of two layers, and how many of its parameters
    get no gradient?
    """
    head = InterSentenceEncoder(H, 40, 4, 2)
    head.logits(*_sentences()).sum().backward()
    return sum(isinstance(module, nn.LayerNorm) for module in head.modules()), sum(
        parameter.grad is None for parameter in head.parameters()
    )


@probe()
@torch.no_grad()
def sentences_apart() -> float:
    """How far apart are what the LSTM says of the first sentence and of the second?"""
    said = SentenceRNN(H).eval().recurrent(*_sentences())  # [B, N, H]
    return (said[0, 0] - said[0, 1]).norm().item()


@probe()
@torch.no_grad()
def score_of_padding() -> float:
    """What score does a sentence get that is padding?"""
    return InterSentenceEncoder(H, 40, 4, 2).eval()(*_sentences())[0, -1].item()


@probe()
def cls_and_segments() -> tuple[int, str]:
    """How many [CLS] has a document of three sentences, and what are its segments?"""
    tokenizer = vocabulary()
    document = encode_document(["w5 w6", "w7", "w8 w9"], tokenizer)
    return document.input_ids.count(tokenizer.cls_id), "".join(map(str, document.token_type_ids))


@probe()
def oracle_and_choice() -> tuple[str, str]:
    """Which sentences does the oracle label, and which two are chosen where the best two say nearly
    the same?
    """
    document = [
        "protector likes townhalls",
        "nobody spoke for an hour",
        "dikes shall be built soon",
    ]
    labelled = greedy_oracle(
        [sentence.split() for sentence in document],
        [["dikes", "shall", "protect", "the", "town"]],
        1,
    )
    chosen = select_sentences(
        [0.9, 0.8, 0.7],
        ["the river rose by two metres", "the river rose by three metres", "nobody was hurt"],
        k=2,
    )
    return " ".join(map(str, labelled)), " ".join(map(str, chosen))
