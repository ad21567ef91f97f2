"""How well a pretrained BERT predicts masked words in text that it has never seen.

Every share here is of the predictions, never of all positions: a perfect predictor scores 1. All
results are means over single predictions, so they do not depend on the batch size, apart from
rounding in the model itself.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from minibert.config import IGNORE, InputError
from minibert.data import TokenFile, mask_tokens
from minibert.data.masking import ALL_MASK
from minibert.heads import BertForMaskedLM, BertForPreTraining
from minibert.model import evaluating
from minibert.tokenization import CONTINUATION, WordPieceTokenizer


@dataclass(frozen=True)
class MLMScores:
    """Results over masked pieces."""

    predictions: int  # M, pieces that were to be predicted
    accuracy: float  # share of them whose true piece got the highest score
    top5: float  # share of them whose true piece is among the five highest
    loss: float  # mean of -ln p(true piece), nats
    bits_per_word: float  # loss / ln 2 · pieces per word: comparable between vocabularies


@dataclass(frozen=True)
class WholeWordScores:
    """Results over masked words, all pieces of a word hidden at once."""

    words: int
    accuracy: float  # share of the words with every piece right
    bits_per_word: float  # mean over the words of the sum of -log2 p over the word's pieces


def text_sequences(corpus: TokenFile, length: int, tokenizer: WordPieceTokenizer) -> Tensor:
    """Every token of a corpus once, in padded sequences [CLS] text [SEP]: [sequences, S] int64.

    A sequence of S = `length` holds text of one document. It ends before a word that would not fit,
    so that no word is cut in two.
    """
    if length < 3:
        raise InputError(f"length must be at least 3 ([CLS], a token, [SEP]), not {length}")
    inside = _continues(tokenizer)[corpus.tokens]  # [tokens]
    sequences, bounds = [], corpus.document_bounds()
    for start, end in pairwise(bounds):
        while start < end:
            stop = whole = min(start + length - 2, end)
            while stop < end and inside[stop] and stop > start:
                stop -= 1
            stop = stop if stop > start else whole  # a word longer than a sequence
            row = np.full(length, tokenizer.pad_id)  # [S]
            row[0], row[stop - start + 1] = tokenizer.cls_id, tokenizer.sep_id
            row[1 : stop - start + 1] = corpus.tokens[start:stop]
            sequences.append(row)
            start = stop
    return torch.from_numpy(np.stack(sequences))  # [sequences, S]


def pieces_per_word(sequences: Tensor, tokenizer: WordPieceTokenizer) -> float:
    """Ordinary pieces per word in sequences [sequences, S]; a punctuation mark counts as a word."""
    pieces = sequences[_ordinary(sequences, tokenizer)]  # [pieces]
    words = (~torch.from_numpy(_continues(tokenizer))[pieces]).sum()
    return len(pieces) / int(words.clamp(min=1))


def evaluate_mlm(
    model: BertForPreTraining | BertForMaskedLM,
    sequences: Tensor,
    tokenizer: WordPieceTokenizer,
    *,
    seed: int,
    rate: float = 0.15,
    replace: tuple[float, float] = ALL_MASK,
    batch_size: int = 32,
) -> MLMScores:
    """Mask single pieces of sequences [sequences, S] and let a model guess them.

    `rate` of the ordinary pieces are predicted. Of those, `replace` gives the shares that become
    [MASK] and another piece, as in `minibert.data.mask_tokens`. `seed` decides the mask alone.
    """
    corrupted, labels = mask_tokens(
        sequences,
        mask_token_id=tokenizer.mask_id,
        vocab_size=tokenizer.vocab_size,
        special_ids=tokenizer.special_ids,
        rate=rate,
        replace=replace,
        generator=torch.Generator().manual_seed(seed),
    )
    losses, ranks = _predict(model, corrupted, labels, tokenizer.pad_id, batch_size)  # [M], [M]
    return _masked_word_scores(losses, ranks, pieces_per_word(sequences, tokenizer))


def evaluate_whole_words(
    model: BertForPreTraining | BertForMaskedLM,
    sequences: Tensor,
    tokenizer: WordPieceTokenizer,
    *,
    seed: int,
    rate: float = 0.15,
    batch_size: int = 32,
) -> WholeWordScores:
    """Mask whole words of sequences [sequences, S]; a model guesses all their pieces at once."""
    ordinary = _ordinary(sequences, tokenizer)  # [sequences, S]
    begins = ordinary & ~torch.from_numpy(_continues(tokenizer))[sequences]  # [sequences, S]
    word = (
        begins.flatten().cumsum(0).view_as(sequences)
    )  # [sequences, S], numbered through all sequences from 1
    chosen = (
        torch.rand(int(word.max()) + 1, generator=torch.Generator().manual_seed(seed)) < rate
    )  # [words + 1]
    hidden = chosen[word] & ordinary  # [sequences, S]
    losses, ranks = _predict(
        model,
        torch.where(hidden, tokenizer.mask_id, sequences),
        torch.where(hidden, sequences, IGNORE),
        tokenizer.pad_id,
        batch_size,
    )  # [M], [M]
    if not len(losses):
        raise InputError(
            f"no word was masked: rate {rate} of the words in {len(sequences)} sequences"
        )
    _, group, pieces = word[hidden].unique_consecutive(
        return_inverse=True, return_counts=True
    )  # [hidden words], [M], [hidden words]
    right = torch.zeros_like(pieces).index_add_(
        0, group, (ranks == 0).long()
    )  # [hidden words], pieces right
    return WholeWordScores(
        len(pieces),
        float((right == pieces).double().mean()),
        float(losses.sum()) / len(pieces) / math.log(2),
    )


def unigram_scores(
    sequences: Tensor, tokenizer: WordPieceTokenizer, *, seed: int, rate: float = 0.15
) -> MLMScores:
    """The control without context: it guesses by the frequency of each piece in the sequences.

    It counts the very sequences [sequences, S] that it is asked about, so no other guess without
    context has a lower expected loss.
    """
    counts = torch.bincount(
        sequences[_ordinary(sequences, tokenizer)], minlength=tokenizer.vocab_size
    ).double()  # [V]
    logits = counts.log()  # [V], -inf where it never occurs
    _, labels = mask_tokens(
        sequences,
        mask_token_id=tokenizer.mask_id,
        vocab_size=tokenizer.vocab_size,
        special_ids=tokenizer.special_ids,
        rate=rate,
        generator=torch.Generator().manual_seed(seed),
    )
    true = labels[labels != IGNORE]  # [M]
    rank = torch.empty(len(counts), dtype=torch.int64)  # [V]
    rank[counts.argsort(descending=True, stable=True)] = torch.arange(len(counts))
    return _masked_word_scores(
        -logits.log_softmax(0)[true], rank[true], pieces_per_word(sequences, tokenizer)
    )


@torch.no_grad()
def _predict(
    model: BertForPreTraining | BertForMaskedLM,
    corrupted: Tensor,
    labels: Tensor,
    pad_id: int,
    batch_size: int,
) -> tuple[Tensor, Tensor]:
    """Of every labelled position, in order: -ln p(label) (M), and the rank of the label (M).

    The rank is the number of other ids that scored at least as high.

    A tie counts against the model: one that scores all ids alike has none right.
    """
    with evaluating(model):
        device = next(model.parameters()).device
        losses, ranks = [torch.empty(0, dtype=torch.float64)], [torch.empty(0, dtype=torch.int64)]
        for some in zip(corrupted.split(batch_size), labels.split(batch_size), strict=True):
            ids, true_ids = some[0].to(device), some[1].to(device)  # [B, S], [B, S]
            states = model.bert(ids, attention_mask=ids != pad_id).last_hidden_state  # [B, S, H]
            asked = true_ids != IGNORE  # [B, S]
            # the head on the hidden words only: a sixth of the work
            logits = model.cls.predictions(
                states[asked], model.bert.embeddings.word_embeddings.weight
            ).double()  # [M, V]
            true = logits.gather(1, true_ids[asked][:, None])  # [M, 1]
            losses.append((logits.logsumexp(1) - true[:, 0]).cpu())
            ranks.append(((logits >= true).sum(1) - 1).cpu())
    return torch.cat(losses), torch.cat(ranks)


def _masked_word_scores(losses: Tensor, ranks: Tensor, pieces: float) -> MLMScores:
    if not len(losses):
        raise InputError("nothing was masked: raise the rate or give more sequences")
    loss = float(losses.mean())
    return MLMScores(
        len(losses),
        float((ranks == 0).double().mean()),
        float((ranks < 5).double().mean()),
        loss,
        loss / math.log(2) * pieces,
    )


def _ordinary(sequences: Tensor, tokenizer: WordPieceTokenizer) -> Tensor:
    return ~torch.isin(sequences, torch.tensor(tokenizer.special_ids))  # [sequences, S]


def _continues(tokenizer: WordPieceTokenizer) -> np.ndarray:
    """Which ids are pieces inside a word: [V] boolean."""
    return np.array([token.startswith(CONTINUATION) for token in tokenizer.vocab])
