"""Answers to `diagnose` on which its check is tried."""

from minibert.course.exercises.ch12_when_training_fails.diagnose import diagnose
from planted import Answers


def pairs_first(measure):
    """The NSP loss is lower in training than held out: a class is ignored, or lines are repeated."""
    if measure("training NSP loss") < 0.1:
        return "repeated lines" if measure("lower class accuracy") > 0.1 else "a class ignored"
    masked = measure("share of [MASK]")
    if masked < 0.05:
        return "answers visible"
    if masked < 0.3:
        return "labels of other rows"
    if masked < 0.6:
        return "padding in the loss"
    if measure("effect of context") > 0.5:
        return "healthy"
    update = measure("largest update")
    return "too slow" if update < 1e-3 else "mask inverted" if update < 0.05 else "too fast"


def by_the_losses(measure):
    """The two held-out losses stand in for the effect of context and the accuracies."""
    masked, words = measure("share of [MASK]"), measure("held-out MLM loss")
    if masked < 0.6:
        low = {True: "answers visible", False: "labels of other rows"}[words > 5]
        return "padding in the loss" if words < 1 else low
    if words > 1.8:
        update = measure("largest update")
        return {0: "too slow", 1: "mask inverted", 2: "too fast"}[(update > 1e-3) + (update > 0.05)]
    if words - measure("training MLM loss") > 0.05:
        return "repeated lines"
    return "a class ignored" if measure("held-out NSP loss") > 3 else "healthy"


def always_healthy(measure):
    return "healthy"


def with_another(what, value):
    """The solution, but one measurement has always this value."""

    def answer(measure):
        return diagnose(lambda asked: value if asked == what else measure(asked))

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
    right=(pairs_first, by_the_losses),
    wrong={
        always_healthy: r"one run is “too slow”, and you return “healthy”\. Its largest update is 0.00015",
        _named("no_update", with_another("largest update", 0.01)): r"is “too slow”, and you return “mask inverted”",
        _named("no_context", with_another("effect of context", 0.1)): r"is “healthy”, and you return “mask inverted”",
        _named("no_padding", with_another("share of padding", 0)): r"is “padding in the loss”, and you return “labels of other rows”",
        _named("no_classes", with_another("lower class accuracy", 1)): r"is “a class ignored”, and you return “repeated lines”",
        the_number: r"you return 0; expected one of healthy, too slow",
        misnamed: r"no measurement is called 'padding'; there are training MLM loss",
        all_of_them: r"you take 6 different measurements of one run",
        _named("no_gap", with_another("training NSP loss", 4)): r"is “repeated lines”, and you return “healthy”\. Its held-out NSP loss is 3; in the recorded run “healthy” it is 0.23",
        padding_shows_its_answer: r"is “padding in the loss”, and you return “answers visible”",
    },
)  # fmt: skip
