"""Fine-tuning: an update against arithmetic done by hand on the reference; what learns; order, seeds, the best epoch, stopping; errors."""

import dataclasses
import functools
import io
import math
import re
import signal
import warnings

import pytest
import torch
from reference import draw_weights, reference_twin, small_config
from tqdm import tqdm

import minibert
from minibert import (
    BertForMaskedLM,
    BertForPreTraining,
    BertForSequenceClassification,
    WordPieceTokenizer,
    from_pretrained,
    save_pretrained,
)
from minibert.config import InputError
from minibert.finetuning import (
    ChoiceExample,
    Classification,
    FineTuning,
    FineTuningOptions,
    QuestionExample,
    Regression,
    TaggedExample,
    Tagging,
    TextExample,
    evaluate,
    evaluation,
    finetune,
    make_task,
    model_for,
    model_io,
    predict,
)
from minibert.finetuning import trainer as training
from minibert.finetuning.evaluation import EVAL_BATCH
from minibert.hub.pretrained_io import FreshWeightsWarning, UnreadWeightsWarning
from minibert.training.loop import Diverged, Stop

TOKENIZER = WordPieceTokenizer(
    {
        token: i
        for i, token in enumerate(
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(5, 61))]
        )
    }
)
LABELS = ["a", "b", "c"]
EXAMPLES = [
    TextExample(
        " ".join(f"w{5 + (7 * i + j) % 56}" for j in range(1 + 3 * i % 7)),
        f"w{5 + i}" if i % 2 else None,
        LABELS[i % 3],
    )
    for i in range(10)
]
TEXTS, PAIRS = [example.text for example in EXAMPLES], [example.pair for example in EXAMPLES]
OPTIONS = dict(
    epochs=2, batch_size=4, learning_rate=1e-3, max_length=20, warmup=0.0, precision="float32"
)


def make_model(dtype=torch.float32, labels=LABELS, **changes):
    config = small_config(id2label=dict(enumerate(labels)), **changes)
    return draw_weights(BertForSequenceClassification(config)).to(dtype).eval()


def make_run(model=None, task=None, examples=EXAMPLES, **changes):
    return FineTuning(
        model or make_model(),
        task or Classification(LABELS),
        TOKENIZER,
        examples,
        FineTuningOptions(**OPTIONS | changes),
    )


def weights(model):
    return {name: tensor.detach().clone() for name, tensor in model.named_parameters()}


def equal(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


# -- one update --------------------------------------------------------------------------------------------------------


def whole_batch(examples=EXAMPLES):
    """All examples as one batch, padded by hand."""
    rows = [TOKENIZER.encoding(example.text, example.pair) for example in examples]
    longest = max(len(row.ids) for row in rows)
    return {
        "input_ids": torch.tensor([row.ids + [0] * (longest - len(row.ids)) for row in rows]),
        "token_type_ids": torch.tensor(
            [row.type_ids + [0] * (longest - len(row.ids)) for row in rows]
        ),
        "attention_mask": torch.tensor(
            [[1] * len(row.ids) + [0] * (longest - len(row.ids)) for row in rows]
        ),
    }


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize(
    "dtype, clip, layers",
    [
        (torch.float64, 1e9, None),
        (torch.float64, 0.05, None),
        (torch.float64, 0.05, 1),
        (torch.float64, 1e9, 0),
        (torch.float32, 1e9, None),
    ],
)
def test_an_update_is_adamw_by_hand_on_the_gradients_of_the_reference(
    dtype, clip, layers, regression
):
    """Four steps: loss, clipping over BERT and head together, moments, decay, schedule, two rates; Kingma & Ba 2014, algorithm 1."""
    task, examples, labels = (
        Classification(LABELS),
        EXAMPLES,
        torch.tensor([i % 3 for i in range(10)]),
    )
    model = make_model(dtype)
    if regression:
        task, model = Regression(), make_model(dtype, labels=["value"])
        torch.nn.init.zeros_(model.classifier.bias)
        examples = [
            dataclasses.replace(example, label=float(i * i % 7))
            for i, example in enumerate(EXAMPLES)
        ]
        values = torch.tensor([example.label for example in examples], dtype=torch.float64)
        labels = ((values - values.mean()) / values.std(correction=0)).float().to(dtype)
    twin = reference_twin(model)
    run = make_run(
        model,
        task,
        examples,
        epochs=4,
        batch_size=10,
        warmup=0.3,
        clip=clip,
        trained_layers=layers,
        learning_rate=0.01,
        head_learning_rate=0.03,
    )
    learns = {"classifier.", "bert.pooler."} | {
        None: {"bert."},
        1: {"bert.encoder.layer.2."},
        0: set(),
    }[layers]
    moments = {
        name: [torch.zeros_like(p), torch.zeros_like(p)]
        for name, p in twin.named_parameters()
        if name.startswith(tuple(learns))
    }
    tolerance = (
        1e-11 if dtype == torch.float64 else 5e-3
    )  # Adam makes the rounding of a tiny gradient large
    for step in range(4):
        twin.zero_grad()
        loss = twin(**whole_batch(examples), labels=labels).loss
        loss.backward()
        gradients = {name: p.grad for name, p in twin.named_parameters() if name in moments}
        norm = math.sqrt(
            sum(float(gradient.double().square().sum()) for gradient in gradients.values())
        )
        factor = step / 2 if step < 2 else 1 - step / 4  # warm-up over ceil(0.3 · 4) steps
        progress = run.train_step()
        assert progress.step == step + 1 and progress.learning_rate == pytest.approx(0.01 * factor)
        assert (progress.loss, progress.gradient_norm) == pytest.approx(
            (loss.item(), norm), rel=1e-9 if dtype == torch.float64 else 1e-4
        )
        for name, parameter in twin.named_parameters():
            if name in moments:
                gradient, (first, second) = (
                    gradients[name] * min(1.0, clip / (norm + 1e-6)),
                    moments[name],
                )
                first.mul_(0.9).add_(0.1 * gradient)
                second.mul_(0.999).add_(0.001 * gradient.square())
                rate = factor * (0.03 if name.startswith(("classifier.", "bert.pooler.")) else 0.01)
                decay = 0.0 if name.endswith("bias") or "LayerNorm" in name else 0.01
                with torch.no_grad():
                    parameter.mul_(1 - rate * decay).sub_(
                        rate
                        * first
                        / (1 - 0.9 ** (step + 1))
                        / ((second / (1 - 0.999 ** (step + 1))).sqrt() + 1e-6)
                    )
            if dtype == torch.float64 or not name.endswith(
                "key.bias"
            ):  # of which the true gradient is 0
                torch.testing.assert_close(
                    dict(model.named_parameters())[name],
                    parameter,
                    rtol=0,
                    atol=tolerance,
                    msg=name,
                )


# -- what learns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "layers, still",
    [
        (None, ()),
        (3, ("bert.embeddings",)),
        (1, ("bert.embeddings", "bert.encoder.layer.0", "bert.encoder.layer.1")),
        (0, ("bert.embeddings", "bert.encoder")),
    ],
)
def test_what_is_frozen_stays_bit_for_bit_and_everything_else_moves(layers, still):
    model = make_model(hidden_dropout_prob=0.2, attention_probs_dropout_prob=0.2)
    before = weights(model)
    finetune(make_run(model, trained_layers=layers))
    for name, tensor in model.named_parameters():
        assert torch.equal(tensor, before[name]) == (bool(still) and name.startswith(still)), name
        assert tensor.requires_grad
    assert not any(module.training for module in model.modules())


def test_what_is_frozen_has_no_dropout():
    model, modes = make_model(hidden_dropout_prob=0.5), {}
    for name, module in model.named_modules():
        module.register_forward_hook(
            lambda module, inputs, out, name=name: modes.update({name: module.training})
        )
    run = make_run(model, trained_layers=1)
    for _ in range(2):
        modes.clear()
        run.train_step()
        learns = ("bert.encoder.layer.2", "bert.pooler", "classifier", "dropout")
        assert {name for name, training in modes.items() if training} == {
            name for name in modes if name.startswith(learns)
        }
        assert {
            "dropout",
            "bert.embeddings.dropout",
            "bert.encoder.layer.2.attention.self",
            "bert.encoder.layer.0.output.dropout",
        } <= modes.keys()
        evaluate(
            model, run.task, TOKENIZER, EXAMPLES
        )  # in eval mode throughout; the next step learns as before


def test_dropout_is_on_where_all_learns():
    losses = [make_run(make_model(hidden_dropout_prob=p)).train_step().loss for p in (0.0, 0.5)]
    assert losses[0] != losses[1]


def test_a_dropout_that_is_asked_for_is_everywhere_and_in_the_config():
    model = make_model(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    without = make_run(model).train_step().loss
    run = make_run(make_model(classifier_dropout=0.9), dropout=0.3)
    rates = [module.p for module in run.model.modules() if isinstance(module, torch.nn.Dropout)]
    layers = run.model.bert.encoder.layer
    rates += [layer.attention.self.dropout_prob for layer in layers]
    assert rates == [0.3] * (2 + 3 * len(layers))
    for config in (run.model.config, run.model.bert.config):
        assert config.hidden_dropout_prob == config.attention_probs_dropout_prob == 0.3
        assert config.classifier_dropout is None
    assert run.train_step().loss != without
    assert make_run(make_model(hidden_dropout_prob=0.5), dropout=0.0).train_step().loss == without


def test_one_rate_for_all_or_one_for_the_head():
    for head_rate in (None, 0.5):
        run = make_run(head_learning_rate=head_rate)
        rates = {
            id(p): group["peak_lr"]
            for optimizer in run.optimizers
            for group in optimizer.param_groups
            for p in group["params"]
        }
        assert len(rates) == len(list(run.model.parameters()))
        for name, parameter in run.model.named_parameters():
            assert rates[id(parameter)] == (
                head_rate if head_rate and name.startswith(("classifier", "bert.pooler")) else 1e-3
            ), name


def test_gradients_of_before_are_not_counted():
    clean, used = make_run().train_step(), make_model()
    used(**whole_batch()).logits.sum().backward()
    assert make_run(used).train_step() == clean


# -- order and seeds ---------------------------------------------------------------------------------------------------


class Recorder(Classification):
    """Notes which examples go through together."""

    def __init__(self):
        super().__init__(LABELS)
        self.batches = []

    def collate(self, features, pad_id):
        self.batches.append([feature.example for feature in features])
        return super().collate(features, pad_id)


def test_every_epoch_sees_every_example_once_in_an_order_that_the_seed_decides():
    orders = {}
    for key, seed in (("one", 0), ("again", 0), ("other", 1)):
        task = Recorder()
        run = make_run(task=task, seed=seed)
        assert (run.epoch_steps, run.steps) == (3, 6)  # 4, 4 and 2 of 10
        for step in range(6):
            assert run.epoch == step // 3
            run.train_step()
        orders[key] = task.batches
    assert orders["one"] == orders["again"] != orders["other"]
    first, second = orders["one"][:3], orders["one"][3:]
    assert sorted(sum(first, [])) == sorted(sum(second, [])) == list(range(10)) and first != second
    lengths = [len(TOKENIZER.encode(text, pair)) for text, pair in zip(TEXTS, PAIRS)]
    for epoch in (first, second):  # all are one pool: cut apart in the order of their lengths
        ends = sorted(
            (min(lengths[i] for i in batch), max(lengths[i] for i in batch)) for batch in epoch
        )
        assert all(one[1] <= other[0] for one, other in zip(ends, ends[1:]))


def test_the_same_seed_gives_the_same_model_bit_for_bit_whatever_else_draws_numbers():
    found = {}
    for key, seed in (("one", 5), ("again", 5), ("other", 6)):
        model = make_model(hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.3)
        run = make_run(model, seed=seed)
        torch.manual_seed(len(key))  # between the making of a run and its first step
        found[key] = finetune(run, EXAMPLES), weights(model)
    assert found["one"][0] == found["again"][0] and equal(found["one"][1], found["again"][1])
    assert found["one"][0] != found["other"][0] and not equal(found["one"][1], found["other"][1])


def test_training_leaves_the_global_random_numbers_as_they_were():
    """And what is drawn between two steps does not matter."""
    found = []
    for draws in (0, 3):
        run = make_run(make_model(hidden_dropout_prob=0.3))
        torch.manual_seed(7)
        before = torch.get_rng_state()
        run.train_step()
        assert torch.equal(torch.get_rng_state(), before)
        torch.rand(draws)
        run.train_step()
        found.append(weights(run.model))
    assert equal(*found)


# -- evaluate and predict ----------------------------------------------------------------------------------------------


def many(count=EVAL_BATCH + 9):
    return [
        TextExample(
            " ".join(f"w{5 + (11 * i + j) % 56}" for j in range(1 + 5 * i % 13)),
            label=LABELS[i * i % 3],
        )
        for i in range(count)
    ]


def test_predictions_come_in_the_order_of_the_examples_and_padding_changes_nothing():
    model, task, examples = make_model(), Classification(LABELS), many()
    found = predict(model, task, TOKENIZER, examples)
    assert len(found) == len(examples)
    for i in (0, 1, 2, 40, len(examples) - 1):
        alone = model(**TOKENIZER(examples[i].text)).logits[0].softmax(-1).tolist()
        assert list(found[i].probabilities.values()) == pytest.approx(alone, abs=1e-5)


def test_scores_and_loss_are_those_of_all_examples():
    model, task, examples = make_model(), Classification(LABELS), many()
    scores, found = evaluate(model, task, TOKENIZER, examples)
    for one, other in zip(found, predict(model, task, TOKENIZER, examples), strict=True):
        assert one.label == other.label  # other batches: rounding differs
        assert one.probabilities == pytest.approx(other.probabilities, abs=1e-6)
    losses = [
        -math.log(prediction.probabilities[example.label])
        for prediction, example in zip(found, examples)
    ]
    assert scores["loss"] == pytest.approx(sum(losses) / len(losses), rel=1e-5)
    assert scores["accuracy"] == pytest.approx(
        sum(p.label == e.label for p, e in zip(found, examples)) / len(examples)
    )
    assert list(scores) == ["loss", "accuracy", "macro_f1"]


@pytest.mark.parametrize("training", [True, False])
def test_the_mode_comes_back_and_nothing_is_kept_for_gradients(training):
    model, task = make_model(hidden_dropout_prob=0.5).train(training), Classification(LABELS)
    scores, found = evaluate(model, task, TOKENIZER, EXAMPLES)
    assert (
        predict(model, task, TOKENIZER, EXAMPLES) == found
        and evaluate(model, task, TOKENIZER, EXAMPLES)[0] == scores
    )
    assert all(module.training == training for module in model.modules())
    assert all(parameter.grad is None for parameter in model.parameters())


def test_predict_does_not_look_at_labels():
    model, task = make_model(), Classification(LABELS)
    bare = predict(
        model, task, TOKENIZER, [TextExample(text, pair) for text, pair in zip(TEXTS, PAIRS)]
    )
    assert predict(model, task, TOKENIZER, EXAMPLES) == bare
    assert (
        predict(
            model,
            task,
            TOKENIZER,
            [TextExample(text, pair, "unheard of") for text, pair in zip(TEXTS, PAIRS)],
        )
        == bare
    )
    mixed = [
        TextExample(text, pair, "a" if i % 2 else None)
        for i, (text, pair) in enumerate(zip(TEXTS, PAIRS))
    ]
    assert (
        predict(model, task, TOKENIZER, mixed) == bare and predict(model, task, TOKENIZER, []) == []
    )
    tagging, words = Tagging(["x", "y"]), [TaggedExample(["w5", "w6"], ["unheard of", "x"])]
    tagger = draw_weights(minibert.BertForTokenClassification(small_config())).eval()
    assert predict(tagger, tagging, TOKENIZER, words) == predict(
        tagger, tagging, TOKENIZER, [TaggedExample(["w5", "w6"])]
    )


def test_long_texts_are_read_as_far_as_asked_or_as_the_model_can():
    model, task, long = (
        make_model(),
        Classification(LABELS),
        TextExample("w5 w6 w7 " * 20, label="a"),
    )
    for asked, length in ((None, 20), (9, 9), (20, 20)):
        wanted = model(**TOKENIZER(long.text, max_length=length)).logits[0].softmax(-1).tolist()
        for found in (
            predict(model, task, TOKENIZER, [long], asked),
            evaluate(model, task, TOKENIZER, [long], asked)[1],
        ):
            assert list(found[0].probabilities.values()) == pytest.approx(wanted, abs=1e-6)
    for call in (predict, evaluate):
        with pytest.raises(
            ValueError, match="max_length 21 is longer than the model's max_position_embeddings 20"
        ):
            call(model, task, TOKENIZER, [long], 21)
        with pytest.raises(
            ValueError, match="max_length must be a whole number of at least 1, not 0"
        ):
            call(model, task, TOKENIZER, [long], 0)
    assert predict(make_model(position_embedding_type="none"), task, TOKENIZER, [long], 50)


def test_what_cannot_be_scored():
    model, task = make_model(), Classification(LABELS)
    with pytest.raises(ValueError, match="no examples to score"):
        evaluate(model, task, TOKENIZER, [])
    for examples in (
        [TextExample("w5", label="a"), TextExample("w6")],
        [TextExample("w5", label="a"), TextExample("w6"), TextExample("w5", label="a")],
    ):
        with pytest.raises(
            ValueError, match="example 1 has no label: every example to score needs one"
        ):
            evaluate(model, task, TOKENIZER, examples)


# -- epochs ------------------------------------------------------------------------------------------------------------


class Scripted(Classification):
    """Scores as they are written down."""

    metrics = ("accuracy", "other")

    def __init__(self, values):
        super().__init__(LABELS)
        self.values = iter(values)

    def score(self, examples, predictions):
        value = next(self.values)
        accuracy, loss = value if isinstance(value, tuple) else (value, 1.0)
        return {"other": 1.0, "accuracy": accuracy, "loss": loss}


def scripted(values, dev=EXAMPLES[:2], **more):
    """A run of as many epochs; its epochs, its model, and the weights after each of them."""
    model, seen = make_model(), []
    options = {name: more.pop(name) for name in ("patience", "epochs") if name in more}
    run = make_run(model, Scripted(values), **{"epochs": len(values)} | options)
    epochs = finetune(run, dev, on_epoch=lambda epoch: seen.append((epoch, weights(model))), **more)
    assert [epoch for epoch, _ in seen] == epochs
    return epochs, model, [tensors for _, tensors in seen]


@pytest.mark.parametrize(
    "values, best",
    [
        ([0.1, 0.5, 0.3], 2),
        ([0.5, 0.5, 0.5], 1),
        ([0.2, 0.4, 0.4], 2),
        ([0.0, 0.0, 0.1], 3),
        ([-1.0, -1.0], 1),
        ([-0.5, -0.9], 1),
    ],
)
def test_the_first_of_the_best_epochs_is_what_stays(values, best):
    epochs, model, seen = scripted(values)
    assert equal(weights(model), seen[best - 1]) and all(
        not equal(weights(model), other) for n, other in enumerate(seen, 1) if n != best
    )
    assert [epoch.is_best for epoch in epochs] == [
        all(value > other for other in values[:n]) for n, value in enumerate(values)
    ]
    assert [epoch.scores["accuracy"] for epoch in epochs] == values and "loss" in epochs[0].scores
    assert [(epoch.epoch, epoch.step) for epoch in epochs] == [
        (n, 3 * n) for n in range(1, len(values) + 1)
    ]


def test_of_equal_scores_the_one_with_the_lower_loss_stays():
    for values, best in (
        ([(0.5, 0.9), (0.5, 0.2), (0.5, 0.4)], 2),
        ([(0.5, 0.9), (0.4, 0.1), (0.6, 3.0)], 3),
        ([(0.5, 0.3), (0.5, 0.3)], 1),
    ):
        _, model, seen = scripted(values)
        assert equal(weights(model), seen[best - 1])


def test_the_best_is_left_when_something_breaks():
    model, seen = make_model(), []

    def on_epoch(epoch):
        seen.append(weights(model))
        if epoch.epoch == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finetune(
            make_run(model, Scripted([0.1, 0.5, 0.3]), epochs=3), EXAMPLES[:2], on_epoch=on_epoch
        )
    assert (
        equal(weights(model), seen[1])
        and not model.training
        and all(parameter.requires_grad for parameter in model.parameters())
    )


def test_without_dev_examples_the_last_epoch_is_the_best():
    epochs, model, seen = scripted([9.0] * 3, dev=())
    assert equal(weights(model), seen[-1]) and all(
        epoch.is_best and epoch.scores == {} for epoch in epochs
    )


@pytest.mark.parametrize(
    "values, patience, done",
    [
        ([0.5, 0.4, 0.6, 0.6, 0.6, 0.7], 2, 5),
        ([0.5, 0.4, 0.6], 1, 2),
        ([0.5, 0.5, 0.9], 1, 2),
        ([0.1, 0.2, 0.3], 1, 3),
        ([0.5, 0.1, 0.6, 0.1, 0.7], 2, 5),
    ],
)
def test_patience_counts_the_epochs_since_the_best(values, patience, done):
    epochs, model, seen = scripted(values, patience=patience)
    assert len(epochs) == done and equal(
        weights(model), seen[max(range(done), key=lambda n: (values[n], -n))]
    )


def test_the_loss_of_an_epoch_is_the_mean_of_its_batches():
    run, other = make_run(), make_run()
    epochs, losses = finetune(run), [other.train_step().loss for _ in range(6)]
    assert [epoch.loss for epoch in epochs] == pytest.approx(
        [sum(losses[:3]) / 3, sum(losses[3:]) / 3], rel=1e-9
    )


def test_a_signal_ends_the_run_and_the_best_so_far_stays():
    values = [0.1, 0.5, 0.3, 0.9]
    model, task, seen = make_model(), Scripted(values), []
    run = make_run(model, task, epochs=4)

    def on_epoch(epoch):
        seen.append(weights(model))
        if epoch.epoch == 3:
            signal.raise_signal(signal.SIGTERM)

    with Stop(None).listening() as stop:
        epochs = finetune(run, EXAMPLES[:2], on_epoch=on_epoch, stop=stop)
    assert (
        len(epochs) == 3 and run.step == 9 and stop.status == 143 and equal(weights(model), seen[1])
    )


def test_a_signal_within_an_epoch_leaves_the_best_of_before_or_what_there_is():
    for steps, whole in ((5, 1), (2, 0)):
        model, seen = make_model(), []
        run = make_run(model)
        with Stop(None).listening() as stop:
            step = run.train_step

            def interrupted():
                progress = step()
                if progress.step == steps:
                    signal.raise_signal(signal.SIGINT)
                return progress

            run.train_step = interrupted
            epochs = finetune(run, on_epoch=lambda _: seen.append(weights(model)), stop=stop)
        assert len(epochs) == whole and run.step == steps and stop.status == 130
        again = make_run(model_again := make_model())
        for _ in range(3 * whole or steps):
            again.train_step()
        assert equal(weights(model), weights(model_again)) and not model.training


def test_nothing_is_printed_unless_asked(capsys):
    finetune(make_run(epochs=1), EXAMPLES)
    assert capsys.readouterr() == ("", "")


@pytest.fixture
def terminal(monkeypatch):
    """What progress bars write on a terminal, without the colours and movements of one."""
    screen = io.StringIO()
    screen.isatty = lambda: True
    for module in (training, evaluation):
        monkeypatch.setattr(
            module, "tqdm", functools.partial(tqdm, file=screen, mininterval=0, miniters=1)
        )
    return screen.getvalue


def test_on_a_terminal_nothing_is_drawn_unless_asked(terminal):
    model, task = make_model(), Classification(LABELS)
    finetune(make_run(model, epochs=1), EXAMPLES)
    evaluate(model, task, TOKENIZER, EXAMPLES)
    predict(model, task, TOKENIZER, EXAMPLES)
    assert terminal() == ""


def test_the_bar_counts_the_steps_of_the_run_and_shows_the_scores(terminal):
    finetune(make_run(epochs=2), EXAMPLES, progress=True)
    drawn = terminal()
    assert "Fine-tuning: 100%" in drawn and "| 6/6 [" in drawn and " steps/s, loss=" in drawn
    assert re.search(r"loss=\d\.\d{3}, accuracy=\d\.\d{3}, macro_f1=\d\.\d{3}\]", drawn)


def test_the_bar_of_predictions_counts_sequences_and_goes_away(terminal):
    model, task = make_model(), Classification(LABELS)
    evaluate(model, task, TOKENIZER, (EXAMPLES * 7)[: EVAL_BATCH + 1], progress=True)
    assert re.search(
        r"Predicting:.*\| 65/65 \[.* sequences/s\]", terminal()
    ) and not terminal().endswith("\n"), "it is taken away, not left"
    before = len(terminal())
    predict(model, task, TOKENIZER, EXAMPLES, progress=True)
    assert f"| {len(EXAMPLES)}/{len(EXAMPLES)} [" in terminal()[before:]


def test_training_that_breaks_down_says_so():
    model = make_model()
    with pytest.raises(
        Diverged, match=r"step [23]: the loss is .*lower learning_rate or a longer warmup"
    ):
        finetune(make_run(model, learning_rate=1e30, clip=1e30))


# -- precision ---------------------------------------------------------------------------------------------------------


def test_bfloat16_is_used_where_it_is_asked_for_and_weights_stay_float32():
    model, types = make_model(), set()
    model.bert.encoder.layer[0].output.dense.register_forward_hook(
        lambda module, inputs, out: types.add(out.dtype)
    )
    run, plain = make_run(model, precision="bfloat16", batch_size=10), make_run(batch_size=10)
    one, other = run.train_step(), plain.train_step()
    assert types == {torch.bfloat16} and one != other
    assert (one.loss, one.gradient_norm) == pytest.approx(
        (other.loss, other.gradient_norm), rel=0.1
    )
    assert {tensor.dtype for tensor in model.parameters()} == {torch.float32}
    types.clear()
    scores, found = evaluate(model, run.task, TOKENIZER, EXAMPLES, precision=run.precision)
    assert types == {torch.bfloat16}
    for prediction in found:  # the softmax is float32's, of logits that were rounded
        assert sum(prediction.probabilities.values()) == pytest.approx(1, abs=1e-6)
    exact = evaluate(model, run.task, TOKENIZER, EXAMPLES)[0]
    assert types == {torch.bfloat16, torch.float32} and scores["loss"] == pytest.approx(
        exact["loss"], rel=0.1
    )


class Rows(Classification):
    """Notes what it is asked to read predictions from."""

    def predict(self, examples, features, rows):
        self.kinds = {(row.dtype, row.device.type) for row in rows}
        return super().predict(examples, features, rows)


def test_tasks_read_float32_whatever_the_model_computed_in():
    task = Rows(LABELS)
    evaluate(make_model(), task, TOKENIZER, EXAMPLES, precision=torch.bfloat16)
    assert task.kinds == {(torch.float32, "cpu")}


def test_judging_is_done_in_the_precision_of_the_run():
    model, types = make_model(), []
    model.classifier.register_forward_hook(lambda module, inputs, out: types.append(out.dtype))
    finetune(make_run(model, precision="bfloat16", epochs=1), EXAMPLES)
    assert set(types) == {torch.bfloat16} and len(types) == 3 + 1


# -- model_for ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Saved models: pretrained, without a pooler, fine-tuned."""
    root = tmp_path_factory.mktemp("models")
    for name, model in (
        ("pretrained", BertForPreTraining(small_config())),
        ("words", BertForMaskedLM(small_config())),
        ("tuned", make_model()),
    ):
        save_pretrained(draw_weights(model), root / name, TOKENIZER)
    return root


def test_a_fresh_head_on_a_pretrained_encoder(folders):
    saved = from_pretrained(folders / "pretrained")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        models = [
            model_for(Classification(LABELS), folders / "pretrained", seed) for seed in (0, 0, 1)
        ]
    for model in models:
        assert type(model) is BertForSequenceClassification and not model.training
        assert equal(weights(model.bert), weights(saved.bert))
        assert (
            model.classifier.weight.shape == (3, 24)
            and not model.classifier.bias.any()
            and 0.01 < model.classifier.weight.std() < 0.04
        )
        assert model.config == dataclasses.replace(small_config(), id2label=dict(enumerate(LABELS)))
    heads = [model.classifier.weight for model in models]
    assert torch.equal(heads[0], heads[1]) and not torch.equal(heads[0], heads[2])


def test_only_what_is_known_of_the_head_is_not_said_again(folders, monkeypatch):
    """Another warning, such as PyTorch's of what it is going to take away, comes through."""

    def opened(*arguments):
        warnings.warn("soon gone", FutureWarning, stacklevel=1)
        warnings.warn("a head was not read", UnreadWeightsWarning, stacklevel=1)
        warnings.warn("a pooler is fresh", FreshWeightsWarning, stacklevel=1)
        return from_pretrained(*arguments)

    monkeypatch.setattr(model_io, "from_pretrained", opened)
    with pytest.warns() as heard:
        model_for(Classification(LABELS), folders / "pretrained")
    assert [str(warning.message) for warning in heard] == ["soon gone"]


def test_a_tagger_has_no_pooler_and_its_encoder_is_the_saved_one(folders):
    model, saved = (
        model_for(Tagging(["x", "y"]), str(folders / "pretrained")),
        from_pretrained(folders / "pretrained"),
    )
    assert model.bert.pooler is None
    assert all(
        torch.equal(tensor, saved.bert.state_dict()[name])
        for name, tensor in model.bert.state_dict().items()
    )


def test_a_pooler_that_the_file_lacks_is_fresh(folders):
    one, again, saved = (
        model_for(Classification(LABELS), folders / "words"),
        model_for(Classification(LABELS), folders / "words"),
        from_pretrained(folders / "words"),
    )
    assert all(
        torch.equal(one.bert.state_dict()[name], tensor)
        for name, tensor in saved.bert.state_dict().items()
    )
    assert not one.bert.pooler.dense.bias.any() and 0.01 < one.bert.pooler.dense.weight.std() < 0.04
    assert torch.equal(one.bert.pooler.dense.weight, again.bert.pooler.dense.weight)


def test_a_head_stays_where_the_labels_are_the_same_and_goes_where_they_are_others(folders):
    saved = from_pretrained(folders / "tuned")
    assert equal(weights(model_for(Classification(LABELS), folders / "tuned")), weights(saved))
    for task in (
        Classification(LABELS[::-1]),
        Classification(["a", "b"]),
        Classification(["a", "b", "d"]),
        Regression(),
    ):
        model = model_for(task, folders / "tuned")
        assert equal(weights(model.bert), weights(saved.bert)) and not model.classifier.bias.any()
        assert model.config.id2label == task.id2label() and len(model.classifier.weight) == len(
            task.labels
        )
    tagger = model_for(
        Tagging(LABELS), folders / "tuned"
    )  # the same labels of another kind of task
    assert not tagger.classifier.bias.any()


def test_from_a_config_everything_is_random(folders):
    task, config = Classification(LABELS), small_config()
    one, again, other = (model_for(task, config, seed) for seed in (0, 0, 1))
    assert (
        equal(weights(one), weights(again))
        and not equal(weights(one), weights(other))
        and not one.training
    )
    assert one.config == dataclasses.replace(config, id2label=dict(enumerate(LABELS)))


def test_the_vocabulary_goes_along_when_it_is_saved(folders, tmp_path):
    save_pretrained(model_for(Classification(LABELS), folders / "pretrained"), tmp_path / "new")
    assert WordPieceTokenizer.from_pretrained(tmp_path / "new").vocab == TOKENIZER.vocab
    opened = from_pretrained(tmp_path / "new")
    assert type(opened) is BertForSequenceClassification and opened.config.id2label == dict(
        enumerate(LABELS)
    )


def test_the_real_encoder_is_untouched_by_its_fresh_head(needs_minilm):
    model, saved = (
        model_for(Classification(["no", "yes"]), needs_minilm),
        from_pretrained(needs_minilm),
    )
    assert equal(weights(model.bert), weights(saved)) and len(model.classifier.weight) == 2


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, values, said",
    [
        (
            "epochs",
            [0, -1, 1.5, True, None, "3"],
            "epochs must be a whole number of at least 1, not ",
        ),
        ("batch_size", [0, 2.0, None], "batch_size must be a whole number of at least 1, not "),
        ("max_length", [7, None, 8.0], "max_length must be a whole number of at least 8, not "),
        ("patience", [0, 1.5], "patience must be a whole number of at least 1, not "),
        ("trained_layers", [-1, 1.0], "trained_layers must be a whole number of at least 0, not "),
        ("seed", [-1, None, 0.5], "seed must be a whole number of at least 0, not "),
        (
            "learning_rate",
            [0, -1e-5, math.nan, math.inf, None, "1e-5"],
            "learning_rate must be a number above 0, not ",
        ),
        (
            "head_learning_rate",
            [0.0, -1, math.nan, "x"],
            "head_learning_rate must be a number above 0, not ",
        ),
        (
            "dropout",
            [-0.1, 1, 1.5, math.nan, "0.1"],
            "dropout must be a number from 0 to below 1, not ",
        ),
        ("clip", [0, -1, math.inf, None], "clip must be a number above 0, not "),
        (
            "warmup",
            [-0.1, 1.1, math.nan, None, "0.1"],
            "warmup is a share of the steps: it must be between 0 and 1, not ",
        ),
        (
            "weight_decay",
            [-0.01, math.inf, math.nan, None],
            "weight_decay must be a number of at least 0, not ",
        ),
        (
            "precision",
            ["float16", None, torch.float32],
            "precision must be one of auto, bfloat16, float32, not ",
        ),
    ],
)
def test_options_that_make_no_sense(name, values, said):
    for value in values:
        with pytest.raises(ValueError, match=said) as raised:
            FineTuningOptions(**{name: value})
        assert repr(value) in str(raised.value)


def test_a_single_step_learns_in_spite_of_warm_up():
    run = make_run(epochs=1, batch_size=10, warmup=0.1)
    before = {name: p.clone() for name, p in run.model.named_parameters()}
    progress = run.train_step()
    assert run.steps == 1 and progress.learning_rate == OPTIONS["learning_rate"]
    assert any(not torch.equal(p, before[name]) for name, p in run.model.named_parameters())


def test_options_at_their_limits_and_the_defaults():
    FineTuningOptions(
        epochs=1,
        batch_size=1,
        max_length=8,
        patience=1,
        trained_layers=0,
        seed=0,
        warmup=1,
        weight_decay=0,
        dropout=0,
        head_learning_rate=1,
    )
    assert dataclasses.astuple(FineTuningOptions()) == (
        3,
        32,
        5e-5,
        None,
        None,
        0.1,
        0.01,
        None,
        1.0,
        128,
        None,
        "auto",
        0,
    )


def test_a_run_that_cannot_begin():
    with pytest.raises(ValueError, match="no examples to learn from"):
        make_run(examples=[])
    with pytest.raises(
        ValueError, match="example 2 has no label: every example to learn from needs one"
    ):
        make_run(examples=[*EXAMPLES[:2], TextExample("w5"), *EXAMPLES[3:]])
    with pytest.raises(ValueError, match="unknown label 'd': this task has a, b, c"):
        make_run(examples=[TextExample("w5", label="d")])
    with pytest.raises(
        ValueError, match="max_length 21 is longer than the model's max_position_embeddings 20"
    ):
        make_run(max_length=21)
    with pytest.raises(ValueError, match="trained_layers is 4, but the model has 3 layers"):
        make_run(trained_layers=4)
    make_run(trained_layers=3)


@pytest.mark.parametrize(
    "examples, found",
    [
        (["a text"], "but one is 'a text'"),
        ("a text", "not 'a text'"),
        (None, "not None"),
        (iter([TextExample("w5", label="a")]), "not <list_iterator"),
        ([TaggedExample(["w5"], ["a"])], "but one is TaggedExample"),
        ([ChoiceExample("w5", ["w5", "w6"], 0)], "but one is ChoiceExample"),
    ],
)
def test_what_is_no_list_of_examples_of_the_task(examples, found):
    model, task = make_model(), Classification(LABELS)
    for call in (
        lambda: make_run(examples=examples),
        lambda: finetune(make_run(), examples),
        lambda: evaluate(model, task, TOKENIZER, examples),
        lambda: predict(model, task, TOKENIZER, examples),
    ):
        with pytest.raises(InputError, match=f"what the task reads, TextExample.*, {found}"):
            call()


def test_what_does_not_fit_the_task():
    model, task = make_model(), Classification(LABELS)
    for call in (
        lambda: evaluate(
            model, make_task("choice"), TOKENIZER, [ChoiceExample("a", ["b", "c"], 0)]
        ),
        lambda: predict(model, Tagging(LABELS), TOKENIZER, [TaggedExample(["a"])]),
        lambda: make_run(model, make_task("similarity"), [TextExample("a", "b", 1.0)]),
    ):
        with pytest.raises(InputError, match="and this model is a BertForSequenceClassification"):
            call()
    for length in ("16", 1.5, 0):
        with pytest.raises(InputError, match="max_length must be a whole number of at least 1"):
            predict(model, task, TOKENIZER, [TextExample("w5")], length)
    for arguments, settings, found in (
        (["classification"], {}, "needs the names of its classes or tags"),
        (["tagging"], {}, "needs the names of its classes or tags"),
        (["classification", "ab"], {}, "at least two different names, not 'ab'"),
        (["classification", ["a", "b"]], {"stride": 4}, "stride has no meaning for classification"),
        (["questions"], {"strid": 4}, "strid has no meaning for questions"),
    ):
        with pytest.raises(InputError, match=found):
            make_task(*arguments, **settings)
    with pytest.raises(InputError, match="a label must be a number, not 1000"):
        make_run(make_model(labels=["a"]), Regression(), [TextExample("w5", label=10**400)])


@pytest.mark.parametrize(
    "make, found",
    [
        (lambda: TaggedExample(None), "words must be a list of at least one word, not None"),
        (lambda: TaggedExample(["a"], 5), "tags must be a list"),
        (lambda: ChoiceExample("a", None), "choices must be a list of at least two texts"),
        (lambda: QuestionExample("a", "b", None), "answers must be a list of answers, not None"),
        (lambda: QuestionExample("a", "b", ["b"], 0), "starts must be a list of positions, not 0"),
        (lambda: FineTuningOptions(seed=2**64), "seed must be at most"),
    ],
)
def test_what_is_no_list_in_an_example(make, found):
    with pytest.raises(InputError, match=found):
        make()


def test_the_norm_behind_a_pre_norm_stack_learns_with_the_last_layers():
    model = make_model(norm_first=True)
    before = weights(model)
    finetune(make_run(model, trained_layers=1))
    moved = {
        name for name, tensor in weights(model).items() if not torch.equal(tensor, before[name])
    }
    assert {"bert.encoder.norm.weight", "bert.encoder.layer.2.output.dense.weight"} <= moved
    assert not any(
        name.startswith(("bert.embeddings", "bert.encoder.layer.0", "bert.encoder.layer.1"))
        for name in moved
    )
    still = make_run(make_model(norm_first=True), trained_layers=0).model
    assert not still.bert.encoder.norm.weight.requires_grad
