"""Probes against scipy, and the labels of control tasks."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from minibert.inference.probes import control_task, majority_accuracy, train_probe

# -- probes ------------------------------------------------------------------------------------------------------------


def labelled_vectors(count=120, hidden=5, classes=3, seed=0):
    """Vectors of very different scales around a centre for each class, some of them far away."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(classes, (count,), generator=generator)
    centres = torch.randn(classes, hidden, generator=torch.Generator().manual_seed(9))
    vectors = (centres[labels] + torch.randn(count, hidden, generator=generator)) * torch.tensor(
        [1.0, 100.0, 0.01, 1.0, 5.0]
    ) + 3
    return vectors, ["abc"[label] for label in labels.tolist()]


def test_vectors_with_a_gradient_are_fixed_too():
    """As a model gives them outside torch.no_grad()."""
    vectors, labels = labelled_vectors()
    expected, probe = (
        train_probe(given, labels) for given in (vectors, vectors.clone().requires_grad_() * 1)
    )
    assert torch.equal(probe.weight, expected.weight) and not probe.mean.requires_grad


@pytest.mark.parametrize("penalty", [1.0, 0.01, 30.0])
def test_a_probe_is_the_minimum_that_scipy_finds(penalty):
    vectors, labels = labelled_vectors()
    probe = train_probe(vectors, labels, penalty)
    x = vectors.double().numpy()
    x = (x - x.mean(0)) / x.std(0)
    y = np.eye(3)[["abc".index(label) for label in labels]]

    def objective(flat):
        weight, scores = flat[:15].reshape(5, 3), x @ flat[:15].reshape(5, 3) + flat[15:]
        return (np.log(np.exp(scores).sum(1)) - (scores * y).sum(1)).sum() + penalty / 2 * (
            weight**2
        ).sum()

    best = minimize(objective, np.zeros(18), method="BFGS", options={"gtol": 1e-6}).x
    np.testing.assert_allclose(probe.weight.numpy(), best[:15].reshape(5, 3), atol=1e-3)
    np.testing.assert_allclose(
        (probe.bias - probe.bias[0]).numpy(), best[15:] - best[15], atol=1e-3
    )  # a constant changes nothing
    scores = x @ best[:15].reshape(5, 3) + best[15:]
    assert probe.predict(vectors) == ["abc"[i] for i in scores.argmax(1)]


def test_a_probe_finds_what_is_there_and_is_the_same_every_time():
    (vectors, labels), (others, other_labels) = labelled_vectors(), labelled_vectors(seed=1)
    torch.manual_seed(1)
    probe = train_probe(vectors, labels)
    torch.manual_seed(2)
    with torch.no_grad():
        again = train_probe(vectors, labels)
    assert torch.equal(probe.weight, again.weight) and torch.equal(probe.bias, again.bias)
    right = sum(one == other for one, other in zip(probe.predict(others), other_labels)) / len(
        others
    )
    assert (
        probe.accuracy(others, other_labels)
        == right
        > 0.6
        > 0.5
        > majority_accuracy(labels, other_labels)
    )


def test_units_and_a_constant_column_change_nothing():
    vectors, labels = labelled_vectors()
    probe = train_probe(vectors, labels)
    changed = torch.cat([vectors * 7 - 2, torch.full((len(vectors), 1), 4.0)], dim=1)
    other = train_probe(changed, labels)
    assert torch.isfinite(other.weight).all() and other.predict(changed) == probe.predict(vectors)
    torch.testing.assert_close(other.weight[:5], probe.weight, rtol=0, atol=1e-3)


def test_a_class_between_two_others_is_found():
    """Where a regression on one-hot targets never answers with the middle one (Hastie et al. 2009, section 4.2)."""
    vectors = torch.linspace(-1, 1, 90)[:, None]
    labels = ["first"] * 30 + ["middle"] * 30 + ["last"] * 30
    ridge = torch.linalg.lstsq(
        torch.cat([vectors, torch.ones(90, 1)], 1),
        torch.tensor(
            [[label == name for name in ("first", "middle", "last")] for label in labels]
        ).float(),
    )
    assert (
        1
        not in (torch.cat([vectors, torch.ones(90, 1)], 1) @ ridge.solution).argmax(1).tolist()[::4]
    )
    assert train_probe(vectors, labels).accuracy(vectors, labels) > 0.9


def test_labels_may_be_numbers_and_an_unknown_one_is_wrong():
    vectors, labels = labelled_vectors()
    numbers = ["cab".index(label) for label in labels]
    probe = train_probe(vectors, numbers)
    assert probe.labels == [0, 1, 2] and set(probe.predict(vectors)) == {0, 1, 2}
    assert probe.accuracy(vectors[:2], [7, 8]) == 0


def test_the_majority_is_that_of_the_training_labels():
    assert majority_accuracy(["a", "b", "b"], ["a", "a", "b", "c"]) == 0.25


def test_what_cannot_be_probed():
    vectors, labels = labelled_vectors()
    probe = train_probe(vectors, labels)
    for call in (train_probe, probe.accuracy):
        with pytest.raises(ValueError, match=r"not \[120, 5\] for 119 labels"):
            call(vectors, labels[1:])
        with pytest.raises(ValueError, match=r"not \[120\] for 120 labels"):
            call(vectors[:, 0], labels)
        with pytest.raises(ValueError, match="at least one label"):
            call(vectors[:0], [])
    with pytest.raises(ValueError, match="at least two different labels, not only 'a'"):
        train_probe(vectors, ["a"] * 120)
    with pytest.raises(ValueError, match="vectors hold NaN or infinite numbers"):
        train_probe(vectors * float("nan"), labels)
    with pytest.raises(
        ValueError, match=r"vectors must have the shape \[texts, 5\], not \[120, 4\]"
    ):
        probe.predict(vectors[:, 1:])
    for one, other in (([], ["a"]), (["a"], [])):
        with pytest.raises(ValueError, match="need at least one label each"):
            majority_accuracy(one, other)
    with pytest.raises(ValueError, match="penalty must be above 0 and finite, not 0"):
        train_probe(vectors, labels, 0)


# -- control tasks -----------------------------------------------------------------------------------------------------


def test_a_word_keeps_its_label_and_labels_are_as_frequent_as_they_were():
    generator = torch.Generator().manual_seed(0)
    words = [f"word{i}" for i in torch.randint(3000, (8000,), generator=generator).tolist()]
    labels = [
        "noun" if share < 0.6 else "verb" if share < 0.9 else "other"
        for share in torch.rand(8000, generator=generator).tolist()
    ]
    control = control_task(words, labels)
    chosen = dict(zip(words, control))
    assert [chosen[word] for word in words] == control != labels
    counts = [list(chosen.values()).count(name) / len(chosen) for name in ("noun", "verb", "other")]
    assert counts == pytest.approx([0.6, 0.3, 0.1], abs=0.03)  # of about 2,800 word types
    assert control == control_task(words, labels) != control_task(words, labels, seed=1)
    agree = sum(one == other for one, other in zip(control, labels)) / 8000
    assert agree == pytest.approx(0.6**2 + 0.3**2 + 0.1**2, abs=0.04)  # as much as chance


def test_the_order_of_the_words_does_not_decide():
    words, labels = [f"w{i}" for i in range(40)], ["a", "b"] * 20
    chosen = dict(zip(words, control_task(words, labels)))
    assert control_task(words[::-1], labels) == [chosen[word] for word in words[::-1]]


def test_selectivity_tells_what_is_in_the_vectors_from_what_was_learned_by_heart():
    """Vectors that are names of words: a probe learns any labels of known words by heart, and its selectivity is about 0."""
    generator = torch.Generator().manual_seed(0)
    types = torch.randn(60, 200, generator=generator)
    drawn = torch.randint(60, (900,), generator=generator)
    words, labels = [f"w{i}" for i in drawn.tolist()], ["ab"[i % 2] for i in drawn.tolist()]
    control = control_task(words, labels)
    scores = [
        train_probe(types[drawn[:600]], given[:600]).accuracy(types[drawn[600:]], given[600:])
        for given in (labels, control)
    ]
    assert scores == [1.0, 1.0]
    meant = torch.tensor(
        [[float(i % 2)] for i in drawn.tolist()]
    )  # vectors that hold the label and nothing else
    scores = [
        train_probe(meant[:600], given[:600]).accuracy(meant[600:], given[600:])
        for given in (labels, control)
    ]
    assert scores[0] == 1.0 and scores[1] < 0.75


def test_every_word_has_a_label():
    with pytest.raises(ValueError, match="there are 2 words, but 1 labels"):
        control_task(["a", "b"], ["x"])
