"""A look inside: captured states against the reference, rollout against a loop, heads against zeroed columns."""

import pytest
import torch
from reference import draw_weights, reference_twin, small_config

import minibert
from minibert import WordPieceTokenizer
from minibert.inference.interpretability import (
    BATCH,
    ablate_heads,
    capture,
    head_means,
    rollout,
)

TOKENIZER = WordPieceTokenizer(
    {
        token: i
        for i, token in enumerate(
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(5, 61))]
        )
    }
)
TEXTS = ["w5 w6 w7 w8 w9 w10", "w11", "w12 nothing w13"]
L, A, H, D = 3, 4, 24, 6  # of small_config


def make_model(name="BertModel", **changes):
    return draw_weights(getattr(minibert, name)(small_config(**changes))).eval()


# -- capture -----------------------------------------------------------------------------------------------------------


def test_what_is_captured_is_what_the_reference_holds():
    model = make_model()
    found, inputs = capture(model, TOKENIZER, TEXTS), TOKENIZER(TEXTS)
    wanted = reference_twin(model)(**inputs, output_hidden_states=True, output_attentions=True)
    assert found.hidden_states.shape == (L + 1, 3, 8, H) and found.attentions.shape == (
        L,
        3,
        A,
        8,
        8,
    )
    torch.testing.assert_close(
        found.hidden_states, torch.stack(wanted.hidden_states), rtol=0, atol=1e-5
    )
    torch.testing.assert_close(found.attentions, torch.stack(wanted.attentions), rtol=0, atol=1e-5)
    assert torch.equal(found.attention_mask, inputs["attention_mask"])
    assert found.tokens == [
        ["[CLS]", *TEXTS[0].split(), "[SEP]"],
        ["[CLS]", "w11", "[SEP]"],
        ["[CLS]", "w12", "[UNK]", "w13", "[SEP]"],
    ]
    assert not found.hidden_states.requires_grad and not found.attentions.requires_grad


@pytest.mark.parametrize(
    "name",
    [
        "BertForPreTraining",
        "BertForMaskedLM",
        "BertForNextSentencePrediction",
        "BertForSequenceClassification",
        "BertForTokenClassification",
        "BertForQuestionAnswering",
        "BertForMultipleChoice",
        "BertForSentenceSimilarity",
    ],
)
def test_every_model_with_a_bert_can_be_captured(name):
    model = make_model(name)
    found, bare = capture(model, TOKENIZER, TEXTS), capture(model.bert, TOKENIZER, TEXTS)
    assert torch.equal(found.hidden_states, bare.hidden_states) and torch.equal(
        found.attentions, bare.attentions
    )


def test_dropout_is_off_and_the_mode_comes_back():
    model = make_model("BertForMaskedLM", hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.5)
    before = capture(model, TOKENIZER, TEXTS)
    assert not model.training and not model.bert.training
    model.train()
    assert torch.equal(capture(model, TOKENIZER, TEXTS).hidden_states, before.hidden_states)
    assert all(module.training for module in model.modules())


def test_many_texts_go_through_in_parts_and_keep_their_order():
    model, texts = make_model(), [f"w{5 + i}" + " w9" * (i % 3) for i in range(BATCH + 3)]
    found = capture(model, TOKENIZER, texts)
    assert found.hidden_states.shape == (L + 1, BATCH + 3, 5, H) and found.attentions.shape == (
        L,
        BATCH + 3,
        A,
        5,
        5,
    )
    for i in (0, BATCH - 1, BATCH, BATCH + 2):
        alone, length = capture(model, TOKENIZER, [texts[i]]), len(found.tokens[i])
        torch.testing.assert_close(
            found.hidden_states[:, i, :length], alone.hidden_states[:, 0], rtol=0, atol=1e-5
        )
        torch.testing.assert_close(
            found.attentions[:, i, :, :length, :length], alone.attentions[:, 0], rtol=0, atol=1e-5
        )
    assert capture(model, TOKENIZER, texts, attentions=False).attentions is None


def test_pairs_have_their_segments_and_long_texts_are_cut():
    model = make_model()
    pair = capture(model, TOKENIZER, ["w5 w6"], ["w7"])
    assert pair.tokens == [["[CLS]", "w5", "w6", "[SEP]", "w7", "[SEP]"]]
    torch.testing.assert_close(
        pair.hidden_states[-1],
        model(**TOKENIZER("w5 w6", "w7")).last_hidden_state,
        rtol=0,
        atol=1e-6,
    )
    assert len(capture(model, TOKENIZER, ["w5 " * 30]).tokens[0]) == 20  # max_position_embeddings


def test_what_cannot_be_captured():
    with pytest.raises(ValueError, match="texts must be a list of texts, not 'w5'"):
        capture(make_model(), TOKENIZER, "w5")
    with pytest.raises(ValueError, match="at least one text"):
        capture(make_model(), TOKENIZER, [])
    with pytest.raises(ValueError, match="1 texts but 2 pairs"):
        capture(make_model(), TOKENIZER, ["w5"], ["w5", "w6"])


# -- rollout -----------------------------------------------------------------------------------------------------------


def rollout_by_loops(attentions, length, residual=0.5):
    """The recursion for one text, number by number, over its tokens alone."""
    layers = []
    for layer in attentions.tolist():
        rows = [
            [
                residual * (i == j)
                + (1 - residual) * sum(head[i][j] for head in layer) / len(layer)
                for j in range(length)
            ]
            for i in range(length)
        ]
        rows = [[value / sum(row) for value in row] for row in rows]
        if layers:
            rows = [
                [sum(rows[i][k] * layers[-1][k][j] for k in range(length)) for j in range(length)]
                for i in range(length)
            ]
        layers.append(rows)
    return torch.tensor(layers)


@pytest.mark.parametrize("residual", [0.5, 0.0, 0.2, 1.0])
def test_rollout_is_the_papers_recursion_and_padding_plays_no_part(residual):
    found = capture(make_model(), TOKENIZER, TEXTS)
    rolled = rollout(found.attentions, found.attention_mask, residual)
    assert rolled.shape == (L, 3, 8, 8)
    for text, tokens in enumerate(found.tokens):
        n = len(tokens)
        torch.testing.assert_close(
            rolled[:, text, :n, :n],
            rollout_by_loops(found.attentions[:, text], n, residual),
            rtol=0,
            atol=1e-6,
        )
        assert not rolled[:, text, n:].any() and not rolled[:, text, :, n:].any()
        torch.testing.assert_close(rolled[:, text, :n].sum(-1), torch.ones(L, n))
    alone = capture(make_model(), TOKENIZER, TEXTS[1:2])
    torch.testing.assert_close(
        rollout(alone.attentions, residual=residual)[:, 0], rolled[:, 1, :3, :3], rtol=0, atol=1e-5
    )


def test_rollout_by_hand():
    looks_back = torch.tensor([[1.0, 0.0], [1.0, 0.0]])[None, None]  # both tokens look at the first
    one_layer = [[1.0, 0.0], [0.5, 0.5]]
    assert rollout([looks_back])[0, 0].tolist() == one_layer
    assert rollout([looks_back, looks_back])[:, 0].tolist() == [
        one_layer,
        [[1.0, 0.0], [0.75, 0.25]],
    ]
    swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]])[None, None]
    # the later layer stands on the left: token 0 reads half of itself, half of token 1, of which half is token 0
    assert rollout([looks_back, swap])[1, 0].tolist() == [[0.75, 0.25], [0.75, 0.25]]
    assert rollout([swap, looks_back])[1, 0].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    two_heads = torch.cat([looks_back, swap], dim=1)  # [1, 2, 2, 2]
    assert rollout([two_heads])[0, 0].tolist() == [[0.75, 0.25], [0.5, 0.5]]


def test_weights_on_padding_are_left_out_of_the_sum():
    even = torch.full((1, 1, 1, 3, 3), 1 / 3)
    found = rollout(even, torch.tensor([[1, 1, 0]]), residual=0.0)[0, 0]
    torch.testing.assert_close(
        found, torch.tensor([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0]])
    )


def test_what_cannot_be_rolled_out():
    weights = torch.ones(L, 2, A, 5, 5)
    with pytest.raises(
        ValueError, match=r"\[layers, batch, heads, tokens, tokens\], not \[2, 4, 5, 5\]"
    ):
        rollout(weights[0])
    with pytest.raises(ValueError, match=r"not \[3, 2, 4, 5, 4\]"):
        rollout(weights[..., :4])
    with pytest.raises(
        ValueError, match=r"attention_mask must have the shape \[2, 5\], not \[1, 5\]"
    ):
        rollout(weights, torch.ones(1, 5))
    with pytest.raises(ValueError, match="residual .* between 0 and 1, not 1.5"):
        rollout(weights, residual=1.5)
    for layers in ([], [weights[0], weights[0, :1]]):
        with pytest.raises(ValueError, match="at least one layer, all of the same shape"):
            rollout(layers)


# -- heads -------------------------------------------------------------------------------------------------------------


def zero_columns(model, heads):
    """The same by hand: the columns of the mixing matrix that read these heads."""
    with torch.no_grad():
        for layer, chosen in heads.items():
            for head in chosen:
                model.encoder.layer[layer].attention.output.dense.weight[
                    :, head * D : (head + 1) * D
                ] = 0
    return model


@pytest.mark.parametrize(
    "heads", [{0: [0]}, {2: [3, 1]}, {0: [1], 1: [0, 2], 2: [0, 1, 2, 3]}, {1: []}, {}], ids=str
)
def test_a_head_that_is_ablated_is_a_zeroed_block_of_columns(heads):
    model, twin = make_model(), zero_columns(make_model(), heads)
    inputs, before = TOKENIZER(TEXTS), capture(model, TOKENIZER, TEXTS).hidden_states
    with ablate_heads(model, heads) as inside:
        assert inside is model
        found = capture(model, TOKENIZER, TEXTS).hidden_states
    torch.testing.assert_close(
        found, capture(twin, TOKENIZER, TEXTS).hidden_states, rtol=0, atol=1e-5
    )
    wanted = reference_twin(twin)(**inputs, output_hidden_states=True).hidden_states
    torch.testing.assert_close(found, torch.stack(wanted), rtol=0, atol=1e-5)
    assert torch.equal(found, before) == (not any(heads.values()))


def test_gradients_flow_past_an_ablated_head_and_not_into_it():
    model = make_model()
    with ablate_heads(model, {1: [2]}):
        model(**TOKENIZER(TEXTS)).pooler_output.sum().backward()
    gradient = model.encoder.layer[1].attention.self.value.weight.grad.unflatten(0, (A, D))
    assert [bool(rows.any()) for rows in gradient] == [True, True, False, True]


def test_the_model_comes_back_bit_for_bit_also_after_an_exception():
    model = make_model("BertForMaskedLM")
    weights, before = (
        {name: tensor.clone() for name, tensor in model.state_dict().items()},
        capture(model, TOKENIZER, TEXTS).hidden_states,
    )
    with pytest.raises(RuntimeError, match="on the way"), ablate_heads(model, {0: [0], 1: [1]}):
        assert not torch.equal(capture(model, TOKENIZER, TEXTS).hidden_states, before)
        raise RuntimeError("on the way")
    assert torch.equal(capture(model, TOKENIZER, TEXTS).hidden_states, before)
    assert all(torch.equal(tensor, weights[name]) for name, tensor in model.state_dict().items())
    assert not any(module._forward_pre_hooks for module in model.modules())


def test_ablations_may_be_nested():
    model = make_model()
    with ablate_heads(model, {0: [0]}):
        with ablate_heads(model, {0: [1], 2: [3]}):
            both = capture(model, TOKENIZER, TEXTS).hidden_states
        outer = capture(model, TOKENIZER, TEXTS).hidden_states
    for found, heads in ((both, {0: [0, 1], 2: [3]}), (outer, {0: [0]})):
        with ablate_heads(model, heads):
            assert torch.equal(capture(model, TOKENIZER, TEXTS).hidden_states, found)


def mixed_values(model, texts):
    """The output of every head of the first layer, token by token, from the attention weights: [B, S, A, D]."""
    found, layer = capture(model, TOKENIZER, texts), model.encoder.layer[0].attention.self
    values = (found.hidden_states[0] @ layer.value.weight.T + layer.value.bias).unflatten(
        -1, (A, D)
    )
    return torch.einsum("bast,btad->bsad", found.attentions[0], values), found.attention_mask.bool()


def test_the_mean_of_a_head_is_over_tokens_and_not_over_padding():
    model = make_model()
    means, (mixed, real) = head_means(model, TOKENIZER, TEXTS), mixed_values(model, TEXTS)
    assert means.shape == (L, A, D) and not means.requires_grad
    torch.testing.assert_close(means[0], mixed[real].mean(0), rtol=0, atol=1e-5)
    assert not any(module._forward_pre_hooks for module in model.modules())


def test_a_head_can_be_replaced_by_its_mean():
    model = make_model()
    means = head_means(model, TOKENIZER, TEXTS)
    dense = model.encoder.layer[1].attention.output.dense
    with ablate_heads(model, {1: [0, 3]}, means):
        found = capture(model, TOKENIZER, TEXTS).hidden_states
    with torch.no_grad():  # a head that says the same everywhere is a bias
        for head in (0, 3):
            columns = dense.weight[:, head * D : (head + 1) * D]
            dense.bias += columns @ means[1, head]
            columns.zero_()
    torch.testing.assert_close(
        found, capture(model, TOKENIZER, TEXTS).hidden_states, rtol=0, atol=1e-5
    )


def test_layers_and_heads_that_are_not_there():
    model = make_model("BertForMaskedLM")
    for heads, said in (
        ({3: [0]}, "no layer 3: this model has layers 0 to 2"),
        ({-1: [0]}, "no layer -1"),
        ({0: [0, 4]}, "no head 4 in layer 0: it has heads 0 to 3"),
        ({1: [-1]}, "no head -1 in layer 1"),
        ({1: 2}, "heads of layer 1 must be a list of numbers, not 2"),
    ):
        with pytest.raises(ValueError, match=said), ablate_heads(model, heads):
            raise AssertionError("this was not to be reached")
    with (
        pytest.raises(ValueError, match=r"instead must have the shape \[3, 4, 6\], not \[4, 6\]"),
        ablate_heads(model, {0: [0]}, torch.zeros(A, D)),
    ):
        raise AssertionError("this was not to be reached")
    assert not any(module._forward_pre_hooks for module in model.modules())
