"""How typed text becomes words, as tagged corpora have them."""

import unicodedata

import pytest

from minibert.cli.predict_input import split_words


@pytest.mark.parametrize(
    "words",
    [
        "Ada - mother-in-law , @ada #bert O'Neill https://a.org/b_c .",
        unicodedata.normalize("NFD", "Zürich Café-Bar Tiếng ( Việt ) !"),
        "हिन्दी में किताबें लिखी गईं ।",
        "क्\u200dष می\u200cخواهم",
        "क\u093f\u0902-क\u093f\u0902",
        "\u2764\ufe0f 1\ufe0f\u20e3 !\u0308 \u0308",
        "$ 5,000.50 , 1,5 % 12,345,678",
    ],
)
def test_words_and_their_marks_stay_whole(words):
    assert split_words(words) == words.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Zu\u0308rich, Bern", ["Zu\u0308rich", ",", "Bern"]),
        ("$5,000.50, and 7,", ["$", "5,000.50", ",", "and", "7", ","]),
        ("B2,3 a,4 5,b", ["B2,3", "a", ",", "4", "5", ",", "b"]),
        ("(हिन्दी)!", ["(", "हिन्दी", ")", "!"]),
        (" \t", []),
        ("a\x00 b \u200d \u200b", ["a", "b"]),
    ],
)
def test_punctuation_is_cut_off(text, words):
    assert split_words(text) == words
