"""Exercise `first_and_best`: task, hints, solution and check."""

import math

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch13_bug_clinic.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    Unforeseen,
)


def first_and_best(vocab_size, asked=0.15):
    """Of each disease of the loss: the value for a model that gives every word the same score, and the lowest one there is.

    A dict name -> (first, best), in nats. The healthy loss is the mean over the asked places, which are the share `asked`.
    "zeroed": the logits of places that are not asked are set to 0, and the mean is taken over all places.
    "softmax twice": the model gives probabilities, and a cross-entropy that takes logits gets them.
    "divided by all": the sum over the asked places is divided by the number of all places.
    """
    nothing = math.log(vocab_size)
    zeroed = (nothing, (1 - asked) * nothing)  # blank: a perfect model, and yet ...
    softmax_twice = (nothing, math.log(1 + (vocab_size - 1) / math.e))  # blank: at best the "scores" are one 1 and else 0  # fmt: skip
    divided_by_all = (asked * nothing, 0.0)  # blank: too small from the first value on
    return {
        "healthy": (nothing, 0.0),
        "zeroed": zeroed,
        "softmax twice": softmax_twice,
        "divided by all": divided_by_all,
    }


def check_first_and_best(answer):
    for size, asked in ((131, 0.15), (30522, 0.2)):
        nothing, found = math.log(size), answer(size, asked)
        right = first_and_best(size, asked)
        if not isinstance(found, dict) or found.keys() != right.keys():
            raise Mistake(f"Wanted is a dict with the names {', '.join(right)}, not {found!r}.")
        for name, value in found.items():
            if not isinstance(value, (tuple, list)) or len(value) != 2:
                raise Mistake(
                    f"For {name!r} you give {value!r}; two numbers are wanted, the first loss and the best."
                )
        first, best = ({name: float(value[i]) for name, value in found.items()} for i in (0, 1))
        twice = right["softmax twice"][1]
        for wrong, sentence in (
            (
                math.isclose(first["healthy"], math.log2(size)),
                f"You count in bits, {math.log2(size):.2f}; all losses here are in nats, {nothing:.2f}.",
            ),
            (
                math.isclose(first["zeroed"], (1 - asked) * nothing),
                f"Your zeroed loss begins at {first['zeroed']:.2f}. At the first step *all* places guess evenly, those with their logits set to 0 and the asked ones: {nothing:.2f}.",
            ),
            (
                math.isclose(best["zeroed"], asked * nothing),
                f"Your zeroed loss can fall to {best['zeroed']:.2f}, the share that is asked. It is the share that is *not* asked, {1 - asked:.2f}, that guesses evenly for ever.",
            ),
            (
                best["zeroed"] == 0,
                f"Your zeroed loss can fall to 0. At {1 - asked:.0%} of the places the logits are 0 whatever the model learns, and each of those costs {nothing:.2f}.",
            ),
            (
                math.isclose(best["zeroed"], nothing),
                f"Your zeroed loss stays at {nothing:.2f}. The asked places, {asked:.0%} of all, do learn.",
            ),
            (
                math.isclose(first["softmax twice"], twice),
                f"Your first loss with two softmaxes is {twice:.2f}, the best one. At the first step every probability is 1/{size:,}: equal scores, an even guess, {nothing:.2f}.",
            ),
            (
                math.isclose(first["softmax twice"], 2 * nothing),
                f"Two softmaxes do not cost twice: you have {2 * nothing:.2f}, and equal scores stay equal, {nothing:.2f}.",
            ),
            (
                best["softmax twice"] == 0,
                "With two softmaxes the loss cannot fall to 0: at best the second one gets a 1 for the right word and 0 for the others, and that is a lead of 1, not of infinity.",
            ),
            (
                math.isclose(best["softmax twice"], nothing - 1),
                f"You have {nothing - 1:.4f}, which is the logarithm of {size:,} minus 1: nearly. A softmax of one 1 and {size - 1:,} zeros gives the right word e / (e + {size - 1:,}), and so {twice:.4f}.",
            ),
            (
                math.isclose(best["softmax twice"], math.log(1 + size / math.e)),
                f"You count {size:,} wrong words; the right one is not among them: {size - 1:,}.",
            ),
            (
                math.isclose(best["softmax twice"], math.log(math.e / (math.e + size - 1))),
                f"Your {best['softmax twice']:.2f} is the logarithm of the probability; the loss is minus that.",
            ),
            (
                math.isclose(best["softmax twice"], math.log(math.e + size - 1)),
                f"Your {best['softmax twice']:.2f} is the logarithm of the sum of all e^score; the score of the right word, 1, has to be taken off.",
            ),
            (
                math.isclose(first["divided by all"], nothing),
                f"Divided by all places, the first loss is not {nothing:.2f}: {asked:.0%} of the places pay it, and all of them share.",
            ),
            (
                math.isclose(first["divided by all"], (1 - asked) * nothing),
                f"You have {first['divided by all']:.2f} for the first loss divided by all places: the asked ones pay, {asked:.2f} of all, and not the others.",
            ),
            (
                math.isclose(first["divided by all"], 0.15 * nothing) and asked != 0.15,
                f"You have {first['divided by all']:.2f} for the first loss divided by all places, which is 15% of {nothing:.2f}; here {asked:.0%} are asked.",
            ),
            (
                math.isclose(best["divided by all"], asked * nothing),
                f"A perfect model pays nothing at the asked places, and nothing divided by all is nothing, not {best['divided by all']:.2f}.",
            ),
        ):
            if wrong:
                raise Mistake(sentence)
        for name, (wanted, lowest) in right.items():
            if not math.isclose(first[name], wanted, rel_tol=1e-9) or not math.isclose(
                best[name], lowest, rel_tol=1e-9, abs_tol=1e-9
            ):
                raise Unforeseen(
                    f"For {size:,} words of which {asked:.0%} are asked, {name!r} is ({first[name]:.3f}, {best[name]:.3f}) with you, where ({wanted:.3f}, {lowest:.3f}) is right."
                )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=12,
    title="Where it begins, and how far it can fall",
    task="A loss has two numbers that you can know before any run: its first value, and its lowest. Find both for three sick losses. No run is needed: paper, and `math.log`.",
    hints=(
        "A model that gives all words the same score guesses evenly, and pays ln V wherever it is asked. Who is asked, and by how many is it divided?",
        "At best, the sick softmax hands on 1 for the right word and 0 for all others. As scores these give the right word the probability e / (e + V - 1).",
    ),
    paragraph="Two numbers before any run",
    solution=first_and_best,
    check=check_first_and_best,
)
