"""Wrong answers to `set_rates` that its check recognises, each with the feedback for it."""

import math

from minibert.course.exercises.mistakes import named


def rates_step_by_step(groups, step, steps, warmup):
    factor = 1.0 - step / steps
    if step < warmup:
        factor = step / warmup
    for group in groups:
        group["lr"] = factor * group["peak_lr"]


def _rates(name, early, late, peak=lambda group: group["peak_lr"]):
    """Returns a wrong answer with other factors before or after the warm-up, or another peak."""

    def rates_wrongly(groups, step, steps, warmup):
        factor = early(step, steps, warmup) if step < warmup else late(step, steps, warmup)
        for group in groups:
            group["lr"] = peak(group) * factor

    return named(name, rates_wrongly)


def _up(step, steps, warmup):
    return step / warmup


def _down(step, steps, warmup):
    return 1 - step / steps


def _noam(step, steps, warmup):
    return min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


rates_without_peak = _rates("rates_without_peak", _up, _down, lambda group: 1.0)


rates_one_for_all = _rates("rates_one_for_all", _up, _down, lambda group: 0.002)


rates_never_falling = _rates("rates_never_falling", _up, lambda step, steps, warmup: 1.0)


rates_at_once = _rates("rates_at_once", _down, _down)


rates_at_full_height = _rates("rates_at_full_height", lambda step, steps, warmup: 1.0, _down)


rates_without_drop = _rates(
    "rates_without_drop", _up, lambda step, steps, warmup: (steps - step) / (steps - warmup)
)


rates_from_one = _rates("rates_from_one", lambda step, steps, warmup: (step + 1) / warmup, _down)


rates_of_a_cosine = _rates(
    "rates_of_a_cosine",
    _up,
    lambda step, steps, warmup: 0.5 * (1 + math.cos(math.pi * step / steps)),
)


rates_rising_slowly = _rates("rates_rising_slowly", lambda step, steps, warmup: step / steps, _down)


rates_rising_on = _rates("rates_rising_on", _up, lambda step, steps, warmup: step / steps)


rates_of_noam = _rates("rates_of_noam", _noam, _noam, lambda group: 1.0)


rates_until_the_peak = _rates(
    "rates_until_the_peak",
    _up,
    lambda step, steps, warmup: 1.0 if step == warmup else 1 - step / steps,
)


rates_of_the_smaller_line = _rates(
    "rates_of_the_smaller_line",
    *[lambda step, steps, warmup: min(step / warmup, 1 - step / steps)] * 2,
)


rates_of_both_lines = _rates(
    "rates_of_both_lines", lambda step, steps, warmup: step / warmup * (1 - step / steps), _down
)


rates_that_meet = _rates(
    "rates_that_meet", lambda step, steps, warmup: step / warmup * (1 - warmup / steps), _down
)


rates_in_whole_numbers = _rates(
    "rates_in_whole_numbers", lambda step, steps, warmup: step // warmup, _down
)


rates_falling_at_the_end = _rates(
    "rates_falling_at_the_end", _up, lambda step, steps, warmup: 1 - step // steps
)


rates_one_step_ahead = _rates(
    "rates_one_step_ahead", _up, lambda step, steps, warmup: 1 - (step + 1) / steps
)


rates_falling_late = _rates(
    "rates_falling_late", _up, lambda step, steps, warmup: 1 - (step - warmup) / steps
)


rates_of_a_late_cosine = _rates(
    "rates_of_a_late_cosine",
    _up,
    lambda step, steps, warmup: 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))),
)


rates_changed_about = _rates("rates_changed_about", _down, _up)


rates_below_zero = _rates("rates_below_zero", _up, lambda step, steps, warmup: step / steps - 1)


rates_of_the_second = _rates("rates_of_the_second", _up, _down, lambda group: 0.004)


rates_by_heart = _rates(
    "rates_by_heart",
    lambda step, steps, warmup: min(1.0, step / 10),
    lambda step, steps, warmup: 1 - step / 100,
)


def rates_of_the_first_group(groups, step, steps, warmup):
    rates_step_by_step(groups[:1], step, steps, warmup)


def rates_added(groups, step, steps, warmup):
    for group in groups:
        group["lr"] = group["peak_lr"] + (_up if step < warmup else _down)(step, steps, warmup)


def rates_compounding(groups, step, steps, warmup):
    for group in groups:
        group["lr"] *= step / warmup if step < warmup else 1 - step / steps


rates_squared = _rates("rates_squared", _up, lambda step, steps, warmup: (1 - step / steps) ** 2)


rates_of_the_root = _rates(
    "rates_of_the_root", _up, lambda step, steps, warmup: (1 - step / steps) ** 0.5
)


rates_that_rise_from_one = _rates(
    "rates_that_rise_from_one", _up, lambda step, steps, warmup: 1 + step / steps
)


def rates_all_from_one(groups, step, steps, warmup):
    rates_step_by_step(groups, step + 1, steps, warmup)


RATE_MISTAKES = (
    (
        rates_without_peak,
        "The peak is not in it: {at50} where the factor alone is 0.38; a rate is the factor times the group's own peak_lr.",
    ),
    (
        rates_one_for_all,
        "Both groups get {found[50][1]:.6f} at step 50: the second has a peak of its own, 0.004, and you overwrite it.",
    ),
    (
        rates_compounding,
        "You multiply lr by the factor again and again: {at5}, and it never comes back. Begin each time from peak_lr.",
    ),
    (rates_never_falling, "Your rate never falls: {at80}, the full peak."),
    (
        rates_at_full_height,
        "Your warm-up is missing: at step 0 your rate is {found[0][0]:.6f}, where it should be 0.",
    ),
    (
        rates_at_once,
        "There is no warm-up: at step 0 your rate is {found[0][0]:.6f}, where it should be 0.",
    ),
    (
        rates_without_drop,
        "{at20}, the full peak: you let it fall from the end of the warm-up, without the original's drop to 0.0015. Gentler, but "
        "not the original's line, which starts at step 0.",
    ),
    (
        rates_from_one,
        "At step 0 your rate is {found[0][0]:.6f}: you count from 1. The original's first step has the rate 0.",
    ),
    (rates_of_a_cosine, "{at30}: a half cosine; the original falls in a line."),
    (rates_rising_slowly, "{at5}: you rise over all 80 steps; the warm-up has 20."),
    (
        rates_rising_on,
        "{at70}: after the warm-up your rate rises; 1 minus the share of the steps is what falls.",
    ),
    (rates_squared, "{at50}: you square what should be a line."),
    (rates_of_the_root, "{at50}: you take the root of what should be a line."),
    (
        rates_until_the_peak,
        "{at20}, the full peak. The warm-up is the 20 steps from 0 to 19; step 20 stands on the falling line.",
    ),
    (
        rates_of_the_smaller_line,
        "{at19}: you take the smaller of the two lines. The original follows the rising one to the end of the warm-up, and then drops.",
    ),
    (
        rates_of_both_lines,
        "{at5}: during the warm-up you multiply the two lines; the original replaces the falling one.",
    ),
    (
        rates_that_meet,
        "{at19}: you climb only as high as the falling line, so that nothing drops. Gentler, but the original climbs towards the full peak.",
    ),
    (rates_in_whole_numbers, "{at5}: `//` leaves nothing of a share below 1."),
    (rates_falling_at_the_end, "{at50}, the full peak: `//` leaves nothing of a share below 1."),
    (
        rates_all_from_one,
        "At step 0 your rate is {found[0][0]:.6f}: you count from 1. The original's first step has the rate 0.",
    ),
    (
        rates_one_step_ahead,
        "{at50}: the falling line is one step ahead; it is 1 at step 0 and 0 at step 80.",
    ),
    (
        rates_falling_late,
        "{at80}, where it should be 0: your line falls from the end of the warm-up on, and does not arrive. The original's starts at step 0.",
    ),
    (
        rates_of_a_late_cosine,
        "{at30}: a half cosine from the end of the warm-up; the original falls in a line, from step 0.",
    ),
    (rates_changed_about, "{at5}: the two lines have changed places."),
    (rates_below_zero, "{at50}: a rate below 0 climbs the loss; turn the difference round."),
    (rates_that_rise_from_one, "{at50}: your line rises; 1 *minus* the share of the steps falls."),
    (
        rates_of_the_first_group,
        "You set the rate of the first group only; every group is to get its own.",
    ),
    (
        rates_of_the_second,
        "Both groups get {found[50][0]:.6f} at step 50: the first has a peak of its own, 0.002.",
    ),
    (rates_added, "{at50}: you add the factor to the peak; multiply."),
    (
        rates_by_heart,
        "{at10}: you have a warm-up of 10 and 100 steps in all; here they are 20 and 80.",
    ),
    (
        rates_of_noam,
        "{at50}: one over the root of the step, whatever the peak (Noam's schedule). The rate that was asked for, 0.002, is silently overwritten.",
    ),
)


KNOWN = RATE_MISTAKES
