"""Scores of answers against the official program's steps, written again one by one."""

import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minibert.finetuning import answer_f1, exact_match
from minibert.finetuning.squad import normalized

TEXT = st.lists(
    st.sampled_from(
        [
            "a",
            "an",
            "the",
            "The",
            "A",
            "Another",
            "cat",
            "Cat",
            "cats",
            "cat's",
            "the-cat",
            "u.s.a.",
            "a.",
            "é",
            "–",
            "«",
            "...",
            "10,000",
            "Ａ",
            "İ",
            " ",
            "\u00a0",
            "\t",
            "the\u0301",
            "a_b",
            "_a",
        ]
    ),
    max_size=7,
).flatmap(lambda words: st.sampled_from(["", " ", "  "]).map(lambda space: space.join(words)))


def official_words(text):
    """lower, remove_punc, remove_articles, white_space_fix."""
    text = "".join(char for char in text.lower() if char not in set(string.punctuation))
    text = re.sub(
        r"\w+", lambda word: " " if word.group() in ("a", "an", "the") else word.group(), text
    )
    return text.split()


def official_f1(found, wanted):
    found, wanted = official_words(found), official_words(wanted)
    left, shared = list(wanted), 0
    for word in found:
        if word in left:
            left.remove(word)
            shared += 1
    if shared == 0:
        return 0
    precision, recall = shared / len(found), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


@settings(max_examples=200, deadline=None)
@given(TEXT, st.lists(TEXT, min_size=1, max_size=3))
def test_scores_are_the_official_ones(found, wanted):
    assert normalized(found) == " ".join(official_words(found))
    assert answer_f1(found, wanted) == pytest.approx(
        max(official_f1(found, answer) for answer in wanted), abs=1e-12
    )
    assert exact_match(found, wanted) == max(
        official_words(found) == official_words(answer) for answer in wanted
    )


@pytest.mark.parametrize(
    "found, wanted, f1, exact",
    [
        ("The Cat.", ["cat"], 1, 1),
        ("the black cat", ["cat", "a black dog"], 2 / 3, 0),
        ("cat cat", ["cat"], 2 / 3, 0),
        ("in 1895", ["1895-1943", "1895"], 2 / 3, 0),
        ("Theatre", ["atre"], 0, 0),
        ("u.s.", ["US"], 1, 1),
        ("", ["cat"], 0, 0),
        ("the", ["a"], 0, 1),  # neither has a word left
        ("cat", ["dog", "Cat!"], 1, 1),
    ],
)
def test_scores_by_hand(found, wanted, f1, exact):
    assert answer_f1(found, wanted) == pytest.approx(f1) and exact_match(found, wanted) == exact
