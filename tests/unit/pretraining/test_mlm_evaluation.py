"""Evaluation against loops in plain Python, and against predictors whose score is known beforehand."""

import math
import types

import pytest
import torch
from reference import draw_weights, small_config
from torch import nn

from minibert import BertForMaskedLM, BertForPreTraining, WordPieceTokenizer
from minibert.data import TokenFile, mask_tokens, write_tokens
from minibert.data.masking import (
    ALL_MASK,
    PUBLISHED,
)
from minibert.pretraining.mlm_evaluation import (
    evaluate_mlm,
    evaluate_whole_words,
    pieces_per_word,
    text_sequences,
    unigram_scores,
)

WORDS = [f"w{number}" for number in range(40)]
PIECES = [f"##p{number}" for number in range(16)]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *PIECES]
FIRST_WORD, FIRST_PIECE, END = 5, 45, 61


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Twelve documents of sentences of a few words; a word is one to three pieces; one is longer than a row."""
    generator = torch.Generator().manual_seed(1)

    def draw(low, high):
        return int(torch.randint(low, high, (), generator=generator))

    documents = []
    for _ in range(12):
        document = []
        for _ in range(draw(8, 14)):
            sentence = []
            for _ in range(draw(3, 9)):
                sentence += [
                    draw(FIRST_WORD, FIRST_PIECE),
                    *(draw(FIRST_PIECE, END) for _ in range(draw(0, 3))),
                ]
            document.append(sentence)
        documents.append(document)
    documents.append(
        [[FIRST_WORD, *range(FIRST_PIECE, END), *range(FIRST_PIECE, END)], [FIRST_WORD + 1, 1]]
    )
    path = tmp_path_factory.mktemp("corpus") / "text.tokens"
    write_tokens(path, documents, END)
    return TokenFile(path)


@pytest.fixture(scope="module")
def rows(corpus, tokenizer):
    return text_sequences(corpus, 20, tokenizer)


@pytest.fixture(scope="module")
def model():
    return draw_weights(BertForPreTraining(small_config())).double().eval()


class Oracle(nn.Module):
    """A stand-in that scores, at every position, a word that it was told beforehand: the same in every row."""

    def __init__(self, told):
        super().__init__()
        self.anything = nn.Parameter(torch.zeros(()))
        scores = 30 * nn.functional.one_hot(torch.tensor(told), END).double()  # [S, V]
        self.bert = lambda ids, attention_mask: types.SimpleNamespace(
            last_hidden_state=scores.expand(len(ids), -1, -1)
        )
        self.bert.embeddings = types.SimpleNamespace(
            word_embeddings=types.SimpleNamespace(weight=None)
        )
        self.cls = types.SimpleNamespace(predictions=lambda hidden, table: hidden)


# -- rows --------------------------------------------------------------------------------------------------------------


def test_rows_hold_every_token_once_and_cut_no_word(corpus, rows, tokenizer):
    texts = []
    for row in rows.tolist():
        end = row.index(tokenizer.sep_id)
        assert row[0] == tokenizer.cls_id and set(row[end + 1 :]) <= {tokenizer.pad_id}
        texts.append(row[1:end])
    assert sum(texts, []) == corpus.tokens.tolist()
    assert max(map(len, texts)) == 18
    starts = set(corpus.document_bounds().tolist())
    at = 0
    cut_words = []
    for text in texts:
        if text[0] >= FIRST_PIECE:
            cut_words.append(at)
        assert not any(at < start < at + len(text) for start in starts), "a row holds one document"
        at += len(text)
    assert len(cut_words) == 1 and cut_words[0] > corpus.document_bounds()[-2], (
        "only the word that no row can hold"
    )


def test_a_row_takes_every_word_that_fits(tmp_path, tokenizer):
    word, piece = FIRST_WORD, FIRST_PIECE
    text = [word, word, word, word, word, piece, word, piece, piece, word, piece, word]
    write_tokens(tmp_path / "text", [[text]], END)
    rows = text_sequences(TokenFile(tmp_path / "text"), 7, tokenizer).tolist()
    assert [row[1 : row.index(tokenizer.sep_id)] for row in rows] == [text[:4], text[4:9], text[9:]]


def test_pieces_per_word(rows, tokenizer):
    pieces = [token for row in rows.tolist() for token in row if token >= FIRST_WORD]
    assert pieces_per_word(rows, tokenizer) == len(pieces) / sum(
        token < FIRST_PIECE for token in pieces
    )


def test_rows_need_room(corpus, tokenizer):
    with pytest.raises(ValueError, match="length must be at least 3.*not 2"):
        text_sequences(corpus, 2, tokenizer)


# -- masked words ------------------------------------------------------------------------------------------------------


def by_hand(model, corrupted, labels, pad_id):
    """(loss, number of ids that score at least as high as the true one, without it) of each label; a row at a time."""
    found = []
    for ids, wanted in zip(corrupted.tolist(), labels.tolist()):
        real = [token for token in ids if token != pad_id]
        with torch.no_grad():
            logits = model(torch.tensor([real])).prediction_logits[0].tolist()
        for place, true in enumerate(wanted):
            if true != -100:
                scores = logits[place]
                total = math.log(sum(math.exp(score) for score in scores))
                found.append(
                    (total - scores[true], sum(score >= scores[true] for score in scores) - 1)
                )
    return found


@pytest.mark.parametrize("replace", [ALL_MASK, PUBLISHED])
@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_masked_words_equal_a_plain_loop_whatever_the_batch(
    replace, batch_size, model, rows, tokenizer
):
    corrupted, labels = mask_tokens(
        rows,
        mask_token_id=4,
        vocab_size=END,
        special_ids=range(5),
        replace=replace,
        generator=torch.Generator().manual_seed(3),
    )
    wanted = by_hand(model, corrupted, labels, tokenizer.pad_id)
    scores = evaluate_mlm(model, rows, tokenizer, seed=3, replace=replace, batch_size=batch_size)
    count = len(wanted)
    assert scores.predictions == count > 60
    assert scores.accuracy == sum(rank == 0 for _, rank in wanted) / count
    assert scores.top5 == sum(rank < 5 for _, rank in wanted) / count
    assert scores.loss == pytest.approx(sum(loss for loss, _ in wanted) / count, abs=1e-10)
    assert scores.bits_per_word == pytest.approx(
        scores.loss / math.log(2) * pieces_per_word(rows, tokenizer)
    )


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_whole_words_equal_a_plain_loop_whatever_the_batch(batch_size, model, rows, tokenizer):
    rows = rows[:-4]  # without the word that is longer than a row
    corrupted, labels = rows.clone(), torch.full_like(rows, -100)
    words, number = [], 0
    total = int(((rows >= FIRST_WORD) & (rows < FIRST_PIECE)).sum())
    chosen = torch.rand(total + 1, generator=torch.Generator().manual_seed(5)) < 0.3
    for r, row in enumerate(rows.tolist()):
        for c, token in enumerate(row):
            number += FIRST_WORD <= token < FIRST_PIECE
            if token >= FIRST_WORD and chosen[number]:
                corrupted[r, c], labels[r, c] = tokenizer.mask_id, token
                words.append(number)
    found = {}
    for word, (loss, rank) in zip(
        words, by_hand(model, corrupted, labels, tokenizer.pad_id), strict=True
    ):
        found.setdefault(word, []).append((loss, rank))
    scores = evaluate_whole_words(model, rows, tokenizer, seed=5, rate=0.3, batch_size=batch_size)
    assert scores.words == len(found) > 60
    assert scores.accuracy == sum(
        all(rank == 0 for _, rank in word) for word in found.values()
    ) / len(found)
    assert scores.bits_per_word == pytest.approx(
        sum(loss for word in found.values() for loss, _ in word) / len(found) / math.log(2)
    )


def test_a_perfect_predictor_scores_one(tokenizer):
    """The bug clinic's M6: hits divided by all positions instead of the predicted ones make this 0.15."""
    row = [2, *range(FIRST_WORD, FIRST_WORD + 8), FIRST_PIECE, FIRST_PIECE + 1, 3]
    rows = torch.tensor(row).expand(50, -1)
    for replace in (ALL_MASK, PUBLISHED):
        scores = evaluate_mlm(Oracle(row), rows, tokenizer, seed=0, replace=replace)
        assert scores.accuracy == scores.top5 == 1 and scores.loss == pytest.approx(0, abs=1e-9)
    whole = evaluate_whole_words(Oracle(row), rows, tokenizer, seed=0)
    assert whole.accuracy == 1 and whole.bits_per_word == pytest.approx(0, abs=1e-8)


def test_one_wrong_piece_makes_a_word_wrong(tokenizer):
    row = [
        2,
        FIRST_WORD,
        FIRST_PIECE,
        FIRST_WORD + 1,
        FIRST_WORD + 2,
        3,
    ]  # three words, the first of two pieces
    told = [
        2,
        FIRST_WORD,
        FIRST_PIECE + 1,
        FIRST_WORD + 1,
        FIRST_WORD + 2,
        3,
    ]  # wrong about its second piece
    rows = torch.tensor(row).expand(400, -1)
    assert evaluate_whole_words(
        Oracle(told), rows, tokenizer, seed=0, rate=0.5
    ).accuracy == pytest.approx(2 / 3, abs=0.06)
    assert evaluate_mlm(Oracle(told), rows, tokenizer, seed=0, rate=0.5).accuracy == pytest.approx(
        3 / 4, abs=0.05
    )


def test_a_model_that_scores_all_words_alike_has_found_none(tokenizer):
    rows = torch.tensor([2, *range(FIRST_WORD, FIRST_WORD + 8), 3]).expand(20, -1)
    silent = Oracle([0] * 10)
    silent.cls.predictions = lambda hidden, table: torch.zeros_like(hidden)
    scores = evaluate_mlm(silent, rows, tokenizer, seed=0)
    assert scores.accuracy == scores.top5 == 0 and scores.loss == pytest.approx(math.log(END))


def test_the_unigram_guess_counts_and_looks_at_nothing_else(rows, tokenizer):
    scores = unigram_scores(rows, tokenizer, seed=3)
    _, labels = mask_tokens(
        rows,
        mask_token_id=4,
        vocab_size=END,
        special_ids=range(5),
        generator=torch.Generator().manual_seed(3),
    )
    pieces = [token for row in rows.tolist() for token in row if token >= FIRST_WORD]
    true = [token for row in labels.tolist() for token in row if token != -100]
    common = sorted(set(pieces), key=lambda token: (-pieces.count(token), token))
    assert scores.predictions == len(true)
    assert scores.accuracy == sum(token == common[0] for token in true) / len(true)
    assert scores.top5 == sum(token in common[:5] for token in true) / len(true)
    assert scores.loss == pytest.approx(
        -sum(math.log(pieces.count(token) / len(pieces)) for token in true) / len(true)
    )


def test_the_models_mode_and_both_classes(model, rows, tokenizer):
    masked = BertForMaskedLM(small_config(hidden_dropout_prob=0.5)).double()
    masked.load_state_dict(model.state_dict(), strict=False)
    masked.train()  # dropout would be felt
    assert evaluate_mlm(masked, rows, tokenizer, seed=0) == evaluate_mlm(
        model, rows, tokenizer, seed=0
    )
    assert masked.training and not model.training


def test_nothing_hidden_is_an_error(model, rows, tokenizer):
    with pytest.raises(ValueError, match="nothing was masked"):
        evaluate_mlm(model, rows, tokenizer, seed=0, rate=0.0)
    with pytest.raises(ValueError, match="no word was masked: rate 0.0"):
        evaluate_whole_words(model, rows, tokenizer, seed=0, rate=0.0)
