"""BertSumExt: sentence vectors against loops, saved and opened again, heads on their own, errors by
name."""

import json
import math
import re
import warnings
from dataclasses import replace

import pytest
import torch
import transformers
from reference import draw_weights, small_config
from safetensors.torch import load_file, save_file

import minibert
import minibert.cli.main as cli
from minibert import (
    BertConfig,
    BertForPreTraining,
    BertModel,
    WordPieceTokenizer,
    from_pretrained,
    save_pretrained,
)
from minibert.hub.find_pretrained import SMALL
from minibert.inference.model_cost import count_parameters
from minibert.summarization import (
    BertSumExt,
    InterSentenceEncoder,
    SentenceClassifier,
    SentenceHead,
    SentenceRNN,
    collate,
    encode_document,
    first_layers,
)
from minibert.summarization import head_store as packaged
from minibert.summarization.head_store import load_head, open_summarizer, save_head

WORDS = [f"w{n}" for n in range(40)]
TOKENIZER = WordPieceTokenizer(
    {token: n for n, token in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS))}
)
CLASSES = {
    "transformer": InterSentenceEncoder,
    "classifier": SentenceClassifier,
    "rnn": SentenceRNN,
}
SMALL_HEAD = {"transformer": {"feedforward_size": 40, "num_heads": 4}, "classifier": {}, "rnn": {}}
DOCUMENTS = [["w0 w1", "w2", "w3 w4 w5 w6"], ["w7 w8 w9"], ["w1 w1", "w2 w3"]]


def bert(seed=0, **changes):
    return draw_weights(BertModel(small_config(**changes)), seed).eval()


def summarizer(head="transformer", vector="cls", **sizes):
    return draw_weights(
        BertSumExt(bert(), head, vector, **(SMALL_HEAD[head] | sizes)), seed=1
    ).eval()


def batch(documents=DOCUMENTS, **options):
    return collate([encode_document(document, TOKENIZER, **options) for document in documents])


def outputs(model, **given):
    with torch.no_grad():
        return model(**(batch() | given))


# ---------------------------------------------------------------- sentence vectors


def vectors_by_hand(model, inputs):
    """Row by row without padding, token by token."""
    rows = []
    for b, length in enumerate(inputs["attention_mask"].sum(1).tolist()):
        ids = inputs["input_ids"][b : b + 1, :length]
        hidden = model.bert(
            ids, token_type_ids=inputs["token_type_ids"][b : b + 1, :length]
        ).last_hidden_state[0]
        begins = [n for n, token in enumerate(ids[0].tolist()) if token == TOKENIZER.cls_id]
        ends = [*begins[1:], length]
        if model.sentence_vector == "cls":
            rows.append([hidden[begin] for begin in begins])
        else:
            rows.append(
                [
                    sum(hidden[n] for n in range(begin, end)) / (end - begin)
                    for begin, end in zip(begins, ends)
                ]
            )
    return rows


@pytest.mark.parametrize("vector", ["cls", "mean"])
def test_sentence_vectors_against_loops(vector):
    model, inputs = summarizer(vector=vector), batch()
    with torch.no_grad():
        vectors, wanted = model.sentence_vectors(**inputs), vectors_by_hand(model, inputs)
    assert vectors.shape == (3, 3, 24)
    for b, row in enumerate(wanted):
        for n in range(3):
            torch.testing.assert_close(
                vectors[b, n], row[n] if n < len(row) else torch.zeros(24), rtol=0, atol=1e-5
            )


@pytest.mark.parametrize("vector", ["cls", "mean"])
def test_padding_changes_nothing(vector):
    model = summarizer(vector=vector)
    together = outputs(model).scores
    for b, document in enumerate(DOCUMENTS):
        torch.testing.assert_close(
            outputs(model, **batch([document])).scores[0],
            together[b, : len(document)],
            rtol=0,
            atol=1e-5,
        )
        assert (together[b, len(document) :] == 0).all()


@pytest.mark.parametrize("vector", ["cls", "mean"])
@pytest.mark.parametrize("padded", [-1, 7, 999])
def test_positions_at_padding_may_be_anything(vector, padded):
    model, inputs = summarizer(vector=vector), batch()
    other = inputs["sentence_positions"].masked_fill(~inputs["sentence_mask"], padded)
    assert torch.equal(outputs(model).scores, outputs(model, sentence_positions=other).scores)


@pytest.mark.parametrize("missing", ["kind", "vector", "segments", "sizes"])
def test_a_config_has_four_things_of_the_head(missing):
    config = summarizer().config
    head = {key: value for key, value in config.sentence_head.items() if key != missing}
    with pytest.raises(
        ValueError, match="sentence_head must be an object with kind, vector, segments, sizes"
    ):
        BertSumExt(replace(config, sentence_head=head))


def test_a_positional_mask_is_refused():
    model, inputs = summarizer(), batch()
    ids, mask = inputs.pop("input_ids"), inputs.pop("attention_mask")
    with pytest.raises(TypeError, match="positional"):
        model(ids, mask, **inputs)


@pytest.mark.parametrize("head", CLASSES)
def test_scores_are_those_of_the_head_on_the_vectors(head):
    model, inputs = summarizer(head), batch()
    with torch.no_grad():
        vectors = model.sentence_vectors(**inputs)
        assert torch.equal(outputs(model).scores, model.head(vectors, inputs["sentence_mask"]))
        assert torch.equal(
            outputs(model).logits, model.head.logits(vectors, inputs["sentence_mask"])
        )


def test_the_loss_is_the_sum_over_real_sentences():
    labels = torch.tensor([[1, 0, 0], [1, -5, 0], [0, 1, 9]])
    out = outputs(summarizer(), labels=labels)
    real = batch()["sentence_mask"]
    p, y = out.scores[real].double(), labels[real]
    torch.testing.assert_close(
        out.loss.double(), -(y * p.log() + (1 - y) * (1 - p).log()).sum(), rtol=1e-5, atol=0
    )
    assert outputs(summarizer()).loss is None


@pytest.mark.parametrize("vector", ["cls", "mean"])
@pytest.mark.parametrize("head", CLASSES)
def test_gradients_reach_every_parameter(head, vector):
    model = summarizer(head, vector).double()
    model(**batch(), labels=torch.tensor([[1, 0, 0], [1, 0, 0], [0, 1, 0]])).loss.backward()
    for name, parameter in model.named_parameters():
        assert (parameter.grad.abs().max() < 1e-12) == name.endswith("key.bias"), name


# ---------------------------------------------------------------- what it is made of


def test_it_shares_the_weights_of_the_bert_that_it_is_given():
    shared = bert()
    model = BertSumExt(shared, "classifier")
    ours, theirs = dict(model.bert.named_parameters()), dict(shared.named_parameters())
    assert ours.keys() == {name for name in theirs if not name.startswith("pooler")}
    assert all(parameter is theirs[name] for name, parameter in ours.items())
    assert (
        shared.config.sentence_head is None and shared.pooler is not None
    )  # and leaves it as it was


@pytest.mark.parametrize("kind", CLASSES)
def test_a_head_may_be_there_already(kind):
    head = CLASSES[kind](24, **SMALL_HEAD[kind])
    model = BertSumExt(bert(), head)
    assert model.head is head and model.config.sentence_head == {
        "kind": kind,
        "vector": "cls",
        "segments": True,
        "sizes": head.sizes,
    }


def test_the_head_has_the_precision_of_bert():
    model = BertSumExt(bert().double(), "rnn").eval()
    assert outputs(model).scores.dtype == torch.float64


def test_published_size():
    with torch.device("meta"):
        model = BertSumExt(BertModel(BertConfig.preset("base")))
    counts = count_parameters(model)
    assert counts["heads"] == 11_030_273 - 2 * 768  # less the norm that the original never uses
    assert (
        sum(counts.values())
        == 109_482_240 - 590_592 + counts["heads"]
        == sum(parameter.numel() for parameter in model.parameters())
    )


def test_info_tells_head_and_encoder_apart(tmp_path, capsys):
    model = summarizer()
    save_pretrained(model, tmp_path / "saved")
    assert cli.main(["info", str(tmp_path / "saved"), "--length", "20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (
        found["class"] == "BertSumExt" and found["config"]["sentence_head"]["kind"] == "transformer"
    )
    parts = count_parameters(model.bert)
    parts["heads"] = sum(parameter.numel() for parameter in model.head.parameters())
    assert found["parameters"] == parts | {"total": sum(parts.values())}


def test_a_model_of_shapes_only_takes_no_memory():
    config = BertSumExt(bert(), "rnn").config
    with torch.device("meta"):
        assert all(parameter.is_meta for parameter in BertSumExt(config).parameters())


@pytest.mark.parametrize(
    "make, said",
    [
        (
            lambda: BertSumExt(BertForPreTraining(small_config())),
            "bert must be a BertModel, not a BertForPreTraining: pass its .bert",
        ),
        (lambda: BertSumExt("bert-base-uncased"), "bert must be a BertModel, not a str$"),
        (lambda: BertSumExt(small_config()), "the config has no sentence_head: pass a BertModel"),
        (
            lambda: BertSumExt(bert(), "lstm"),
            "head must be one of transformer, classifier, rnn, not 'lstm'",
        ),
        (lambda: BertSumExt(bert(), None), "head must be one of .* not None"),
        (lambda: BertSumExt(bert(), SentenceHead()), "head must be one of .* not SentenceHead"),
        (
            lambda: BertSumExt(bert(), SentenceClassifier(12)),
            "the head takes vectors of size 12, but bert has hidden_size 24",
        ),
        (
            lambda: BertSumExt(bert(), SentenceClassifier(24), dropout=0.1),
            "dropout: an existing head has its sizes already",
        ),
        (
            lambda: BertSumExt(bert(), "transformer", heads=4, ff=2),
            "the head 'transformer' has no argument ff, heads; it takes feedforward_size, num_heads, ",
        ),
        (
            lambda: BertSumExt(bert(), "classifier", num_layers=1),
            "the head 'classifier' has no argument num_layers; it takes inner_size, dropout",
        ),
        (
            lambda: BertSumExt(bert(), "rnn", hidden_size=8),
            "'rnn' has no argument hidden_size; it takes dropout, reference_quirks",
        ),
        (
            lambda: BertSumExt(bert(), sentence_vector="max", num_heads=4),
            "sentence_vector must be one of cls, mean, not 'max'",
        ),
        (
            lambda: BertSumExt(bert(), "rnn", segments="no"),
            "segments must be True or False, not 'no'",
        ),
        (lambda: BertSumExt(bert(), num_heads=5), "num_attention_heads 5"),
    ],
)
def test_parts_that_cannot_be(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize(
    "change, said",
    [
        (
            {"sentence_positions": torch.tensor([[0, 4, 4], [0, 0, 0], [0, 4, 0]])},
            "sentence_positions must increase within a document",
        ),
        (
            {"sentence_positions": torch.tensor([[0, 7, 4], [0, 0, 0], [0, 4, 0]])},
            "sentence_positions must increase within a document",
        ),
        *(
            ({name: torch.zeros(3, 3, dtype=dtype, device="meta")}, f"{name} is on the device meta")
            for name, dtype in (
                ("sentence_positions", int),
                ("sentence_mask", bool),
                ("labels", float),
            )
        ),
        ({"sentence_mask": [[True]]}, "sentence_mask must be a tensor, not a list"),
        (
            {"sentence_mask": torch.tensor([[True, False, True]] * 3)},
            "its padding must come last",
        ),
        (
            {"sentence_positions": torch.tensor([[0, 4, 13], [0, 0, 0], [0, 4, 0]])},
            "must lie between 0 and 12, but they range from 0 to 13",
        ),
        (
            {"sentence_positions": torch.tensor([[-1, 4, 7], [0, 0, 0], [0, 4, 0]])},
            "but they range from -1 to 7",
        ),
        (
            {"sentence_positions": torch.zeros(2, 3, dtype=int)},
            r"sentence_positions must have the shape \[3, sentences\].* not \[2, 3\]",
        ),
        (
            {"sentence_positions": torch.zeros(3, 0, dtype=int)},
            r"at least one sentence, not \[3, 0\]",
        ),
        (
            {"sentence_positions": torch.zeros(3, 3)},
            "sentence_positions must be of dtype int64 or int32, not torch.float32",
        ),
        (
            {"sentence_mask": torch.ones(3, 2, dtype=bool)},
            r"sentence_mask must be boolean with shape \[3, 3\], not torch.bool with shape \[3, 2\]",
        ),
        (
            {"sentence_mask": torch.ones(3, 3, dtype=int)},
            r"sentence_mask must be boolean with shape \[3, 3\], not torch.int64",
        ),
        ({"sentence_mask": [[True]]}, "sentence_mask must be a tensor, not a list"),
        ({"sentence_positions": None}, "sentence_positions must be a tensor, not a NoneType"),
        ({"labels": torch.ones(3, 2)}, r"labels must have the shape \[3, 3\], not \[3, 2\]"),
        ({"labels": torch.full((3, 3), 2)}, "labels must lie between 0 and 1, but one is 2"),
        ({"input_ids": torch.full((3, 13), 99)}, "input_ids must lie between 0 and 60"),
    ],
)
def test_inputs_that_cannot_be(change, said):
    for vector in ("cls", "mean"):
        with pytest.raises(ValueError, match=said):
            outputs(summarizer(vector=vector), **change)


# ---------------------------------------------------------------- the first layers of an encoder


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_first_layers_are_the_encoder_stopped_there(norm_first):
    whole = bert(norm_first=norm_first)
    names = ("input_ids", "token_type_ids", "attention_mask")
    inputs = {name: batch()[name] for name in names}
    with torch.no_grad():
        states = whole(**inputs, output_hidden_states=True).hidden_states
        for count in (1, 2, 3):
            first = first_layers(whole, count)
            wanted = (
                whole.encoder.norm(states[count]) if norm_first and count < 3 else states[count]
            )
            assert torch.equal(first(**inputs).last_hidden_state, wanted)
            assert first.config.num_hidden_layers == count and not first.training
            parameters = dict(whole.named_parameters())
            assert all(
                parameter is parameters[name] for name, parameter in first.named_parameters()
            )
    assert whole.config.num_hidden_layers == len(whole.encoder.layer) == 3


def test_the_first_layers_are_saved_as_a_model_of_that_depth(tmp_path):
    save_pretrained(bert(), tmp_path / "bert", TOKENIZER)
    model = BertSumExt(first_layers(from_pretrained(tmp_path / "bert"), 2), "classifier").eval()
    save_pretrained(model, tmp_path / "saved")
    opened, tokenizer = open_summarizer(str(tmp_path / "saved"))
    assert (
        torch.equal(outputs(opened).logits, outputs(model).logits)
        and tokenizer.vocab == TOKENIZER.vocab
    )


@pytest.mark.parametrize("count", [0, 4, -1])
def test_layers_that_are_not_there(count):
    with pytest.raises(ValueError, match=f"count must lie between 1 and 3.* not {count}"):
        first_layers(bert(), count)


# ---------------------------------------------------------------- saved and opened


@pytest.mark.parametrize(
    "head, vector, segments, sizes",
    [
        ("transformer", "cls", True, {}),
        ("transformer", "mean", False, {"num_layers": 1, "positions": False, "dropout": 0.25}),
        ("classifier", "mean", True, {}),
        ("rnn", "cls", True, {"reference_quirks": True}),
        ("rnn", "cls", False, {"dropout": 0.5}),
    ],
)
def test_round_trip(head, vector, segments, sizes, tmp_path, recwarn):
    model = draw_weights(
        BertSumExt(bert(), head, vector, segments, **(SMALL_HEAD[head] | sizes))
    ).eval()
    save_pretrained(model, tmp_path / "saved", TOKENIZER)
    opened = from_pretrained(tmp_path / "saved")
    assert type(opened) is BertSumExt and type(opened.head) is CLASSES[head] and not opened.training
    assert opened.config == model.config and opened.head.sizes == model.head.sizes
    assert (opened.sentence_vector, opened.segments) == (vector, segments)
    assert torch.equal(outputs(opened).logits, outputs(model).logits)
    assert WordPieceTokenizer.from_pretrained(tmp_path / "saved").vocab == TOKENIZER.vocab
    assert not recwarn.list, [str(warning.message) for warning in recwarn]


def test_the_vocabulary_of_the_encoder_comes_along(tmp_path, recwarn):
    save_pretrained(bert(), tmp_path / "bert", TOKENIZER)
    save_pretrained(
        BertSumExt(from_pretrained(tmp_path / "bert"), "classifier"), tmp_path / "saved"
    )
    save_pretrained(from_pretrained(tmp_path / "saved"), tmp_path / "again")
    assert (
        WordPieceTokenizer.from_pretrained(tmp_path / "again").vocab == TOKENIZER.vocab
        and not recwarn.list
    )


def test_transformers_opens_the_encoder_of_what_we_saved(tmp_path):
    model = summarizer()
    save_pretrained(model, tmp_path / "saved")
    twin, report = transformers.BertModel.from_pretrained(
        tmp_path / "saved", add_pooling_layer=False, output_loading_info=True
    )
    assert not report["missing_keys"] and not report["mismatched_keys"]
    assert all(key.startswith("head.") for key in report["unexpected_keys"])
    inputs = {name: tensor for name, tensor in batch().items() if not name.startswith("sentence")}
    with torch.no_grad():
        torch.testing.assert_close(
            model.bert(**inputs).last_hidden_state,
            twin.eval()(**inputs).last_hidden_state,
            rtol=0,
            atol=1e-5,
        )


def test_our_encoder_of_it_alone(tmp_path):
    model = summarizer()
    save_pretrained(model, tmp_path / "saved")
    with (
        pytest.warns(UserWarning, match="also holds head: not part of BertModel"),
        pytest.warns(UserWarning, match="has no bert.pooler"),
    ):
        opened = from_pretrained(tmp_path / "saved", BertModel)
    assert all(
        torch.equal(tensor, opened.state_dict()[name])
        for name, tensor in model.bert.state_dict().items()
    )


@pytest.mark.parametrize(
    "change, said",
    [
        ({"kind": "lstm"}, "head must be one of transformer, classifier, rnn, not 'lstm'"),
        ({"sizes": {"heads": 4}}, "the head 'transformer' has no argument heads"),
        (
            {"sizes": None},
            "sentence_head must be an object with kind, vector, segments, sizes, where "
            "sizes is an object too",
        ),
        ({"vector": "max"}, "sentence_vector must be one of"),
        ({"more": 1}, "sentence_head must be an object with"),
        (
            {"sizes": {"feedforward_size": 41, "num_heads": 4}},
            r"intermediate.dense.bias has the shape \[40\], expected \[41\]",
        ),
    ],
)
def test_a_config_that_does_not_describe_the_head(change, said, tmp_path):
    save_pretrained(summarizer(), tmp_path / "saved")
    path = tmp_path / "saved" / "config.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["sentence_head"] |= change
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        from_pretrained(tmp_path / "saved")


def test_a_folder_without_half_of_the_head_or_all_of_it(tmp_path):
    save_pretrained(summarizer(), tmp_path / "saved")
    weights = tmp_path / "saved" / "model.safetensors"
    tensors = load_file(weights)
    save_file(
        {name: tensor for name, tensor in tensors.items() if name != "head.scorer.bias"},
        weights,
        {"format": "pt"},
    )
    with pytest.raises(ValueError, match="head.scorer.bias is missing"):
        from_pretrained(tmp_path / "saved")
    save_file(
        {name: tensor for name, tensor in tensors.items() if not name.startswith("head.")},
        weights,
        {"format": "pt"},
    )
    with pytest.warns(
        minibert.hub.pretrained_io.FreshWeightsWarning,
        match="has no head: fresh random weights in this BertSumExt",
    ):
        from_pretrained(tmp_path / "saved")


# ---------------------------------------------------------------- heads on their own


@pytest.fixture
def heads(tmp_path, monkeypatch):
    """An encoder saved as a masked-word model, and a folder for the heads of the package."""
    save_pretrained(
        draw_weights(minibert.BertForMaskedLM(small_config())), tmp_path / "encoder", TOKENIZER
    )
    monkeypatch.setattr(packaged, "HEADS", tmp_path / "heads")
    return tmp_path


def trained(folder, head="transformer", vector="mean"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a masked-word model has no pooler
        encoder = from_pretrained(folder / "encoder", BertModel)
    model = BertSumExt(encoder, head, vector, segments=False, **SMALL_HEAD[head])
    draw_weights(model.head, seed=3)
    return model.eval()


@pytest.mark.parametrize("head", CLASSES)
def test_a_head_on_its_own_is_saved_and_opened(head, heads, recwarn):
    model = trained(heads, head)
    for _ in range(2):  # once more: in the place of the first
        save_head(model, heads / "heads" / "encoder", str(heads / "encoder"))
    assert sorted(path.name for path in (heads / "heads" / "encoder").iterdir()) == [
        "head.json",
        "head.safetensors",
    ]
    opened, tokenizer = open_summarizer(str(heads / "encoder"))  # by the name of its encoder
    assert (
        not opened.training and opened.config == model.config and tokenizer.vocab == TOKENIZER.vocab
    )
    assert torch.equal(outputs(opened).logits, outputs(model).logits)
    by_folder, _ = open_summarizer(str(heads / "heads" / "encoder"))
    assert torch.equal(outputs(by_folder).logits, outputs(model).logits)
    assert not recwarn.list, [str(warning.message) for warning in recwarn]


def test_a_head_on_the_first_layers_only(heads):
    whole = trained(heads, "classifier")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        encoder = from_pretrained(heads / "encoder", BertModel)
    model = BertSumExt(first_layers(encoder, 2), whole.head, "mean", segments=False).eval()
    save_head(model, heads / "head", str(heads / "encoder"))
    opened = load_head(heads / "head")
    assert len(opened.bert.encoder.layer) == opened.config.num_hidden_layers == 2
    assert torch.equal(outputs(opened).logits, outputs(model).logits)
    assert (outputs(opened).logits - outputs(whole).logits).abs().max() > 1e-3


def test_half_precision_heads_compute_in_float32(heads):
    model = trained(heads)
    save_head(model, heads / "head", str(heads / "encoder"))
    path = heads / "head" / "head.safetensors"
    save_file({name: tensor.half() for name, tensor in load_file(path).items()}, path)
    opened = load_head(heads / "head")
    assert all(parameter.dtype == torch.float32 for parameter in opened.parameters())
    assert (outputs(opened).scores - outputs(model).scores).abs().max() < 1e-2


def test_a_saved_model_is_a_summarizer_too(tmp_path):
    model = summarizer()
    save_pretrained(model, tmp_path / "saved", TOKENIZER)
    opened, tokenizer = open_summarizer(str(tmp_path / "saved"))
    assert (
        torch.equal(outputs(opened).logits, outputs(model).logits)
        and tokenizer.vocab == TOKENIZER.vocab
    )


def test_an_encoder_without_a_head(heads):
    with pytest.raises(
        ValueError,
        match="encoder is a BertForMaskedLM without a sentence head. Encoders with a trained "
        "head: none",
    ):
        open_summarizer(str(heads / "encoder"))
    save_head(trained(heads), heads / "heads" / "encoder", str(heads / "encoder"))
    save_pretrained(bert(), heads / "other", TOKENIZER)
    with pytest.raises(
        ValueError,
        match=f"other is a BertModel .* trained head: {re.escape(str(heads / 'encoder'))}; or pass",
    ):
        open_summarizer(str(heads / "other"))


def test_an_encoder_that_was_trained_along_is_no_packaged_one(heads):
    model = trained(heads)
    with torch.no_grad():
        model.bert.encoder.layer[1].output.dense.bias[3] += 1e-4
    with pytest.raises(
        ValueError,
        match="encoder.layer.1.output.dense.bias differs. minibert.save_pretrained saves both",
    ):
        save_head(model, heads / "head", str(heads / "encoder"))
    assert not (heads / "head").exists()
    with pytest.raises(ValueError, match="on the meta device and holds no numbers"):
        save_head(model.to("meta"), heads / "head", str(heads / "encoder"))


def change_about(**changes):
    def change(folder):
        about = json.loads((folder / "head.json").read_text(encoding="utf-8"))
        (folder / "head.json").write_text(json.dumps(about | changes), encoding="utf-8")

    return change


def change_tensors(change):
    def spoil(folder):
        tensors = load_file(folder / "head.safetensors")
        change(tensors)
        save_file(tensors, folder / "head.safetensors")

    return spoil


@pytest.mark.parametrize(
    "spoil, said",
    [
        (lambda folder: (folder / "head.json").unlink(), "cannot read the head file .*head.json"),
        (lambda folder: (folder / "head.json").write_text("{"), "head.json is not a JSON file"),
        (
            lambda folder: (folder / "head.json").write_text("[]"),
            "head.json holds a list; a head is a JSON object",
        ),
        (
            change_about(encoder=None),
            "head.json does not describe a head: expected the keys encoder, encoder_sha256, "
            "encoder_layers, sentence_head",
        ),
        (change_about(sentence_head={"kind": "rnn"}), "head.json does not describe a head"),
        (
            change_about(
                sentence_head={"kind": "gru", "vector": "cls", "segments": True, "sizes": {}}
            ),
            "head.json: head must be one of",
        ),
        (
            change_about(
                sentence_head={"kind": "rnn", "vector": "cls", "segments": True, "sizes": {}}
            ),
            "head.safetensors does not fit the head that head.json describes",
        ),
        (change_about(encoder_layers=9), "head.json: count must lie between 1 and 3"),
        (change_about(encoder_layers="2"), "head.json does not describe a head"),
        (
            change_about(encoder_sha256="0" * 64),
            "was trained on other weights of .*: expected sha256 0000",
        ),
        (change_about(encoder="/no/such/encoder"), "/no/such/encoder"),
        (lambda folder: (folder / "head.safetensors").unlink(), "head.safetensors is missing"),
        (
            lambda folder: (folder / "head.safetensors").write_bytes(b"x" * 30),
            "head.safetensors is not a safetensors file",
        ),
        (
            change_tensors(lambda tensors: tensors.pop("scorer.bias")),
            "head.safetensors does not fit .*scorer.bias",
        ),
        (
            change_tensors(lambda tensors: tensors.update(more=torch.ones(1))),
            "head.safetensors does not fit .*more",
        ),
        (
            change_tensors(lambda tensors: tensors.update({"scorer.bias": torch.ones(2)})),
            "head.safetensors does not fit .*scorer.bias",
        ),
    ],
)
def test_a_head_that_is_broken(spoil, said, heads):
    save_head(trained(heads), heads / "head", str(heads / "encoder"))
    spoil(heads / "head")
    with pytest.raises(ValueError, match=f"(?s){said}"):
        load_head(heads / "head")


def test_an_encoder_in_shards_has_no_digest(heads):
    twin = transformers.BertModel(
        transformers.BertConfig(
            **{
                key: value
                for key, value in small_config().to_dict().items()
                if key not in ("position_embedding_type", "norm_first")
            }
        )
    )
    twin.save_pretrained(heads / "shards", max_shard_size="10KB")
    with pytest.raises(
        ValueError,
        match="shards has no model.safetensors: a head needs an encoder with one weight file",
    ):
        save_head(trained(heads), heads / "head", str(heads / "shards"))


# ---------------------------------------------------------------- with real weights


def test_on_the_shipped_encoder_as_on_the_encoder_alone():
    shipped = from_pretrained(SMALL)
    tokenizer = WordPieceTokenizer.from_pretrained(SMALL)
    model = BertSumExt(shipped.bert, "classifier").eval()
    inputs = collate(
        [
            encode_document(
                ["The cat sat on the mat.", "Nobody knows why it did."],
                tokenizer,
                model.config.max_position_embeddings,
            )
        ]
    )
    with torch.no_grad():
        vectors = model.sentence_vectors(**inputs)
        hidden = shipped.bert(
            inputs["input_ids"], token_type_ids=inputs["token_type_ids"]
        ).last_hidden_state
    assert torch.allclose(vectors[0], hidden[0, inputs["sentence_positions"][0]], atol=1e-5)
    assert math.isclose(
        model(**inputs).scores[0, 0].item(),
        torch.sigmoid(model.head.scorer(vectors[0, 0])).item(),
        rel_tol=1e-5,
    )
