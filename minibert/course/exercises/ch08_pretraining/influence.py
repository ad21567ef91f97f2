"""Exercise `influence`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def influence(predict, heroes):
    """How often the predicted place depends on each of two words: (share for the name, share for the pronoun).

    predict(name, pronoun) gives the place that a model predicts in the text with these two words.
    heroes lists the (name, pronoun) of each hero; each pronoun is "she" or "he".
    """
    # blank from here: swap words, compare the predicted places, and take the two shares
    by_name, by_pronoun = [], []
    for name, pronoun in heroes:
        before = predict(name, pronoun)
        by_name += [predict(other, pronoun) != before for other, _ in heroes if other != name]
        by_pronoun += [predict(name, "he" if pronoun == "she" else "she") != before]
    return sum(by_name) / len(by_name), sum(by_pronoun) / len(by_pronoun)


HEROES = [
    ("anna", "she"),
    ("ben", "he"),
    ("clara", "she"),
    ("david", "he"),
    ("emma", "she"),
    ("henry", "he"),
]
FEW = [("david", "he"), ("ben", "he"), ("emma", "she")]
MODELS = {  # what a model does with the two words
    "always says “river”": lambda name, pronoun: "river",
    "uses the pronoun only": lambda name, pronoun: {"she": "river", "he": "forest"}[pronoun],
    "uses the name only": lambda name, pronoun: f"the place of {name}",
    "knows the name of Anna only": lambda name, pronoun: "river" if name == "anna" else "farm",
    "uses the name, but only after “she”": lambda name, pronoun: (
        f"the place of {name}" if pronoun == "she" else "farm"
    ),
    "uses both words": lambda name, pronoun: f"the place of {name}, {pronoun}",
    "tells names with an a from the others": lambda name, pronoun: (
        "river" if name[0] in "ac" or (pronoun == "he" and "v" in name) else "farm"
    ),
}


def _results(answer):
    return [
        (what, answer(model, list(heroes)), influence(model, heroes))
        for heroes in (HEROES, FEW)
        for what, model in MODELS.items()
    ]


def _equal(found, right):
    return all(abs(float(a) - b) < 1e-6 for a, b in zip(found, right, strict=True))


def check_influence(answer):
    results = _results(answer)
    for what, found, right in results:
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise Mistake(
                f"For a model that {what} you return {found!r}; expected two shares, one for the name and one for the pronoun."
            )
        if _equal(found, right):
            continue
        says = (
            "For a model that {} you return {:.2f} and {:.2f}; expected {:.2f} and {:.2f}.".format(
                what, *map(float, found), *right
            )
        )
        for wrong, sentence in known(influence):
            if all(
                _equal(mine, wrongs)
                for (_, mine, _), (_, wrongs, _) in zip(results, _results(wrong))
            ):
                raise Mistake(f"{says} {sentence}")
        raise Mistake(f"{says} Only one of the two words may change in each comparison.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=15,
    title="Which of the two words?",
    task="""
            Design the intervention that tells the two words apart. Start from the text of each hero and try all that can be swapped in: the names of the other heroes, or the other pronoun. For each of the two words, return the share of the swaps that change the predicted place.
            A model that gives each name a place of its own and ignores the pronoun must get 1 and 0; a model that goes by the pronoun and ignores the name must get 0 and 1.
        """,
    hints=(
        "Eight heroes make 8 · 7 comparisons that tell you about the name, and 8 that tell you about the pronoun. Which two texts are compared in each?",
        "If two words change at once, you cannot know which of them changed the prediction. So keep the pronoun while you swap the name, and the name while you swap the pronoun, and compare with the prediction for the hero's own text.",
    ),
    paragraph="Does it use the hero?",
    solution=influence,
    check=check_influence,
)
