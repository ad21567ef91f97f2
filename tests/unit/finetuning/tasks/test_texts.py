"""Classification and regression as tasks: rows, targets, predictions and scores; a regression's scale."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from reference import draw_weights, small_config
from scipy.stats import pearsonr, spearmanr

from minibert import BertForSequenceClassification, WordPieceTokenizer
from minibert.finetuning import (
    Classification,
    ClassPrediction,
    FineTuning,
    FineTuningOptions,
    Regression,
    TextExample,
    ValuePrediction,
    evaluate,
    finetune,
    predict,
)

TOKENIZER = WordPieceTokenizer(
    {
        token: i
        for i, token in enumerate(
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(5, 61))]
        )
    }
)
OPTIONS = dict(
    epochs=2, batch_size=3, learning_rate=3e-3, warmup=0.0, max_length=16, precision="float32"
)


def fresh_model(labels, dtype=torch.float32):
    """Drawn weights, but the bias of the head 0, as in a head that has learned nothing."""
    model = (
        draw_weights(BertForSequenceClassification(small_config(id2label=dict(enumerate(labels)))))
        .to(dtype)
        .eval()
    )
    torch.nn.init.zeros_(model.classifier.bias)
    return model


# -- rows --------------------------------------------------------------------------------------------------------------


def test_rows_are_the_tokenizers_and_labels_are_numbers():
    task = Classification(["no", "yes", "maybe"])
    examples = [
        TextExample("w5 w6", label="maybe"),
        TextExample("w7", "w8 w9 w10", "no"),
        TextExample("w5 w6 w7 w8 w9 w10", "w11 w12 w13", "yes"),
    ]
    features = task.features(TOKENIZER, examples, max_length=8)
    assert [feature.example for feature in features] == [0, 1, 2]
    assert [feature.input_ids for feature in features] == [
        [2, 5, 6, 3],
        [2, 7, 3, 8, 9, 10, 3],
        [2, 5, 6, 7, 3, 11, 12, 3],
    ]
    assert [feature.token_type_ids for feature in features] == [
        [0] * 4,
        [0] * 3 + [1] * 4,
        [0] * 5 + [1] * 3,
    ]
    assert [feature.labels for feature in features] == [{"labels": 2}, {"labels": 0}, {"labels": 1}]
    batch = task.collate(features, TOKENIZER.pad_id)
    wanted = TOKENIZER(
        [example.text for example in examples[1:]],
        [example.pair for example in examples[1:]],
        max_length=8,
    )
    for name, tensor in wanted.items():
        assert torch.equal(batch[name][1:], tensor) and batch[name].dtype == tensor.dtype, name
    assert (
        batch["input_ids"][0].tolist() == [2, 5, 6, 3, 0, 0, 0, 0]
        and batch["attention_mask"][0].tolist() == [1] * 4 + [0] * 4
    )
    assert batch["labels"].tolist() == [2, 0, 1] and batch["labels"].dtype == torch.int64


def test_padding_is_the_tokenizers_and_not_0():
    tokenizer = WordPieceTokenizer(
        {
            token: i
            for i, token in enumerate(["a", "b", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[PAD]"])
        }
    )
    task = Classification(["no", "yes"])
    batch = task.collate(
        task.features(tokenizer, [TextExample("a"), TextExample("a b", "b")], 8), tokenizer.pad_id
    )
    assert batch["input_ids"].tolist() == [[3, 0, 4, 6, 6, 6], [3, 0, 1, 4, 1, 4]] and batch[
        "token_type_ids"
    ].tolist() == [[0] * 6, [0] * 4 + [1] * 2]
    assert "labels" not in batch


def test_unknown_and_doubtful_labels():
    with pytest.raises(ValueError, match="unknown label 'perhaps': this task has no, yes"):
        Classification(["no", "yes"]).features(TOKENIZER, [TextExample("w5", label="perhaps")], 8)
    for labels in (["yes"], [], ["a", "b", "a"]):
        with pytest.raises(ValueError, match="at least two different names"):
            Classification(labels)
    for label in ("high", math.nan, math.inf, [1.0]):
        for call in (
            lambda examples: Regression().prepare(examples),
            lambda examples: Regression().features(TOKENIZER, examples, 8),
        ):
            with pytest.raises(ValueError, match="a label must be a number, not "):
                call([TextExample("w5", label=1.0), TextExample("w6", label=label)])
    with pytest.raises(ValueError, match="a label must be a number, not None"):
        Regression().prepare([TextExample("w5", label=1.0), TextExample("w6")])


def test_any_kind_of_number_is_a_label():
    task, labels = Regression(), [1, True, np.float32(2.5), np.int64(4), np.float64(-1)]
    task.prepare([TextExample("w5", label=label) for label in labels])
    found = [
        feature.labels["labels"]
        for feature in task.features(
            TOKENIZER, [TextExample("w5", label=label) for label in labels], 8
        )
    ]
    values = np.array([1, 1, 2.5, 4, -1])
    np.testing.assert_allclose(found, (values - values.mean()) / values.std(), rtol=1e-12)


# -- predictions and scores --------------------------------------------------------------------------------------------


def test_predictions_of_classes():
    task = Classification(["b", "a", "c"])
    rows = [
        torch.tensor([1.0, 3.0, 0.0]),
        torch.tensor([2.0, 2.0, 2.0]),
        torch.tensor([-50.0, 0.0, 60.0]),
    ]
    found = task.predict([None] * 3, [None] * 3, rows)
    assert [prediction.label for prediction in found] == ["a", "b", "c"]  # of equals the first
    for prediction, row in zip(found, rows):
        exact = np.exp(row.double().numpy()) / np.exp(row.double().numpy()).sum()
        assert list(prediction.probabilities) == ["b", "a", "c"] and list(
            prediction.probabilities.values()
        ) == pytest.approx(exact, abs=1e-6)
    examples = [TextExample("", label=label) for label in "aac"]
    assert task.score(examples, found) == pytest.approx(
        {"accuracy": 2 / 3, "macro_f1": (2 / 3 + 0 + 1) / 3}
    )
    assert task.id2label() == {0: "b", 1: "a", 2: "c"}


def test_a_task_names_the_scores_that_it_gives():
    """The first chooses the best epoch; all stand in the log and in the table at the end."""
    classes, numbers = (
        [TextExample("a", None, label) for label in "ab"],
        [TextExample("a", None, value) for value in (1.0, 2.0)],
    )
    assert (
        tuple(
            Classification(["a", "b"]).score(
                classes, [ClassPrediction(label, {}) for label in "ab"]
            )
        )
        == Classification.metrics
    )
    assert (
        tuple(Regression().score(numbers, [ValuePrediction(value) for value in (1.0, 3.0)]))
        == Regression.metrics
    )


def test_scores_of_numbers():
    values, wanted = [0.5, 2.0, 1.0, -3.0], [0.0, 1.0, 1.0, -1.0]
    scores = Regression().score(
        [TextExample("", label=value) for value in wanted],
        [ValuePrediction(value) for value in values],
    )
    assert scores == pytest.approx(
        {
            "spearman": spearmanr(values, wanted).statistic,
            "pearson": pearsonr(values, wanted).statistic,
        }
    )


# -- a regression's scale ----------------------------------------------------------------------------------------------

SCALES = {
    "as it is": (0.0, 1.0),
    "large": (1e6, 1e5),
    "small": (-3e-4, 1e-5),
    "far away": (1e6, 30.0),
}


def scaled(name, count=7):
    mean, width = SCALES[name]
    return [
        TextExample(
            " ".join(f"w{5 + (3 * i + j) % 50}" for j in range(1 + i % 4)),
            label=mean + width * math.sin(2 * i),
        )
        for i in range(count)
    ]


@pytest.mark.parametrize("name", SCALES)
def test_targets_have_mean_0_and_deviation_1_and_predictions_the_examples_scale(name):
    task, examples = Regression(), scaled(name)
    task.prepare(examples)
    targets = np.array(
        [feature.labels["labels"] for feature in task.features(TOKENIZER, examples, 16)]
    )
    assert abs(targets.mean()) < 1e-9 and targets.std() == pytest.approx(1)
    found = task.predict(
        examples, [], [torch.tensor([value], dtype=torch.float64) for value in targets]
    )
    assert [prediction.value for prediction in found] == pytest.approx(
        [example.label for example in examples], rel=1e-12
    )


@pytest.mark.parametrize("name", SCALES)
def test_training_is_the_same_in_every_scale_and_finish_changes_no_prediction(name):
    curves = {}
    for scale in ("as it is", name):
        task, model, examples, seen = (
            Regression(),
            fresh_model(["value"], torch.float64),
            scaled(scale),
            [],
        )
        run = FineTuning(model, task, TOKENIZER, examples, FineTuningOptions(**OPTIONS))
        epochs = finetune(
            run,
            on_epoch=lambda _: seen.append(
                [prediction.value for prediction in predict(model, task, TOKENIZER, examples)]
            ),
        )
        mean, width = SCALES[scale]
        curves[scale] = (
            [epoch.loss for epoch in epochs],
            [[(value - mean) / width for value in values] for values in seen],
        )
        # the finished model gives the examples' own numbers by itself
        assert (task.mean, task.deviation) == (0.0, 1.0)
        alone = model(**TOKENIZER([example.text for example in examples])).logits[:, 0]
        assert alone.tolist() == pytest.approx(
            seen[-1], rel=1e-6, abs=1e-6 * width
        )  # rows are float32
        scores, found = evaluate(model, Regression(), TOKENIZER, examples)
        assert [prediction.value for prediction in found] == pytest.approx(
            alone.tolist(), rel=1e-6, abs=1e-6 * width
        )
        assert scores["loss"] == pytest.approx(
            float(np.mean([(a - e.label) ** 2 for a, e in zip(alone.tolist(), examples)])), rel=1e-3
        )
    np.testing.assert_allclose(
        curves[name][0], curves["as it is"][0], rtol=1e-5
    )  # labels are float32 in a batch
    np.testing.assert_allclose(curves[name][1], curves["as it is"][1], atol=1e-3)


def test_labels_that_are_all_the_same():
    task, model = Regression(), fresh_model(["value"])
    examples = [TextExample(f"w{i}", label=0.1) for i in range(5, 9)]
    run = FineTuning(
        model, task, TOKENIZER, examples, FineTuningOptions(**OPTIONS | {"epochs": 40})
    )
    assert (
        all(feature.labels["labels"] == pytest.approx(0, abs=1e-12) for feature in run.features)
        and task.deviation == 1.0
    )
    finetune(run)
    assert [
        prediction.value for prediction in predict(model, task, TOKENIZER, examples)
    ] == pytest.approx([0.1] * 4, abs=0.05)


def test_labels_that_differ_by_next_to_nothing_are_refused():
    for width in (1e-300, 1e-19):
        examples = [TextExample(f"w{i}", label=width * i) for i in range(5, 9)]
        with pytest.raises(ValueError, match="differ by too little, 3e-.* multiply them all"):
            Regression().prepare(examples)
    Regression().prepare([TextExample(f"w{i}", label=1e-17 * i) for i in range(5, 9)])


def test_labels_that_float32_would_make_one_are_refused():
    """The saved head adds their mean, in float32, beside which their differences would be lost."""
    examples = [TextExample(f"w{i}", label=1_700_000_000 + 300 * (i % 2)) for i in range(5, 9)]
    with pytest.raises(ValueError, match="lie close together, 150 around .* subtract the mean"):
        Regression().prepare(examples)
    Regression().prepare([replace(each, label=each.label - 1_700_000_000) for each in examples])


def test_a_head_that_has_learned_learns_on_from_its_own_numbers():
    """Also with examples of another scale; and a run that was given up is no trap for the next one with the same task."""
    task, model = Regression(), fresh_model(["value"])
    finetune(FineTuning(model, task, TOKENIZER, scaled("far away"), FineTuningOptions(**OPTIONS)))
    before = [
        prediction.value for prediction in predict(model, task, TOKENIZER, scaled("far away"))
    ]
    for next_task in (task, Regression(), task):
        if next_task is not task:
            task.finish(model)
        FineTuning(model, next_task, TOKENIZER, scaled("large"), FineTuningOptions(**OPTIONS))
        assert next_task.deviation > 1e4
        assert [
            prediction.value
            for prediction in predict(model, next_task, TOKENIZER, scaled("far away"))
        ] == pytest.approx(before, rel=1e-5)
        task = next_task


def test_a_fresh_head_begins_at_the_mean():
    task, model = Regression(), fresh_model(["value"])
    weight = model.classifier.weight.clone()
    FineTuning(model, task, TOKENIZER, scaled("far away"), FineTuningOptions(**OPTIONS))
    assert torch.equal(model.classifier.weight, weight) and not model.classifier.bias.any()
    mean = np.mean([example.label for example in scaled("far away")])
    assert (
        abs(predict(model, task, TOKENIZER, [TextExample("w5")])[0].value - mean) < 1000
    )  # 0 is a million away


def test_a_run_of_one_step_of_no_learning_is_finished_too():
    task, model = Regression(), fresh_model(["value"])
    run = FineTuning(
        model,
        task,
        TOKENIZER,
        scaled("large", 3),
        FineTuningOptions(**OPTIONS | {"epochs": 1, "learning_rate": 1e-30}),
    )
    before = predict(model, task, TOKENIZER, scaled("large"))
    finetune(run)
    after = predict(model, task, TOKENIZER, scaled("large"))
    assert [one.value for one in after] == pytest.approx(
        [one.value for one in before], rel=1e-5
    ) and task.deviation == 1.0


def test_classes_by_name_end_to_end():
    examples = [
        TextExample(f"w{i} w{i + 20}", label="high" if i > 20 else "low") for i in range(5, 38)
    ]
    task = Classification(["low", "high"])
    model = fresh_model(task.labels)
    finetune(
        FineTuning(
            model,
            task,
            TOKENIZER,
            examples,
            FineTuningOptions(**OPTIONS | {"epochs": 8, "batch_size": 8}),
        )
    )
    scores, found = evaluate(model, task, TOKENIZER, examples)
    assert (
        scores["accuracy"] > 0.9
        and scores["macro_f1"] > 0.9
        and all(isinstance(prediction, ClassPrediction) for prediction in found)
    )
