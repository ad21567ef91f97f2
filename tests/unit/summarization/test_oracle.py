"""The greedy oracle: the original's set on every input, in document order."""

import hashlib
import json
import random
import re
from itertools import chain

import pytest
from deviation import deviation
from hypothesis import given, settings
from hypothesis import strategies as st

from minibert.summarization.oracle import clean_words, greedy_oracle, ngrams, overlap_f1

DOCUMENT = [
    line.split()
    for line in (
        "the cat sat on the mat .",
        "a dog barked loudly at night .",
        "police said the dog barked at the cat .",
        "unrelated words here entirely .",
    )
]
SUMMARY = [
    line.split() for line in ("police said the dog barked at the cat", "the cat sat on the mat")
]


# ---------------------------------------------------------------- what the original gives


@pytest.mark.parametrize(
    "document, max_sentences, expected",
    [
        (DOCUMENT, 3, [0, 2]),  # the original stops early, and says [2, 0]
        (DOCUMENT, 2, [0, 2]),
        (DOCUMENT, 1, [2]),
        (DOCUMENT, 0, []),
        ([DOCUMENT[0], DOCUMENT[2]], 2, [0, 1]),
        ([DOCUMENT[0], DOCUMENT[2]], 3, [0, 1]),  # the original: [1, 0]
        ([DOCUMENT[3], DOCUMENT[3]], 3, []),  # nothing shared
        (
            [DOCUMENT[1], DOCUMENT[0], DOCUMENT[0]],
            3,
            [0, 1],
        ),  # of two equal sentences the first; the second adds nothing
        ([[], DOCUMENT[0], []], 3, [1]),
        ([[]], 3, []),
        ([], 3, []),
    ],
)
def test_golden_cases(document, max_sentences, expected):
    assert greedy_oracle(document, SUMMARY, max_sentences) == expected


def test_three_sentences_are_the_default():
    letters = [[letter] for letter in "abcdef"]
    assert greedy_oracle(letters, letters) == [0, 1, 2] and greedy_oracle(letters, letters, 5) == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_nothing_to_summarise_with():
    assert (
        greedy_oracle(DOCUMENT, [])
        == greedy_oracle(DOCUMENT, [[]])
        == greedy_oracle(DOCUMENT, [["--", "…"]])
        == []
    )


@pytest.mark.parametrize(
    "tokens, words",
    [
        (
            ["U.S.", "--", "don't"],
            ["US", "dont"],
        ),  # stops and dashes vanish, and with them whole tokens
        (["10 000", "a  b"], ["10", "000", "a", "b"]),  # a space inside a token divides it
        (
            ["a\tb", "c\nd", "e\u00a0f"],
            ["ab", "cd", "ef"],
        ),  # any other white space is deleted like a stop
        (["café", "Ünal", "ß", "東京", "x²"], ["caf", "nal", "x"]),
        (["", ""], []),
        ([], []),
    ],
)
def test_cleaning(tokens, words):
    assert clean_words(tokens) == words


def test_capitals_differ():
    assert greedy_oracle([["The"], ["the"]], [["the"]]) == [1]


def test_pairs_cross_the_summarys_sentences_and_not_the_documents():
    assert greedy_oracle([["x", "a"], ["b", "y"], ["a", "b"]], [["a"], ["b"]]) == [2]
    # were pairs to cross the document's sentences, 'x a' + 'b y' would hold the pair (a, b)
    assert greedy_oracle([["x", "a", "p", "q"], ["b", "y"]], [["a", "b"]], 2) == [0, 1]
    assert overlap_f1(ngrams(["x", "a"], 2) | ngrams(["b", "y"], 2), ngrams(["a", "b"], 2)) == 0


def test_the_f1_of_two_sets():
    assert overlap_f1({1, 2}, {1, 2, 3}) == pytest.approx(0.7999999952, abs=1e-12)
    assert (
        overlap_f1(set(), {1})
        == overlap_f1({1}, set())
        == overlap_f1(set(), set())
        == overlap_f1({1}, {2})
        == 0
    )
    assert overlap_f1({1}, {1}) == 2 / (2 + 1e-8) < 1


def random_case(generator: random.Random) -> tuple[list, list, int]:
    """A document, a summary and a number of sentences; few words, so that ties are many, and what
    cleaning changes among them."""
    words = ["a", "b", "c", "d", "e", "A", "don't", "u.s.", "--", ".", "1 2", "é", "x\ty", ""][
        : generator.randint(3, 14)
    ]

    def sentences(most: int) -> list[list[str]]:
        return [
            [generator.choice(words) for _ in range(generator.randint(0, 9))]
            for _ in range(generator.randint(0, most))
        ]

    return sentences(12), sentences(4), generator.randint(1, 5)


def digest_of_random_cases(oracle, count: int = 5000) -> str:
    """Sha256 of the sets that `oracle` chooses for random cases, as sorted lists."""
    generator = random.Random(5)
    return hashlib.sha256(
        json.dumps([sorted(oracle(*random_case(generator))) for _ in range(count)]).encode()
    ).hexdigest()


@deviation(
    "What the oracle maximises",
    paper="ROUGE-2, in the text of the later paper (Liu & Lapata 2019)",
    original="ROUGE-1 + ROUGE-2, on sets of words",
    here="the original program",
    why="labels of a released corpus can be made again",
)
def test_five_thousand_random_documents_as_the_original_labels_them():
    """The digest was made with greedy_selection itself, of nlpyang/BertSum, commit 05f8c634."""
    assert (
        digest_of_random_cases(greedy_oracle)
        == "d2649bf7805819235c928c1703195fc1afd8793cbe05c4b0720b68c7b0ada837"
    )


# ---------------------------------------------------------------- what the definition says


def by_definition(document, summary, max_sentences):
    """The oracle once more, slowly: every union built anew, every n-gram a string."""

    def grams(tokens, n):
        words = re.findall(r"[a-zA-Z0-9]+", re.sub(r"[^a-zA-Z0-9 ]", "", " ".join(tokens)))
        return {
            "/".join(words[start : start + n])
            for start in range(len(words))
            if start + n <= len(words)
        }

    def score(indices):
        total = 0
        for n in (1, 2):
            found = {gram for i in indices for gram in grams(document[i], n)}
            wanted = grams([token for sentence in summary for token in sentence], n)
            precision = len([gram for gram in found if gram in wanted]) / max(len(found), 1)
            recall = len([gram for gram in wanted if gram in found]) / max(len(wanted), 1)
            total = total + 2.0 * ((precision * recall) / (precision + recall + 1e-8))
        return total

    chosen = []
    for _ in range(max_sentences):
        left = [i for i in range(len(document)) if i not in chosen]
        best = max(
            left, key=lambda i: score([*chosen, i]), default=None
        )  # max() gives the first of equals
        if best is None or score([*chosen, best]) <= (score(chosen) if chosen else 0):
            break
        chosen.append(best)
    return sorted(chosen)


SENTENCES = st.lists(
    st.lists(st.one_of(st.sampled_from("abc"), st.text(max_size=4)), max_size=7), max_size=8
)


@settings(deadline=None, max_examples=60)
@given(SENTENCES, SENTENCES, st.integers(0, 5))
def test_it_is_its_definition(document, summary, max_sentences):
    chosen = greedy_oracle(document, summary, max_sentences)
    assert chosen == by_definition(document, summary, max_sentences)
    assert chosen == sorted(set(chosen)) and len(chosen) <= max_sentences


def test_a_summary_in_the_documents_own_words_is_found():
    generator = random.Random(0)
    document = [[str(generator.randrange(10_000)) for _ in range(12)] for _ in range(50)]
    for wanted in ([3, 17, 40], [0], [48, 49]):
        assert greedy_oracle(document, [document[i] for i in wanted]) == wanted


def test_ten_thousand_sentences():  # the definition above, on these, would take hours
    generator = random.Random(0)
    document = [[str(generator.randrange(5000)) for _ in range(25)] for _ in range(10_000)]
    assert greedy_oracle(document, [document[i] for i in (7000, 5, 9999)]) == [5, 7000, 9999]
    assert greedy_oracle([list(chain(*document)), document[1]], [document[1]]) == [
        1
    ]  # one sentence of 250,000 tokens


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "document, summary, message",
    [
        (
            ["the cat"],
            [["the"]],
            r"document\[0\] is the string 'the cat'; expected a list of tokens",
        ),
        ([["the"]], ["the cat"], r"summary\[0\] is the string"),
        ([["the"]], "the cat", "summary is one string; expected a list of sentences"),
        ("the cat", [["the"]], "document is one string"),
    ],
)
def test_a_string_is_no_list_of_tokens(document, summary, message):
    with pytest.raises(ValueError, match=message):
        greedy_oracle(document, summary)


def test_a_negative_number_of_sentences():
    with pytest.raises(ValueError, match="max_sentences is -1"):
        greedy_oracle(DOCUMENT, SUMMARY, -1)
