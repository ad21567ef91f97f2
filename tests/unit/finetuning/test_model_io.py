"""The folder of a fine-tuned model: opened again it answers the same, here and in transformers, and folders of transformers open here."""

import errno
import json
import pathlib
import warnings

import numpy as np
import pytest
import torch
import transformers
from tiny_finetuning import LENGTH, TOKENS, save_tiny

from minibert import WordPieceTokenizer, save_pretrained
from minibert.config import InputError
from minibert.finetuning import (
    ChoiceExample,
    Classification,
    FineTuning,
    FineTuningOptions,
    MultipleChoice,
    QuestionAnswering,
    QuestionExample,
    Regression,
    Similarity,
    TaggedExample,
    Tagging,
    TextExample,
    model_for,
    predict,
)
from minibert.finetuning.model_io import ABOUT, make_task, open_finetuned, save_finetuned
from minibert.finetuning.tasks.registry import task_names

CASES = {
    "classification": (
        Classification(["neg", "pos", "so-so"]),
        TextExample("the film was good", "a play"),
        "AutoModelForSequenceClassification",
    ),
    "regression": (
        Regression(),
        TextExample("the film was good"),
        "AutoModelForSequenceClassification",
    ),
    "similarity": (Similarity(), TextExample("the film was good", "a play"), None),
    "tagging": (
        Tagging(["O", "B-person", "I-person"]),
        TaggedExample(["ada", "went", "to", "rome"]),
        "AutoModelForTokenClassification",
    ),
    "questions": (
        QuestionAnswering(stride=9, max_answer=3),
        QuestionExample("who met ada ?", "in rome bad ada met good ada ."),
        "AutoModelForQuestionAnswering",
    ),
    "choice": (
        MultipleChoice(),
        ChoiceExample("the film was", ("good", "very bad")),
        "AutoModelForMultipleChoice",
    ),
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture(params=CASES)
def saved(request, tiny, tmp_path):
    """The name of a task, its folder, and what was saved there."""
    task, _example, _ = CASES[request.param]
    model, tokenizer = model_for(task, tiny, seed=3), WordPieceTokenizer.from_pretrained(tiny)
    save_finetuned(tmp_path / "saved", model, task, tokenizer, 24, {"text": "review"}, note="é")
    return request.param, tmp_path / "saved", model, tokenizer


def test_making_a_model_leaves_the_global_random_numbers_as_they_were(tiny):
    torch.manual_seed(7)
    before = torch.get_rng_state()
    one, same, other = (
        model_for(Classification(["a", "b"]), tiny, seed=seed) for seed in (3, 3, 4)
    )
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(one.classifier.weight, same.classifier.weight)
    assert not torch.equal(one.classifier.weight, other.classifier.weight)


def test_every_task_is_known():
    assert list(task_names()) == list(CASES)
    with pytest.raises(ValueError, match="task must be one of classification, .*not 'sentiment'"):
        make_task("sentiment")
    for wrong in (["classification"], None, {}, 7):
        with pytest.raises(InputError, match="task must be one of classification, .*, not "):
            make_task(wrong)


def test_what_was_saved_answers_the_same(saved):
    name, folder, model, tokenizer = saved
    task, example, _ = CASES[name]
    again = open_finetuned(folder)
    assert (
        type(again.task) is type(task)
        and again.task.labels == task.labels
        and again.max_length == 24
        and again.columns == {"text": "review"}
    )
    if name == "questions":
        assert (again.task.stride, again.task.max_answer) == (9, 3)
    assert not again.model.training and again.tokenizer.vocab == tokenizer.vocab
    assert predict(again.model, again.task, again.tokenizer, [example], 24) == predict(
        model, task, tokenizer, [example], 24
    )
    assert json.loads((folder / ABOUT).read_text(encoding="utf-8"))["note"] == "é"
    assert {path.name for path in folder.iterdir()} == {
        "config.json",
        "model.safetensors",
        "vocab.txt",
        "tokenizer_config.json",
        ABOUT,
    }


def test_a_vocabulary_that_was_cut_short_is_noticed(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("minibert.inference.checks.SPARE", 0)
    task = Classification(["a", "b"])
    model, tokenizer = model_for(task, tiny, seed=3), WordPieceTokenizer.from_pretrained(tiny)
    save_finetuned(tmp_path / "saved", model, task, tokenizer, 24, {"text": "review"})
    lines = (tmp_path / "saved" / "vocab.txt").read_text().splitlines()
    (tmp_path / "saved" / "vocab.txt").write_text("\n".join(lines[:-2]) + "\n")
    with pytest.warns(UserWarning, match="may have been cut short"):
        found = open_finetuned(tmp_path / "saved")
    with pytest.warns(UserWarning, match="may have been cut short"):
        FineTuning(
            found.model,
            task,
            found.tokenizer,
            [TextExample("a", label="a")],
            FineTuningOptions(max_length=24),
        )


def test_transformers_opens_it_with_equal_logits(saved):
    name, folder, model, tokenizer = saved
    task, example, kind = CASES[name]
    if kind is None:
        other = transformers.AutoModel.from_pretrained(folder, add_pooling_layer=False)
        ids = torch.tensor([tokenizer.encode("the film was good")])
        torch.testing.assert_close(
            other.eval()(ids).last_hidden_state,
            model.bert(ids).last_hidden_state,
            atol=1e-5,
            rtol=1e-5,
        )
        return
    other = getattr(transformers, kind).from_pretrained(folder).eval()
    batch = task.collate(task.features(tokenizer, [example], LENGTH), tokenizer.pad_id)
    with torch.no_grad():
        ours, theirs = model(**batch), other(**batch)
    for part in ("start_logits", "end_logits") if name == "questions" else ("logits",):
        torch.testing.assert_close(getattr(ours, part), getattr(theirs, part), atol=1e-5, rtol=1e-5)
    if task.labels:
        assert other.config.id2label == dict(enumerate(task.labels))


def theirs(folder, kind, **more):
    """A model with random weights as transformers saves it."""
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(TOKENS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=LENGTH,
        **more,
    )
    getattr(transformers, kind)(config).eval().save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(TOKENS) + "\n")
    return folder


@pytest.mark.parametrize(
    ("kind", "more", "task", "labels"),
    [
        (
            "BertForSequenceClassification",
            {"id2label": {0: "bad", 1: "good", 2: "so-so"}},
            Classification,
            ["bad", "good", "so-so"],
        ),
        ("BertForSequenceClassification", {}, Classification, ["LABEL_0", "LABEL_1"]),
        ("BertForSequenceClassification", {"num_labels": 1}, Regression, ["value"]),
        (
            "BertForTokenClassification",
            {"id2label": {0: "O", 1: "B-x", 2: "I-x"}},
            Tagging,
            ["O", "B-x", "I-x"],
        ),
        ("BertForQuestionAnswering", {}, QuestionAnswering, None),
        ("BertForMultipleChoice", {}, MultipleChoice, None),
    ],
)
def test_models_of_transformers_open_without_finetuning_json(kind, more, task, labels, tmp_path):
    tuned = open_finetuned(theirs(tmp_path / "theirs", kind, **more))
    assert (
        type(tuned.task) is task
        and tuned.task.labels == labels
        and tuned.max_length == LENGTH
        and tuned.columns == {}
    )
    example = next(example for other, example, _ in CASES.values() if type(other) is task)
    assert len(predict(tuned.model, tuned.task, tuned.tokenizer, [example], tuned.max_length)) == 1


def test_their_classifier_gives_their_probabilities(tmp_path):
    folder = theirs(
        tmp_path / "theirs",
        "BertForSequenceClassification",
        id2label={0: "bad", 1: "good", 2: "so-so"},
    )
    tuned = open_finetuned(folder)
    (found,) = predict(
        tuned.model,
        tuned.task,
        tuned.tokenizer,
        [TextExample("the film was good", "a play")],
        tuned.max_length,
    )
    other = transformers.BertForSequenceClassification.from_pretrained(folder).eval()
    batch = transformers.BertTokenizer(str(folder / "vocab.txt"))(
        "the film was good", "a play", return_tensors="pt"
    )
    with torch.no_grad():
        wanted = other(**batch).logits.softmax(-1)[0].tolist()
    assert list(found.probabilities.values()) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "more", "complaint"),
    [
        (
            "BertForMaskedLM",
            {},
            "is a BertForMaskedLM without finetuning.json: it was not fine-tuned",
        ),
        ("BertModel", {}, "is a BertModel without finetuning.json"),
        (
            "BertForSequenceClassification",
            {"problem_type": "multi_label_classification"},
            "predicts several labels for one text",
        ),
        (
            "BertForSequenceClassification",
            {"problem_type": "regression"},
            "has the problem_type 'regression' and 2 labels",
        ),
        ("BertForSequenceClassification", {"problem_type": "evil"}, "problem_type 'evil'"),
    ],
)
def test_models_without_a_task_are_refused(kind, more, complaint, tmp_path):
    with pytest.raises(ValueError, match=complaint):
        open_finetuned(theirs(tmp_path / "theirs", kind, **more))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "finetuning.json is not a JSON file"),
        ("[]", "finetuning.json holds a list"),
        ({"task": "sentiment"}, "does not say what the model was fine-tuned for"),
        ({"labels": None}, "labels is missing or wrong"),
        ({"max_length": "24"}, ": max_length is missing or wrong"),
        ({"settings": {"stride": 3}}, "settings is missing or wrong"),
        ({"labels": ["a", ["b"]]}, "labels is missing or wrong"),
        ({"columns": {"text": 1}}, "columns is missing or wrong"),
        (
            {"labels": ["a", "b"]},
            r"names the labels \['a', 'b'\], but config.json \['neg', 'pos', ",
        ),
    ],
)
def test_a_broken_finetuning_json(text, complaint, tiny, tmp_path):
    task = Classification(["neg", "pos", "so-so"])
    save_finetuned(
        tmp_path, model_for(task, tiny), task, WordPieceTokenizer.from_pretrained(tiny), 24, {}
    )
    path = tmp_path / ABOUT
    path.write_text(
        text if isinstance(text, str) else json.dumps(json.loads(path.read_text()) | text)
    )
    with pytest.raises(ValueError, match=complaint):
        open_finetuned(tmp_path)


def test_another_model_that_was_saved_into_the_folder(tiny, tmp_path):
    """finetuning.json stays there; its names would be printed for the other model's classes."""
    task = Classification(["neg", "pos"])
    tokenizer = WordPieceTokenizer.from_pretrained(tiny)
    save_finetuned(tmp_path, model_for(task, tiny), task, tokenizer, 24, {"text": "text"})
    save_pretrained(model_for(Classification(["spam", "ham"]), tiny), tmp_path)
    with pytest.raises(
        InputError, match=r"\['neg', 'pos'\], but config.json \['spam', 'ham'\]: .* delete"
    ):
        open_finetuned(tmp_path)
    save_pretrained(model_for(Tagging(["neg", "pos"]), tiny), tmp_path)
    with pytest.raises(InputError, match="about a BertForSequence.*about a BertForTokenClass"):
        open_finetuned(tmp_path)
    (tmp_path / ABOUT).unlink()
    assert open_finetuned(tmp_path).task.labels == ["neg", "pos"]


def test_classes_that_were_renamed_in_config_json(tiny, tmp_path):
    task = Classification(["neg", "pos"])
    tokenizer = WordPieceTokenizer.from_pretrained(tiny)
    save_finetuned(tmp_path, model_for(task, tiny), task, tokenizer, 24, {"text": "text"})
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {"id2label": {"0": "bad", "1": "good"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match=r"\['neg', 'pos'\], but config.json \['bad', 'good'\]"):
        open_finetuned(tmp_path)


def test_a_head_for_other_labels_is_not_dropped_in_silence(tiny, tmp_path):
    trained = Classification(["bad", "good", "so-so"])
    tokenizer = WordPieceTokenizer.from_pretrained(tiny)
    save_finetuned(tmp_path, model_for(trained, tiny), trained, tokenizer, 24, {})
    with pytest.warns(
        UserWarning, match=r"the labels \['bad', 'good', 'so-so'\], and not for \['bad', "
    ):
        model_for(Classification(["bad", "good"]), tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model_for(trained, tmp_path)
    with pytest.warns(UserWarning, match=r"'so-so'\], and not for \['value'\]: this one is fresh"):
        model_for(Regression(), tmp_path)


def test_a_head_without_classes_is_kept_whatever_the_config_names(tiny, tmp_path):
    task, tokenizer = MultipleChoice(), WordPieceTokenizer.from_pretrained(tiny)
    model = model_for(task, tiny)
    save_finetuned(tmp_path, model, task, tokenizer, 24, {})
    config = json.loads((tmp_path / "config.json").read_text()) | {"num_labels": 3}
    (tmp_path / "config.json").write_text(json.dumps(config))
    again = model_for(task, tmp_path, seed=9)
    assert torch.equal(again.classifier.weight, model.classifier.weight)


def test_a_classifier_in_the_folder_of_a_regression(tiny, tmp_path):
    task, tokenizer = Regression(), WordPieceTokenizer.from_pretrained(tiny)
    save_finetuned(tmp_path, model_for(task, tiny), task, tokenizer, 24, {})
    save_pretrained(model_for(Classification(["a", "b", "c"]), tiny), tmp_path)
    with pytest.raises(InputError, match=r"\['value'\], but config.json \['a', 'b', 'c'\]"):
        open_finetuned(tmp_path)


def test_a_name_that_is_no_text_is_written_escaped(tiny, tmp_path):
    """As Python escapes the bytes of a file name that is not UTF-8."""
    task, tokenizer = Regression(), WordPieceTokenizer.from_pretrained(tiny)
    data = {"train": "odd-\udcff.csv", "dev": "é"}
    save_finetuned(tmp_path, model_for(task, tiny), task, tokenizer, 24, {}, data=data)
    assert json.loads((tmp_path / ABOUT).read_bytes().decode())["data"] == data
    assert "é" in (tmp_path / ABOUT).read_text(encoding="utf-8")
    open_finetuned(tmp_path)


def save(folder, tiny, task=None, model_task=None, max_length=24, columns=None, **more):
    trained = Classification(["neg", "pos"])
    model = model_for(model_task or trained, tiny)
    tokenizer = WordPieceTokenizer.from_pretrained(tiny)
    columns = {"text": "text"} if columns is None else columns
    save_finetuned(folder, model, task or trained, tokenizer, max_length, columns, **more)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"scores": {"f1": object()}}, "finetuning.json cannot hold what was given: .*neither"),
        ({"scores": {"f1": np.ones(2)}}, "cannot hold what was given: array.* is neither a number"),
        ({"scores": {(1, 2): 3}}, "cannot hold what was given: keys must be"),
        ({"max_length": -5}, "max_length cannot be -5"),
        ({"max_length": 10**6}, "max_length 1000000 is longer than .*max_position_embeddings 40"),
        ({"columns": 3}, "columns cannot be 3"),
        ({"columns": {"text": 3}}, "columns cannot be {'text': 3}"),
        ({"labels": 3}, "labels is written to finetuning.json as it is"),
        ({"task": "tagging"}, "task must be a task, such as make_task returns, not 'tagging'"),
        (
            {"task": Classification(["pos", "neg"])},
            r"\['pos', 'neg'\], and the model \['neg', 'pos'",
        ),
        ({"task": Classification(["a", "b", "c"])}, "the model has 2 classes, the task has 3"),
        ({"task": Regression()}, "the model has 2 classes, the task has 1"),
        ({"task": Tagging(["neg", "pos"])}, "the task tagging needs a BertForTokenClassification"),
    ],
)
def test_what_could_not_be_opened_is_refused_before_anything_is_written(
    changes, complaint, tiny, tmp_path
):
    save(tmp_path / "saved", tiny, note="old")
    before = {path.name: path.read_bytes() for path in (tmp_path / "saved").iterdir()}
    for folder in ("saved", "new"):
        with pytest.raises(InputError, match=complaint):
            save(tmp_path / folder, tiny, **changes)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "saved").iterdir()}
    assert not (tmp_path / "new").exists()


def test_numbers_of_numpy_and_torch_are_saved_as_numbers(tiny, tmp_path):
    scores = {
        "f1": np.float32(0.5),
        "rows": np.int64(7),
        "loss": torch.tensor(0.25),
        "ok": np.True_,
    }
    save(tmp_path / "saved", tiny, scores=scores)
    found = json.loads((tmp_path / "saved" / ABOUT).read_text())["scores"]
    assert found == {"f1": 0.5, "rows": 7, "loss": 0.25, "ok": True}
    open_finetuned(tmp_path / "saved")


@pytest.mark.parametrize("failing", ["config.json", ABOUT])
def test_a_disk_that_is_full_leaves_the_older_save_as_it_was(failing, tiny, tmp_path, monkeypatch):
    save(tmp_path, tiny, note="old")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write, other = pathlib.Path.write_text, Classification(["pos", "neg"])

    def full(path, *inputs, **options):
        if path.name.endswith(failing):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, *inputs, **options)

    monkeypatch.setattr(pathlib.Path, "write_text", full)
    with pytest.raises(InputError, match="cannot save to .*: No space left"):
        save(tmp_path, tiny, task=other, model_task=other, note="new")
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_the_default_dtype_rounds_no_weights(tiny):
    expected = model_for(Classification(["neg", "pos"]), tiny).state_dict()
    torch.set_default_dtype(torch.bfloat16)
    try:
        found = model_for(Classification(["neg", "pos"]), tiny).state_dict()
    finally:
        torch.set_default_dtype(torch.float32)
    assert all(torch.equal(found[name], tensor) for name, tensor in expected.items())


def test_a_head_that_is_not_in_the_file(tiny, tmp_path):
    save_tiny(tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text()) | {
        "architectures": ["BertForSequenceClassification"]
    }
    (tmp_path / "model" / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match="has no classifier: fresh random weights"):
        open_finetuned(tmp_path / "model")
