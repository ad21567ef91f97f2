"""A run: the loss of its objective, bit for bit back from a checkpoint, and what does not fit together."""

import dataclasses
import math

import pytest
import torch
from planted_source import planted
from tiny_run import equal
from tiny_sentences import TOKENIZER, TRUNK, make_run, make_targets, make_texts

from minibert import BertModel, from_pretrained
from minibert.finetuning.sentence_vectors import trainer as module
from minibert.finetuning.sentence_vectors.bag import fit_bag
from minibert.finetuning.sentence_vectors.options import SentenceOptions
from minibert.finetuning.sentence_vectors.trainer import SentenceTraining, TextBatches, keep_layers
from minibert.inference.sentence_embeddings import embed
from minibert.pretraining.checkpointing import (
    load_checkpoint,
    optimizer_tensors,
    resume_newest,
    save_checkpoint,
)

OBJECTIVES = ["distill", "dropout", "neighbours"]


def weights(run) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in run.model.state_dict().items()}


# -- batches -----------------------------------------------------------------------------------------------------------


def test_every_epoch_goes_through_all_texts_in_a_new_order():
    options = SentenceOptions(batch_size=6, max_length=16)
    batches = TextBatches(make_texts(23), TOKENIZER, options)
    assert batches.epoch_steps == 4
    epochs = [[batches.indices(step) for step in range(4 * e, 4 * e + 4)] for e in range(2)]
    for epoch in epochs:
        assert sorted(index for batch in epoch for index in batch) == list(range(23))
    assert epochs[0] != epochs[1]
    assert TextBatches(make_texts(23), TOKENIZER, options).indices(5) == epochs[1][1]
    other = TextBatches(make_texts(23), TOKENIZER, dataclasses.replace(options, seed=1))
    assert other.indices(0) != epochs[0][0]


@pytest.mark.parametrize("member", [0, 1])
def test_the_tensors_are_those_of_the_tokenizer(member):
    texts = make_texts(9, neighbours=True)
    batches = TextBatches(texts, TOKENIZER, SentenceOptions(max_length=6))
    found = batches.tensors([4, 0, 7], member)
    wanted = TOKENIZER([texts.items[i][member] for i in (4, 0, 7)], max_length=6)
    assert torch.equal(found["input_ids"], wanted["input_ids"])
    assert torch.equal(found["attention_mask"], wanted["attention_mask"])


# -- steps -------------------------------------------------------------------------------------------------------------


def test_the_vectors_are_those_of_embed():
    run = make_run(dropout=0.0)
    texts = [item[0] for item in run.batches.corpus.items[:5]]
    found = torch.nn.functional.normalize(run.encode(run.batches.tensors(range(5))), dim=-1)
    assert torch.allclose(found, embed(run.model, TOKENIZER, texts), atol=1e-6)


def check_distillation_step(module) -> None:
    """The loss of a step by hand, for texts whose numbers matter: their targets are their own."""
    run = make_run(dropout=0.0, relational_weight=3.0)
    run.__class__ = module.SentenceTraining
    indices = run.batches.indices(0)
    student = embed(run.model, TOKENIZER, [run.batches.corpus.items[i][0] for i in indices])
    target = make_targets().vectors[indices].float() @ make_targets().projection
    target = target / target.norm(dim=-1, keepdim=True)
    relational = ((student @ student.T - target @ target.T) ** 2).mean()
    wanted = (1 - (student * target).sum(-1)).mean() + 3 * relational
    step = run.train_step()
    assert step.loss == pytest.approx(float(wanted), abs=1e-5)
    assert step.measures["relational"] == pytest.approx(float(relational), abs=1e-6)


def check_neighbours_step(module) -> None:
    run = make_run("neighbours", dropout=0.0, temperature=0.5)
    run.__class__ = module.SentenceTraining
    indices = run.batches.indices(0)
    one, other = (
        embed(run.model, TOKENIZER, [run.batches.corpus.items[i][m] for i in indices])
        for m in (0, 1)
    )
    wanted = torch.nn.functional.cross_entropy(one @ other.T / 0.5, torch.arange(6))
    assert run.train_step().loss == pytest.approx(float(wanted), abs=1e-5)


def check_dropout_step(module) -> None:
    """The two vectors of a sentence differ, and there is nothing else that could make them differ."""
    run = make_run("dropout")
    run.__class__ = module.SentenceTraining
    step = run.train_step()
    assert 0.001 < 1 - step.measures["cosine"] < 0.5
    tokens = run.batches.tensors(run.batches.indices(0))["attention_mask"].sum()
    assert step.tokens == 2 * int(tokens), "the same sentences twice"


@pytest.mark.parametrize(
    "check", [check_distillation_step, check_neighbours_step, check_dropout_step]
)
def test_the_loss_of_a_step(check):
    check(module)


@pytest.mark.parametrize(
    "right, wrong, check",
    [
        ("self.targets.rows(indices)", "self.targets.rows(range(6))", check_distillation_step),
        ("target, options.relational_weight", "target, 1.0", check_distillation_step),
        ("self.batches.tensors(indices, member=1)", "batch", check_neighbours_step),
        ("partners, options.temperature", "partners, 0.05", check_neighbours_step),
        ("partners = self.encode(batch)", "partners = vectors", check_dropout_step),
    ],
)
def test_a_mistake_in_a_step_is_found(right, wrong, check):
    with pytest.raises(AssertionError):
        check(planted(module, right, wrong))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_training_lowers_the_loss(objective):
    run = make_run(objective, steps=60, learning_rate=3e-3, dropout=0.1, warmup=0)
    losses = [run.train_step().loss for _ in range(60)]
    assert sum(losses[-8:]) < 0.9 * sum(losses[:8])


def test_the_schedule():
    run = make_run(steps=7, warmup=2, learning_rate=1.0e-3)
    assert [run.train_step().learning_rate for _ in range(7)] == pytest.approx(
        [0, 0.5e-3, *(1e-3 * (1 - step / 7) for step in range(2, 7))]
    )
    run = make_run(steps=7, warmup=2, learning_rate=1.0e-3, schedule="cosine")
    assert [run.train_step().learning_rate for _ in range(7)] == pytest.approx(
        [0, 0.5e-3, *(0.5e-3 * (1 + math.cos(math.pi * step / 5)) for step in range(5))]
    )


def test_how_many_steps():
    assert make_run(steps=9).steps == 9
    assert make_run(steps=None, epochs=1.0).steps == 4
    assert make_run(steps=None, epochs=2.5).steps == 10
    assert make_run(steps=None, epochs=0.01).steps == 1


def test_the_global_random_numbers_are_left_alone():
    run = make_run("dropout")
    torch.manual_seed(3)
    wanted = torch.rand(1)
    torch.manual_seed(3)
    run.train_step()
    assert torch.equal(torch.rand(1), wanted)


# -- back into the run -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "objective, changes",
    [
        *[(objective, {}) for objective in OBJECTIVES],
        ("dropout", dict(precision="bfloat16")),
        ("distill", dict(schedule="cosine", dropout=0.3)),
        ("distill", dict(start_from_bag=True)),
    ],
)
def test_a_resumed_run_goes_on_bit_for_bit(objective, changes, tmp_path):
    steps, whole = [], make_run(objective, **changes)
    for step in range(7):
        save_checkpoint(whole, tmp_path / str(step))
        steps.append(whole.train_step())
    for stopped in (0, 3, 5):  # a new epoch begins at 4
        run = make_run(objective, **changes)
        torch.manual_seed(12345 + stopped)
        checkpoint, complaints = resume_newest(run, tmp_path / str(stopped))
        assert complaints == [] and run.step == stopped and str(stopped) in checkpoint.name
        assert [run.train_step() for _ in range(7 - stopped)] == steps[stopped:]
        assert equal(weights(run), weights(whole))
        assert equal(optimizer_tensors(run), optimizer_tensors(whole))


def test_a_checkpoint_is_an_encoder_that_opens(tmp_path):
    run = make_run()
    run.train_step()
    model = from_pretrained(save_checkpoint(run, tmp_path))
    assert isinstance(model, BertModel) and equal(weights(run), model.state_dict())


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(batch_size=5), "its option batch_size is 6, this run's is 5"),
        (dict(objective="dropout"), "its option objective is 'distill', this run's is 'dropout'"),
        (dict(dropout=0.2), "its option dropout is 0.1, this run's is 0.2"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(changes, message, tmp_path):
    run = make_run()
    checkpoint = save_checkpoint(run, tmp_path)
    with pytest.raises(ValueError, match=message):
        load_checkpoint(make_run(**changes), checkpoint)
    other = make_run()
    other.batches.corpus = dataclasses.replace(other.batches.corpus, checksum="another")
    with pytest.raises(ValueError, match="it was trained on another corpus"):
        load_checkpoint(other, checkpoint)


# -- what does not fit -------------------------------------------------------------------------------------------------


def make(texts=None, targets=None, **changes):
    options = SentenceOptions(
        **dict(phrases=0, words=0, max_length=16, start_from_bag=False) | changes
    )
    return SentenceTraining(BertModel(TRUNK), texts or make_texts(), TOKENIZER, options, targets)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(), "the objective distill needs a teacher"),
        (
            dict(targets=make_targets(), objective="dropout", dropout=0.1),
            "the objective dropout has no use for a teacher",
        ),
        (dict(targets=make_targets(20)), "there are targets for 20 texts, but 23 texts"),
        (dict(targets=make_targets(size=8)), "the targets have 8 dimensions, the encoder 16"),
        (dict(max_length=33), "max_length 33 is longer than the model's max_position_embeddings"),
        (
            dict(targets=make_targets(), start_from_bag=True),
            "start_from_bag needs a pre-norm trunk",
        ),
        (
            dict(texts=make_texts(1), objective="dropout", dropout=0.1),
            "needs at least two texts, and there is 1",
        ),
    ],
)
def test_what_does_not_fit_together(arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_the_start_from_the_bag_is_the_bag_of_the_texts():
    """The same as by hand, and the same in every run; the steps go on from there."""
    run = make_run(start_from_bag=True, steps=40, learning_rate=3e-3)
    run.start_from_bag()
    texts = [item[0] for item in run.batches.corpus.items]
    pieces = [ids[:14] for ids in TOKENIZER.encode_texts(texts)]
    table = fit_bag(pieces, run.targets.reduced()[:, :14], len(TOKENIZER), run.options.ridge)
    words = run.model.embeddings.word_embeddings.weight[:, :14]
    scale = words.norm() / table.norm()
    assert torch.allclose(words, scale * table, atol=1e-5)
    torch.manual_seed(99)
    other = make_run(start_from_bag=True, steps=40, learning_rate=3e-3)
    other.start_from_bag()
    assert equal(weights(run), weights(other))
    losses = [run.train_step().loss for _ in range(40)]
    assert sum(losses[-8:]) < 0.9 * sum(losses[:8])


def test_held_out_texts_are_not_trained_on():
    run = make_run(steps=None, epochs=2.0, held_out=2)
    assert list(run.held_out) == [21, 22] and run.steps == 8
    seen = {index for step in range(8) for index in run.batches.indices(step)}
    assert seen == set(range(21)) and len(run.batches.pieces()) == 21
    validation = run.validation([])
    assert validation.texts == [run.batches.corpus.items[i][0] for i in (21, 22)]
    assert torch.equal(validation.targets, run.targets.rows([21, 22]))
    assert list(make_run(held_out=9).held_out) == [21, 22], "at most a tenth"
    assert make_run(held_out=0).validation([]) is None
    assert len(make_run("dropout").held_out) == 0 and make_run("dropout").validation([]) is None


def test_fewer_layers():
    model = BertModel(TRUNK).eval()
    ids = torch.tensor([[2, 7, 9, 3]])
    middle = model(ids, output_hidden_states=True).hidden_states[1]
    assert keep_layers(model, None) is model and model.config.num_hidden_layers == 2
    with pytest.raises(ValueError, match="layers is 3, but the trunk has 2 layers"):
        keep_layers(model, 3)
    short = keep_layers(model, 1)
    assert short.config.num_hidden_layers == 1 and TRUNK.num_hidden_layers == 2
    assert torch.equal(short(ids).last_hidden_state, middle)


@pytest.mark.parametrize("positions", [True, False])
def test_without_positions_their_vectors_stay_as_they_are(positions):
    run = make_run(positions=positions)
    before = weights(run)
    for _ in range(3):
        run.train_step()
    changed = {
        name for name, tensor in weights(run).items() if not torch.equal(tensor, before[name])
    }
    assert ("embeddings.position_embeddings.weight" in changed) == positions
    assert "embeddings.word_embeddings.weight" in changed
