"""Pre-norm models: `transformers` opens them as RobertaPreLayerNorm with equal outputs and gradients, and we open its own."""

import json
import warnings

import pytest
import torch
import transformers
from deviation import deviation
from safetensors.torch import load_file, save_file

import minibert
import minibert.cli.main as cli
from minibert import BertConfig, WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.hub import pretrained_io, roberta_prelayernorm
from minibert.hub.safetensors_io import write_weights
from minibert.model import PACKAGE_MODELS, model_class_named

SHAPE = dict(
    vocab_size=60,
    hidden_size=24,
    num_hidden_layers=3,
    num_attention_heads=3,
    intermediate_size=40,
    max_position_embeddings=16,
    type_vocab_size=3,
)
EXACT = [name for name in roberta_prelayernorm.COUNTERPARTS if name != "BertForPreTraining"] + [
    "BertModel"
]
TEXT = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "bank",
    "##s",
    *(f"w{n}" for n in range(52)),
]


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random_weights(model):
    """No tensor as the initialisation leaves it: a bias or a norm that is not loaded shows."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model.eval()


def ours(name="BertModel", **changes):
    return random_weights(
        model_class_named(name)(BertConfig.from_dict(SHAPE | {"norm_first": True} | changes))
    )


def theirs(name, **changes):
    """A RobertaPreLayerNorm with room for as many tokens as ours."""
    pad = changes.setdefault("pad_token_id", 0)
    config = transformers.RobertaPreLayerNormConfig(
        **SHAPE | {"max_position_embeddings": 16 + pad + 1} | changes
    )
    return random_weights(getattr(transformers, name)(config))


def open_there(folder, **options):
    """By the class that stands first in config.json, and what its program complains about."""
    name = json.loads((folder / "config.json").read_text())["architectures"][0]
    model, report = getattr(transformers, name).from_pretrained(
        folder, output_loading_info=True, **options
    )
    return model.eval(), {kind: set(found) for kind, found in report.items() if found}


def inputs_for(name, pad=0):
    """A batch with padding at the end of the second text, and that text's mask."""
    shape = (2, 3, 7) if "MultipleChoice" in name else (2, 7)
    ids, mask = torch.randint(2, 60, shape), torch.ones(shape, dtype=torch.int64)
    ids[1, ..., -2:], mask[1, ..., -2:] = pad, 0
    return dict(input_ids=ids, token_type_ids=torch.randint(0, 3, shape), attention_mask=mask)


def outputs(model, batch, name):
    """What a model computes, without what stands at padding."""
    found = model(**batch)
    kept = {
        key: getattr(found, key, None)
        for key in ("last_hidden_state", "pooler_output", "logits", "start_logits", "end_logits")
    }
    kept["logits"] = getattr(found, "prediction_logits", kept["logits"])
    real = batch["attention_mask"].bool()
    return {
        key: value[real] if value.shape[:2] == real.shape == (2, 7) else value
        for key, value in kept.items()
        if value is not None
    }


def assert_equal_outputs(one, other, name, tolerance=1e-12, pad=0):
    batch = inputs_for(name, pad)
    left, right = outputs(one, batch, name), outputs(other, batch, name)
    assert left and left.keys() == right.keys()
    for key in left:
        assert (left[key] - right[key]).abs().max() < tolerance, key
    return left, right


def saved_in_the_old_form(model, folder):
    """As minibert saved a pre-norm model before it knew of RobertaPreLayerNorm."""
    folder.mkdir()
    write_weights(model.state_dict(), folder / "model.safetensors")
    (folder / "config.json").write_text(
        json.dumps(
            model.config.to_dict()
            | {"model_type": "minibert", "architectures": [type(model).__name__]}
        )
    )


# ---------------------------------------------------------------- ours there


@deviation(
    "Pre-norm models in files",
    reference="RobertaPreLayerNorm: positions from pad_token_id + 1 on, exact GELU in the masked-word head, no next-sentence head",
    here="a BERT with `norm_first=True` is saved as that, with rows of zeros in front of the position table; the next-sentence head stays in the file",
    why="its layers compute the same, so other programs can open the model",
)
@pytest.mark.parametrize(
    "name, changes",
    [(name, {}) for name in EXACT]
    + [
        ("BertModel", {"hidden_act": "gelu_new"}),
        ("BertForMaskedLM", {"pad_token_id": 3}),
        ("BertForMaskedLM", {"position_embedding_type": "sinusoidal"}),
        ("BertForSequenceClassification", {"num_labels": 5, "hidden_act": "relu"}),
        ("BertForTokenClassification", {"num_labels": 5}),
    ],
    ids=str,
)
def test_transformers_opens_a_pre_norm_model_with_equal_outputs_and_gradients(
    name, changes, tmp_path, recwarn
):
    model = ours(name, **changes).double()
    pad = model.config.pad_token_id
    save_pretrained(model, tmp_path / "saved")
    opened, complaints = open_there(tmp_path / "saved")
    assert complaints == {} and opened.dtype == torch.float64
    assert not [warning for warning in recwarn if issubclass(warning.category, UserWarning)]
    left, right = assert_equal_outputs(model, opened, name, pad=pad)

    for parts in (left, right):
        sum(
            (part * torch.linspace(-1, 1, part.numel(), dtype=torch.float64).view_as(part)).sum()
            for part in parts.values()
        ).backward()
    gradients = {key: parameter.grad for key, parameter in opened.named_parameters()}
    mine = ours(name, **changes).double()
    mine.load_state_dict(
        {key: parameter.grad for key, parameter in model.named_parameters()}, strict=False
    )
    for key, gradient in roberta_prelayernorm.to_reference(mine).items():
        if key in gradients and not (
            key.endswith("position_embeddings.weight") and changes.get("position_embedding_type")
        ):
            assert (gradient - gradients[key]).abs().max() < 1e-10 * gradients[
                key
            ].abs().max().clamp(min=1), key


def test_of_both_heads_of_pretraining_it_reads_one(tmp_path):
    model = ours("BertForPreTraining").double()
    save_pretrained(model, tmp_path / "saved")
    opened, complaints = open_there(tmp_path / "saved")
    assert (
        type(opened)
        is type(transformers.AutoModelForMaskedLM.from_pretrained(tmp_path / "saved"))
        is transformers.RobertaPreLayerNormForMaskedLM
    )
    assert complaints == {
        "unexpected_keys": {
            f"{part}.{kind}"
            for part in ("roberta_prelayernorm.pooler.dense", "cls.seq_relationship")
            for kind in ("weight", "bias")
        }
    }
    assert_equal_outputs(model, opened, "BertForPreTraining")
    body = transformers.AutoModel.from_pretrained(tmp_path / "saved").eval()
    assert type(body) is transformers.RobertaPreLayerNormModel
    assert_equal_outputs(model.bert, body, "BertModel")


@pytest.mark.parametrize("name", ["BertForNextSentencePrediction", "BertForSentenceSimilarity"])
def test_of_a_head_that_it_lacks_it_opens_the_body(name, tmp_path):
    model = ours(name)
    save_pretrained(model, tmp_path / "saved")
    opened, complaints = open_there(tmp_path / "saved")
    assert type(opened) is transformers.RobertaPreLayerNormModel
    assert complaints.keys() == {"unexpected_keys" if model.bert.pooler else "missing_keys"}
    batch = inputs_for(name)
    real = batch["attention_mask"].bool()
    assert (model.bert(**batch).last_hidden_state - opened(**batch).last_hidden_state)[
        real
    ].abs().max() < 1e-5


@pytest.mark.parametrize("name", PACKAGE_MODELS)
def test_round_trip_is_exact(name, tmp_path):
    if name == "BertSumExt":
        model = random_weights(
            minibert.BertSumExt(ours(), "transformer")
        )  # its head has layers and norms of the same names
    else:
        model = ours(name, id2label={0: "no", 1: "yes", 2: "perhaps"})
    save_pretrained(model, tmp_path / "saved")
    opened = from_pretrained(tmp_path / "saved")
    assert opened.config == model.config == BertConfig.from_json_file(
        tmp_path / "saved" / "config.json"
    ) and type(opened) is type(model)
    assert opened.config.max_position_embeddings == 16
    assert {key: tensor.tolist() for key, tensor in opened.state_dict().items()} == {
        key: tensor.tolist() for key, tensor in model.state_dict().items()
    }


def test_half_precision_travels(tmp_path):
    model = ours("BertForPreTraining").half()
    save_pretrained(model, tmp_path / "saved")
    assert {
        tensor.dtype for tensor in load_file(tmp_path / "saved" / "model.safetensors").values()
    } == {torch.float16}
    assert open_there(tmp_path / "saved")[0].dtype == torch.float16
    opened = from_pretrained(tmp_path / "saved")
    assert_equal_outputs(
        opened, open_there(tmp_path / "saved", dtype=torch.float32)[0], "BertForPreTraining", 1e-5
    )
    assert torch.equal(opened.bert.encoder.norm.weight, model.bert.encoder.norm.weight.float())


def test_a_long_text_has_as_many_positions_there_as_here(tmp_path):
    model = ours()
    save_pretrained(model, tmp_path / "saved")
    opened, _ = open_there(tmp_path / "saved")
    ids = torch.randint(2, 60, (1, 16))
    assert (model(ids).last_hidden_state - opened(ids).last_hidden_state).abs().max() < 1e-5
    with pytest.raises(RuntimeError, match="index 17 is out of bounds"):
        opened(torch.randint(2, 60, (1, 17)))


def test_the_tokenizer_there_is_ours(tmp_path):
    tokenizer = WordPieceTokenizer({token: number for number, token in enumerate(TEXT)})
    save_pretrained(ours("BertForMaskedLM"), tmp_path / "saved", tokenizer)
    found = transformers.AutoTokenizer.from_pretrained(tmp_path / "saved")
    batch, other = (
        tokenizer(["The banks [MASK]", "w3"], ["w1 w2", "the"]),
        found(["The banks [MASK]", "w3"], ["w1 w2", "the"], padding=True, return_tensors="pt"),
    )
    assert batch.keys() == other.keys() and all(
        torch.equal(batch[name], other[name]) for name in batch
    )


def test_fill_mask_and_info_open_the_folder(tmp_path, capsys):
    save_pretrained(
        ours("BertForPreTraining"),
        tmp_path / "saved",
        WordPieceTokenizer({token: number for number, token in enumerate(TEXT)}),
    )
    filler = transformers.pipeline("fill-mask", model=str(tmp_path / "saved"), top_k=3)
    wanted = [(answer["token_str"], answer["score"]) for answer in filler("the bank [MASK] w1")]
    assert (
        cli.main(
            ["fill-mask", "the bank [MASK] w1", "--top", "3", "--model", str(tmp_path / "saved")]
        )
        == 0
    )
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [word for _, word in lines] == [word for word, _ in wanted]
    assert [float(share) for share, _ in lines] == pytest.approx(
        [score for _, score in wanted], abs=1e-3
    )
    assert cli.main(["info", str(tmp_path / "saved"), "--json", "--length", "16"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (
        told["class"],
        told["config"]["norm_first"],
        told["config"]["max_position_embeddings"],
    ) == ("BertForPreTraining", True, 16)


def test_a_model_that_was_trained_further_there_is_what_it_was_saved_as(tmp_path):
    save_pretrained(ours("BertForPreTraining"), tmp_path / "ours")
    transformers.AutoModelForMaskedLM.from_pretrained(tmp_path / "ours").save_pretrained(
        tmp_path / "theirs"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert type(from_pretrained(tmp_path / "theirs")) is minibert.BertForMaskedLM
    transformers.AutoModelForSequenceClassification.from_pretrained(
        tmp_path / "ours", num_labels=4
    ).save_pretrained(tmp_path / "classes")
    assert from_pretrained(tmp_path / "classes").classifier.weight.shape == (4, 24)


# ---------------------------------------------------------------- theirs here


@pytest.mark.parametrize(
    "name", ["RobertaPreLayerNormModel", *sorted(set(roberta_prelayernorm.COUNTERPARTS.values()))]
)
@pytest.mark.parametrize("pad", [0, 1])
def test_opens_what_transformers_saved(name, pad, tmp_path, recwarn):
    model = theirs(
        name, pad_token_id=pad, **{} if "QuestionAnswering" in name else {"num_labels": 4}
    )
    model.save_pretrained(tmp_path)
    opened = from_pretrained(tmp_path)
    assert (
        type(opened).__name__ == name.replace("RobertaPreLayerNorm", "Bert")
        and opened.config.norm_first
        and opened.config.max_position_embeddings == 16
    )
    assert_equal_outputs(opened, model, name, 1e-5, pad)
    assert not [warning for warning in recwarn if issubclass(warning.category, UserWarning)]


def test_an_untied_decoder_is_refused(tmp_path):
    theirs("RobertaPreLayerNormForMaskedLM").save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors") | {
        "lm_head.decoder.weight": torch.randn(60, 24)
    }
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        ValueError, match="decoder.weight differs from bert.embeddings.word_embeddings.weight"
    ):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    "name, changes, message",
    [
        (
            "RobertaPreLayerNormForMaskedLM",
            {"hidden_act": "relu"},
            "hidden_act is 'relu', but the masked-word head of a RobertaPreLayerNorm has 'gelu'.*model_class=BertModel",
        ),
        (
            "RobertaPreLayerNormModel",
            {"hidden_act": "silu"},
            "hidden_act must be one of gelu, gelu_new, relu, not 'silu'",
        ),
        (
            "RobertaPreLayerNormForCausalLM",
            {},
            "architectures names 'RobertaPreLayerNormForCausalLM', which minibert does not have",
        ),
        (
            "RobertaPreLayerNormForCausalLM",
            {"is_decoder": True},
            "'is_decoder' is True: minibert builds whole encoders only",
        ),
        (
            "RobertaPreLayerNormModel",
            {"position_embedding_type": "relative_key"},
            "position_embedding_type must be one of",
        ),
    ],
    ids=str,
)
def test_what_does_not_correspond_is_said(name, changes, message, tmp_path):
    theirs(name, **changes).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=message):
        from_pretrained(tmp_path)


def test_the_body_of_a_masked_word_model_with_another_activation(tmp_path):
    model = theirs("RobertaPreLayerNormForMaskedLM", hidden_act="relu")
    model.save_pretrained(tmp_path)
    with (
        pytest.warns(pretrained_io.FreshWeightsWarning, match="has no bert.pooler"),
        pytest.warns(UserWarning, match="also holds cls.predictions"),
    ):
        opened = from_pretrained(tmp_path, minibert.BertModel)
    batch = inputs_for("BertModel")
    real = batch["attention_mask"].bool()
    assert (
        opened(**batch).last_hidden_state - model.roberta_prelayernorm(**batch).last_hidden_state
    )[real].abs().max() < 1e-5


def test_weights_that_do_not_fit_are_named_as_ours(tmp_path):
    theirs("RobertaPreLayerNormModel").save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["encoder.layer.9.intermediate.LayerNorm.bias"] = torch.ones(24)
    del tensors["LayerNorm.weight"]
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        ValueError,
        match=r"bert.encoder.layer.9.intermediate.LayerNorm.bias of shape \[24\] has no place in the model; bert.encoder.norm.weight is missing",
    ):
        from_pretrained(tmp_path)


def test_another_kind_of_tokenizer_is_said(tmp_path):
    theirs("RobertaPreLayerNormForMaskedLM").save_pretrained(tmp_path)
    (tmp_path / "vocab.json").write_text(
        '{"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4}'
    )
    (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    from_pretrained(tmp_path)
    with pytest.raises(
        ValueError,
        match="no vocab.txt and no tokenizer.json in .*: its vocab.json is not a WordPiece vocabulary",
    ):
        WordPieceTokenizer.from_pretrained(tmp_path)
    transformers.RobertaTokenizer.from_pretrained(tmp_path).save_pretrained(tmp_path)
    with pytest.raises(
        ValueError, match="holds a BPE tokenizer; expected WordPiece with its vocab"
    ):
        WordPieceTokenizer.from_pretrained(tmp_path)


# ---------------------------------------------------------------- for minibert only, and folders of before


@pytest.mark.parametrize(
    "name, changes, reason",
    [
        (
            "BertForMaskedLM",
            {"hidden_act": "gelu_new"},
            "norm_first=True and an MLM head with hidden_act='gelu_new'",
        ),
        (
            "BertForPreTraining",
            {"hidden_act": "relu"},
            "norm_first=True and an MLM head with hidden_act='relu'",
        ),
        ("BertModel", {"position_embedding_type": "none"}, "position_embedding_type='none'"),
    ],
    ids=str,
)
def test_models_for_minibert_only_say_so(name, changes, reason, tmp_path):
    model = ours(name, **changes)
    with pytest.warns(
        UserWarning, match=f"only minibert computes a model with {reason}: other programs"
    ) as caught:
        save_pretrained(model, tmp_path / "saved")
    assert caught[0].filename == __file__
    written = json.loads((tmp_path / "saved" / "config.json").read_text())
    assert (
        written["model_type"] == "minibert"
        and written["norm_first"] is True
        and reason in written["_comment"]
    )
    with pytest.raises(ValueError):
        transformers.AutoModel.from_pretrained(tmp_path / "saved")
    opened = from_pretrained(tmp_path / "saved")
    assert opened.config == model.config
    assert_equal_outputs(model, opened, name, 1e-7)


@pytest.mark.parametrize("name", ["BertModel", "BertForPreTraining"])
def test_folders_of_the_old_form_still_open(name, tmp_path):
    model = ours(name)
    saved_in_the_old_form(model, tmp_path / "old")
    opened = from_pretrained(tmp_path / "old")
    assert opened.config == model.config and type(opened) is type(model)
    assert_equal_outputs(model, opened, name, 1e-7)
    save_pretrained(opened, tmp_path / "new")
    assert_equal_outputs(model, open_there(tmp_path / "new")[0], name, 1e-5)
