"""Pseudo-log-likelihoods: against a loop that masks one token at a time, and with a head that counts."""

import pytest
import torch
from reference import draw_weights, small_config

import minibert
from minibert import BertForMaskedLM, BertForPreTraining, BertModel, InputError, WordPieceTokenizer
from minibert.inference.checks import UnknownWordsWarning
from minibert.inference.pseudo_likelihood import score_sentences

PIECES = [f"##p{number}" for number in range(6)]
VOCABULARY = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *(f"w{number}" for number in range(50)),
    *PIECES,
]
TEXTS = [
    "w1 w2 w3",
    "w7p1p2 w1",  # the pieces of one word, then another word
    "w4",
    "w9 w8 w7 w6 w5 w4 w3 w2 w1 w0 w11 w12 w13 w14 w15",
    "w3p0 w3p1p2p3 w9 nonsense w2p5",  # [UNK] is a token as any other
    "w1 w2 w3",
]


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})


@pytest.fixture(params=[BertForMaskedLM, BertForPreTraining])
def model(request):
    return draw_weights(request.param(small_config())).eval()


@torch.no_grad()
def one_at_a_time(model, tokenizer, text, within_word):
    """The definition: a sequence, a mask, a softmax for every token."""
    ids = tokenizer.encode(text)
    found = []
    for place in range(1, len(ids) - 1):
        masked = list(ids)
        masked[place] = tokenizer.mask_id
        later = place + 1
        while within_word and tokenizer.id_to_token(ids[later]).startswith("##"):
            masked[later] = tokenizer.mask_id
            later += 1
        outputs = model(torch.tensor([masked]))
        logits = (
            outputs.logits if isinstance(model, BertForMaskedLM) else outputs.prediction_logits
        )  # [1, S, V]
        found.append(float(logits[0, place].log_softmax(0)[ids[place]]))
    return found


@pytest.mark.parametrize("within_word", [False, True])
@pytest.mark.parametrize("batch_tokens", [1, 40, 4096])
def test_the_scores_are_those_of_the_definition(model, tokenizer, within_word, batch_tokens):
    scores = score_sentences(
        model, tokenizer, TEXTS, within_word=within_word, batch_tokens=batch_tokens
    )
    assert [score.tokens for score in scores] == [tokenizer.tokenize(text) for text in TEXTS]
    for text, score in zip(TEXTS, scores, strict=True):
        expected = one_at_a_time(model, tokenizer, text, within_word)
        assert score.log_probabilities == pytest.approx(expected, abs=1e-5)
        assert score.total == pytest.approx(sum(expected), abs=1e-5)
        assert score.per_token == pytest.approx(sum(expected) / len(expected), abs=1e-5)


def test_within_word_changes_words_of_several_pieces_only(model, tokenizer):
    plain = score_sentences(model, tokenizer, TEXTS)
    masked = score_sentences(model, tokenizer, TEXTS, within_word=True)
    for one, other in zip(plain, masked, strict=True):
        for place, (before, after) in enumerate(
            zip(one.log_probabilities, other.log_probabilities, strict=True)
        ):
            next_token = (*one.tokens, "")[place + 1]
            assert (abs(before - after) > 1e-4) == next_token.startswith("##")


def test_dropout_is_off_and_the_mode_is_kept(tokenizer):
    model = draw_weights(BertForMaskedLM(small_config(hidden_dropout_prob=0.5))).train()
    one, other = (score_sentences(model, tokenizer, TEXTS) for _ in range(2))
    assert one == other and model.training


def test_the_head_runs_at_the_masked_positions_only_and_batches_are_full(tokenizer):
    model = draw_weights(BertForMaskedLM(small_config())).eval()
    seen, sizes = [], []
    model.cls.predictions.register_forward_hook(lambda *call: seen.append(call[1][0].shape))
    model.bert.register_forward_hook(lambda *call: sizes.append(call[1][0].shape))
    score_sentences(model, tokenizer, TEXTS, batch_tokens=60)
    tokens = sum(len(tokenizer.tokenize(text)) for text in TEXTS)
    assert sum(shape[0] for shape in seen) == tokens and {len(shape) for shape in seen} == {2}
    assert all(rows * length <= 60 for rows, length in sizes)
    assert sum(rows for rows, _ in sizes) == tokens and len(sizes) < tokens / 2
    assert [length for _, length in sizes] == sorted(length for _, length in sizes)


def test_a_model_without_positions_has_no_limit(tokenizer):
    config = small_config(position_embedding_type="none")
    long = "w1 " * (config.max_position_embeddings + 5)
    [score] = score_sentences(BertForMaskedLM(config).eval(), tokenizer, [long])
    assert len(score.tokens) == config.max_position_embeddings + 5


def test_unknown_words_are_told(model, tokenizer):
    with pytest.warns(UnknownWordsWarning, match="1 of 2 texts hold words that the vocabulary"):
        score_sentences(model, tokenizer, ["w1 w2", "w1 nonsense"])


def test_no_texts(tokenizer):
    assert score_sentences(BertForMaskedLM(small_config()), tokenizer, []) == []


@pytest.mark.parametrize(
    "texts, message",
    [
        ("w1 w2", "texts must be a list of texts, not 'w1 w2'"),
        (["w1", " "], "text 2 has no tokens: ' '"),
        (["w1 [MASK]"], r"text 1 holds \[MASK\], which has no probability as a word"),
        (["w1", "w2 [SEP] w3"], r"text 2 holds \[SEP\]"),
        (
            ["w1 " * 19],
            r"text 1 has 21 tokens with \[CLS\] and \[SEP\].*the model has 20 positions",
        ),
    ],
)
def test_bad_texts_are_named(texts, message, tokenizer):
    with pytest.raises(InputError, match=message):
        score_sentences(BertForMaskedLM(small_config()), tokenizer, texts)


def test_other_errors(tokenizer):
    with pytest.raises(InputError, match="a BertModel has no masked-language-model head"):
        score_sentences(BertModel(small_config()), tokenizer, ["w1"])
    with pytest.raises(InputError, match="batch_tokens must be at least 1, not 0"):
        score_sentences(BertForMaskedLM(small_config()), tokenizer, ["w1"], batch_tokens=0)


def test_a_tokenizer_of_another_model_and_weights_that_are_nan(tokenizer):
    with pytest.raises(InputError, match="the tokenizer has 61 tokens, .* vocab_size is 60"):
        score_sentences(BertForMaskedLM(small_config(vocab_size=60)), tokenizer, ["w1"])
    model = BertForMaskedLM(small_config())
    with torch.no_grad():
        model.bert.encoder.layer[0].output.dense.bias[0] = torch.nan
    with pytest.raises(InputError, match="NaN or infinite.*encoder.layer.0.output.dense.bias"):
        score_sentences(model, tokenizer, ["w1"])


def test_the_longest_text_that_fits(tokenizer):
    model = BertForMaskedLM(small_config()).eval()
    [score] = score_sentences(model, tokenizer, ["w1 " * 18])
    assert len(score.tokens) == 18


# -- minibert.score ----------------------------------------------------------------------------------------------------

PAIR = ["The children were playing in the garden.", "The children was playing in the garden."]


def test_one_call_prefers_the_grammatical_sentence():
    scores = minibert.score(PAIR)
    assert scores.shape == (2,) and scores.dtype == torch.float32 and scores[0] > scores[1]
    assert torch.allclose(minibert.score(PAIR[1:]), scores[1:], atol=1e-4)
    assert minibert.score(text for text in PAIR).equal(scores)
    assert minibert.score([]).shape == (0,) and minibert.score([]).dtype == torch.float32


def test_one_call_takes_a_model_and_a_variant():
    model = minibert.from_pretrained("minibert-small")
    tokenizer = WordPieceTokenizer.from_pretrained("minibert-small")
    texts = ["The unforgettable xylophonist smiled.", *PAIR]
    plain, word = minibert.score(texts, model=model), minibert.score(texts, within_word=True)
    expected = [sum(one_at_a_time(model, tokenizer, text, False)) for text in texts]
    assert plain.tolist() == pytest.approx(expected, abs=1e-3)
    expected = [sum(one_at_a_time(model, tokenizer, text, True)) for text in texts]
    assert word.tolist() == pytest.approx(expected, abs=1e-3)
    assert word[0] < plain[0] - 1  # its pieces give each other away


def test_one_call_refuses_one_string():
    with pytest.raises(InputError, match="texts must be a list of texts"):
        minibert.score(PAIR[0])
