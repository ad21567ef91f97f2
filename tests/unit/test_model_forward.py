"""The interface that all models share: keyword-only arguments, inputs_embeds, device and dtype, opening and saving."""

import inspect

import pytest
import torch
from reference import TOLERANCE, draw_weights, reference_twin, small_config

import minibert
from minibert import BertModel
from minibert.config import InputError
from minibert.model import BertPreTrainedModel, bert_of, evaluating

B, S = 3, 7
IDS = torch.randint(1, 61, (B, S), generator=torch.Generator().manual_seed(0))
MASK = (torch.arange(S) < torch.tensor([[7], [4], [6]])).long()  # [B, S]
HEADS = [
    "BertForPreTraining",
    "BertForMaskedLM",
    "BertForNextSentencePrediction",
    "BertForSequenceClassification",
    "BertForTokenClassification",
    "BertForQuestionAnswering",
    "BertForMultipleChoice",
    "BertForSentenceSimilarity",
]
MODELS = ["BertModel", *HEADS]


def model_of(name: str, **changes) -> BertPreTrainedModel:
    return draw_weights(getattr(minibert, name)(small_config(**changes))).eval()


def ids_for(name: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask in the shape that a model takes: [B, S], or [B, 2, S]."""
    if name in ("BertForMultipleChoice", "BertForSentenceSimilarity"):
        return IDS[:2].expand(2, 2, S), MASK[1:].expand(2, 2, S)
    return IDS, MASK


def tensors_in(outputs) -> list[torch.Tensor]:
    return [value for value in vars(outputs).values() if isinstance(value, torch.Tensor)]


# Keyword-only arguments


@pytest.mark.parametrize("name", MODELS)
def test_a_positional_mask_is_refused(name):
    with pytest.raises(TypeError, match="positional"):
        model_of(name)(*ids_for(name))


@pytest.mark.parametrize("name", [*MODELS, "BertSumExt"])
def test_every_argument_of_forward_is_spelled_out_and_typed(name):
    parameters = inspect.signature(getattr(minibert, name).forward).parameters
    for parameter in list(parameters.values())[2:]:
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
        assert parameter.annotation is not inspect.Parameter.empty


# inputs_embeds


@pytest.mark.parametrize("name", MODELS)
def test_word_vectors_instead_of_ids_give_the_same(name):
    model = model_of(name)
    ids, mask = ids_for(name)
    vectors = bert_of(model).embeddings.word_embeddings(ids)  # [B, S, H] or [B, 2, S, H]
    by_ids = tensors_in(model(ids, attention_mask=mask))
    by_vectors = tensors_in(model(inputs_embeds=vectors, attention_mask=mask))
    assert by_ids
    for one, other in zip(by_ids, by_vectors, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", ["BertModel", "BertForMaskedLM", "BertForTokenClassification"])
def test_word_vectors_equal_the_reference(name, dtype):
    model = model_of(name).to(dtype)
    twin = reference_twin(model)
    vectors = torch.randn(B, S, 24, generator=torch.Generator().manual_seed(1)).to(dtype)
    for network in (model, twin):  # no gradient reaches the word table, in neither
        network.get_submodule("bert" if name != "BertModel" else "").embeddings.word_embeddings(IDS)
    with torch.no_grad():
        mine = model(inputs_embeds=vectors, attention_mask=MASK)
        theirs = twin(inputs_embeds=vectors, attention_mask=MASK)
    for key, value in vars(mine).items():
        if isinstance(value, torch.Tensor):
            assert (value - theirs[key]).abs().max() <= TOLERANCE[dtype], key


@pytest.mark.parametrize(
    "inputs, said",
    [
        ({}, "one of the two"),
        (dict(input_ids=IDS, inputs_embeds=torch.zeros(B, S, 24)), "one of the two"),
        (
            dict(inputs_embeds=torch.zeros(B, S, 23)),
            "vectors of 23 numbers; hidden_size is 24",
        ),
        (dict(inputs_embeds=torch.zeros(B, 24)), r"\[batch, tokens, hidden\].*not \[3, 24\]"),
        (dict(inputs_embeds=torch.zeros(B, 0, 24)), r"at least 1, not \[3, 0, 24\]"),
        (dict(inputs_embeds=torch.zeros(1, 21, 24)), "a sequence of 21 tokens is longer"),
        (
            dict(inputs_embeds=torch.zeros(B, S, 24, dtype=torch.float64)),
            "inputs_embeds is of dtype torch.float64, the model torch.float32",
        ),
        (
            dict(inputs_embeds=torch.zeros(B, S, 24), attention_mask=MASK[:, 1:]),
            r"attention_mask must have the shape \[3, 7\]",
        ),
    ],
)
def test_wrong_word_vectors_are_refused(inputs, said):
    with pytest.raises(InputError, match=said):
        model_of("BertModel")(**inputs)


OPTIONS = ("input_ids", "token_type_ids", "attention_mask", "labels")


@pytest.mark.parametrize(
    "option, name",
    [
        (option, name)
        for name in MODELS
        for option in OPTIONS
        if option in inspect.signature(getattr(minibert, name).forward).parameters
    ],
)
def test_lists_are_refused(option, name):
    model, ids = model_of(name), ids_for(name)[0]
    inputs = {"input_ids": ids, option: [[1, 2]]}
    with pytest.raises(InputError, match="tensors?, not a list"):
        model(**inputs)


@pytest.mark.parametrize("name", MODELS)
def test_inputs_on_another_device_are_refused(name):
    """Here the device is "meta", which every machine has."""
    model, (ids, mask) = model_of(name), ids_for(name)
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": torch.zeros_like(ids)}
    if "labels" in inspect.signature(model.forward).parameters:
        logits = next(value for value in tensors_in(model(**inputs)) if value.dim())
        inputs["labels"] = torch.zeros(
            logits.shape[: 1 + ("Mask" in name or "PreT" in name or "Token" in name)]
        )
        inputs["labels"] = inputs["labels"].long()
    for option, value in inputs.items():
        with pytest.raises(
            InputError, match=f"^{option} is on the device meta, but expected on cpu"
        ):
            model(**inputs | {option: value.to("meta")})
    with pytest.raises(InputError, match="input_ids is on the device cpu, but expected on meta"):
        model.to("meta")(ids)
    assert tensors_in(model(ids.to("meta")))[0].is_meta  # shapes can be computed without numbers


@pytest.mark.parametrize("name", ["BertForMultipleChoice", "BertForSentenceSimilarity"])
@pytest.mark.parametrize("shape", [(), (2,), (2, 7), (4, 1, 7)])
def test_texts_of_a_row_have_one_shape(name, shape):
    ids = torch.ones(2, 2, 7, dtype=torch.long)
    for other in ("token_type_ids", "attention_mask", "position_ids"):
        with pytest.raises(InputError, match=r"one shape \[batch, texts, …\], not"):
            model_of(name)(ids, **{other: torch.ones(shape, dtype=torch.long)})


@pytest.mark.parametrize("name", MODELS)
def test_a_dict_is_no_config(name):
    with pytest.raises(InputError, match="must be a Bert(Config|Model), not a dict"):
        getattr(minibert, name)({"vocab_size": 30})


# Device, dtype, modes


def test_a_model_tells_its_device_and_dtype():
    model = model_of("BertForMaskedLM").to(torch.bfloat16)
    assert model.dtype == torch.bfloat16 and model.device == torch.device("cpu")
    assert model.to("meta").device.type == "meta"


def test_the_bert_of_any_model():
    model = model_of("BertForMaskedLM")
    assert bert_of(model) is model.bert and bert_of(model.bert) is model.bert
    with pytest.raises(InputError, match="has no BertModel"):
        bert_of(BertPreTrainedModel(small_config()))


def test_evaluating_puts_every_part_back_into_its_mode():
    model = model_of("BertForMaskedLM").train()
    model.bert.embeddings.eval()  # frozen, say
    with pytest.raises(KeyError), evaluating(model):
        assert not any(module.training for module in model.modules())
        raise KeyError
    assert model.training and model.bert.encoder.training
    assert not model.bert.embeddings.training and not model.bert.embeddings.dropout.training


# Opening and saving


@pytest.mark.parametrize("name", MODELS)
def test_a_class_opens_what_it_saved(name, tmp_path):
    model = model_of(name)
    model.save_pretrained(tmp_path / "saved")
    opened = getattr(minibert, name).from_pretrained(tmp_path / "saved")
    assert type(opened) is type(model) and not opened.training
    for key, tensor in model.state_dict().items():
        assert torch.equal(opened.state_dict()[key], tensor), key


def test_the_base_class_opens_whatever_was_saved(tmp_path):
    model_of("BertForMaskedLM").save_pretrained(tmp_path / "saved")
    assert type(BertPreTrainedModel.from_pretrained(tmp_path / "saved")).__name__ == (
        "BertForMaskedLM"
    )


def test_options_of_from_pretrained_reach_the_config(tmp_path):
    model_of("BertModel").save_pretrained(tmp_path / "saved")
    with pytest.warns(UserWarning, match="classifier"):
        opened = minibert.BertForSequenceClassification.from_pretrained(
            tmp_path / "saved", num_labels=5
        )
    assert opened.classifier.out_features == 5


def test_a_class_of_your_own_is_known_by_its_name(tmp_path):
    from minibert.heads import BertForTokenClassification

    class TaggerOfMine(BertForTokenClassification):
        pass

    TaggerOfMine(small_config()).save_pretrained(tmp_path / "saved")
    assert type(minibert.from_pretrained(tmp_path / "saved")) is TaggerOfMine


def test_a_class_of_your_own_never_hides_one_of_the_package(tmp_path):
    class BertForMaskedLM(BertModel):
        pass

    model_of("BertForMaskedLM").save_pretrained(tmp_path / "saved")
    assert type(minibert.from_pretrained(tmp_path / "saved")) is minibert.BertForMaskedLM


@pytest.mark.parametrize("option", ["dtype", "torch_dtype"])
@pytest.mark.parametrize("given", [torch.bfloat16, "bfloat16"])
def test_the_dtype_asked_for_is_the_dtype_of_all_parameters(option, given, tmp_path):
    model_of("BertForMaskedLM").save_pretrained(tmp_path / "saved")
    opened = minibert.from_pretrained(tmp_path / "saved", **{option: given})
    assert {parameter.dtype for parameter in opened.parameters()} == {torch.bfloat16}


def test_the_dtype_of_the_file(tmp_path):
    model_of("BertForMaskedLM").to(torch.float16).save_pretrained(tmp_path / "saved")
    assert minibert.from_pretrained(tmp_path / "saved").dtype == torch.float32
    assert minibert.from_pretrained(tmp_path / "saved", dtype="auto").dtype == torch.float16


@pytest.mark.parametrize("wrong", ["float99", torch.int64, "int64", 16, "nn"])
def test_a_wrong_dtype_is_refused(wrong, tmp_path):
    model_of("BertModel").save_pretrained(tmp_path / "saved")
    with pytest.raises(InputError, match=r"dtype must be .*bfloat16.*not "):
        minibert.from_pretrained(tmp_path / "saved", dtype=wrong)


def test_two_dtypes_are_refused(tmp_path):
    model_of("BertModel").save_pretrained(tmp_path / "saved")
    with pytest.raises(InputError, match="dtype and torch_dtype"):
        minibert.from_pretrained(tmp_path / "saved", dtype="float32", torch_dtype="float16")


def test_an_option_without_effect_is_refused(tmp_path):
    model_of("BertModel").save_pretrained(tmp_path / "saved")
    with pytest.raises(InputError, match="output_attentions has no effect"):
        minibert.from_pretrained(tmp_path / "saved", output_attentions=True)
