"""Answers to `choose_sentences` on which its check is tried."""

import itertools
import re
from functools import partial

import torch

from minibert.summarization.oracle import ngrams
from planted import Answers, named


def choice_by_argmax(scores, sentences, k):
    left, chosen = list(range(len(scores))), []
    while left and len(chosen) < k:
        best = max(left, key=lambda n: scores[n])
        left.remove(best)
        words = [sentences[n].split() for n in (*chosen, best)]
        runs = [{" ".join(row[i : i + 3]) for i in range(len(row) - 2)} for row in words]
        if all(runs[-1].isdisjoint(run) for run in runs[:-1]):
            chosen.append(best)
    return [n for n in range(len(scores)) if n in chosen]


def choice_by_tensor(scores, sentences, k):
    chosen = []
    for n in torch.tensor(scores).argsort(descending=True, stable=True).tolist():
        if len(chosen) < k and not any(
            ngrams(sentences[n].split(), 3) & ngrams(sentences[m].split(), 3) for m in chosen
        ):
            chosen.append(n)
    return sorted(chosen)


def _runs_of(size, text):
    return ngrams(text.split(), size)


TRIGRAMS_OF = partial(_runs_of, 3)


def _choice(
    runs_of=TRIGRAMS_OF,
    repeats=lambda runs, taken: bool(runs & taken),
    order=lambda scores: sorted(range(len(scores)), key=lambda n: -scores[n]),
    arrange=sorted,
    looked_at=False,
    stop=False,
):
    """A planted wrong answer: the loop with one thing changed."""

    def wrong(scores, sentences, k):
        chosen, taken = [], set()
        for n in order(scores)[:k] if looked_at else order(scores):
            if len(chosen) == k:
                break
            runs = runs_of(sentences[n])
            if repeats(runs, taken):
                if stop:
                    break
                continue
            chosen.append(n)
            taken |= runs
        return arrange(chosen)

    return wrong


choice_without_blocking = named(
    "choice_without_blocking", _choice(repeats=lambda runs, taken: False)
)


choice_by_place = named("choice_by_place", _choice(order=lambda scores: list(range(len(scores)))))


choice_by_score_order = named("choice_by_score_order", _choice(arrange=list))


choice_looked_at = named("choice_looked_at", _choice(looked_at=True))


choice_stops = named("choice_stops", _choice(stop=True))


choice_by_words = named("choice_by_words", _choice(partial(_runs_of, 1)))


choice_by_pairs = named("choice_by_pairs", _choice(partial(_runs_of, 2)))


choice_lowest = named(
    "choice_lowest",
    _choice(order=lambda scores: sorted(range(len(scores)), key=lambda n: scores[n])),
)


choice_last_of_equals = named(
    "choice_last_of_equals",
    _choice(order=lambda scores: sorted(range(len(scores)), key=lambda n: (-scores[n], -n))),
)


choice_above_zero = named(
    "choice_above_zero",
    _choice(
        order=lambda scores: [
            n for n in sorted(range(len(scores)), key=lambda n: -scores[n]) if scores[n] > 0
        ]
    ),
)


choice_by_letters = named("choice_by_letters", _choice(lambda text: ngrams(text, 3)))


choice_by_bags = named(
    "choice_by_bags", _choice(lambda text: set(map(frozenset, ngrams(text.split(), 3))))
)


choice_by_combinations = named(
    "choice_by_combinations", _choice(lambda text: set(itertools.combinations(text.split(), 3)))
)


choice_past_the_end = named(
    "choice_past_the_end",
    _choice(lambda text: {tuple(text.split()[i : i + 3]) for i in range(len(text.split()))}),
)


choice_before_the_end = named(
    "choice_before_the_end",
    _choice(lambda text: {tuple(text.split()[i : i + 3]) for i in range(len(text.split()) - 3)}),
)


choice_by_all = named(
    "choice_by_all", _choice(repeats=lambda runs, taken: bool(taken) and runs <= taken)
)


choice_always_blocks = named(
    "choice_always_blocks", _choice(repeats=lambda runs, taken: runs.isdisjoint(taken))
)


choice_by_union = named("choice_by_union", _choice(repeats=lambda runs, taken: bool(runs | taken)))


choice_backwards = named(
    "choice_backwards", _choice(arrange=lambda chosen: sorted(chosen, reverse=True))
)


choice_by_lookup = named(
    "choice_by_lookup",
    _choice(order=lambda scores: [scores.index(score) for score in sorted(scores, reverse=True)]),
)


choice_of_nothing = named("choice_of_nothing", _choice(arrange=lambda chosen: chosen.sort()))


def choice_filled_up(scores, sentences, k):
    chosen = choice_by_argmax(scores, sentences, k)
    return sorted([*chosen, *[n for n in range(len(scores)) if n not in chosen][: k - len(chosen)]])


def _comparing(name, repeats):
    """A planted wrong answer: repeats(trigrams of a sentence, trigrams of the chosen ones, of all that were looked at) decides."""

    def answer(scores, sentences, k):
        chosen, taken, seen = [], [], set()
        for n in sorted(range(len(scores)), key=lambda n: -scores[n]):
            trigrams = ngrams(sentences[n].split(), 3)
            if len(chosen) < k and not repeats(trigrams, taken, seen):
                chosen.append(n)
                taken.append(trigrams)
            seen |= trigrams
        return sorted(chosen)

    return named(name, answer)


choice_beside_the_last = _comparing(
    "choice_beside_the_last",
    lambda trigrams, taken, seen: any(trigrams & other for other in taken[-1:]),
)


choice_beside_the_first = _comparing(
    "choice_beside_the_first",
    lambda trigrams, taken, seen: any(trigrams & other for other in taken[:1]),
)


choice_of_all_seen = _comparing(
    "choice_of_all_seen", lambda trigrams, taken, seen: bool(trigrams & seen)
)


choice_in_lowercase = named("choice_in_lowercase", _choice(lambda text: _runs_of(3, text.lower())))


choice_without_punctuation = named(
    "choice_without_punctuation", _choice(lambda text: _runs_of(3, re.sub(r"[^\w\s]", "", text)))
)


choice_of_plain_words = named(
    "choice_of_plain_words", _choice(lambda text: ngrams(re.findall(r"\w+", text.lower()), 3))
)


choice_at_single_spaces = named(
    "choice_at_single_spaces", _choice(lambda text: ngrams(text.split(" "), 3))
)


def choice_of_one_at_least(scores, sentences, k):
    return choice_by_argmax(scores, sentences, max(k, 1))


ANSWERS = Answers(
    right=(choice_by_argmax, choice_by_tensor),
    wrong={
        choice_without_blocking: "told of the bank twice",
        choice_by_place: "not by place",
        choice_by_score_order: "in order of score; a summary",
        choice_looked_at: "not when 3 were looked at",
        choice_stops: "still have their turn",
        choice_by_words: "single words",
        choice_by_pairs: "two words in a row",
        choice_lowest: "lowest scores",
        choice_last_of_equals: "you choose the later",
        choice_above_zero: "Of scores below 0",
        choice_filled_up: "From two equal texts",
        choice_by_letters: "three \\*letters\\*",
        choice_by_bags: "only in the same order",
        choice_by_combinations: "which do not stand in a row",
        choice_past_the_end: "two words before the end",
        choice_before_the_end: "share their last three words",
        choice_by_all: "the same word for word",
        choice_always_blocks: "where nothing is repeated",
        choice_by_union: "nothing is taken yet",
        choice_backwards: "from the end",
        choice_by_lookup: "looked up by its score",
        choice_of_nothing: "sorts in place",
        choice_beside_the_last: "the one chosen last",
        choice_beside_the_first: "the one chosen first",
        choice_of_all_seen: "passed over: .z a b",
        choice_of_one_at_least: "Asked for 0",
        choice_in_lowercase: "'The' and 'the' for one word",
        choice_without_punctuation: "you drop the comma",
        choice_of_plain_words: "lowercase the words and drop",
        choice_at_single_spaces: "cuts at each single space",
    },
)
