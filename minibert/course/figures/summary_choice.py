"""An interactive figure of sentence selection for extractive summaries (chapter 10)."""

import math
from collections.abc import Mapping, Sequence

from minibert.course.figures.moving import Moving, moving
from minibert.summarization import select_sentences


def summary_choice(documents: Mapping[str, Mapping]) -> Moving:
    """Returns a figure that marks the sentences of a document that `select_sentences` chooses
    without and with trigram blocking, for a summary length that the reader sets.

    documents: title -> {"sentences": N texts, "scores": N numbers, -inf for a sentence that was
    truncated away; optionally "reference": the sentences of a reference summary, and "source": the
    origin of the text}. The figure computes ROUGE without a stemmer, whereas
    `minibert.summarization.rouge` uses one.

    Sources: Liu 2019, section 3.5; trigram blocking is from Paulus et al. 2018. Raises ValueError
    if there are no documents, if one has no sentences, or if the scores are not one number per
    sentence.
    """
    if not documents:
        raise ValueError(
            "documents is empty; expected at least one, as title -> {'sentences': …, 'scores': …}"
        )
    shown = {title: _document(title, **parts) for title, parts in documents.items()}
    return moving(
        "summary_choice",
        {"titles": list(documents), "documents": shown},
        needs=["stage.js"],
        label=_finding(*(next(iter(documents.values()))[part] for part in ("scores", "sentences"))),
        alt=(
            "A document, a sentence a line with its score, and two columns of marks: chosen without"
            " trigram blocking, and with it. Lines in which the columns differ are marked. Under a"
            " sentence that is passed over it says which three words in a row it repeats."
        ),
        try_this="Ask for more sentences. Which ones does blocking replace, and does ROUGE-1 rise?",
    )


def _finding(scores: Sequence[float], sentences: Sequence[str]) -> str:
    """What trigram blocking changes in a summary of three sentences."""
    blocked, free = (
        select_sentences(scores, sentences, 3, block_trigrams=block) for block in (True, False)
    )
    names = [
        " and ".join(map(str, sorted(set(ours) - set(theirs))))
        for ours, theirs in ((free, blocked), (blocked, free))
    ]
    if not names[0]:
        return "The three best sentences repeat no three words, so trigram blocking changes nothing"
    instead = f", and takes sentence {names[1]} instead" if names[1] else ""
    return f"Trigram blocking passes over sentence {names[0]}, which repeats three words{instead}"


def _document(
    title: str,
    sentences: Sequence[str],
    scores: Sequence[float],
    reference: Sequence[str] | None = None,
    source: str = "",
) -> dict:
    if isinstance(sentences, str) or len(sentences) == 0:
        raise ValueError(
            f"documents[{title!r}]['sentences'] is {sentences!r}; expected a list of at least one"
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
