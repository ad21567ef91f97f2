"""The losses: by their printed formulas, by PyTorch's own cross-entropy, by numerical gradients; and with mistakes planted."""

import math

import pytest
import torch
from planted_source import planted

from minibert.finetuning.sentence_vectors import objectives


def vectors(seed: int, count: int = 5, size: int = 7) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, size, generator=generator, dtype=torch.float64)


def cosine(a, b) -> float:
    dot = sum(float(x) * float(y) for x, y in zip(a, b))
    return dot / math.sqrt(sum(float(x) ** 2 for x in a) * sum(float(y) ** 2 for y in b))


def check_contrastive(module) -> None:
    """Gao et al. 2021, equation 1, term by term in Python's own numbers."""
    for seed in (0, 10, 20):
        check_contrastive_of(module, vectors(seed), vectors(seed + 1), 0.05)


def check_contrastive_of(module, one, other, temperature) -> None:
    wanted = 0.0
    for i in range(5):
        terms = [math.exp(cosine(one[i], other[j]) / temperature) for j in range(5)]
        wanted -= math.log(terms[i] / sum(terms)) / 5
    found = module.contrastive_loss(one, other, temperature)
    assert float(found.total) == pytest.approx(wanted, rel=1e-9)
    assert float(found.measures["cosine"]) == pytest.approx(
        sum(cosine(one[i], other[i]) for i in range(5)) / 5
    )
    right = sum(max(range(5), key=lambda j: cosine(one[i], other[j])) == i for i in range(5))
    assert float(found.measures["accuracy"]) == pytest.approx(right / 5)


def check_distillation(module) -> None:
    student, target, weight = vectors(2), vectors(3), 0.7
    first = sum(1 - cosine(student[i], target[i]) for i in range(5)) / 5
    second = (
        sum(
            (cosine(student[i], student[j]) - cosine(target[i], target[j])) ** 2
            for i in range(5)
            for j in range(5)
        )
        / 25
    )
    found = module.distillation_loss(student, target, weight)
    assert float(found.total) == pytest.approx(first + weight * second, rel=1e-9)
    assert float(found.measures["cosine"]) == pytest.approx(1 - first)
    assert float(found.measures["relational"]) == pytest.approx(second)


def test_the_contrastive_loss_is_the_printed_formula():
    check_contrastive(objectives)


def test_the_distillation_loss_is_the_printed_formula():
    check_distillation(objectives)


def test_the_contrastive_loss_is_pytorchs_cross_entropy_of_a_matrix_made_by_hand():
    """Axes as vectors: all cosines are 0, 1 or 0.6."""
    one = torch.tensor([[2.0, 0.0], [0.0, 3.0]])
    other = torch.tensor([[1.0, 0.0], [0.6, 0.8]])
    matrix = torch.tensor([[1.0, 0.6], [0.0, 0.8]]) / 0.5
    wanted = torch.nn.functional.cross_entropy(matrix, torch.tensor([0, 1]))
    assert torch.allclose(objectives.contrastive_loss(one, other, 0.5).total, wanted)


def test_the_loss_of_equal_vectors():
    same = vectors(0)[:1].repeat(4, 1)
    assert float(objectives.contrastive_loss(same, same, 0.05).total) == pytest.approx(math.log(4))
    found = objectives.distillation_loss(vectors(0), vectors(0) * 3, 5.0)
    assert float(found.total) == pytest.approx(0, abs=1e-12), "the lengths do not matter"


@pytest.mark.parametrize("objective", ["contrastive", "distillation"])
def test_the_gradients_are_the_numerical_ones(objective):
    one, other = (vectors(seed, 3, 4).requires_grad_() for seed in (4, 5))

    def loss(one, other):
        if objective == "contrastive":
            return objectives.contrastive_loss(one, other, 0.3).total
        return objectives.distillation_loss(one, other, 2.0).total

    assert torch.autograd.gradcheck(loss, (one, other))
    assert not objectives.contrastive_loss(one, other, 0.3).measures["cosine"].requires_grad
    measures = objectives.distillation_loss(one, other, 2.0).measures
    assert not any(value.requires_grad for value in measures.values())


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("cosines / temperature", "cosines * temperature"),
        ("cosine_matrix(one, other)  # [B, B]", "one @ other.T"),
        ("cosine_matrix(one, other)  # [B, B]", "cosine_matrix(other, one)"),
        ("argmax(dim=1)", "argmax(dim=0)"),
        ("cosines.diagonal().mean()", "cosines.mean()"),
    ],
)
def test_a_mistake_in_the_contrastive_loss_is_found(right, wrong):
    with pytest.raises(AssertionError):
        check_contrastive(planted(objectives, right, wrong))


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("1 - cosine +", "-cosine +"),
        ("difference.square().mean()", "difference.square().sum()"),
        ("difference.square().mean()", "difference.abs().mean()"),
        ("cosine_matrix(student, student)", "cosine_matrix(student, target)"),
        ("- cosine_matrix(target, target)", "- target @ target.T"),
        ("relational_weight * relational", "relational"),
    ],
)
def test_a_mistake_in_the_distillation_loss_is_found(right, wrong):
    with pytest.raises(AssertionError):
        check_distillation(planted(objectives, right, wrong))
