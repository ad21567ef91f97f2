"""A document to scores: windows against truncation, what was read and how much of it, modes left as
they were."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import draw_weights, small_config

from minibert import BertModel, WordPieceTokenizer
from minibert.summarization import (
    BertSumExt,
    best_places,
    collate,
    encode_document,
    encode_windows,
    score_document,
    select_sentences,
    summarize,
)

TOKENIZER = WordPieceTokenizer(
    {
        token: n
        for n, token in enumerate(
            ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c", "d", "##d")
        )
    }
)
LENGTH = 20  # positions of the small model


def make(head="classifier", vector="cls", segments=True, **sizes):
    bert = draw_weights(BertModel(small_config(vocab_size=12)))
    return draw_weights(BertSumExt(bert, head, vector, segments, **sizes), seed=1).eval()


MODEL = make("transformer", feedforward_size=40, num_heads=4)
SENTENCES = st.lists(
    st.lists(st.sampled_from("abcd"), max_size=25).map(" ".join), min_size=1, max_size=12
).filter(lambda found: any(found))


def tokens_of(sentence):
    """Its tokens with a [CLS] and a [SEP], 0 where it has no piece."""
    pieces = len(TOKENIZER.encode(sentence, add_special_tokens=False))
    return pieces + 2 if pieces else 0


@settings(deadline=None, max_examples=50)
@given(SENTENCES, st.booleans())
def test_what_was_read_is_counted_right(sentences, windows):
    found = score_document(MODEL, TOKENIZER, sentences, windows=windows)
    sizes = [tokens_of(sentence) for sentence in sentences]
    assert len(found.scores) == len(sentences)
    assert found.tokens == sum(sizes)
    if windows:
        assert all((score > -math.inf) == (size > 0) for score, size in zip(found.scores, sizes))
        assert found.sentences_cut == [n for n, size in enumerate(sizes) if size > LENGTH]
        assert found.tokens_read == sum(min(size, LENGTH) for size in sizes)
        assert found.windows == len(encode_windows(sentences, TOKENIZER, LENGTH))
    else:
        document = encode_document(sentences, TOKENIZER, LENGTH)
        assert [
            n for n, score in enumerate(found.scores) if score > -math.inf
        ] == document.sentences
        assert found.sentences_cut == document.sentences[-1:] * document.cut
        assert found.tokens_read == len(document.input_ids) and found.windows == 1
    assert found.sentences_read == sum(score > -math.inf for score in found.scores)
    assert all(0 < score < 1 for score in found.scores if score > -math.inf)


@pytest.mark.parametrize("vector", ["cls", "mean"])
@pytest.mark.parametrize("segments", [True, False])
def test_both_ways_agree_where_the_document_fits(vector, segments):
    model = make("transformer", vector, segments, feedforward_size=40, num_heads=4)
    sentences = ["a b c", "", "d dd", "b b b b"]
    whole, beginning = (
        score_document(model, TOKENIZER, sentences, windows=windows) for windows in (True, False)
    )
    assert (
        whole == beginning
        and whole.windows == 1
        and whole.sentences_cut == []
        and whole.tokens == whole.tokens_read
    )
    encoded = collate([encode_document(sentences, TOKENIZER, segments=segments)])
    with torch.no_grad():
        wanted = model(**encoded).scores[0]
    torch.testing.assert_close(torch.tensor(whole.scores)[[0, 2, 3]], wanted)


@pytest.mark.parametrize("vector", ["cls", "mean"])
def test_each_score_is_from_the_window_that_shows_most(vector):
    """With the classifier, whose scores of other sentences do not matter, window by window."""
    model = make(vector=vector)
    sentences = [" ".join("abcd"[(n + k) % 4] for k in range(1 + n % 6)) for n in range(60)]
    windows = encode_windows(sentences, TOKENIZER, LENGTH)
    assert len(windows) > 16  # more than two batches
    found = score_document(model, TOKENIZER, sentences)
    with torch.no_grad():
        alone = [model(**collate([window])).scores[0] for window in windows]
    for n, (window, place) in best_places(windows).items():
        assert found.scores[n] == pytest.approx(alone[window][place].item(), abs=1e-6)


def test_the_head_sees_all_sentences_of_all_windows_at_once():
    sentences = [" ".join("abcd"[(n * k + k) % 4] for k in range(1 + n % 5)) for n in range(30)]
    windows = encode_windows(sentences, TOKENIZER, LENGTH)
    with torch.no_grad():
        vectors = [MODEL.sentence_vectors(**collate([window]))[0] for window in windows]
        places = best_places(windows)
        document = torch.stack([vectors[places[n][0]][places[n][1]] for n in range(30)])[None]
        wanted = MODEL.head(document, torch.ones(1, 30, dtype=bool))[0]
    torch.testing.assert_close(
        torch.tensor(score_document(MODEL, TOKENIZER, sentences).scores), wanted, rtol=0, atol=1e-5
    )


def test_one_sentence_and_one_that_is_longer_than_the_window():
    assert score_document(MODEL, TOKENIZER, ["a b"]).sentences_read == 1
    for windows in (True, False):
        found = score_document(MODEL, TOKENIZER, ["a " * 50], windows=windows)
        assert (found.tokens, found.tokens_read, found.sentences_cut, found.windows) == (
            52,
            20,
            [0],
            1,
        )


@pytest.mark.parametrize("windows", [True, False])
def test_a_document_without_text(windows):
    for sentences in ([], [""], [" ", "\x00"]):
        with pytest.raises(ValueError, match="the document has no text"):
            score_document(MODEL, TOKENIZER, sentences, windows=windows)


def test_every_part_of_the_model_keeps_its_mode():
    """A frozen encoder in eval mode under a head that is being trained: neither may change, whether
    all goes well or not."""
    model = make("rnn")
    model.train()
    model.bert.eval()
    before = [module.training for module in model.modules()]
    assert True in before and False in before
    first = score_document(model, TOKENIZER, ["a b", "c"])
    assert [module.training for module in model.modules()] == before
    model.head.dropout.p = 0.9
    assert score_document(model, TOKENIZER, ["a b", "c"]) == first  # in eval mode meanwhile

    def broken(*_):
        raise ArithmeticError

    model.head.recurrent = broken
    with pytest.raises(ArithmeticError):
        score_document(model, TOKENIZER, ["a b", "c"])
    assert [module.training for module in model.modules()] == before


def test_no_gradient_is_kept():
    score_document(MODEL, TOKENIZER, ["a b", "c"])
    assert all(parameter.grad is None for parameter in MODEL.parameters())


def test_progress_is_shown_when_asked_for(capsys):
    score_document(MODEL, TOKENIZER, ["a b c d"] * 40, progress=True)
    assert "Reading" in capsys.readouterr().err
    score_document(MODEL, TOKENIZER, ["a b c d"] * 40)
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------- summaries


def test_a_summary_is_the_choice_from_the_scores():
    sentences = ["a b c", "", "d d d d", "b a", "a b c", "c d a"]
    for k, blocking in ((1, True), (3, True), (3, False), (9, False)):
        summary = summarize(MODEL, TOKENIZER, sentences, k, block_trigrams=blocking)
        assert summary.document == score_document(MODEL, TOKENIZER, sentences)
        assert (
            summary.chosen == select_sentences(summary.document.scores, sentences, k, blocking)
            and 1 not in summary.chosen
        )
    best = max(range(6), key=lambda n: summary.document.scores[n])
    assert summarize(MODEL, TOKENIZER, sentences, 1).chosen == [best]


def test_what_was_not_read_is_not_chosen():
    sentences = ["a b c"] * 3 + ["d"] * 40
    summary = summarize(MODEL, TOKENIZER, sentences, 40, block_trigrams=False, windows=False)
    assert (
        summary.chosen == list(range(summary.document.sentences_read)) and len(summary.chosen) < 10
    )
    assert len(summarize(MODEL, TOKENIZER, sentences, 43, block_trigrams=False).chosen) == 43


@pytest.mark.parametrize("head", ["transformer", "rnn"])
def test_thousands_of_sentences(head):
    model = make(
        head, **({"feedforward_size": 40, "num_heads": 4} if head == "transformer" else {})
    )
    found = score_document(model, TOKENIZER, ["a b c d a b"] * 1500)
    assert found.sentences_read == 1500 and found.tokens_read == 1500 * 8 and found.windows > 700
