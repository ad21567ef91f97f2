"""Documents with summaries, for training and testing BertSum: the default corpus, SciTLDR and
CNN/DailyMail.

The default corpus needs no network: an encyclopaedia's articles begin with summaries of themselves.
The other two are no part of this package. Each is read from files that you have, or over the
network with the package `datasets`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from minibert.data.sentences import split_sentences
from minibert.data.wikipedia.articles import wikipedia_articles
from minibert.summarization.oracle import Ngram, clean_words, greedy_oracle, ngrams, overlap_f1

LEAST_LEAD, BODY = (
    3,
    (8, 60),
)  # sentences of an article's lead, and of its body: at least, and where it is cut
SECTION = (8, 40)  # sentences of a section: at least, at most


@dataclass(frozen=True)
class Example:
    """A document, and what a summary of it should say.

    name        where it is from
    sentences   the N sentences of the document, in order
    references  one or more summaries, each a list of sentences
    labels      for each of the N sentences 1 where it belongs in the extract, else 0; None where
    nobody has labelled them
    """

    name: str
    sentences: list[str]
    references: list[list[str]]
    labels: list[int] | None = None


# -- the default corpus ----------------------------------------------------------------


def lead_examples() -> list[Example]:
    """Articles of the default corpus (86): the first 60 sentences of the body, with the article's
    lead as the reference.

    The lead, what stands before the first heading, was written to sum up what follows; 11 sentences
    on average. The labels are those of `greedy_oracle` with three sentences. The name of an example
    is the title of its article.

    Raises a ValueError that says what to install where the corpus is missing.
    """
    examples = []
    for article in wikipedia_articles():
        lead, body = (
            list(_sentences(article["sections"][:1])),
            list(islice(_sentences(article["sections"][1:]), BODY[1])),
        )
        if len(lead) >= LEAST_LEAD and len(body) >= BODY[0]:
            chosen = greedy_oracle(
                [sentence.lower().split() for sentence in body],
                [sentence.lower().split() for sentence in lead],
            )
            examples.append(
                Example(
                    article["title"], body, [lead], [int(i in chosen) for i in range(len(body))]
                )
            )
    return examples


def section_examples(k: int = 3) -> list[Example]:
    """Sections of the default corpus (833, of 8 to 40 sentences, leads not among them), with labels
    that nobody had to write.

    Labelled are the `k` sentences that share most with the rest of their section, see
    `gap_sentences`; they are the reference as well. The name of an example is the title of its
    article, so that the sections of an article can be kept on one side of a split. Errors as
    `lead_examples`.
    """
    examples = []
    for article in wikipedia_articles():
        for section in article["sections"][1:]:
            sentences = list(_sentences([section]))
            if SECTION[0] <= len(sentences) <= SECTION[1]:
                chosen = gap_sentences(sentences, k)
                examples.append(
                    Example(
                        article["title"],
                        sentences,
                        [[sentences[i] for i in chosen]],
                        [int(i in chosen) for i in range(len(sentences))],
                    )
                )
    return examples


def overlaps(example: Example) -> list[float]:
    """How good a summary each sentence of an example would be alone: N numbers from 0 to 2, to
    train on with loss "listwise".

    F1 of words + F1 of word pairs with the reference it shares most with: what `greedy_oracle`
    maximises.
    """

    def grams(sentences: list[str]) -> list[set[Ngram]]:
        words = clean_words(" ".join(sentences).lower().split())
        return [ngrams(words, 1), ngrams(words, 2)]

    references = [grams(reference) for reference in example.references]
    return [
        max(sum(map(overlap_f1, grams([sentence]), reference)) for reference in references)
        for sentence in example.sentences
    ]


def _sentences(sections: Iterable[dict[str, Any]]) -> Iterator[str]:
    return (
        sentence
        for section in sections
        for paragraph in section["paragraphs"]
        for sentence in split_sentences(paragraph)
    )


def gap_sentences(sentences: Sequence[str], k: int) -> list[int]:
    """The `k` sentences with the highest `shared_words`, in document order: the gap sentences of
    PEGASUS (Zhang et al. 2020).

    The rest of a section is far longer than a sentence, so that F1 is nearly all recall, and long
    sentences win: know this before you train on it.
    """
    scores = shared_words(sentences)
    return sorted(sorted(range(len(scores)), key=lambda i: -scores[i])[:k])


def shared_words(sentences: Sequence[str]) -> list[float]:
    """How well each sentence could stand for all others: N numbers from 0 to 1.

        s_i = ROUGE1-F1(x_i, D without x_i) = 2 |x_i and rest| / (|x_i| + |rest|)

    with |.| counting words, each as often as it occurs (Zhang et al. 2020, section 3.1: principal,
    independent, "Orig").
    """
    words = [Counter(clean_words(sentence.lower().split())) for sentence in sentences]
    everything = sum(words, Counter())
    return [2 * (own & (everything - own)).total() / max(everything.total(), 1) for own in words]


# -- SciTLDR ---------------------------------------------------------------------------------------


# -- CNN/DailyMail ---------------------------------------------------------------------------------


# --------------------------------------------------------------------------------------------------
