"""Checkpoints: `transformers` and minibert open each other's files, and a wrong file gets an error that says what and where."""

import json
import os
import pickle
import warnings

import pytest
import torch
import transformers
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import minibert
from minibert import BertConfig, BertModel, WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.config import InputError
from minibert.hub import pretrained_io
from minibert.hub.find_pretrained import MINILM
from minibert.model import PACKAGE_MODELS, model_class_named

SHAPE = dict(
    vocab_size=60,
    hidden_size=24,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=40,
    max_position_embeddings=16,
    type_vocab_size=3,
)
OUTPUTS = (
    "last_hidden_state",
    "pooler_output",
    "logits",
    "prediction_logits",
    "seq_relationship_logits",
    "start_logits",
    "end_logits",
)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def inputs_for(name):
    """A batch with padding: input_ids, token_type_ids, attention_mask, [B, S] (or [B, choices, S])."""
    shape = (2, 3, 7) if name == "BertForMultipleChoice" else (2, 7)
    mask = torch.ones(shape, dtype=torch.int64)
    mask[..., -2:] = 0
    return dict(
        input_ids=torch.randint(1, 60, shape),
        token_type_ids=torch.randint(0, 3, shape),
        attention_mask=mask,
    )


def random_weights(model):
    """No tensor as the initialisation leaves it: a bias or a norm that is not loaded shows."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model.eval()


def assert_equal_outputs(one, other, name, tolerance=1e-5):
    inputs = inputs_for(name)
    with torch.no_grad():
        left, right = one(**inputs), other(**inputs)
    compared = [key for key in OUTPUTS if getattr(left, key, None) is not None]
    assert compared and compared == [
        key for key in OUTPUTS if getattr(right, key, None) is not None
    ]
    for key in compared:
        assert (getattr(left, key) - getattr(right, key)).abs().max() < tolerance, key


def reference(name, **changes):
    return random_weights(getattr(transformers, name)(transformers.BertConfig(**SHAPE | changes)))


def ours(name="BertModel", **changes):
    return random_weights(model_class_named(name)(BertConfig.from_dict(SHAPE | changes)))


def edit_weights(folder, change):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


# -- both directions ---------------------------------------------------------------------------------------------------

OURS = ("BertSumExt", "BertForSentenceSimilarity")  # test_summarization_model.py, test_sentence.py
SHARED = [name for name in PACKAGE_MODELS if name not in OURS]
CASES = [
    (name, changes)
    for name in SHARED
    for changes in ({}, {"num_labels": 5, "hidden_act": "gelu_new"})
    if not (name == "BertForQuestionAnswering" and changes)
]  # an answer has a start and an end, no 5 labels


@pytest.mark.parametrize("name, changes", CASES)
def test_opens_what_transformers_saved(name, changes, tmp_path, recwarn):
    model = reference(name, **changes)
    model.save_pretrained(tmp_path)
    opened = from_pretrained(tmp_path)
    assert type(opened) is model_class_named(name) and not opened.training
    assert_equal_outputs(model, opened, name)
    assert not [warning for warning in recwarn if issubclass(warning.category, UserWarning)]


@pytest.mark.parametrize("name, changes", CASES)
def test_transformers_opens_what_we_saved(name, changes, tmp_path):
    model = ours(name, **changes)
    save_pretrained(model, tmp_path / "saved")
    opened, report = getattr(transformers, name).from_pretrained(
        tmp_path / "saved", output_loading_info=True
    )
    assert not any(report.values()), report
    with safe_open(tmp_path / "saved" / "model.safetensors", "pt") as file:
        assert file.metadata() == {
            "format": "pt"
        }  # older versions of the reference refuse a file that does not say so
    assert_equal_outputs(model, opened.eval(), name)
    if name not in (
        "BertModel",
        "BertForPreTraining",
        "BertForNextSentencePrediction",
        "BertForMultipleChoice",
    ):
        automatic = {
            "BertForMaskedLM": transformers.AutoModelForMaskedLM,
            "BertForSequenceClassification": transformers.AutoModelForSequenceClassification,
            "BertForTokenClassification": transformers.AutoModelForTokenClassification,
            "BertForQuestionAnswering": transformers.AutoModelForQuestionAnswering,
        }[name]
        assert type(automatic.from_pretrained(tmp_path / "saved")).__name__ == name


@pytest.mark.parametrize("name", SHARED)
def test_round_trip_is_exact(name, tmp_path):
    model = ours(name, id2label={0: "no", 1: "yes", 2: "perhaps"})
    save_pretrained(model, tmp_path / "saved")
    opened = from_pretrained(tmp_path / "saved")
    assert opened.config == model.config and type(opened) is type(model)
    written = list(json.loads((tmp_path / "saved" / "config.json").read_text()))
    assert written == sorted(written)
    for key, tensor in model.state_dict().items():
        assert torch.equal(opened.state_dict()[key], tensor), key


@pytest.mark.parametrize("name", ["BertModel", "BertForPreTraining"])
def test_shards(name, tmp_path):
    model = reference(name)
    model.save_pretrained(tmp_path, max_shard_size="10KB")
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 2
    assert_equal_outputs(model, from_pretrained(tmp_path), name)


def test_saving_over_shards_leaves_none_behind(tmp_path):
    reference("BertModel").save_pretrained(tmp_path, max_shard_size="10KB")
    model = ours()
    save_pretrained(model, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "model.safetensors"]
    assert_equal_outputs(model, from_pretrained(tmp_path), "BertModel")


# -- older names, tied copies, missing and surplus parts ---------------------------------------------------------------


def test_gamma_and_beta(tmp_path):
    model = reference("BertForPreTraining")
    model.save_pretrained(tmp_path)

    def age(tensors):
        for key in [key for key in tensors if "LayerNorm" in key]:
            tensors[
                key.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                    "LayerNorm.bias", "LayerNorm.beta"
                )
            ] = tensors.pop(key)
        tensors["bert.embeddings.position_ids"] = torch.arange(16)[None]
        tensors["cls.predictions.decoder.weight"] = tensors[
            "bert.embeddings.word_embeddings.weight"
        ].clone()
        tensors["cls.predictions.decoder.bias"] = tensors.pop("cls.predictions.bias")

    edit_weights(tmp_path, age)
    assert_equal_outputs(model, from_pretrained(tmp_path), "BertForPreTraining")


def test_an_untied_decoder_is_refused(tmp_path):
    save_pretrained(ours("BertForMaskedLM"), tmp_path / "saved")
    edit_weights(
        tmp_path / "saved",
        lambda t: t.update({"cls.predictions.decoder.weight": torch.randn(60, 24)}),
    )
    with pytest.raises(
        ValueError, match="decoder.weight differs from bert.embeddings.word_embeddings.weight"
    ):
        from_pretrained(tmp_path / "saved")


def test_the_body_of_a_model_with_heads(tmp_path):
    model = reference("BertForPreTraining")
    model.save_pretrained(tmp_path)
    with pytest.warns(
        UserWarning,
        match=r"also holds cls.predictions, cls.seq_relationship: not part of BertModel, left unread",
    ):
        opened = from_pretrained(tmp_path, BertModel)
    assert_equal_outputs(model.bert, opened, "BertModel")
    with pytest.warns(UserWarning, match=r"also holds bert.pooler, cls.seq_relationship"):
        words = from_pretrained(tmp_path, minibert.BertForMaskedLM)
    inputs = inputs_for("BertModel")
    assert (words(**inputs).logits - model(**inputs).prediction_logits).abs().max() < 1e-5


def test_a_fresh_head_on_a_bare_body(tmp_path):
    body = ours()
    save_pretrained(body, tmp_path / "saved")
    with pytest.warns(
        pretrained_io.FreshWeightsWarning,
        match=r"has no classifier: fresh random weights in this BertForSequenceClassification",
    ) as caught:
        opened = from_pretrained(
            tmp_path / "saved", minibert.BertForSequenceClassification, num_labels=4
        )
    assert caught[0].filename == __file__  # the warning points at the reader's line
    assert opened.classifier.weight.shape == (4, 24) and opened.classifier.weight.std() < 0.05
    assert_equal_outputs(body, opened.bert, "BertModel")


def test_new_labels_replace_old_names(tmp_path):
    save_pretrained(ours(id2label={0: "no", 1: "yes", 2: "perhaps"}), tmp_path / "saved")
    with (
        pytest.warns(pretrained_io.FreshWeightsWarning),
        pytest.warns(UserWarning, match="also holds bert.pooler"),
    ):
        opened = from_pretrained(
            tmp_path / "saved", minibert.BertForTokenClassification, num_labels=5
        )
    assert opened.classifier.out_features == opened.config.num_labels == 5


def test_a_pooler_that_the_file_lacks_is_said(tmp_path):
    save_pretrained(ours("BertForMaskedLM"), tmp_path / "saved")
    with (
        pytest.warns(UserWarning, match="has no bert.pooler"),
        pytest.warns(UserWarning, match="also holds cls.predictions"),
    ):
        from_pretrained(tmp_path / "saved", BertModel)


@pytest.mark.parametrize(
    "change, message",
    [
        (
            lambda t: t.pop("encoder.layer.1.output.dense.bias"),
            r"bert.encoder.layer.1.output.dense.bias is missing \(expected shape \[24\]\)",
        ),
        (
            lambda t: t.update({"encoder.layer.2.output.dense.bias": torch.ones(24)}),
            r"bert.encoder.layer.2.output.dense.bias of shape \[24\] has no place",
        ),
        (
            lambda t: t.update({"embeddings.word_embeddings.weight": torch.ones(61, 24)}),
            r"word_embeddings.weight has the shape \[61, 24\], expected \[60, 24\]",
        ),
        (
            lambda t: t.update({"pooler.dense.bias": torch.ones(24, dtype=torch.int64)}),
            r"bert.pooler.dense.bias holds torch.int64, expected floating-point",
        ),
        (
            lambda t: t.pop("pooler.dense.bias"),
            r"bert.pooler.dense.bias is missing",
        ),  # half a part is no fresh part
        (lambda t: t.update({"nonsense": torch.ones(1)}), r"nonsense of shape \[1\] has no place"),
        (
            lambda t: t.update({"bert.pooler.dense.bias": torch.ones(24)}),
            r"bert.pooler.dense.bias is there twice",
        ),
        (lambda t: [t.pop(k) for k in list(t) if ".0." in k], r"attention.*and 11 more$"),
    ],
    ids=["missing", "surplus", "shape", "dtype", "half a part", "unknown", "twice", "many"],
)
def test_weights_that_do_not_fit(change, message, tmp_path):
    save_pretrained(ours(), tmp_path / "saved")
    edit_weights(tmp_path / "saved", change)
    with pytest.raises(ValueError, match=message) as caught:
        from_pretrained(tmp_path / "saved")
    assert str(tmp_path / "saved") in str(caught.value)


# -- files that are not what they seem ---------------------------------------------------------------------------------


class Bomb:
    """Leaves a trace when it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return open, (str(self.trace), "w")


def spoil_legacy(path):
    path.write_bytes(pickle.dumps({"weights": list(range(100))}))


def spoil_last_byte(path):
    path.write_bytes(path.read_bytes()[:-1])


def spoil_truncated(path):
    path.write_bytes(path.read_bytes()[:-100])


def spoil_header_only(path):
    path.write_bytes(path.read_bytes()[:50])


def spoil_empty(path):
    path.write_bytes(b"")


def spoil_text(path):
    path.write_text("these are not the weights that you are looking for\n" * 100)


def spoil_json(path):
    path.write_bytes((2).to_bytes(8, "little") + b"[]" + b"\0" * 100)


def spoil_lfs(path):
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")


def spoil_zip(path):
    torch.save({"weight": torch.ones(2)}, path)


@pytest.mark.parametrize(
    "spoil, message",
    [
        (spoil_truncated, r"is cut off: its header describes \d+ bytes, the file has \d+"),
        (spoil_header_only, r"cut off inside its header: it has 50 bytes"),
        (spoil_empty, r"is cut off: it has 0 bytes"),
        (spoil_text, r"is not a safetensors file"),
        (spoil_json, r"is not a safetensors file"),
        (spoil_lfs, r"Git LFS pointer"),
        (spoil_zip, r"is a pickled PyTorch file with the wrong suffix"),
        (spoil_legacy, r"is a pickled PyTorch file with the wrong suffix"),
        (spoil_last_byte, r"is cut off: its header describes \d+ bytes, the file has \d+"),
    ],
)
def test_a_spoiled_file_says_what_and_where(spoil, message, tmp_path):
    save_pretrained(ours(), tmp_path / "saved")
    spoil(tmp_path / "saved" / "model.safetensors")
    with pytest.raises(ValueError, match=message) as caught:
        from_pretrained(tmp_path / "saved")
    assert str(tmp_path / "saved" / "model.safetensors") in str(caught.value)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.safetensors", "weights.pt"])
def test_nothing_is_ever_unpickled(name, tmp_path):
    save_pretrained(ours(), tmp_path / "saved")
    (tmp_path / "saved" / "model.safetensors").unlink()
    (tmp_path / "saved" / name).write_bytes(pickle.dumps(Bomb(tmp_path / "trace")))
    with pytest.raises(ValueError, match="pickled"):
        from_pretrained(tmp_path / "saved")
    assert not (tmp_path / "trace").exists()


def test_a_folder_without_weights(tmp_path):
    (tmp_path / "config.json").write_text(BertConfig(**SHAPE).to_json_string())
    with pytest.raises(
        ValueError, match="has no model.safetensors and no model.safetensors.index.json"
    ):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    "change, message",
    [
        (
            lambda folder, index: (folder / index["weight_map"]["pooler.dense.bias"]).unlink(),
            "the shard .* is missing",
        ),
        (
            lambda folder, index: index["weight_map"].update(
                {"pooler.dense.bias": "../x.safetensors"}
            ),
            "outside its folder: '../x.safetensors'",
        ),
        (
            lambda folder, index: index["weight_map"].update(
                {"surplus": index["weight_map"]["pooler.dense.bias"]}
            ),
            "lists surplus in",
        ),
        (lambda folder, index: index.pop("weight_map"), "is not a list of shards"),
    ],
)
def test_wrong_shards(change, message, tmp_path):
    reference("BertModel").save_pretrained(tmp_path, max_shard_size="10KB")
    path = tmp_path / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    change(tmp_path, index)
    path.write_text(json.dumps(index))
    with pytest.raises(ValueError, match=message):
        from_pretrained(tmp_path)


# -- config.json -------------------------------------------------------------------------------------------------------


def edit_config(folder, **changes):
    values = json.loads((folder / "config.json").read_text()) | changes
    (folder / "config.json").write_text(
        json.dumps({key: value for key, value in values.items() if value is not None})
    )


def test_the_class_comes_from_architectures(tmp_path):
    save_pretrained(ours(), tmp_path / "saved")
    edit_config(tmp_path / "saved", architectures=None)
    assert type(from_pretrained(tmp_path / "saved")) is BertModel
    edit_config(tmp_path / "saved", architectures=["BertLMHeadModel"])
    with pytest.raises(ValueError, match="architectures names 'BertLMHeadModel'.*give model_class"):
        from_pretrained(tmp_path / "saved")
    assert type(from_pretrained(tmp_path / "saved", BertModel)) is BertModel
    with pytest.raises(ValueError, match="model_class must be one of BertModel"):
        from_pretrained(tmp_path / "saved", torch.nn.Linear)


def test_another_kind_of_model_is_refused(tmp_path):
    transformers.RobertaModel(transformers.RobertaConfig(**SHAPE)).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="model_type is 'roberta'"):
        from_pretrained(tmp_path, BertModel)


def test_a_misspelt_change_is_refused(tmp_path):
    save_pretrained(ours(), tmp_path / "saved")
    with pytest.raises(ValueError, match="did you mean 'hidden_dropout_prob'"):
        from_pretrained(tmp_path / "saved", hidden_dropout=0.0)


def test_a_missing_config_names_the_file(tmp_path):
    (tmp_path / "vocab.txt").write_text("[PAD]\n")
    with pytest.raises(ValueError, match="config.json"):
        from_pretrained(tmp_path)


# -- what the reference cannot hold, and half precision ----------------------------------------------------------------


def test_models_for_minibert_only_say_so(tmp_path):  # with norm_first: test_pre_norm.py
    model = ours(position_embedding_type="none")
    with pytest.warns(UserWarning, match="only minibert computes a model with") as caught:
        save_pretrained(model, tmp_path / "saved")
    assert caught[0].filename == __file__
    written = json.loads((tmp_path / "saved" / "config.json").read_text())
    assert written["model_type"] == "minibert" and "only minibert" in written["_comment"]
    with pytest.raises(ValueError):
        transformers.AutoModel.from_pretrained(tmp_path / "saved")
    opened = from_pretrained(tmp_path / "saved")
    assert (
        opened.config
        == model.config
        == BertConfig.from_json_file(tmp_path / "saved" / "config.json")
    )
    assert_equal_outputs(model, opened, "BertModel", 1e-7)


def test_a_learned_table_is_not_taken_for_the_sinusoidal_one(tmp_path):
    save_pretrained(ours("BertForMaskedLM"), tmp_path)
    with pytest.raises(InputError, match="its table of positions is not the sinusoidal one"):
        from_pretrained(tmp_path, position_embedding_type="sinusoidal")


def test_sinusoidal_positions_are_saved_as_their_table(tmp_path, recwarn):
    model = ours("BertForMaskedLM", position_embedding_type="sinusoidal")
    save_pretrained(model, tmp_path / "saved")
    opened = from_pretrained(tmp_path / "saved")
    assert (
        opened.config
        == model.config
        == BertConfig.from_json_file(tmp_path / "saved" / "config.json")
    )
    assert_equal_outputs(model, opened, "BertForMaskedLM", 1e-7)
    assert not [warning for warning in recwarn if issubclass(warning.category, UserWarning)]
    theirs, report = transformers.AutoModelForMaskedLM.from_pretrained(
        tmp_path / "saved", output_loading_info=True
    )
    assert not any(report.values()), report
    assert (
        theirs.config.position_embedding_type == "absolute"
    )  # older versions of the reference obey this key
    assert_equal_outputs(model, theirs.eval(), "BertForMaskedLM")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_open_as_float32(dtype, tmp_path):
    model = ours().to(dtype)
    save_pretrained(model, tmp_path / "saved")
    assert load_file(tmp_path / "saved" / "model.safetensors")["pooler.dense.bias"].dtype == dtype
    opened = from_pretrained(tmp_path / "saved")
    assert {parameter.dtype for parameter in opened.parameters()} == {torch.float32}
    assert torch.equal(opened.pooler.dense.weight, model.pooler.dense.weight.float())
    assert transformers.BertModel.from_pretrained(tmp_path / "saved").dtype == dtype


@pytest.fixture(params=[torch.bfloat16, torch.float16, torch.float64])
def another_default_dtype(request):
    torch.set_default_dtype(request.param)
    yield request.param
    torch.set_default_dtype(torch.float32)


def test_the_default_dtype_rounds_no_weights(tmp_path, another_default_dtype):
    with torch.random.fork_rng():
        torch.set_default_dtype(torch.float32)
        model = ours(position_embedding_type="sinusoidal")
        save_pretrained(model, tmp_path / "saved")
        torch.set_default_dtype(another_default_dtype)
    opened = from_pretrained(tmp_path / "saved").state_dict()
    assert all(torch.equal(opened[name], tensor) for name, tensor in model.state_dict().items())
    assert torch.get_default_dtype() == another_default_dtype


def test_a_model_in_float64_keeps_its_numbers(tmp_path):
    model = random_weights(ours().double())
    save_pretrained(model, tmp_path / "saved")
    for dtype in (torch.float64, "auto"):
        opened = from_pretrained(tmp_path / "saved", dtype=dtype).state_dict()
        assert all(torch.equal(opened[name], tensor) for name, tensor in model.state_dict().items())


# -- the vocabulary, and saving that fails -----------------------------------------------------------------------------


@pytest.fixture
def tokenizer():
    return WordPieceTokenizer(
        {
            token: index
            for index, token in enumerate(
                ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "bank", "##s"]
            )
        }
    )


def test_the_vocabulary_is_saved_and_travels(tokenizer, tmp_path):
    save_pretrained(ours(), tmp_path / "one", tokenizer)
    save_pretrained(
        from_pretrained(tmp_path / "one"), tmp_path / "two"
    )  # known from where it was opened
    for folder in ("one", "two"):
        assert WordPieceTokenizer.from_pretrained(tmp_path / folder).vocab == tokenizer.vocab
        theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / folder)
        assert theirs("The banks")["input_ids"] == tokenizer.encode("The banks")


def test_a_new_vocabulary_replaces_all_of_the_old_one(tokenizer, tmp_path):
    save_pretrained(ours(), tmp_path / "saved", tokenizer)
    (tmp_path / "saved" / "tokenizer.json").write_text("of an older vocabulary")
    save_pretrained(ours(), tmp_path / "saved", tokenizer)
    assert not (tmp_path / "saved" / "tokenizer.json").exists()


def test_a_tokenizer_larger_than_the_model_is_refused(tokenizer, tmp_path):
    with pytest.raises(
        ValueError, match="the tokenizer has 8 tokens but the model's vocab_size is 7"
    ):
        save_pretrained(ours(vocab_size=7), tmp_path / "saved", tokenizer)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("failing", ["write_weights", "_config_values", "_write_tokenizer"])
@pytest.mark.parametrize(
    "error",
    [OSError(28, "No space left on device"), KeyboardInterrupt()],
    ids=["full disk", "Ctrl-C"],
)
def test_a_failure_while_saving_harms_nothing(failing, error, tmp_path, monkeypatch):
    old = ours()
    save_pretrained(old, tmp_path / "old")
    before = {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()}

    def fail(*arguments):
        raise error

    monkeypatch.setattr(pretrained_io, failing, fail)
    for folder in ("old", "new"):
        with pytest.raises(
            ValueError if isinstance(error, OSError) else KeyboardInterrupt
        ) as caught:
            save_pretrained(ours(), tmp_path / folder)
        if isinstance(error, OSError):
            assert f"cannot save to {tmp_path / folder}: No space left" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()} == before


def test_saving_into_a_folder_keeps_its_other_files(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    model = ours()
    save_pretrained(model, tmp_path)
    save_pretrained(model, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "README.md",
        "config.json",
        "model.safetensors",
    ]


def test_a_save_that_was_killed_leaves_nothing_behind_for_ever(tmp_path):
    save_pretrained(ours(), tmp_path / "saved")
    (tmp_path / "saved" / ".saving-4711-0123abcd").mkdir()
    half = tmp_path / "saved" / ".saving-4711-0123abcd" / "model.safetensors"
    half.write_bytes(b"half")
    for path in (half, half.parent):
        os.utime(path, times=(0, 0))
    assert from_pretrained(tmp_path / "saved")
    save_pretrained(ours(), tmp_path / "saved")
    assert sorted(os.listdir(tmp_path / "saved")) == ["config.json", "model.safetensors"]


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ValueError, match="cannot save to"):
            save_pretrained(ours(), place)
    assert (tmp_path / "file").read_text() == ""
    assert os.listdir(tmp_path) == ["file"]


# -- real weights ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("readable", [True, False], ids=["readable attention", "fused attention"])
@pytest.mark.parametrize(
    "dtype, tolerance", [(torch.float32, 1e-5), (torch.float64, 1e-10)], ids=["float32", "float64"]
)
def test_every_hidden_state_of_minilm_equals_the_reference(
    dtype, tolerance, readable, needs_minilm
):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = from_pretrained(MINILM).to(dtype)
    reference = (
        transformers.BertModel.from_pretrained(model.source_folder, attn_implementation="eager")
        .to(dtype)
        .eval()
    )
    batch = WordPieceTokenizer.from_pretrained(MINILM)(
        [
            "the bank by the river",
            "the bank raised its rates",
            "nobody knows why 3,141 geese crossed the strait " * 12,
        ]
    )
    with torch.no_grad():
        ours = model(**batch, output_hidden_states=True, output_attentions=readable)
        theirs = reference(**batch, output_hidden_states=True, output_attentions=True)
    assert len(ours.hidden_states) == len(theirs.hidden_states) == 7
    real = batch["attention_mask"].bool()
    for mine, other in zip(ours.hidden_states, theirs.hidden_states):
        assert (mine - other)[real].abs().max() < tolerance
    for mine, other in zip(ours.attentions or [], theirs.attentions):
        assert (mine - other).transpose(1, 2)[real].abs().max() < tolerance
    assert (ours.pooler_output - theirs.pooler_output).abs().max() < tolerance


# names of classes


def test_the_number_of_labels_that_a_model_has_keeps_their_names(tmp_path):
    classifier = minibert.BertForSequenceClassification
    config = BertConfig(**SHAPE, id2label={0: "neg", 1: "pos"})
    save_pretrained(classifier(config), tmp_path)
    assert from_pretrained(tmp_path, num_labels=2).config.id2label == {0: "neg", 1: "pos"}
    with pytest.raises(ValueError, match="do not fit"):
        from_pretrained(tmp_path, num_labels=3)


@pytest.mark.parametrize("changes", [{}, {"num_labels": 2}, {"id2label": {0: "a", 1: "b"}}])
def test_label2id_has_to_fit_id2label(changes, tmp_path):
    save_pretrained(minibert.BertForSequenceClassification(BertConfig(**SHAPE)), tmp_path)
    with pytest.raises(ValueError, match="label2id is not the reverse of id2label"):
        from_pretrained(tmp_path, label2id={"b": 0, "a": 1}, **changes)
    names = {"id2label": {0: "b", 1: "a"}, "label2id": {"b": 0, "a": 1}}
    assert from_pretrained(tmp_path, **names).config.id2label == {0: "b", 1: "a"}
