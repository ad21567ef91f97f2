"""Exercise `undo_the_mean`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch12_when_training_fails.common import CHAPTER, numbers
from minibert.course.exercises.compare import Mistake


def undo_the_mean(printed):
    """The loss of each interval, from a log that prints the mean of all intervals so far.

    printed: a list; its n-th number (from 1) is the mean of the first n losses. Returns a list.
    """
    losses = []
    for n, mean in enumerate(printed, start=1):
        total = n * mean  # blank: the sum of the first n losses
        before = (n - 1) * printed[n - 2]  # blank: the sum of the first n - 1 losses (0 if n is 1)
        losses.append(total - before)
    return losses


LOSSES = [4.0, 2.0, 3.0, 7.0, 1.5]


def running_means(losses):
    return [sum(losses[: n + 1]) / (n + 1) for n in range(len(losses))]


def check_undo_the_mean(answer):
    printed = running_means(LOSSES)
    found = numbers(answer(list(printed)), len(LOSSES), "the answer")
    steps = [after - before for before, after in zip([0.0, *printed], printed)]
    for wrong, why in (
        (printed, "You return what was printed: each of these numbers is still a mean."),
        (steps, "You return the differences of the means, so your second loss is {1:.2f}. Take the difference of the two sums instead."),
        (running_means(printed), "You average once more, so your second loss is {1:.2f}. Go back from means to sums instead."),
        ([n * mean for n, mean in enumerate(printed, 1)], "You return sums: your second number, {1:.2f}, is the sum of two losses."),
        ([n * now - n * before for n, (before, now) in enumerate(zip([0.0, *printed], printed), 1)], "You multiply both means by n, so your second loss is {1:.2f}. The earlier mean is over n - 1 losses."),
        ([2 * now - before for before, now in zip([0.0, *printed], printed)], "You give the last two means the same weight at every n, so your third loss is {2:.2f}. The n-th mean is over n losses."),
        (LOSSES[::-1], "You return the losses from the last to the first: your first one is {0:.2f}."),
    ):  # fmt: skip
        if all(abs(a - b) < 1e-6 for a, b in zip(found, wrong)):
            raise Mistake(why.format(*found))
    for number, (value, right) in enumerate(zip(found, LOSSES), 1):
        if abs(value - right) > 1e-6:
            raise Mistake(
                f"loss {number} is {value:.2f} in your answer and was {right:.2f}. The printed"
                f" means were {', '.join(f'{mean:.2f}' for mean in printed)}."
            )
    again = numbers(answer([2.0, 3.0]), 2, "the answer")
    if abs(again[1] - 4.0) > 1e-6:
        raise Mistake(
            f"for the means 2 and 3 your second loss is {again[1]:.2f}; it was 4. Compute with"
            " what you are given."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=6,
    title="Undo a running mean",
    task="A program prints the mean of *all* losses since the start instead of the mean since its last line. Recover the loss of each interval.",
    hints=(
        "A mean of n numbers, times n, is their sum. The sums of n and of n - 1 losses differ by the n-th loss.",
        "`total = n * mean`. Before it there were n - 1 losses, whose mean is `printed[n - 2]`.",
    ),
    paragraph="Two misleading logs",
    solution=undo_the_mean,
    check=check_undo_the_mean,
)
