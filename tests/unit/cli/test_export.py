"""`minibert export`: the file computes what PyTorch computes, for every batch size and length."""

import importlib.util

import pytest
import torch

from minibert import (
    BertForMultipleChoice,
    BertForPreTraining,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertModel,
    from_pretrained,
)
from minibert.cli.export import INPUTS, example_batch, output_tensors


@pytest.mark.parametrize(
    ("model_class", "outputs"),
    [
        (BertModel, ["last_hidden_state", "pooler_output"]),
        (BertForPreTraining, ["prediction_logits", "seq_relationship_logits"]),
        (BertForSequenceClassification, ["logits"]),
        (BertForQuestionAnswering, ["start_logits", "end_logits"]),
    ],
)
def test_the_file_computes_what_pytorch_does(model_class, outputs, run, saved, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    folder = saved(model_class, num_hidden_layers=2)
    status, out, err = run("export", folder, "--out", tmp_path / "model.onnx")
    assert status == 0, err
    assert f"{model_class.__name__}, {', '.join(INPUTS)} -> {', '.join(outputs)}" in out
    assert "compared with PyTorch in onnxruntime: largest difference " in out
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    assert [output.name for output in session.get_outputs()] == outputs
    model = from_pretrained(folder)
    for batch, tokens in ((1, 1), (1, 3), (4, 12)):
        inputs = example_batch(model, batch, tokens)
        found = session.run(None, {name: ids.numpy() for name, ids in inputs.items()})
        with torch.no_grad():
            expected = output_tensors(model, inputs)
        for one, other in zip(found, expected.values(), strict=True):
            torch.testing.assert_close(torch.from_numpy(one), other, rtol=0, atol=1e-5)


@pytest.mark.parametrize("positions", [2, 3, 7])
def test_a_model_of_few_positions(positions, run, saved, tmp_path):
    """They are fewer than the tokens of the example that the export begins with."""
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    folder = saved(BertModel, max_position_embeddings=positions)
    status, _, err = run("export", folder, "--out", tmp_path / "model.onnx")
    assert status == 0, err
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    model = from_pretrained(folder)
    for batch, tokens in ((1, 1), (4, positions)):
        inputs = example_batch(model, batch, tokens)
        found = session.run(None, {name: ids.numpy() for name, ids in inputs.items()})
        with torch.no_grad():
            expected = output_tensors(model, inputs)
        torch.testing.assert_close(
            torch.from_numpy(found[0]), expected["last_hidden_state"], rtol=0, atol=1e-5
        )


def test_a_model_of_one_position_is_refused(run, saved, tmp_path):
    pytest.importorskip("onnxscript")
    folder = saved(BertModel, max_position_embeddings=1)
    status, _, err = run("export", folder, "--out", tmp_path / "model.onnx")
    assert status == 2 and "max_position_embeddings is 1, and must be at least 2" in err
    assert err.count("\n") == 1 and not (tmp_path / "model.onnx").exists()


def test_missing_packages_are_named(run, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "onnxscript" else found(name)
    )
    status, _, err = run("export", "minibert-small", "--out", "model.onnx")
    assert status == 2 and err.count("\n") == 1
    assert "needs the packages onnx and onnxscript" in err and "pip install onnxscript" in err


@pytest.mark.parametrize(
    ("model", "out", "message"),
    [
        ("minibert-small", "model.pt", "--out must end in .onnx"),
        ("minibert-small", "no/such/model.onnx", "there is no folder 'no/such'"),
        ("./nowhere", "model.onnx", "no folder './nowhere'"),
        (BertForMultipleChoice, "model.onnx", "whose inputs are not one text for each example"),
    ],
)
def test_bad_input(model, out, message, run, saved, tmp_path, monkeypatch):
    pytest.importorskip("onnxscript")
    monkeypatch.chdir(tmp_path)
    status, _, err = run("export", model if isinstance(model, str) else saved(model), "--out", out)
    assert status == 2 and message in err and err.count("\n") == 1


def test_results_that_are_not_finite_leave_the_old_file_as_it_was(run, saved, tmp_path):
    """NaN was no difference once, because max(0, nan) is 0."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    folder = saved(BertModel, num_hidden_layers=1)
    model = from_pretrained(folder)
    with torch.no_grad():
        model.embeddings.LayerNorm.weight.fill_(3e38)
    model.save_pretrained(folder)
    (tmp_path / "model.onnx").write_text("old")
    status, _, err = run("export", folder, "--out", tmp_path / "model.onnx")
    assert status == 2 and "differs from PyTorch by inf" in err and err.count("\n") == 1
    assert [path.name for path in tmp_path.glob("*.onnx")] == ["model.onnx"]
    assert (tmp_path / "model.onnx").read_text() == "old"
