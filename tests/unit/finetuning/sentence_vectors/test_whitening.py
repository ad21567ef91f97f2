"""Whitened vectors: mean 0, covariance 1; the first directions are those of the largest variance."""

import pytest
import torch

from minibert.finetuning.sentence_vectors.whitening import fit_whitening, whiten


@pytest.fixture
def vectors():
    generator = torch.Generator().manual_seed(0)
    spread = torch.tensor([5.0, 1.0, 0.2, 3.0])
    return torch.randn(200, 4, generator=generator) * spread + torch.tensor([1.0, -2.0, 3.0, 0.0])


def test_mean_and_covariance(vectors):
    mean, kernel = fit_whitening(vectors)
    white = (vectors.double() - mean) @ kernel
    assert torch.allclose(white.mean(0), torch.zeros(4).double(), atol=1e-9)
    assert torch.allclose(white.T @ white / 200, torch.eye(4).double(), atol=1e-9)
    assert torch.allclose(whiten(vectors), torch.nn.functional.normalize(white, dim=-1).float())


def test_a_smaller_size_keeps_the_directions_that_vary_most(vectors):
    mean, kernel = fit_whitening(vectors, 2)
    assert kernel.shape == (4, 2)
    # by numpy's way: singular values of the centred vectors
    _, _, directions = torch.linalg.svd(vectors.double() - mean, full_matrices=False)
    for column, direction in zip(kernel.T, directions):
        assert abs(float(torch.cosine_similarity(column, direction, dim=0))) == pytest.approx(1)


def test_vectors_that_lie_in_a_plane_stay_finite(vectors):
    flat = vectors.clone()
    flat[:, 2] = 0
    assert torch.isfinite(whiten(flat)).all()
    assert torch.isfinite(whiten(torch.ones(3, 4))).all()


@pytest.mark.parametrize(
    "shape, size, message",
    [
        ((1, 4), None, "at least two"),
        ((4,), None, "at least two"),
        ((5, 4), 5, "size must be from 1 to 4, not 5"),
        ((5, 4), 0, "size must be from 1 to 4, not 0"),
    ],
)
def test_what_cannot_be_whitened(shape, size, message):
    with pytest.raises(ValueError, match=message):
        whiten(torch.ones(shape), size)
