"""Wrong answers to `influence` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.mistakes import named


def _other(pronoun):
    return "he" if pronoun == "she" else "she"


def _mean(values):
    return sum(values) / max(1, len(values))


def _changes(predict, heroes):
    """What the swaps of the names and of the pronouns change."""
    names = [
        predict(other, pronoun) != predict(name, pronoun)
        for name, pronoun in heroes
        for other, _ in heroes
        if other != name
    ]
    pronouns = [predict(name, _other(word)) != predict(name, word) for name, word in heroes]
    return names, pronouns


def _counts(name, names=_mean, pronouns=_mean, result=lambda a, b, changes: (a, b)):
    """A wrong answer that makes another number of the changes."""

    def count_wrongly(predict, heroes):
        changes = _changes(predict, heroes)
        return result(names(changes[0]), pronouns(changes[1]), changes)

    return named(name, count_wrongly)


def influence_of_heroes(predict, heroes):
    names = [
        predict(*other) != predict(name, pronoun)
        for name, pronoun in heroes
        for other in heroes
        if other[0] != name
    ]
    return _mean(names), _mean(_changes(predict, heroes)[1])


def influence_of_both(predict, heroes):
    names, pronouns = [], []
    for hero in heroes:
        for other in heroes:
            if other != hero:
                names.append(predict(*other) != predict(*hero))
            if other[1] != hero[1]:
                pronouns.append(predict(*other) != predict(*hero))
    return _mean(names), _mean(pronouns)


def influence_of_pronoun_with_name(predict, heroes):
    pronouns = [
        predict(*other) != predict(*hero)
        for hero in heroes
        for other in heroes
        if other[1] != hero[1]
    ]
    return _mean(_changes(predict, heroes)[0]), _mean(pronouns)


def influence_with_itself(predict, heroes):
    names = [
        predict(other, pronoun) != predict(name, pronoun)
        for name, pronoun in heroes
        for other, _ in heroes
    ]
    return _mean(names), _mean(_changes(predict, heroes)[1])


def influence_with_itself_twice(predict, heroes):
    pronouns = [
        predict(name, other) != predict(name, pronoun)
        for name, pronoun in heroes
        for other in ("she", "he")
    ]
    return influence_with_itself(predict, heroes)[0], _mean(pronouns)


def influence_of_own_pronoun(predict, heroes):
    pronouns = [
        predict(name, other) != predict(name, pronoun)
        for name, pronoun in heroes
        for other in ("she", "he")
    ]
    return _mean(_changes(predict, heroes)[0]), _mean(pronouns)


def influence_from_the_first(predict, heroes):
    (name, pronoun), *others = heroes
    before = predict(name, pronoun)
    names = [predict(other, pronoun) != before for other, _ in others]
    return _mean(names), float(predict(name, _other(pronoun)) != before)


def influence_on_the_next(predict, heroes):
    names = [
        predict(other, pronoun) != predict(name, pronoun)
        for (name, pronoun), (other, _) in zip(heroes, heroes[1:])
    ]
    return _mean(names), _mean(_changes(predict, heroes)[1])


def influence_to_he(predict, heroes):
    pronouns = [predict(name, "he") != predict(name, pronoun) for name, pronoun in heroes]
    return _mean(_changes(predict, heroes)[0]), _mean(pronouns)


def influence_by_kinds(predict, heroes):
    names = len({predict(name, pronoun) for name, pronoun in heroes}) / len(heroes)
    return names, _mean(_changes(predict, heroes)[1])


influence_any = _counts("influence_any", names=any, pronouns=any)
influence_counted = _counts("influence_counted", names=sum, pronouns=sum)
influence_turned = _counts("influence_turned", result=lambda a, b, changes: (b, a))
influence_unchanged = _counts("influence_unchanged", result=lambda a, b, changes: (1 - a, 1 - b))
influence_of_all = _counts(
    "influence_of_all",
    result=lambda a, b, changes: tuple(
        sum(part) / len(changes[0] + changes[1]) for part in changes
    ),
)
influence_by_heroes = _counts(
    "influence_by_heroes",
    result=lambda a, b, changes: (sum(changes[0]) / len(changes[1]), b),
)


KNOWN = (
    (
        influence_of_both,
        "You swap name and pronoun at once, so you cannot know which of them changed the place. Keep one of the two words.",
    ),
    (
        influence_of_heroes,
        "With another name you take the pronoun of that hero as well, so two words change. Keep the pronoun of the text with which you started.",
    ),
    (
        influence_of_pronoun_with_name,
        "To swap the pronoun you go to another hero, so the name changes as well. Keep the name.",
    ),
    (
        influence_with_itself,
        "You also count the swap of a name for itself, which cannot change anything. Leave it out.",
    ),
    (
        influence_with_itself_twice,
        "You also count the swap of a word for itself, which cannot change anything. Leave it out.",
    ),
    (
        influence_of_own_pronoun,
        "You also count the swap of a pronoun for itself, which cannot change anything. Leave it out.",
    ),
    (
        influence_from_the_first,
        "You start from the text of the first hero only. A model may know some names and not others: start from each hero.",
    ),
    (
        influence_on_the_next,
        "You swap each name for one other name only. Try the names of all other heroes.",
    ),
    (
        influence_to_he,
        "You always put in “he”, which changes nothing where “he” is the hero's own pronoun. Take the other one.",
    ),
    (
        influence_by_kinds,
        "You count different places. Compare each prediction with the one before the swap.",
    ),
    (
        influence_any,
        "You only ask whether any swap changes the place. Return the share of those that do.",
    ),
    (influence_counted, "You return how many swaps change the place. Divide by their number."),
    (influence_turned, "The order is wrong: first the name, then the pronoun."),
    (influence_unchanged, "You count predictions that stay the same; count those that change."),
    (
        influence_of_all,
        "You divide both by the number of all swaps. The swaps of names and those of pronouns are two experiments.",
    ),
    (
        influence_by_heroes,
        "You divide the changes by the number of heroes, but each name is swapped for all others. Divide by the number of swaps.",
    ),
)
