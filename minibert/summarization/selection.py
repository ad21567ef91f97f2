"""From scores to a summary: the best sentences, none that repeats another, in the order in which
the document has them."""

import math
from collections.abc import Sequence
from numbers import Integral

import numpy as np
from torch import Tensor

from minibert.config import InputError
from minibert.summarization.oracle import Ngram, ngrams


def select_sentences(
    scores: Sequence[float] | Tensor | np.ndarray,
    sentences: Sequence[str] | Sequence[Sequence[str]],
    k: int = 3,
    block_trigrams: bool = True,
) -> list[int]:
    """The indices of at most `k` sentences, best scores first chosen, given back in document order.

    `scores` [N] is a tensor, an array or a list, of scores or logits: only their order counts, and
    the earlier sentence wins a tie. `sentences` are texts, or lists of tokens. With
    `block_trigrams` a sentence is passed over that shares three tokens in a row with one already
    chosen (Paulus et al. 2018; Liu 2019, section 3.5); a text counts as split at white space,
    capitals and punctuation as they stand, and one of fewer than three tokens never blocks. There
    can be fewer than k: in a short document, or where everything left repeats.

    Source: the test loop in src/models/trainer.py of nlpyang/BertSum. There the sentences come in
    order of score.

    Padding is never chosen: neither a score beyond the last sentence, nor one of -inf (a masked
    logit), nor a sentence without any text. There may be fewer scores than sentences: when BERT
    read only the beginning of a document, the sentences behind that have no score and cannot be
    chosen.

    Raises a ValueError for k below 1, scores that are not one number per sentence, a score that is
    not a number (NaN) and belongs to a sentence, or sentences in one string.
    """
    if not _is_whole(k) or k < 1:
        raise InputError(f"k is {k!r}; wanted is a number of sentences, 1 or more")
    if isinstance(sentences, str):
        raise InputError(
            f"sentences is one string ({sentences[:40]!r}); wanted is a list of sentences"
        )
    values = _numbers(scores)
    tokens = [sentence.split() if isinstance(sentence, str) else sentence for sentence in sentences]
    candidates = range(min(len(values), len(tokens)))
    if broken := [i for i in candidates if math.isnan(values[i])]:
        raise InputError(
            f"scores[{broken[0]}] is not a number (NaN), as are {len(broken)} of "
            f"{len(candidates)}: the model that made them is broken"
        )

    chosen, taken = list[int](), set[Ngram]()  # taken: trigrams of the chosen sentences
    for i in sorted(
        candidates, key=lambda i: -values[i]
    ):  # a stable sort: the earlier of equals first
        if len(chosen) == k or values[i] == -math.inf:
            break
        trigrams = ngrams(tokens[i], 3)
        if len(tokens[i]) == 0 or (block_trigrams and trigrams & taken):
            continue
        chosen.append(i)
        taken |= trigrams
    return sorted(chosen)


def _is_whole(value: object) -> bool:
    """Whether it is an integer, numpy's included; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _numbers(scores: Sequence[float] | Tensor | np.ndarray) -> list[float]:
    values = scores.tolist() if hasattr(scores, "tolist") else scores
    try:
        return [float(value) for value in values]
    except (TypeError, ValueError):
        shape = f"shape {list(scores.shape)}" if hasattr(scores, "shape") else repr(scores)[:80]
        raise InputError(
            f"scores must be one number for each sentence, shape [N], not {shape}"
        ) from None
