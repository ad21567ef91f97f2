"""Which texts are chosen: from every source, each once, of the right length, never from an excluded set."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_source import planted

from minibert.finetuning.sentence_vectors import texts as module
from minibert.finetuning.sentence_vectors.options import SentenceOptions
from minibert.finetuning.sentence_vectors.texts import choose_texts, plain, share_out


def options(**changes) -> SentenceOptions:
    return SentenceOptions(
        **dict(phrases=0, words=0, sentences=1000, start_from_bag=False) | changes
    )


def documents():
    """Two sources: 40 sentences of `a`, 8 of `b`; one of them in both; sentence n has 3 + n % 20 words."""
    for source, count in (("a", 40), ("b", 8)):
        for document in range(count // 4):
            yield (
                source,
                [
                    " ".join(f"{source}{document}x{i}w{word}" for word in range(3 + 4 * i))
                    for i in range(4)
                ],
            )
    yield "a", ["Shared by both of them.", "Two words"]
    yield "b", ["Shared by both of them.", "Shared by both of them."]


def found(**changes) -> list[str]:
    return [" | ".join(item) for item in choose_texts(documents(), options(**changes))]


def test_every_sentence_of_the_right_length_once():
    texts = found()
    lengths = [len(text.split()) for text in texts]
    assert len(texts) == len(set(texts)) == 40 + 8 + 1
    assert min(lengths) == 3 and max(lengths) == 15 and "Two words" not in texts
    assert max(len(text.split()) for text in found(max_words=10)) == 7
    assert min(len(text.split()) for text in found(min_words=8)) == 11


def test_the_same_seed_gives_the_same_texts_in_the_same_order():
    changes = dict(sentences=10, phrases=5, words=3)
    assert found(**changes) == found(**changes)
    assert sorted(found(**changes)) != sorted(found(seed=1, **changes))
    assert found(seed=1) != found() and sorted(found(seed=1)) == sorted(found())


def test_the_order_of_the_documents_does_not_matter_for_the_sentences():
    wanted = choose_texts(documents(), options(sentences=10))
    assert choose_texts(reversed(list(documents())), options(sentences=10)) == wanted


def test_a_sentence_that_is_often_there_counts_once():
    often = [("", ["again and again", *(f"sentence number {i}" for i in range(9))] * 50)]
    assert len(choose_texts(often, options(sentences=8))) == 8


def test_sources_share_equally():
    texts = found(sentences=10)
    assert Counter(text[0] for text in texts if text != "Shared by both of them.") in (
        Counter(a=5, b=5),
        Counter(a=4, b=5),
        Counter(a=5, b=4),
        Counter(a=4, b=4),
    )
    assert sum(text.startswith("b") for text in found(sentences=40)) == 8, "all that b has"


@given(st.integers(0, 50), st.lists(st.integers(0, 20), max_size=6))
def test_shares(total, available):
    shares = share_out(total, available)
    assert all(0 <= share <= size for share, size in zip(shares, available))
    assert sum(shares) == min(total, sum(available))
    # nobody could give more to make it more equal
    for share, size in zip(shares, available):
        if share < size:
            assert share >= max(shares, default=0) - 1


def test_phrases_are_cropped_from_sentences_and_new():
    texts = found(phrases=30)
    sentences = found()
    phrases = [text for text in texts if text not in sentences]
    assert len(phrases) == 30 and len(texts) == len(set(texts))
    for phrase in phrases:
        assert 2 <= len(phrase.split()) <= 7
        assert any(f" {phrase} " in f" {sentence} " for sentence in sentences)


def test_where_there_are_few_phrases_there_are_fewer():
    chosen = choose_texts([("", ["one two three"])], options(phrases=100))
    assert sorted(chosen) == [("one two",), ("one two three",), ("two three",)]


def test_the_most_frequent_words():
    sentences = ["The cat and the dog.", "The cat ran by it 1999.", "I saw a x."]
    chosen = choose_texts([("", sentences)], options(words=3))
    assert sorted(text for (text,) in chosen if " " not in text) == ["and", "cat", "the"]


def test_excluded_texts_are_not_chosen_whatever_their_case_and_punctuation():
    excluded = {plain("shared, by both -- of THEM"), "b0x0w0 b0x0w1"}
    chosen = [text for (text,) in choose_texts(documents(), options(phrases=200), excluded)]
    assert not any(plain(text) in excluded for text in chosen)
    assert "Shared by both of them." in [text for (text,) in choose_texts(documents(), options())]


def test_an_excluded_text_is_no_phrase():
    chosen = choose_texts([("", ["One two three"])], options(phrases=100), {"one two"})
    assert sorted(chosen) == [("One two three",), ("two three",)]


def test_neighbours_follow_each_other_and_no_sentence_is_in_two_pairs():
    numbered = [f"sentence number {i}" for i in range(7)]
    some = [("", numbered), ("", ["one of three", "too short", "two of three", "three of three"])]
    chosen = choose_texts(some, options(objective="neighbours"))
    assert sorted(chosen) == [
        *[(numbered[i], numbered[i + 1]) for i in (0, 2, 4)],
        ("two of three", "three of three"),
    ]


def test_a_sentence_is_no_neighbour_of_itself():
    chosen = choose_texts(
        [("", ["an old refrain", "an old refrain", "a new line"])], options(objective="neighbours")
    )
    assert chosen == [("an old refrain", "a new line")]


@pytest.mark.parametrize(
    "objective, message",
    [("distill", "no sentence of 3 to 22 words"), ("neighbours", "no two neighbouring sentences")],
)
def test_nothing_to_choose(objective, message):
    with pytest.raises(ValueError, match=message):
        choose_texts([("a", ["Too short."])], options(objective=objective))


@pytest.mark.parametrize(
    "right, wrong, test",
    [
        ("items[:quota]", "items", test_sources_share_equally),
        ("if number in self.hashes:", "if False:", test_a_sentence_that_is_often_there_counts_once),
        (
            "before is None or before == sentence",
            "before is None",
            test_a_sentence_is_no_neighbour_of_itself,
        ),
        (
            "if not seen.intersection(item):",
            "if True:",
            test_every_sentence_of_the_right_length_once,
        ),
        (
            "or plain(sentence) not in excluded",
            "or sentence not in excluded",
            test_excluded_texts_are_not_chosen_whatever_their_case_and_punctuation,
        ),
        (
            "plain(phrase) not in seen",
            "True",
            test_an_excluded_text_is_no_phrase,
        ),
        (
            "draw.randint(0, len(words) - length)",
            "draw.randint(1, len(words) - length)",
            test_where_there_are_few_phrases_there_are_fewer,
        ),
    ],
)
def test_a_mistake_is_found(right, wrong, test, monkeypatch):
    changed = planted(module, right, wrong)
    monkeypatch.setitem(globals(), "choose_texts", changed.choose_texts)
    with pytest.raises((AssertionError, ValueError, KeyError)):
        test()
