"""How well a pretrained BERT tells which text follows another, in text that it has never seen."""

from dataclasses import dataclass

import numpy as np
import torch

from minibert.config import InputError
from minibert.data import TokenFile
from minibert.heads import BertForPreTraining
from minibert.model import evaluating
from minibert.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class NSPScores:
    """Shares of pairs of texts that were judged right; a coin gets 0.5 of each."""

    pairs: int  # of each of the three kinds
    following: float  # B follows A: judged to follow
    other_document: float  # B is from another document: judged not to follow
    swapped: float  # B stands before A: judged not to follow

    @property
    def accuracy(self) -> float:
        """Over equally many following and other-document pairs: the task BERT was trained on."""
        return (self.following + self.other_document) / 2

    @property
    def order_accuracy(self) -> float:
        """Over equally many pairs in order and swapped: the topic does not help, only the order."""
        return (self.following + self.swapped) / 2


def evaluate_nsp(
    model: BertForPreTraining,
    corpus: TokenFile,
    length: int,
    tokenizer: WordPieceTokenizer,
    *,
    seed: int,
    pairs: int = 1000,
    batch_size: int = 32,
) -> NSPScores:
    """Judge `pairs` pairs A B that follow each other, A with another document's text, and B with A.

    Every sequence [CLS] first [SEP] second [SEP] has `length` tokens, nothing is masked, and every
    text begins where a sentence begins: a pair from two documents differs from one that follows in
    its content only. Raises an InputError where the corpus has too few such texts.
    """
    drawn = _draw_pairs(corpus, length - 3, seed, pairs)
    kinds = (
        [(a, b) for a, b, _ in drawn],
        [(a, other) for a, _, other in drawn],
        [(b, a) for a, b, _ in drawn],
    )
    following, other_document, swapped = (
        _share_judged_to_follow(model, kind, tokenizer, batch_size) for kind in kinds
    )
    return NSPScores(pairs, following, 1 - other_document, 1 - swapped)


def _draw_pairs(
    corpus: TokenFile, room: int, seed: int, pairs: int
) -> list[tuple[list[int], list[int], list[int]]]:
    """Texts A, B (which follows A), and one as long as B from another document.

    A and B have `room` tokens together.
    """
    draw = np.random.default_rng(seed)
    starts = corpus.sentences[:-1]  # [sentences]
    document = np.searchsorted(corpus.document_bounds(), starts, "right") - 1  # [sentences]
    ends = corpus.document_bounds()[document + 1]  # [sentences], of their documents
    firsts = np.flatnonzero(
        ends - starts >= room
    )  # sentences with enough of their document after them
    if len(np.unique(document[firsts])) < 2:
        raise InputError(
            f"{corpus.path} needs two documents of {room} tokens or more; "
            "random texts come from another document"
        )
    drawn = []
    for first in draw.permutation(firsts):
        start = starts[first]
        cuts = starts[
            first + 1 : np.searchsorted(starts, start + room)
        ]  # sentence starts inside the window
        if not len(cuts):
            continue
        cut = draw.choice(cuts)
        other = draw.choice(firsts)
        while document[other] == document[first]:
            other = draw.choice(firsts)
        texts = (
            (start, cut),
            (cut, start + room),
            (starts[other], starts[other] + start + room - cut),
        )
        drawn.append(tuple(corpus.tokens[begin:end].tolist() for begin, end in texts))
        if len(drawn) == pairs:
            return drawn
    raise InputError(
        f"{corpus.path} has {len(drawn)} pairs of texts with {room} tokens together; "
        f"{pairs} were asked for"
    )


@torch.no_grad()
def _share_judged_to_follow(
    model: BertForPreTraining,
    pairs: list[tuple[list[int], list[int]]],
    tokenizer: WordPieceTokenizer,
    batch_size: int,
) -> float:
    with evaluating(model):
        device, followers = next(model.parameters()).device, 0
        for start in range(0, len(pairs), batch_size):
            some = pairs[start : start + batch_size]
            ids = torch.tensor(
                [
                    [tokenizer.cls_id, *one, tokenizer.sep_id, *two, tokenizer.sep_id]
                    for one, two in some
                ],
                device=device,
            )  # [B, S]
            types = torch.tensor(
                [[0] * (len(one) + 2) + [1] * (len(two) + 1) for one, two in some], device=device
            )  # [B, S]
            logits = model.cls.seq_relationship(
                model.bert(ids, token_type_ids=types).pooler_output
            )  # [B, 2], class 0 = it follows
            followers += int((logits[:, 0] > logits[:, 1]).sum())
    return followers / len(pairs)
