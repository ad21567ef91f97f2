"""The greedy oracle: training labels for extractive summarization, made from a human-written
summary.

People write summaries in their own words, so the document has no labels of its own. BertSum labels
the sentences whose words and word pairs overlap most with the summary (Liu 2019, section 4;
Nallapati et al. 2017).
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from minibert.config import InputError

Ngram = tuple[str, ...]
NOT_COUNTED = re.compile(r"[^a-zA-Z0-9 ]")


def greedy_oracle(
    document: Sequence[Sequence[str]], summary: Sequence[Sequence[str]], max_sentences: int = 3
) -> list[int]:
    """Greedily choose the sentences that together overlap most with `summary`; return their
    indices in document order.

    Both arguments are lists of sentences, and a sentence is a list of tokens. Each step adds the
    sentence that most increases unigram F1 + bigram F1 (see `overlap_f1`; the earlier sentence wins
    a tie). It stops when no sentence increases the score or `max_sentences` are chosen, so the
    result may be shorter, or empty if no word is shared.

    Source: greedy_selection in src/prepro/data_builder.py of nlpyang/BertSum. The chosen set is the
    same on every input; the original returns it in order of choice when it stops early. As there,
    - only a-z, A-Z and 0-9 count. Tokens are joined by spaces, everything else is deleted, and the
      rest is split again: 'U.S.' becomes US, '--' disappears, '10 000' in one token becomes two
      words, and text in another script has no words;
    - case matters, so pass lowercase tokens unless case should distinguish words;
    - bigrams cross sentence boundaries in the summary, but not in the document.

    Raises a ValueError if a sentence is a string (its letters would be taken for tokens) or
    max_sentences is negative.
    """
    _check_sentences("document", document)
    _check_sentences("summary", summary)
    if max_sentences < 0:
        raise InputError(
            f"max_sentences is {max_sentences}; expected a number of sentences, 0 or more"
        )
    reference = clean_words(chain.from_iterable(summary))
    wanted_words, wanted_pairs = ngrams(reference, 1), ngrams(reference, 2)
    cleaned = [clean_words(sentence) for sentence in document]
    candidates = [(ngrams(words, 1), ngrams(words, 2)) for words in cleaned]

    chosen, best = list[int](), 0.0
    # of the sentences chosen so far
    covered_words, covered_pairs = set[Ngram](), set[Ngram]()
    while len(chosen) < max_sentences:
        winner = None
        for i, (words, pairs) in enumerate(
            candidates
        ):  # a chosen sentence adds nothing, so it never wins again
            score = overlap_f1(covered_words | words, wanted_words) + overlap_f1(
                covered_pairs | pairs, wanted_pairs
            )
            if score > best:  # strictly greater: it must add something, and the earlier wins a tie
                best, winner = score, i
        if winner is None:
            break
        chosen.append(winner)
        covered_words |= candidates[winner][0]
        covered_pairs |= candidates[winner][1]
    return sorted(chosen)


def overlap_f1(found: set[Ngram], wanted: set[Ngram]) -> float:
    """Return the F1 of two sets of n-grams, from 0 to 1: ROUGE-N on sets (each n-gram counts
    once), without stemming.

        p = |found and wanted| / |found|,   r = |found and wanted| / |wanted|,   f = 2 p r / (p + r
        + 1e-8)

    p or r is 0 if its set is empty. The 1e-8 and the order of operations follow the original
    (cal_rouge in src/prepro/data_builder.py), so that ties are broken in the same way.
    """
    common = len(found & wanted)
    precision = common / len(found) if found else 0.0
    recall = common / len(wanted) if wanted else 0.0
    return 2.0 * ((precision * recall) / (precision + recall + 1e-8))


def clean_words(tokens: Iterable[str]) -> list[str]:
    """Join tokens by spaces, delete all but a-z, A-Z, 0-9 and the space, and split again."""
    return NOT_COUNTED.sub("", " ".join(tokens)).split()


def ngrams(tokens: Sequence[str], n: int) -> set[Ngram]:
    """Return the set of n-grams of `tokens`; it is empty if there are fewer than `n` tokens."""
    return {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)}


def _check_sentences(name: str, sentences: Sequence[Sequence[str]]) -> None:
    if isinstance(sentences, str):
        raise InputError(
            f"{name} is one string; expected a list of sentences, each a list of tokens"
        )
    for i, sentence in enumerate(sentences):
        if isinstance(sentence, str):
            raise InputError(
                f"{name}[{i}] is the string {sentence[:40]!r}; expected a list of tokens, such "
                "as sentence.lower().split()"
            )
