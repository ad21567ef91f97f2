"""Leaving padding out changes no result, and only a BertModel that is as the package made it is read that way."""

import pytest
import torch
from torch import nn

from minibert import (
    BertConfig,
    BertForMultipleChoice,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
)
from minibert.attention import BertSelfAttention, fused_attend
from minibert.config import InputError
from minibert.inference.interpretability import ablate_heads
from minibert.inference.unpadded import (
    UnpaddedBert,
    batches_by_tokens,
    is_plain,
    without_padding,
)

LENGTHS = torch.tensor([3, 9, 1, 3, 7])
MASK = (torch.arange(9) < LENGTHS[:, None]).long()
IDS = torch.randint(5, 60, (5, 9), generator=torch.Generator().manual_seed(0)) * MASK
SEGMENTS = (torch.arange(9) > 1).long() * MASK


def config(**changes):
    sizes = {
        "vocab_size": 60,
        "hidden_size": 12,
        "num_hidden_layers": 3,
        "num_attention_heads": 3,
        "intermediate_size": 20,
        "max_position_embeddings": 16,
    }
    return BertConfig(**{**sizes, **changes})


def make(kind=BertModel, **changes):
    torch.manual_seed(0)
    model = kind(config(**changes)).eval()
    with torch.no_grad():  # weights of their own everywhere: nothing can be left out unseen
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


SHAPES = [
    {},
    {"norm_first": True},
    {"position_embedding_type": "sinusoidal"},
    {"position_embedding_type": "none"},
    {"num_hidden_layers": 1},
    {"hidden_act": "gelu_new"},
]


# -- results ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", SHAPES)
@pytest.mark.parametrize("mask", [MASK, MASK.bool(), None])
def test_the_result_is_that_of_the_padded_model(changes, mask):
    bert = make(**changes)
    arguments = {"token_type_ids": SEGMENTS, "attention_mask": mask}
    with torch.no_grad():
        expected = bert(IDS, **arguments)
        found = UnpaddedBert(bert)(IDS, **arguments)
        first = UnpaddedBert(bert, only_first=True)(IDS, **arguments)
    real = torch.ones_like(IDS).bool() if mask is None else MASK.bool()
    assert torch.allclose(
        found.last_hidden_state[real], expected.last_hidden_state[real], atol=1e-5
    )
    assert not found.last_hidden_state[~real].any()
    assert torch.allclose(found.pooler_output, expected.pooler_output, atol=1e-5)
    assert first.last_hidden_state.shape == (5, 1, 12)
    assert torch.allclose(first.pooler_output, expected.pooler_output, atol=1e-5)


def test_padding_is_not_computed():
    """The linear maps see as many rows as there are tokens."""
    bert, seen = make(), []

    class Counting(nn.Linear):
        def forward(self, x):
            seen.append(x.shape[:-1].numel())
            return super().forward(x)

    for layer in bert.encoder.layer:
        layer.intermediate.dense.__class__ = Counting
    with torch.no_grad():
        UnpaddedBert(bert)(IDS, attention_mask=MASK)
        assert seen == [int(LENGTHS.sum())] * 3
        seen.clear()
        UnpaddedBert(bert, only_first=True)(IDS, attention_mask=MASK)
        assert seen == [int(LENGTHS.sum())] * 2 + [5]


def test_nothing_of_inference_mode_leaks():
    """What comes back can be used in a computation with gradients."""
    with torch.no_grad():
        out = UnpaddedBert(make())(IDS, attention_mask=MASK)
    for found in (out.last_hidden_state, out.pooler_output):
        assert not found.is_inference()
        nn.Linear(12, 1)(found).sum().backward()


def test_in_bfloat16_the_result_is_close():
    bert = make()
    with torch.no_grad():
        expected = bert(IDS, attention_mask=MASK).pooler_output
        with torch.autocast("cpu", torch.bfloat16):
            found = UnpaddedBert(bert)(IDS, attention_mask=MASK).pooler_output
    assert torch.allclose(found.float(), expected, atol=0.05) and not torch.equal(found, expected)


# -- what goes to the BertModel itself -------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        {"attention_mask": MASK.flip(1)},
        {"attention_mask": MASK * torch.tensor([1, 0, 1, 1, 1, 1, 1, 1, 1])},
        {"attention_mask": MASK * (torch.arange(5) != 2).long()[:, None]},
        {"attention_mask": torch.ones(5, 9, 9, dtype=torch.bool).tril()},
        {"attention_mask": MASK, "position_ids": torch.arange(9).flip(0)[None]},
        {"attention_mask": MASK, "output_attentions": True},
        {"attention_mask": MASK, "output_hidden_states": True},
    ],
)
def test_another_call_is_that_of_the_model(arguments):
    bert = make()
    with torch.no_grad():
        expected, found = bert(IDS, **arguments), UnpaddedBert(bert)(IDS, **arguments)
    assert torch.equal(found.last_hidden_state, expected.last_hidden_state)
    assert (found.attentions is None) == (expected.attentions is None)
    assert (found.hidden_states is None) == (expected.hidden_states is None)


def test_gradients_arrive_and_training_drops_out():
    bert = make(hidden_dropout_prob=0.5)
    UnpaddedBert(bert)(IDS, attention_mask=MASK).pooler_output.sum().backward()
    assert bert.encoder.layer[0].attention.self.query.weight.grad is not None
    bert.train()
    with torch.no_grad():
        one, other = (UnpaddedBert(bert)(IDS).pooler_output for _ in range(2))
    assert not torch.equal(one, other)


@pytest.mark.parametrize(
    ("ids", "mask"),
    [
        (IDS + 60, MASK),
        (IDS, MASK.float()),
        (IDS, MASK * 2),
        (IDS, MASK[:, 1:]),
        (IDS.repeat(1, 2), None),
        (IDS[0], None),
        (IDS[:0], MASK[:0]),
    ],
)
def test_bad_input_is_refused_as_by_the_model(ids, mask):
    bert, messages = make(), []
    for model in (bert, UnpaddedBert(bert)):
        with torch.no_grad(), pytest.raises(InputError) as error:
            model(ids, attention_mask=mask)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


# -- which models ----------------------------------------------------------------------------------


def test_a_model_as_it_was_made_is_plain():
    for changes in SHAPES:
        assert is_plain(make(**changes))
    assert not is_plain(make(BertForTokenClassification))  # it has one


@pytest.mark.parametrize("kind", ["forward", "forward_pre", "full_backward"])
def test_a_model_is_not_plain_while_there_is_a_hook_on_all_modules(kind):
    register = getattr(nn.modules.module, f"register_module_{kind}_hook")
    hook = register(lambda *_: None)
    try:
        assert not is_plain(make())
    finally:
        hook.remove()
    assert is_plain(make())


def another_method(bert):
    this = bert.encoder.layer[1].attention.self
    this.split_heads = lambda states: type(this).split_heads(this, states) * 0


def a_hook(bert):
    bert.pooler.register_forward_hook(lambda *_: None)


def a_part_of_another_class(bert):
    class Mine(BertSelfAttention):
        pass

    bert.encoder.layer[1].attention.self = Mine(bert.config)


def another_forward(bert):
    attention = bert.encoder.layer[0].attention
    attention.forward = lambda *arguments: type(attention).forward(attention, *arguments)


def a_parametrization(bert):
    nn.utils.parametrizations.weight_norm(bert.encoder.layer[0].output.dense)


def another_device(bert):
    bert.to("meta")


@pytest.mark.parametrize(
    "change",
    [
        a_hook,
        a_part_of_another_class,
        another_forward,
        another_method,
        a_parametrization,
        another_device,
    ],
)
def test_a_model_that_was_changed_is_not(change):
    bert = make()
    change(bert)
    assert not is_plain(bert)


def test_a_forward_function_that_a_reader_replaced(monkeypatch):
    monkeypatch.setattr(BertSelfAttention, "forward", lambda self, x, *_: (x, None))
    assert not is_plain(make())


def test_a_function_whose_code_was_changed(monkeypatch):
    """The bug clinic plants its bugs so: the function stays, its code is another one."""
    monkeypatch.setattr(
        fused_attend, "__code__", (lambda q, k, v, mask=None, dropout=0.0: v).__code__
    )
    assert not is_plain(make())


def test_ablated_heads_stay_ablated():
    model = make(BertForTokenClassification)
    batch = {"input_ids": IDS, "attention_mask": MASK}
    with torch.no_grad(), ablate_heads(model, {1: [0, 2]}):
        expected = model(**batch).logits
        with without_padding(model):
            assert torch.equal(model(**batch).logits, expected)


# -- with a head -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "only_first"),
    [
        (BertForSequenceClassification, False),
        (BertForSequenceClassification, True),
        (BertForTokenClassification, False),
    ],
)
def test_a_model_with_a_head(kind, only_first):
    model = make(kind)
    bert, batch = model.bert, {"input_ids": IDS, "attention_mask": MASK}
    with torch.no_grad():
        expected = model(**batch).logits
        with without_padding(model, only_first):
            assert isinstance(model.bert, UnpaddedBert)
            found = model(**batch).logits
    assert model.bert is bert
    real = ... if expected.dim() == 2 else MASK.bool()
    assert torch.allclose(found[real], expected[real], atol=1e-5)


def test_a_choice_that_a_row_lacks():
    model = make(BertForMultipleChoice)
    ids, mask = torch.stack([IDS, IDS.flip(0)], 1), torch.stack([MASK, MASK.flip(0)], 1)
    mask[1, 1] = 0
    with torch.no_grad():
        expected = model(ids, attention_mask=mask).logits
        with without_padding(model, only_first=True):
            found = model(ids, attention_mask=mask).logits
    assert torch.allclose(found, expected, atol=1e-5)


def test_the_model_is_itself_again_after_an_exception():
    model = make(BertForTokenClassification)
    bert = model.bert
    with pytest.raises(RuntimeError), without_padding(model):
        raise RuntimeError
    assert model.bert is bert


# -- batches ---------------------------------------------------------------------------------------


def test_batches_hold_every_text_once_from_short_to_long():
    lengths = [5, 1, 40, 3, 3, 5, 2, 8]
    batches = batches_by_tokens(lengths, None, 10)
    assert batches == [[1, 6, 3], [4, 0], [5], [7], [2]]
    assert sorted(sum(batches, [])) == list(range(8))
    assert batches_by_tokens(lengths, 2, 10) == [[1, 6], [3, 4], [0, 5], [7], [2]]
    assert batches_by_tokens([], None, 10) == []
