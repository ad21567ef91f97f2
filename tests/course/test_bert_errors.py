"""The measure of chapter 6: the largest error of a token, and a bound that holds on every processor."""

from dataclasses import replace

import pytest
import torch

from minibert import BertModel, WordPieceTokenizer, from_pretrained
from minibert.course.exercises.ch06_bert.common import record
from minibert.course.exercises.ch06_bert.errors import at_most, token_errors
from minibert.hub.find_pretrained import MINILM


def test_the_error_of_one_token_is_not_diluted():
    theirs = {"a": torch.ones(2, 3, 4), "pooler": torch.ones(2, 4), "theirs": torch.ones(1)}
    ours = {"a": theirs["a"].clone(), "pooler": theirs["pooler"] * 1.5, "ours": torch.ones(1)}
    ours["a"][1, 1] *= 1.25
    ours["a"][1, 2] *= 9  # padding
    real = torch.tensor([[True, True, True], [True, True, False]])
    assert token_errors(ours, theirs, real) == {"a": 0.25, "pooler": 0.5}


@pytest.mark.parametrize(
    ("errors", "bound"),
    [
        ([1.7e-6, 2e-9], "5e-6"),
        ([4.99e-6], "5e-6"),
        ([5.01e-6], "1e-5"),
        ([1e-5], "1e-5"),
        ([2.9e-15], "5e-15"),
        ([0.3], "5e-1"),
        ([0.7], "1e0"),
    ],
)
def test_a_bound_is_the_next_larger_of_1_and_5(errors, bound):
    assert at_most(errors) == bound
    assert max(errors) <= float(bound)


@pytest.mark.parametrize("error", [0.0, 1.0, float("nan")])
def test_without_an_error_there_is_no_bound(error):
    with pytest.raises(ValueError, match="between 0 and 1"):
        at_most([error])


def test_what_the_chapter_says_of_the_errors_of_its_wrong_models():
    """6 heads end more than a vector's length away, GELU by tanh exceeds 1e-3 from h3 on, and eps 1e-5 at h0 but not at h6."""
    right = from_pretrained(MINILM).eval()
    pairs = WordPieceTokenizer.from_pretrained(MINILM)(
        ["the bank by the river", "He rang the bell."],
        ["the children swim", "Nobody came to the door for a long time."],
    )
    real, theirs = pairs["attention_mask"].bool(), record(right, pairs)

    def hidden(**change):
        wrong = BertModel(replace(right.config, **change)).eval()
        wrong.load_state_dict(right.state_dict())
        errors = token_errors(record(wrong, pairs), theirs, real)
        return [errors["embeddings"], *(errors[f"encoder.layer.{i}"] for i in range(6))]

    assert 1 < hidden(num_attention_heads=6)[6] < 1.2
    tanh = hidden(hidden_act="gelu_new")
    assert 1.1 * max(tanh[:3]) < 1e-3 < 0.95 * min(tanh[3:])
    eps = hidden(layer_norm_eps=1e-5)
    assert 1.1 * eps[6] < 1e-3 < 0.95 * eps[0]
