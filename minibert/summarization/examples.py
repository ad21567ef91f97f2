"""Documents with reference summaries from the default corpus, for training and testing BertSum.

The default corpus needs no network, and its encyclopaedia articles begin with their own summaries.
For SciTLDR and CNN/DailyMail, see `published_sets`.
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
)  # sentences: the minimum of an article's lead, and (minimum, maximum) of its body
SECTION = (8, 40)  # sentences of a section: (minimum, maximum)


@dataclass(frozen=True)
class Example:
    """A document with its reference summaries.

    name        the source of the document, for example the title of its article
    sentences   the N sentences of the document, in order
    references  one or more summaries, each a list of sentences
    labels      for each of the N sentences, 1 if it belongs in the summary, else 0; None if the
                sentences have no labels
    """

    name: str
    sentences: list[str]
    references: list[list[str]]
    labels: list[int] | None = None


# -- the default corpus ----------------------------------------------------------------


def lead_examples() -> list[Example]:
    """Return the 86 articles of the default corpus: the first 60 sentences of each body, with the
    article's lead as the reference.

    The lead (the text before the first heading, 11 sentences on average) summarises the rest of the
    article. The labels come from `greedy_oracle` with three sentences. The name of an example is
    the title of its article.

    Raises a ValueError that says what to install if the corpus is missing.
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
    """Return the 833 sections of the default corpus with 8 to 40 sentences, leads excluded, with
    automatic labels.

    The `k` sentences that overlap most with the rest of their section get label 1 (see
    `gap_sentences`) and also form the reference. The name of an example is the title of its
    article, so that all sections of an article can go to the same side of a split. Raises the same
    errors as `lead_examples`.
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
    """Rate each sentence of an example as a summary on its own: N numbers from 0 to 2, which can
    serve as labels for the loss "listwise".

    The rating is unigram F1 + bigram F1 against the best-matching reference, which is the quantity
    that `greedy_oracle` maximises.
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
    """Return the indices of the `k` sentences with the highest `shared_words`, in document order:
    the gap sentences of PEGASUS (Zhang et al. 2020).

    This favours long sentences: the rest of a section is far longer than one sentence, so recall
    limits the F1.
    """
    scores = shared_words(sentences)
    return sorted(sorted(range(len(scores)), key=lambda i: -scores[i])[:k])


def shared_words(sentences: Sequence[str]) -> list[float]:
    """Return how well each sentence represents all the others: N numbers from 0 to 1.

        s_i = ROUGE1-F1(x_i, D without x_i) = 2 |x_i and rest| / (|x_i| + |rest|)

    where |.| counts words with their multiplicity (Zhang et al. 2020, section 3.1: principal,
    independent, "Orig").
    """
    words = [Counter(clean_words(sentence.lower().split())) for sentence in sentences]
    everything = sum(words, Counter())
    return [2 * (own & (everything - own)).total() / max(everything.total(), 1) for own in words]
