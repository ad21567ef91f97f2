"""Exercise `attention_counts`: task, hints, solution and check."""

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch04_attention.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def attention_counts(length, hidden, heads):
    """One self-attention over one text: S tokens of H numbers, A heads.

    -> how many parameters, how many attention weights, how many multiplications.
    """
    parameters = 3 * (hidden * hidden + hidden)  # blank: three linear maps with biases
    weights = heads * length * length  # blank: one for each head, query, key
    maps = 3 * length * hidden * hidden  # blank: multiplications of the maps
    pairs = 2 * length * length * hidden  # blank: those of scores and mixing
    return parameters, weights, maps + pairs


def check_counts(answer):
    names = ("number of parameters", "number of weights", "number of multiplications")
    for length, hidden, heads in ((7, 384, 12), (512, 768, 12), (11, 768, 16)):
        found, right = answer(length, hidden, heads), attention_counts(length, hidden, heads)
        if not isinstance(found, (tuple, list)) or len(found) != 3:
            raise Mistake("Return three numbers: parameters, weights, multiplications.")
        for i, name in enumerate(names):
            if found[i] == right[i]:
                continue
            given = f"For S = {length}, H = {hidden}, A = {heads} your {name}, {found[i]:,},"
            for wrong, sentence in known(attention_counts):
                if found[i] == wrong(length, hidden, heads)[i]:
                    raise Mistake(
                        f"{given} {sentence.format(s=length, h=hidden, a=heads, d=hidden // heads)}."
                    )
            raise Mistake(f"{given} is not right: it is {right[i]:,}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="What do more heads cost?",
    task="""
            One text of S tokens goes through one self-attention: three linear maps, scores, softmax, mixing (no map after it,
            and the softmax not counted). Give its parameters, its attention weights and its multiplications as formulas in
            `length` (S), `hidden` (H) and `heads` (A). Before you write: which of the three grows when the heads double?
            """,
    hints=(
        "A linear map from H to H has H × H weights and H biases, and needs H × H multiplications for each token. "
        "The heads are pieces of it: A × D = H.",
        "One score is a dot product of D numbers. There are A × S × S of them, so scoring costs A × S × S × D = S × S × H. "
        "Mixing costs the same.",
    ),
    paragraph="Several heads",
    solution=attention_counts,
    check=check_counts,
)
