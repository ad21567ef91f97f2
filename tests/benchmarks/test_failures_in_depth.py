"""What chapter 12 says of its runs beyond the log: each claim about a cause is tried here."""

import dataclasses
import math
import sys
from collections import defaultdict
from pathlib import Path

import pytest
import torch

from minibert import BertForPreTraining
from minibert.course.exercises.ch12_when_training_fails.effect_of_context import effect_of_context

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import failures
import faults


def test_what_a_model_that_sees_no_other_word_can_reach_on_one_batch():
    """Gaps that agree in position, length, own input and segment cannot be told apart: their labels have an entropy."""
    floors = []
    for seed in range(3):
        batch = failures.corrupted(failures.world(0).batch(64 * seed, 64), seed)
        labels = batch["labels"][:16]
        alike = defaultdict(list)
        for row, position in (labels != -100).nonzero().tolist():
            length = int(batch["attention_mask"][row].sum())
            own = (int(batch[name][row, position]) for name in ("input_ids", "token_type_ids"))
            alike[position, length, *own].append(int(labels[row, position]))
        chances = [found.count(label) / len(found) for found in alike.values() for label in found]
        floors.append(round(-sum(map(math.log, chances)) / len(chances), 2))
    assert floors == [0.26, 0.12, 0.31]


def uncleared_norms(rate, clip=math.inf):
    """The norms of a loop that never clears its gradients, and that of one gradient after `zero_grad`."""
    torch.manual_seed(0)
    model = BertForPreTraining(failures.config(2))
    sgd = torch.optim.SGD(model.parameters(), lr=rate)
    norms = []
    for step in range(16):
        batch = failures.corrupted(failures.world(0).batch(16 * step, 16), step)
        model(**batch).loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), clip).item())
        sgd.step()
    sgd.zero_grad()
    model(**batch).loss.backward()
    return norms, torch.nn.utils.clip_grad_norm_(model.parameters(), math.inf).item()


@pytest.mark.parametrize("rate", [0.02, 0.002])
def test_gradients_that_are_never_cleared_have_a_norm_that_climbs(rate):
    """Chapter 12: a lower rate does not bring it down, and one gradient after `zero_grad` is far below."""
    norms, fresh = uncleared_norms(rate)
    assert norms[-1] > 3 * norms[0] and norms[-1] > 2 * fresh


def test_in_a_loop_that_clips_the_norm_of_uncleared_gradients_does_not_climb():
    """Chapter 12: what is left of the sum has a norm of 1 at most, so another test has to find the fault."""
    norms, _ = uncleared_norms(0.02, clip=1.0)
    assert max(norms) < 2 * norms[0] and norms[-1] < 1.5 * norms[0]


def test_the_distance_of_run_2_is_that_of_large_weights_and_not_of_use():
    """Chapter 12: after 25 steps its predictions move, and its loss does not rise."""
    recipe = failures.RECIPES["too fast"]
    torch.manual_seed(0)
    model = BertForPreTraining(failures.config(2)).train()
    before = failures.matrices(model).norm()
    optimizers = faults.optimizers_of(model, recipe)
    for step, batch in zip(range(25), faults.batches(recipe, 0)):
        failures.set_learning_rate(
            optimizers, failures.learning_rate_schedule(step, recipe.steps, recipe.warmup)
        )
        words, pairs = faults.sick_losses(model, batch, recipe)
        (words + pairs).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    names = ("input_ids", "token_type_ids", "attention_mask", "labels")
    distance, rise = effect_of_context(model, {name: failures.held_out()[name] for name in names})
    assert 0.05 < distance < 0.2 and abs(rise) < 0.05
    assert 4.5 < failures.matrices(model).norm() / before < 5.5


@pytest.mark.parametrize("scale", [0.02, 0.1])
def test_only_with_an_inverted_mask_an_untrained_model_ignores_the_words_exactly(scale):
    """Chapter 12: the size of the distance depends on the initial weights, but it is zero only where no word arrives."""
    names = ("input_ids", "token_type_ids", "attention_mask", "labels")
    rows = {name: failures.held_out()[name] for name in names}
    config = dataclasses.replace(failures.config(2), initializer_range=scale)
    for seed in failures.SEEDS:
        torch.manual_seed(seed)
        model = BertForPreTraining(config)
        assert effect_of_context(model, rows)[0] > 1e-5
        blind = rows | {"attention_mask": ~rows["attention_mask"]}
        assert effect_of_context(model, blind)[0] == 0
