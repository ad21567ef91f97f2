"""Predictions that are given as they are made, whatever the task makes of an example."""

import pytest
import torch
from tiny_finetuning import TOKENS, WORDS

from minibert import BertConfig, WordPieceTokenizer
from minibert.config import InputError
from minibert.finetuning import evaluation, make_task, model_for, predict
from minibert.finetuning.evaluation import stream_predictions
from minibert.finetuning.tasks.choices import ChoiceExample
from minibert.finetuning.tasks.questions import QuestionExample
from minibert.finetuning.tasks.tagging import TaggedExample
from minibert.finetuning.tasks.texts import TextExample

TOKENIZER = WordPieceTokenizer({token: n for n, token in enumerate(TOKENS)})
LENGTH = 20  # tokens of a sequence: passages and long sentences need several


def words(n: int, count: int) -> list[str]:
    return [WORDS[(7 * n + 3 * i) % 20] for i in range(count)]


def text(n: int, count: int) -> str:
    return " ".join(words(n, count))


EXAMPLES = {
    "classification": [TextExample(text(n, 1 + 5 * n % 13)) for n in range(11)],
    "regression": [TextExample(text(n, 3), text(n, 1 + 5 * n % 9)) for n in range(11)],
    "similarity": [TextExample(text(n, 3), text(n, 1 + 5 * n % 9)) for n in range(11)],
    "tagging": [TaggedExample(words(n, 1 + 13 * n % 60)) for n in range(11)],
    "questions": [QuestionExample(text(n, 2), text(n, 1 + 13 * n % 60)) for n in range(11)],
    "choice": [
        ChoiceExample(text(n, 3), [text(n, 2 + i) for i in range(2 + n % 3)]) for n in range(11)
    ],
}
LABELS = {"classification": ["no", "yes"], "tagging": ["O", "B-x", "I-x"]}


def make(name: str):
    task = make_task(name, LABELS.get(name))
    config = BertConfig(
        vocab_size=len(TOKENS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=LENGTH,
        initializer_range=0.5,
    )
    return model_for(task, config), task


def numbers(task, prediction) -> list[float]:
    """All that is a number in a prediction."""
    found: list[float] = []

    def visit(value) -> None:
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            for part in value:
                visit(part)
        elif isinstance(value, int | float):
            found.append(value)

    visit(task.prediction_json(prediction))
    return found


# of each task, an example that fits and one with a token too many
CUT = {
    "classification": (["good " * 18], ["good " * 19], TextExample),
    "regression": (["a", "good " * 16], ["a", "good " * 17], TextExample),
    "similarity": (["a", "good " * 18], ["a", "good " * 19], TextExample),
    "tagging": ([["good"] * 50], None, TaggedExample),  # read in windows
    "questions": (["who " * 8, "good " * 50], ["who " * 9, "good"], QuestionExample),
    "choice": (["a", ["a", "good " * 16]], ["a", ["a", "good " * 17]], ChoiceExample),
}


@pytest.mark.parametrize("name", CUT)
def test_a_feature_says_whether_its_example_was_cut(name):
    fits, too_long, kind = CUT[name]
    _, task = make(name)
    assert not any(one.cut for one in task.features(TOKENIZER, [kind(*fits)], LENGTH))
    if too_long:
        assert all(one.cut for one in task.features(TOKENIZER, [kind(*too_long)], LENGTH))


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("streamed", [1, 4, 512])
def test_each_example_gets_the_prediction_that_it_gets_alone(name, streamed, monkeypatch):
    monkeypatch.setattr(evaluation, "STREAMED", streamed)
    model, task = make(name)
    found = list(stream_predictions(model, task, TOKENIZER, EXAMPLES[name]))
    assert len(found) == len(EXAMPLES[name])
    for example, prediction in zip(EXAMPLES[name], found, strict=True):
        (alone,) = predict(model, task, TOKENIZER, [example])
        assert numbers(task, prediction) == pytest.approx(numbers(task, alone), abs=1e-5)


@pytest.mark.parametrize("name", ["classification", "choice", "tagging"])
def test_the_logits_are_those_of_the_padded_model(name):
    """Not by the same way: every example goes through the plain model, alone and without padding."""
    model, task = make(name)
    found = predict(model, task, TOKENIZER, EXAMPLES[name])
    for n, example in enumerate(EXAMPLES[name]):
        features = task.features(TOKENIZER, [example], LENGTH)
        with torch.no_grad():
            rows = [
                row
                for feature in features
                for row in task.rows(model(**task.collate([feature], TOKENIZER.pad_id)))
            ]
        (alone,) = task.predict([example], features, rows)
        assert numbers(task, found[n]) == pytest.approx(numbers(task, alone), abs=1e-5)


def test_the_first_predictions_come_before_the_last_examples_are_read(monkeypatch):
    monkeypatch.setattr(evaluation, "STREAMED", 4)
    model, task = make("classification")
    seen = []
    model.register_forward_pre_hook(
        lambda module, args, given: seen.append(len(given["input_ids"])), with_kwargs=True
    )
    stream = stream_predictions(model, task, TOKENIZER, EXAMPLES["classification"])
    assert not seen
    next(stream)
    assert sum(seen) == 4
    assert len(list(stream)) == 10 and sum(seen) == 11


def test_an_error_about_the_last_example_comes_before_the_first_prediction(monkeypatch):
    monkeypatch.setattr(evaluation, "STREAMED", 1)
    model, task = make("similarity")
    examples = [*EXAMPLES["similarity"], TextExample("alone")]
    with pytest.raises(InputError, match="example 11 has one text"):
        next(stream_predictions(model, task, TOKENIZER, examples))


@pytest.mark.parametrize("precision", ["x", "bfloat16", None, torch.int8])
def test_a_precision_is_a_dtype_that_a_model_computes_in(precision):
    model, task = make("classification")
    examples = EXAMPLES["classification"]
    for function in (predict, evaluation.evaluate):
        with pytest.raises(InputError, match="precision must be one of torch.float32, .*, not"):
            function(model, task, TOKENIZER, examples, precision=precision)


def test_between_two_predictions_the_model_is_itself(monkeypatch):
    monkeypatch.setattr(evaluation, "STREAMED", 1)
    model, task = make("classification")
    bert = model.train().bert
    for _ in stream_predictions(model, task, TOKENIZER, EXAMPLES["classification"]):
        assert model.bert is bert and model.training and torch.is_grad_enabled()
