"""The greedy oracle: which sentences of a document a model shall learn to choose, given a summary
that a person wrote.

People write summaries in their own words, so no sentence of the document is marked as right.
BertSum marks some itself: those whose words and word pairs overlap most with the summary (Liu 2019,
section 4; Nallapati et al. 2017).
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
    """The indices, in document order, of the sentences that together overlap most with `summary`,
    found greedily.

    Both are lists of sentences, a sentence a list of tokens. Starting from nothing, the sentence is
    added that raises F1 of words + F1 of word pairs most (the first of equals), until none raises
    it or `max_sentences` are chosen; so there may be fewer than `max_sentences`, and none at all
    where no word is shared. F1: see `overlap_f1`.

    Source: greedy_selection in src/prepro/data_builder.py of nlpyang/BertSum, whose set this is on
    every input. The original returns the same set in order of choice when it stops early. As there,
    - only a-z, A-Z and 0-9 count. Tokens are joined by spaces, everything else is deleted, and what
      is left is split again: 'U.S.' is US, '--' is nothing, '10 000' in one token is two words, and
      text in another script has no words.
    - capitals differ from small letters: give lower-case tokens, unless a name and a word shall
      differ;
    - pairs cross the ends of the summary's sentences, not those of the document's.

    Raises a ValueError where a sentence is a string (its letters would be taken for tokens), or
    max_sentences is negative.
    """
    _check_sentences("document", document)
    _check_sentences("summary", summary)
    if max_sentences < 0:
        raise InputError(
            f"max_sentences is {max_sentences}; wanted is a number of sentences, 0 or more"
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
        ):  # a chosen one adds nothing, and so never wins again
            score = overlap_f1(covered_words | words, wanted_words) + overlap_f1(
                covered_pairs | pairs, wanted_pairs
            )
            if score > best:  # strictly: no sentence that adds nothing, ties to the earlier
                best, winner = score, i
        if winner is None:
            break
        chosen.append(winner)
        covered_words |= candidates[winner][0]
        covered_pairs |= candidates[winner][1]
    return sorted(chosen)


def overlap_f1(found: set[Ngram], wanted: set[Ngram]) -> float:
    """How well a set of n-grams covers another: ROUGE-N on sets (each n-gram once), without
    stemming; from 0 to 1.

        p = |found and wanted| / |found|,   r = |found and wanted| / |wanted|,   f = 2 p r / (p + r
        + 1e-8)

    p or r is 0 where its set is empty. The 1e-8 and the order of the operations are the original's
    (cal_rouge in src/prepro/data_builder.py), so that ties fall as they do there.
    """
    common = len(found & wanted)
    precision = common / len(found) if found else 0.0
    recall = common / len(wanted) if wanted else 0.0
    return 2.0 * ((precision * recall) / (precision + recall + 1e-8))


def clean_words(tokens: Iterable[str]) -> list[str]:
    """Tokens joined by spaces, all but a-z, A-Z, 0-9 and the space deleted, and split again."""
    return NOT_COUNTED.sub("", " ".join(tokens)).split()


def ngrams(tokens: Sequence[str], n: int) -> set[Ngram]:
    """The set of runs of `n` neighbouring tokens; empty where there are fewer than n tokens."""
    return {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)}


def _check_sentences(name: str, sentences: Sequence[Sequence[str]]) -> None:
    if isinstance(sentences, str):
        raise InputError(
            f"{name} is one string; wanted is a list of sentences, each a list of tokens"
        )
    for i, sentence in enumerate(sentences):
        if isinstance(sentence, str):
            raise InputError(
                f"{name}[{i}] is the string {sentence[:40]!r}; wanted is a list of tokens, as "
                "sentence.lower().split() gives"
            )
