"""Exercise `read_the_log`: task, hints, solution and check."""

import math

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def read_the_log(printed_pair_loss, printed_word_loss):
    """What a log really says whose program swaps the names of the losses and divides each by 10.

    Returns a dict: mlm_loss and nsp_loss in nats; words, between how many equally likely ones the model wavers;
    and learnt, True if the model knows more about either task than a guess does.
    """
    mlm_loss = 10 * printed_pair_loss  # blank: from which number, and how?
    nsp_loss = 10 * printed_word_loss  # blank: and this one?
    words = math.exp(mlm_loss)  # blank: whose loss is ln of how many?
    return {"mlm_loss": mlm_loss, "nsp_loss": nsp_loss, "words": words, "learnt": False}  # blank: the four, and your verdict  # fmt: skip


def check_read_the_log(answer):
    found = answer(1.12, 0.07)
    if not isinstance(found, dict) or {"mlm_loss", "nsp_loss", "words", "learnt"} - found.keys():
        raise Mistake(f"Wanted is a dict with mlm_loss, nsp_loss, words and learnt, not {found!r}.")
    word, pair, words = (float(found[name]) for name in ("mlm_loss", "nsp_loss", "words"))
    for pattern, message in (
        (
            (1.12, 0.07),
            f"You swap the names back and leave the division: {word:.2f} and {pair:.2f} are tenths. Each loss was divided by 10 before it was printed.",
        ),
        (
            (0.07, 1.12),
            f"You believe the names: a word loss of {word:.2f} with a pair loss of {pair:.2f}, worse than tossing a coin (0.69). The words, the harder task, learned first?",
        ),
        (
            (0.7, 11.2),
            f"You undo the division and believe the names: a pair loss of {pair:.1f} would be worse than a coin (0.69) by far. The names are swapped.",
        ),
        (
            (0.112, 0.007),
            f"You divide once more, to {word:.3f} and {pair:.3f}; the program has divided already, so multiply.",
        ),
        (
            (0.007, 0.112),
            f"You divide by 10 again and keep the names: {word:.3f} and {pair:.3f}. Both steps go the other way.",
        ),
    ):
        if math.isclose(word, pattern[0], rel_tol=1e-6) and math.isclose(
            pair, pattern[1], rel_tol=1e-6
        ):
            raise Mistake(message)
    for name, value, right in (("mlm_loss", word, 11.2), ("nsp_loss", pair, 0.7)):
        if not math.isclose(value, right, rel_tol=1e-6):
            raise Mistake(
                f"Your {name} is {value:.3f}. Which printed number is it, and what had been done to it?"
            )
    for value, message in (
        (
            2**11.2,
            f"You take 2 to the power of the loss and get {words:,.0f} words; the loss is in nats, so the base is e.",
        ),
        (
            10**11.2,
            f"You take 10 to the power of the loss: {words:,.0f} words are more than any language has. The base is e.",
        ),
        (
            math.exp(0.7),
            f"{words:.1f}: you took e to the power of the *pair* loss; the words are behind the other one.",
        ),
        (
            math.exp(1.12),
            f"{words:.1f}: you took e to the power of the printed number; undo the division first.",
        ),
        (
            math.exp(11.9),
            f"You count {words:,.0f} words from the sum of both losses; the word loss alone is their logarithm.",
        ),
        (
            11.2,
            "You give the loss itself as the number of words, 11.2: it is the logarithm of that number.",
        ),
    ):
        if math.isclose(words, value, rel_tol=1e-6):
            raise Mistake(message)
    if not math.isclose(words, math.exp(11.2), rel_tol=1e-4):  # accepts a rounded number
        raise Mistake(
            f"Your number of words is {words:,.0f}, whose logarithm is {math.log(max(words, 1e-9)):.1f}; a model that wavers between n words evenly has the loss ln n, and that is 11.2."
        )
    if found["learnt"] is None or isinstance(found["learnt"], str):
        raise Mistake(
            f"Your verdict is {found['learnt']!r}; wanted is True or False: does the model know more about either task than a guess does?"
        )
    if found["learnt"]:
        raise Mistake(
            f"You say that something was learned: {words:,.0f} words in the running is a whole vocabulary, and a pair loss of {pair:.1f} is a coin's, ln 2 = 0.69."
        )
    again = answer(0.9, 0.06)
    for name, right in (("mlm_loss", 9.0), ("nsp_loss", 0.6), ("words", math.exp(9))):
        if not math.isclose(float(again[name]), right, rel_tol=1e-4):
            raise Mistake(
                f"With other numbers in the log, 0.90 and 0.06, your {name} is {float(again[name]):,.1f}, where {right:,.1f} is right. Compute with what you are given."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="A log that cannot be",
    task="A published tutorial prints `NSP 1.12, MLM 0.07` and is content. Its program adds each loss to the *other* one's running sum, and divides the sum of one step by 10. "
    "What were the losses? Between how many words did the model waver, and had it learned anything?",
    hints=(
        "Undo both mistakes: swap the names back, multiply by 10. Then compare each loss with what a guess costs.",
        "A guess among n equally likely words costs ln n; so a loss of x is a guess among e to the power of x. For the pairs, n is 2.",
    ),
    paragraph="The last patient: a puzzle",
    solution=read_the_log,
    check=check_read_the_log,
)
