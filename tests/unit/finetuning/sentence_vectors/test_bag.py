"""The bag of word pieces: the least squares that numpy finds, and an encoder that computes it."""

import dataclasses

import numpy as np
import pytest
import torch
from planted_source import planted
from tiny_sentences import PRE_NORM, TOKENIZER, TRUNK, make_texts

from minibert import BertModel
from minibert.finetuning.sentence_vectors import bag as module
from minibert.finetuning.sentence_vectors.bag import fit_bag, start_from_bag
from minibert.inference.sentence_embeddings import embed

TEXTS = [item[0] for item in make_texts(60).items]
PIECES = TOKENIZER.encode_texts(TEXTS)
V = len(TOKENIZER)


def targets(width: int = 14) -> torch.Tensor:
    return torch.randn(60, width, generator=torch.Generator().manual_seed(0))


def check_ridge(module) -> None:
    """Ridge regression as plain least squares with rows √ridge · I below (numpy's own solver)."""
    bags = np.zeros((60, V))
    for row, ids in enumerate(PIECES):
        for piece in ids:
            bags[row, piece] += 1 / len(ids)
    below = np.sqrt(0.3) * np.eye(V)
    wanted, *_ = np.linalg.lstsq(
        np.vstack([bags, below]), np.vstack([targets().numpy(), np.zeros((V, 14))]), rcond=None
    )
    found = module.fit_bag(PIECES, targets(), V, 0.3)
    assert found.dtype == torch.float32
    assert np.allclose(found.numpy(), wanted, atol=1e-4)


def test_the_table_is_the_ridge_regression():
    check_ridge(module)


def test_unseen_pieces_and_empty_texts():
    table = fit_bag([[5, 6], []], torch.ones(2, 3), V, 0.3)
    assert not table[[0, 4, 7]].any() and table[5].all()


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("1 / len(ids)", "1.0"),
        ("add_(ridge)", "add_(ridge**2)"),
        ("torch.sparse.mm(columns, bags)", "torch.sparse.mm(columns, bags * 2)"),
    ],
)
def test_a_mistake_in_the_regression_is_found(right, wrong):
    with pytest.raises(AssertionError):
        check_ridge(planted(module, right, wrong))


@pytest.mark.parametrize(
    "pieces, ridge, message",
    [(PIECES[:3], 0.3, "3 texts, but targets for 60"), (PIECES, 0.0, "ridge must be above 0")],
)
def test_what_cannot_be_fitted(pieces, ridge, message):
    with pytest.raises(ValueError, match=message):
        fit_bag(pieces, targets(), V, ridge)


def check_start(module) -> None:
    """The encoder's vectors point where the mean of the table's rows points, whatever the order of the words."""
    config = dataclasses.replace(PRE_NORM, hidden_size=128)
    table = torch.randn(V, 126, generator=torch.Generator().manual_seed(1)) * 0.1
    table *= torch.arange(1, V + 1)[:, None] / V  # rare words are long, common ones short
    table[[TOKENIZER.cls_id, TOKENIZER.sep_id]] = 0  # as in every table that `fit_bag` makes
    torch.manual_seed(0)
    model = BertModel(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_()  # nothing of the trunk may matter
    module.start_from_bag(model, table)
    found = embed(model, TOKENIZER, TEXTS)
    bags = torch.stack([table[torch.tensor(ids)].mean(0) for ids in PIECES])
    cosines = torch.cosine_similarity(found[:, :126], bags)
    assert cosines.min() > 0.95 and cosines.mean() > 0.98
    assert not found[:, 126:].any()
    turned = embed(
        model, TOKENIZER, [" ".join(reversed(text[:-1].split())) + "." for text in TEXTS]
    )
    assert torch.allclose(found, turned, atol=1e-5)
    with torch.no_grad():
        embedded = model.embeddings(TOKENIZER(TEXTS[0])["input_ids"])[0, 1:-1]  # [S, H]
        read = model.encoder.layer[0].attention.output.LayerNorm(embedded)  # [S, H]
    assert 0.3 < read[:, :126].square().mean().sqrt() < 3 and not read[:, 126:].any()
    for layer in model.encoder.layer:
        assert 0.01 < layer.intermediate.dense.weight.std() < 0.03, "fresh"


def test_the_encoder_computes_the_bag():
    check_start(module)


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("part.weight.zero_()", "pass"),
        ("nn.init.zeros_(sublayer.dense.weight)", "pass"),
        ("sublayer.LayerNorm.weight[:width] = scale", "pass"),
        ("sublayer.LayerNorm.weight[width:] = 0", "pass"),
        ("constant = scale * (", "constant = ("),
        ("module.reset_parameters()", "pass"),
        ("(config.hidden_size / 2) ** 0.5", "0.0"),
        ("model.encoder.norm.weight[width:] = 0", "pass"),
    ],
)
def test_a_mistake_in_the_start_is_found(right, wrong):
    with pytest.raises(AssertionError):
        check_start(planted(module, right, wrong))


def test_every_weight_learns_after_two_steps():
    """The layers change nothing at first, but they get gradients: first the last maps, then all."""
    model = BertModel(PRE_NORM, add_pooling_layer=False).train()
    start_from_bag(model, torch.randn(V, 14))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    batch = TOKENIZER(TEXTS)
    for _ in range(2):
        optimizer.zero_grad()
        model(**batch).last_hidden_state[..., 3].square().sum().backward()
        optimizer.step()
    still = {n for n, p in model.named_parameters() if torch.equal(p, before[n])}
    assert not {name for name in still if "layer" in name and "key.bias" not in name}


@pytest.mark.parametrize(
    "config, shape, message",
    [
        (TRUNK, (V, 14), "the trunk has post-norm layers"),
        (PRE_NORM, (V, 16), rf"the shape \[{V}, 16\], expected \[{V}, 14\]"),
        (PRE_NORM, (V - 1, 14), "the shape"),
    ],
)
def test_what_cannot_be_started(config, shape, message):
    with pytest.raises(ValueError, match=message):
        start_from_bag(BertModel(config), torch.zeros(shape))
