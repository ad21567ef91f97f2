"""One update of the weights, against arithmetic done by hand; the groups, the schedule, the rows; and that a model learns."""

import copy
import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from deviation import deviation
from tiny_run import CONFIG, OPTIONS, TOKENIZER, V, equal, make_run, weights, write_corpus
from torch.utils._python_dispatch import TorchDispatchMode

from minibert import BertForPreTraining
from minibert.config import IGNORE
from minibert.data import TokenFile, write_tokens
from minibert.pretraining import trainer as training
from minibert.pretraining.batches import Batches
from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.trainer import Pretraining
from minibert.training.optim import decayed


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> TokenFile:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "text.tokens")


@pytest.fixture
def double(monkeypatch):
    """Runs in double precision, so that nothing but a mistake can differ."""
    monkeypatch.setattr(training, "choose_precision", lambda wanted, device: torch.float64)

    def make(corpus, config=CONFIG, **changes):
        torch.manual_seed(1)
        return Pretraining(
            BertForPreTraining(config).double(),
            corpus,
            TOKENIZER,
            PretrainingOptions(**OPTIONS | changes),
        )

    return make


def whole_batch(run: Pretraining, step: int) -> dict[str, torch.Tensor]:
    micro_batches = [micro_batch for micro_batch, _ in run.batches.micro_batches(step)]
    return {
        name: torch.cat([micro_batch[name] for micro_batch in micro_batches])
        for name in micro_batches[0]
    }


# -- one update --------------------------------------------------------------------------------------------------------


def readable_gradients(run: Pretraining, step: int) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Loss and gradients of a whole batch by BertForPreTraining itself, without micro-batches and sums."""
    model = copy.deepcopy(run.model)
    words, pairs = (
        {name: tensor for name, tensor in whole_batch(run, step).items() if name != left_out}
        for left_out in ("next_sentence_label", "labels")
    )
    loss = model(**words).loss + run.options.nsp_weight * model(**pairs).loss
    loss.backward()
    return loss.detach(), {name: parameter.grad for name, parameter in model.named_parameters()}


@deviation(
    "The correction of Adam",
    paper="Adam, which Kingma & Ba 2014 correct for its zero start",
    original="no correction",
    reference="with correction",
    here="with correction",
    why="without it the first steps are too large: 3.2 times at step 1, 6.5 times at step 10, 3.2 times at step 100",
)
@pytest.mark.parametrize(
    "micro_batch, changes",
    [
        (12, {}),
        (5, {}),
        (1, {}),
        (5, {"pair_share": 0.6, "nsp_weight": 0.3, "shift_share": 0.5, "all_mask": True}),
    ],
)
@pytest.mark.parametrize("clip", [1e9, 0.05])
def test_an_update_is_adamw_done_by_hand(corpus, double, micro_batch, changes, clip):
    """Three steps: mean losses over the whole batch whatever its micro-batches, clipping, moments, decay, schedule; Kingma & Ba 2014, algorithm 1."""
    run = double(
        corpus,
        optimizer="adamw",
        micro_batch=micro_batch,
        clip=clip,
        learning_rate=0.01,
        warmup=2,
        copy_positions=False,
        **changes,
    )
    moments = {
        name: [torch.zeros_like(parameter), torch.zeros_like(parameter)]
        for name, parameter in run.model.named_parameters()
    }
    clipped = []
    for step in range(4):
        if micro_batch == 5:
            assert (
                len(
                    {
                        int((micro_batch["labels"] != IGNORE).sum())
                        for micro_batch, _ in run.batches.micro_batches(step)
                    }
                )
                > 1
            ), "unequal micro-batches, or a mean of means passes"
        before, (loss, gradients) = weights(run), readable_gradients(run, step)
        progress = run.train_step()
        assert progress.mlm_loss + run.options.nsp_weight * progress.nsp_loss == pytest.approx(
            float(loss), rel=1e-12
        )
        norm = math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients.values()))
        assert progress.gradient_norm == pytest.approx(norm, rel=1e-12)
        clipped.append(norm > clip)
        rate = 0.01 * (step / 2 if step < 2 else 1 - step / 5)
        assert progress.learning_rate == pytest.approx(rate)
        for name, parameter in run.model.named_parameters():
            gradient = gradients[name] * min(1.0, clip / (norm + 1e-6))
            first, second = moments[name]
            first.mul_(0.9).add_(0.1 * gradient)
            second.mul_(0.999).add_(0.001 * gradient.square())
            update = (
                first
                / (1 - 0.9 ** (step + 1))
                / ((second / (1 - 0.999 ** (step + 1))).sqrt() + 1e-6)
            )
            wanted = before[name] * (1 - rate * (0.01 if decayed(name) else 0.0)) - rate * update
            assert torch.allclose(parameter, wanted, rtol=0, atol=1e-12), name
    assert all(clipped) == (clip < 1) and any(clipped) == (clip < 1)


def test_accuracies_are_shares_of_the_predictions(corpus, double):  # M6
    run = double(corpus)
    batch = whole_batch(run, 0)
    with torch.no_grad():
        run.model.cls.predictions.bias[batch["labels"][batch["labels"] != IGNORE][0]] = (
            99.0  # one word is always said, and sometimes right
        )
        out = run.model(
            **{
                name: value
                for name, value in batch.items()
                if name not in ("labels", "next_sentence_label")
            }
        )
    masked = batch["labels"] != IGNORE
    progress = run.train_step()
    assert (
        0
        < progress.mlm_accuracy
        == pytest.approx(
            float((out.prediction_logits.argmax(-1) == batch["labels"])[masked].double().mean())
        )
    )
    assert progress.nsp_accuracy == pytest.approx(
        float(
            (out.seq_relationship_logits.argmax(-1) == batch["next_sentence_label"]).double().mean()
        )
    )
    assert progress.tokens == int(batch["attention_mask"].sum()) and progress.step == run.step == 1


def test_all_parameters_move_but_not_in_the_first_step_of_a_warmup(corpus):
    run = make_run(corpus, warmup=2)
    start = weights(run)
    run.train_step()  # its learning rate is 0, as in the original
    assert all(torch.equal(tensor, start[name]) for name, tensor in run.model.state_dict().items())
    run.train_step()
    assert [
        name for name, tensor in run.model.state_dict().items() if torch.equal(tensor, start[name])
    ] == []


def test_without_next_sentence_its_parts_stay_as_they_were(corpus):
    run = make_run(corpus, next_sentence=False, warmup=0)
    start = weights(run)
    progress = run.train_step()
    assert progress.nsp_loss == progress.nsp_accuracy == 0.0
    micro_batches = [
        micro_batch for step in range(4) for micro_batch, _ in run.batches.micro_batches(step)
    ]
    assert not any(
        micro_batch["token_type_ids"].any() for micro_batch in micro_batches
    )  # running text: no second segment, and no foreign one
    unmoved = {
        name for name, tensor in run.model.state_dict().items() if torch.equal(tensor, start[name])
    }
    assert unmoved == {
        "bert.pooler.dense.weight",
        "bert.pooler.dense.bias",
        "cls.seq_relationship.weight",
        "cls.seq_relationship.bias",
    }


def test_a_share_of_the_rows_are_pairs_and_the_others_count_for_no_pair(corpus, double):
    run = double(corpus, pair_share=0.4)
    batch = whole_batch(run, 0)
    is_pair = batch["next_sentence_label"] != IGNORE
    assert is_pair.sum() == 4 and torch.equal(is_pair, batch["token_type_ids"].any(1))  # of 12
    out = run.model(
        **{
            name: value
            for name, value in batch.items()
            if name not in ("labels", "next_sentence_label")
        }
    )
    log_p = out.seq_relationship_logits[is_pair].log_softmax(-1)
    progress, labels = run.train_step(), batch["next_sentence_label"][is_pair]
    assert progress.nsp_loss == pytest.approx(-log_p[torch.arange(4), labels].mean().item())
    assert progress.nsp_accuracy == pytest.approx(
        float((log_p.argmax(-1) == labels).double().mean())
    )


@pytest.mark.parametrize("mask_rate", [1e-9, 1.0])
def test_a_batch_without_any_masked_word_is_no_division_by_zero(corpus, mask_rate):
    run = make_run(corpus, mask_rate=mask_rate, warmup=0)
    for _ in range(2):
        progress = run.train_step()
        assert (progress.mlm_loss == progress.mlm_accuracy == 0.0) == (
            mask_rate < 1
        ) and math.isfinite(progress.gradient_norm)
    assert all(tensor.isfinite().all() for tensor in run.model.state_dict().values())


def test_dropout_is_another_in_each_step_and_the_same_in_each_repetition(corpus):
    config = dataclasses.replace(CONFIG, hidden_dropout_prob=0.5)
    one, other, without = make_run(corpus, config), make_run(corpus, config), make_run(corpus)
    torch.manual_seed(99)  # what else used random numbers does not matter
    losses = [run.train_step().mlm_loss for run in (one, other, without)]
    assert losses[0] == losses[1] != losses[2]


def test_new_positions_begin_as_copies_of_the_trained_ones(corpus):
    """16 tokens, then 32: with no optimiser in that step, what is found afterwards is what it began with."""
    run = make_run(corpus)
    before = weights(run)["bert.embeddings.position_embeddings.weight"]
    for _ in range(3):
        run.train_step()
    trained = weights(run)["bert.embeddings.position_embeddings.weight"]
    assert not torch.equal(trained[:16], before[:16])
    run.optimizers = []
    run.train_step()
    extended = weights(run)["bert.embeddings.position_embeddings.weight"]
    assert torch.equal(extended, torch.cat([trained[:16], trained[:16]]))


@pytest.mark.parametrize(
    "changes",
    [
        {"copy_positions": False},
        {"length": 32, "short_length": 16, "short_share": 0.0, "long_length": 16},
    ],
)
def test_positions_stay_where_they_are_trained_or_nothing_was_asked_for(corpus, changes):
    run = make_run(corpus, **changes)
    for _ in range(3):
        run.train_step()
    trained, run.optimizers = weights(run), []
    run.train_step()
    assert equal(weights(run), trained)


@pytest.mark.parametrize("positions", ["none", "sinusoidal"])
def test_positions_that_are_not_learned_need_no_copies(corpus, positions):
    run = make_run(corpus, dataclasses.replace(CONFIG, position_embedding_type=positions))
    assert [run.train_step().step for _ in range(5)] == [1, 2, 3, 4, 5]


def test_bfloat16_leaves_the_weights_in_float32(corpus):
    run = make_run(corpus, precision="bfloat16")
    progress = run.train_step()
    assert run.precision == torch.bfloat16 and math.isfinite(progress.mlm_loss)
    assert {tensor.dtype for tensor in run.model.state_dict().values()} == {torch.float32}


# -- errors ------------------------------------------------------------------------------------------------------------


def test_a_run_that_does_not_fit_together(corpus):
    with pytest.raises(
        ValueError, match="sequences of 32 tokens are longer than max_position_embeddings 16"
    ):
        make_run(corpus, dataclasses.replace(CONFIG, max_position_embeddings=16))
    few_positions = dataclasses.replace(CONFIG, max_position_embeddings=16)
    with pytest.raises(ValueError, match="shift_share moves sequences to positions up to .* 32"):
        make_run(corpus, few_positions, long_share=0.0, shift_share=0.2)
    with pytest.raises(
        ValueError, match="text.tokens was cut with a vocabulary of 60, the model has 61"
    ):
        make_run(corpus, dataclasses.replace(CONFIG, vocab_size=61))


def test_muon_cannot_be_sharded(corpus):
    with pytest.raises(ValueError, match="a sharded model needs the optimizer adamw, not muon"):
        Pretraining(
            BertForPreTraining(CONFIG),
            corpus,
            TOKENIZER,
            PretrainingOptions(**OPTIONS | {"optimizer": "muon"}),
            shard=True,
        )


def test_as_many_processes_as_rows_are_enough_and_all_must_have_the_same_run(corpus):
    options, alike = PretrainingOptions(**OPTIONS), {}
    most = Batches(corpus, TOKENIZER, options).max_processes()

    def run(world):
        processes = SimpleNamespace(
            world=world,
            rank=0,
            check_alike=alike.update,
            wrap_parallel=lambda model, shard, all_used: model,
        )
        return Pretraining(BertForPreTraining(CONFIG), corpus, TOKENIZER, options, processes)

    assert len(list(run(most).batches.micro_batches(0, 0, most))) == 1
    assert alike == {
        "options": options,
        "config": CONFIG,
        "corpus": corpus.checksum,
        "vocabulary": TOKENIZER.vocab,
        "precision": alike["precision"],
    }
    with pytest.raises(
        ValueError, match=f"{most + 1} processes cannot share a batch of {most} sequences"
    ):
        run(most + 1)


# -- learning ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_a_tiny_model_learns_from_context(tmp_path, optimizer):
    """Sentences repeat one of sixteen words: context tells each of them, frequencies tell nothing."""
    draw = np.random.default_rng(0)

    def document():
        topic = draw.integers(4)
        return [[int(5 + 4 * topic + draw.integers(4))] * 5 for _ in range(8)]

    write_tokens(tmp_path / "t", (document() for _ in range(200)), V)
    run = make_run(
        TokenFile(tmp_path / "t"),
        steps=200,
        batch_size=32,
        micro_batch=32,
        long_share=0.0,
        warmup=20,
        optimizer=optimizer,
        learning_rate=1e-2,
        matrix_learning_rate=1e-2,
    )
    seen = [run.train_step() for _ in range(200)]
    assert seen[0].mlm_loss == pytest.approx(math.log(V), abs=0.1) and seen[
        0
    ].nsp_loss == pytest.approx(math.log(2), abs=0.02)
    assert np.mean([progress.mlm_loss for progress in seen[-20:]]) < math.log(16) - 0.3


# -- defects that were mended ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("next_sentence", [True, False])
def test_the_loss_of_a_step_is_what_it_minimises(corpus, next_sentence):
    """Both losses, the second by its weight: once the sum without weights was reported."""
    run = make_run(corpus, nsp_weight=0.25, next_sentence=next_sentence)
    metrics = run.train_step()
    assert metrics.loss == metrics.mlm_loss + 0.25 * metrics.nsp_loss
    assert (metrics.nsp_loss > 0.5) == next_sentence


def test_a_step_leaves_the_global_random_numbers_as_they_were(corpus):
    run = make_run(corpus, dataclasses.replace(CONFIG, hidden_dropout_prob=0.5), micro_batch=5)
    torch.manual_seed(7)
    before = torch.get_rng_state()
    for _ in range(2):
        run.train_step()
    assert torch.equal(torch.get_rng_state(), before)


def test_a_step_reads_no_number_of_a_micro_batch_while_it_runs(corpus):
    """Each number that Python reads from a GPU waits for it; all of them are read at the end."""

    class Reads(TorchDispatchMode):
        count = 0

        def __torch_dispatch__(self, operation, types, arguments=(), named=None):
            # ints and bools are read of the batch, which is on the CPU
            scalar = operation is torch.ops.aten._local_scalar_dense.default
            self.count += scalar and arguments[0].is_floating_point()
            return operation(*arguments, **(named or {}))

    counts = []
    for micro_batch in (12, 3):
        run = make_run(corpus, micro_batch=micro_batch)
        with Reads() as reads:
            run.train_step()
        counts.append(reads.count)
    assert counts[0] == counts[1] > 0
