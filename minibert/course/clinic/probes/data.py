"""Probes of the pretraining data: masking, sentence pairs and their labels."""

import random

import torch
from torch import Tensor

from minibert.course.clinic.probes.base import probe, with_patience
from minibert.course.clinic.probes.models import corpus
from minibert.data import (
    PairSequences,
    create_instances_from_document,
    create_masked_lm_predictions,
    mask_tokens,
)

PAD, CLS, SEP, MASK, SPECIAL, V = 0, 2, 3, 4, range(5), 61


def _masked(rows: int = 2000) -> tuple[Tensor, Tensor, Tensor]:
    """Random words between [CLS] and [SEP], the same after masking, and the labels: 3 · [B, S]."""
    draw = torch.Generator().manual_seed(0)
    text = torch.randint(5, V, (rows, 32), generator=draw)  # [B, S]
    text[:, 0], text[:, -1] = CLS, SEP
    return text, *mask_tokens(
        text, mask_token_id=MASK, vocab_size=V, special_ids=SPECIAL, generator=draw
    )


@probe(tolerance=0.01)
def share_that_is_predicted() -> float:
    """Which share of the ordinary words has a label?"""
    return (_masked()[2][:, 1:-1] != -100).double().mean().item()


@probe()
def labels_at_special_tokens() -> float:
    """Which share of [CLS] and [SEP] has a label?"""
    return (_masked()[2][:, [0, -1]] != -100).double().mean().item()


@probe(tolerance=0.006)
def what_hidden_words_become() -> tuple[float, float, float]:
    """Which shares of the words to be predicted become [MASK], become another, stay?"""
    text, seen, labels = _masked(20_000)
    chosen, masked, stays = (labels != -100) & (text >= 5), seen == MASK, seen == text
    return tuple(
        (kind & chosen).sum().item() / chosen.sum().item()
        for kind in (masked, ~masked & ~stays, stays)
    )


@probe(tolerance=0.02)
def masked_share_from_row_to_row() -> float:
    """How much does the share of [MASK] among a row's hidden words vary from row to row, as a
    standard deviation?
    """
    text, seen, labels = _masked()
    chosen = (labels != -100) & (text >= 5)  # [B, S]
    count = chosen.sum(1)  # [B]
    return ((seen == MASK) & chosen).sum(1)[count > 0].div(count[count > 0]).std().item()


@probe()
def special_replacements() -> float:
    """Which share of the words that are put in place of hidden ones are special tokens?"""
    text, seen, labels = _masked()
    replaced = seen[(labels != -100) & (text >= 5) & (seen != MASK) & (seen != text)]  # [replaced]
    return (replaced < 5).double().mean().item()


def _documents(count: int, longest: int) -> list[list[list[str]]]:
    """Documents of eight sentences, in which every token names its document."""
    draw = random.Random(1)
    return [
        [[f"of{number}"] * draw.randint(1, longest) for _ in range(8)] for number in range(count)
    ]


def _instances(documents: list[list[list[str]]], most: int = 24):
    """Pretraining instances of at most `most` tokens, from 20 passes over each document."""
    draw = random.Random(2)
    return [
        instance
        for index in range(len(documents))
        for _ in range(20)
        for instance in create_instances_from_document(
            documents,
            index,
            max_seq_length=most,
            short_seq_prob=0.1,
            masked_lm_prob=0.0,
            max_predictions_per_seq=1,
            vocab_words=["word"],
            rng=draw,
        )
    ]


@probe()
def random_next_from_own_document() -> float:
    """Which share of the pairs labelled random take both texts from one document?"""
    own = []
    for instance in _instances(_documents(4, 6)):
        middle = instance.tokens.index("[SEP]")
        first, second = (
            {token for token in part if token.startswith("of")}
            for part in (instance.tokens[:middle], instance.tokens[middle:])
        )
        if instance.is_random_next and first and second:
            own.append(first == second)
    return sum(own) / len(own)


@probe()
def one_document_alone() -> int:
    """How many pairs labelled random are made of a corpus that is one document?"""
    return sum(instance.is_random_next for instance in _instances(_documents(1, 6)))


@probe()
def longest_instance() -> int:
    """How many tokens has the longest pair where 24 were asked for?"""
    return max(len(instance.tokens) for instance in _instances(_documents(4, 30)))


@probe()
def tokens_in_the_wrong_segment() -> float:
    """Which share of the tokens is of segment 0 after the first [SEP], or of segment 1 up to it?"""
    wrong = [
        segment != (place > instance.tokens.index("[SEP]"))
        for instance in _instances(_documents(4, 6))
        for place, segment in enumerate(instance.segment_ids)
    ]
    return sum(wrong) / len(wrong)


@probe(tolerance=0.1)
def piece_after_sep_hidden_alone() -> float:
    """[CLS] play ##ing [SEP] ##s dog [SEP], whole words, room for one: how often is it ##s?"""
    tokens, draw = ["[CLS]", "play", "##ing", "[SEP]", "##s", "dog", "[SEP]"], random.Random(3)
    chosen = [
        create_masked_lm_predictions(
            tokens,
            masked_lm_prob=0.1,
            max_predictions_per_seq=1,
            vocab_words=["word"],
            rng=draw,
            whole_word_mask=True,
        )[1]
        for _ in range(400)
    ]
    return sum(positions == [4] for positions in chosen) / len(chosen)


@probe()
def odd_batch() -> int:
    """How many pairs come when seven are asked for?"""
    rows = PairSequences(corpus(9), 32, CLS, SEP, PAD)
    return len(with_patience(lambda: rows.batch(0, 7))["next_sentence_label"])


@probe()
def label_of_pairs_that_follow() -> float:
    """What is the mean label of pairs whose second text goes on where the first ends?"""
    batch = PairSequences(corpus(9), 32, CLS, SEP, PAD).batch(0, 400)
    labels = []
    for ids, label in zip(batch["input_ids"].tolist(), batch["next_sentence_label"].tolist()):
        middle = ids.index(SEP)
        if ids[middle + 1] == ids[middle - 1] + 1:
            labels.append(label)
    return sum(labels) / len(labels)


@probe(tolerance=0.05)
def random_share_of_long_sentences() -> float:
    """Which share of the pairs is labelled random where a sentence is longer than a row?"""
    return (
        PairSequences(corpus(60), 32, CLS, SEP, PAD)
        .batch(0, 1000)["next_sentence_label"]
        .double()
        .mean()
        .item()
    )
