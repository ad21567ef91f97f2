"""Two losses for sentence heads: the original's binary cross-entropy, and a listwise loss."""

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.config import InputError
from minibert.embeddings import check_device
from minibert.heads.base import check_label_shape

# Temperature of the labels in `listwise_loss`: a ROUGE of 0.4 weighs e times as much as 0.3.
TEMPERATURE = 0.1


def sentence_loss(logits: Tensor, labels: Tensor, sentence_mask: Tensor) -> Tensor:
    """Binary cross-entropy summed over the real sentences, as the original program does; a scalar.

    logits and labels [B, N]; a label is 1 for a sentence of the summary, 0 for any other, or a
    number in between; the mask is boolean, of that shape. Raises a ValueError for labels outside
    0 to 1 and for other shapes.
    """
    _check_shapes(logits, labels, sentence_mask)
    logits, labels = (
        logits[sentence_mask],
        labels[sentence_mask].to(logits.dtype),
    )  # [real sentences] each
    wrong = labels[~((labels >= 0) & (labels <= 1))]  # [wrong labels], NaN included
    if wrong.numel():
        raise InputError(f"labels must lie between 0 and 1, but one is {float(wrong[0])}")
    return F.binary_cross_entropy_with_logits(logits, labels, reduction="sum")


def listwise_loss(logits: Tensor, labels: Tensor, sentence_mask: Tensor) -> Tensor:
    """Cross-entropy between two distributions over the sentences of a document, summed over
    documents; a scalar.

        - Σ_n p_n log softmax(logits)_n    with p = softmax(labels / 0.1)

    ListNet with its top-one probabilities (Cao et al. 2007, "Learning to Rank: From Pairwise
    Approach to Listwise Approach", section 4). logits and labels [B, N]; a label says how good the
    sentence would be as a summary, for example its ROUGE F1 (0 to 1), or just 1 or 0. Only the
    comparison of sentences within one document matters. Raises a ValueError for other shapes.
    """
    _check_shapes(logits, labels, sentence_mask)
    lowest = torch.finfo(logits.dtype).min  # not -inf: 0 times that is NaN
    target = (
        (labels.to(logits.dtype) / TEMPERATURE).masked_fill(~sentence_mask, lowest).softmax(dim=-1)
    )  # [B, N]
    predicted = logits.masked_fill(~sentence_mask, lowest).log_softmax(dim=-1)  # [B, N]
    return -(target * predicted).masked_fill(~sentence_mask, 0.0).sum()


def _check_shapes(logits: Tensor, labels: Tensor, sentence_mask: Tensor) -> None:
    check_label_shape("labels", labels, logits.shape)
    check_device(logits.device, labels=labels)
    check_mask(sentence_mask, logits)


def check_mask(sentence_mask: Tensor, values: Tensor) -> None:
    """Raise an InputError unless the mask is boolean, with the shape and the device of the values
    of the sentences.
    """
    if not isinstance(sentence_mask, Tensor):
        raise InputError(f"sentence_mask must be a tensor, not a {type(sentence_mask).__name__}")
    if sentence_mask.shape != values.shape or sentence_mask.dtype != torch.bool:
        raise InputError(
            f"sentence_mask must be boolean with shape {list(values.shape)}, not "
            f"{sentence_mask.dtype} with shape {list(sentence_mask.shape)}"
        )
    check_device(values.device, sentence_mask=sentence_mask)


LOSSES = {"bce": sentence_loss, "listwise": listwise_loss}  # "bce" is the original's
