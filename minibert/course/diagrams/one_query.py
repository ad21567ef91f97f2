"""The query of one word against the keys of all words, from the dot products to the mixture."""

import math
from collections.abc import Sequence

from minibert.course.diagrams.drawing import WIDTH, Diagram, Drawing

LEFT = 62  # the column of labels
BAR = 46  # the height of a weight of 1


def one_query(
    words: Sequence[str],
    asks: int,
    query: Sequence[float],
    keys: Sequence[Sequence[float]],
    values: Sequence[Sequence[float]],
) -> Diagram:
    """Draws how the word at position `asks` computes its result.

    The query has D numbers; keys and values have one row of numbers for each of at most six words.
    """
    scores = [sum(q * k for q, k in zip(query, key)) for key in keys]
    powers = [math.exp(score / math.sqrt(len(query))) for score in scores]
    weights = [power / sum(powers) for power in powers]
    mixed = [sum(w * value[i] for w, value in zip(weights, values)) for i in range(len(values[0]))]
    step = (WIDTH - LEFT - 4) / len(words)
    columns = [LEFT + step * (i + 0.5) for i in range(len(words))]
    d = Drawing(372, "One query against all keys")

    name, top = words[asks], columns[asks]
    d.box(top - 52, 6, 104, 34, "head-wash", "head", 1.6)
    d.text(top, 20, f"query of “{name}”", 10)
    d.text(top, 34, _numbers(query), 11.5, weight=700, family="mono")
    for x, weight in zip(columns, weights):
        d.arrow([(top, 40), (x, 66)], "head", 0.8 + 2.4 * weight, curve=0)

    _label(d, 84, "keys", "T of them")
    for x, word, key, value, score, weight in zip(columns, words, keys, values, scores, weights):
        d.box(x - step / 2 + 3, 67, step - 6, 34, "panel", "edge")
        d.text(x, 80, word, 11, weight=700 if word == name else 400)
        d.text(x, 95, _numbers(key), 11, family="mono")
        d.text(x, 128, f"{score:.0f}" if score == round(score) else f"{score:.1f}", 12.5)
        d.text(x, 158, f"{score / math.sqrt(len(query)):.2f}", 12.5)
        high = max(1.0, BAR * weight)
        d.box(x - 11, 228 - high, 22, high, "head", None, 0, 1)
        d.text(x, 243, f"{weight:.2f}", 12.5, weight=700)
        d.text(x, 276, _numbers(value), 11, family="mono")
        d.arrow([(x, 284), (LEFT + (WIDTH - LEFT) / 2, 322)], "token", 0.8 + 2.4 * weight, curve=0)
    _label(d, 126, "q · k", "dot product")
    _label(d, 156, f"÷ √{len(query)}", "scale")
    _label(d, 212, "softmax", "sums to 1")
    _label(d, 243, "weights")
    _label(d, 274, "values")
    middle = LEFT + (WIDTH - LEFT) / 2
    d.box(middle - 100, 323, 200, 40, "token-wash", "token", 1.6)
    d.text(middle, 338, f"result for “{name}”: weights × values", 9)
    d.text(middle, 355, _numbers([round(each, 2) for each in mixed]), 12, weight=700, family="mono")
    return d.finish(
        f"The query of {name}, {_numbers(query)}, meets the keys of {len(words)} words. "
        + "; ".join(
            f"{word}: key {_numbers(key)}, score {score:g}, weight {weight:.2f},"
            f" value {_numbers(value)}"
            for word, key, score, weight, value in zip(words, keys, scores, weights, values)
        )
        + f". The values, mixed by the weights, are {_numbers([round(each, 2) for each in mixed])}."
    )


def _numbers(vector: Sequence[float]) -> str:
    return "(" + ", ".join(f"{each:g}" for each in vector) + ")"


def _label(d: Drawing, y: float, name: str, more: str = "") -> None:
    d.text(2, y, name, 10.5, "ink", "start", 600)
    if more:
        d.text(2, y + 12, more, 9, "soft", "start")
