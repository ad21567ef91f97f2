"""Exercise `what_it_shows`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch11_what_it_learned.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def what_it_shows(accuracy, majority, untrained, control, margin=0.05):
    """Who deserves the credit for a probe's accuracy? The first rival that it is not ahead of by more than `margin`.

    majority   of always answering with the commonest label
    control    of the same probe, on the same vectors, for labels that mean nothing
    untrained  of the same probe and labels, on the vectors of the untrained twin
    -> "nobody" (no better than the majority), else "the probe" (as good at learning anything), else "the input"
       (it was there before training), else "the training"
    """
    found = accuracy - majority > margin  # blank: is there anything to give credit for?
    selective = accuracy - control > margin  # blank: is it more than learning by heart?
    learned = accuracy - untrained > margin  # blank: is it more than was there before?
    return "nobody" if not found else "the probe" if not selective else "the input" if not learned else "the training"  # blank: one of the four  # fmt: skip


_CASES = (  # (accuracy, majority, untrained, control), credit, feedback for another answer
    (
        (0.80, 0.40, 0.45, 0.50),
        "the training",
        "The probe finds 0.80, and majority (0.40), twin (0.45) and control task (0.50) are all far behind",
    ),
    ((0.90, 0.40, 0.91, 0.50), "the input", "The untrained twin has 0.91 where the model has 0.90"),
    (
        (0.90, 0.40, 0.50, 0.92),
        "the probe",
        "The probe has 0.92 on labels that mean nothing, and 0.90 on the real ones",
    ),
    (
        (0.95, 0.30, 0.96, 0.97),
        "the probe",
        "Twin (0.96) and control task (0.97) both do as well as 0.95. Where a probe can learn anything, the twin's success proves nothing either, so the probe is asked first",
    ),
    (
        (0.60, 0.62, 0.30, 0.20),
        "nobody",
        "0.60 looks like a lot, but always giving the commonest answer scores 0.62",
    ),
    (
        (0.43, 0.45, 0.44, 0.44),
        "nobody",
        "At 0.43 against a majority of 0.45 there is nothing to give credit for, whatever the others do",
    ),
    (
        (0.80, 0.40, 0.77, 0.50),
        "the input",
        "0.80 is ahead of the twin's 0.77, but not by more than the margin of 0.05",
    ),
    (
        (0.80, 0.40, 0.50, 0.78),
        "the probe",
        "0.80 is ahead of the control task's 0.78, but not by more than the margin of 0.05",
    ),
    (
        (0.80, 0.40, 0.62, 0.55),
        "the training",
        "0.80 is ahead of the twin's 0.62 by far more than the margin, and the twin need not be at the majority's 0.40",
    ),
)

_EXACT = {  # (majority, untrained, control) of which one is behind 0.75 by exactly 0.25
    "nobody": (0.5, 0.25, 0.25),
    "the probe": (0.25, 0.25, 0.5),
    "the input": (0.25, 0.5, 0.25),
}


def check_what_it_shows(answer):
    for numbers, right, why in _CASES:
        found = answer(*numbers)
        if found not in ("nobody", "the probe", "the input", "the training"):
            raise Mistake(
                f"The credit goes to 'nobody', 'the probe', 'the input' or 'the training', not to {found!r}."
            )
        if found != right:
            raise Mistake(f"{why}: you give the credit to {found}, and it belongs to {right}.")
    if answer(0.8, 0.4, 0.7, 0.5, margin=0.2) != "the input":
        raise Mistake(
            "With a margin of 0.20, a lead of 0.10 over the twin is not enough: your function does not use the margin that it is given."
        )
    for right, rivals in _EXACT.items():
        if (found := answer(0.75, *rivals, margin=0.25)) != right:
            raise Mistake(
                f"0.75 is ahead of 0.50 by 0.25, which is the margin and not more than it: you give the credit to {found}, and it belongs to {right}. Use >, not >=."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=12,
    title="Who deserves the credit?",
    task="A probe reads something off a model's vectors, with an accuracy. Before you write 'the model has learned it', three others must be asked: the commonest answer, the probe itself (by its control task), and the input (by the untrained twin). Write the rule down, so that it gives the credit to the first who can do it without training.",
    hints=(
        "'Ahead by more than the margin' is the same comparison three times, each with another rival.",
        "The order is in the description: nobody, the probe, the input. What none of them can do goes to the training.",
    ),
    paragraph="Four rivals for one number",
    solution=what_it_shows,
    check=check_what_it_shows,
)
