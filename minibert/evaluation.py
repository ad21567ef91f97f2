"""How well a pretrained BERT fills gaps and knows what follows what, on text that it has never seen.

Every share here is of the predictions, never of all positions: a perfect predictor scores 1. All results are means over
single predictions, so they do not depend on the batch size (but for the rounding of the model itself).
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from minibert.data import TokenFile, mask_tokens
from minibert.heads import BertForMaskedLM, BertForPreTraining
from minibert.tokenization import CONTINUATION, WordPieceTokenizer

ALL_MASK = (1.0, 0.0)           # every chosen piece becomes [MASK]
PUBLISHED = (0.8, 0.1)          # 80% [MASK], 10% another piece, 10% unchanged


@dataclass(frozen=True)
class MaskedWordScores:
    """Results over masked pieces."""

    predictions: int            # M, pieces that were to be predicted
    accuracy: float             # share of them whose true piece got the highest score
    top5: float                 # share of them whose true piece is among the five highest
    loss: float                 # mean of -ln p(true piece), nats
    bits_per_word: float        # loss / ln 2 · pieces per word: comparable between vocabularies


@dataclass(frozen=True)
class WholeWordScores:
    """Results over masked words, all pieces of a word hidden at once."""

    words: int
    accuracy: float             # share of the words with every piece right
    bits_per_word: float        # mean over the words of the sum of -log2 p over the word's pieces


@dataclass(frozen=True)
class NextSentenceScores:
    """Shares of pairs of texts that were judged right; a coin gets 0.5 of each."""

    pairs: int                  # of each of the three kinds
    following: float            # B follows A: judged to follow
    other_document: float       # B is from another document: judged not to follow
    swapped: float              # B stands before A: judged not to follow

    @property
    def accuracy(self) -> float:
        """Over as many pairs that follow as pairs from another document: the task that BERT was trained on."""
        return (self.following + self.other_document) / 2

    @property
    def order_accuracy(self) -> float:
        """Over as many pairs in order as swapped ones: topic does not help here, only order does."""
        return (self.following + self.swapped) / 2


# -- rows of text ------------------------------------------------------------------------------------------------------

def text_rows(corpus: TokenFile, length: int, tokenizer: WordPieceTokenizer) -> Tensor:
    """Every token of a corpus once, as rows [CLS] text [SEP] of one document each, padded: [rows, length] int64.

    A row ends before a word that would not fit, so that no word is cut in two.
    """
    if length < 3:
        raise ValueError(f"length must be at least 3 ([CLS], a token, [SEP]), not {length}")
    inside = _continues(tokenizer)[corpus.tokens]                               # [tokens]
    rows, bounds = [], corpus.document_bounds()
    for start, end in zip(bounds[:-1], bounds[1:]):
        while start < end:
            stop = whole = min(start + length - 2, end)
            while stop < end and inside[stop] and stop > start:
                stop -= 1
            stop = stop if stop > start else whole      # a word longer than a row
            row = np.full(length, tokenizer.pad_id)                             # [S]
            row[0], row[stop - start + 1] = tokenizer.cls_id, tokenizer.sep_id
            row[1:stop - start + 1] = corpus.tokens[start:stop]
            rows.append(row)
            start = stop
    return torch.from_numpy(np.stack(rows))                                     # [rows, S]


def pieces_per_word(rows: Tensor, tokenizer: WordPieceTokenizer) -> float:
    """Ordinary pieces in rows [rows, S] by words; a punctuation mark counts as a word, as in the tokenizer."""
    pieces = rows[_ordinary(rows, tokenizer)]                                   # [pieces]
    words = (~torch.from_numpy(_continues(tokenizer))[pieces]).sum()
    return len(pieces) / int(words.clamp(min=1))


# -- masked words ------------------------------------------------------------------------------------------------------

def evaluate_masked_words(model: BertForPreTraining | BertForMaskedLM, rows: Tensor, tokenizer: WordPieceTokenizer, *, seed: int,
                          rate: float = 0.15, replace: tuple[float, float] = ALL_MASK, batch_size: int = 32) -> MaskedWordScores:
    """Hide single pieces of rows [rows, S] and let a model guess them.

    `rate` of the ordinary pieces are predicted; `replace` says which share of those becomes [MASK] and which another piece,
    as in `minibert.data.mask_tokens`. `seed` decides the mask alone.
    """
    corrupted, labels = mask_tokens(
        rows, mask_token_id=tokenizer.mask_id, vocab_size=tokenizer.vocab_size, special_ids=tokenizer.special_ids,
        rate=rate, replace=replace, generator=torch.Generator().manual_seed(seed))
    losses, ranks = _predict(model, corrupted, labels, tokenizer.pad_id, batch_size)        # [M], [M]
    return _masked_word_scores(losses, ranks, pieces_per_word(rows, tokenizer))


def evaluate_whole_words(model: BertForPreTraining | BertForMaskedLM, rows: Tensor, tokenizer: WordPieceTokenizer, *, seed: int,
                         rate: float = 0.15, batch_size: int = 32) -> WholeWordScores:
    """Hide whole words of rows [rows, S], every piece of them, and let a model guess all pieces at once."""
    ordinary = _ordinary(rows, tokenizer)                                                   # [rows, S]
    begins = ordinary & ~torch.from_numpy(_continues(tokenizer))[rows]                      # [rows, S]
    word = begins.flatten().cumsum(0).view_as(rows)                 # [rows, S], numbered through all rows from 1
    chosen = torch.rand(int(word.max()) + 1, generator=torch.Generator().manual_seed(seed)) < rate      # [words + 1]
    hidden = chosen[word] & ordinary                                                        # [rows, S]
    losses, ranks = _predict(model, torch.where(hidden, tokenizer.mask_id, rows), torch.where(hidden, rows, -100),
                             tokenizer.pad_id, batch_size)                                  # [M], [M]
    if not len(losses):
        raise ValueError(f"no word was hidden: rate {rate} of the words in {len(rows)} rows")
    _, group, pieces = word[hidden].unique_consecutive(return_inverse=True, return_counts=True)     # [hidden words], [M], [hidden words]
    right = torch.zeros_like(pieces).index_add_(0, group, (ranks == 0).long())              # [hidden words], pieces right
    return WholeWordScores(len(pieces), float((right == pieces).double().mean()), float(losses.sum()) / len(pieces) / math.log(2))


def unigram_scores(rows: Tensor, tokenizer: WordPieceTokenizer, *, seed: int, rate: float = 0.15) -> MaskedWordScores:
    """The control that knows no context: how often each piece occurs in rows [rows, S], the same guess everywhere.

    It counts the very rows it is asked about, so no other guess without context has a lower expected loss.
    """
    counts = torch.bincount(rows[_ordinary(rows, tokenizer)], minlength=tokenizer.vocab_size).double()      # [V]
    logits = counts.log()                                                                   # [V], -inf where it never occurs
    _, labels = mask_tokens(
        rows, mask_token_id=tokenizer.mask_id, vocab_size=tokenizer.vocab_size, special_ids=tokenizer.special_ids,
        rate=rate, generator=torch.Generator().manual_seed(seed))
    true = labels[labels != -100]                                                           # [M]
    rank = torch.empty(len(counts), dtype=torch.int64)                                      # [V]
    rank[counts.argsort(descending=True, stable=True)] = torch.arange(len(counts))
    return _masked_word_scores(-logits.log_softmax(0)[true], rank[true], pieces_per_word(rows, tokenizer))


@torch.no_grad()
def _predict(model, corrupted: Tensor, labels: Tensor, pad_id: int, batch_size: int) -> tuple[Tensor, Tensor]:
    """Of every labelled position, row by row -> -ln p(label) [M], and how many ids scored at least as high [M].

    A tie counts against the model: one that scores all words alike has found none.
    """
    was_training = model.training
    model.eval()
    device = next(model.parameters()).device
    losses, ranks = [torch.empty(0, dtype=torch.float64)], [torch.empty(0, dtype=torch.int64)]
    for ids, wanted in zip(corrupted.split(batch_size), labels.split(batch_size)):
        ids, wanted = ids.to(device), wanted.to(device)                                     # [B, S], [B, S]
        states = model.bert(ids, attention_mask=ids != pad_id).last_hidden_state            # [B, S, H]
        asked = wanted != -100                                                              # [B, S]
        # the head on the hidden words only: a sixth of the work
        logits = model.cls.predictions(states[asked], model.bert.embeddings.word_embeddings.weight).double()    # [M, V]
        true = logits.gather(1, wanted[asked][:, None])                                     # [M, 1]
        losses.append((logits.logsumexp(1) - true[:, 0]).cpu())
        ranks.append(((logits >= true).sum(1) - 1).cpu())
    model.train(was_training)
    return torch.cat(losses), torch.cat(ranks)


def _masked_word_scores(losses: Tensor, ranks: Tensor, pieces: float) -> MaskedWordScores:
    if not len(losses):
        raise ValueError("nothing was hidden: raise the rate or give more rows")
    loss = float(losses.mean())
    return MaskedWordScores(len(losses), float((ranks == 0).double().mean()), float((ranks < 5).double().mean()), loss, loss / math.log(2) * pieces)


def _ordinary(rows: Tensor, tokenizer: WordPieceTokenizer) -> Tensor:
    return ~torch.isin(rows, torch.tensor(tokenizer.special_ids))                           # [rows, S]


def _continues(tokenizer: WordPieceTokenizer) -> np.ndarray:
    """Which ids are pieces inside a word: [V] boolean."""
    return np.array([token.startswith(CONTINUATION) for token in tokenizer.vocab])


# -- next sentence -----------------------------------------------------------------------------------------------------

def evaluate_next_sentence(model: BertForPreTraining, corpus: TokenFile, length: int, tokenizer: WordPieceTokenizer, *, seed: int,
                           pairs: int = 1000, batch_size: int = 32) -> NextSentenceScores:
    """Judge `pairs` pairs A B of texts that follow each other, A with a text from another document, and B with A.

    Every row [CLS] first [SEP] second [SEP] has `length` tokens, nothing is masked, and every text begins where a sentence
    begins: a pair from two documents looks in no way different from one that follows, but for what it says. Raises a
    ValueError where the corpus has too few such texts.
    """
    drawn = _draw_pairs(corpus, length - 3, seed, pairs)
    kinds = ([(a, b) for a, b, _ in drawn], [(a, other) for a, _, other in drawn], [(b, a) for a, b, _ in drawn])
    following, other_document, swapped = (_share_judged_to_follow(model, kind, tokenizer, batch_size) for kind in kinds)
    return NextSentenceScores(pairs, following, 1 - other_document, 1 - swapped)


def _draw_pairs(corpus: TokenFile, room: int, seed: int, pairs: int) -> list[tuple[list[int], list[int], list[int]]]:
    """Texts A, B (which follows A) and one as long as B from another document; A and B have `room` tokens together."""
    draw = np.random.default_rng(seed)
    starts = corpus.sentences[:-1]                                                          # [sentences]
    document = np.searchsorted(corpus.document_bounds(), starts, "right") - 1               # [sentences]
    ends = corpus.document_bounds()[document + 1]                                           # [sentences], of their documents
    firsts = np.flatnonzero(ends - starts >= room)                  # sentences with enough of their document after them
    if len(np.unique(document[firsts])) < 2:
        raise ValueError(f"{corpus.path} needs two documents of {room} tokens or more; random texts come from another document")
    drawn = []
    for first in draw.permutation(firsts):
        start = starts[first]
        cuts = starts[first + 1:np.searchsorted(starts, start + room)]                      # sentence starts inside the window
        if not len(cuts):
            continue
        cut = draw.choice(cuts)
        other = draw.choice(firsts)
        while document[other] == document[first]:
            other = draw.choice(firsts)
        texts = (start, cut), (cut, start + room), (starts[other], starts[other] + start + room - cut)
        drawn.append(tuple(corpus.tokens[begin:end].tolist() for begin, end in texts))
        if len(drawn) == pairs:
            return drawn
    raise ValueError(f"{corpus.path} has {len(drawn)} pairs of texts with {room} tokens together; wanted were {pairs}")


@torch.no_grad()
def _share_judged_to_follow(model, pairs: list[tuple[list[int], list[int]]], tokenizer: WordPieceTokenizer, batch_size: int) -> float:
    was_training = model.training
    model.eval()
    device, followers = next(model.parameters()).device, 0
    for start in range(0, len(pairs), batch_size):
        some = pairs[start:start + batch_size]
        ids = torch.tensor([[tokenizer.cls_id, *one, tokenizer.sep_id, *two, tokenizer.sep_id] for one, two in some], device=device)     # [B, S]
        types = torch.tensor([[0] * (len(one) + 2) + [1] * (len(two) + 1) for one, two in some], device=device)                           # [B, S]
        logits = model.cls.seq_relationship(model.bert(ids, types).pooler_output)           # [B, 2], class 0 = it follows
        followers += int((logits[:, 0] > logits[:, 1]).sum())
    model.train(was_training)
    return followers / len(pairs)
