"""Sentence vectors: the mean of the real tokens, whatever stands beside them in the batch."""

import copy
import json
import warnings

import pytest
import torch
from reference import TOLERANCE, draw_weights, reference_twin, small_config

from minibert import BertConfig, BertModel, WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.config import InputError
from minibert.inference import sentence_embeddings
from minibert.inference.checks import UnknownWordsWarning
from minibert.inference.sentence_embeddings import (
    BertForSentenceSimilarity,
    embed,
    mean_pool,
    open_encoder,
)

TOKENIZER = WordPieceTokenizer(
    {
        token: i
        for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"])
    }
)
TEXTS = ["a", "b c d e f g h", "c d", "h g f", "e"]


@pytest.fixture
def model():
    torch.manual_seed(0)
    return BertModel(
        BertConfig(
            vocab_size=13,
            hidden_size=8,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=6,
            hidden_dropout_prob=0.5,
        )
    )


def test_mean_pool_counts_real_tokens_only():
    hidden = torch.tensor(
        [[[1.0, 2.0], [3.0, 6.0], [99.0, 99.0]], [[5.0, 5.0], [7.0, 7.0], [9.0, 3.0]]]
    )
    mask = torch.tensor([[1, 1, 0], [1, 1, 1]])
    expected = torch.tensor([[2.0, 4.0], [7.0, 5.0]])
    assert torch.equal(mean_pool(hidden, mask), expected)
    assert torch.equal(mean_pool(hidden, mask.bool()), expected)
    assert torch.equal(
        mean_pool(hidden, torch.tensor([[0, 1, 0], [1, 0, 0]])),
        torch.tensor([[3.0, 6.0], [5.0, 5.0]]),
    )  # of one, itself
    assert torch.equal(mean_pool(hidden, torch.zeros(2, 3, dtype=torch.int64)), torch.zeros(2, 2))
    assert mean_pool(hidden.half(), mask).dtype == torch.float16
    for wrong in (mask[:1], mask[:, 1:], mask[0], hidden):
        with pytest.raises(InputError, match=r"attention_mask \[batch, tokens\], not \[2, 3, 2\]"):
            mean_pool(hidden, wrong)


def test_embed_does_not_depend_on_the_batch(model):
    one_by_one = torch.cat([embed(model, TOKENIZER, [text]) for text in TEXTS])
    for batch_size in (1, 2, 32):
        assert torch.allclose(embed(model, TOKENIZER, TEXTS, batch_size), one_by_one, atol=1e-6)
    assert torch.allclose(one_by_one.norm(dim=-1), torch.ones(5))


def test_embed_takes_a_tokenizer_that_returns_a_plain_dict(model):
    def tokenizer(texts, max_length):
        return dict(TOKENIZER(texts, max_length=max_length))

    assert torch.equal(embed(model, tokenizer, TEXTS), embed(model, TOKENIZER, TEXTS))


def test_embed_leaves_the_model_as_it_was(model):
    assert model.training
    vectors = embed(model, TOKENIZER, TEXTS)
    assert model.training and not vectors.requires_grad
    assert torch.equal(vectors, embed(model.eval(), TOKENIZER, TEXTS)) and not model.training


def test_embed_cuts_what_is_too_long_and_says_so(model):
    with pytest.warns(UserWarning, match="only the first 6 tokens of 1 of 2 texts were read"):
        vectors = embed(model, TOKENIZER, ["b c d e f g h", "b c d e"])
    assert torch.allclose(vectors[0], vectors[1], atol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embed(model, TOKENIZER, ["b c d e", "a"])


def test_embed_tells_of_texts_without_a_known_word(model):
    with pytest.warns(UnknownWordsWarning, match="2 of 3 texts .* unknown words only.*'x y'"):
        embed(model, TOKENIZER, ["a x", "x y", "你好"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embed(model, TOKENIZER, ["a x", "b"])


POOLINGS = {
    "as embed does it": (["Transformer", "Pooling", "Normalize"], {"mean_tokens": True}, None),
    "without a length of 1": (["Transformer", "Pooling"], {"mean_tokens": True}, None),
    "another pooling": (
        ["Transformer", "Pooling"],
        {"mean_tokens": False, "cls_token": True},
        "made with pooling_mode_cls_token",
    ),
    "two poolings": (
        ["Transformer", "Pooling"],
        {"mean_tokens": True, "max_tokens": True},
        "made with pooling_mode_max_tokens",
    ),
    "a layer behind it": (
        ["Transformer", "Pooling", "Dense"],
        {"mean_tokens": True},
        "made with Dense",
    ),
}


@pytest.mark.parametrize("name", POOLINGS)
def test_a_model_that_makes_its_vectors_in_another_way_is_said(name, model, tmp_path):
    """Folders of sentence-transformers say so in modules.json and 1_Pooling."""
    modules, modes, said = POOLINGS[name]
    save_pretrained(model, tmp_path, TOKENIZER)
    modules = [{"type": f"sentence_transformers.models.{module}"} for module in modules]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "1_Pooling").mkdir()
    modes = {f"pooling_mode_{mode}": value for mode, value in modes.items()}
    modes["word_embedding_dimension"] = 8
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        opened, _ = open_encoder(tmp_path)
    assert len(raised) == (said is not None)
    assert all(said in str(warning.message) for warning in raised)
    assert torch.equal(embed(opened, TOKENIZER, TEXTS[:1]), embed(model, TOKENIZER, TEXTS[:1]))


def test_texts_come_in_a_list(model):
    with pytest.raises(ValueError, match="texts must be a list of texts"):
        embed(model, TOKENIZER, "a text that is not in a list")


def test_batches_of_similar_length_give_every_text_its_own_vector(model, monkeypatch):
    """Sorting, several rounds of tokenizing and a small budget change neither order nor result."""
    draw = torch.Generator().manual_seed(0)
    texts = [
        " ".join("abcdefgh"[i] for i in torch.randint(0, 8, (1 + n % 4,), generator=draw).tolist())
        for n in range(30)
    ]
    one_by_one = torch.cat([embed(model, TOKENIZER, [text]) for text in texts])
    monkeypatch.setattr(sentence_embeddings, "TOKENIZED", 7)
    monkeypatch.setattr("minibert.inference.unpadded.TOKEN_BUDGET", 12)
    for size in (None, 3):
        assert torch.allclose(embed(model, TOKENIZER, texts, size), one_by_one, atol=1e-6)


def test_vectors_can_be_trained_on(model):
    vectors = embed(model, TOKENIZER, TEXTS)
    torch.nn.Linear(8, 1)(vectors).sum().backward()


def test_embed_in_bfloat16_is_close_and_float32(model):
    expected = embed(model, TOKENIZER, TEXTS)
    found = embed(model, TOKENIZER, TEXTS, dtype=torch.bfloat16)
    assert found.dtype == torch.float32 and not torch.equal(found, expected)
    assert (found * expected).sum(-1).min() > 0.999
    with pytest.raises(InputError, match="dtype must be torch.float32 or torch.bfloat16"):
        embed(model, TOKENIZER, TEXTS, dtype=torch.float16)
    with pytest.raises(InputError, match="in another format than torch.float16"):
        embed(copy.deepcopy(model).half(), TOKENIZER, TEXTS, dtype=torch.bfloat16)


def test_embed_takes_padding_on_the_left(model):
    class Left(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.config, self.inner = model.config, model

        def forward(self, **batch):
            return self.inner(**batch)

    def tokenizer(texts, max_length):
        batch = TOKENIZER(texts, max_length=max_length)
        return {name: tensor.flip(1) for name, tensor in batch.items()}

    texts = ["a", "b c", "d e f"]
    together = tokenizer(texts, max_length=6)
    with torch.no_grad():
        hidden = model.eval()(**together).last_hidden_state
    expected = torch.nn.functional.normalize(mean_pool(hidden, together["attention_mask"]), dim=-1)
    for size in (None, 1):  # one at a time, the columns of padding are still on the left
        assert torch.allclose(embed(Left(), tokenizer, texts, size), expected, atol=1e-6)


def test_a_batch_size_is_not_exceeded(model):
    seen = []
    model.register_forward_pre_hook(
        lambda module, args, given: seen.append(len(given["input_ids"])), with_kwargs=True
    )
    embed(model, TOKENIZER, TEXTS, 2)
    embed(model, TOKENIZER, TEXTS)
    assert seen == [2, 2, 1, 5]


# -- BertForSentenceSimilarity -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_similarity_equals_the_reference_and_its_formula(dtype):
    """Two passes through the reference's encoder, means by a loop, cosine and squared error by torch's own functions."""
    model = draw_weights(BertForSentenceSimilarity(small_config())).to(dtype).eval()
    twin = reference_twin(model.bert)
    ids = torch.randint(0, 61, (3, 2, 9), generator=torch.Generator().manual_seed(3))
    lengths = torch.tensor([[9, 4], [2, 7], [5, 5]])
    mask = (torch.arange(9) < lengths[..., None]).long()
    wanted = torch.tensor([0.9, -0.2, 0.3], dtype=dtype)
    out = model(ids, token_type_ids=torch.zeros_like(ids), attention_mask=mask, labels=wanted)

    cosines = []
    for pair, sizes in zip(ids, lengths.tolist()):
        one, other = (
            twin(row[None, :size]).last_hidden_state[0].mean(0) for row, size in zip(pair, sizes)
        )
        cosines.append(torch.cosine_similarity(one, other, dim=0))
    loss = torch.nn.MSELoss()(torch.stack(cosines), wanted)
    assert (out.logits - torch.stack(cosines)).abs().max() < TOLERANCE[dtype]
    assert abs(out.loss - loss) < TOLERANCE[dtype]
    out.loss.backward(), loss.backward()
    theirs = dict(twin.named_parameters())
    for name, parameter in model.bert.named_parameters():
        scale = max(1.0, float(theirs[name].grad.abs().max()))
        assert (parameter.grad - theirs[name].grad).abs().max() < TOLERANCE[dtype] * scale, name


def test_similarity_is_the_dot_product_of_embed_and_survives_a_save(model, tmp_path):
    twins = BertForSentenceSimilarity(model.config).eval()
    batch = TOKENIZER(["a b", "c d e"])
    cosine = twins(**{name: tensor[None] for name, tensor in batch.items()}).logits
    one, other = embed(twins.bert, TOKENIZER, ["a b", "c d e"])
    assert torch.allclose(cosine, one @ other, atol=1e-6)
    save_pretrained(twins, tmp_path / "saved", TOKENIZER)
    opened = from_pretrained(tmp_path / "saved")
    assert type(opened) is BertForSentenceSimilarity
    assert torch.equal(
        opened(**{name: tensor[None] for name, tensor in batch.items()}).logits, cosine
    )
    with pytest.warns(UserWarning, match="bert.pooler"):
        assert torch.allclose(
            embed(from_pretrained(tmp_path / "saved", BertModel), TOKENIZER, ["a b"])[0],
            one,
            atol=1e-6,
        )


def test_similarity_takes_pairs_only(model):
    with pytest.raises(
        ValueError, match=r"input_ids must have the shape \[batch, 2, tokens\], not \[4, 3, 5\]"
    ):
        BertForSentenceSimilarity(model.config)(torch.zeros(4, 3, 5, dtype=torch.int64))


def test_embed_takes_a_model_that_a_reader_wrote(model):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.config, self.inner = model.config, model

        def forward(self, input_ids, token_type_ids=None, attention_mask=None):
            return self.inner(
                input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask
            )

    expected = embed(model, TOKENIZER, TEXTS)  # without padding
    assert torch.allclose(embed(Mine(), TOKENIZER, TEXTS), expected, atol=1e-6)


@pytest.mark.parametrize("shape", [(3, 1), (1,), ()])
def test_labels_of_another_shape_are_refused(shape):
    model = BertForSentenceSimilarity(BertConfig.preset("tiny", 50))
    with pytest.raises(ValueError, match=r"labels must have the shape \[3\]"):
        model(torch.randint(1, 50, (3, 2, 4)), labels=torch.zeros(shape))
