"""Which sentences of a document make its summary, as their number and the blocking change (chapter
10).
"""

import math
from collections.abc import Mapping, Sequence

from minibert.course.figures.moving import Moving, moving


def summary_choice(documents: Mapping[str, Mapping]) -> Moving:
    """The sentences of a document with their scores, the chosen ones marked where they stand, as
    `select_sentences` chooses.

    documents: title -> {"sentences": N texts, "scores": N numbers, -inf where a sentence was not
    read, and, where there are any, "reference": the sentences of a summary that somebody wrote,
    "source": where the text is from}. ROUGE is counted without a stemmer;
    `minibert.summarization.rouge` counts with one.

    Source: Liu 2019, section 3.5; the blocking of trigrams is that of Paulus et al. 2018. Raises a
    ValueError for no document, one without sentences, or scores that are not one number for each
    sentence.
    """
    if not documents:
        raise ValueError(
            "documents is empty; wanted is at least one, as title -> {'sentences': …, 'scores': …}"
        )
    return moving(
        "summary_choice",
        {
            "titles": list(documents),
            "documents": {title: _document(title, **parts) for title, parts in documents.items()},
        },
        label="From scores to a summary",
        alt=(
            "A document, a sentence a line with its score. The three chosen sentences are"
            " highlighted. A sentence that was passed over is underlined, and beside it stands"
            " which three words in a row it repeats. Below, the summary alone, and its overlap with"
            " a reference."
        ),
        try_this=(
            "Ask for more and more sentences, and switch the blocking off and on. Which sentence"
            " comes in for the one that was passed over, and does the overlap rise?"
        ),
    )


def _document(
    title: str,
    sentences: Sequence[str],
    scores: Sequence[float],
    reference: Sequence[str] | None = None,
    source: str = "",
) -> dict:
    if isinstance(sentences, str) or len(sentences) == 0:
        raise ValueError(
            f"documents[{title!r}]['sentences'] is {sentences!r}; wanted is a list of at least one"
            " text"
        )
    values = [float(score) for score in scores]
    if len(values) != len(sentences) or any(
        math.isnan(value) or value == math.inf for value in values
    ):
        raise ValueError(
            f"documents[{title!r}]['scores'] must be one number for each of the {len(sentences)}"
            f" sentences, not {values}"
        )
    return {
        "sentences": list(sentences),
        "scores": [None if value == -math.inf else round(value, 6) for value in values],
        "reference": None if reference is None else list(reference),
        "source": source,
    }
