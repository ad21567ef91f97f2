"""From text to a result in one call; more in tests/unit/test_init.py."""

import warnings

import minibert


def test_heads_that_give_no_vectors_are_no_reason_for_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vectors = minibert.embed(["A boat."], model="minibert-small")
    assert vectors.shape == (1, 256)
