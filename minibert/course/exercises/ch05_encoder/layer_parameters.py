"""Exercise `layer_parameters`: task, hints, solution and check."""

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def layer_parameters(hidden, intermediate):
    """The number of parameters of one encoder layer of width `hidden` with a feed-forward of width `intermediate`."""
    attention = 4 * (hidden * hidden + hidden)  # blank: query, key, value, output
    feed_forward = 2 * hidden * intermediate + intermediate + hidden  # blank: there and back
    norms = 2 * 2 * hidden  # blank: two LayerNorms
    return attention + feed_forward + norms


def check_layer_parameters(answer):
    for h, i in ((12, 20), (768, 3072)):
        found = answer(h, i)
        if isinstance(found, bool) or not isinstance(found, int | float) or found != int(found):
            raise Mistake(
                f"For hidden {h} and intermediate {i} you return {found!r}; a count of parameters is a whole number."
            )
        right = 4 * (h * h + h) + 2 * h * i + i + h + 4 * h
        if found == right:
            continue
        if found == 12 * right:
            raise Mistake(
                f"For hidden {h} and intermediate {i} you count {found:,}: that is twelve layers. Asked for is one, {right:,}."
            )
        if found == 12 * h * h + 13 * h:
            raise Mistake(
                f"For hidden {h} and intermediate {i} you count {found:,}, 12·{h}² + 13·{h}: that takes intermediate for four times hidden."
            )
        missing = {
            9 * h + i: "All biases and both LayerNorms",
            5 * h
            + i: "All biases: four of width hidden in attention, intermediate + hidden in the feed-forward",
            4 * h
            - 4: "Most of attention's biases: a map to hidden numbers has hidden of them, not 1. They",
            i + h: "The biases of the feed-forward, intermediate + hidden",
            h * i: "One of the two matrices of the feed-forward, there or back,",
            i - h: "Some biases: the way up ends in intermediate numbers, not hidden. They",
            i: "The bias of the way up, intermediate",
            h: "The bias of the way back, hidden",
            4 * h: "The LayerNorms, or the four biases of attention (both are 4 · hidden)",
            2 * h: "One LayerNorm, or one of its two vectors in both",
            h * h + h: "The output map of attention, hidden² + hidden",
            h * i + h: "The way back through the feed-forward, intermediate · hidden + hidden",
        }.get(right - found)
        surplus = {
            2 * h: "A third LayerNorm? The one of the embeddings belongs to no layer.",
            i
            - h: "Both biases of the feed-forward at width intermediate? The way back ends in hidden.",
            h * h + h: "A fifth map in attention? Query, key, value and output are four.",
        }.get(found - right)
        if missing:
            explanation = f"{missing} seem to be missing."
        else:
            explanation = surplus or "One encoder layer of BERT-base has 7,087,872."
        too = f"{right - found:,} more" if found < right else f"{found - right:,} fewer"
        raise Mistake(
            f"For hidden {h} and intermediate {i} you count {found:,}; there are {right:,}, {too}. {explanation}"
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=10,
    title="Seven million, to the last one",
    solution=layer_parameters,
    check=check_layer_parameters,
    task="With pencil and paper first: how many parameters has one encoder layer, as a function of its two widths? The "
    "number of heads is not among them. Why not?",
    hints=(
        "A linear map from $a$ to $b$ has $ab + b$. A LayerNorm has two vectors. There are six linear maps and two norms.",
        "Four maps of $H^2 + H$ in attention; $HI + I$ up and $IH + H$ back; $2 \\cdot 2H$ for the norms.",
    ),
    paragraph="Where 109,482,240 come from",
)
