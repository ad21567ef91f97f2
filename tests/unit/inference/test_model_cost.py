"""Parameters, memory and operations: the published sizes, and every formula against PyTorch's own counter."""

from unittest.mock import patch

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

import minibert
from minibert import BertConfig, BertForMaskedLM, BertForPreTraining, BertModel, BertSumExt
from minibert.encoder import BertEncoder
from minibert.inference.model_cost import (
    GPUS,
    activations,
    count_parameters,
    flops,
    gpu_hours,
    memory,
    training_flops,
)
from minibert.model import PACKAGE_MODELS

CONFIG = BertConfig(
    vocab_size=90,
    hidden_size=24,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=40,
    max_position_embeddings=16,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)


def test_bert_base_by_part():
    counts = count_parameters(BertConfig.preset("base"))
    assert counts == {
        "word embeddings": 30522 * 768,
        "position embeddings": 512 * 768,
        "segment embeddings": 2 * 768,
        "attention: query, key, value": 12 * 3 * (768 * 768 + 768),
        "attention: output": 12 * (768 * 768 + 768),
        "feed-forward": 12 * (768 * 3072 + 3072 + 3072 * 768 + 768),
        "norms": 2 * 768 + 12 * 4 * 768,
        "pooler": 768 * 768 + 768,
    }
    assert sum(counts.values()) == 109_482_240


# the paper rounds the last two to 110M and 340M (Devlin et al. 2018, section 3)
@pytest.mark.parametrize(
    "preset, millions",
    [
        ("tiny", 4.4),
        ("mini", 11.2),
        ("small", 28.8),
        ("medium", 41.4),
        ("base", 109.5),
        ("large", 335.1),
    ],
)
def test_the_size_of_every_preset(preset, millions):
    assert sum(count_parameters(BertConfig.preset(preset)).values()) / 1e6 == pytest.approx(
        millions, abs=0.05
    )


@pytest.mark.parametrize("name", PACKAGE_MODELS)
def test_the_parts_of_every_model(name):
    """Counted from the config, also of classes with names, whatever the number of layers."""
    model_class = getattr(minibert, name)
    config = BertConfig.preset("tiny", vocab_size=50, num_hidden_layers=3, num_labels=5)
    if name == "BertSumExt":
        config = BertSumExt(BertModel(config)).config
    assert count_parameters(config, model_class) == count_parameters(model_class(config))
    assert sum(count_parameters(config).values()) > 0  # without a head


def test_a_deep_model_is_counted_at_once():
    config = BertConfig.preset("tiny", vocab_size=50, num_hidden_layers=1000)
    with patch.object(
        BertEncoder, "__init__", autospec=True, side_effect=BertEncoder.__init__
    ) as made:
        count_parameters(config, BertForMaskedLM)
    assert [call.args[1].num_hidden_layers for call in made.call_args_list] == [1]


def test_the_pretraining_heads():
    with torch.device("meta"):
        model = BertForPreTraining(BertConfig.preset("base"))
    counts = count_parameters(model)
    assert sum(counts.values()) == 110_106_428
    assert (
        counts["heads"] == 768 * 768 + 3 * 768 + 30522 + 2 * 768 + 2
    )  # transform, its norm, decoder bias, next sentence


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm_first": True},
        {"position_embedding_type": "sinusoidal"},
        {"position_embedding_type": "none"},
    ],
    ids=str,
)
def test_parts_sum_to_the_model(changes):
    model = BertModel(BertConfig.from_dict(CONFIG.to_dict() | changes))
    assert count_parameters(model) == count_parameters(model.config)
    assert sum(count_parameters(model).values()) == sum(
        parameter.numel() for parameter in model.parameters()
    )
    assert "heads" not in count_parameters(model)


def counted(run):
    with FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()


@pytest.mark.parametrize("batch, length", [(1, 1), (1, 16), (5, 7)])
def test_forward_and_training_step_as_pytorch_counts_them(batch, length):
    model = BertModel(CONFIG)
    ids = torch.randint(0, 90, (batch, length))
    forward = sum(flops(CONFIG, batch, length).values())
    assert counted(lambda: model(ids, output_attentions=True)) == forward
    assert (
        counted(lambda: model(ids, output_attentions=True).pooler_output.sum().backward())
        == 3 * forward
    )


def test_the_masked_word_head():
    model = BertForMaskedLM(CONFIG)
    expected = sum(flops(CONFIG, 2, 9, predictions=9).values()) - flops(CONFIG, 2, 9)["pooler"]
    assert counted(lambda: model(torch.randint(0, 90, (2, 9)), output_attentions=True)) == expected


@pytest.mark.parametrize("arguments", [(0, 5), (1, 0), (1, 5, -1)])
def test_nothing_cannot_be_counted(arguments):
    with pytest.raises(ValueError, match="at least"):
        flops(CONFIG, *arguments)


def test_memory_is_what_adamw_really_holds():
    model = BertModel(CONFIG)
    parameters = sum(count_parameters(model).values())
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randint(0, 90, (1, 16))).pooler_output.sum().backward()
    optimizer.step()
    held = [
        t
        for p in model.parameters()
        for t in (p, p.grad, *optimizer.state[p].values())
        if t.numel() > 1 or t is p
    ]
    assert (
        sum(t.numel() * t.element_size() for t in held) == memory(parameters)["training with AdamW"]
    )
    assert (
        sum(p.numel() * p.element_size() for p in model.half().parameters())
        == memory(parameters)["weights float16"]
    )


@pytest.mark.parametrize(
    "changes",
    [{}, {"norm_first": True}, {"num_hidden_layers": 1, "num_attention_heads": 6}],
    ids=str,
)
@pytest.mark.parametrize("batch, length", [(1, 1), (3, 16)])
def test_activations_are_what_autograd_really_keeps(changes, batch, length):
    dropout = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}
    model = BertModel(
        BertConfig.from_dict(CONFIG.to_dict() | dropout | changes), add_pooling_layer=False
    ).train()
    weights, kept = {parameter.data_ptr() for parameter in model.parameters()}, {}

    def remember(tensor):
        if tensor.is_floating_point() and tensor.data_ptr() not in weights:
            kept[tensor.untyped_storage().data_ptr()] = (
                tensor  # the tensor too: its memory must not be used again
            )
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(remember, lambda tensor: tensor):
        last = model(
            torch.randint(0, 90, (batch, length)), output_attentions=True
        ).last_hidden_state
        last.sin()  # somebody reads it
    assert sum(tensor.untyped_storage().nbytes() for tensor in kept.values()) == sum(
        activations(model.config, batch, length, mask=4).values()
    )


@pytest.mark.parametrize("batch, length", [(1, 128), (8, 512)])
def test_activations_of_a_layer_as_published(batch, length):
    one, two = (
        sum(
            activations(
                BertConfig.preset("base", num_hidden_layers=layers), batch, length, number=2
            ).values()
        )
        for layers in (1, 2)
    )
    norms = 2 * 2 * 2 * batch * length  # bytes, numbers, norms
    assert two - one - norms == batch * length * 768 * (34 + 5 * 12 * length / 768)


def test_the_operations_of_training():
    model = BertForPreTraining(CONFIG)
    ids = torch.randint(0, 90, (5, 10))

    def step():
        out = model.bert(ids, output_attentions=True)
        words = model.cls.predictions(
            out.last_hidden_state[:, :3], model.bert.embeddings.word_embeddings.weight
        )  # 3 of 10 positions
        (words.sum() + out.pooler_output.sum()).backward()

    assert training_flops(CONFIG, 50, length=10, mask_rate=0.3) == counted(step)
    assert training_flops(CONFIG, 5e10, length=10, mask_rate=0.3) == 1e9 * counted(step)


def test_gpu_hours_of_a_published_run():
    """BERT-base as the baseline of MosaicBERT (Portes et al. 2023): 70,000 steps of 4,096 rows of 128 tokens, 11.5 hours on eight A100."""
    operations = training_flops(BertConfig.preset("base"), 70_000 * 4096 * 128)
    used = gpu_hours(operations, GPUS["A100"], 1.0) / (11.5 * 8)
    assert 0.18 < used < 0.21
    assert gpu_hours(operations, GPUS["A100"], used) == pytest.approx(11.5 * 8)


@pytest.mark.parametrize("utilisation", [0, -0.1, 1.01])
def test_a_utilisation_is_a_share(utilisation):
    with pytest.raises(ValueError, match="share of the peak"):
        gpu_hours(1e18, 1e12, utilisation)
    with pytest.raises(ValueError, match="peak must be above 0 operations per second, not 0"):
        gpu_hours(1e18, 0, 0.5)
