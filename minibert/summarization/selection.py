"""Select the best-scored sentences, without repetition and in document order."""

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
    """Choose at most `k` sentences by descending score; return their indices in document order.

    `scores` [N] is a tensor, an array or a list of scores or logits: only their order matters, and
    the earlier sentence wins a tie. `sentences` are strings or lists of tokens. With
    `block_trigrams`, a sentence is skipped if it shares three consecutive tokens with a sentence
    already chosen (Paulus et al. 2018; Liu 2019, section 3.5). A string is split at white space
    with case and punctuation kept, and a sentence of fewer than three tokens never blocks. The
    result has fewer than `k` sentences if the document is short or all the rest repeats.

    Source: the test loop in src/models/trainer.py of nlpyang/BertSum, which returns the sentences
    in order of score.

    Padding is never chosen: scores beyond the last sentence, scores of -inf (masked logits) and
    empty sentences are skipped. There may be fewer scores than sentences: if BERT read only the
    beginning of a document, the sentences after that have no score and cannot be chosen.

    Raises a ValueError if `k` is below 1, if the scores are not one number per sentence, if the
    score of a sentence is NaN, or if `sentences` is one string.
    """
    if not _is_whole(k) or k < 1:
        raise InputError(f"k is {k!r}; expected a number of sentences, 1 or more")
    if isinstance(sentences, str):
        raise InputError(
            f"sentences is one string ({sentences[:40]!r}); expected a list of sentences"
        )
    values = _numbers(scores)
    tokens = [sentence.split() if isinstance(sentence, str) else sentence for sentence in sentences]
    candidates = range(min(len(values), len(tokens)))
    if broken := [i for i in candidates if math.isnan(values[i])]:
        raise InputError(
            f"scores[{broken[0]}] is NaN ({len(broken)} of {len(candidates)} scores are): the "
            "model that computed them is broken"
        )

    chosen, taken = list[int](), set[Ngram]()  # taken: trigrams of the chosen sentences
    for i in sorted(
        candidates, key=lambda i: -values[i]
    ):  # a stable sort: the earlier sentence wins a tie
        if len(chosen) == k or values[i] == -math.inf:
            break
        trigrams = ngrams(tokens[i], 3)
        if len(tokens[i]) == 0 or (block_trigrams and trigrams & taken):
            continue
        chosen.append(i)
        taken |= trigrams
    return sorted(chosen)


def _is_whole(value: object) -> bool:
    """Whether `value` is an integer (numpy's included) and not a bool."""
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
