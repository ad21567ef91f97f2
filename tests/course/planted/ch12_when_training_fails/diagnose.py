"""Answers to `diagnose` on which its check is tried."""

from minibert.course.exercises.ch12_when_training_fails.diagnose import diagnose
from planted import Answers


def update_first(measure):
    """The size of the update divides the runs first, and the held-out NSP loss the rest."""
    update = measure("largest update")
    if update < 0.012:
        return "too slow"
    if update > 0.03:
        return "too fast"
    masked = measure("share of [MASK]")
    if masked < 0.05:
        return "answers visible"
    if masked < 0.3:
        return "labels of other rows"
    if masked < 0.6:
        return "padding in the loss"
    if measure("effect of context") < 0.1:
        return "mask inverted"
    if measure("held-out NSP loss") < 0.4:
        return "healthy"
    return "repeated lines" if measure("lower class accuracy") > 0.1 else "a class ignored"


def by_the_losses(measure):
    """The held-out MLM loss stands in for the effect of context, with a limit near the healthy seeds."""
    masked = measure("share of [MASK]")
    if masked < 0.7:
        words = measure("held-out MLM loss")
        low = {True: "answers visible", False: "labels of other rows"}[words > 5]
        return "padding in the loss" if words < 1 else low
    update = measure("largest update")
    if abs(update - 0.0145) > 0.004:
        return "too slow" if update < 0.01 else "too fast"
    words, pairs = measure("held-out MLM loss"), measure("held-out NSP loss")
    if words > 1.8:
        return "mask inverted"
    if pairs < 0.5:
        return "healthy"
    return "repeated lines" if words > 0.45 else "a class ignored"


def training_losses_only(measure):
    """The last printed losses, with limits between the recorded runs: the reader's curve decides alone."""
    words = measure("training MLM loss")
    for least, fault in (
        (4, "too slow"),
        (3, "too fast"),
        (2.3, "labels of other rows"),
        (1, "mask inverted"),
    ):
        if words > least:
            return fault
    if words < 0.1:
        return "answers visible" if words < 0.02 else "repeated lines"
    if words < 0.3:
        return "padding in the loss"
    return "a class ignored" if measure("training NSP loss") < 0.1 else "healthy"


def held_out_losses_only(measure):
    words, pairs = measure("held-out MLM loss"), measure("held-out NSP loss")
    for least, fault in (
        (6, "answers visible"),
        (4, "too slow"),
        (3, "too fast"),
        (2.3, "labels of other rows"),
        (1.8, "mask inverted"),
    ):
        if words > least:
            return fault
    if pairs > 4.5:
        return "a class ignored"
    return "repeated lines" if pairs > 0.5 else "healthy"


def halfway_to_the_strongest(measure):
    """The solution, but repeated lines are told by a limit that calls run A healthy."""
    found = diagnose(lambda what: 0.2 if what == "held-out NSP loss" else measure(what))
    far = found == "healthy" and measure("held-out MLM loss") > 1
    return "repeated lines" if far else found


def always_healthy(measure):
    return "healthy"


def with_another(what, value):
    """The solution, but one measurement has always this value."""

    def answer(measure):
        return diagnose(lambda asked: value if asked == what else measure(asked))

    return answer


def with_limit(what, least):
    """The solution, but a value of this measurement above the limit `least` is taken for a healthy one."""

    def answer(measure):
        def changed(asked):
            value = measure(asked)
            return 0.015 if asked == what and least < value < 0.02 else value

        return diagnose(changed)

    return answer


def the_number(measure):
    return 0


def misnamed(measure):
    measure("padding")
    return "healthy"


def all_of_them(measure):
    for what in (
        "share of [MASK]",
        "share of padding",
        "effect of context",
        "largest update",
        "lower class accuracy",
        "held-out NSP loss",
    ):
        measure(what)
    return "healthy"


def padding_shows_its_answer(measure):
    found = diagnose(measure)
    return "answers visible" if found == "padding in the loss" else found


def _named(name, answer):
    answer.__name__ = name
    return answer


ANSWERS = Answers(
    right=(update_first, by_the_losses),
    wrong={
        training_losses_only: r"'training MLM loss' is not among the measurements, because a training loss does not name a fault",
        held_out_losses_only: r"is “padding in the loss”, and you return “healthy”|is “too slow”, and you return",
        halfway_to_the_strongest: r"is “repeated lines”, and you return “healthy”\. Its held-out NSP loss is 1\.2; .* This fault is weaker than in the recorded run “repeated lines”, where it is 3\. Set your limit close",
        _named("slow_by_a_hundred", with_limit("largest update", 0.001)): r"is “too slow”, and you return “mask inverted”\. Its largest update is 0\.0016; .* This fault is weaker",
        always_healthy: r"one run is “too slow”, and you return “healthy”\. Its largest update is 0.00015",
        _named("no_update", with_another("largest update", 0.015)): r"is “too slow”, and you return “mask inverted”",
        _named("no_context", with_another("effect of context", 0.1)): r"is “healthy”, and you return “mask inverted”",
        _named("no_classes", with_another("lower class accuracy", 1)): r"is “a class ignored”, and you return “repeated lines”",
        the_number: r"you return 0; expected one of healthy, too slow",
        misnamed: r"no measurement is called 'padding'; there are held-out MLM loss",
        all_of_them: r"you take 6 different measurements of one run",
        _named("no_pairs", with_another("held-out NSP loss", 0.2)): r"is “repeated lines”, and you return “healthy”\. Its held-out NSP loss is 3; in the recorded run “healthy” it is 0.23\.",
        padding_shows_its_answer: r"is “padding in the loss”, and you return “answers visible”",
    },
)  # fmt: skip
