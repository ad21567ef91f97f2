"""Choosing sentences: the best ones, no repetition, document order, and never a padded slot."""

import math

import numpy as np
import pytest
import torch
from deviation import deviation
from hypothesis import given, settings
from hypothesis import strategies as st

from minibert.summarization.selection import select_sentences

FIVE = ["the first", "the second", "the third", "the fourth", "the fifth"]


@deviation(
    "The order of a summary",
    original="by score, the best first",
    here="as in the document",
    why="ROUGE hardly cares, readers do",
)
def test_the_best_in_document_order():
    assert select_sentences([0.1, 0.9, 0.3, 0.8, 0.7], FIVE) == [1, 3, 4]
    assert select_sentences([0.1, 0.9, 0.3, 0.8, 0.7], FIVE, k=1) == [1]
    assert select_sentences([0.1, 0.9, 0.3, 0.8, 0.7], FIVE, k=5) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "of",
    [
        list,
        tuple,
        iter,
        torch.tensor,
        np.array,
        lambda scores: torch.tensor(scores, dtype=torch.bfloat16),
        lambda scores: torch.tensor(scores, requires_grad=True),
        lambda scores: [torch.tensor(score) for score in scores],
        lambda scores: np.array(scores, dtype=np.float32),
        lambda scores: [np.float64(score) for score in scores],
        lambda scores: [int(8 * score) for score in scores],
    ],
)
def test_scores_come_in_many_forms(of):
    chosen = select_sentences(of([0.125, -0.5, 0.75, 0.5, 0.25]), FIVE)
    assert chosen == [2, 3, 4] and all(type(i) is int for i in chosen)


def test_logits_choose_as_scores_do():
    logits = torch.tensor([-4.0, 2.5, -0.1, 0.0, 30.0])
    assert (
        select_sentences(logits, FIVE)
        == select_sentences(logits.double().sigmoid(), FIVE)
        == [1, 3, 4]
    )


def test_ties_go_to_the_earlier_sentence():
    assert select_sentences([0.5] * 5, FIVE, k=2) == [0, 1]
    assert select_sentences([0.2, 0.5, 0.5, 0.5, 0.0], FIVE, k=2) == [1, 2]
    assert select_sentences(torch.zeros(200), [str(i) for i in range(200)], k=3) == [
        0,
        1,
        2,
    ]  # sorts that are not stable fail from 17 on
    assert select_sentences([-0.0, 0.0], ["a", "b"], k=1) == [0]


def test_a_short_document_is_its_own_summary():
    assert select_sentences([0.1, 0.2], ["a", "b"]) == [0, 1] and select_sentences(
        [0.1], ["a"], k=100
    ) == [0]
    assert select_sentences([], []) == []


# ---------------------------------------------------------------- padding


def test_padded_slots_are_never_chosen():
    assert select_sentences(torch.tensor([0.2, 0.1, 0.0, 0.0]), ["a", "b"]) == [0, 1]
    assert select_sentences([0.2, 0.1, 0.9, math.nan, math.inf], ["a", "b"], k=5) == [
        0,
        1,
    ]  # whatever stands there
    assert select_sentences([0.1, -math.inf, 0.2], ["a", "b", "c"]) == [0, 2]
    assert select_sentences([0.1, 0.9, 0.2, 0.8], ["a", "", "b", " \t"]) == [0, 2]
    assert select_sentences([0.1, 0.9], [["a"], []]) == [0]
    assert select_sentences([-math.inf] * 2, ["a", "b"]) == []


def test_a_score_of_zero_is_a_score():
    """Scores may be logits, where 0 is the middle, or come from a model that is certain."""
    assert select_sentences([0.0, -1.0, -2.0], ["a", "b", "c"], k=2) == [0, 1]


def test_sentences_that_were_never_read_are_never_chosen():
    assert select_sentences([0.1, 0.9], FIVE) == [0, 1] and select_sentences([], FIVE) == []


# ---------------------------------------------------------------- trigram blocking


def test_a_sentence_that_repeats_three_words_is_passed_over():
    sentences = [
        "police found the red car .",
        "on monday police found the owner .",
        "nothing else is known .",
    ]
    assert select_sentences([0.9, 0.8, 0.1], sentences, k=2) == [0, 2]
    assert select_sentences([0.8, 0.9, 0.1], sentences, k=2) == [1, 2]
    assert select_sentences([0.9, 0.8, 0.1], sentences, k=2, block_trigrams=False) == [0, 1]
    assert select_sentences([0.9, 0.8, 0.1], [sentence.split() for sentence in sentences], k=2) == [
        0,
        2,
    ]


def test_only_chosen_sentences_block():
    sentences = ["a b c x", "a b c d e f", "d e f y", "z"]
    assert select_sentences([0.9, 0.8, 0.7, 0.1], sentences, k=3) == [
        0,
        2,
        3,
    ]  # the second was never chosen


@pytest.mark.parametrize(
    "one, other, blocked",
    [
        ("a b", "a b", False),
        ("a", "a", False),  # fewer than three tokens
        ("a b c", "a b c", True),
        ("a b c", "b c a", False),
        ("a b c", "A b c", False),
        ("a b c .", "a b c.", False),  # tokens as they stand
        ("a b\u00a0c", "a  b\nc", True),  # any white space parts tokens
        ("a b", "a b c", False),
        ("a b x c", "a b c", False),
    ],
)
def test_what_counts_as_a_repetition(one, other, blocked):
    for texts in ([one, other], [other, one]):
        assert select_sentences([0.9, 0.8], texts) == ([0] if blocked else [0, 1])


def test_blocking_can_leave_fewer_than_k():
    assert select_sentences([0.1, 0.3, 0.2], ["the same three words"] * 3) == [1]


def as_the_original(scores, sentences, k, block):
    """The loop of src/models/trainer.py in a few lines of our own: sentences in order of score,
    chosen one by one."""
    order = sorted(range(len(sentences)), key=lambda i: (-scores[i], i))
    chosen = []
    for i in order:
        words = sentences[i].split()
        mine = [words[j : j + 3] for j in range(len(words) - 2)]
        repeats = any(
            three == sentences[c].split()[j : j + 3]
            for c in chosen
            for three in mine
            for j in range(len(sentences[c].split()) - 2)
        )
        if len(chosen) < k and not (block and repeats):
            chosen.append(i)
    return set(chosen)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]),
            st.lists(st.sampled_from("ab"), min_size=1, max_size=7),
        ),
        max_size=9,
    ),
    st.integers(1, 10),
    st.booleans(),
)
def test_the_originals_loop_chooses_the_same(rows, k, block):
    scores, sentences = [score for score, _ in rows], [" ".join(words) for _, words in rows]
    chosen = select_sentences(scores, sentences, k, block)
    assert chosen == sorted(as_the_original(scores, sentences, k, block))
    assert chosen == select_sentences(
        scores + [0.0, 0.7], sentences, k, block
    )  # padding changes nothing


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("k", [0, -1, 2.0, None, True, "3"])
def test_k_is_a_number_of_sentences(k):
    with pytest.raises(ValueError, match="k is .*; expected a number of sentences, 1 or more"):
        select_sentences([0.1], ["a"], k=k)


def test_k_from_numpy():
    assert select_sentences([0.1, 0.2], ["a", "b"], k=np.int64(1)) == [1]


@pytest.mark.parametrize("scores", [[0.1, math.nan], torch.tensor([math.nan, math.nan])])
def test_a_score_that_is_not_a_number(scores):
    with pytest.raises(ValueError, match=r"scores\[\d\] is NaN \(\d of 2 scores are\)"):
        select_sentences(scores, ["a", "b"])


@pytest.mark.parametrize(
    "scores, seen",
    [
        (torch.zeros(1, 2), r"shape \[1, 2\]"),
        (torch.tensor(0.5), r"shape \[\]"),
        (np.zeros((2, 1)), r"shape \[2, 1\]"),
        (["good", "bad"], r"\['good', 'bad'\]"),
        (None, "None"),
        (0.5, "0.5"),
        ([[0.1], [0.2]], r"\[\[0.1\]"),
    ],
)
def test_scores_are_one_number_for_each_sentence(scores, seen):
    with pytest.raises(ValueError, match=f"scores must be one number for each sentence.*{seen}"):
        select_sentences(scores, ["a", "b"])


def test_what_is_shown_of_wrong_scores_is_short():
    with pytest.raises(ValueError) as raised:
        select_sentences(["high"] * 1000, ["One."], 1)
    assert len(str(raised.value)) < 200


def test_a_text_is_no_list_of_sentences():
    with pytest.raises(ValueError, match="sentences is one string"):
        select_sentences([0.1, 0.2], "A text. Two sentences.")
