"""BERT as a whole: equal to the reference, its size, its fresh weights, its errors."""

import math
import subprocess
import sys

import pytest
import torch
import transformers
from deviation import deviation
from reference import TOLERANCE, assert_parity, draw_weights, reference_twin, small_config

from minibert import BertConfig, BertForPreTraining, BertModel
from minibert.attention import extended_mask

B, S = 4, 9
IDS = torch.randint(1, 61, (B, S), generator=torch.Generator().manual_seed(0))
SEGMENTS = torch.randint(0, 2, (B, S), generator=torch.Generator().manual_seed(1))
PLACES = torch.randint(0, 20, (B, S), generator=torch.Generator().manual_seed(2))
NONE = torch.ones(B, S, dtype=torch.long)
RIGHT = (torch.arange(S) < torch.tensor([[9], [5], [1], [7]])).long()
MASKS = {
    "no mask": None,
    "right": RIGHT,
    "left": RIGHT.flip(1),
    "boolean": RIGHT.bool(),
    "holes": (IDS % 3 > 0).long(),
}
POSITIONS = pytest.mark.parametrize("positions", ["absolute", "sinusoidal", "none"])


def model_of(dtype=torch.float64, **changes) -> BertModel:
    return draw_weights(BertModel(small_config(**changes))).to(dtype)


# Parity with `transformers`


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("looking_inside", [False, True])
@pytest.mark.parametrize("mask", MASKS)
def test_the_model_and_every_gradient_equal_the_reference_under_every_mask(
    mask, looking_inside, dtype
):
    model = model_of(dtype)
    inputs = dict(
        input_ids=IDS,
        token_type_ids=SEGMENTS,
        attention_mask=MASKS[mask],
        output_hidden_states=looking_inside,
        output_attentions=looking_inside,
    )
    assert_parity(model, reference_twin(model), **inputs)


@POSITIONS
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"type_vocab_size": 16, "pad_token_id": 7},
        {"hidden_act": "gelu_new", "hidden_size": 16, "num_attention_heads": 2},
        {
            "hidden_act": "relu",
            "num_hidden_layers": 1,
            "layer_norm_eps": 1e-3,
            "max_position_embeddings": 33,
        },
    ],
    ids=str,
)
def test_the_model_and_every_gradient_equal_the_reference_in_every_shape(changes, positions, dtype):
    model = model_of(dtype, position_embedding_type=positions, **changes)
    segments = SEGMENTS * (model.config.type_vocab_size - 1)
    assert_parity(
        model,
        reference_twin(model),
        input_ids=IDS,
        token_type_ids=segments,
        position_ids=PLACES,
        attention_mask=RIGHT,
    )
    assert_parity(model, reference_twin(model), input_ids=IDS[:1, :1])


def test_the_model_without_pooler_equals_the_reference():
    model = draw_weights(BertModel(small_config(), add_pooling_layer=False)).double()
    assert model(IDS).pooler_output is None
    assert_parity(model, reference_twin(model), input_ids=IDS, attention_mask=RIGHT)


def test_dropout_falls_where_it_falls_in_the_reference():
    """From one seed both draw the same zeros, if they draw them at the same places, in the same order, at the same rates."""
    model = model_of(hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.1)
    twin = reference_twin(model)
    for training in (True, False):
        results = []
        for network in (model.train(training), twin.train(training)):
            torch.manual_seed(0)
            results.append(network(IDS, attention_mask=RIGHT, output_attentions=True))
        torch.testing.assert_close(
            results[0].last_hidden_state, results[1].last_hidden_state, rtol=0, atol=1e-10
        )
        torch.testing.assert_close(
            results[0].pooler_output, results[1].pooler_output, rtol=0, atol=1e-10
        )
    torch.testing.assert_close(
        model(IDS, attention_mask=RIGHT).pooler_output, results[1].pooler_output, rtol=0, atol=1e-10
    )


def test_texts_packed_into_one_row_equal_the_reference_one_by_one():
    """A [B, S, S] mask shuts each text off from the others; its positions start again at 0."""
    model = model_of()
    twin, lengths = reference_twin(model), [4, 1, 7, 3]
    text = torch.repeat_interleave(
        torch.arange(4), torch.tensor(lengths)
    )  # [S]: which text a token belongs to
    places = torch.cat([torch.arange(length) for length in lengths])
    ids = torch.randint(1, 61, (2, 15), generator=torch.Generator().manual_seed(3))
    mask = (text[:, None] == text[None, :]).expand(2, 15, 15)
    packed = model(ids, attention_mask=mask, position_ids=places[None]).last_hidden_state
    packed.sin().sum().backward()
    for row in range(2):
        for index, piece in enumerate(packed[row].split(lengths)):
            alone = twin(ids[row, text == index][None]).last_hidden_state
            alone.sin().sum().backward()
            torch.testing.assert_close(piece, alone[0], rtol=0, atol=1e-10)
    reference = dict(twin.named_parameters())
    for name, parameter in model.named_parameters():
        if "pooler" not in name:
            torch.testing.assert_close(parameter.grad, reference[name].grad, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "name",
    [
        "BertModel",
        "BertForPreTraining",
        "BertForMaskedLM",
        "BertForNextSentencePrediction",
        "BertForSequenceClassification",
        "BertForTokenClassification",
        "BertForQuestionAnswering",
        "BertForMultipleChoice",
    ],
)
def test_parameters_are_named_as_in_the_reference(name):
    import minibert

    ours = getattr(minibert, name)(small_config())
    theirs = getattr(transformers, name)(transformers.BertConfig(**small_shape()))
    assert {n: p.shape for n, p in ours.named_parameters()} == {
        n: p.shape for n, p in theirs.named_parameters()
    }
    assert set(ours.state_dict()) == {n for n, _ in ours.named_parameters()}


def small_shape() -> dict:
    return {
        key: value
        for key, value in small_config().to_dict().items()
        if key not in ("position_embedding_type", "norm_first")
    }


# Properties


def test_appended_padding_changes_nothing_for_real_tokens():
    model = model_of()
    short = model(IDS[:, :5])
    padded = model(IDS, attention_mask=(torch.arange(S) < 5).long().expand(B, S))
    torch.testing.assert_close(
        padded.last_hidden_state[:, :5], short.last_hidden_state, rtol=0, atol=1e-12
    )
    torch.testing.assert_close(padded.pooler_output, short.pooler_output, rtol=0, atol=1e-12)


def test_texts_in_a_batch_do_not_see_each_other():
    model = model_of()
    torch.testing.assert_close(
        model(IDS).last_hidden_state[2:3], model(IDS[2:3]).last_hidden_state, rtol=0, atol=1e-12
    )


def test_without_positions_order_is_invisible():
    order = torch.randperm(S, generator=torch.Generator().manual_seed(4))
    blind, seeing = model_of(position_embedding_type="none"), model_of()
    shuffled, straight = (blind(ids).last_hidden_state for ids in (IDS[:, order], IDS))
    torch.testing.assert_close(shuffled, straight[:, order], rtol=0, atol=1e-12)
    assert (
        seeing(IDS[:, order]).last_hidden_state - seeing(IDS).last_hidden_state[:, order]
    ).abs().max() > 0.1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("looking_inside", [False, True])
def test_a_row_of_padding_only_is_finite_in_every_precision(dtype, looking_inside):
    model = model_of(dtype, layer_norm_eps=1e-5)
    mask = RIGHT.clone()
    mask[1] = 0
    out = model(IDS, attention_mask=mask, output_attentions=looking_inside)
    out.last_hidden_state.float().sin().sum().backward()
    assert (
        out.last_hidden_state.dtype == dtype
        and out.last_hidden_state.isfinite().all()
        and out.pooler_output.isfinite().all()
    )
    assert all(
        p.grad.isfinite().all() for name, p in model.named_parameters() if "pooler" not in name
    )


def test_bfloat16_stays_near_float32():
    exact, rough = (
        model_of(dtype)(IDS, attention_mask=RIGHT).last_hidden_state.float()
        for dtype in (torch.float32, torch.bfloat16)
    )
    assert (exact - rough).abs().mean() < 0.05


# Size


def count(model) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def test_bert_base_has_109_482_240_parameters():  # B4
    with torch.device("meta"):
        model = BertModel(BertConfig.preset("base"))
    parts = [count(model.embeddings), *map(count, model.encoder.layer), count(model.pooler)]
    assert parts == [23_837_184, *[7_087_872] * 12, 590_592]
    assert count(model) == sum(parts) == 109_482_240


def test_bert_large_has_335_141_888_parameters():
    with torch.device("meta"):
        model = BertModel(BertConfig.preset("large"))
    assert count(model) == 335_141_888


# Fresh weights


@deviation(
    "Fresh weights",
    original="a normal distribution of deviation 0.02, cut at two deviations",
    reference="not cut",
    here="not cut; biases 0, LayerNorm 1 and 0",
    why="as in the reference; the cut makes the real deviation 0.0176",
)
@pytest.mark.parametrize("std", [0.02, 0.1])
@pytest.mark.parametrize("cls", [BertModel, BertForPreTraining])
def test_fresh_weights_are_as_published(cls, std):
    torch.manual_seed(0)
    model = cls(BertConfig.preset("tiny", vocab_size=2000, initializer_range=std))
    for name, parameter in model.named_parameters():
        if "LayerNorm.weight" in name:
            assert (parameter == 1).all(), name  # R9
        elif name.endswith("bias"):
            assert (parameter == 0).all(), name
        else:
            drawn = parameter[1:] if "word_embeddings" in name else parameter
            near = (
                4 / math.sqrt(2 * drawn.numel()) + 0.01
            )  # four standard errors of a standard deviation
            assert abs(drawn.std() / std - 1) < near and abs(drawn.mean()) < 5 * std / math.sqrt(
                drawn.numel()
            ), name
    assert (getattr(model, "bert", model).embeddings.word_embeddings.weight[0] == 0).all()


def test_layer_norms_drawn_like_the_other_weights_are_caught(monkeypatch):  # R9
    def draw_everything(self):
        for parameter in self.parameters():
            torch.nn.init.normal_(parameter, std=self.config.initializer_range)

    monkeypatch.setattr("minibert.model.BertPreTrainedModel.initialize_weights", draw_everything)
    with pytest.raises(AssertionError):
        test_fresh_weights_are_as_published(BertModel, 0.02)


# Errors of the user


@pytest.mark.parametrize(
    "inputs, said",
    [
        (
            dict(input_ids=IDS + 60),
            r"input_ids must lie between 0 and 60 \(vocab_size is 61\), but they go from 6\d to 1\d\d",
        ),
        (dict(input_ids=IDS - 61), "input_ids must lie between 0 and 60 .* but they go from -"),
        (dict(input_ids=IDS.float()), "input_ids must be whole numbers .* not torch.float32"),
        (dict(input_ids=IDS[0]), r"input_ids must have the shape \[batch, tokens\].*not \[9\]"),
        (dict(input_ids=IDS[:0]), r"both at least 1, not \[0, 9\]"),
        (dict(input_ids=IDS[:, :0]), r"both at least 1, not \[4, 0\]"),
        (
            dict(input_ids=torch.ones(1, 21, dtype=torch.long)),
            "a sequence of 21 tokens is longer than max_position_embeddings 20",
        ),
        (
            dict(token_type_ids=SEGMENTS + 1),
            "token_type_ids must lie between 0 and 1 .*type_vocab_size is 2.* from 1 to 2",
        ),
        (
            dict(token_type_ids=SEGMENTS[:, 1:]),
            r"token_type_ids must have the shape \[4, 9\], not \[4, 8\]",
        ),
        (
            dict(position_ids=PLACES + 5),
            r"position_ids must lie between 0 and 19 \(max_position_embeddings is 20\).* to 2\d",
        ),
        (
            dict(position_ids=PLACES[:2]),
            r"position_ids must have the shape \[4, 9\] or \[1, 9\], not \[2, 9\]",
        ),
        (
            dict(attention_mask=NONE[:, 1:]),
            r"attention_mask must have the shape \[4, 9\].*or \[4, 9, 9\], not \[4, 8\]",
        ),
        (dict(attention_mask=NONE[:, None, None]), r"not \[4, 1, 1, 9\]"),
        (dict(attention_mask=NONE.float()), "boolean or whole numbers.*not torch.float32"),
        (dict(attention_mask=NONE * 2), "attention_mask holds values from 2 to 2"),
        (
            dict(attention_mask=(1 - NONE) - RIGHT * 10000),
            "attention_mask holds values from -10000 to 0",
        ),
        (
            dict(attention_mask=torch.ones(B, S, S)),
            r"attention_mask of shape \[4, 9, 9\] must be boolean .*not torch.float32",
        ),
        (
            dict(attention_mask=torch.ones(B, S, S, dtype=torch.long)),
            "must be boolean .*not torch.int64",
        ),
    ],
)
def test_wrong_inputs_are_refused_with_their_numbers(inputs, said):
    with pytest.raises(ValueError, match=said):
        BertModel(small_config())(**{"input_ids": IDS, **inputs})


def test_without_positions_a_text_may_be_of_any_length():
    ids = torch.ones(1, 50, dtype=torch.long)
    assert BertModel(small_config(position_embedding_type="none"))(ids).last_hidden_state.shape == (
        1,
        50,
        24,
    )


def test_ids_may_be_int32():
    model = model_of()
    assert torch.equal(
        model(
            IDS.int(),
            token_type_ids=SEGMENTS.int(),
            attention_mask=RIGHT.int(),
            position_ids=PLACES.int(),
        ).pooler_output,
        model(
            IDS, token_type_ids=SEGMENTS, attention_mask=RIGHT, position_ids=PLACES
        ).pooler_output,
    )


def test_masks_are_boolean_and_broadcast_over_heads():
    assert extended_mask(None, IDS) is None
    assert torch.equal(extended_mask(RIGHT, IDS), RIGHT.bool()[:, None, None])
    assert extended_mask(torch.ones(B, S, S, dtype=torch.bool), IDS).shape == (B, 1, S, S)


def test_a_compiled_model_looks_at_no_value(monkeypatch):
    """A look would cut the graph in two. Meta tensors have no values, and complain when they are asked for one."""
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    ids = IDS.to("meta")
    out = BertModel(small_config()).to("meta")(
        ids,
        token_type_ids=torch.zeros_like(ids),
        attention_mask=torch.ones_like(ids),
        position_ids=torch.zeros_like(ids),
    )
    assert out.last_hidden_state.shape == (B, S, 24)


def test_import_minibert_is_light():
    """No plotting, no notebook, no `transformers`; its own share beside torch well under a second."""
    code = (
        "import sys, time, torch; start = time.process_time(); import minibert; took = time.process_time() - start\n"
        "print(took < 1, sorted({'matplotlib', 'ipywidgets', 'IPython', 'transformers', 'huggingface_hub'} & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert out == "True []\n"
