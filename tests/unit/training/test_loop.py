"""The loop that all training shares: when it ends, what stops it, a loss that is no number; batches of about one length."""

import math
import os
import signal
from dataclasses import dataclass

import pytest
import torch

from minibert.training import loop
from minibert.training.distributed import ProcessGroup
from minibert.training.loop import Diverged, Stop, drive, random_batches


@dataclass
class StepMetrics:
    step: int
    loss: float
    gradient_norm: float


class Run:
    """Five steps of training that trains nothing."""

    steps = 5
    optimizers = ()

    def __init__(self, losses=(), norms=(), step=0):
        self.step, self.losses, self.norms = step, dict(losses), dict(norms)

    def train_step(self):
        self.step += 1
        return StepMetrics(
            self.step, self.losses.get(self.step, 1.0), self.norms.get(self.step, 1.0)
        )


# -- the loop --------------------------------------------------------------------------------------


def test_all_steps_are_done_and_each_is_told():
    told = []
    drive(Run(), lambda progress, seconds: told.append((progress.step, seconds)) or True)
    assert [step for step, _ in told] == [1, 2, 3, 4, 5] and all(
        0 <= seconds < 5 for _, seconds in told
    )


def test_it_goes_on_where_the_run_is_and_does_nothing_after_its_end():
    told = []
    drive(Run(step=3), lambda progress, _: told.append(progress.step) or True)
    drive(Run(step=5), lambda progress, _: told.append("too much"))
    assert told == [4, 5]


def test_a_no_ends_it_after_that_step():
    run = Run()
    drive(run, lambda progress, _: progress.step < 3)
    assert run.step == 3


def test_unused_memory_goes_back_to_the_system_once_a_minute(monkeypatch):
    now, steps = [0.0], []
    run = Run()
    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(loop, "return_freed_memory", lambda: steps.append(run.step))

    def a_while(progress, seconds):
        now[0] += 20.0
        return True

    drive(run, a_while)
    assert steps == [3] and run.step == 5  # after 60 seconds; the next time would be after 120


@pytest.mark.parametrize("where", ["losses", "norms"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_ends_it_before_anything_of_it_is_told_or_saved(where, value):
    run, told = Run(**{where: {3: value}}), []
    with pytest.raises(
        Diverged, match=rf"step 3: the loss is .*{value}.*lower learning_rate"
    ) as raised:
        drive(run, lambda progress, _: told.append(progress.step) or True)
    assert told == [1, 2] and run.step == 3 and isinstance(raised.value, ValueError)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_weights_that_are_no_numbers_after_the_last_step_end_it(value):
    run, told = Run(), []
    weights = torch.nn.Parameter(torch.tensor([1.0, value]))
    run.optimizers = [torch.optim.SGD([weights], lr=1.0)]
    with pytest.raises(Diverged, match="step 5: the weights are NaN or infinite"):
        drive(run, lambda progress, _: told.append(progress.step) or True)
    assert told == [1, 2, 3, 4]


# -- batches ---------------------------------------------------------------------------------------


def test_every_text_is_in_one_batch_and_only_the_last_of_a_pool_is_small():
    lengths = [1 + i * i % 37 for i in range(83)]
    batches = random_batches(lengths, 4, torch.Generator().manual_seed(0))
    assert sorted(i for batch in batches for i in batch) == list(range(83))
    assert sorted(map(len, batches)) == [3] + [4] * 20
    assert all(batch == sorted(batch, key=lengths.__getitem__) for batch in batches)


def test_the_generator_decides_and_every_pass_has_another_order():
    lengths, generator = [1 + i % 7 for i in range(50)], torch.Generator().manual_seed(3)
    first, second = random_batches(lengths, 4, generator), random_batches(lengths, 4, generator)
    torch.manual_seed(99)
    assert first == random_batches(lengths, 4, torch.Generator().manual_seed(3)) != second
    assert {frozenset(batch) for batch in first} != {frozenset(batch) for batch in second}, (
        "other texts together, not other turns"
    )


def test_batches_do_not_come_in_the_order_of_their_lengths():
    lengths = list(range(64))  # one pool
    batches = random_batches(lengths, 4, torch.Generator().manual_seed(0))
    assert sorted(batches) == [list(range(i, i + 4)) for i in range(0, 64, 4)] != batches


def test_sixteen_batches_are_sorted_together_and_no_more():
    """All of them at once, and every pass through the texts would put the same ones together."""
    lengths = list(range(17 * 4))
    batches = random_batches(lengths, 4, torch.Generator().manual_seed(0))
    assert any(max(batch) - min(batch) > 3 for batch in batches), (
        "the seventeenth has texts from everywhere, which the others lack"
    )


def test_one_text_and_a_batch_larger_than_all():
    assert random_batches([7], 4, torch.Generator()) == [[0]]
    assert [sorted(batch) for batch in random_batches([3, 1, 2], 8, torch.Generator())] == [
        [0, 1, 2]
    ]


# -- stopping --------------------------------------------------------------------------------------


def handlers():
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_waits_for_the_end_of_the_step(number, status):
    before = handlers()
    with Stop(None).listening() as stop:
        assert (
            handlers() != before
            and stop.agreed(ProcessGroup(), False) == (False, False)
            and stop.status == 0
        )
        os.kill(os.getpid(), number)
        assert stop.agreed(ProcessGroup(), False) == (True, False) and stop.status == status
    assert handlers() == before


def test_a_second_ctrl_c_interrupts_only_after_a_while(monkeypatch):
    with Stop(None).listening() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)  # torchrun passes on what was typed once
        monkeypatch.setattr(loop.time, "monotonic", lambda: stop.told_at + loop.IMPATIENT + 0.1)
        os.kill(os.getpid(), signal.SIGTERM)  # and this is no Ctrl-C
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert stop.signal == signal.SIGINT


def test_a_while_is_two_seconds(monkeypatch):
    """Long enough for torchrun, short enough for a person who types it twice and means it."""
    now = [1000.0]
    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    with Stop(None).listening() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        now[0] = 1002.0
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.told_at == 1000.0
        now[0] = 1002.001
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_nobody_asked_and_the_status_is_that_of_success():
    assert Stop(None).status == 0 and Stop(1.0).status == 0


def test_handlers_come_back_after_an_exception():
    before = handlers()
    with pytest.raises(RuntimeError), Stop(None).listening():
        raise RuntimeError
    assert handlers() == before


def test_a_time_limit_stops_without_a_fault(monkeypatch):
    stop = Stop(60.0)
    assert stop.agreed(ProcessGroup(), True) == (False, True)
    monkeypatch.setattr(loop.time, "monotonic", lambda: stop.until)
    assert stop.agreed(ProcessGroup(), False) == (True, False) and stop.status == 0
    assert Stop(None).agreed(ProcessGroup(), False) == (False, False)
