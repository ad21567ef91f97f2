"""Exercise `agreeing_noun`: task, hints, solution and check."""

import torch
from torch import Tensor

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch04_attention.common import CHAPTER, expect_maps, weights_of
from minibert.course.exercises.compare import Mistake

ENOUGH = 0.95  # the weight that the nouns of a verb's number have to get together
NOUN, VERB, OTHER, SINGULAR, PLURAL = range(5)
SINGULARS = {NOUN: "key cabinet girl house", VERB: "is sings", OTHER: "this"}
PLURALS = {NOUN: "keys cabinets girls boxes", VERB: "are know", OTHER: "these"}
TEXTS = (
    "the keys to the cabinet are old",
    "the key to the cabinets is old",
    "this is the key to these boxes",
    "these keys are old",
    "the girls know that the girl sings",
    "the key to the boxes of these girls in this house is old",
    # no sentences, but as bad as a text of 13 tokens can be: twelve of them tie for the second place
    f"{'these ' * 11}keys are",
    f"{'this ' * 11}key is",
    f"{'cabinet ' * 11}keys are",
    f"{'keys ' * 11}cabinet is",
)


def agreeing_noun():
    """Maps with which a verb attends to the nouns of its own number.

    A token is (noun, verb, other, singular, plural). -> W_query and W_key,
    each with 5 rows and 2 columns: q = x @ W_query, k = x @ W_key.
    """
    W_query, W_key = torch.zeros(5, 2), torch.zeros(5, 2)
    # blank from here: fill both maps, and return them
    W_query[1, 0] = W_key[0, 0] = 4  # first entry: verbs look for nouns
    W_query[3, 1] = W_key[3, 1] = 4  # second entry: 4 if singular, -4 if plural,
    W_query[4, 1] = W_key[4, 1] = -4  # so equal numbers give 16, unequal ones -16
    return W_query, W_key


def features(word: str) -> list[int]:
    """What a token holds, such as [1, 0, 0, 0, 1] for *keys*."""
    for number, words in ((SINGULAR, SINGULARS), (PLURAL, PLURALS)):
        for kind, of_kind in words.items():
            if word in of_kind.split():
                return [int(i in (kind, number)) for i in range(5)]
    return [int(i == OTHER) for i in range(5)]


def cause(words: list[str], x: Tensor, maps, at: int) -> str:
    """Why the nouns of the number of the verb `at` get too little of its weights."""
    W_query, W_key = maps
    row = weights_of(x, maps)[at]
    number = SINGULAR if x[at, SINGULAR] else PLURAL
    wanted = [t for t in range(len(words)) if x[t, NOUN] and x[t, number]]
    best = max(wanted, key=lambda t: row[t])
    if row.max() - row.min() < 1e-6:
        return "All your scores are equal, so every token gets the same weight."
    others = [t for t in range(len(words)) if t not in wanted]
    worst = max(others, key=lambda t: row[t])
    if row[worst] < row[best] - 1e-6:
        return (
            f"The right noun leads, but *{words[worst]}* still gets {row[worst]:.2f}, and all wrong tokens together {row[others].sum():.2f}. "
            "The softmax sees differences of scores; make them larger."
        )
    gets = f"*{words[worst]}* gets {row[worst]:.2f}"
    if not x[worst, NOUN]:
        if x[worst, number]:
            return f"{gets}: it has the number of the verb, but it is no noun, and your maps do not make enough of that."
        return f"{gets}, which is neither a noun nor of the verb's number."
    if row[worst] > row[best] + 1e-6:
        return f"{gets}: it is a noun, but of the other number, and your maps prefer that. Look at the signs."
    if (W_query[number] @ W_key[SINGULAR:].T).any():
        return f"{gets}, as much as *{words[best]}*: singular and plural have the same effect on your scores."
    return f"{gets}, as much as *{words[best]}*: the query of *{words[at]}* does not look at the number."


def refuse_exchanged(maps):
    """Says so if the two maps are right but in the wrong order."""
    for text in TEXTS:
        x = torch.tensor([features(word) for word in text.split()]).double()
        weights = weights_of(x, maps[::-1])
        for at in x[:, VERB].nonzero().flatten().tolist():
            same = (x[:, 3:] * x[at, 3:]).sum(dim=-1) * x[:, NOUN]
            if (weights[at] * same).sum() <= ENOUGH:
                return
    raise Mistake(
        "With your two maps in the other order, every verb would find its nouns. As they are, your nouns look for verbs: "
        "return the map of the queries first."
    )


def check_agreeing(answer):
    maps = answer()
    expect_maps(maps, 5)
    for text in TEXTS:
        words = text.split()
        x = torch.tensor([features(word) for word in words]).double()  # [S, 5]
        weights = weights_of(x, maps)  # [S, S]
        for at in x[:, VERB].nonzero().flatten().tolist():
            same = (x[:, 3:] * x[at, 3:]).sum(dim=-1) * x[:, NOUN]  # [S]
            found = float((weights[at] * same).sum())
            if found > ENOUGH:
                continue
            refuse_exchanged(maps)
            number = "singular" if x[at, SINGULAR] else "plural"
            raise Mistake(
                f"In *{text}* your *{words[at]}* gives {found:.2f} of its attention to the {number} nouns, where more than "
                f"{ENOUGH} is expected. {cause(words, x, maps, at)}"
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=25,
    title="Design a head that looks for content",
    task="""
            An English verb agrees with its subject: in *the keys to the cabinet are old*, *are* is plural because *keys* is,
            although *cabinet* is nearer. So a verb could look for nouns of its own number. Here a token is a row of five numbers,
            (noun, verb, other, singular, plural): *keys* is (1, 0, 0, 0, 1), *cabinet* (1, 0, 0, 1, 0), *are* (0, 1, 0, 0, 1),
            *these* (0, 0, 1, 0, 1) and *to* (0, 0, 1, 0, 0).

            Design $W_Q$ and $W_K$, with D = 2, so that a verb gives more than 0.95 of its attention to the nouns of its own number,
            in texts of up to 13 tokens that have such a noun. Other tokens may attend to anything. Begin with a pencil: which
            scores should *are* give to *keys*, *cabinet*, *these*, *to* and itself? And by how much must the score of *keys* lead
            if all twelve other tokens share the second place?
            """,
    hints=(
        "Suppose that a verb looks for any noun. Which wrong token then ties with *keys*? And which ones tie with *keys* if a "
        "verb looks for any token of its number?",
        "A score is a sum over the two entries of query and key, so each entry can check one condition. That leaves one entry "
        "for the number. What could a singular token have there, and what a plural one? "
        "For the size, remember that the scores are divided by √2 before the softmax.",
    ),
    paragraph="Where queries, keys and values come from",
    solution=agreeing_noun,
    check=check_agreeing,
)
