"""ROUGE: how much of a person's summary is in ours, counted in words, word pairs and common
subsequences (Lin 2004).

The counting is done by the package rouge-score, the usual re-implementation of the original Perl
script. Everything here is F1 with Porter's stemmer ('running' counts as 'run'), in percent, as
papers print it. Letters are made small; only a-z and 0-9 count, so that text in another script
scores 0 against anything.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from minibert.config import InputError

MEASURES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
INSTALL = "pip install rouge-score"


def rouge_scores(summary: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """F1 in percent of one summary: {"rouge1", "rouge2", "rougeL", "rougeLsum"}.

    `summary` is a list of sentences, and so is each of the `references`; where there are several,
    all four values are those against the reference with the best ROUGE-1 (the first of equals), as
    SciTLDR is scored.

    Two measures are called ROUGE-L. "rougeL" takes the longest common subsequence of the two texts
    as wholes: use it where a summary is one sentence (SciTLDR); there both are the same.
    "rougeLsum" goes sentence by sentence and unites what is found for each: this is the ROUGE-L of
    the summarization papers on CNN/DailyMail, BertSum's included, whose original script is given a
    sentence a line. For three sentences rougeL is some nine points lower: a number called ROUGE-L
    needs to say which.

    An empty summary scores 0. Raises a ValueError where a string stands for a list of sentences,
    where there is no reference, and where rouge-score is not installed.
    """
    if isinstance(references, str) or len(references) == 0:
        raise InputError(
            f"references is {references!r}; wanted is a list of at least one reference, each a "
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
    """The means of `rouge_scores` over documents, in percent; `references[i]` is the list of
    references of `summaries[i]`."""
    if len(summaries) != len(references) or len(summaries) == 0:
        raise InputError(
            f"{len(summaries)} summaries and references for {len(references)}; wanted are as "
            "many of both, at least one"
        )
    rows = [
        rouge_scores(summary, of_document)
        for summary, of_document in zip(summaries, references, strict=True)
    ]
    return {measure: sum(row[measure] for row in rows) / len(rows) for measure in MEASURES}


def bootstrap_band(
    values: Sequence[float], seed: int = 0, resamples: int = 2000
) -> tuple[float, float]:
    """The 95% band of a mean: where the means of 95% of `resamples` samples lie, drawn with
    replacement from `values`.

    It says how far another sample of as many documents might move the mean, whatever the seed of a
    model. To compare two systems, give it the differences, document by document: their band is much
    narrower than those of the two means.
    """
    array = np.asarray(values, dtype=np.float64)  # [documents]
    if array.ndim != 1 or len(array) == 0:
        raise InputError(
            "values must be a list of numbers, one for each document, not of shape "
            f"{list(array.shape)}"
        )
    drawn = np.random.default_rng(seed).integers(
        len(array), size=(resamples, len(array))
    )  # [resamples, documents]
    low, high = np.quantile(array[drawn].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


@cache
def _scorer() -> Any:
    """The scorer of rouge-score, made once; importing it takes a second, so that is done here."""
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise InputError(
            f"ROUGE is counted by the package rouge-score, which is not installed: {INSTALL}"
        ) from error
    return RougeScorer(list(MEASURES), use_stemmer=True)


def _lines(name: str, sentences: Sequence[str]) -> str:
    """A sentence a line, which is how rouge-score is told where sentences end."""
    if isinstance(sentences, str):
        raise InputError(
            f"{name} is one string ({sentences[:40]!r}); wanted is a list of sentences"
        )
    return "\n".join(" ".join(sentence.split()) for sentence in sentences)
