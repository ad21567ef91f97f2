"""Answers to `set_rates` on which its check is tried."""

from minibert.course.exercises.mistakes.ch08_pretraining.set_rates import (
    rates_added,
    rates_at_full_height,
    rates_at_once,
    rates_below_zero,
    rates_by_heart,
    rates_changed_about,
    rates_compounding,
    rates_falling_at_the_end,
    rates_falling_late,
    rates_from_one,
    rates_in_whole_numbers,
    rates_never_falling,
    rates_of_a_cosine,
    rates_of_a_late_cosine,
    rates_of_both_lines,
    rates_of_noam,
    rates_of_the_first_group,
    rates_of_the_root,
    rates_of_the_second,
    rates_of_the_smaller_line,
    rates_one_for_all,
    rates_one_step_ahead,
    rates_rising_on,
    rates_rising_slowly,
    rates_squared,
    rates_step_by_step,
    rates_that_meet,
    rates_that_rise_from_one,
    rates_until_the_peak,
    rates_without_drop,
    rates_without_peak,
)
from planted import Answers


def rates_with_min(groups, step, steps, warmup):
    for group in groups:
        group.update(
            lr=(step / warmup if warmup > step else (steps - step) / steps) * group["peak_lr"]
        )


def rates_of_copies(groups, step, steps, warmup):
    rates_step_by_step([dict(group) for group in groups], step, steps, warmup)


def rates_of_the_peak(groups, step, steps, warmup):
    for group in groups:
        group["peak_lr"] *= step / warmup if step < warmup else 1 - step / steps


ANSWERS = Answers(
    right=(rates_with_min, rates_step_by_step),
    wrong={
        rates_without_peak: r"The peak is not in it",
        rates_one_for_all: r"Both groups get",
        rates_compounding: r"again and again",
        rates_of_the_peak: r"change peak_lr",
        rates_never_falling: r"never falls",
        rates_at_once: r"There is no warm-up",
        rates_at_full_height: r"warm-up is missing",
        rates_without_drop: r"without the original's drop",
        rates_from_one: r"count from 1",
        rates_of_a_cosine: r"half cosine",
        rates_rising_slowly: r"rise over all 80 steps",
        rates_rising_on: r"after the warm-up your rate rises",
        rates_of_noam: r"Noam",
        rates_until_the_peak: r"steps from 0 to 19",
        rates_of_the_smaller_line: r"smaller of the two lines",
        rates_of_both_lines: r"multiply the two lines",
        rates_that_meet: r"so that nothing drops",
        rates_in_whole_numbers: r"at step 5.*`//`",
        rates_falling_at_the_end: r"at step 50.*`//`",
        rates_one_step_ahead: r"one step ahead",
        rates_falling_late: r"does not arrive",
        rates_of_a_late_cosine: r"half cosine from the end",
        rates_changed_about: r"changed places",
        rates_below_zero: r"below 0 climbs",
        rates_of_the_second: r"the first has a peak of its own",
        rates_of_the_first_group: r"first group only",
        rates_of_copies: r"groups are as they were",
        rates_added: r"add the factor",
        rates_by_heart: r"warm-up of 10 and 100 steps",
        rates_squared: r": you square what should be a line\.",
        rates_of_the_root: r": you take the root of what should be a line\.",
        rates_that_rise_from_one: r": your line rises; 1 \*minus\* the share of the steps falls\.",
    },
)
