"""A reader's part inside a real model: it needs only the parameters that its chapter names."""

import pytest
import torch
from torch import nn

from minibert import BertConfig, BertModel
from minibert.course.exercises.compare import Mistake
from minibert.course.exercises.swap import swap_in


@pytest.fixture
def model():
    torch.manual_seed(0)
    return BertModel(
        BertConfig(
            vocab_size=13,
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=6,
        )
    ).eval()


class WithoutOptions(nn.Module):
    """Embeddings whose forward has no inputs_embeds."""

    def __init__(self, config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        places = torch.arange(input_ids.size(1)) if position_ids is None else position_ids
        return self.LayerNorm(
            self.word_embeddings(input_ids)
            + self.token_type_embeddings(types)
            + self.position_embeddings(places)
        )


def test_an_option_that_nobody_gives_needs_no_parameter(model):
    mine = swap_in(model, "embeddings", lambda old: WithoutOptions(old.config))
    ids, types = torch.tensor([[2, 5, 6, 3]]), torch.tensor([[0, 0, 1, 1]])
    for options in ({}, {"token_type_ids": types}, {"position_ids": torch.tensor([[3, 2, 1, 0]])}):
        expected = model(ids, **options).last_hidden_state
        assert torch.allclose(mine(ids, **options).last_hidden_state, expected, atol=1e-6)


def test_an_option_that_is_given_is_not_left_out(model):
    mine = swap_in(model, "embeddings", lambda old: WithoutOptions(old.config))
    with pytest.raises(TypeError, match="inputs_embeds"):
        mine(inputs_embeds=torch.zeros(1, 4, 8))


def test_a_part_with_other_parameters_is_explained(model):
    with pytest.raises(Mistake, match="your Linear cannot take the weights of embeddings"):
        swap_in(model, "embeddings", lambda old: nn.Linear(8, 8))


@pytest.mark.parametrize("pattern", ["", "bert.*", None, 3])
def test_a_pattern_matches_a_module_inside(model, pattern):
    with pytest.raises(ValueError, match="no module of this model matches"):
        swap_in(model, pattern, lambda old: old)


@pytest.mark.parametrize("made", [None, nn.Linear])
def test_what_make_returns_is_a_module(model, made):
    with pytest.raises(Mistake, match="What make returns for embeddings should be an nn.Module"):
        swap_in(model, "embeddings", lambda old: made)


def test_a_model_is_a_module():
    with pytest.raises(ValueError, match="model must be a BertModel, not a str"):
        swap_in("minibert-small", "embeddings", lambda old: old)
