"""Probes of training: weight decay, the learning rate, what is divided by what."""

from minibert.clinic.probes.base import probe
from minibert.clinic.probes.models import tiny
from minibert.heads import BertForPreTraining
from minibert.optim import make_optimizers, schedule, set_learning_rate


@probe
def decay_groups() -> tuple[tuple[int, float], ...]:
    """Which groups does the optimiser have: how many tensors, and their weight decay?"""
    optimizer, = make_optimizers(BertForPreTraining(tiny()), "adamw", 1e-3, 1e-3, 0.01)
    return tuple((len(group["params"]), group["weight_decay"]) for group in optimizer.param_groups)


@probe
def course_of_the_rate() -> tuple[float, ...]:
    """Which share of the peak is the learning rate at steps 0, 50, 100, 500 and 999 of 1,000, with 100 of warm-up?"""
    return tuple(schedule(step, 1000, 100) for step in (0, 50, 100, 500, 999))


@probe
def rate_asked_for() -> tuple[float, float]:
    """Two optimisers are asked for learning rates of 0.5 and 0.25; which do they have at the peak?"""
    found = []
    for rate in (0.5, 0.25):
        optimizers = make_optimizers(BertForPreTraining(tiny()), "adamw", rate, rate, 0.01)
        set_learning_rate(optimizers, 1.0)
        found.append(optimizers[0].param_groups[0]["lr"])
    return tuple(found)
