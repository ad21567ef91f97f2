"""Multiple choice: rows, examples with differing numbers of choices, parity with transformers, predictions, errors."""

import pytest
import torch
from deviation import deviation
from reference import draw_weights, reference_twin, small_config

from minibert import BertConfig, WordPieceTokenizer
from minibert.finetuning import (
    ChoiceExample,
    ChoicePrediction,
    FineTuning,
    FineTuningOptions,
    MultipleChoice,
    evaluate,
    finetune,
    model_for,
    predict,
)

TOKENIZER = WordPieceTokenizer(
    {
        token: i
        for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"])
    }
)
CONFIG = BertConfig(
    vocab_size=len(TOKENIZER),
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=16,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
TASK = MultipleChoice()
EVEN = [ChoiceExample("a b", ["c", "d e", "f"], 2), ChoiceExample("g", ["a b c", "b", "c"], 0)]
UNEVEN = [
    ChoiceExample("a b", ["c", "d e"], 1),
    ChoiceExample("g", ["a b c", "b", "c", "h"], 3),
    ChoiceExample("h", ["a", "b"], 0),
]


def batch_of(examples, max_length=16):
    return TASK.collate(TASK.features(TOKENIZER, examples, max_length), TOKENIZER.pad_id)


def test_rows_are_the_text_with_each_choice():
    batch = batch_of([EVEN[0], UNEVEN[2]])
    assert batch["input_ids"].tolist() == [
        [[2, 5, 6, 3, 7, 3, 0], [2, 5, 6, 3, 8, 9, 3], [2, 5, 6, 3, 10, 3, 0]],
        [[2, 12, 3, 5, 3, 0, 0], [2, 12, 3, 6, 3, 0, 0], [0] * 7],
    ]
    assert batch["token_type_ids"].tolist() == [
        [[0, 0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 0]],
        [[0, 0, 0, 1, 1, 0, 0], [0, 0, 0, 1, 1, 0, 0], [0] * 7],
    ]
    assert batch["attention_mask"].sum(-1).tolist() == [[6, 7, 6], [5, 5, 0]]
    assert batch["labels"].tolist() == [2, 0]


def test_of_a_row_that_is_too_long_the_longer_text_loses_its_end():
    (feature,) = TASK.features(TOKENIZER, [ChoiceExample("a b c d e f", ["g h", "g g g g g g"])], 8)
    assert feature.input_ids[0] == [2, 5, 6, 7, 3, 11, 12, 3] and feature.labels == {}
    assert len(feature.input_ids[1]) == 8 and feature.input_ids[1].count(11) in (2, 3)


def gradients(loss, model):
    model.zero_grad()
    loss.backward()
    return {name: parameter.grad for name, parameter in model.named_parameters()}


def test_loss_and_gradient_of_a_step_are_those_of_transformers():
    model = draw_weights(model_for(TASK, small_config())).double().train()
    batch, twin = batch_of(EVEN), reference_twin(model)
    mine, theirs = model(**batch), twin(**batch)
    assert torch.allclose(
        mine.logits, theirs.logits, rtol=0, atol=1e-10
    ) and mine.loss.item() == pytest.approx(theirs.loss.item(), abs=1e-10)
    mine, theirs = gradients(mine.loss, model), gradients(theirs.loss, twin)
    assert all(torch.allclose(mine[name], theirs[name], rtol=0, atol=1e-10) for name in theirs)


@deviation(
    "Examples with differing numbers of choices",
    reference="none: every example of a batch has the same number, and a choice made of padding takes its share of the softmax",
    here="a choice that is all padding has the logit -inf",
    why="it can neither be chosen nor make the others less probable",
)
def test_examples_with_fewer_choices_learn_as_they_would_alone():
    model = draw_weights(model_for(TASK, small_config())).double().train()
    together = model(**batch_of(UNEVEN))
    alone = [model(**batch_of([example])) for example in UNEVEN]
    assert together.loss.item() == pytest.approx(
        sum(out.loss.item() for out in alone) / 3, abs=1e-10
    )
    for row, out in zip(together.logits, alone):
        count = out.logits.size(1)
        assert (
            torch.allclose(row[:count], out.logits[0], rtol=0, atol=1e-10)
            and (row[count:] == -torch.inf).all()
        )
    mine, theirs = (
        gradients(together.loss, model),
        gradients(sum(out.loss for out in alone) / 3, model),
    )
    assert all(torch.allclose(mine[name], theirs[name], rtol=0, atol=1e-10) for name in theirs)
    assert all(grad.isfinite().all() for grad in mine.values())


def test_a_mask_for_each_token_of_each_choice_does_as_well():
    model = draw_weights(model_for(TASK, small_config()))
    batch = batch_of(UNEVEN)
    mask = batch.pop("attention_mask").bool()  # [B, choices, S]
    rows = mask[..., None, :] & mask[..., :, None]  # [B, choices, S, S]
    logits = model(**batch, attention_mask=rows).logits
    assert torch.equal(logits == -torch.inf, ~mask.any(-1)) and torch.allclose(
        logits, model(**batch, attention_mask=mask).logits, atol=1e-5
    )


def test_predictions_from_answers_made_by_hand():
    rows = [
        torch.tensor([1.0, 0.0, -torch.inf, -torch.inf]),
        torch.tensor([0.0, 0.0, 0.0, 3.0]),
        torch.tensor([-2.0, -1.0, 5.0, 7.0]),
    ]  # the last: padding that has won
    first, second, third = predictions = TASK.predict(UNEVEN, [], rows)
    e = torch.tensor(1.0).exp().item()
    assert first == ChoicePrediction(0, "c", pytest.approx([e / (1 + e), 1 / (1 + e)]))
    assert (second.choice, second.text) == (3, "h") and second.probabilities == pytest.approx(
        [1 / (3 + e**3)] * 3 + [e**3 / (3 + e**3)]
    )
    assert (third.choice, third.text, len(third.probabilities)) == (1, "b", 2)
    assert TASK.score(UNEVEN, predictions) == {"accuracy": 1 / 3}


def test_every_example_has_its_row():
    with pytest.raises(ValueError):
        TASK.predict(UNEVEN, [], [torch.zeros(4)] * 2)


def test_it_learns_a_toy_with_two_to_four_choices():
    """Right is the choice that begins with a."""
    examples = []
    for i in range(96):
        count, right = 2 + i % 3, i // 3 % (2 + i % 3)
        examples.append(
            ChoiceExample(
                "ef"[i % 2],
                [("a " if k == right else "b ") + "cdgh"[(i + k) % 4] for k in range(count)],
                right,
            )
        )
    run = FineTuning(
        model_for(TASK, CONFIG),
        TASK,
        TOKENIZER,
        examples,
        FineTuningOptions(
            epochs=5, batch_size=12, learning_rate=1e-2, max_length=8, precision="float32"
        ),
    )
    finetune(run)
    scores, found = evaluate(run.model, TASK, TOKENIZER, examples)
    assert scores["accuracy"] == 1 and scores["loss"] < 0.3
    assert [prediction.choice for prediction in predict(run.model, TASK, TOKENIZER, examples)] == [
        prediction.choice for prediction in found
    ]


def test_what_is_no_choice():
    for choices in ("ab", [], ["a"]):
        with pytest.raises(ValueError, match="choices must be a list of at least two texts"):
            ChoiceExample("text", choices)
    for label in (2, -1, "a", True, 0.5):
        with pytest.raises(
            ValueError, match=f"label must be the number of a choice, 0 to 1, not {label!r}"
        ):
            ChoiceExample("text", ["a", "b"], label)
