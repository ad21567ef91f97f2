"""Answers to `influence` on which its check is tried."""

from itertools import permutations

from minibert.course.exercises.mistakes.ch08_pretraining.influence import KNOWN
from planted import Answers, patterns


def influence_by_permutations(predict, heroes):
    pronoun_of, other = dict(heroes), {"she": "he", "he": "she"}
    names = [
        predict(new, pronoun_of[old]) == predict(old, pronoun_of[old])
        for old, new in permutations(pronoun_of, 2)
    ]
    pronouns = [predict(name, word) == predict(name, other[word]) for name, word in heroes]
    return [1 - sum(same) / len(same) for same in (names, pronouns)]


def influence_counted_and_divided(predict, heroes):
    changed = {"name": 0, "pronoun": 0}
    for name, pronoun in heroes:
        place = predict(name, pronoun)
        for other, _ in heroes:  # a name swapped for itself adds 0
            changed["name"] += predict(other, pronoun) != place
        (another,) = {"she", "he"} - {pronoun}
        changed["pronoun"] += predict(name, another) != place
    count = len(heroes)
    return changed["name"] / (count * (count - 1)), changed["pronoun"] / count


def influence_of_the_name(predict, heroes):
    return influence_counted_and_divided(predict, heroes)[0]


def influence_by_heart(predict, heroes):
    return 1.0, 0.0


ANSWERS = Answers(
    right=(influence_by_permutations, influence_counted_and_divided),
    wrong=patterns(KNOWN)
    | {
        influence_of_the_name: r"expected two shares",
        influence_by_heart: r"always says .* you return 1\.00 and 0\.00; expected 0\.00 and 0\.00",
    },
)
