"""Exercise `random_labels`: task, hints, solution and check."""

import random

import numpy as np
import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch11_what_it_learned.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def random_labels(words, labels, seed):
    """A control task: each different word gets a label at random, as often as `labels` has it, and keeps it wherever it occurs.

    words and labels are two lists of one length -> a list of that length.
    """
    draw = random.Random(seed)
    types = sorted(set(words))  # blank: every word once, in an order that is always the same
    label_of = {word: draw.choice(labels) for word in types}  # blank: for every word a label, drawn from the list as it is  # fmt: skip
    return [label_of[word] for word in words]  # blank: a label for each occurrence


def check_random_labels(answer):
    draw = random.Random(5)
    types = [f"w{n}" for n in range(600)]
    # nine nouns for every verb
    meaning = {word: "noun" if n % 10 else "verb" for n, word in enumerate(types)}
    words = types + draw.choices(types, k=1400)
    labels = [meaning[word] for word in words]
    found = answer(list(words), list(labels), 3)
    if not isinstance(found, list | tuple):
        raise Mistake(f"random_labels should give back a list, but it is a {type(found).__name__}.")
    if len(found) != len(words):
        raise Mistake(
            f"You have {len(found)} labels for {len(words)} words: every occurrence needs one, not every different word."
        )
    if wrong := [label for label in found if label not in ("noun", "verb")]:
        raise Mistake(f"Your labels hold {wrong[0]!r}; the labels here are 'noun' and 'verb'.")
    of_word = {}
    for word, label in zip(words, found):
        of_word.setdefault(word, set()).add(label)
    if broken := sum(len(labels) > 1 for labels in of_word.values()):
        raise Mistake(
            f"{broken} of {len(types)} words have one label here and another there. What changes from place to place nobody can learn by heart, and that is what a control task is to measure."
        )
    kept = sum(meaning[word] in labels for word, labels in of_word.items()) / len(types)
    if kept == 1:
        raise Mistake("Every word has kept its true label. They should mean nothing.")
    verbs = sum("verb" in labels for labels in of_word.values()) / len(types)
    if verbs == 0 or verbs == 1:
        raise Mistake(
            f"All {len(types)} words have the same label: there is nothing to learn in that."
        )
    if 0.4 < verbs < 0.6:
        raise Mistake(
            f"{verbs:.0%} of your words are verbs; in the labels it is 10%. With all labels equally often the control is harder than the task: draw from the list as it is."
        )
    if not 0.05 < verbs < 0.15:
        raise Mistake(f"{verbs:.0%} of your words are verbs; in the labels it is 10%.")
    if list(answer(list(words), list(labels), 3)) != list(found):
        raise Mistake(
            "Called twice with seed 3 you give different labels. Draw from a generator that begins with the seed."
        )
    if list(answer(list(words), list(labels), 4)) == list(found):
        raise Mistake("Seeds 3 and 4 give the same labels: your draw does not use the seed.")
    other = dict(zip(words[::-1], answer(words[::-1], list(labels), 3)))
    moved = sum(other[word] not in labels for word, labels in of_word.items())
    if moved:
        raise Mistake(
            f"With the words in the other order, {moved} of {len(types)} change their label. Sort them, so that the draw depends on the seed alone."
        )
    few = answer(["b", "a", "b"], ["x", "x", "x"], 0)
    if list(few) != ["x", "x", "x"]:
        raise Mistake(
            f"Where every label is 'x' you give {list(few)}: draw from the labels that are handed in."
        )
    before = _global_states()
    answer(["b", "a", "c"], ["x", "y"], 6)
    if changed := [name for name, state in _global_states().items() if state != before[name]]:
        raise Mistake(
            f"Your function draws from, or seeds, the generator that the whole of {changed[0]} shares, so every later draw of the program depends on this call. Draw from a generator of your own, such as random.Random(seed)."
        )


def _global_states():
    """The states of the random generators that a whole program shares."""
    return {
        "random": random.getstate(),
        "numpy": str(np.random.get_state(legacy=False)["state"]),
        "torch": torch.get_rng_state().tolist(),
    }


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=12,
    title="Labels that mean nothing",
    task="A *control task* has the words of the real task and labels without any meaning. Each different word gets a label by lot, as often as the real labels have it, and keeps it wherever it occurs. The order of the words must not decide: the seed alone does.",
    hints=(
        "Three steps: the different words, a label for each of them, a label for each occurrence.",
        "`draw.choice(labels)` draws from the list as it is, so a label that stands in it nine times as often is drawn nine times as often. A `set` has no fixed order: sort it.",
    ),
    paragraph="A task without meaning",
    solution=random_labels,
    check=check_random_labels,
)
