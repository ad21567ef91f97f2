"""ROUGE (Lin 2004): overlap of a summary with a reference in words, word pairs and common
subsequences.

The package rouge-score, the usual re-implementation of the original Perl script, does the counting.
All values are F1 in percent with Porter's stemmer ('running' counts as 'run'), as in papers. Text
is lowercased and only a-z and 0-9 count, so text in another script scores 0.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from minibert.config import InputError, check_size

MEASURES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
INSTALL = "pip install rouge-score"


def rouge_scores(summary: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """Score one summary: F1 in percent for the keys "rouge1", "rouge2", "rougeL", "rougeLsum".

    `summary` is a list of sentences, and so is each of the `references`. With several references,
    all four values are for the reference with the best ROUGE-1 (the first wins a tie), as is usual
    for SciTLDR.

    Two measures are called ROUGE-L. "rougeL" uses the longest common subsequence of the two whole
    texts; use it if summaries are one sentence (SciTLDR), where both measures agree. "rougeLsum"
    takes the union of the common subsequences sentence by sentence. It is the ROUGE-L of the papers
    on CNN/DailyMail, BertSum's included, because they give the original script one sentence per
    line. For three sentences rougeL is about nine points lower, so always report which one it is.

    An empty summary scores 0. Raises a ValueError if a string is passed for a list of sentences, if
    there is no reference, or if rouge-score is not installed.
    """
    if isinstance(references, str) or len(references) == 0:
        raise InputError(
            f"references is {references!r}; expected a list of at least one reference, each a "
            "list of sentences"
        )
    text = _lines("summary", summary)
    found = [
        _scorer().score(_lines(f"references[{i}]", reference), text)
        for i, reference in enumerate(references)
    ]
    best = max(found, key=lambda scores: scores["rouge1"].fmeasure)
    return {measure: 100 * float(best[measure].fmeasure) for measure in MEASURES}


def mean_rouge(
    summaries: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]
) -> dict[str, float]:
    """Return the means of `rouge_scores` over documents, in percent; `references[i]` is the list
    of references for `summaries[i]`."""
    if len(summaries) != len(references) or len(summaries) == 0:
        raise InputError(
            f"{len(summaries)} summaries and references for {len(references)}; expected the same "
            "number of both, at least one"
        )
    rows = [
        rouge_scores(summary, of_document)
        for summary, of_document in zip(summaries, references, strict=True)
    ]
    return {measure: sum(row[measure] for row in rows) / len(rows) for measure in MEASURES}


def bootstrap_band(
    values: Sequence[float], seed: int = 0, resamples: int = 2000
) -> tuple[float, float]:
    """Return a 95% bootstrap confidence interval of the mean of `values`: (low, high).

    It is the central 95% of the means of `resamples` samples drawn with replacement. It estimates
    how much the mean varies with the choice of documents, but not with the training seed. To
    compare two systems, pass their differences per document, because the interval of the
    differences is much narrower than those of the two means.
    """
    check_size("resamples", resamples)
    array = np.asarray(values, dtype=np.float64)  # [documents]
    if array.ndim != 1 or len(array) == 0:
        raise InputError(
            "values must be a list of numbers, one per document, not an array of shape "
            f"{list(array.shape)}"
        )
    drawn = np.random.default_rng(seed).integers(
        len(array), size=(resamples, len(array))
    )  # [resamples, documents]
    low, high = np.quantile(array[drawn].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


@cache
def _scorer() -> Any:
    """Return the scorer of rouge-score, created once; the import is here because it is slow."""
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise InputError(
            f"ROUGE needs the package rouge-score, which is not installed: {INSTALL}"
        ) from error
    return RougeScorer(list(MEASURES), use_stemmer=True)


def _lines(name: str, sentences: Sequence[str]) -> str:
    """Join the sentences with line breaks, as rouge-score expects."""
    if isinstance(sentences, str):
        raise InputError(f"{name} is one string ({sentences[:40]!r}); expected a list of sentences")
    return "\n".join(" ".join(sentence.split()) for sentence in sentences)
