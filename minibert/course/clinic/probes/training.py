"""Probes of training: weight decay, learning rate, and the normalisation of losses and
gradients.
"""

import torch

from minibert.course.clinic.probes.base import probe
from minibert.course.clinic.probes.models import corpus, tiny, vocabulary
from minibert.heads import BertForPreTraining
from minibert.pretraining.fused import PretrainingSums
from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.trainer import Pretraining
from minibert.training.optim import learning_rate_schedule, make_optimizers, set_learning_rate


@probe()
def decay_groups() -> tuple[tuple[int, float], ...]:
    """Which groups does the optimiser have: how many tensors, and their weight decay?"""
    (optimizer,) = make_optimizers(BertForPreTraining(tiny()), "adamw", 1e-3, 1e-3, 0.01)
    return tuple((len(group["params"]), group["weight_decay"]) for group in optimizer.param_groups)


@probe()
def course_of_the_rate() -> tuple[float, ...]:
    """Which share of the peak is the learning rate at steps 0, 50, 100, 500 and 999 of 1,000, with
    100 of warm-up?
    """
    return tuple(learning_rate_schedule(step, 1000, 100) for step in (0, 50, 100, 500, 999))


@probe()
def rate_asked_for() -> tuple[float, float]:
    """Two optimisers are asked for learning rates of 0.5 and 0.25; which do they peak at?"""
    found = []
    for rate in (0.5, 0.25):
        optimizers = make_optimizers(BertForPreTraining(tiny()), "adamw", rate, rate, 0.01)
        set_learning_rate(optimizers, 1.0)
        found.append(optimizers[0].param_groups[0]["lr"])
    return tuple(found)


def _run(**changes) -> Pretraining:
    """A small pretraining run on twelve sequences of 16 tokens."""
    torch.manual_seed(1)
    options = dict(
        steps=2,
        batch_size=12,
        micro_batch=12,
        length=16,
        short_share=0.0,
        long_share=0.0,
        warmup=0,
        optimizer="adamw",
        precision="float32",
    )
    config = tiny(initializer_range=0.02, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return Pretraining(
        BertForPreTraining(config),
        corpus(4, vocab_size=61),
        vocabulary(),
        PretrainingOptions(**options | changes),
    )


@probe()
def accuracy_of_a_perfect_guesser() -> float:
    """Which accuracy on masked words does training report of a model that finds every one?"""
    run = _run()

    def guess(labels, **batch) -> PretrainingSums:
        words, pairs = (labels != -100).sum(), torch.tensor(len(labels))
        nothing = 0 * sum(parameter.sum() for parameter in run.model.parameters())
        return PretrainingSums(nothing, words, words, nothing, pairs, pairs)

    run.forward = guess
    return run.train_step().mlm_accuracy


@probe()
def batch_in_pieces() -> float:
    """By which factor does the gradient of a batch of twelve rows change when they pass in pieces?
    It should be 1.
    """
    whole, pieces = (_run(micro_batch=rows).train_step().gradient_norm for rows in (12, 5))
    return pieces / whole
