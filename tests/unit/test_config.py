"""The config: the published shapes, strict reading, a round trip through JSON, and errors with their numbers."""

import dataclasses
import json

import pytest
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from minibert import BertConfig, encoder
from minibert.config import ACTIVATIONS, IGNORED_KEYS, POSITION_TYPES, PRESETS, InputError

FIELDS = {field.name for field in dataclasses.fields(BertConfig)}

configs = st.builds(
    lambda heads, size, **more: BertConfig(
        num_attention_heads=heads, hidden_size=heads * size, **more
    ),
    heads=st.integers(1, 8),
    size=st.integers(1, 16).map(lambda n: 2 * n),
    vocab_size=st.integers(8, 10**6),
    num_hidden_layers=st.integers(1, 48),
    intermediate_size=st.integers(1, 9999),
    hidden_act=st.sampled_from(ACTIVATIONS),
    hidden_dropout_prob=st.floats(0, 1, exclude_max=True),
    attention_probs_dropout_prob=st.floats(0, 1, exclude_max=True),
    max_position_embeddings=st.integers(1, 9999),
    type_vocab_size=st.integers(1, 99),
    initializer_range=st.floats(0, 9, exclude_min=True),
    layer_norm_eps=st.floats(0, 1, exclude_min=True),
    pad_token_id=st.integers(0, 7),
    position_embedding_type=st.sampled_from(POSITION_TYPES),
    norm_first=st.booleans(),
    classifier_dropout=st.none() | st.floats(0, 1, exclude_max=True),
    id2label=st.none()
    | st.lists(st.text(), min_size=1, unique=True).map(lambda names: dict(enumerate(names))),
)


@settings(deadline=None, max_examples=50)
@given(configs)
def test_a_config_survives_dict_and_json(config):
    assert BertConfig.from_dict(config.to_dict()) == config
    assert BertConfig.from_dict(json.loads(config.to_json_string())) == config


def test_a_config_survives_a_file(tmp_path):
    config = BertConfig.preset("mini", hidden_act="relu", id2label={0: "no", 1: "yes"})
    (tmp_path / "config.json").write_text(config.to_json_string(), encoding="utf-8")
    assert BertConfig.from_json_file(tmp_path / "config.json") == config


def test_the_defaults_are_bert_base():
    ours, theirs = BertConfig(vocab_size=30522).to_dict(), transformers.BertConfig().to_dict()
    assert {key: value for key, value in ours.items() if key in theirs} == {
        key: theirs[key] for key in ours if key in theirs
    }
    assert set(ours) - set(theirs) == {"position_embedding_type", "norm_first"}


@pytest.mark.parametrize(
    "name, layers, hidden, heads",
    [
        ("tiny", 2, 128, 2),
        ("mini", 4, 256, 4),
        ("small", 4, 512, 8),
        ("medium", 8, 512, 8),
        ("base", 12, 768, 12),
        ("large", 24, 1024, 16),
    ],
)
def test_presets_have_the_published_shapes(name, layers, hidden, heads):
    config = BertConfig.preset(name)
    assert config.vocab_size == 30522 and config.head_size == 64
    assert (config.num_hidden_layers, config.hidden_size, config.num_attention_heads) == (
        layers,
        hidden,
        heads,
    )
    assert config.intermediate_size == 4 * hidden
    assert set(PRESETS) == {"tiny", "mini", "small", "medium", "base", "large", "teaching"}


def test_a_preset_can_be_changed():
    assert BertConfig.preset("base", vocab_size=100, norm_first=True) == BertConfig(
        vocab_size=100, norm_first=True
    )
    with pytest.raises(
        ValueError, match="unknown config key 'norm_frist'; did you mean 'norm_first'"
    ):
        BertConfig.preset("base", norm_frist=True)


def test_a_config_cannot_be_changed_afterwards():
    with pytest.raises(dataclasses.FrozenInstanceError):
        BertConfig(vocab_size=100).hidden_size = 12


def test_every_activation_of_the_config_is_built():
    assert set(ACTIVATIONS) == set(encoder.ACTIVATIONS)


# Reading what the reference wrote


def test_every_key_of_the_reference_is_known():
    assert set(transformers.BertConfig().to_dict()) <= FIELDS | IGNORED_KEYS
    assert not FIELDS & IGNORED_KEYS


@pytest.mark.parametrize(
    "cls", [transformers.BertModel, transformers.BertForSequenceClassification]
)
def test_a_config_json_as_transformers_5_writes_it_opens(tmp_path, cls):
    shape = dict(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=20,
        hidden_act="gelu_new",
        layer_norm_eps=1e-7,
        num_labels=3,
        classifier_dropout=0.3,
    )
    cls(transformers.BertConfig(**shape)).save_pretrained(tmp_path)
    config = BertConfig.from_json_file(tmp_path / "config.json")
    assert (
        config.hidden_act,
        config.layer_norm_eps,
        config.num_labels,
        config.classifier_dropout,
    ) == ("gelu_new", 1e-7, 3, 0.3)
    assert config.id2label == {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}


def test_transformers_opens_our_config():
    ours = BertConfig.preset("mini", hidden_act="relu", id2label={0: "no", 1: "maybe", 2: "yes"})
    theirs = transformers.BertConfig(**json.loads(ours.to_json_string()))
    assert (
        theirs.id2label == ours.id2label
        and theirs.hidden_act == "relu"
        and theirs.hidden_size == 256
    )


def test_a_config_json_of_the_original_program_opens():
    config = BertConfig.from_dict(
        dict(
            attention_probs_dropout_prob=0.1,
            directionality="bidi",
            hidden_act="gelu",
            hidden_dropout_prob=0.1,
            hidden_size=768,
            initializer_range=0.02,
            intermediate_size=3072,
            max_position_embeddings=512,
            num_attention_heads=12,
            num_hidden_layers=12,
            pooler_fc_size=768,
            pooler_num_attention_heads=12,
            pooler_num_fc_layers=3,
            pooler_size_per_head=128,
            pooler_type="first_token_transform",
            type_vocab_size=2,
            vocab_size=105879,
        )
    )
    assert config == BertConfig(vocab_size=105879)


def test_num_labels_names_the_classes():
    assert BertConfig(vocab_size=9).num_labels == 2
    assert BertConfig.from_dict(dict(vocab_size=9, num_labels=1)).id2label == {0: "LABEL_0"}
    assert BertConfig.from_dict(
        dict(vocab_size=9, num_labels=2, id2label={"1": "yes", "0": "no"})
    ).id2label == {0: "no", 1: "yes"}


def test_classes_come_in_the_order_of_their_ids():
    """Sorted as text, as some programs write JSON, 10 comes before 2."""
    names = [f"tag {index}" for index in range(12)]
    written = {str(index): names[index] for index in sorted(range(12), key=str)}
    config = BertConfig.from_dict(dict(vocab_size=9, id2label=written))
    assert list(config.id2label.values()) == names


# Errors of the user


@pytest.mark.parametrize("name", ["layer_norm_eps", "initializer_range"])
@pytest.mark.parametrize("value", [10**400, 1e39], ids=["401 digits", "above float32"])
def test_a_number_that_no_float_holds(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a number between 0 and 1e38, not 1"):
        BertConfig(vocab_size=10, **{name: value})


@pytest.mark.parametrize(
    "values, said",
    [
        (
            dict(num_attention_head=12),
            "unknown config key 'num_attention_head'; did you mean 'num_attention_heads'",
        ),  # B3
        (dict(num_label=3), "did you mean 'num_labels'"),
        (dict(hidden_sizes=12), "did you mean 'hidden_size'"),
        (dict(zzz=12), "unknown config key 'zzz'$"),
        (
            dict(hidden_size=100, num_attention_heads=12),
            "hidden_size 100 .* num_attention_heads 12: 100 / 12 leaves 4 over",
        ),  # A6
        (
            dict(num_hidden_layers=0),
            "num_hidden_layers must be a whole number of at least 1, not 0",
        ),
        (dict(hidden_size=768.0), "hidden_size must be a whole number of at least 1, not 768.0"),
        (
            dict(num_hidden_layers=True),
            "num_hidden_layers must be a whole number of at least 1, not True",
        ),
        (dict(vocab_size="30522"), "vocab_size must be a whole number of at least 1, not '30522'"),
        (dict(hidden_dropout_prob=1.0), "hidden_dropout_prob is a probability .* not 1.0"),
        (
            dict(attention_probs_dropout_prob=-0.1),
            "attention_probs_dropout_prob is a probability .* not -0.1",
        ),
        (dict(classifier_dropout="0.1"), "classifier_dropout is a probability .* not '0.1'"),
        (dict(layer_norm_eps=0), "layer_norm_eps must be a number between 0 and 1e38, not 0"),
        (
            dict(initializer_range=float("nan")),
            "initializer_range must be a number between 0 and 1e38, not nan",
        ),
        (
            dict(hidden_act="gelu_fast"),
            "hidden_act must be one of gelu, gelu_new, relu, not 'gelu_fast'",
        ),  # B2
        (
            dict(position_embedding_type="relative_key"),
            "position_embedding_type must be one of absolute, .* not 'relative_key'",
        ),
        (
            dict(position_embedding_type="sinusoidal", hidden_size=15, num_attention_heads=3),
            "hidden_size 15 is odd",
        ),
        (dict(pad_token_id=100), "pad_token_id must be an id below vocab_size 100, not 100"),
        (dict(pad_token_id=None), "pad_token_id must be an id below vocab_size 100, not None"),
        (dict(norm_first=1), "norm_first must be true or false, not 1"),
        (
            dict(id2label={0: "no", 2: "yes"}),
            "id2label must name classes 0, 1, 2, … differently, not {0: 'no', 2: 'yes'}",
        ),
        (
            dict(id2label={0: "no", 1: "no"}),
            "id2label must name classes 0, 1, 2, … differently, not {0: 'no', 1: 'no'}",
        ),
        (dict(id2label={}), "id2label must name classes .* not {}"),
        (dict(id2label={"0": "no", "00": "yes"}), "id2label must name classes .* '00': 'yes'}"),
        (dict(id2label={0: "no", "0": "yes"}), "id2label must name classes .* '0': 'yes'}"),
        (dict(id2label={0: "no", 1.7: "yes"}), "id2label must name classes .* 1.7: 'yes'}"),
        (dict(id2label=["no", "yes"]), r"id2label must name classes .* not \['no', 'yes'\]"),
        (dict(num_labels="3"), "num_labels must be a whole number of at least 1, not '3'"),
        (
            dict(num_labels=3, id2label={0: "no", 1: "yes"}),
            "num_labels is 3, but id2label names 2 classes",
        ),
        (dict(is_decoder=True), "'is_decoder' is True: minibert builds whole encoders only"),
        (
            dict(pruned_heads={"0": [1]}),
            "'pruned_heads' is {'0': .*: minibert builds whole encoders only",
        ),
    ],
)
def test_wrong_values_are_refused_with_their_numbers(values, said):
    with pytest.raises(ValueError, match=said):
        BertConfig.from_dict({"vocab_size": 100, **values})


def test_what_a_bertsumext_was_made_with_is_kept():
    head = {"kind": "transformer", "vector": "cls", "segments": True, "sizes": {"num_heads": 2}}
    assert BertConfig.from_dict({"vocab_size": 10, "sentence_head": head}).sentence_head == head


def test_a_vocabulary_size_has_no_default():
    with pytest.raises(ValueError, match="'vocab_size' is missing"):
        BertConfig.from_dict({})


def test_an_unknown_preset_is_refused():
    with pytest.raises(
        ValueError,
        match="preset must be one of tiny, .* large, teaching, not 'bsae'; did you mean 'base'",
    ):
        BertConfig.preset("bsae")
    with pytest.raises(ValueError, match=r"preset must be one of .*, not \['base'\]"):
        BertConfig.preset(["base"])


@pytest.mark.parametrize("values", [None, "config.json", ["vocab_size", 100], 100])
def test_a_config_is_made_from_a_dict(values):
    with pytest.raises(InputError, match="a config is made from a dict such as"):
        BertConfig.from_dict(values)


def test_the_path_of_a_config_may_begin_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "config.json").write_text('{"vocab_size": 7}')
    assert BertConfig.from_json_file("~/config.json").vocab_size == 7


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("a" * 300, "cannot read the config file a*: File name too long"),
        ("a\0b", "is not a JSON file: embedded null byte"),
        ("~nobody-at-all/c", "No such file"),
    ],
)
def test_a_name_that_no_file_can_have_is_refused(path, said):
    with pytest.raises(InputError, match=said):
        BertConfig.from_json_file(path)


@pytest.mark.parametrize("path", [None, 3, ["config.json"], ""])
def test_a_config_file_has_a_path(path):
    with pytest.raises(InputError, match="expected the path of a config file, not"):
        BertConfig.from_json_file(path)


@pytest.mark.parametrize(
    "text, said",
    [
        (None, "cannot read the config file .*config.json: No such file"),
        ("{", "config.json is not a JSON file"),
        ("[1, 2]", "config.json holds a list; a config is a JSON object"),
        (
            '{"vocab_size": 0}',
            "config.json: vocab_size must be a whole number of at least 1, not 0",
        ),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path, text, said):
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    with pytest.raises(ValueError, match=said):
        BertConfig.from_json_file(tmp_path / "config.json")


@settings(deadline=None, max_examples=50)
@given(st.text(min_size=1).filter(lambda key: key not in FIELDS | IGNORED_KEYS | {"num_labels"}))
def test_no_other_key_passes(key):
    with pytest.raises(ValueError, match="unknown config key"):
        BertConfig.from_dict({"vocab_size": 100, key: None})


# -- what the reference calls a pre-norm BERT: test_pre_norm.py ---------------------------------------------------------


def test_a_pre_norm_config_of_the_reference_has_its_defaults():
    """Without pad_token_id it means 1, not 0; and positions begin at 2."""
    config = BertConfig.from_dict({"vocab_size": 60, "model_type": "roberta-prelayernorm"})
    assert (config.pad_token_id, config.max_position_embeddings, config.norm_first) == (
        1,
        510,
        True,
    )
    there = transformers.RobertaPreLayerNormConfig()
    for field in (
        "pad_token_id",
        "hidden_size",
        "intermediate_size",
        "layer_norm_eps",
        "type_vocab_size",
        "hidden_act",
        "hidden_dropout_prob",
    ):
        assert getattr(config, field) == getattr(there, field), field
    assert there.max_position_embeddings == 512
    for pad, rows in ((0, 2), (1, 3)):  # the smallest that have a position
        smallest = BertConfig.from_dict(
            {
                "vocab_size": 60,
                "model_type": "roberta-prelayernorm",
                "pad_token_id": pad,
                "max_position_embeddings": rows,
            }
        )
        assert smallest.max_position_embeddings == 1


@pytest.mark.parametrize(
    "changes, message",
    [
        (
            {"max_position_embeddings": 2},
            "max_position_embeddings 2 leaves none beyond pad_token_id 1",
        ),
        ({"pad_token_id": None}, "beyond pad_token_id None"),
        ({"pad_token_id": -3}, "beyond pad_token_id -3"),
    ],
)
def test_a_pre_norm_config_without_positions(changes, message):
    with pytest.raises(ValueError, match=f"counts positions from pad_token_id . 1 on: .*{message}"):
        BertConfig.from_dict({"vocab_size": 60, "model_type": "roberta-prelayernorm"} | changes)
