"""Models in other people's hands: torch.export, torch.onnx.export, torch.jit.trace and torch.compile, compared with eager."""

import warnings

import pytest
import torch
from reference import draw_weights, small_config
from torch.utils import _pytree as pytree

import minibert
from minibert.summarization.model import SummarizationOutputs  # noqa: F401  registers it

B, S = 2, 9
IDS = torch.randint(1, 61, (B, S), generator=torch.Generator().manual_seed(0))
SEGMENTS = torch.randint(0, 2, (B, S), generator=torch.Generator().manual_seed(1))
MASK = (torch.arange(S) < torch.tensor([[9], [5]])).long()  # [B, S]
MODELS = [
    "BertModel",
    "BertForPreTraining",
    "BertForMaskedLM",
    "BertForNextSentencePrediction",
    "BertForSequenceClassification",
    "BertForTokenClassification",
    "BertForQuestionAnswering",
]
NAMES = ("input_ids", "token_type_ids", "attention_mask")


def model_of(name: str, **changes):
    return draw_weights(getattr(minibert, name)(small_config(**changes))).eval()


def inputs(batch: int = B, length: int = S) -> dict[str, torch.Tensor]:
    rows = torch.arange(batch)[:, None]  # [B, 1]
    columns = torch.arange(length)  # [S]
    return {
        "input_ids": 1 + (7 * rows + 3 * columns) % 60,  # [B, S]
        "token_type_ids": (columns > length // 2).long().expand(batch, -1).clone(),  # [B, S]
        "attention_mask": (columns < length - rows).long(),  # [B, S]
    }


def tensors_in(outputs) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor)]


def assert_close(found, expected) -> None:
    found, expected = tensors_in(found), tensors_in(expected)
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        assert (one - other).abs().max() < 1e-5


@pytest.mark.parametrize("name", MODELS)
def test_outputs_are_pytrees(name):
    out = model_of(name)(**inputs(), output_hidden_states=True)
    doubled = pytree.tree_map(lambda tensor: 2 * tensor, out)
    assert type(doubled) is type(out)
    assert torch.equal(doubled.hidden_states[1], 2 * out.hidden_states[1])


@pytest.mark.parametrize("name", MODELS)
def test_torch_export_with_dynamic_shapes(name):
    model = model_of(name)
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=20)
    program = torch.export.export(
        model,
        (),
        inputs(),
        dynamic_shapes={key: {0: batch, 1: length} for key in NAMES},
    ).module()
    for shape in ((2, 9), (1, 3), (5, 20)):
        assert_close(program(**inputs(*shape)), model(**inputs(*shape)))


@pytest.mark.parametrize("changes", [{"norm_first": True}, {"position_embedding_type": "none"}])
def test_torch_export_of_other_shapes_of_model(changes):
    model = model_of("BertForMaskedLM", **changes)
    program = torch.export.export(model, (IDS,), {"output_attentions": True}).module()
    assert_close(program(IDS, output_attentions=True), model(IDS, output_attentions=True))


@pytest.mark.parametrize("name", MODELS)
def test_onnx_with_dynamic_shapes_in_onnxruntime(name, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    model, path = model_of(name), tmp_path / "model.onnx"
    dynamic = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length", max=20)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter's own making
        torch.onnx.export(
            model,
            (),
            path,
            kwargs=inputs(),
            input_names=list(NAMES),
            dynamic_shapes=dict.fromkeys(NAMES, dynamic),
            dynamo=True,
            verbose=False,
        )
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for shape in ((2, 9), (1, 3), (5, 20)):
        batch = inputs(*shape)
        found = session.run(None, {key: value.numpy() for key, value in batch.items()})
        with torch.no_grad():
            assert_close([torch.from_numpy(array) for array in found], model(**batch))


class Positional(torch.nn.Module):
    """torch.jit.trace knows no keyword-only arguments: a mask needs a module that takes it by position."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, token_type_ids, attention_mask):
        out = self.model(input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask)
        assert out.hidden_states is None  # what is not there is None here too
        return out


@pytest.mark.filterwarnings("ignore")  # tracing is deprecated, and says so
@pytest.mark.parametrize("name", MODELS)
def test_jit_trace(name):
    model = model_of(name)
    assert_close(torch.jit.trace(model, IDS)(IDS), model(IDS))
    traced = torch.jit.trace(Positional(model), tuple(inputs().values()))
    for shape in ((2, 9), (3, 9)):
        assert_close(traced(*inputs(*shape).values()), model(**inputs(*shape)))


def test_a_loss_is_exported_too():
    model, labels = model_of("BertForMaskedLM"), IDS.masked_fill(MASK == 0, -100)
    program = torch.export.export(model, (IDS,), {"labels": labels}).module()
    assert_close(program(IDS, labels=labels), model(IDS, labels=labels))


def test_an_exported_program_can_be_saved_and_loaded(tmp_path):
    model = minibert.BertModel(minibert.BertConfig.preset("tiny", 50)).eval()
    ids = torch.tensor([[2, 7, 9, 3]])
    torch.export.save(torch.export.export(model, (ids,)), tmp_path / "model.pt2")
    again = torch.export.load(tmp_path / "model.pt2").module()
    torch.testing.assert_close(again(ids).last_hidden_state, model(ids).last_hidden_state)
