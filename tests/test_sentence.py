"""Sentence vectors: the mean of the real tokens, whatever stands beside them in the batch."""

import pytest
import torch

from minibert import BertConfig, BertModel, WordPieceTokenizer
from minibert.sentence import embed, mean_pool

TOKENIZER = WordPieceTokenizer({token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"])})
TEXTS = ["a", "b c d e f g h", "c d", "h g f", "e"]


@pytest.fixture
def model():
    torch.manual_seed(0)
    return BertModel(BertConfig(vocab_size=13, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16,
                                max_position_embeddings=6, hidden_dropout_prob=0.5))


def test_mean_pool_counts_real_tokens_only():
    hidden = torch.tensor([[[1., 2.], [3., 6.], [99., 99.]], [[5., 5.], [7., 7.], [9., 3.]]])
    mask = torch.tensor([[1, 1, 0], [1, 1, 1]])
    expected = torch.tensor([[2., 4.], [7., 5.]])
    assert torch.equal(mean_pool(hidden, mask), expected)
    assert torch.equal(mean_pool(hidden, mask.bool()), expected)
    assert torch.equal(mean_pool(hidden, torch.zeros(2, 3, dtype=torch.int64)), torch.zeros(2, 2))
    assert mean_pool(hidden.half(), mask).dtype == torch.float16


def test_embed_does_not_depend_on_the_batch(model):
    one_by_one = torch.cat([embed(model, TOKENIZER, [text]) for text in TEXTS])
    for batch_size in (1, 2, 32):
        assert torch.allclose(embed(model, TOKENIZER, TEXTS, batch_size), one_by_one, atol=1e-6)
    assert torch.allclose(one_by_one.norm(dim=-1), torch.ones(5))


def test_embed_leaves_the_model_as_it_was(model):
    assert model.training
    vectors = embed(model, TOKENIZER, TEXTS)
    assert model.training and not vectors.requires_grad
    assert torch.equal(vectors, embed(model.eval(), TOKENIZER, TEXTS)) and not model.training


def test_embed_cuts_what_is_too_long(model):
    assert torch.allclose(embed(model, TOKENIZER, ["b c d e f g h"]), embed(model, TOKENIZER, ["b c d e"]))


@pytest.mark.parametrize("texts", [[], "a text that is not in a list"])
def test_texts_come_in_a_list(model, texts):
    with pytest.raises(ValueError, match="texts must be a list of at least one text"):
        embed(model, TOKENIZER, texts)
